# __FILE__, __BASE_FILE__, __COUNTER__: as this spelling of the path gives.
. "$(dirname "$0")/lib.sh"

mkdir a b
for folder in a b; do printf 'const char *f = __FILE__, *b = __BASE_FILE__;\nint l = __INCLUDE_LEVEL__, c = __COUNTER__;\n' >$folder/x.c; done
for cc in gcc clang; do
    for round in 1 2; do
        for source in a/x.c b/x.c ./a/x.c "$WORK/a/x.c" a/../a/x.c; do same $cc -c $source -o x.o; done
        cd a; same $cc -c x.c -o ../x.o; cd ..
        same $cc "-ffile-prefix-map=$WORK=/src" -c "$WORK/a/x.c" -o x.o
        same $cc "-fmacro-prefix-map=$WORK=/other" -c "$WORK/a/x.c" -o x.o
    done
done
hit gcc -c a/x.c -o x.o
