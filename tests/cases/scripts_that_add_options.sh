# What a compiler script adds, and what it makes of its words, is its own secret: no comment is passed over for it, and
# its words count as they are given.
. "$(dirname "$0")/lib.sh"

script() { printf '#!/bin/sh\nexec %s "$@"\n' "$1" >mycc; chmod +x mycc; sleep 0.05; }
edit() { printf '%b' "$2" >"$1"; sleep 0.05; }

printf '#include "h.h"\nint f(int a) { return h(a); }\n' >a.c
for words in "clang -g" "gcc -g" "clang -fprofile-instr-generate -fcoverage-mapping" "gcc -std=c89 -pedantic"; do
    command -v "${words%% *}" >/dev/null || continue
    script "$words"
    for first in '/* one */' '/* two */' '// two' ''; do
        edit h.h "$first\nstatic int h(int a) { return a; }\n"
        same ./mycc -c a.c -o a.o
    done
done
script "gcc -g"
for space in ' ' '   '; do
    edit b.c "int f(int x) { return x +${space}1; }\n"
    same CCWRAP_DIRECT=0 ./mycc -c b.c -o b.o
done

printf '#!/bin/sh\nexec gcc -DARGS="\\"$*\\"" -DN=$# "$@"\n' >mycc
echo 'const char *s = ARGS; int n = N;' >c.c; sleep 0.05
same ./mycc -MD -MF a.d -c c.c -o c.o
same ./mycc -MD -MF b.d -c c.c -o c.o
echo '-DX -DY' >words; sleep 0.05
same ./mycc @words -c c.c -o c.o
same ./mycc -DX -DY -c c.c -o c.o
only_ccwrap
before=$(hits)
"$CW" ./mycc -DX -DY -c c.c -o c.o
[ "$(hits)" = $((before + 1)) ] || fail "no hit for the same words"
