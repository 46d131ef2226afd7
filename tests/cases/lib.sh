# Prelude of the cases: a folder, a store and a server of the case's own, and words to say what is expected.
#
# A case is a bash script that sources this file first, and works in $WORK. The wrapper under test is $CW
# (default: ccwrap of the folder `build`); CW=plain tries the expectations on the compilers alone, CW=ccache on
# another cache. A case ends with status 0, 77 (skipped) or 1 (failed), and then says why on its last line.
#
#   needs WORD…             skip unless these programs are there
#   same [K=V|!K]… CC ARG…  run plainly, then through the wrapper: status, both streams and every file that
#                           was written, changed or removed below $WORK must be the same
#   hit … / miss … / neither …   the same, and the counters must say so
#   miss_hit … / twice …    miss then hit / same twice, whatever the counters say
#   equal A B WHAT          the two files are the same
#
# K=V sets a variable of the environment of that one run, !K removes it.

CASES=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
CASE=$(basename "$0" .sh)
CW=${CW:-$CASES/../../build/ccwrap}
case $CW in
plain) CW=$CASES/plain ;;
*/*) CW=$(cd "$(dirname "$CW")" && pwd)/$(basename "$CW") ;;
*) CW=$(command -v "$CW") || { echo "no wrapper to test: set CW"; exit 1; } ;;
esac
KIND=$(basename "$CW")

TOP=$(mktemp -d "${TMPDIR:-/tmp}/cw-$CASE.XXXXXX")
WORK=$TOP/work
ASIDE=$TOP/aside
STORE=$TOP/store
export TOP WORK STORE CW KIND
mkdir "$WORK" "$ASIDE"
cd "$WORK" || exit 1

for name in $(compgen -e CCWRAP_) $(compgen -e CCACHE_); do
    [ "$name" = CCWRAP_BUILD ] || unset "$name"
done
unset MAKEFLAGS MFLAGS CPATH C_INCLUDE_PATH CPLUS_INCLUDE_PATH SOURCE_DATE_EPOCH RUSTC_WRAPPER
export LC_ALL=C.UTF-8 CCWRAP_CONFIG=/dev/null CCWRAP_DIR=$STORE CCACHE_DIR=$STORE

# --- ends ----------------------------------------------------------------------------------------------------

fail() { echo "FAIL: $*"; exit 1; }
skip() { echo "SKIP: $*"; exit 77; }
needs() {
    local program
    for program; do command -v "$program" >/dev/null || skip "no $program"; done
}
only_ccwrap() { [ "$KIND" = ccwrap ] || skip "says something of ccwrap alone"; }

# Processes of this case's server: they show the store on their command line.
servers() {
    local folder line
    for folder in /proc/[0-9]*; do
        [ "$(cat "$folder/comm" 2>/dev/null)" = ccwrap-server ] || continue
        line=$(tr '\0' ' ' <"$folder/cmdline" 2>/dev/null)
        case $line in *"$TOP"*) echo "${folder#/proc/}" ;; esac
    done
}
stop_server() { [ "$KIND" != ccwrap ] || "$CW" --stop-server >/dev/null 2>&1 </dev/null; }
# Ends the server and forgets all that is stored and counted.
fresh() { stop_server; rm -rf "$STORE"; }
at_exit() {
    local server
    stop_server
    for server in $(servers); do kill -CONT "$server"; kill -9 "$server"; done 2>/dev/null
    cd / && rm -rf "$TOP"
}
trap at_exit EXIT

# --- counters ------------------------------------------------------------------------------------------------

counter() { "$CW" --print-stats 2>/dev/null | awk -v name="$1" '$1 == name { n = $2 } END { print n + 0 }'; }
# "direct preprocessed missed"
counters() {
    { "$CW" --print-stats || echo "--print-stats: status $?" >&2; } |
        awk '$1 == "direct_cache_hit" { d = $2 } $1 == "preprocessed_cache_hit" { p = $2 }
             $1 == "cache_miss" { m = $2 } END { print d + 0, p + 0, m + 0 }'
}
hits() { counters | { read -r d p _; echo $((d + p)); }; }
misses() { counters | { read -r _ _ m; echo "$m"; }; }

# --- one run -------------------------------------------------------------------------------------------------

# name, kind, inode and time stamps of all below $WORK
manifest() { (cd "$WORK" && find . ! -type d -printf '%P\t%y\t%i\t%T@\t%C@\n' | sort); }

# run_aside LABEL [K=V|!K]… COMMAND…: runs it, moves all that it wrote to $ASIDE/LABEL, and leaves $WORK as
# it was. `listing` there names each file that was written, changed or removed, with its mode.
run_aside() {
    local label=$1 to=$ASIDE/$1 file changed
    shift
    local environment=()
    while :; do
        case $1 in
        !*) environment=(-u "${1#!}" "${environment[@]}") ;;
        [A-Za-z_]*=*) environment+=("$1") ;;
        *) break ;;
        esac
        shift
    done
    rm -rf "$to" "$ASIDE/before"
    mkdir -p "$to/files"
    cp -a "$WORK" "$ASIDE/before"
    manifest >"$ASIDE/manifest"
    [ "$label" = plain ] || set -- "$CW" "$@"
    env "${environment[@]}" "$@" >"$to/stdout" 2>"$to/stderr" </dev/null
    echo $? >"$to/status"
    manifest >"$ASIDE/manifest.after"
    changed=$(diff "$ASIDE/manifest" "$ASIDE/manifest.after" | sed -n 's/^[<>] \([^\t]*\)\t.*/\1/p' | sort -u)
    : >"$to/listing"
    [ -z "$changed" ] || while IFS= read -r file; do put_aside "$to" "$file"; done <<<"$changed"
}
put_aside() {
    local to=$1 file=$2
    if [ -e "$WORK/$file" ] || [ -L "$WORK/$file" ]; then
        (cd "$WORK" && stat -c '%n %F %a' "$file" | sed 's/regular empty file/regular file/') >>"$to/listing"
        mkdir -p "$(dirname "$to/files/$file")"
        mv "$WORK/$file" "$to/files/$file"
    else
        echo "$file removed" >>"$to/listing"
    fi
    if [ -e "$ASIDE/before/$file" ] || [ -L "$ASIDE/before/$file" ]; then
        cp -a "$ASIDE/before/$file" "$WORK/$file"
    fi
}

