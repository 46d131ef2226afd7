#include "server/compilers/c_family.h"

#include <stddef.h>

#include "server/compilers/c_options.h"

/* What clang alone has, or has in another sense than gcc. */
static const struct c_option clang_rows[] = {
    {"--analyzer-output", VALUE_SEPARATE, ACTION_PLAIN, SHOWS_ALL, REASON_NONE},
    {"--autocomplete=", VALUE_GLUED, ACTION_PLAIN, IS_QUESTION, REASON_QUESTION},
    {"--cuda", VALUE_GLUED, ACTION_PLAIN, 0, REASON_LANGUAGE},
    {"--driver-mode=", VALUE_GLUED, ACTION_DRIVER_MODE, UNWATCHED, REASON_NONE},
    {"--migrate", VALUE_NONE, ACTION_PLAIN, 0, REASON_OPTION},
    {"--precompile", VALUE_NONE, ACTION_PRECOMPILE, SHOWS_ALL | COMPILE_ONLY, REASON_NONE},
    {"--rsp-quoting=", VALUE_GLUED, ACTION_PLAIN, 0, REASON_OPTION},
    {"--verify-debug-info", VALUE_NONE, ACTION_PLAIN, 0, REASON_NONE},
    {"-MJ", VALUE_EITHER, ACTION_PLAIN, 0, REASON_SHARED_FILE},
    {"-MV", VALUE_NONE, ACTION_PLAIN, SHOWS_ALL | COMPILE_ONLY, REASON_NONE},
    {"-ObjC", VALUE_NONE, ACTION_PLAIN, 0, REASON_OPTION},
    {"-ObjC++", VALUE_NONE, ACTION_PLAIN, 0, REASON_OPTION},
    {"-Wp,-MJ", VALUE_GLUED, ACTION_PLAIN, 0, REASON_SHARED_FILE},
    {"-Xanalyzer", VALUE_SEPARATE, ACTION_PLAIN, SHOWS_ALL, REASON_NONE},
    {"-Xarch_", VALUE_GLUED, ACTION_PLAIN, 0, REASON_OPTION},
    {"-Xclang", VALUE_SEPARATE, ACTION_COMPILER_WORD, 0, REASON_NONE},
    {"-Xcuda-", VALUE_GLUED, ACTION_PLAIN, 0, REASON_OPTION},
    {"-Xopenmp-target", VALUE_GLUED, ACTION_PLAIN, 0, REASON_OPTION},
    {"-arcmt", VALUE_GLUED, ACTION_PLAIN, 0, REASON_OPTION},
    {"-ast-", VALUE_GLUED, ACTION_PLAIN, 0, REASON_OPTION},
    {"-cc1", VALUE_GLUED, ACTION_PLAIN, 0, REASON_OPTION},
    {"-ccc-", VALUE_GLUED, ACTION_PLAIN, 0, REASON_OPTION},
    {"-cl-", VALUE_GLUED, ACTION_PLAIN, 0, REASON_LANGUAGE},
    {"-cxx-isystem", VALUE_EITHER, ACTION_PLAIN, 0, REASON_NONE},
    {"-dependency-dot", VALUE_SEPARATE, ACTION_PLAIN, SHOWS_ALL, REASON_NONE},
    {"-dependency-file", VALUE_SEPARATE, ACTION_PLAIN, 0, REASON_OPTION},
    {"-dsym-dir", VALUE_SEPARATE, ACTION_PLAIN, 0, REASON_OPTION},
    {"-emit-", VALUE_GLUED, ACTION_PLAIN, 0, REASON_OPTION},
    {"-emit-llvm", VALUE_NONE, ACTION_EMIT_LLVM, SHOWS_DIRECTORY | SHOWS_POSITIONS | COMPILE_ONLY,
     REASON_NONE},
    {"-fbuild-session", VALUE_GLUED, ACTION_PLAIN, SHOWS_ALL, REASON_NONE},
    {"-fcrash-diagnostics", VALUE_GLUED, ACTION_PLAIN, 0, REASON_NONE},
    {"-fcxx-modules", VALUE_NONE, ACTION_PLAIN, SHOWS_ALL, REASON_NONE},
    {"-fdebug-compilation-dir", VALUE_EITHER, ACTION_COMPILATION_DIRECTORY, SHOWS_POSITIONS, REASON_NONE},
    {"-ffile-compilation-dir=", VALUE_GLUED, ACTION_COMPILATION_DIRECTORY, SHOWS_POSITIONS, REASON_NONE},
    {"-filelist", VALUE_SEPARATE, ACTION_PLAIN, 0, REASON_OPTION},
    {"-fimplicit-module", VALUE_GLUED, ACTION_PLAIN, SHOWS_ALL, REASON_NONE},
    {"-flto", VALUE_GLUED, ACTION_PLAIN, SHOWS_DIRECTORY | SHOWS_POSITIONS | UNWATCHED, REASON_NONE},
    {"-fmemory-profile", VALUE_GLUED, ACTION_PLAIN, SHOWS_ALL, REASON_NONE},
    {"-fmodule", VALUE_GLUED, ACTION_PLAIN, SHOWS_ALL, REASON_NONE},
    {"-fmodules-user-build-path", VALUE_SEPARATE, ACTION_PLAIN, 0, REASON_SHARED_FILE},
    {"-foffload", VALUE_GLUED, ACTION_PLAIN, 0, REASON_OPTION},
    {"-foptimization-record-file=", VALUE_GLUED, ACTION_PLAIN, SHOWS_ALL, REASON_NONE},
    {"-fprebuilt", VALUE_GLUED, ACTION_PLAIN, SHOWS_ALL, REASON_NONE},
    {"-fproc-stat-report", VALUE_GLUED, ACTION_PLAIN, 0, REASON_SHARED_FILE},
    {"-fpseudo-probe-for-profiling", VALUE_NONE, ACTION_PLAIN, SHOWS_ALL, REASON_NONE},
    {"-frecord-command-line", VALUE_NONE, ACTION_PLAIN, SHOWS_ALL | SHOWS_WORDS, REASON_NONE},
    {"-frewrite", VALUE_GLUED, ACTION_PLAIN, SHOWS_POSITIONS, REASON_NONE},
    {"-fthinlto-index=", VALUE_GLUED, ACTION_PLAIN, SHOWS_ALL, REASON_NONE},
    {"-ftrapv-handler", VALUE_SEPARATE, ACTION_PLAIN, 0, REASON_NONE},
    {"-funique-internal-linkage-names", VALUE_NONE, ACTION_PLAIN, SHOWS_ALL, REASON_NONE},
    {"-fxray-instruction-threshold", VALUE_SEPARATE, ACTION_PLAIN, 0, REASON_NONE},
    {"-gcc-toolchain", VALUE_SEPARATE, ACTION_PLAIN, 0, REASON_NONE},
    {"-gen-cdb-fragment-path", VALUE_EITHER, ACTION_PLAIN, 0, REASON_SHARED_FILE},
    {"-grecord-command-line", VALUE_NONE, ACTION_PLAIN, SHOWS_ALL | SHOWS_WORDS, REASON_NONE},
    {"-grecord-gcc-switches", VALUE_NONE, ACTION_PLAIN, SHOWS_ALL | SHOWS_WORDS, REASON_NONE},
    {"-iframework", VALUE_EITHER, ACTION_PLAIN, 0, REASON_NONE},
    {"-iframeworkwithsysroot", VALUE_EITHER, ACTION_PLAIN, 0, REASON_NONE},
    {"-include-pch", VALUE_EITHER, ACTION_PLAIN, SHOWS_POSITIONS, REASON_NONE},
    {"-index-", VALUE_GLUED, ACTION_PLAIN, 0, REASON_SHARED_FILE},
    {"-index-store-path", VALUE_SEPARATE, ACTION_PLAIN, 0, REASON_SHARED_FILE},
    {"-isystem-after", VALUE_EITHER, ACTION_PLAIN, 0, REASON_NONE},
    {"-ivfs", VALUE_GLUED, ACTION_PLAIN, SHOWS_POSITIONS, REASON_NONE},
    {"-ivfsoverlay", VALUE_EITHER, ACTION_PLAIN, SHOWS_POSITIONS, REASON_NONE},
    {"-iwithsysroot", VALUE_EITHER, ACTION_PLAIN, 0, REASON_NONE},
    {"-load", VALUE_SEPARATE, ACTION_PLAIN, SHOWS_ALL, REASON_NONE},
    {"-meabi", VALUE_SEPARATE, ACTION_PLAIN, 0, REASON_NONE},
    {"-mllvm", VALUE_SEPARATE, ACTION_PLAIN, SHOWS_ALL, REASON_NONE},
    {"-module-dependency-dir", VALUE_EITHER, ACTION_PLAIN, SHOWS_ALL, REASON_NONE},
    {"-mthread-model", VALUE_SEPARATE, ACTION_PLAIN, 0, REASON_NONE},
    {"-objcmt", VALUE_GLUED, ACTION_PLAIN, 0, REASON_OPTION},
    {"-resource-dir", VALUE_SEPARATE, ACTION_PLAIN, 0, REASON_NONE},
    {"-resource-dir=", VALUE_GLUED, ACTION_PLAIN, 0, REASON_NONE},
    {"-rewrite", VALUE_GLUED, ACTION_PLAIN, 0, REASON_OPTION},
    {"-save-stats", VALUE_GLUED, ACTION_PLAIN, SHOWS_ALL | COMPILE_ONLY, REASON_NONE},
    {"-serialize-diagnostics", VALUE_SEPARATE, ACTION_DIAGNOSTICS_FILE, SHOWS_POSITIONS | COMPILE_ONLY,
     REASON_NONE},
    {"-stdlib++-isystem", VALUE_EITHER, ACTION_PLAIN, 0, REASON_NONE},
    {"-stdlib=", VALUE_GLUED, ACTION_PLAIN, UNWATCHED, REASON_NONE},
    {"-target", VALUE_SEPARATE, ACTION_PLAIN, UNWATCHED, REASON_NONE},
    {"-undefined", VALUE_SEPARATE, ACTION_PLAIN, 0, REASON_NONE},
    {"-verify", VALUE_GLUED, ACTION_PLAIN, SHOWS_ALL, REASON_NONE},
    {"-working-directory", VALUE_EITHER, ACTION_PLAIN, 0, REASON_OPTION},
    {"-working-directory=", VALUE_GLUED, ACTION_PLAIN, 0, REASON_OPTION},
};

