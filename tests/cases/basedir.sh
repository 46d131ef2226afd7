# basedir: two checkouts with absolute paths share; nothing of the other shows.
. "$(dirname "$0")/lib.sh"

only_ccwrap
export CCWRAP_BASEDIR=$WORK
for tree in one two; do mkdir -p $tree/inc; echo '#define V 3' >$tree/inc/v.h; printf '#include "v.h"\nint v = V;\nconst char *f = "x";\n' >$tree/f.c; done
for cc in gcc clang; do
    cd one; miss $cc -O1 -I"$WORK/one/inc" -MD -c "$WORK/one/f.c" -o f.o; cd ..
    cd two; hit $cc -O1 -I"$WORK/two/inc" -MD -c "$WORK/two/f.c" -o f.o; cd ..
    for tree in one two one; do cd $tree; same $cc -g -I"$WORK/$tree/inc" -MD -c "$WORK/$tree/f.c" -o f.o; cd ..; done
done
for tree in one two; do echo 'const char *g = __FILE__;' >>$tree/f.c; done
for tree in one two one; do cd $tree; same gcc -I"$WORK/$tree/inc" -c "$WORK/$tree/f.c" -o f.o; cd ..; done
echo '#define V 4' >two/inc/v.h
for tree in one two one; do cd $tree; same gcc -I"$WORK/$tree/inc" -c "$WORK/$tree/f.c" -o f.o; cd ..; done
# The working directory itself is such a folder: throw-away directories of a configure script share.
unset CCWRAP_BASEDIR
for tree in try-1 try-2; do mkdir $tree; echo 'int tried;' >$tree/t.c; done
cd try-1; miss gcc -MD -c "$WORK/try-1/t.c" -o 1.o; cd ..
cd try-2; hit gcc -MD -c "$WORK/try-2/t.c" -o 2.o; cd ..
