#include "spawn/launch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>

#ifdef __GLIBC__
#define HAVE_CLOSEFROM 1 /* glibc 2.34 and later; musl has none */
#else
#define HAVE_CLOSEFROM 0
#endif

void launch_init(struct launch *launch, const char *program, char *const *argv, char *const *environment)
{
    memset(launch, 0, sizeof *launch);
    launch->program = program;
    launch->argv = argv;
    launch->environment = environment;
    for (int i = 0; i < 3; i++)
        launch_fd(launch, -1, i);
}

void launch_fd(struct launch *launch, int fd, int child_fd)
{
    int i = 0;

    while (i < launch->count && launch->child_fd[i] != child_fd)
        i++;
    if (i == LAUNCH_FDS)
        abort(); /* a bug of the caller: the number is fixed where it is written */
    launch->fd[i] = fd;
    launch->child_fd[i] = child_fd;
    if (i == launch->count)
        launch->count++;
}

static int highest_child_fd(const struct launch *launch)
{
    int highest = 2;

    for (int i = 0; i < launch->count; i++)
        if (launch->child_fd[i] > highest)
            highest = launch->child_fd[i];
    return highest;
}

static bool is_among(const int *numbers, int count, int number)
{
    for (int i = 0; i < count; i++)
        if (numbers[i] == number)
            return true;
    return false;
}

/* A source that lies where the child's descriptors will be could be overwritten before it is moved: in the
 * child, all such are first copied above both. What the copies overwrite there is closed anyway. */
static int add_moves(posix_spawn_file_actions_t *actions, const struct launch *launch, int highest)
{
    int source[LAUNCH_FDS], free_fd = highest + 1, error = 0;

    for (int i = 0; i < launch->count && !error; i++) {
        source[i] = launch->fd[i];
        if (source[i] < 0 || source[i] > highest)
            continue;
        while (is_among(launch->fd, launch->count, free_fd))
            free_fd++;
        source[i] = free_fd++;
        error = posix_spawn_file_actions_adddup2(actions, launch->fd[i], source[i]);
    }
    for (int i = 0; i < launch->count && !error; i++) {
        int child_fd = launch->child_fd[i];
        error = source[i] < 0 ? posix_spawn_file_actions_addopen(actions, child_fd, "/dev/null", O_RDWR, 0)
                              : posix_spawn_file_actions_adddup2(actions, source[i], child_fd);
    }
    return error;
}

#if HAVE_CLOSEFROM
static int add_close_above(posix_spawn_file_actions_t *actions, int highest)
{
    return posix_spawn_file_actions_addclosefrom_np(actions, highest + 1);
}
#else
/* Without closefrom each open descriptor is named. The copies that add_moves makes aren't open yet, but lie
 * within its bound. Right in a process of one thread only, which is what is built without glibc. */
static int add_close_above(posix_spawn_file_actions_t *actions, int highest)
{
    int copies_end = highest + 2 * LAUNCH_FDS + 1, error = 0;
    DIR *folder = opendir("/proc/self/fd");
    struct dirent *entry;

    for (int fd = highest + 1; fd < copies_end && !error; fd++)
        error = posix_spawn_file_actions_addclose(actions, fd);
    while (folder && !error && (entry = readdir(folder))) {
        int fd = atoi(entry->d_name);
        if (fd >= copies_end)
            error = posix_spawn_file_actions_addclose(actions, fd);
    }
    if (folder)
        closedir(folder);
    return error;
}
#endif

static int add_actions(posix_spawn_file_actions_t *actions, const struct launch *launch)
{
    int highest = highest_child_fd(launch);
    int error = add_moves(actions, launch, highest);

    for (int fd = 0; fd < highest && !error; fd++)
        if (!is_among(launch->child_fd, launch->count, fd))
            error = posix_spawn_file_actions_addclose(actions, fd);
    if (!error && launch->directory)
        error = posix_spawn_file_actions_addchdir_np(actions, launch->directory);
    return error ? error : add_close_above(actions, highest); /* last: it closes what the others used */
}

static int set_attributes(posix_spawnattr_t *attributes, const struct launch *launch)
{
    sigset_t all, none;
    short flags = POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK;

    sigfillset(&all);
    sigemptyset(&none);
    if (launch->own_session)
        flags |= POSIX_SPAWN_SETSID; /* which makes a group, too */
    else if (launch->own_group)
        flags |= POSIX_SPAWN_SETPGROUP;
    int error = posix_spawnattr_setsigdefault(attributes, &all);
    if (!error)
        error = posix_spawnattr_setsigmask(attributes, &none);
    if (!error)
        error = posix_spawnattr_setpgroup(attributes, 0);
    return error ? error : posix_spawnattr_setflags(attributes, flags);
}

int launch_start(const struct launch *launch, pid_t *pid)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int error = posix_spawn_file_actions_init(&actions);

    if (error)
        return -error;
    error = posix_spawnattr_init(&attributes);
    if (error)
        goto actions_out;
    error = set_attributes(&attributes, launch);
    if (!error)
        error = add_actions(&actions, launch);
    if (!error)
        error = posix_spawn(pid, launch->program, &actions, &attributes, launch->argv, launch->environment);
    posix_spawnattr_destroy(&attributes);
actions_out:
    posix_spawn_file_actions_destroy(&actions);
    return -error;
}
