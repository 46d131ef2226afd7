# A path below the working directory that a variable or a text names leads to the same place from a copy of the tree, too.
. "$(dirname "$0")/lib.sh"

tick() { sleep 0.05; }
two_trees() { # what a.c includes: another header there and here, found by the path of the first
    rm -rf a b
    mkdir -p a/inc a/bin
    echo 'static const int v = 1;' >a/inc/x.h
    printf '#include %s\nint f(void) { return v; }\n' "$1" >a/a.c
    cp -r a b
    tick
}
there() { (cd b && same "$@") || exit 1; }

two_trees '<x.h>'
export CPATH=$WORK/a/inc
(cd a && same gcc -MD -c a.c -o a.o) || exit 1
there gcc -MD -c a.c -o a.o
echo 'static const int v = 2;' >a/inc/x.h; tick
there gcc -c a.c -o a.o
unset CPATH

for words in "gcc" "gcc -g -ffile-prefix-map=PWD=." "clang -MD"; do
    two_trees "\"$WORK/a/inc/x.h\""
    (cd a && same ${words//PWD/$WORK\/a} -c a.c -o a.o) || exit 1
    echo 'static const int v = 3;' >a/inc/x.h; tick
    there ${words//PWD/$WORK\/b} -c a.c -o a.o
done

two_trees '"inc/x.h"'
cp "$(command -v as)" a/bin/as
cp "$(command -v as)" b/bin/as; tick
(cd a && same COMPILER_PATH="$WORK/a/bin" gcc -c a.c -o a.o) || exit 1
printf '#!/bin/sh\nexec as --defsym QQ=1 "$@"\n' >a/bin/as; tick
there COMPILER_PATH="$WORK/a/bin" gcc -c a.c -o a.o

# what a word of the command names is another's in another tree, and shared
only_ccwrap
two_trees '<x.h>'
(cd a && "$CW" gcc -I"$WORK/a/inc" -c "$WORK/a/a.c" -o a.o)
before=$(hits)
(cd b && "$CW" gcc -I"$WORK/b/inc" -c "$WORK/b/a.c" -o a.o)
[ "$(hits)" = $((before + 1)) ] || fail "no hit in another tree"

# clang tells a lambda's type by where it stands
if command -v clang++ >/dev/null; then
    rm -rf a bbbb
    mkdir -p a/inc
    printf 'template<class F> constexpr unsigned n(F) { return sizeof(__PRETTY_FUNCTION__); }\nauto l = []{};\n' >a/inc/l.h
    printf '#include "l.h"\nunsigned k() { return n(l); }\n' >a/a.cc
    cp -r a bbbb; tick
    (cd a && same clang++ -O1 -I"$PWD/inc" -c a.cc -o a.o) || exit 1
    (cd bbbb && same clang++ -O1 -I"$PWD/inc" -c a.cc -o a.o) || exit 1
fi
