#include "server/compilers/prefix_map.h"

#include <string.h>

/* Where compilers' own headers lie. A map of these changes paths that no word of the command names. */
static const char *const system_folders[] = {"/usr/include", "/usr/lib", "/usr/local/include", "/lib",
                                             "/opt"};

int prefix_map_read(struct prefix_map *map, const char *value, const char *directory)
{
    const char *equals = strchr(value, '=');
    size_t length;

    if (!equals || strchr(equals + 1, '=') || value[0] != '/')
        return -1;
    length = (size_t)(equals - value);
    /* Compilers compare bytes, not folders: "/a/x/" is no prefix of "/a/x", "/a/x" is one of "/a/xy". */
    if (strncmp(directory, value, length) || (directory[length] && directory[length] != '/'))
        return -1;
    for (size_t i = 0; i < sizeof(system_folders) / sizeof(system_folders[0]); i++) {
        if (!strncmp(system_folders[i], value, length))
            return -1;
    }
    map->value = value;
    map->old_length = length;
    map->remainder = directory + length;
    return 0;
}

char *prefix_map_effect(const struct prefix_map *map, const char *option, size_t option_length,
                        struct arena *arena)
{
    return arena_printf(arena, "%.*s<directory-%s>%s", (int)option_length, option, map->remainder,
                        map->value + map->old_length);
}
