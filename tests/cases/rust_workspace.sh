# A workspace with a build script that compiles C, a procedural macro, all crate types and tests, by cargo: the second
# build into a clean target folder, or another, runs no rustc; files are as without a cache; cargo settles.
. "$(dirname "$0")/lib.sh"
. "$CASES/../support/rust_trees.sh"

needs cargo rustc gcc ar
only_ccwrap
export CARGO_NET_OFFLINE=true CARGO_TERM_COLOR=never
unset CARGO_TARGET_DIR RUSTFLAGS CARGO_INCREMENTAL
build() { # tree, variables…: the log of cargo in $TOP/cargo
    local tree=$1
    shift
    (cd $tree && env "$@" timeout 120 cargo build --all-targets >"$TOP/cargo" 2>&1) || fail "cargo build in $tree: $(tail -n 3 "$TOP/cargo")"
    grep -i jobserver "$TOP/cargo" && fail "cargo complains of the jobserver"
    cp "$TOP/cargo" "$TOP/first"
    (cd $tree && env "$@" cargo build --all-targets >"$TOP/cargo" 2>&1)
    grep -q Compiling "$TOP/cargo" && fail "$tree: an idle build compiles: $(grep Compiling "$TOP/cargo" | head -n 1)"
}
same_files() { # what two folders of outputs hold, but for cargo's own
    local file
    (cd $1 && find . -type f \( -path '*/deps/*' -o -path './debug/app' -o -name 'build[-_]script*' \) | sort) >"$TOP/files"
    (cd $2 && find . -type f \( -path '*/deps/*' -o -path './debug/app' -o -name 'build[-_]script*' \) | sort) | cmp -s - "$TOP/files" || fail "$3: other files"
    while IFS= read -r file; do
        case $4$file in incremental*.rlib | incremental*.a) continue ;; esac # member names are drawn anew
        cmp -s "$1/$file" "$2/$file" || fail "$3: $file differs"
    done <"$TOP/files"
}
plain_build() { RUSTC_WRAPPER= build "$@"; }
wrapped() { RUSTC_WRAPPER=$CW build "$@"; }
workspace tree c
for incremental in 0 1; do
    rm -rf tree/target; fresh
    plain_build tree CARGO_INCREMENTAL=$incremental
    rm -rf want; mv tree/target want
    word=; [ $incremental = 0 ] || word=incremental
    wrapped tree CARGO_INCREMENTAL=$incremental
    same_files want tree/target "by a miss" $word
    missed=$(misses); [ "$missed" -ge 13 ] || fail "only $missed misses"
    rm -rf tree/target
    wrapped tree CARGO_INCREMENTAL=$incremental
    same_files want tree/target "by a hit" $word
    [ "$(misses)" = "$missed" ] || fail "the second build compiles: $(misses) misses, not $missed"
    [ "$(hits)" -ge 13 ] || fail "only $(hits) hits"
    [ "$(tree/target/debug/app)" = "9 10" ] || fail "the program says $(tree/target/debug/app)"
    sed -i 's/2/3/' tree/base/deep.c
    wrapped tree CARGO_INCREMENTAL=$incremental
    [ "$(tree/target/debug/app)" = "10 10" ] || fail "changed C: the program says $(tree/target/debug/app)"
    sed -i 's/3/2/' tree/base/deep.c
    echo 17 >tree/base/src/number.txt; touch tree/base/src/lib.rs
    wrapped tree CARGO_INCREMENTAL=$incremental
    [ "$(tree/target/debug/app)" = "19 10" ] || fail "the macro's file: the program says $(tree/target/debug/app)"
    echo 7 >tree/base/src/number.txt; touch tree/base/src/lib.rs
    wrapped tree CARGO_INCREMENTAL=$incremental
    [ "$(tree/target/debug/app)" = "9 10" ] || fail "back again: the program says $(tree/target/debug/app)"
done
# another target folder: all but what holds the folder's name
fresh
rm tree/base/deep.c
wrapped tree CARGO_INCREMENTAL=0 CARGO_TARGET_DIR=$WORK/one
missed=$(misses)
wrapped tree CARGO_INCREMENTAL=0 CARGO_TARGET_DIR=$WORK/two
[ "$(misses)" = "$missed" ] || fail "another target folder: $(($(misses) - missed)) misses"
grep -l "$WORK/one" two/debug/deps/*.d && fail "dep-info names the other target folder"
# two checkouts, mapped to one name
fresh
workspace left; workspace right
sed -i 's/mac::number!()/7/' left/base/src/lib.rs right/base/src/lib.rs # it reads a variable that names the checkout
wrapped left CARGO_INCREMENTAL=0 RUSTFLAGS="--remap-path-prefix=$WORK/left=/w"
missed=$(misses)
plain_build right CARGO_INCREMENTAL=0 RUSTFLAGS="--remap-path-prefix=$WORK/right=/w"
rm -rf want; mv right/target want
wrapped right CARGO_INCREMENTAL=0 RUSTFLAGS="--remap-path-prefix=$WORK/right=/w"
same_files want right/target "the other checkout"
[ $(($(misses) - missed)) = 0 ] || fail "mapped checkouts: $(($(misses) - missed)) misses"
grep -l "$WORK/left" right/target/debug/deps/*.d && fail "dep-info names the other checkout"
if command -v clippy-driver >/dev/null; then
    (cd right && RUSTC_WRAPPER=$CW cargo clippy >"$TOP/cargo" 2>&1) || fail "clippy: $(tail -n 1 "$TOP/cargo")"
    hit=$(hits)
    rm -rf right/target
    (cd right && RUSTC_WRAPPER=$CW cargo clippy >"$TOP/again" 2>&1) || fail "clippy: $(tail -n 1 "$TOP/again")"
    [ "$(hits)" -gt "$hit" ] || fail "clippy: no hits"
    said() { grep -v -E '^ +(Checking|Compiling|Finished|Blocking) ' "$1" | sort; }
    diff <(said "$TOP/cargo") <(said "$TOP/again") || fail "clippy says something else from the cache"
fi
exit 0
