/* measure: runs commands in turn, many rounds, and prints the medians of what each costs.
 *
 *     measure ROUNDS SPEC JSON
 *
 * SPEC has a line a command, fields separated by tabs:
 *
 *     NAME  EVERY  SERVER  OUTPUT  PROGRAM  WORD…
 *
 * EVERY: it runs in each EVERY-th round. SERVER: process whose CPU time is counted too, or 0. OUTPUT is
 * removed before each run, outside of the time that is taken. Wall time is from before the spawn to after the
 * wait, as a build tool sees it; CPU of the command is its rusage with all that it waited for, CPU of the
 * server the difference of its CPU clock over the run, so work that it does after its reply counts in the
 * next run that names it. Commands alternate, so that what disturbs the machine disturbs all of them. */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { COMMANDS = 32, WORDS = 64, LINE = 16384 };

struct sample {
    double wall, client, server; /* microseconds */
};

struct command {
    char *line; /* holds all strings */
    const char *name, *output;
    int every, failures;
    pid_t server;
    char *argv[WORDS];
    struct sample *samples;
    int count;
};

extern char **environ;

static _Noreturn void die(const char *what)
{
    fprintf(stderr, "measure: %s: %s\n", what, strerror(errno));
    exit(1);
}

static double microseconds(const struct timespec *time)
{
    return (double)time->tv_sec * 1e6 + (double)time->tv_nsec / 1e3;
}

static double clock_now(clockid_t clock)
{
    struct timespec now = {0, 0};
    clock_gettime(clock, &now);
    return microseconds(&now);
}

static double server_cpu(pid_t server)
{
    clockid_t clock;
    if (server == 0 || clock_getcpuclockid(server, &clock) != 0)
        return 0;
    return clock_now(clock);
}

static void parse(struct command *command, char *line, int rounds)
{
    char *rest = command->line = strdup(line);
    command->name = strsep(&rest, "\t");
    char *every = strsep(&rest, "\t"), *server = strsep(&rest, "\t");
    command->output = strsep(&rest, "\t");
    if (!rest) {
        fprintf(stderr, "measure: too few fields: %s\n", line);
        exit(2);
    }
    command->every = atoi(every);
    command->server = atoi(server);
    int words = 0;
    while (rest && words < WORDS - 1)
        command->argv[words++] = strsep(&rest, "\t");
    command->samples = calloc((size_t)rounds, sizeof *command->samples);
    if (command->every < 1 || !command->samples)
        exit(2);
}

static int read_spec(const char *path, struct command *commands, int rounds)
{
    static char line[LINE];
    FILE *file = fopen(path, "r");
    if (!file)
        die(path);
    int count = 0;
    while (count < COMMANDS && fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = '\0';
        if (line[0])
            parse(&commands[count++], line, rounds);
    }
    fclose(file);
    return count;
}

static void run(struct command *command, const posix_spawn_file_actions_t *actions)
{
    struct rusage usage;
    int status;
    pid_t child;
    unlink(command->output);
    double server = server_cpu(command->server), begun = clock_now(CLOCK_MONOTONIC);
    int error = posix_spawn(&child, command->argv[0], actions, NULL, command->argv, environ);
    if (error) {
        errno = error;
        die(command->argv[0]);
    }
    if (wait4(child, &status, 0, &usage) != child)
        die("wait4");
    struct sample *sample = &command->samples[command->count++];
    sample->wall = clock_now(CLOCK_MONOTONIC) - begun;
    sample->server = server_cpu(command->server) - server;
    sample->client = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e6 +
                     (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
    if (status != 0 || access(command->output, R_OK) != 0)
        command->failures++;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The given quantile of one member of all samples. */
static double quantile(const struct command *command, size_t member, double q)
{
    double *values = calloc((size_t)command->count, sizeof *values);
    if (!values)
        die("memory");
    for (int i = 0; i < command->count; i++)
        memcpy(&values[i], (const char *)&command->samples[i] + member, sizeof *values);
    qsort(values, (size_t)command->count, sizeof *values, compare);
    double result = values[(int)((double)(command->count - 1) * q)];
    free(values);
    return result;
}

static double mean_server(const struct command *command)
{
    double sum = 0;
    for (int i = 0; i < command->count; i++)
        sum += command->samples[i].server;
    return sum / command->count;
}

static void report(const struct command *commands, int count, const char *json_path)
{
    FILE *json = fopen(json_path, "w");
    if (!json)
        die(json_path);
    printf("%-34s %6s %12s %12s %12s %12s %12s\n", "", "runs", "wall us", "p10 us", "p90 us", "client us",
           "server us");
    fprintf(json, "[");
    for (int i = 0; i < count; i++) {
        const struct command *c = &commands[i];
        if (c->count == 0)
            continue;
        double wall = quantile(c, offsetof(struct sample, wall), 0.5);
        double early = quantile(c, offsetof(struct sample, wall), 0.1);
        double late = quantile(c, offsetof(struct sample, wall), 0.9);
        double client = quantile(c, offsetof(struct sample, client), 0.5);
        double server = mean_server(c);
        printf("%-34s %6d %12.0f %12.0f %12.0f %12.0f %12.1f", c->name, c->count, wall, early, late, client,
               server);
        printf(c->failures ? "   %d FAILED\n" : "\n", c->failures);
        fprintf(json,
                "%s\n  {\"name\": \"%s\", \"runs\": %d, \"failures\": %d, \"wall_us\": %.1f, "
                "\"wall_p10_us\": %.1f, \"wall_p90_us\": %.1f, "
                "\"client_cpu_us\": %.1f, \"server_cpu_us\": %.1f}",
                i ? "," : "", c->name, c->count, c->failures, wall, early, late, client, server);
    }
    fprintf(json, "\n]\n");
    if (fclose(json) != 0)
        die(json_path);
}

int main(int argc, char **argv)
{
    static struct command commands[COMMANDS];
    int rounds = argc == 4 ? atoi(argv[1]) : 0;
    if (rounds < 1) {
        fprintf(stderr, "usage: measure ROUNDS SPEC JSON\n");
        return 2;
    }
    int count = read_spec(argv[2], commands, rounds);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    for (int round = 0; round < rounds; round++)
        for (int i = 0; i < count; i++)
            if (round % commands[i].every == 0)
                run(&commands[i], &actions);
    posix_spawn_file_actions_destroy(&actions);
    report(commands, count, argv[3]);
    int failures = 0;
    for (int i = 0; i < count; i++)
        failures += commands[i].failures;
    return failures > 0;
}
