/* What gcc's and clang's command lines mean. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "server/compilers/c_options.h"
#include "server/compilers/frontend.h"

#define DIRECTORY "/home/u/tree"

static struct arena arena;
static const char *variables[8]; /* NAME, value, NAME, value … */

static const char *get_variable(void *environment, const char *name)
{
    (void)environment;
    for (size_t i = 0; variables[i]; i += 2) {
        if (!strcmp(variables[i], name))
            return variables[i + 1];
    }
    return NULL;
}

/* The words of `line`, parted by single blanks. */
static struct command *parse(const char *line)
{
    struct invocation invocation = {.program = "/usr/bin/x", .directory = AT_FDCWD, .getenv = get_variable};
    struct command *command = ARENA_NEW(&arena, struct command);
    char **argv = ARENA_ARRAY(&arena, char *, strlen(line) + 2);
    char *text = arena_strdup(&arena, line), *word;

    while ((word = strsep(&text, " ")) != NULL)
        argv[invocation.argc++] = word;
    invocation.argv = argv;
    invocation.directory_path = DIRECTORY;
    frontend_find(argv[0], NULL)->parse(&invocation, &arena, command);
    return command;
}

static char *join(const char *const *words, size_t count)
{
    struct buf text = BUF_INIT;
    char *joined;

    for (size_t i = 0; i < count; i++)
        buf_addf(&text, "%s%s", i ? " " : "", words[i]);
    joined = arena_strndup(&arena, text.data ? text.data : "", text.length);
    buf_release(&text);
    return joined;
}

static const char *key(const char *line)
{
    struct command *command = parse(line);

    if (command->reason != REASON_NONE)
        fail_msg("%s: %s", line, reason_name(command->reason));
    return join(command->key_words, command->key_word_count);
}

static void same_text(const char *line, const char *got, const char *expected)
{
    if (!got != !expected || (got && expected && strcmp(got, expected) != 0))
        fail_msg("%s: got %s, expected %s", line, got ? got : "(null)", expected ? expected : "(null)");
}

static void test_tables_are_sorted(void **state)
{
    const struct c_option_table *tables[] = {&c_options_common, &c_options_gcc, &c_options_clang,
                                             &c_options_assembler};

    (void)state;
    for (size_t t = 0; t < 4; t++) {
        for (size_t i = 0; i < tables[t]->count; i++) {
            const struct c_option *row = &tables[t]->rows[i];
            if (i && strcmp(row[-1].name, row->name) >= 0)
                fail_msg("%s stands before %s", row[-1].name, row->name);
            assert_ptr_equal(c_option_find(tables[t], row->name), row);
        }
    }
}

static void test_longest_name(void **state)
{
    static const char *const cases[][2] = {
        {"-MMDx", NULL},
        {"-MD", "-MD"},
        {"-MFx", "-MF"},
        {"-MQ", "-MQ"},
        {"-fPIC", "-fPIC"},
        {"-fPICx", "-f"},
        {"-ffile-prefix-map=a=b", "-ffile-prefix-map="},
        {"-Wp,-MD", "-Wp,"},
        {"-Wall", "-Wall"},
        {"-Wshadow", "-W"},
        {"-g0", "-g0"},
        {"-g03", "-g"},
        {"-march=native", "-march=native"},
        {"-march=natives", "-m"},
        {"-include", "-include"},
        {"-iz", NULL},
        {"-include-x", "-include"},
        {"-", NULL},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const struct c_option *found = c_option_find(&c_options_common, cases[i][0]);
        same_text(cases[i][0], found ? found->name : NULL, cases[i][1]);
    }
}

