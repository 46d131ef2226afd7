#include "server/loop.h"

#include <pthread.h>
#include <stddef.h>

#include "common/memory.h"

struct call {
    void (*call)(void *data);
    void *data;
    struct call *next;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct call *first, **last = &first;
static uv_async_t wake;

static void run_calls(uv_async_t *async)
{
    (void)async;
    pthread_mutex_lock(&mutex);
    struct call *calls = first;
    first = NULL;
    last = &first;
    pthread_mutex_unlock(&mutex);

    for (struct call *next; calls; calls = next) {
        next = calls->next;
        calls->call(calls->data);
        memory_free(calls);
    }
}

int loop_start(uv_loop_t *loop)
{
    return uv_async_init(loop, &wake, run_calls);
}

void loop_stop(void)
{
    uv_close((uv_handle_t *)&wake, NULL);
}

void loop_call(void (*call)(void *data), void *data)
{
    struct call *entry = memory_zalloc(sizeof *entry);

    entry->call = call;
    entry->data = data;
    pthread_mutex_lock(&mutex);
    *last = entry;
    last = &entry->next;
    pthread_mutex_unlock(&mutex);
    uv_async_send(&wake);
}
