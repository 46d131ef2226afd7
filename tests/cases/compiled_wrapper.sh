# A compiler of the user's own that is a program, not a script: what it reads counts, and so do the messages that
# libc translates for it. One that asks the clock is not cached.
. "$(dirname "$0")/lib.sh"

cat >wrapper.c <<'END'
#include <libintl.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    char word[100] = "-DVALUE=0", **words = calloc((size_t)argc + 2, sizeof *words);
    FILE *file = fopen("value", "r");

#ifdef CLOCK
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    sprintf(word, "-DVALUE=%ld", (long)now.tv_sec / 100000);
#endif
    if (file && fgets(word, sizeof word, file))
        word[strcspn(word, "\n")] = '\0';
#ifdef MESSAGES
    setlocale(LC_ALL, "");
    bindtextdomain("wrapper", "catalogs");
    fprintf(stderr, "%s\n", dgettext("wrapper", "hello"));
#endif
    words[0] = "gcc";
    words[1] = word;
    for (int i = 1; i < argc; i++)
        words[i + 1] = argv[i];
    execvp(words[0], words);
    return 127;
}
END
gcc -O1 -w -o mycc wrapper.c && gcc -O1 -w -DCLOCK -o clockcc wrapper.c && gcc -O1 -w -DMESSAGES -o talkcc wrapper.c ||
    fail "the wrappers don't compile"
echo 'int x = VALUE;' >a.c
sleep 0.1

miss_hit ./mycc -c a.c
echo -DVALUE=5 >value
sleep 0.1
miss_hit ./mycc -c a.c
echo -DVALUE=6 >value
sleep 0.1
miss_hit ./mycc -c a.c
echo -DVALUE=5 >value
sleep 0.1
hit ./mycc -c a.c

rm value
before=$(hits)
twice ./clockcc -c a.c
for script in '/bin/bash|printf -v now "%(%s)T" -1; exec gcc -DVALUE=${now%?????} "$@"' \
    '/usr/bin/perl|exec "gcc", "-DVALUE=" . int(time / 100000), @ARGV' \
    "$(command -v python3)|import os, sys, time; os.execvp('gcc', ['gcc', '-DVALUE=%d' % (time.time() / 100000)] + sys.argv[1:])"; do
    [ -x "${script%%|*}" ] || continue
    printf '#!%s\n%s\n' "${script%%|*}" "${script#*|}" >scriptcc
    chmod +x scriptcc
    sleep 0.1
    twice ./scriptcc -c a.c
done
[ "$KIND" = plain ] || [ "$(hits)" = "$before" ] || fail "the clock's answer was served from the cache"
for script in '/bin/bash|exec gcc -DVALUE=1 "$@"' '/usr/bin/perl|exec "gcc", "-DVALUE=2", @ARGV' \
    "/usr/bin/python3|import os, sys; os.execvp('gcc', ['gcc', '-DVALUE=3'] + sys.argv[1:])"; do
    [ -x "${script%%|*}" ] || continue
    printf '#!%s\n%s\n' "${script%%|*}" "${script#*|}" >scriptcc
    sleep 0.1
    miss_hit ./scriptcc -c a.c
done

# a catalogue that appears, and one that says something else
catalog() { # a .mo file with one message: the GNU gettext manual, "The Format of GNU MO Files"
    mkdir -p "$(dirname "$1")"
    python3 - "$1" "$2" <<'END'
import struct, sys
key, text = b"hello", sys.argv[2].encode()
table = struct.pack("<7I", 0x950412de, 0, 1, 28, 36, 0, 44) + struct.pack("<4I", len(key), 44, len(text), 44 + len(key) + 1)
open(sys.argv[1], "wb").write(table + key + b"\0" + text + b"\0")
END
}
needs python3
miss_hit LC_ALL=C.UTF-8 ./talkcc -c a.c
catalog catalogs/C/LC_MESSAGES/wrapper.mo moin
sleep 0.1
miss_hit LC_ALL=C.UTF-8 ./talkcc -c a.c
catalog catalogs/C.utf8/LC_MESSAGES/wrapper.mo ahoi
sleep 0.1
miss_hit LC_ALL=C.UTF-8 ./talkcc -c a.c
rm -r catalogs
hit LC_ALL=C.UTF-8 ./talkcc -c a.c

# a wrapper with a compiler's name is no compiler
mkdir bin
sed 's/fopen("value", "r")/NULL/; s/words\[1\] = word;/struct stat s; stat("value", \&s); sprintf(word, "-DVALUE=%d", (int)s.st_size); words[1] = word;/; s/<stdio.h>/<stdio.h>\n#include <sys\/stat.h>/; s/"gcc"/"\/usr\/bin\/gcc"/' wrapper.c >named.c
for name in gcc cc clang; do
    gcc -O1 -w -o bin/$name named.c || fail "the wrapper doesn't compile"
    echo 1 >value
    sleep 0.1
    miss_hit bin/$name -c a.c
    echo 22 >value
    sleep 0.1
    miss_hit bin/$name -c a.c
done

# one that hides what it starts: nothing is stored as its result
cat >hidden.c <<'END'
#include <sys/syscall.h>
#include <unistd.h>
extern char **environ;
int main(int argc, char **argv)
{
    argv[0] = "/usr/bin/gcc";
    return (int)syscall(SYS_execve, argv[0], argv, environ);
}
END
echo 'int y;' >y.c
gcc -w -o bin/hidden hidden.c && gcc -w -o bin/g++ hidden.c || fail "the wrapper doesn't compile"
for name in hidden g++; do twice bin/$name -c y.c; done
