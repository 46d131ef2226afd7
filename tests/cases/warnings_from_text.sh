# Warnings that look at the source as written: comments, indentation, unused macros.
. "$(dirname "$0")/lib.sh"

cat >sw.c <<'S'
#include <stdio.h>
#define CHECK(x) do { if (x) puts("t"); } while (0)
#define SAME(a) ((a) == (a))
int run(int n){ switch(n){ case 0: puts("0"); /* fall through */ case 1: puts("1"); break; }
  if (n) puts("a"); puts("b");
  CHECK(SAME(n)); return NULL == (void*)0 && n == n; }
S
try() { for cc in gcc clang; do
    for words in "-Wimplicit-fallthrough -Werror" "-Wall -Wextra" -Wmisleading-indentation -Wunused-macros "-Wall -Werror=date-time" "-pedantic -ansi" "-Wall -trigraphs"; do
        twice $cc $words -c sw.c -o o.o
    done
done; }
try
twice gcc -Wsystem-headers -Wundef -c sw.c -o o.o
twice clang -Weverything -c sw.c -o o.o
printf 'int tri = "??=" "a"[0];\n#warning note\n' >>sw.c
try
# the comment that a warning reads goes away; all else stays
sed -i 's,/\* fall through \*/,,' sw.c
try

# Of clang: what a macro made, and where it stood; what -E alone doesn't heed by gcc.
export CCWRAP_DIRECT=0
states() { # file, text, other text, command…
    local file=$1 one=$2 two=$3
    shift 3
    printf '%b' "$one" >"$file"; sleep 0.05; same "$@" -c "$file" -o states.o
    printf '%b' "$two" >"$file"; sleep 0.05; same "$@" -c "$file" -o states.o
}
if command -v clang >/dev/null; then
    states e.c '#define LOG(x)\nint f(int x) { if (x) LOG(1);\n return x; }\n' '#define LOG(x)\nint f(int x) { if (x) ;\n return x; }\n' clang
    states e.c '#define B a\nint f(int a) { return B == a; }\n' '#define B a\nint f(int a) { return a == a; }\n' clang -Wall
    states e.c 'int f(int x) {\n if (x)\n x = 1;\n        x = 2;\n return x; }\n' \
        'int f(int x) {\n if (x)\n\tx = 1;\n        x = 2;\n return x; }\n' clang -Wall
    states e.cc 'template<class F> const char *g(F) { return __PRETTY_FUNCTION__; }\nconst char *h() { return g([]{}); }\n' \
        'template<class F> const char *g(F) { return __PRETTY_FUNCTION__; }\nconst char *h() { return   g([]{}); }\n' clang++
    touch o1.h o2.h
    states e.c '#if __has_include("o1.h")\nint x;\n#endif\n' '#if __has_include("o2.h")\nint x;\n#endif\n' clang -MD
fi
pragma='#pragma GCC diagnostic warning'
states e.c "$pragma \"-Wundef\"\n#if 0\n#endif\nint x;\n" "$pragma \"-Wundef\"\n#if FOO\n#endif\nint x;\n" gcc
begin="$pragma \"-Wmisleading-indentation\"\nint k(int x) {\n    if (x)\n        x = 1;\n"
states e.c "$begin/**/    x = 2;\n  return x;\n}\n" "$begin        x = 2;\n  return x;\n}\n" gcc
