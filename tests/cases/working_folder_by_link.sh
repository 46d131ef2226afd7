# PWD spells the folder in debug info: through a link it is another.
. "$(dirname "$0")/lib.sh"

mkdir real
ln -s real linked
echo 'int f(void) { return 1; }' >real/f.c
for cc in gcc clang; do
    for round in 1 2; do for folder in real linked; do
        cd $folder
        same $cc -g -c f.c -o f.o
        cd ..
    done; done
done
