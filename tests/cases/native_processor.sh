# -march=native means another thing on another processor (told here by a variable).
. "$(dirname "$0")/lib.sh"

mkdir bin
cat >bin/gcc <<'S'
#!/bin/bash
words=()
for word; do
    case $word in -march=native | -mtune=native) word=${word/native/$HOST_CPU} ;; esac
    words+=("$word")
done
exec /usr/bin/gcc "${words[@]}"
S
chmod +x bin/gcc
echo 'void k(float *a, float *b) { for (int i = 0; i < 64; i++) a[i] += b[i]; }' >k.c
export PATH=$WORK/bin:$PATH
for round in 1 2; do
    for cpu in haswell nehalem; do same HOST_CPU=$cpu gcc -O3 -march=native -c k.c -o k.o; done
done
same /usr/bin/gcc -O3 -march=native -c k.c -o k.o
same clang -O3 -march=native -c k.c -o k.o
