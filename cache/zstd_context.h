/* zstd_context: zstd's contexts, which are too dear to make anew for each small piece.
 *
 * Each thread keeps one of each kind and frees them when it ends. Taken ones belong to the taker; given back
 * from another thread, they are kept there. NULL if memory is short. */
#ifndef CCWRAP_CACHE_ZSTD_CONTEXT_H
#define CCWRAP_CACHE_ZSTD_CONTEXT_H

#include <zstd.h>

ZSTD_CCtx *zstd_take_compressor(void);
void zstd_give_compressor(ZSTD_CCtx *context);
ZSTD_DCtx *zstd_take_decompressor(void);
void zstd_give_decompressor(ZSTD_DCtx *context);

#endif
