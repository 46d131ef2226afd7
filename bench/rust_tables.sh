# Tables of rustc and cargo. Sourced by run, after tables.sh.

. "$root/tests/support/rust_trees.sh"

# As cargo calls it: the compiler itself, not rustup's stand-in for it.
find_rustc() {
    command -v rustc >/dev/null || { echo "no rustc"; return 1; }
    rustc=$(rustc --print sysroot)/bin/rustc
}

# add_crate NAME EVERY CACHES SOURCE WORDS…: rustc's words as cargo gives them, from each cache into a folder of its own
add_crate() {
    local name=$1 every=$2 caches=$3 source=$4 cache out server file
    shift 4
    for cache in $caches; do
        local path=${!cache}
        [ "$cache" = rustc ] || [ -n "$path" ] || continue
        out=$folder/crates/$cache/debug/deps
        mkdir -p "$out"
        local words=("$rustc" --crate-name "$name" --edition=2021 "$source" --error-format=json --json=diagnostic-rendered-ansi,artifacts
            -C embed-bitcode=no -C debuginfo=2 -C metadata=0123456789abcdef -C extra-filename=-0123456789abcdef --out-dir "$out"
            -L dependency="$out" "${@//OUT/$out}")
        [ "$cache" = rustc ] || words=("$path" "${words[@]}")
        warm "${words[@]}" 2>rust.log || { cat rust.log; return 1; }
        file=$(ls "$out"/*"$name"-0123456789abcdef{.rlib,} 2>/dev/null | head -n 1)
        case $cache in
        ccwrap) server=$(server_of_ccwrap) ;;
        sccache) server=$(server_of_sccache) ;;
        rustc) server=0 ;;
        esac
        [ "$cache" = rustc ] && add "$name: bare rustc" $((every * 10)) 0 "$file" "${words[@]}" ||
            add "$name: $cache" "$every" "$server" "$file" "${words[@]}"
    done
    for file in crates/rustc/debug/deps/*"$name"-*; do
        case $file in *.d) continue ;; esac # it names the folder
        cmp "$file" "crates/ccwrap/debug/deps/${file##*/}" || return 1
    done
    echo "$name: $(du -cb crates/rustc/debug/deps/*"$name"-* | tail -n 1 | cut -f1) bytes in $(ls crates/rustc/debug/deps/*"$name"-* | wc -l) files"
}

table_rust() {
    find_rustc || return 1
    begin_spec
    echo 'pub fn one() -> u32 { 1 }' >trivial.rs
    for i in $(seq 400); do
        echo "#[derive(Debug, Clone, PartialEq, Default)] pub struct S$i<T> { pub a: Vec<T>, pub b: String } pub fn f$i() -> String { format!(\"{:?}\", S$i::<u32>::default()) }"
    done >large.rs
    echo 'fn main() { println!("{}", trivial::one()) }' >program.rs
    local crate=(--crate-type lib --emit=dep-info,metadata,link)
    add_crate trivial 1 "rustc ccwrap sccache" trivial.rs "${crate[@]}" || return 1
    add_crate large 1 "rustc ccwrap sccache" large.rs "${crate[@]}" --extern trivial=OUT/libtrivial-0123456789abcdef.rmeta || return 1
    # sccache doesn't keep programs
    add_crate program 1 "rustc ccwrap" program.rs --crate-type bin --emit=dep-info,link --extern trivial=OUT/libtrivial-0123456789abcdef.rlib || return 1
    local before=$(counter direct_cache_hit)
    measure "$rounds" 2>rust.log || { tail -n 3 rust.log; return 1; }
    echo "hits counted: $(($(counter direct_cache_hit) - before)) of $((3 * rounds)) asked"
}

# --- whole builds by cargo ---

# A wrapper that runs rustc and keeps what it made, for copy_crate.
make_recording() {
    cat >record <<'R'
#!/bin/bash
name= extra= out= previous=
for word; do
    case $previous in --crate-name) name=$word ;; --out-dir) out=$word ;; esac
    case $word in extra-filename=*) extra=${word#*=} ;; esac
    previous=$word
done
[ -n "$name" ] && [ -n "$out" ] || exec "$@"
mkdir -p "$CRATE_COPIES/$name$extra"
"$@" 2> >(tee "$CRATE_COPIES/$name$extra/stderr" >&2) || exit
for file in "$out"/{lib,}"$name$extra"{,.*}; do
    [ ! -f "$file" ] || cp "$file" "$CRATE_COPIES/$name$extra"
done
R
    chmod +x record
}
cargo_time() { # wrapper: milliseconds of a build into an empty target folder, with one decimal
    local begun
    rm -rf tree/target
    begun=$(date +%s%N)
    (cd tree && RUSTC_WRAPPER=$1 cargo build) >cargo.log 2>&1 </dev/null || { tail -n 5 cargo.log >&2; return 1; }
    milliseconds "$begun"
}
median_of() { printf '%s\n' "$@" | sort -n | sed -n "$((($# + 1) / 2))p"; }
cargo_row() { # name, times…
    local name=$1
    shift
    printf '%-34s %12s ms   (%s)\n' "$name" "$(median_of "$@")" "$*"
    row "{\"name\": \"$name\", \"ms\": $(median_of "$@")}"
}

table_cargo() {
    find_rustc || return 1
    local turns=$((rounds / 50 > 3 ? rounds / 50 : 3)) plain copied=() cached=() theirs=() i
    rm -rf tree
    if fetch_fd_find "$out/sources"; then cp -a "$out/sources/fd-find" tree; else workspace tree; fi
    $static -std=c11 -D_GNU_SOURCE -O2 -static -s -I"$root" -o copy_crate "$here/copy_crate.c" || return 1
    make_recording
    export CRATE_COPIES=$folder/copies CARGO_NET_OFFLINE=true CARGO_INCREMENTAL=0
    unset CARGO_TARGET_DIR RUSTFLAGS
    plain=$(cargo_time "") && cargo_time "$folder/record" >/dev/null && cargo_time "$ccwrap" >/dev/null || return 1
    [ -z "$sccache" ] || cargo_time "$sccache" >/dev/null || return 1
    local misses=$(counter cache_miss)
    for ((i = 0; i < turns; i++)); do
        copied+=("$(cargo_time "$folder/copy_crate")")
        cached+=("$(cargo_time "$ccwrap")")
        [ -z "$sccache" ] || theirs+=("$(cargo_time "$sccache")")
    done
    begin_rows
    cargo_row "cargo alone, cold" "$plain"
    cargo_row "files copied only" "${copied[@]}"
    cargo_row "ccwrap, warm" "${cached[@]}"
    [ -z "$sccache" ] || cargo_row "sccache, warm" "${theirs[@]}"
    echo "misses of ccwrap in the warm builds: $(($(counter cache_miss) - misses))"
    end_rows
    unset CRATE_COPIES
    rm -rf tree copies
}
