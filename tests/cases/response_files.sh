# @file: content counts, nested and quoted; its own name does not.
. "$(dirname "$0")/lib.sh"

echo 'int x = X;' >x.c
for cc in gcc clang; do
    echo '-DX=1 -O2' >args
    twice $cc @args -c x.c -o o.o
    echo '-DX=2 -O2' >args
    twice $cc @args -c x.c -o o.o
    echo '-DX=1 -O2' >args
    same $cc @args -c x.c -o o.o
    echo '"-DX=3" -c' >inner
    echo '@inner x.c -o o.o' >outer
    twice $cc @outer
    echo "'-DX=4' -c" >inner
    twice $cc @outer
    { echo -DX=5; for i in $(seq 1 20000); do echo "-DUNUSED_$i=some_longer_value_$i"; done; } >long
    twice $cc @long -c x.c -o o.o
    same $cc @missing -c x.c -o o.o
done