# Files whose content differs between two plain runs (times, addresses): only their names are compared.
unstable() { case $1 in *.json | *.opt-record.json.gz | *.gch | *.cgraph) true ;; *) false ;; esac; }

# The driver's names for temporary files are drawn anew by each run, and show in messages and depfiles.
equal_but_for_temporaries() {
    cmp -s "$1" "$2" || cmp -s <(without_temporaries "$1") <(without_temporaries "$2")
}
without_temporaries() { sed -E 's,/tmp/cc[A-Za-z0-9]{6},/tmp/ccXXXXXX,g; s,(/tmp/[A-Za-z0-9_]+)-[0-9a-f]{6},\1-XXXXXX,g' "$1"; }
compare_aside() { # what
    local part file
    for part in status stdout stderr listing; do
        equal_but_for_temporaries "$ASIDE/plain/$part" "$ASIDE/wrapped/$part" ||
            fail "$1: $part differs: $(diff "$ASIDE/plain/$part" "$ASIDE/wrapped/$part" | head -n 4 | tr '\n' '|')"
    done
    while IFS= read -r file; do
        unstable "$file" && continue
        case $file in
        *.d) equal_but_for_temporaries "$ASIDE/plain/files/$file" "$ASIDE/wrapped/files/$file" ;;
        *) cmp -s "$ASIDE/plain/files/$file" "$ASIDE/wrapped/files/$file" ;;
        esac || fail "$1: $file differs from the plain compiler's"
    done < <(cd "$ASIDE/plain/files" && find . -type f)
}

# --- what a case says ----------------------------------------------------------------------------------------

same() {
    run_aside plain "$@"
    run_aside wrapped "$@"
    compare_aside "$*"
}
twice() { same "$@"; run_aside wrapped "$@"; compare_aside "again: $*"; }
counted() { # direct, preprocessed or both as "hits", and misses that must have come, what
    local d p m d2 p2 m2
    [ "$KIND" = plain ] && return
    read -r d p m <<<"$4"
    read -r d2 p2 m2 <<<"$(counters)"
    [ $((d2 + p2 - d - p)) = "$1" ] && [ $((m2 - m)) = "$2" ] ||
        fail "$3: expected $1 hits and $2 misses, got $((d2 + p2 - d - p)) and $((m2 - m))"
}
hit() { local c; c=$(counters); same "$@"; counted 1 0 "$*" "$c"; }
miss() { local c; c=$(counters); same "$@"; counted 0 1 "$*" "$c"; }
neither() { local c; c=$(counters); same "$@"; counted 0 0 "$*" "$c"; }
# A hit is due, but no comparison: for what differs by its nature.
miss_hit() { miss "$@"; local c; c=$(counters); run_aside wrapped "$@"; compare_aside "again: $*"; counted 1 0 "again: $*" "$c"; }
# Whatever may be served, it must not be an old result: same, and again.
fresh_result() { same "$@"; same "$@"; }
equal() { cmp -s "$1" "$2" || fail "$3: $1 and $2 differ"; }

# --- props ---------------------------------------------------------------------------------------------------

# A compiler that says in $TOP/pid that it runs, and waits $1 seconds before it compiles.
slow_compiler() {
    mkdir -p bin
    cat >bin/slowcc <<S
#!/bin/sh
for word; do case \$word in -c) echo \$\$ >"$TOP/pid"; sleep ${1:-3} ;; esac; done
exec gcc "\$@"
S
    chmod +x bin/slowcc
}
# Waits up to 10 s for a file with content.
await() {
    local i
    for ((i = 0; i < 200; i++)); do [ -s "$1" ] && return; sleep 0.05; done
    fail "waited in vain for $1"
}
# Waits up to $1 seconds for a command to succeed.
within() {
    local i limit=$(($1 * 20))
    shift
    for ((i = 0; i < limit; i++)); do "$@" && return; sleep 0.05; done
    return 1
}
no_servers() { [ -z "$(servers)" ]; }
# Compilers that the case's folder is named in.
no_compilers() { ! pgrep -f "(cc1|cc1plus|/as|gcc|clang|slowcc).*$TOP" >/dev/null; }