const struct c_option_table c_options_clang = {clang_rows, sizeof(clang_rows) / sizeof(clang_rows[0])};

static const char *const appending[] = {"DEPENDENCIES_OUTPUT",
                                        "SUNPRO_DEPENDENCIES",
                                        "CC_PRINT_OPTIONS",
                                        "CC_PRINT_HEADERS",
                                        "CC_LOG_DIAGNOSTICS",
                                        "CC_PRINT_PROC_STAT",
                                        NULL};
static const char *const rewriting[] = {"CCC_OVERRIDE_OPTIONS", "CCC_ADD_ARGS", "QA_OVERRIDE_GCC3_OPTIONS",
                                        NULL};

static const char *const environment[] = {
    "COMPILER_PATH",         "CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "OBJC_INCLUDE_PATH",
    "OBJCPLUS_INCLUDE_PATH", NULL};

static const struct c_dialect dialect = {
    .options = &c_options_clang,
    .is_clang = true,
    .appending_environment = appending,
    .rewriting_environment = rewriting,
};

static void parse(const struct invocation *invocation, struct arena *arena, struct command *command)
{
    c_family_parse(&dialect, invocation, arena, command);
}

const struct frontend frontend_clang = {
    .name = "clang",
    /* A compile of one source starts no parallel jobs; only linking with -flto reads a jobserver. */
    .reads_jobserver = READS_JOBSERVER_NO,
    .parse = parse,
    .environment = environment,
};
