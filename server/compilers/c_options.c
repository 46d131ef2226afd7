#include "server/compilers/c_options.h"

#include <string.h>

/* Compares a row's name with the first `length` bytes of a word, as strcmp would. */
static int compare(const char *name, const char *word, size_t length)
{
    int order = strncmp(name, word, length);
    return order ? order : name[length] != 0;
}

/* How many rows sort at or before the first `length` bytes of the word. */
static size_t rows_up_to(const struct c_option_table *table, const char *word, size_t length)
{
    size_t low = 0, high = table->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare(table->rows[middle].name, word, length) <= 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static size_t common_length(const char *a, const char *b)
{
    size_t length = 0;

    while (a[length] && a[length] == b[length])
        length++;
    return length;
}

static bool fits(const struct c_option *option, const char *word, size_t name_length)
{
    if (option->value == VALUE_GLUED || option->value == VALUE_EITHER)
        return true;
    return word[name_length] == 0;
}

/* All rows whose names begin the word sort before it. The row next before it either is the longest of these,
 * or shares with the word a beginning that they all lie within: then the search goes on for that beginning.
 */
const struct c_option *c_option_find(const struct c_option_table *table, const char *word)
{
    size_t length = strlen(word);

    while (length > 0) {
        size_t position = rows_up_to(table, word, length);
        const struct c_option *option;
        size_t common;

        if (!position)
            return NULL;
        option = &table->rows[position - 1];
        common = common_length(option->name, word);
        if (option->name[common] == 0 && common <= length) {
            if (fits(option, word, common))
                return option;
            common--;
        }
        if (common >= length)
            common = length - 1;
        length = common;
    }
    return NULL;
}

bool c_option_takes_next(const struct c_option *option, const char *word)
{
    return option->value == VALUE_SEPARATE ||
           (option->value == VALUE_EITHER && word[strlen(option->name)] == 0);
}
