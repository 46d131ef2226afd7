/* load: the same command by several clients at once, for a while.
 *
 *     load CLIENTS SECONDS PROGRAM WORD…
 *
 * A "%" in a word becomes the client's number, so that each has files of its own. Each client runs the
 * command again and again; a run is from before the spawn to after the wait. Prints runs a second, median and
 * 99 % quantile of a run in microseconds, and the number of failures, separated by blanks. */
#include <errno.h>
#include <pthread.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

enum { CLIENTS_MAX = 256, SAMPLES_MAX = 1 << 20 };

struct client {
    pthread_t thread;
    char **argv;
};

extern char **environ;

static double samples[SAMPLES_MAX]; /* microseconds */
static atomic_int sample_count, failures;
static double end;

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

static char *numbered(const char *word, int number)
{
    const char *mark = strchr(word, '%');
    char *text = malloc(strlen(word) + 16);

    if (!text)
        exit(1);
    if (mark)
        sprintf(text, "%.*s%d%s", (int)(mark - word), word, number, mark + 1);
    else
        strcpy(text, word);
    return text;
}

static void *work(void *data)
{
    const struct client *client = data;

    for (double begun = now(); begun < end; begun = now()) {
        pid_t pid;
        int status;
        if (posix_spawn(&pid, client->argv[0], NULL, NULL, client->argv, environ) != 0 ||
            waitpid(pid, &status, 0) != pid || status != 0)
            atomic_fetch_add(&failures, 1);
        int index = atomic_fetch_add(&sample_count, 1);
        if (index < SAMPLES_MAX)
            samples[index] = now() - begun;
    }
    return NULL;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void report(double seconds)
{
    int count = sample_count < SAMPLES_MAX ? sample_count : SAMPLES_MAX;

    qsort(samples, (size_t)count, sizeof *samples, compare);
    printf("%.1f %.0f %.0f %d\n", count / seconds, count ? samples[count / 2] : 0,
           count ? samples[(int)((double)(count - 1) * 0.99)] : 0, failures);
}

int main(int argc, char **argv)
{
    static struct client clients[CLIENTS_MAX];
    int count = argc > 3 ? atoi(argv[1]) : 0;
    double seconds = argc > 3 ? atof(argv[2]) : 0;

    if (count < 1 || count > CLIENTS_MAX || seconds <= 0) {
        fprintf(stderr, "usage: load CLIENTS SECONDS PROGRAM WORD...\n");
        return 2;
    }
    double begun = now();
    end = begun + seconds * 1e6;
    for (int i = 0; i < count; i++) {
        clients[i].argv = calloc((size_t)argc, sizeof(char *));
        for (int word = 3; clients[i].argv && word < argc; word++)
            clients[i].argv[word - 3] = numbered(argv[word], i);
        if (!clients[i].argv || pthread_create(&clients[i].thread, NULL, work, &clients[i]) != 0)
            return 1;
    }
    for (int i = 0; i < count; i++)
        pthread_join(clients[i].thread, NULL);
    report((now() - begun) / 1e6);
    return failures > 0;
}
