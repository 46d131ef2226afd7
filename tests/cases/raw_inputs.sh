# A file that is taken in raw (.incbin) isn't the same without its comments, though it be text as well.
. "$(dirname "$0")/lib.sh"

cat >incbin.h <<'H'
#define INCBIN(file) __asm__(".data\n.globl blob\nblob: .incbin \"" file "\"\n.byte 0\n.text\n")
H
printf '__asm__(".data\\n.globl blob\\nblob: .incbin \\"shader.glsl\\"\\n.byte 0\\n.text\\n");\n' >asm.c
printf '#include "incbin.h"\nINCBIN("shader.glsl");\n' >macro.c
printf '#include "shader.glsl"\n#include "incbin.h"\nINCBIN("shader.glsl");\n' >both.c
printf '#include "v.h"\nEMBED\nint f = V;\n' >word.c
word='-DEMBED=__asm__(".data\n.incbin\"shader.glsl\"\n.text");'
echo '#define V 1 /* one */' >v.h
for cc in gcc clang; do
    for source in asm.c macro.c both.c word.c; do
        words=(-O1 -c $source -o o.o)
        [ $source != word.c ] || words+=("$word")
        echo 'int version; // version 1' >shader.glsl
        same $cc "${words[@]}"
        echo 'int version; // version 2' >shader.glsl
        same $cc "${words[@]}"
        echo 'int version; // version 1' >shader.glsl
        same $cc "${words[@]}"
        CCWRAP_DIRECT=0 same $cc "${words[@]}"
        echo 'int version; // version 3' >shader.glsl
        CCWRAP_DIRECT=0 same $cc "${words[@]}"
    done
    # where nothing is taken in raw, comments don't count
    [ "$KIND" = plain ] && continue
    printf '#include "v.h"\n#include <stdio.h>\nint f = V;\n' >calm.c
    echo '#define V 1 /* one */' >v.h
    miss $cc -c calm.c -o o.o
    echo '#define V 1 /* another */' >v.h
    hit $cc -c calm.c -o o.o
    # a list that an option names is no C
    echo 'fun:f // x' >list
    same $cc -fsanitize=undefined -c calm.c -o o.o
done
