# A program that the recorder doesn't get into, though it looks as if it could, says more than can be kept: the server
# lives, and the client has all of it.
. "$(dirname "$0")/lib.sh"
needs gcc

# its "loader" is all there is of it, and preloads nothing
cat >stub.c <<'S'
#include <fcntl.h>
#include <sys/syscall.h>
static char line[65536];
static long call(long number, long a, const void *b, long c)
{
    long result;
    __asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
    return result;
}
static void say(const char *bytes, long size)
{
    for (long done; size > 0 && (done = call(SYS_write, 2, bytes, size)) > 0; bytes += done)
        size -= done;
}
void _start(void)
{
    for (int i = 0; i < 65535; i++)
        line[i] = 'y';
    line[65535] = '\n';
    for (int i = 0; i < 400; i++)
        say(line, sizeof line);
    long file = call(SYS_open, (long)"x.o", (void *)(O_CREAT | O_WRONLY | O_TRUNC), 0644);
    call(SYS_write, file, "obj", 3);
    call(SYS_exit_group, 0, 0, 0);
}
S
mkdir bin
gcc -O1 -nostdlib -shared -fPIC -o stub.so stub.c || skip "no such program can be made here"
echo 'int main(void) { return 0; }' >main.c
gcc -o bin/gcc main.c -Wl,--dynamic-linker="$WORK/stub.so" || skip "no such program can be made here"
echo 'int x;' >x.c
bin/gcc -c x.c -o x.o 2>want || skip "it doesn't run"
"$CW" gcc -c main.c -o main.o || fail "the first compile"
before=$(servers)
for i in 1 2; do
    rm -f x.o
    "$CW" bin/gcc -c x.c -o x.o 2>got || fail "status $?"
    cmp -s want got || fail "it got $(wc -c <got) of $(wc -c <want) bytes of messages"
    [ "$(cat x.o)" = obj ] || fail "the object"
done
[ "$(servers)" = "$before" ] || fail "the server didn't live"
exit 0
