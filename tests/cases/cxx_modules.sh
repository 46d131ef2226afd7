# C++ modules: an importer is compiled anew when the module's file or a header in it changes.
. "$(dirname "$0")/lib.sh"

echo 'import m; int use() { return val(); }' >use.cpp
module() {
    printf 'export module m;\nexport inline int val() { return %s; }\n' "$1" >m.cppm
    clang++ -std=c++20 --precompile m.cppm -o m.pcm
}
module 1 2>/dev/null || skip "clang++ without modules"
for words in -fmodule-file=m.pcm "-fmodule-file=$WORK/m.pcm" -fprebuilt-module-path=.; do
    module 1
    clang++ -std=c++20 $words -c use.cpp -o use.o 2>/dev/null || continue
    rm use.o
    twice clang++ -std=c++20 $words -c use.cpp -o use.o
    module 2
    same clang++ -std=c++20 $words -c use.cpp -o use.o
done
mkdir inc
echo 'module k { header "k.h" export * }' >inc/module.modulemap
echo 'inline int k() { return 1; }' >inc/k.h
printf '#include "k.h"\nint z() { return k(); }\n' >z.cpp
words="-fmodules -fcxx-modules -fmodules-cache-path=$TOP/modules -Iinc -std=c++17"
for value in 1 222 1; do
    echo "inline int k() { return $value; }" >inc/k.h
    rm -rf "$TOP/modules"
    clang++ $words -c z.cpp -o "$TOP/want.o" || fail plain
    rm -rf "$TOP/modules"
    for round in 1 2; do
        "$CW" clang++ $words -c z.cpp -o z.o || fail "through the cache: status $?"
        # the object names the module file by its time; what it does is compared
        objdump -d z.o | sed 1,3d >got
        objdump -d "$TOP/want.o" | sed 1,3d >want
        equal got want "header in a module: $value"
    done
    sleep 1
done
