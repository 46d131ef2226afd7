# Includes are found from where a linked source was named, and a re-pointed link is another folder.
. "$(dirname "$0")/lib.sh"

mkdir real
echo '#define WHERE 1' >real/w.h
echo '#define WHERE 2' >w.h
printf '#include "w.h"\nint where = WHERE;\n' >real/s.c
ln -s real/s.c s.c
for cc in gcc clang; do
    for round in 1 2; do
        for source in "$WORK/s.c" s.c real/s.c ./real/../s.c; do same "$cc" -c "$source" -o o.o; done
    done
done
mkdir -p a/inc b/inc
echo '#define WHERE 5' >a/inc/w.h
echo '#define WHERE 6' >b/inc/w.h
printf '#include <w.h>\nint where = WHERE;\n' >t.c
for cc in gcc clang; do
    for target in a b a; do
        ln -sfn $target current
        same "$cc" -Icurrent/inc -c t.c -o o.o
    done
    hit "$cc" -Icurrent/inc -c t.c -o o.o
done
ln -s a/inc/w.h linked.h
printf '#include "linked.h"\nint where = WHERE;\n' >l.c
same gcc -c l.c -o o.o
ln -sf b/inc/w.h linked.h
same gcc -c l.c -o o.o
