# A result that would be written over its own source: what the compiler says, on a cold and on a warm key.
. "$(dirname "$0")/lib.sh"

echo 'int x;' >a.c
miss gcc -c a.c -o a.o
ln -s a.c link.c
for words in "-o a.c" "-o ./a.c" "-o link.c" "-MD -MF a.c -o b.o"; do
    cp a.c keep.c
    same gcc -c a.c $words
    cp keep.c a.c
done
