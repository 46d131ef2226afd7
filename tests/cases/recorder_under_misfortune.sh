# Compilers that read an input in ways that an observer may lose: after closing all descriptors, in a thread, in a
# child of vfork, in one that is killed or ends by _exit, below `env -i`, as the last of ten thousand, with another
# preloaded library, or with so much else that the log is full. An edit of that input is always seen.
. "$(dirname "$0")/lib.sh"

only_ccwrap
cat >"$TOP/odd.c" <<'S'
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char text[64];

static void *read_input(void *unused)
{
    int fd = open("extra", O_RDONLY);
    ssize_t size = read(fd, text, sizeof text - 1);

    text[size > 0 ? strspn(text, "0123456789") : 0] = 0;
    close(fd);
    return unused;
}
static void in_thread(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, read_input, NULL);
    pthread_join(thread, NULL);
}
static void in_child(int end, int by_vfork)
{
    int ends[2], fd, status;
    if (pipe(ends) != 0)
        exit(9);
    pid_t pid = by_vfork ? vfork() : fork();
    if (pid == 0 && by_vfork) {
        dup2(ends[1], 1);
        execlp("cat", "cat", "extra", (char *)0);
        _exit(9);
    }
    if (pid == 0) {
        read_input(NULL);
        if (write(ends[1], text, strlen(text)) < 0)
            _exit(9);
        if (end)
            raise(end);
        _exit(0);
    }
    close(ends[1]);
    waitpid(pid, &status, 0);
    fd = ends[0];
    ssize_t size = read(fd, text, sizeof text - 1);
    text[size > 0 ? strspn(text, "0123456789") : 0] = 0;
    close(fd);
}
static void look_at(const char *form, int count)
{
    char name[64];
    struct stat status;
    for (int i = 0; i < count; i++) {
        snprintf(name, sizeof name, form, i);
        stat(name, &status);
    }
}
int main(int argc, char **argv)
{
    const char *how = strrchr(argv[0], '-');
    char define[128];
    how = how ? how + 1 : "plain";
    if (strcmp(how, "closefrom") == 0)
        closefrom(3);
    if (strcmp(how, "full") == 0)
        look_at("absent/folder/with/a/rather/long/name/%d", 300000);
    if (strcmp(how, "many") == 0)
        look_at(MANY "/%d", 10000);
    if (strcmp(how, "thread") == 0)
        in_thread();
    else if (strcmp(how, "vfork") == 0)
        in_child(0, 1);
    else if (strcmp(how, "killed") == 0)
        in_child(SIGKILL, 0);
    else if (strcmp(how, "exit") == 0)
        in_child(0, 0);
    else
        read_input(NULL);
    snprintf(define, sizeof define, "-DEXTRA=%s", text);
    char **words = calloc((size_t)argc + 2, sizeof *words);
    words[0] = "gcc";
    words[1] = define;
    memcpy(words + 2, argv + 1, (size_t)argc * sizeof *words);
    execvp("gcc", words);
    return 9;
}
S
mkdir bin "$TOP/many"
gcc -D_GNU_SOURCE -DMANY="\"$TOP/many\"" -O1 -pthread "$TOP/odd.c" -o bin/cc-plain || skip "gcc can't build it"
printf '#!/bin/sh\nexec env -i PATH="$PATH" bin/cc-plain "$@"\n' >bin/cc-envi
printf 'extern int f(void); int f(void) { return EXTRA; }\n' >f.c
chmod +x bin/cc-envi
(cd "$TOP/many" && seq 0 9999 | xargs touch)

# A right result, whatever is stored; then another input, and the first again.
edits_are_seen() {
    local value
    for value in 1 1 2 1; do
        echo $value >extra
        sleep 0.02
        same "$@" -c f.c -o f.o
    done
}
for how in plain closefrom thread vfork killed exit envi; do
    [ -e bin/cc-$how ] || ln bin/cc-plain bin/cc-$how
    edits_are_seen bin/cc-$how
done
ln bin/cc-plain bin/cc-many && ln bin/cc-plain bin/cc-full
for how in many full; do
    echo 4 >extra
    same bin/cc-$how -c f.c -o f.o
    echo 5 >extra
    same bin/cc-$how -c f.c -o f.o
done
"$CW" --print-stats | grep -q '^incomplete_observation.[1-9]' || fail "a log that is full was taken for whole"

# The user's own preloaded library is kept, and is an input.
library() { echo "#include <unistd.h>
__attribute__((constructor)) static void say(void) { if (write(2, \"$1\\n\", 3) < 0) _exit(1); }" | gcc -fPIC -shared -x c - -o say.so; }
for said in v1 v1 v2; do
    library $said
    sleep 0.02
    same LD_PRELOAD="$WORK/say.so" gcc -DEXTRA=1 -c f.c -o f.o
done
if command -v fakeroot >/dev/null; then
    gcc -DEXTRA=7 -c f.c -o "$TOP/want.o"
    for _ in 1 2; do
        fakeroot "$CW" gcc -DEXTRA=7 -c f.c -o f.o || fail "below fakeroot: status $?"
        equal f.o "$TOP/want.o" "below fakeroot"
        rm -f f.o
    done
fi
exit 0
