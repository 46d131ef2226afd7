/* What rustc's command lines mean. */
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

#include "common/buf.h"
#include "server/compilers/rustc.h"
#include "server/compilers/rustc_options.h"

static struct arena arena;
static const char *variable; /* the one that is set */
static char folder[] = "/tmp/ccwrap-rustc-XXXXXX";
static int directory;

static const char *get_variable(void *environment, const char *name)
{
    (void)environment;
    return variable && strcmp(variable, name) == 0 ? "1" : NULL;
}

/* Words parted by blanks; the first is the program. */
static struct command parse(const char *text)
{
    char *words = arena_strdup(&arena, text), *save = NULL, **argv = ARENA_ARRAY(&arena, char *, 64);
    struct invocation invocation = {.argv = argv,
                                    .program = "/usr/bin/rustc",
                                    .directory = directory,
                                    .directory_path = "/w/member",
                                    .getenv = get_variable};
    struct command command = {0};

    for (char *word = strtok_r(words, " ", &save); word; word = strtok_r(NULL, " ", &save))
        argv[invocation.argc++] = word;
    frontend_rustc.parse(&invocation, &arena, &command);
    return command;
}

static void assert_reason(const char *text, enum reason reason)
{
    struct command command = parse(text);

    if (command.reason != reason)
        fail_msg("%s: %s, not %s", text, reason_name(command.reason), reason_name(reason));
}

static const char *key_of(const char *text)
{
    struct command command = parse(text);
    struct buf key = BUF_INIT;

    assert_int_equal(command.reason, REASON_NONE);
    for (size_t i = 0; i < command.key_word_count; i++)
        buf_addf(&key, "%s%s", i ? " " : "", command.key_words[i]);
    const char *copy = arena_strndup(&arena, key.data, key.length);
    buf_release(&key);
    return copy;
}

static void test_reasons(void **state)
{
    (void)state;
    assert_reason("rustc a.rs", REASON_NONE);
    assert_reason("rustc --crate-type lib -C opt-level=3 -gO a.rs", REASON_NONE);
    assert_reason("rustc -vV", REASON_QUESTION);
    assert_reason("rustc --version", REASON_QUESTION);
    assert_reason("rustc --print sysroot", REASON_QUESTION);
    assert_reason("rustc --print=cfg a.rs", REASON_QUESTION);
    assert_reason("rustc - --crate-name ___ --print=file-names", REASON_QUESTION);
    assert_reason("rustc -C help", REASON_QUESTION);
    assert_reason("rustc -Whelp", REASON_QUESTION);
    assert_reason("rustc --explain E0001", REASON_QUESTION);
    assert_reason("rustc - --crate-type lib", REASON_STDIN);
    assert_reason("rustc --crate-type lib", REASON_NO_INPUT);
    assert_reason("rustc a.rs b.rs", REASON_MULTIPLE_SOURCES);
    assert_reason("rustc --no-such a.rs", REASON_ARGUMENTS);
    assert_reason("rustc --test=1 a.rs", REASON_ARGUMENTS);
    assert_reason("rustc a.rs --out-dir", REASON_ARGUMENTS);
    assert_reason("rustc -q a.rs", REASON_ARGUMENTS);
    assert_reason("rustc @missing", REASON_ARGUMENTS);
    assert_reason("rustc /dev/stdin", REASON_DESCRIPTOR);
    assert_reason("rustc -o /dev/fd/3 a.rs", REASON_DESCRIPTOR);
    assert_reason("rustc --emit=link=/proc/self/fd/3 a.rs", REASON_DESCRIPTOR);
    assert_reason("rustc -Zthreads=8 a.rs", REASON_OPTION);
    assert_reason("rustc -Zthreads=1 a.rs", REASON_NONE);
    assert_reason("rustc -Z self_profile a.rs", REASON_OPTION);
    assert_reason("rustc -- -a.rs", REASON_NONE);
    variable = "RUSTC_LOG";
    assert_reason("rustc a.rs", REASON_OPTION);
    variable = NULL;
}

