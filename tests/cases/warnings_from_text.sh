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
