# Debug info names the folder: never another's; with a map, two folders share.
. "$(dirname "$0")/lib.sh"

for folder in one two; do mkdir -p $folder/inc; echo '#define V 3' >$folder/inc/v.h; printf '#include "v.h"\nint f(int a) { return a + V; }\n' >$folder/f.c; done
for cc in gcc clang; do
    for words in -g "-g -g0" -g3 "-g -gz" "-g -fdebug-compilation-dir=/x" "-g -fdebug-prefix-map=$WORK=/src" "-g -ffile-prefix-map=$WORK/one=."; do
        for round in 1 2; do for folder in one two; do
            cd $folder
            same $cc $words -Iinc -c f.c -o f.o
            cd ..
        done; done
    done
    cd one; miss_hit $cc -O1 -DC=1 -Iinc -c f.c -o f.o; cd ..
    cd two; hit $cc -O1 -DC=1 -Iinc -c f.c -o f.o; cd ..
    cd one; miss $cc -g -DC=2 -Iinc "-ffile-prefix-map=$WORK/one=." -c f.c -o f.o; cd ..
    cd two; hit $cc -g -DC=2 -Iinc "-ffile-prefix-map=$WORK/two=." -c f.c -o f.o; cd ..
done