static void test_wrapped(void **state)
{
    (void)state;
    assert_true(rustc_is_wrapped((char *[]){"clippy-driver", "/s/bin/rustc", "a.rs", NULL}));
    assert_true(rustc_is_wrapped((char *[]){"/x/wrapper", "rustc", NULL}));
    assert_true(rustc_is_wrapped((char *[]){"clippy-driver", "a.rs", NULL}));
    assert_false(rustc_is_wrapped((char *[]){"rustc", "rustc", NULL}));
    assert_false(rustc_is_wrapped((char *[]){"gcc", "rustc", NULL}));
    assert_false(rustc_is_wrapped((char *[]){"/x/wrapper", "a.c", NULL}));
    assert_false(rustc_is_wrapped((char *[]){"/x/wrapper", NULL}));
    assert_string_equal(parse("clippy-driver /s/bin/rustc a.rs").source, "a.rs");
    assert_string_equal(key_of("/x/wrapper rustc a.rs"), "/x/wrapper rustc a.rs");
}

static void assert_ground(const char *words, const char *ground, const char *text)
{
    struct command command = parse(words);

    assert_int_equal(command.reason, REASON_NONE);
    if (!ground) {
        assert_null(command.ground);
        return;
    }
    assert_non_null(command.ground);
    assert_string_equal(command.ground, ground);
    assert_string_equal(command.ground_text, text);
}

static void test_ground(void **state)
{
    (void)state;
    assert_ground("rustc a.rs", NULL, NULL);
    assert_ground("rustc --out-dir /t/debug/deps a.rs", "/t/debug", "/t/debug");
    assert_ground("rustc --out-dir /t/debug/deps/ a.rs", "/t/debug", "/t/debug");
    assert_ground("rustc --out-dir=/t/debug/build/x-1 a.rs", "/t/debug", "/t/debug");
    assert_ground("rustc --out-dir /t/debug/examples a.rs", "/t/debug", "/t/debug");
    assert_ground("rustc --out-dir /t/other a.rs", "/t/other", "/t/other");
    assert_ground("rustc --out-dir out a.rs", "/w/member/out", "out");
    assert_ground("rustc --out-dir t/deps a.rs", "/w/member/t", "t");
    assert_ground("rustc --out-dir deps a.rs", "/w/member/deps", "deps");
    assert_ground("rustc --out-dir . a.rs", NULL, NULL);
    assert_ground("rustc --out-dir ../t a.rs", NULL, NULL);
    assert_ground("rustc --out-dir /t/../u a.rs", NULL, NULL);
    assert_ground("rustc --out-dir / a.rs", NULL, NULL);
    assert_ground("rustc --out-dir /t/q\"x a.rs", NULL, NULL);
    assert_ground("rustc --remap-path-prefix=/w=/x --out-dir /w/member/t/deps a.rs", "/w/member",
                  "/w/member");
    assert_ground("rustc --remap-path-prefix=/w=/x --out-dir /t/deps a.rs", NULL, NULL);
}

#define MARK RUSTC_GROUND_MARK

static void test_key(void **state)
{
    (void)state;
    assert_string_equal(key_of("rustc --out-dir /t/debug/deps -L dependency=/t/debug/deps -Lnative=/t/debug2 "
                               "--extern a=/t/debug/deps/liba.rmeta --extern priv:b=/u/libb.rlib a.rs"),
                        "rustc --out-dir " MARK "/deps -Ldependency=" MARK
                        "/deps -Lnative=/t/debug2 --extern a=" MARK
                        "/deps/liba.rmeta --extern priv:b=/u/libb.rlib a.rs");
    assert_string_equal(key_of("rustc -C incremental=/t/inc -Cmetadata=1 a.rs"),
                        "rustc -Cincremental -Cmetadata=1 a.rs");
    assert_string_equal(key_of("rustc --color always --diagnostic-width=80 a.rs"), "rustc a.rs");
    assert_string_equal(key_of("rustc -L /t/x --out-dir /t/x a.rs"),
                        "rustc -L" MARK " --out-dir " MARK " a.rs");
}

