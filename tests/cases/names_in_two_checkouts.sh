# Two checkouts may share what says nothing of where it was made; the path shows in more ways than by its bytes.
. "$(dirname "$0")/lib.sh"

fill() {
    mkdir -p $1/inc
    printf '#define NAME __FILE__\n#define V 3\n' >$1/inc/v.h
    printf '#include "v.h"\n#include <assert.h>\nint f(int a) { assert(a > 0); return a + V; }\n' >$1/lto.c
    printf 'int f(void) { return sizeof __FILE__; }\n' >$1/size.c
    printf '#include "v.h"\nint f(void) { return sizeof NAME; }\n' >$1/header.c
    printf '#include <stddef.h>\n#define W2(x) L##x\n#define W(x) W2(x)\nconst wchar_t *f(void) { return W(__FILE__); }\n' >$1/wide.c
    printf '#define S2(x) #x\n#define S(x) S2(x)\nint f(void) { return sizeof S(ROOT); }\n' >$1/root.c
    cat >$1/hash.cc <<'C'
constexpr unsigned hash(const char *s) { unsigned h = 7; while (*s) h = h * 31 + *s++; return h; }
unsigned f() { constexpr unsigned h = hash(__FILE__); return h; }
C
    printf '#include <source_location>\nint f() { constexpr auto l = std::source_location::current(); return l.file_name()[5] + l.line(); }\n' >$1/location.cc
    echo '#define C 4' >$1/inc/c.h
    printf '#include "c.h"\nint f(int a) { return a + C; }\n' >$1/calm.c
}
fill d1 && fill checkout2
try() { # compiler, words; @D@ is the checkout
    local cc=$1 tree
    shift
    for tree in d1 checkout2; do
        cd "$WORK/$tree" || exit 1
        same $cc "${@//@D@/$PWD}" -o o.o
        cd ..
    done
}
try clang -O2 -flto=thin -I@D@/inc -c lto.c
try clang -O2 -flto -I@D@/inc -c @D@/lto.c
try clang -O2 -emit-llvm -I@D@/inc -c @D@/lto.c
try gcc -O2 -flto -frandom-seed=1 -c lto.c -I@D@/inc
try gcc -O2 -flto -frandom-seed=1 -Iinc -c calm.c
for cc in gcc clang; do
    try $cc -O1 -c @D@/size.c
    try $cc -O1 -c header.c -I@D@/inc
    try $cc -O1 -c @D@/wide.c
    try $cc -O1 -DROOT=@D@/x -c root.c
    try $cc -O1 -D ROOT=@D@/x -c root.c
    try $cc -O1 -c @D@/hash.cc -x c++ -std=c++17
    try $cc -O1 -std=c++17 -c @D@/hash.cc
done
try g++ -O1 -std=c++20 -c @D@/location.cc
[ "$KIND" != plain ] || exit 0
for cc in gcc clang; do
    cd "$WORK/d1" || exit 1
    miss $cc -O1 -I"$PWD/inc" -c "$PWD/calm.c" -o o.o
    cd "$WORK/checkout2" || exit 1
    hit $cc -O1 -I"$PWD/inc" -c "$PWD/calm.c" -o o.o
done
