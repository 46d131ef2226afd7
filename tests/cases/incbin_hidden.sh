# A file that only the assembler reads (.incbin), spelled so that no search of the text finds it.
. "$(dirname "$0")/lib.sh"

printf first >blob.txt
cat >joined.c <<'S'
#define BLOB(file) __asm__(".data\n.globl blob\nblob:\n.inc" "bin \"" file "\"\n.byte 0\n")
BLOB("blob.txt");
S
printf '__asm__(".data\\nq:\\n.inc\\x62in \\"blob.txt\\"\\n");\n' >escaped.c
printf '.data\n.incbin "blob.txt"\n' >plain.s
printf '#define F "blob.txt"\n.data\n.incbin F\n' >macro.S
for cc in gcc clang; do
    for source in joined.c escaped.c plain.s macro.S; do
        printf first >blob.txt
        miss_hit "$cc" -c $source -o o.o
        printf other >blob.txt
        miss "$cc" -c $source -o o.o
        printf first >blob.txt
        hit "$cc" -c $source -o o.o
        mv blob.txt away
        same "$cc" -c $source -o o.o
        mv away blob.txt
    done
done
