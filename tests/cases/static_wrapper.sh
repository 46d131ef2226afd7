# A static program can't be watched: what it becomes must not stand for it.
. "$(dirname "$0")/lib.sh"

cat >wrapper.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    char word[60], *words[100];
    int i;

    snprintf(word, sizeof word, "-DVALUE=%s", getenv("VALUE"));
    argv[0] = "gcc";
    for (i = 0; i < argc; i++)
        words[i] = argv[i];
    words[i++] = word;
    words[i] = NULL;
    return execvp(words[0], words);
}
END
gcc -w -static -o mycc wrapper.c || skip "no static libc"
echo 'int x = VALUE;' >a.c
printf '#!%s/mycc\n' "$PWD" >scriptcc
chmod +x scriptcc
sleep 0.1
for value in 1 2 1; do
    same VALUE=$value ./mycc -c a.c
    same VALUE=$value ./mycc -O2 -g -c a.c
    same CCWRAP_DIRECT=0 VALUE=$value ./mycc -c a.c
done
[ "$KIND" != ccwrap ] || [ "$(counter unwatchable_compiler)" -gt 0 ] || fail "it was watched"
