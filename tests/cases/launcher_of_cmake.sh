# CMAKE_C_COMPILER_LAUNCHER with both generators: a warm build is all hits.
. "$(dirname "$0")/lib.sh"

needs cmake
mkdir src
cat >src/CMakeLists.txt <<'S'
cmake_minimum_required(VERSION 3.16)
project(p C CXX)
include_directories(inc)
add_library(l STATIC a.c b.cc)
add_executable(p m.c)
target_link_libraries(p l)
S
mkdir src/inc; echo '#define H 1' >src/inc/h.h
printf '#include "h.h"\n#include <stdio.h>\nint a(void) { return H; }\n' >src/a.c
printf '#include "h.h"\n#include <vector>\nint b() { std::vector<int> v(H); return v.size(); }\n' >src/b.cc
printf 'int a(void);\nint main(void) { return a() - 1; }\n' >src/m.c
for generator in "Unix Makefiles" Ninja; do
    for round in cold warm; do
        rm -rf build
        cmake -S src -B build -G "$generator" -DCMAKE_C_COMPILER_LAUNCHER="$CW" -DCMAKE_CXX_COMPILER_LAUNCHER="$CW" >log 2>&1 || fail "$generator, $round: configure: $(tail -n 1 log)"
        before=$(counters)
        cmake --build build >log 2>&1 || fail "$generator, $round: build: $(tail -n 1 log)"
        build/p || fail "the program is wrong"
    done
    counted 3 0 "$generator: the warm build" "$before"
done
