# gcc searches a folder once, whatever names it has: an -I that was a link to another -I becomes a folder of its own.
. "$(dirname "$0")/lib.sh"

mkdir a z
printf '#define V 1\n#include_next <h.h>\n' >a/h.h
echo 'int z = V;' >z/h.h
echo '#include <h.h>' >x.c
for cc in gcc clang; do
    for words in "-Ia -Ib -Iz" "-isystem a -isystem b -isystem z" "-Ia -Ib -isystem z" "-iquote a -Ia -Ib -Iz"; do
        rm -rf b
        ln -s a b
        # shellcheck disable=SC2086
        fresh_result $cc $words -c x.c -o x.o
        rm b
        mkdir b
        printf '#undef V\n#define V 2\n#include_next <h.h>\n' >b/h.h
        # shellcheck disable=SC2086
        fresh_result $cc $words -c x.c -o x.o
        rm -r b
        ln -s a b
        # shellcheck disable=SC2086
        fresh_result $cc $words -c x.c -o x.o
    done
done
exit 0
