# Depfiles by every combination of -MD, -MMD, -MF, -MT, -MQ, -MP and output names, cold and warm.
. "$(dirname "$0")/lib.sh"

mkdir -p src build/deep
echo '#define H 1' >src/h.h
printf '#include "h.h"\n#include <stddef.h>\nint x = H;\n' >src/a.c
echo '.data' >src/b.s
printf '#include "h.h"\n.long H\n' >src/c.S
for cc in gcc clang; do
    for md in -MD -MMD; do
        for words in "-MP" "-MF my.d" "-MFmy.d" "-MT other" "-MQ o\$x" "-MT a -MT b" "-MP -MF build/deep/my.d" "-MF /dev/null"; do
            twice "$cc" $md $words -c src/a.c -o build/deep/a.b.obj
        done
        for output in "-o build/a.o" "-o build/deep/a.b.obj" "" "-o build/a" "-obuild/a.o"; do
            twice "$cc" $md -c src/a.c $output
        done
        twice "$cc" $md -MF my.d -c src/a.c
        twice "$cc" $md -c src/b.s -o build/b.o
        twice "$cc" $md -MF build/b.d -c src/b.s -o build/b.o
        twice "$cc" $md -c src/c.S -o build/c.o
        same "$cc" $md -MF missing/x.d -c src/a.c -o build/a.o
        twice "$cc" $md -S src/a.c -o build/a.s
    done
    hit "$cc" -MD -c src/a.c -o build/a.o
done
