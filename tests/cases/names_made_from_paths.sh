# clang makes names of functions from a digest of the source's path: two folders don't share.
. "$(dirname "$0")/lib.sh"
needs clang

mkdir A B
echo 'static int f(int a) { return a * 3; } int (*p)(int) = f;' | tee A/x.c >B/x.c
for words in -funique-internal-linkage-names "-O2 -funique-internal-linkage-names" "-O2 -fpseudo-probe-for-profiling"; do
    for folder in A B A; do
        cd "$WORK/$folder" || exit 1
        # shellcheck disable=SC2086
        clang $words -c "$PWD/x.c" -o want.o || skip "this clang has no $words"
        # shellcheck disable=SC2086
        "$CW" clang $words -c "$PWD/x.c" -o x.o || fail "$words"
        equal want.o x.o "$words in $folder"
    done
done
exit 0
