# Comments and what looks like one, where a compiler counts them.
. "$(dirname "$0")/lib.sh"

edit() { printf '%b' "$2" >"$1"; sleep 0.05; }
both() { # file, text, other text, command…
    local file=$1 one=$2 two=$3
    shift 3
    edit "$file" "$one"; same "$@"
    edit "$file" "$two"; same "$@"
}

if command -v clang >/dev/null; then # places of inline assembly
    printf '#include "h.h"\nint g(int x) { return inb(x); }\n' >a.c
    for words in -flto "-flto=thin" "-emit-llvm"; do
        both h.h '// a\n#include <sys/io.h>\n' '// abcdef\n#include <sys/io.h>\n' clang $words -c a.c -o a.o
    done
fi
printf '#include "h.h"\nint g(int x) { return k(x); }\n' >a.c
text='static int k(int x) {\n  if (x)\n    x = 1;\n    /*\n    %s old\n    */\n    x = 2;\n  return x;\n}\n'
both h.h "${text//%s/#if}" "${text//%s/xif}" gcc -Wall -c a.c -o a.o
both h.h '#line 5 /* x\n */\nstatic int k(int x) { return __LINE__ + x; }\n' '#line 5\n\nstatic int k(int x) { return __LINE__ + x; }\n' \
    gcc -c a.c -o a.o
printf '#include "r.h"\nconst char *g() { return k; }\n' >a.cc
both r.h 'static const char *k = R\\\n"( " // abc\n)";\n' 'static const char *k = R\\\n"( " // xyz\n)";\n' g++ -c a.cc -o a.o
