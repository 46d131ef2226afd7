#include "cache/zstd_context.h"

#include <pthread.h>
#include <stddef.h>

static pthread_key_t compressors, decompressors;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void free_compressor(void *context)
{
    ZSTD_freeCCtx(context);
}

static void free_decompressor(void *context)
{
    ZSTD_freeDCtx(context);
}

static void make_keys(void)
{
    pthread_key_create(&compressors, free_compressor);
    pthread_key_create(&decompressors, free_decompressor);
}

static void *take(const pthread_key_t *key)
{
    pthread_once(&once, make_keys);
    void *context = pthread_getspecific(*key);
    if (context)
        pthread_setspecific(*key, NULL);
    return context;
}

ZSTD_CCtx *zstd_take_compressor(void)
{
    ZSTD_CCtx *context = take(&compressors);
    if (!context)
        return ZSTD_createCCtx();
    ZSTD_CCtx_reset(context, ZSTD_reset_session_and_parameters);
    return context;
}

void zstd_give_compressor(ZSTD_CCtx *context)
{
    if (pthread_getspecific(compressors) || pthread_setspecific(compressors, context) != 0)
        ZSTD_freeCCtx(context);
}

ZSTD_DCtx *zstd_take_decompressor(void)
{
    ZSTD_DCtx *context = take(&decompressors);
    if (!context)
        return ZSTD_createDCtx();
    ZSTD_DCtx_reset(context, ZSTD_reset_session_and_parameters);
    return context;
}

void zstd_give_decompressor(ZSTD_DCtx *context)
{
    if (pthread_getspecific(decompressors) || pthread_setspecific(decompressors, context) != 0)
        ZSTD_freeDCtx(context);
}
