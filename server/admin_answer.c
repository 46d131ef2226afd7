/* The server's side of the words that aren't compiles. */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "common/buf.h"
#include "common/places.h"
#include "server/admin.h"
#include "server/loop.h"
#include "server/stats.h"

static void stop_server(void *data)
{
    server_stop(data);
}

/* ---- signs of life ---- */

/* However long an answer takes: a client that hears nothing knows that the server hangs. */
struct heart {
    int fd;
    bool beats, done;
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t cond;
};

static bool send_alive(int fd)
{
    static const char frame[WIRE_HEADER] = {1, 0, 0, 0, WIRE_ALIVE};

    return send(fd, frame, sizeof frame, MSG_NOSIGNAL | MSG_DONTWAIT) > 0 || errno == EAGAIN;
}

static void *beat(void *data)
{
    struct heart *heart = data;
    struct timespec next;

    pthread_mutex_lock(&heart->mutex);
    clock_gettime(CLOCK_MONOTONIC, &next);
    while (!heart->done) {
        next.tv_nsec += (long)WIRE_HEARTBEAT * 1000000;
        next.tv_sec += next.tv_nsec / 1000000000;
        next.tv_nsec %= 1000000000;
        if (pthread_cond_timedwait(&heart->cond, &heart->mutex, &next) == ETIMEDOUT && !heart->done)
            send_alive(heart->fd);
    }
    pthread_mutex_unlock(&heart->mutex);
    return NULL;
}

static void start_heart(struct heart *heart, int fd)
{
    pthread_condattr_t attributes;

    *heart = (struct heart){.fd = fd};
    pthread_mutex_init(&heart->mutex, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&heart->cond, &attributes);
    pthread_condattr_destroy(&attributes);
    heart->beats = pthread_create(&heart->thread, NULL, beat, heart) == 0;
}

static void stop_heart(struct heart *heart)
{
    pthread_mutex_lock(&heart->mutex);
    heart->done = true;
    pthread_cond_signal(&heart->cond);
    pthread_mutex_unlock(&heart->mutex);
    if (heart->beats)
        pthread_join(heart->thread, NULL);
    pthread_cond_destroy(&heart->cond);
    pthread_mutex_destroy(&heart->mutex);
}

/* Until this process ends. */
static void *beat_to_the_end(void *data)
{
    int fd = (int)(intptr_t)data;

    while (send_alive(fd))
        usleep(WIRE_HEARTBEAT * 1000);
    close(fd);
    return NULL;
}

/* fd stays open: its end says that the server is gone. */
static void stop(struct server *server, int fd)
{
    pthread_t thread;

    if (pthread_create(&thread, NULL, beat_to_the_end, (void *)(intptr_t)fd) == 0)
        pthread_detach(thread);
    loop_call(stop_server, server);
}

/* ---- answers ---- */

static void collect_stats(struct server *server, struct stats *stats)
{
    memset(stats, 0, sizeof *stats);
    stats_flush();
    cache_counters(server->cache, stats_take, stats);
    cache_sizes(server->cache, &stats->sizes);
}

void admin_print_stats(const struct stats *stats, const char *form, const char *dir, struct buf *out)
{
    if (strcmp(form, "json") == 0)
        stats_print_json(stats, dir, out);
    else if (strcmp(form, "lines") == 0)
        stats_print_lines(stats, out);
    else
        stats_print_table(stats, dir, out);
}

static int zero(struct cache *cache)
{
    stats_flush();
    int error = cache_zero_counters(cache);
    if (error)
        return error;
    cache_add_counter(cache, "stats_zeroed_timestamp", (int64_t)time(NULL));
    cache_flush(cache);
    return 0;
}

int admin_work(struct cache *cache, const char *word, const char *value)
{
    if (strcmp(word, "zero") == 0)
        return zero(cache);
    if (strcmp(word, "clear") == 0)
        return cache_clear(cache);
    if (strcmp(word, "trim") == 0)
        return cache_trim(cache);
    if (strcmp(word, "evict") == 0)
        return cache_evict_older(cache, strtoll(value, NULL, 10));
    return -EINVAL;
}

/* "in force" settings, one KEY=VALUE a line. */
static void add_settings_in_force(const struct server *server, struct buf *out)
{
    const struct settings *settings = &server->settings;

    buf_addf(out, "build=%s\n", places_build_id());
    buf_addf(out, "dir=%s\nmaxsize=%llu\nidle_timeout=%llu\njobs=%llu\nlevel=%llu\nlog=%s\nmax_result=%llu\n",
             settings->dir ? settings->dir : "", (unsigned long long)settings->maxsize,
             (unsigned long long)settings->idle_timeout, (unsigned long long)settings->jobs,
             (unsigned long long)settings->level, settings->log, (unsigned long long)settings->max_result);
}

void admin_send(int fd, const struct buf *bytes)
{
    for (size_t sent = 0; sent < bytes->length;) {
        ssize_t got = send(fd, bytes->data + sent, bytes->length - sent, MSG_NOSIGNAL);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return;
        sent += (size_t)got;
    }
}

static bool changes_store(const char *word)
{
    return strcmp(word, "stats") != 0 && strcmp(word, "settings") != 0 && strcmp(word, "warnings") != 0;
}

static int change(struct server *server, const char *word, const char *value, struct buf *text)
{
    int error = admin_work(server->cache, word, value);

    if (error)
        buf_addf(text, "%s: %s\n", word,
                 error == -EROFS ? "the server has no store that it can write (see --stats)"
                                 : strerror(-error));
    return error;
}

/* `dir` is the store that the client's settings name. 0 or not. */
static int answer(struct server *server, const char *word, const char *value, const char *dir,
                  struct buf *text)
{
    const char *own = server->settings.dir ? server->settings.dir : "";
    bool other = strcmp(dir, own) != 0;
    struct stats stats;

    if (other && changes_store(word)) {
        buf_addf(text, "nothing done: dir is %s, but the running server has %s\n", *dir ? dir : "not set",
                 *own ? own : "none");
        return -EXDEV;
    }
    if (changes_store(word))
        return change(server, word, value, text);
    if (strcmp(word, "settings") == 0)
        add_settings_in_force(server, text);
    if (strcmp(word, "stats") == 0) {
        collect_stats(server, &stats);
        admin_print_stats(&stats, value, server->settings.dir, text);
    }
    if (strcmp(value, "table") == 0) {
        server_warnings(server, text);
        if (other)
            buf_addf(text, "warning: that is the running server's store; dir is %s\n",
                     *dir ? dir : "not set");
    }
    return 0;
}

void admin_answer(struct server *server, int fd, const void *payload, size_t size)
{
    struct reader reader;
    struct buf text = BUF_INIT, frames = BUF_INIT;
    struct heart heart;

    reader_init(&reader, payload, size);
    const char *word = reader_string(&reader), *value = reader_string(&reader), *dir = reader_string(&reader);
    if (strcmp(word, "stop") == 0) {
        stop(server, fd);
        return;
    }
    start_heart(&heart, fd);
    unsigned char status = answer(server, word, value, dir, &text) != 0;
    stop_heart(&heart);
    wire_add_frame(&frames, WIRE_TEXT, text.data ? text.data : "", text.length);
    wire_add_frame(&frames, WIRE_DONE, &status, 1);
    admin_send(fd, &frames);
    buf_release(&text);
    buf_release(&frames);
    close(fd);
}
