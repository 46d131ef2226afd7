# __TIME__, __DATE__ and __TIMESTAMP__ never come from the past.
. "$(dirname "$0")/lib.sh"

echo 'const char *t = __TIME__;' >time.c
echo '#define T __TIME__' >t.h
printf '#include "t.h"\nconst char *t = T;\n' >header.c
echo 'int not__TIME__here; /* __TIME__ __DATE__ */' >word.c
echo 'const char *d = __DATE__;' >date.c
echo 'const char *s = __TIMESTAMP__;' >stamp.c
for cc in gcc clang; do
    for source in time.c header.c; do
        "$CW" $cc -c $source -o one.o; sleep 1.1; "$CW" $cc -c $source -o two.o
        cmp -s one.o two.o && fail "$cc $source: the time stands still"
    done
    rm -f ./*.o
    "$CW" $cc '-DT=__TIME__' -Wno-builtin-macro-redefined -x c -c time.c -o one.o || fail "status"
    rm -f ./*.o
    miss_hit $cc -c word.c -o o.o
    [ $cc = clang ] || for stamp in 1000000000 1000000001 1100000000 1000000000; do # clang 14 doesn't know it
        same SOURCE_DATE_EPOCH=$stamp $cc -c time.c -o o.o
        same SOURCE_DATE_EPOCH=$stamp $cc -c date.c -o o.o
    done
    for date in 2020-01-01 2021-02-02 2020-01-01; do touch -d $date stamp.c; same $cc -c stamp.c -o o.o; done
    printf '// %s\n' $cc >>word.c
done