/* Two words that differ are two keys, whatever the word. */
static void test_key_differs(void **state)
{
    static const char *const lines[] = {
        "rustc a.rs",
        "rustc -g a.rs",
        "rustc -O a.rs",
        "rustc --cfg x --cfg y a.rs",
        "rustc --cfg y --cfg x a.rs",
        "rustc -l static=x a.rs",
        "rustc -l x a.rs",
        "rustc --extern a=/x/liba.rlib --extern b=/x/libb.rlib a.rs",
        "rustc --extern b=/x/liba.rlib --extern a=/x/libb.rlib a.rs",
        "rustc -C incremental=/x a.rs",
        "rustc --json=artifacts a.rs",
        "rustc --emit=metadata a.rs",
        "rustc --emit=metadata=x a.rs",
        "rustc -A warnings a.rs",
        "rustc --edition 2021 a.rs",
        "rustc --edition 2018 a.rs",
        "rustc --test a.rs",
        "clippy-driver rustc a.rs",
        "rustc --sysroot /x a.rs",
        "rustc --out-dir /x/deps a.rs",
        "rustc --out-dir /x/examples a.rs",
        "rustc b.rs",
    };

    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(key_of(lines[i]), key_of(lines[j]));
}

static void test_facts(void **state)
{
    struct command command = parse("rustc -Ctarget-cpu=native -Cincremental=/i -L dependency=/d -L native=/n "
                                   "--diagnostic-width=9 -o x a.rs");

    (void)state;
    assert_int_equal(command.reads_jobserver, READS_JOBSERVER_YES);
    assert_true(command.processor_shows);
    assert_true(command.directory_shows);
    assert_true(command.output_shows);
    assert_string_equal(command.output[OUTPUT_OBJECT], "x");
    assert_string_equal(command.private_folder, "/i");
    assert_string_equal(command.silent[0], "/d");
    assert_null(command.silent[1]);
    assert_string_equal(command.message_words, "diagnostic-width=9 ");
    assert_false(parse("rustc --remap-path-prefix=/w=/x a.rs").directory_shows);
    assert_true(parse("rustc --remap-path-prefix=/other=/x a.rs").directory_shows);
    assert_true(parse("rustc --remap-path-prefix=/w=/x --remap-path-scope=macro a.rs").directory_shows);
    assert_false(parse("rustc -Ctarget-cpu=x86-64 a.rs").processor_shows);
}

static void test_argument_file(void **state)
{
    int fd = openat(directory, "args", O_WRONLY | O_CREAT | O_TRUNC, 0600);
    static const char text[] = "--cfg\nfeature=\"a b\"\r\n-O\n\n";

    (void)state;
    assert_int_equal(write(fd, text, sizeof text - 1), sizeof text - 1);
    close(fd);
    struct command command = parse("rustc @args a.rs");
    assert_int_equal(command.reason, REASON_MULTIPLE_SOURCES); /* the empty line is a word, as rustc has it */
    fd = openat(directory, "args", O_WRONLY | O_TRUNC);
    assert_int_equal(write(fd, text, sizeof text - 3), sizeof text - 3);
    close(fd);
    assert_string_equal(key_of("rustc @args a.rs"), "rustc --cfg feature=\"a b\" -O a.rs");
    command = parse("rustc @args a.rs");
    assert_string_equal(command.silent[0], "args");
    unlinkat(directory, "args", 0);
}

static void test_tables_are_sorted(void **state)
{
    size_t count = 0;
    const struct rustc_option *rows;
    int number = 0;

    (void)state;
    for (; (rows = rustc_option_table(number, &count)); number++)
        for (size_t i = 1; i < count; i++)
            assert_true(strcmp(rows[i - 1].name, rows[i].name) < 0);
    assert_int_equal(number, 4);
    assert_non_null(rustc_option_long("out-dir", 7));
    assert_null(rustc_option_long("out", 3));
    assert_null(rustc_option_long("out_dir", 7));
    assert_non_null(rustc_option_codegen("target_cpu", 10));
}

static int setup(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    directory = open(folder, O_PATH | O_DIRECTORY);
    return directory < 0 ? -1 : 0;
}

static int teardown(void **state)
{
    (void)state;
    close(directory);
    arena_release(&arena);
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reasons),       cmocka_unit_test(test_wrapped),
        cmocka_unit_test(test_ground),        cmocka_unit_test(test_key),
        cmocka_unit_test(test_key_differs),   cmocka_unit_test(test_facts),
        cmocka_unit_test(test_argument_file), cmocka_unit_test(test_tables_are_sorted),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
