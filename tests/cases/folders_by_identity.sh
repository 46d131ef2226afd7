# clang calls what lies in a folder by the name by which it met that folder first: where links lead counts, though
# all contents be equal.
. "$(dirname "$0")/lib.sh"

mkdir -p late other sub
for folder in late other; do
    printf '#include "nested.h"\n#define ONE (1 + NESTED)\n' >$folder/one.h
    echo '#define NESTED 10' >$folder/nested.h
done
printf '#include "../late/one.h"\nint deep = ONE;\n' >sub/deep.c
for cc in clang gcc; do
    for target in late other late; do
        ln -sfn $target linked
        same $cc -Iabsent -Ilinked -g -MD -c sub/deep.c -o deep.o
        same $cc -Iabsent -Ilinked -MD -c sub/deep.c -o deep.o
    done
    rm linked && cp -r late linked
    same $cc -Iabsent -Ilinked -g -MD -c sub/deep.c -o deep.o
    rm -r linked && ln -s late linked
    same $cc -Iabsent -Ilinked -g -MD -c sub/deep.c -o deep.o
    rm linked
done
