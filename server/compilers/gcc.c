#include "server/compilers/c_family.h"

#include <stddef.h>

#include "server/compilers/c_options.h"

/* What gcc alone has, or has in another sense than clang. */
static const struct c_option gcc_rows[] = {
    {"--dumpbase", VALUE_SEPARATE, ACTION_PLAIN, SHOWS_OUTPUT | HIDES_NAMES, REASON_NONE},
    {"--dumpbase-ext", VALUE_SEPARATE, ACTION_PLAIN, SHOWS_OUTPUT | HIDES_NAMES, REASON_NONE},
    {"--dumpdir", VALUE_SEPARATE, ACTION_PLAIN, SHOWS_OUTPUT | HIDES_NAMES, REASON_NONE},
    {"--machine-arch=native", VALUE_NONE, ACTION_PLAIN, SHOWS_PROCESSOR, REASON_NONE},
    {"--machine-cpu=native", VALUE_NONE, ACTION_PLAIN, SHOWS_PROCESSOR, REASON_NONE},
    {"--machine-tune=native", VALUE_NONE, ACTION_PLAIN, SHOWS_PROCESSOR, REASON_NONE},
    {"--machine=arch=native", VALUE_NONE, ACTION_PLAIN, SHOWS_PROCESSOR, REASON_NONE},
    {"--machine=cpu=native", VALUE_NONE, ACTION_PLAIN, SHOWS_PROCESSOR, REASON_NONE},
    {"--machine=tune=native", VALUE_NONE, ACTION_PLAIN, SHOWS_PROCESSOR, REASON_NONE},
    {"--output-pch=", VALUE_GLUED, ACTION_PLAIN, SHOWS_ALL, REASON_NONE},
    {"-Xf", VALUE_SEPARATE, ACTION_PLAIN, 0, REASON_OPTION},
    {"-aux-info", VALUE_SEPARATE, ACTION_PLAIN, SHOWS_ALL, REASON_NONE},
    {"-fintrinsic-modules-path", VALUE_EITHER, ACTION_PLAIN, 0, REASON_NONE},
    {"-flto", VALUE_GLUED, ACTION_PLAIN, SHOWS_ALL, REASON_NONE},
    {"-fwhole-program", VALUE_GLUED, ACTION_PLAIN, 0, REASON_NONE},
    {"-grecord-gcc-switches", VALUE_NONE, ACTION_PLAIN, UNWATCHED, REASON_NONE},
    {"-gtoggle", VALUE_NONE, ACTION_DEBUG_ON, 0, REASON_NONE},
    {"-imultiarch", VALUE_SEPARATE, ACTION_PLAIN, 0, REASON_NONE},
    {"-iplugindir=", VALUE_GLUED, ACTION_PLAIN, 0, REASON_NONE},
    {"-no-integrated-cpp", VALUE_NONE, ACTION_PLAIN, SHOWS_ALL, REASON_NONE},
    {"-wrapper", VALUE_SEPARATE, ACTION_PLAIN, SHOWS_ALL, REASON_NONE},
};

const struct c_option_table c_options_gcc = {gcc_rows, sizeof(gcc_rows) / sizeof(gcc_rows[0])};

static const char *const appending[] = {"DEPENDENCIES_OUTPUT", "SUNPRO_DEPENDENCIES", NULL};
static const char *const rewriting[] = {NULL};

static const char *const environment[] = {
    "GCC_COLORS", "GCC_COMPARE_DEBUG", "GCC_EXEC_PREFIX",    "COMPILER_PATH",
    "CPATH",      "C_INCLUDE_PATH",    "CPLUS_INCLUDE_PATH", "OBJC_INCLUDE_PATH",
    NULL};

static const struct c_dialect dialect = {
    .options = &c_options_gcc,
    .is_clang = false,
    .appending_environment = appending,
    .rewriting_environment = rewriting,
};

static void parse(const struct invocation *invocation, struct arena *arena, struct command *command)
{
    c_family_parse(&dialect, invocation, arena, command);
}

const struct frontend frontend_gcc = {
    .name = "gcc",
    /* A compile of one source starts no parallel jobs; only linking with -flto reads a jobserver. */
    .reads_jobserver = READS_JOBSERVER_NO,
    .parse = parse,
    .environment = environment,
};
