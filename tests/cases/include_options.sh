# Files behind -include, -imacros, -isystem, -iquote, -idirafter, -isysroot change.
. "$(dirname "$0")/lib.sh"

printf 'int v =\n#ifdef V\nV\n#else\n-1\n#endif\n;\n' >v.c
printf '#include "v.h"\nint v = V;\n' >q.c
mkdir -p dir
for cc in gcc clang; do
    for v in 1 2 1; do
        echo "#define V $v" >dir/v.h
        same $cc -include dir/v.h -c v.c -o v.o
        same $cc -imacros dir/v.h -c v.c -o v.o
        for option in -isystem -iquote -idirafter -I; do same $cc $option dir -c q.c -o v.o; done
        same $cc -iprefix dir/ -iwithprefixbefore . -c q.c -o v.o
    done
    hit $cc -isystem dir -c q.c -o v.o
done
