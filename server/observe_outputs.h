/* observe_outputs: the second half of observe.c: what a compile left behind, and what that says about who may
 * share it. */
#ifndef CCWRAP_SERVER_OBSERVE_OUTPUTS_H
#define CCWRAP_SERVER_OBSERVE_OUTPUTS_H

#include "server/observe.h"
#include "server/path_table.h"

/* Opens the output files, gives them their roles, and adds the conditions that follow from them: names and
 * directory where they show. */
void observe_outputs(struct observation *observation, const struct path_table *paths);

/* An input file: outputs must not be one of them under another name, and two of equal content must stay as
 * alike as they are. */
void observe_outputs_note_input(struct observation *observation, const char *path,
                                const struct file_facts *facts, bool program);

/* The conditions under which messages are the same: terminals, and whether streams that must stay apart are.
 */
void observe_add_message_facts(struct observation *observation);

/* directory_digest without the names in `own` (NULL-terminated). */
int observe_list(int directory, const char *path, const char *const *own, struct digest *digest);

#endif
