# Profiles read by -fprofile-use: absent, appearing, changed, and a hit where nothing changed.
. "$(dirname "$0")/lib.sh"

mkdir out prof
cat >p.c <<'S'
#include <stdlib.h>
__attribute__((noinline)) int hot(int x) { return x * 3 + 1; }
__attribute__((noinline)) int cold(int x) { return x / 7; }
int main(int c, char **v)
{
    int s = c, n = atoi(v[1]), k = atoi(v[2]);
    for (int i = 0; i < n; i++)
        s += i % 100 < k ? hot(i) : cold(i);
    return s == 42;
}
S
gcc -O2 -fprofile-generate=prof -c p.c -o out/p.o && gcc -fprofile-generate=prof out/p.o -o gen || fail setup
rm -f prof/* out/p.o
use="gcc -O2 -fprofile-use=prof -Wno-missing-profile -c p.c -o out/p.o"
same $use
./gen 100000 99
same $use
rm -f prof/*
./gen 100000 1
same $use
hit $use
