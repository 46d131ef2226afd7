# #line to what isn't there, to a fifo, a folder, /dev/null; line markers in .i.
. "$(dirname "$0")/lib.sh"

mkfifo fifo
mkdir folder
for name in missing.c fifo folder /dev/null "sub/x.c" ""; do
    printf '#line 7 "%s"\nint f(void) { int unused; return 0; }\n' "$name" >a.c
    printf '# 3 "%s"\nint f(void) { int unused; return 0; }\n' "$name" >a.i
    for cc in gcc clang; do
        twice timeout 20 $cc -c a.c -o a.o
        twice $cc -g -c a.c -o a.o
        twice $cc -g -c a.i -o a.o
    done
done
