# Names that make needs escaped: space, dollar, hash, parenthesis, quote, other letters.
. "$(dirname "$0")/lib.sh"

for name in 'a b' 'a$b' 'a#b' 'a(b)' "a'b" 'äö' 'a\b' 'a:b' '-lead'; do
    echo '#define H 1' >"$name.h"
    printf '#include "%s.h"\nint x = H;\n' "$name" >"$name.c"
    for cc in gcc clang; do twice "$cc" -MD -MP -o ./"$name.o" -c -- "./$name.c" 2>/dev/null; twice "$cc" -MD -MP -c "./$name.c"; done
done
