# Text that the assembler includes: .include in .s, .S and inside a C file.
. "$(dirname "$0")/lib.sh"

echo '.set magic, 1' >magic.inc
printf '.include "magic.inc"\n.data\n.long magic\n' >a.s
cp a.s b.S
printf '__asm__(".include \\"magic.inc\\"\\n.data\\n.long magic\\n");\n' >c.c
mkdir early
for cc in gcc clang; do
    for source in a.s b.S c.c; do
        echo '.set magic, 1' >magic.inc
        twice "$cc" -c $source -o o.o
        echo '.set magic, 2' >magic.inc
        fresh_result "$cc" -c $source -o o.o
        # found earlier by the assembler's own search path
        rm -f early/*
        same "$cc" -Wa,-Iearly -c $source -o o.o
        mv magic.inc late.inc
        echo '.set magic, 3' >early/magic.inc
        same "$cc" -Wa,-Iearly -c $source -o o.o
        mv late.inc magic.inc
    done
done
