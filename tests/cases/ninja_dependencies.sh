# ninja takes the depfile away at once: a hit must give it again.
. "$(dirname "$0")/lib.sh"

needs ninja
printf '#include "lay.h"\nint size = sizeof(struct lay);\n' >m.c
echo 'struct lay { int a; };' >lay.h
for cc in gcc clang; do
    rm -rf .ninja* m.o
    cat >build.ninja <<S
rule cc
  command = $CW $cc -MD -MF \$out.d -c \$in -o \$out
  depfile = \$out.d
  deps = gcc
build m.o: cc m.c
S
    ninja >/dev/null || fail "$cc: ninja"
    rm -rf m.o .ninja*
    ninja >/dev/null || fail "$cc: ninja, warm"
    ninja -t deps m.o | grep -q lay.h || fail "$cc: no dependency recorded for a hit"
    sleep 1
    echo 'struct lay { int a[50]; };' >lay.h
    ninja >/dev/null
    $cc -c m.c -o want.o
    equal m.o want.o "$cc: edited header"
    ninja -n -d explain 2>&1 | grep -q 'no work' || fail "$cc: never settles"
    echo 'struct lay { int a; };' >lay.h
done
