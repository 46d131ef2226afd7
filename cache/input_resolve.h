/* input_resolve: on which links and folders an answer of realpath() stands.
 *
 * A compiler asks for the real path of every header. Replayed one by one, each answer costs a look at every
 * folder on its way; but together they stand on few: that these folders are no links, and that these links
 * lead where they do. As conditions of that kind they are checked once a set. One owner; lives while a set is
 * packed. */
#ifndef CCWRAP_CACHE_INPUT_RESOLVE_H
#define CCWRAP_CACHE_INPUT_RESOLVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cache/input_set.h"
#include "cache/strings.h"

struct resolving {
    struct input_set_builder *builder;
    struct strings *strings; /* the builder's */
    int directory;           /* descriptor that paths are relative to */
    uint32_t *real; /* for the path of a folder, by its number: that of its real path + 1; 0: unknown */
    size_t room;
    bool *plain;        /* by a path's number: a file that is no link; a look that was had already */
    size_t plain_count; /* of numbers */
    unsigned links;     /* followed for the present path */
};

void resolving_init(struct resolving *resolving, struct input_set_builder *builder, struct strings *strings,
                    int directory);
/* Lets it know which of the builder's files are no links, so that they aren't looked at again. */
void resolving_know_files(struct resolving *resolving);
void resolving_release(struct resolving *resolving);
/* Adds conditions to the builder from which it follows that the real path of `path` is `resolved`. False if
 * there are none: it isn't so now, or depends on where the directory itself lies. */
bool resolving_explain(struct resolving *resolving, const char *path, const char *resolved);
/* Length of the folder F in a path of the form F/../..[/rest], where the rest climbs no more; 0: another
 * form.
 */
size_t resolving_climb(const char *path);
/* Adds conditions from which it follows that `path`, of that form, is what *straight names without climbing.
 * That the folder F may be searched is for the caller to see to. False if there are none. */
bool resolving_straighten(struct resolving *resolving, const char *path, uint32_t *straight);

#endif
