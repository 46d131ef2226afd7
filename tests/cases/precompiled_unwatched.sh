# Without the recorder the preprocessed text stands for what a compile reads: not where a precompiled header does.
. "$(dirname "$0")/lib.sh"

export CCWRAP_RECORDER=0
echo '#define ONE 1' >one.h
printf '#include "one.h"\nint f = ONE;\n' >x.c
cp x.c x.cc
for words in "-c x.c -o x.o" "-MMD -c x.c -o x.o" "-Winvalid-pch -c x.c -o x.o" "-MD -S x.c -o x.s"; do
    same gcc $words
    gcc -x c-header one.h -o one.h.gch
    same gcc $words
    same g++ -Winvalid-pch -c x.cc -o x.o
    rm one.h.gch
    same gcc $words
    # of another content, which gcc doesn't notice
    echo '#define ONE 2' >one.h
    gcc -x c-header one.h -o one.h.gch
    echo '#define ONE 1' >one.h
    same gcc $words
    rm one.h.gch
    same gcc $words
done
printf 'static inline int g(void) { return 1; }\n' >pre.h
echo 'int f(void) { return g(); }' >y.c
for kind in pch gch; do
    same clang -include pre.h -c y.c -o y.o
    printf 'static inline int g(void) { return 2; }\n' >pre.h
    clang -x c-header pre.h -o pre.h.$kind
    same clang -include pre.h -c y.c -o y.o
    rm pre.h.$kind
    printf 'static inline int g(void) { return 1; }\n' >pre.h
    same clang -include pre.h -c y.c -o y.o
done
# clang's debug information differs by the folders that there are
mkdir linked && echo '#define ONE 1' >linked/one.h
rm one.h
for i in 1 2; do
    same clang++ -I early -isystem linked -g -c "$WORK/x.cc" -o x.o
    mkdir early
    same clang++ -I early -isystem linked -g -c "$WORK/x.cc" -o x.o
    rmdir early
done
