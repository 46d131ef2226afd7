/* writer: the one thread that writes the store, and what waits for it.
 *
 * Results are committed in groups; use times and counters go with them. Between groups it moves the -wal into
 * the database and trims, in slices, so that nobody waits long. A database that twice shows damage is
 * set aside, one that was removed or replaced is left; a new one is begun, and the generation counts up:
 * readers then open anew. */
#ifndef CCWRAP_CACHE_WRITER_H
#define CCWRAP_CACHE_WRITER_H

#include <stdatomic.h>
#include <stdint.h>

#include "cache/cache.h"
#include "cache/set_cache.h"
#include "cache/store.h"

struct writer;

/* Opens the store and starts the thread. `sets` outlives the writer. */
struct writer *writer_new(const struct cache_options *options, struct set_cache *sets);
/* Writes all that waits, ends the thread and closes the store. */
void writer_free(struct writer *writer);

/* ---- any thread ---- */

const char *writer_path(const struct writer *writer);
enum store_mode writer_mode(struct writer *writer);
uint32_t writer_generation(struct writer *writer);
/* Counts up when another server has changed the store: seen with the next group, at the latest some seconds
 * after the next hit. */
uint32_t writer_foreign_changes(struct writer *writer);

/* Queues a result that has this ticket in the set cache. As cache_store. */
int writer_store(struct writer *writer, const struct digest *key, struct input_set *set, const void *bytes,
                 size_t size, struct packed *packed);
/* The entry is damaged. */
void writer_remove(struct writer *writer, const struct digest *key, int64_t id);
void writer_use(struct writer *writer, int64_t id);
void writer_add_counter(struct writer *writer, const char *name, int64_t amount);
/* A reader of that generation found the database damaged. */
void writer_damaged(struct writer *writer, uint32_t generation);

/* Runs `call` on the writer's thread, after all that was queued before, and waits for it. `store` is NULL if
 * there is none that can be written. */
typedef int writer_function(struct writer *writer, struct store *store, void *data);
int writer_call(struct writer *writer, writer_function *call, void *data);

/* ---- for functions that run on the writer's thread ---- */

/* Removes entries used before then (microseconds), oldest first, until the store holds at most `bytes`. */
int writer_trim_to(struct writer *writer, int64_t used_before, uint64_t bytes);
/* Gives all free pages back. */
void writer_compact(struct writer *writer);
/* Calls `each` with counters that have not been written. */
void writer_queued_counters(struct writer *writer, void (*each)(void *data, const char *name, int64_t value),
                            void *data);
void writer_drop_counters(struct writer *writer);
/* Empties the set cache and makes readers open anew. */
void writer_new_generation(struct writer *writer);

#endif
