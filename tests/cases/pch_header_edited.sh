# A precompiled header holds sizes and times of its headers: a served one must fit what lies on disk.
. "$(dirname "$0")/lib.sh"

printf '#pragma once\n/* aa */\nstruct one { int a; };\n' >one.h
echo '#include "one.h"' >all.h
printf '#include "one.h"\nstruct one o;\n' >use.c
make_and_use() {
    rm -f all.h.gch use.o
    "$CW" gcc -x c-header all.h -o all.h.gch && "$CW" gcc -include all.h -Winvalid-pch -Werror -c use.c -o use.o
}
make_and_use || fail "gcc: first"
make_and_use || fail "gcc: again"
printf '#pragma once\n/* longer comment */\nstruct one { int a; };\n' >one.h
make_and_use || fail "gcc: the header's comment changed"
touch one.h
make_and_use || fail "gcc: the header was touched"
rm -f all.h.gch
cp all.h all.hh
make_and_use_clang() {
    rm -f all.hh.pch use.o
    "$CW" clang -x c-header all.hh -o all.hh.pch && "$CW" clang -include-pch all.hh.pch -c use.c -o use.o
}
make_and_use_clang || fail "clang: first"
make_and_use_clang || fail "clang: again"
sleep 1
printf '#pragma once\n/* c */\nstruct one { int a; };\n' >one.h
make_and_use_clang || fail "clang: the header's comment changed"
sleep 1.1
touch one.h
make_and_use_clang || fail "clang: the header was touched"
# clang's holds sizes and times of headers, to the byte
rm -f all.hh.pch use.o
for date in 2020-01-01 2021-01-01 2020-01-01; do
    touch -d $date one.h
    same clang -x c-header all.hh -o all.hh.pch
done
