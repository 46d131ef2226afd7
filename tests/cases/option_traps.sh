# Options whose value may be taken for something else, and the other way round.
. "$(dirname "$0")/lib.sh"

mkdir inc lib
echo '#define Y 4' >inc/y.h
echo 'int x = 1;' >x.c
for cc in gcc clang; do
    while read -r words; do twice $cc $words; done <<'S'
-c x.c -o o.o -B
-c x.c -o o.o -L
-B lib -DFOO -c x.c -o o.o
-L lib -DFOO -c x.c -o o.o
-D X=1 -I inc -c x.c -o o.o
-include inc/y.h -c x.c -o o.o
-includeinc/y.h -c x.c -o o.o
-imacros inc/y.h -c x.c -o o.o
-isystem inc -iquote inc -idirafter inc -c x.c -o o.o
-o first.o -c x.c -o second.o
-c -o o.o -- x.c
-Wl,-rpath,lib -c x.c -o o.o
-Xlinker -o -c x.c -o o.o
-c x.c -o o.o -lm
-c -Ilib -Iinc -I- x.c -o o.o
-c x.c -o o.o -pipe
-c x.c -oo.o -v
S
done
twice gcc --param max-inline-insns-single=5 -c x.c -o o.o
twice gcc --param=max-inline-insns-single=5 -c x.c -o o.o
twice clang -Xclang -fno-validate-pch -c x.c -o o.o
twice clang -target x86_64-linux-gnu -c x.c -o o.o
twice clang --target=i386-linux-gnu -c x.c -o o.o
