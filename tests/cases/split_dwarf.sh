# The object names its .dwo: another output or folder, another name.
. "$(dirname "$0")/lib.sh"

echo 'int f(void) { return 1; }' >f.c
mkdir east west d1
cp f.c d1
for cc in gcc clang; do
    for round in 1 2; do
        for output in east/f.o west/f.o east/f.b.o f; do same "$cc" -g -gsplit-dwarf -c f.c -o $output; done
    done
    same "$cc" -gsplit-dwarf -g0 -c f.c -o f.o
    same "$cc" -gsplit-dwarf -g1 -c f.c -o f.o
    same "$cc" -gsplit-dwarf -c f.c
    hit "$cc" -g -gsplit-dwarf -c f.c -o east/f.o
    cd d1
    same "$cc" -g -gsplit-dwarf -c f.c
    cd ..
    same "$cc" -g -gsplit-dwarf -c f.c
done
twice clang -gsplit-dwarf=single -g -c f.c -o f.o
twice gcc -frandom-seed=1 -flto -g -gsplit-dwarf -c f.c -o f.o