static void test_reasons(void **state)
{
    static const struct {
        enum reason reason;
        const char *line;
    } cases[] = {
        {REASON_NONE, "gcc -c a.c"},
        {REASON_NONE, "gcc -S a.c"},
        {REASON_NONE, "gcc -fsyntax-only a.c"},
        {REASON_NONE, "gcc h.h"},
        {REASON_NONE, "gcc -c a.c -x c++"},
        {REASON_NONE, "gcc -x c -c a.unknown"},
        {REASON_NONE, "gcc -c a.c -lfoo -L/x -Wl,-x -Xlinker -o"},
        {REASON_NONE, "gcc -c fs/proc/self.c"},
        {REASON_NONE, "gcc -c -Iproc/self a.c"},
        {REASON_NONE, "gcc -c a.c -wrapper time"},
        {REASON_NONE, "gcc -c a.c -unknown"},
        {REASON_NONE, "gcc -c a.c --unknown"},
        {REASON_MULTIPLE_SOURCES, "gcc -c a.c --unknown value"},
        {REASON_NONE, "gcc -c a.c -Xpreprocessor -DX"},
        {REASON_NONE, "clang -c a.c --config x"},
        {REASON_NONE, "clang --driver-mode=g++ -c a.c"},
        {REASON_MULTIPLE_SOURCES, "gcc -c a.c @missing.c -DX"},
        {REASON_NONE, "clang -c -- a.c"},
        {REASON_NONE, "clang -c -- -a.c"},
        {REASON_NONE, "clang --precompile a.cppm -o a.pcm"},
        {REASON_NONE, "clang -Xclang -emit-pch -x c++-header a.hxx -o a.pch"},
        {REASON_NONE, "clang -emit-llvm -c a.c"},
        {REASON_LINK, "gcc a.c"},
        {REASON_LINK, "gcc a.o b.o -o a"},
        {REASON_LINK, "gcc a.c b.c -MJ x -o a"},
        {REASON_MULTIPLE_SOURCES, "gcc -c a.c b.c"},
        {REASON_MULTIPLE_SOURCES, "gcc -c a.c b.o"},
        {REASON_MULTIPLE_SOURCES, "clang -c a.c -dumpbasex x"},
        {REASON_STDIN, "gcc -c -x c -"},
        {REASON_STDOUT, "gcc -S a.c -o -"},
        {REASON_STDOUT, "gcc -c a.c -MD -MF -"},
        {REASON_DESCRIPTOR, "gcc -c /dev/stdin -x c"},
        {REASON_DESCRIPTOR, "gcc -c -include /dev/fd/3 a.c"},
        {REASON_DESCRIPTOR, "gcc -c -include/proc/self/fd/3 a.c"},
        {REASON_DESCRIPTOR, "gcc -c a.c -I/proc/12/cwd"},
        {REASON_PREPROCESSING, "gcc -E a.c"},
        {REASON_PREPROCESSING, "gcc -c -E -"},
        {REASON_PREPROCESSING, "gcc -S a.S"},
        {REASON_PREPROCESSING, "clang -fsyntax-only a.S -o x"},
        {REASON_DEPENDENCIES, "gcc -M a.c"},
        {REASON_DEPENDENCIES, "gcc -MM -c a.c"},
        {REASON_QUESTION, "gcc --version"},
        {REASON_QUESTION, "gcc -dumpversion"},
        {REASON_QUESTION, "gcc -print-search-dirs"},
        {REASON_QUESTION, "gcc -v"},
        {REASON_QUESTION, "gcc -### -c a.c"},
        {REASON_NO_INPUT, "gcc -c"},
        {REASON_NO_INPUT, "gcc"},
        {REASON_ARGUMENTS, "gcc -c a.c -o"},
        {REASON_ARGUMENTS, "gcc -c a.c -MF"},
        {REASON_ARGUMENTS, "gcc -c a.c -x"},
        {REASON_ARGUMENTS, "gcc -c a.c -include"},
        {REASON_ARGUMENTS, "gcc -c a.c -Wp,-MD"},
        {REASON_LANGUAGE, "gcc -c a.f90"},
        {REASON_LANGUAGE, "gcc -c a"},
        {REASON_LANGUAGE, "gcc -c -x ada a.c"},
        {REASON_LANGUAGE, "gcc -c -x c -x none a.unknown"},
        {REASON_OPTION, "clang -c a.c --driver-mode=g++"},
        {REASON_OPTION, "clang --driver-mode=cl -c a.c"},
        {REASON_OPTION, "gcc -c a.c -Xpreprocessor -MD"},
        {REASON_OPTION, "clang -c a.c -Xclang -S"},
        {REASON_SHARED_FILE, "clang -c a.c -MJ x.json"},
        {REASON_SHARED_FILE, "clang -c a.c -fmodules"},
        {REASON_SHARED_FILE, "gcc -c a.c -time=x"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        same_text(cases[i].line, reason_name(parse(cases[i].line)->reason), reason_name(cases[i].reason));
    assert_string_equal(parse("gcc -c a.c -I. -frepo")->reason_word, "-frepo");
    variables[0] = "SUNPRO_DEPENDENCIES";
    variables[1] = "x";
    assert_int_equal(parse("gcc -c a.c")->reason, REASON_SHARED_FILE);
    variables[0] = "CCC_OVERRIDE_OPTIONS";
    assert_int_equal(parse("clang -c a.c")->reason, REASON_ARGUMENTS);
    variables[0] = NULL;
}

static void test_languages(void **state)
{
    static const char *const cases[][2] = {
        {"gcc -c a.c", "c"},
        {"g++ -c a.c", "c++"},
        {"clang++-14 -c a.h -o x", "c++-header"},
        {"gcc -c a.C", "c++"},
        {"gcc -c a.S", "assembler-with-cpp"},
        {"gcc -c a.s", "assembler"},
        {"gcc -c a.ii", "c++-cpp-output"},
        {"gcc -c a.i", "cpp-output"},
        {"gcc -xc++ -c a.c", "c++"},
        {"gcc -x c++ -x none -c a.c", "c"},
        {"gcc -c a.c -x c++", "c"},
        {"gcc --language=c++ -c a.c", "c++"},
        {"clang -c a.ll", "ir"},
        {"gcc -c a.mm", "objective-c++"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        same_text(cases[i][0], parse(cases[i][0])->language, cases[i][1]);
}

struct output_case {
    const char *line, *object, *depfile, *targets;
};

/* All of it was seen with gcc 12 and clang 14. */
static const struct output_case output_cases[] = {
    {"gcc -c ../a.c", "a.o", NULL, NULL},
    {"gcc -S ../a.c", "a.s", NULL, NULL},
    {"gcc -c ../a.c -MD", "a.o", "a.d", "a.o"},
    {"gcc -S ../a.c -MD", "a.s", "a.d", "a.o"},
    {"gcc -S ../a.c -MD -o x.s", "x.s", "x.d", "x.s"},
    {"gcc -S -c ../a.c", "a.s", NULL, NULL},
    {"gcc -c ../a.c -MD -o a", "a", "a.d", "a"},
    {"gcc -c ../a.c -MD -o a.", "a.", "a.d", "a."},
    {"gcc -c ../a.c -MD -oa.b.o", "a.b.o", "a.b.d", "a.b.o"},
    {"gcc -c ../a.c -MD -o d.x/a", "d.x/a", "d.x/a.d", "d.x/a"},
    {"gcc -c ../a.c -MD -MF q -o ./x.o", "./x.o", "q", "x.o"},
    {"clang -c ../a.c -MD -MF q -o ./x.o", "./x.o", "q", "./x.o"},
    {"gcc -c a.c -MMD -MF q -MFy -o x.o", "x.o", "y", "x.o"},
    {"gcc -c a.c -MD -MF q -o x$y#z.o", "x$y#z.o", "q", "x$$y\\#z.o"},
    {"gcc -c a.c -MD -MT t1 -MTt$2 -o x.o", "x.o", "x.d", "t1 t$2"},
    {"gcc -c a.c -MD -MQ t$1 -MQ ./t2 -o x.o", "x.o", "x.d", "t$$1 t2"},
    {"gcc -c a.c -MD -MQ a -MT b -o x.o", "x.o", "x.d", NULL},
    {"clang -c a.c -MD -MQ a$ -MT ./b$ -o x.o", "x.o", "x.d", "a$$ ./b$"},
    {"gcc -c d/a.c -Wp,-MD,q -o x.o", "x.o", "q", "a.o"},
    {"clang -c d/a.c -Wp,-MMD,q -o x.o", "x.o", "q", "x.o"},
    {"gcc -c a.c -Wp,-MD,q,-MT,zz -MP -o x.o", "x.o", "q", "zz"},
    {"gcc -c a.c -Wp,-MD,q -MF y -o x.o", "x.o", NULL, NULL},
    {"gcc -c a.c -MD -MF /dev/null", "a.o", NULL, NULL},
    {"gcc -c a.c -MD -o /dev/null", "/dev/null", NULL, NULL},
    {"gcc -c a.c -MD -o .o", ".o", NULL, NULL},
    {"gcc -c a.s -MD -MF q -o x.o", "x.o", NULL, NULL},
    {"gcc -c a.S -MD -o x.o", "x.o", "x.d", "x.o"},
    {"gcc -fsyntax-only a.c -MD", NULL, "a.d", "a.o"},
    {"gcc -fsyntax-only a.c -MD -o x.o", NULL, "x.d", "x.o"},
    {"gcc -c ../h.h -MD", "../h.h.gch", "h.d", "h.o"},
    {"gcc ../h.h -MD", "../h.h.gch", NULL, NULL},
    {"gcc -x c-header h.h -MD -o x.pch", "x.pch", "x.d", "x.pch"},
    {"gcc -c a.c --output=x.o --write-dependencies", "x.o", "x.d", "x.o"},
    {"gcc -c a.c -o x.o -o y.o -MD", "y.o", "y.d", "y.o"},
    {"gcc -c a.c -dumpbase zz -MD -o y.o", "y.o", NULL, NULL},
    {"clang -c -emit-llvm ../a.c", "a.bc", NULL, NULL},
    {"clang -S -emit-llvm ../a.c", "a.ll", NULL, NULL},
};

static void test_outputs(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(output_cases) / sizeof(output_cases[0]); i++) {
        const struct output_case *expected = &output_cases[i];
        struct command *command = parse(expected->line);
        assert_int_equal(command->reason, REASON_NONE);
        same_text(expected->line, command->output[OUTPUT_OBJECT], expected->object);
        same_text(expected->line, command->output[OUTPUT_DEPFILE], expected->depfile);
        same_text(expected->line, command->depfile_targets, expected->targets);
    }
    same_text("su", parse("gcc -c a.c -fstack-usage -o a.b.o")->output[OUTPUT_STACK_USAGE], "a.b.su");
    same_text("dwo", parse("gcc -c d/a.c -g -gsplit-dwarf")->output[OUTPUT_SPLIT_DEBUG], "a.dwo");
    same_text("dia", parse("clang -c a.c --serialize-diagnostics x.dia")->output[OUTPUT_DIAGNOSTICS],
              "x.dia");
}

static void test_key(void **state)
{
    (void)state;
    assert_string_equal(key("gcc -O2 -c a.c -o x.o"), "-O2 -c a.c");
    assert_string_equal(key("gcc -O2 -c a.c -ox.o -MD -MP -MF y -MQ z"), "-O2 -c a.c -MD -MP");
    assert_string_equal(key("gcc -c a.c -Wp,-MMD,d/.a.d -o a.o"), "-c a.c -Wp,-MMD");
    assert_string_equal(key("gcc -c a.c -Wp,-MD,x,-MT,y,-DX"), "-c a.c -Wp,-MD,-MT,-DX");
    /* Names that show, or whose depfile can't be made again, stay. */
    assert_string_equal(key("gcc -c a.c -o x.o --coverage"), "-c a.c -o x.o --coverage");
    assert_string_equal(key("gcc -c a.c -o x.o -MD -MQ a -MT b"), "-c a.c -o x.o -MD -MQ a -MT b");
    assert_string_equal(key("gcc -c a.c -o x.o -MD -MF /dev/null"), "-c a.c -MD -MF /dev/null");
    assert_string_equal(key("clang -c a.c -MF q -o x.o"), "-c a.c -MF q");
    assert_string_equal(key("clang -c a.c -frecord-command-line -MD -MF q -o x.o"),
                        "-c a.c -frecord-command-line -MD -MF q -o x.o");
    assert_string_equal(key("clang -c a.c --serialize-diagnostics x"), "-c a.c --serialize-diagnostics");
}

static void test_key_of_response_file(void **state)
{
    char name[] = "/tmp/ccwrap-frontend-XXXXXX";
    int fd = mkstemp(name);

    (void)state;
    assert_true(fd >= 0);
    assert_true(write(fd, "-DA='b c' -o x.o", 16) == 16);
    close(fd);
    assert_string_equal(key(arena_printf(&arena, "gcc -c a.c @%s", name)), "-c a.c -DA=b c");
    unlink(name);
}

struct shown {
    const char *line;
    bool directory, output, positions;
};

static const struct shown shown_cases[] = {
    {"gcc -O2 -Wall -c a.c", false, false, false},
    {"gcc -g -c a.c", true, false, true},
    {"gcc -ggdb3 -c a.c", true, false, true},
    {"gcc -gdwarf-5 -c a.c", true, false, true},
    {"gcc -g -g0 -c a.c", false, false, false},
    {"gcc -g0 -g1 -c a.c", true, false, true},
    {"gcc -gz -gno-column-info -gcolumn-info -c a.c", false, false, false},
    {"gcc -g -c a.s", true, false, true},
    {"gcc -c a.S -Wa,-g", true, false, true},
    {"gcc -c a.c -Wa,--noexecstack", false, false, false},
    {"gcc -c a.c -Wa,-adhln=x.lst", true, true, true},
    {"gcc -c a.s", false, false, true},
    {"gcc -c a.i", false, false, true},
    {"gcc -gsplit-dwarf -c a.c", true, true, true},
    {"gcc --coverage -c a.c", true, true, true},
    {"gcc -fprofile-generate -c a.c", true, true, true},
    {"gcc -frecord-gcc-switches -c a.c", true, true, true},
    {"gcc -flto -c a.c", true, true, true},
    {"clang -flto -c a.c", true, false, true},
    {"clang -emit-llvm -c a.c", true, false, true},
    {"gcc -S -fverbose-asm a.c", false, false, true},
    {"clang -Werror=documentation -c a.c", false, false, true},
    {"gcc -Werror=implicit-fallthrough=1 -c a.c", false, false, true},
    {"gcc --warn-error=implicit-fallthrough=1 -c a.c", false, false, true},
    {"clang --warn-documentation -c a.c", false, false, true},
    {"gcc -Wc90-c99-compat -c a.c", false, false, true},
    {"gcc -Werror=unused -c a.c", false, false, false},
    {"gcc -fsanitize=address -c a.c", false, false, true},
    {"gcc -Wextra -c a.c", false, false, true},
    {"gcc -W -c a.c", false, false, true},
    {"gcc -Wno-extra -c a.c", false, false, false},
    {"gcc -std=c89 -c a.c", false, false, true},
    {"gcc -std=gnu89 -c a.c", false, false, true},
    {"gcc -std=gnu99 -c a.c", false, false, false},
    {"gcc -C -c a.c", false, false, true},
    {"gcc -save-temps=obj -c a.c", false, true, false},
    {"gcc -unknown -c a.c", false, false, false}, /* -u nknown */
    {"gcc -qunknown -c a.c", true, true, true},
    {"gcc -c a.c -o /dev/null", false, true, false},
    {"gcc -fstack-usage -c a.c", false, false, false},
    {"gcc -x c-header a.h", true, true, true},
    {"gcc -g -fdebug-prefix-map=" DIRECTORY "=. -c a.c", false, false, true},
    {"gcc -g -ffile-prefix-map=/home/u=. -c a.c", false, false, true},
    {"gcc -g -fmacro-prefix-map=" DIRECTORY "=. -c a.c", true, false, true},
    {"gcc -g -ffile-prefix-map=/home/u/tr=. -c a.c", true, false, true},
    {"gcc -g -ffile-prefix-map=" DIRECTORY "=. -c " DIRECTORY "/a.c", true, false, true},
    {"gcc -g -ffile-prefix-map=" DIRECTORY "=. -c a.c --coverage", true, true, true},
    {"clang -g -fdebug-compilation-dir=. -c a.c", false, false, true},
    {"clang -g -fdebug-compilation-dir . -c a.c", false, false, true},
    {"clang -grecord-command-line -ffile-prefix-map=" DIRECTORY "=. -c a.c", true, true, true},
};

static void test_shows(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(shown_cases) / sizeof(shown_cases[0]); i++) {
        const struct shown *expected = &shown_cases[i];
        struct command *command = parse(expected->line);
        if (command->reason != REASON_NONE || command->directory_shows != expected->directory ||
            command->output_shows != expected->output || command->positions_show != expected->positions)
            fail_msg("%s: reason %s, directory %d, output %d, positions %d", expected->line,
                     reason_name(command->reason), command->directory_shows, command->output_shows,
                     command->positions_show);
    }
    assert_true(parse("gcc -march=native -c a.c")->processor_shows);
    assert_false(parse("gcc -march=x86-64 -c a.c")->processor_shows);
}

static void test_prefix_maps(void **state)
{
    (void)state;
    assert_string_equal(key("gcc -g -fdebug-prefix-map=" DIRECTORY "=. -c a.c"),
                        "-g -fdebug-prefix-map=<directory->=. -c a.c");
    assert_string_equal(key("gcc -g -ffile-prefix-map=/home/u=/n -c a.c"),
                        "-g -ffile-prefix-map=<directory-/tree>=/n -c a.c");
    assert_string_equal(key("gcc -ffile-prefix-map=src=/n -c a.c"), "-ffile-prefix-map=src=/n -c a.c");
    assert_string_equal(key("gcc -ffile-prefix-map=/home/u=/n -c a.c -I/home/u/x"),
                        "-ffile-prefix-map=/home/u=/n -c a.c -I/home/u/x");
    assert_string_equal(key("gcc -ffile-prefix-map=/home/u=/n -c a.c -I/usr/x"),
                        "-ffile-prefix-map=<directory-/tree>=/n -c a.c -I/usr/x");
    variables[0] = "PWD";
    variables[1] = "/home/link";
    assert_true(parse("gcc -g -fdebug-prefix-map=" DIRECTORY "=. -c a.c")->directory_shows);
    variables[1] = DIRECTORY;
    assert_false(parse("gcc -g -fdebug-prefix-map=" DIRECTORY "=. -c a.c")->directory_shows);
    variables[0] = "CPATH";
    variables[1] = DIRECTORY "/include";
    assert_true(parse("gcc -g -fdebug-prefix-map=" DIRECTORY "=. -c a.c")->directory_shows);
    variables[0] = NULL;
}

static const char *preprocess(const char *line)
{
    struct command *command = parse(line);
    size_t count = 0;

    if (!command->preprocess_argv)
        return NULL;
    while (command->preprocess_argv[count])
        count++;
    return join((const char *const *)command->preprocess_argv, count);
}

static void test_preprocess(void **state)
{
    (void)state;
    assert_string_equal(preprocess("gcc -O2 -DX -c a.c -o x.o -MD -MF q -MT t -Wall"),
                        "gcc -E -O2 -DX a.c -Wall");
    assert_string_equal(preprocess("gcc -Wp,-MD,q -c a.S -fdiagnostics-color -save-temps"),
                        "gcc -E a.S -fdiagnostics-color");
    assert_string_equal(preprocess("clang -c --serialize-diagnostics x -- a.c"), "clang -E -- a.c");
    assert_null(preprocess("gcc -c a.i"));
    assert_true(parse("gcc -c a.i")->source_is_text);
    assert_null(preprocess("gcc -c a.s"));
    assert_true(parse("gcc -c a.s")->source_is_text);
    assert_null(preprocess("clang -c a.c -Xclang -unknown"));
}

static void test_unwatched(void **state)
{
    static const char *const allowed[] = {
        "gcc -c a.c",
        ("gcc -std=gnu11 -O2 -g -Wall -Wextra -Iinc -isystem /x -DX=1 -UY -include z.h -fPIC "
         "-fno-strict-aliasing -m64 -march=x86-64-v2 -MD -MF q -MQ z -o a.o -c a.c"),
        "clang++ --target=x86_64-linux-gnu -stdlib=libc++ -c a.cc", "gcc -Wp,-MMD,x -c a.c"};
    static const char *const denied[][2] = {
        {"gcc -march=native -c a.c", "-march=native"},
        {"gcc -c a.c -fplugin=x.so", "-fplugin=x.so"},
        {"gcc -c a.c -B x", "-B"},
        {"gcc -c a.s", "a.s"},
        {"gcc -c a.c -fno-unheard", "-fno-unheard"},
        {"gcc -c a.c -specs=x", "-specs=x"},
        {"gcc -c a.c -Wa,-I,x", "-Wa,-I,x"},
        {"gcc -c a.c -quux", "-quux"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(allowed) / sizeof(allowed[0]); i++) {
        struct command *command = parse(allowed[i]);
        same_text(allowed[i], command->unwatched_word, NULL);
        assert_true(command->allow_unwatched);
    }
    for (size_t i = 0; i < sizeof(denied) / sizeof(denied[0]); i++) {
        struct command *command = parse(denied[i][0]);
        same_text(denied[i][0], command->unwatched_word, denied[i][1]);
        assert_false(command->allow_unwatched);
    }
}

static void test_names(void **state)
{
    static const char *const compilers[] = {"gcc",
                                            "g++",
                                            "cc",
                                            "c++",
                                            "clang",
                                            "clang++",
                                            "clang-14",
                                            "gcc-12",
                                            "x86_64-linux-gnu-gcc",
                                            "x86_64-linux-gnu-g++-12",
                                            "rustc",
                                            "c99",
                                            "clang++-14.0.6"};
    static const char *const others[] = {"",   "gcc-ar", "gcc-ar-12", "c++filt", "distcc", "clang-format",
                                         "ld", "ccache", "clang-",    "-gcc",    "gcc-x"};

    (void)state;
    for (size_t i = 0; i < sizeof(compilers) / sizeof(compilers[0]); i++) {
        if (!frontend_is_compiler_name(compilers[i]))
            fail_msg("%s", compilers[i]);
    }
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        if (frontend_is_compiler_name(others[i]))
            fail_msg("%s", others[i]);
    }
    assert_ptr_equal(frontend_find("gcc", "/usr/bin/x86_64-linux-gnu-gcc-12"), &frontend_gcc);
    assert_ptr_equal(frontend_find("/usr/bin/clang", NULL), &frontend_clang);
    assert_ptr_equal(frontend_find("cc", "/usr/lib/llvm-14/bin/clang"), &frontend_clang);
    assert_ptr_equal(frontend_find("gcc", "/usr/lib/llvm-14/bin/clang"), &frontend_clang);
    assert_ptr_equal(frontend_find("clang", "/opt/launcher"), &frontend_clang);
    assert_ptr_equal(frontend_find("wrapper.sh", "/x/wrapper.sh"), &frontend_gcc);
}

/* Nothing that a user may type ends the server. */
static void test_random(void **state)
{
    uint32_t seed = 7;

    (void)state;
    for (int i = 0; i < 20000; i++) {
        char *line = arena_strdup(&arena, i & 1 ? "gcc" : "clang");
        seed = seed * 1664525 + 1013904223;
        for (uint32_t words = (seed >> 8) % 8; words; words--) {
            const struct c_option_table *table = words & 1 ? &c_options_common : &c_options_clang;
            seed = seed * 1664525 + 1013904223;
            line = arena_printf(&arena, "%s %s%s", line, table->rows[(seed >> 8) % table->count].name,
                                seed & 0x80   ? " a.c"
                                : seed & 0x40 ? ","
                                              : "");
        }
        parse(line);
        parse(arena_printf(&arena, "%s -c a.c", line));
        arena_release(&arena);
    }
}

static int teardown(void **state)
{
    (void)state;
    arena_release(&arena);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tables_are_sorted),
        cmocka_unit_test(test_longest_name),
        cmocka_unit_test(test_reasons),
        cmocka_unit_test(test_languages),
        cmocka_unit_test(test_outputs),
        cmocka_unit_test(test_key),
        cmocka_unit_test(test_key_of_response_file),
        cmocka_unit_test(test_shows),
        cmocka_unit_test(test_prefix_maps),
        cmocka_unit_test(test_preprocess),
        cmocka_unit_test(test_unwatched),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_random),
    };
    return cmocka_run_group_tests(tests, NULL, teardown);
}
