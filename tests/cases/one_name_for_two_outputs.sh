# A depfile with the name of the object, however spelled: nothing of it may serve another name, nor the other way round.
. "$(dirname "$0")/lib.sh"

echo 'int r;' >a.c
mkdir sub
ln -s . here
for cc in gcc clang; do
    for name in a.o ./a.o here/a.o "$PWD/a.o" sub/../a.o; do
        same $cc -MD -MF "$name" -c a.c -o a.o
        same $cc -MD -MF b.d -c a.c -o a.o
        same $cc -MD -MF "$name" -c a.c -o a.o
    done
    same $cc -MD -MF b.d -c a.c -o b.d
    twice $cc -MD -MF sub/a.o -c a.c -o a.o
done
same clang -MD --serialize-diagnostics a.d -c a.c -o a.o
same clang -MD --serialize-diagnostics a.o -c a.c -o a.o
same gcc -MD -fstack-usage -MF a.su -c a.c -o a.o
