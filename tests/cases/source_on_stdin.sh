# Sources on standard input and output to standard output are the compiler's own.
. "$(dirname "$0")/lib.sh"

mkdir d
for cc in gcc clang; do
    for round in 1 2; do
        for n in 1 2; do
            echo "int v = $n;" | "$CW" $cc -x c - -c -o got.o || fail "$cc -"
            echo "int v = $n;" | $cc -x c - -c -o want.o
            equal got.o want.o "$cc -x c - ($n)"
            echo "int v = $n;" | "$CW" $cc -x c /dev/stdin -S -o - >got.s || fail "$cc /dev/stdin"
            echo "int v = $n;" | $cc -x c /dev/stdin -S -o - >want.s
            equal got.s want.s "$cc /dev/stdin ($n)"
        done
    done
    echo 'int x;' >a.c
    rm -f got* want*
    twice $cc -S a.c -o -
    twice $cc -c a.c -o /dev/stdout
done
