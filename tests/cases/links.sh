# Linking, alone or with compiling, and several sources: as plain, no stray files.
. "$(dirname "$0")/lib.sh"

echo 'int main(void) { return f(); }' >m.c
sed -i '1i int f(void);' m.c
echo 'int f(void) { return 3; }' >f.c
for cc in gcc clang; do
    same $cc -c m.c f.c
    same $cc m.c f.c -o prog
    same $cc -shared -fPIC f.c -o libf.so
    $cc -c m.c; $cc -c f.c
    neither $cc m.o f.o -o prog
    rm -f m.o f.o
    same $cc m.c f.c
    twice $cc -g m.c f.c -o prog
done
