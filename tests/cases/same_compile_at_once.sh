# Eight clients ask for the same compile: all are right, and one of them is a miss.
. "$(dirname "$0")/lib.sh"

# large enough to be compiled still when the last client comes
for i in $(seq 1500); do echo "int f$i(int a, int b) { for (int i = 0; i < b; i++) a += i * $i + a / (b + $i); return a; }"; done >f.c
gcc -O2 -c f.c -o want.o
for i in 0 1 2 3 4 5 6 7; do mkdir d$i; done
seq 0 7 | xargs -P8 -I@ sh -c 'umask 00@; "$CW" gcc -O2 -c f.c -o d@/f.o || echo bad >>bad'
[ ! -e bad ] || fail "a client failed"
for i in 0 1 2 3 4 5 6 7; do
    equal d$i/f.o want.o "client $i"
    [ "$(stat -c %a d$i/f.o)" = "$(printf %o $((0666 & ~i)))" ] || fail "client $i: mode $(stat -c %a d$i/f.o)"
done
[ "$KIND" != ccwrap ] || [ "$(hits) $(misses)" = "7 1" ] || fail "$(hits) hits and $(misses) misses of 7 and 1"
