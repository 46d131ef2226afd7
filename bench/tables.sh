# Tables that measure.c makes: commands that take turns. Sourced by run; the folder of the run is the directory.

make_sources() {
    cat >small.c <<'S'
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
int work(int *values, size_t count)
{
    int sum = 0;
    qsort(values, count, sizeof *values, compare);
    for (size_t i = 0; i < count; i++)
        sum += values[i] * (int)i;
    return sum;
}
S
    cat >large.cc <<'S'
#include <algorithm>
#include <filesystem>
#include <functional>
#include <future>
#include <iostream>
#include <map>
#include <memory>
#include <regex>
#include <sstream>
#include <string>
#include <unordered_map>
#include <vector>
std::map<std::string, std::vector<int>> index(const std::vector<std::string> &lines)
{
    std::map<std::string, std::vector<int>> found;
    std::regex word("[a-z]+");
    int number = 0;
    for (auto &line : lines) {
        for (std::sregex_iterator i(line.begin(), line.end(), word), end; i != end; ++i)
            found[i->str()].push_back(number);
        number++;
    }
    return found;
}
S
}

# --- commands that take turns ---

begin_spec() { : >spec; }
add() { local IFS=$'\t'; echo "$*" >>spec; } # name, every, server, output, words…
measure() { ./measure "$1" spec table.json; }
server_of_ccwrap() { # its process, started if there is none
    "$ccwrap" --start-server >/dev/null 2>&1
    ss_lock=$(stat -c %i "$CCWRAP_SOCKET.lock")
    awk -v inode=":$ss_lock" '$2 == "FLOCK" && index($6, inode) { print $5; exit }' /proc/locks
}
server_of_sccache() { pgrep -n -u "$(id -u)" sccache || echo 0; }
input_list() { # compiler, words…: the files that it reads
    "$@" -M | tr -d '\\' | tr ' ' '\n' | grep -v ':$' | grep . | sort -u
}
warm() { # words…: until it is surely a hit, and equal to what the compiler makes
    for _ in 1 2 3; do "$@" || return 1; done
}
serve_floor() { # name, list, object
    ./floor serve "$folder/$1.sock" "$2" "$3" &
    background+=($!)
    while [ ! -S "$1.sock" ]; do sleep 0.01; done
}

# add_hits NAME EVERY COMPILER SOURCE WORDS…: floor and hits of all caches, byte-compared first
add_hits() {
    local name=$1 every=$2 compiler=$3 source=$4 object=$1.o
    shift 4
    local words=("$compiler" "$@" -c "$source" -o)
    "${words[@]}" "$folder/want-$object" || return 1
    input_list "$compiler" "$@" "$source" >"$name.list"
    echo "$name: $(wc -l <"$name.list") files, object of $(stat -c %s "want-$object") bytes"
    serve_floor "$name" "$folder/$name.list" "$folder/want-$object"
    add "$name: floor" "$every" "${background[-1]}" "$folder/floor-$object" "$folder/floor" ask "$folder/$name.sock" "$folder/floor-$object"
    warm "$ccwrap" "${words[@]}" "$folder/ccwrap-$object" && cmp "want-$object" "ccwrap-$object" || return 1
    add "$name: ccwrap" "$every" "$(server_of_ccwrap)" "$folder/ccwrap-$object" "$ccwrap" "${words[@]}" "$folder/ccwrap-$object"
    if [ -n "$ccache" ]; then
        warm "$ccache" "${words[@]}" "$folder/ccache-$object" || return 1
        add "$name: ccache" "$every" 0 "$folder/ccache-$object" "$ccache" "${words[@]}" "$folder/ccache-$object"
    fi
    if [ -n "$sccache" ]; then
        warm "$sccache" "${words[@]}" "$folder/sccache-$object" >/dev/null || return 1
        add "$name: sccache" "$every" "$(server_of_sccache)" "$folder/sccache-$object" "$sccache" "${words[@]}" "$folder/sccache-$object"
    fi
}

counter() { "$ccwrap" --print-stats | awk -v name="$1" '$1 == name { print $2 }'; }

table_hit() {
    begin_spec
    add_hits small-c 1 "$gcc" small.c -O2 || return 1
    add_hits large-c++ 1 "$gxx" large.cc -O1 -std=c++17 || return 1
    local before=$(counter direct_cache_hit)
    measure "$rounds" || return 1
    echo "direct hits counted: $(($(counter direct_cache_hit) - before)) of $((2 * rounds)) asked"
}

# --- misses against the bare compiler ---

add_miss() { # name, every, compiler, source, words…
    local name=$1 every=$2 compiler=$3 source=$4
    shift 4
    local words=("$compiler" "$@" -c "$source" -o)
    add "$name: bare compiler" "$every" 0 "$folder/bare.o" "${words[@]}" "$folder/bare.o"
    add "$name: ccwrap" "$every" "$(server_of_ccwrap)" "$folder/miss.o" "$ccwrap" recache=1 "${words[@]}" "$folder/miss.o"
    [ -z "$ccache" ] || add "$name: ccache" "$every" 0 "$folder/cmiss.o" /usr/bin/env CCACHE_RECACHE=1 "$ccache" "${words[@]}" "$folder/cmiss.o"
}

table_miss() {
    begin_spec
    cat >thirty.c <<'S'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct item { char name[32]; int count; };
static struct item items[64];
static int used;
static struct item *find(const char *name)
{
    for (int i = 0; i < used; i++)
        if (strcmp(items[i].name, name) == 0)
            return &items[i];
    return NULL;
}
int main(int argc, char **argv)
{
    for (int i = 1; i < argc && used < 64; i++) {
        struct item *item = find(argv[i]);
        if (!item) {
            item = &items[used++];
            strncpy(item->name, argv[i], sizeof item->name - 1);
        }
        item->count++;
    }
    for (int i = 0; i < used; i++)
        printf("%s %d\n", items[i].name, items[i].count);
    return 0;
}
S
    add_miss "C -O0" 1 "$gcc" thirty.c -O0
    add_miss "C++ -O2" 8 "$gxx" large.cc -O2 -std=c++17
    measure $((rounds / 4 > 16 ? rounds / 4 : 16))
}

table_preprocessed() {
    begin_spec
    local words=("$gcc" -O2 -c small.c -o)
    CCWRAP_DIRECT=0 warm "$ccwrap" "${words[@]}" "$folder/text.o" || return 1
    add "gcc -E" 1 0 "$folder/text.i" "$gcc" -O2 -E small.c -o "$folder/text.i"
    add "ccwrap direct=0" 1 "$(server_of_ccwrap)" "$folder/text.o" "$ccwrap" direct=0 "${words[@]}" "$folder/text.o"
    if [ -n "$ccache" ]; then
        CCACHE_NODIRECT=1 warm "$ccache" "${words[@]}" "$folder/ctext.o"
        add "ccache nodirect" 1 0 "$folder/ctext.o" /usr/bin/env CCACHE_NODIRECT=1 "$ccache" "${words[@]}" "$folder/ctext.o"
    fi
    measure $((rounds / 2))
}

# --- large objects ---

# Half text, half noise: it compresses about as machine code does.
make_blob() { # megabytes or bytes (with c), file
    local bytes=$1
    {
        while head -c 32768 /dev/urandom && head -c 32768 /usr/include/stdlib.h; do :; done 2>/dev/null
    } | head -c "$bytes" >"$2"
}

object_of() { # blob: an assembler file around it
    printf '.section .rodata\n.incbin "%s"\n' "$folder/$1" >"$1.S"
}

add_large() { # name, every, source
    local name=$1 words=("$gcc" -g -O0 -c "$3" -o)
    "${words[@]}" "$folder/want-$name" || return 1
    ./unpack pack "want-$name" "$name.zst" || return 1
    echo "$name: object of $(stat -c %s "want-$name") bytes, $(stat -c %s "$name.zst") compressed"
    add "$name: decompress and write" "$2" 0 "$folder/floor-$name" "$folder/unpack" "$folder/$name.zst" "$folder/floor-$name"
    warm "$ccwrap" "${words[@]}" "$folder/ccwrap-$name" && cmp "want-$name" "ccwrap-$name" || return 1
    add "$name: ccwrap" "$2" "$(server_of_ccwrap)" "$folder/ccwrap-$name" "$ccwrap" "${words[@]}" "$folder/ccwrap-$name"
    [ -n "$ccache" ] || return 0
    warm "$ccache" "${words[@]}" "$folder/ccache-$name"
    add "$name: ccache" "$2" 0 "$folder/ccache-$name" "$ccache" "${words[@]}" "$folder/ccache-$name"
}

peak_of() { awk '/^VmHWM/ { print int($2 / 1024) }' "/proc/$1/status"; }
rss_of() { awk '/^VmRSS/ { print int($2 / 1024) }' "/proc/$1/status"; }

table_large() {
    begin_spec
    for i in $(seq 9000); do echo "struct s$i { int a; long b; }; long f$i(struct s$i *s, int n) { for (int i = 0; i < n; i++) s->b += s->a * i; return s->b; }"; done >debug.c
    add_large 4MB-debug 1 debug.c || return 1
    local server=$(server_of_ccwrap) before=$(peak_of "$(server_of_ccwrap)")
    make_blob $((100 << 20)) blob100 && object_of blob100
    add_large 100MB 2 blob100.S || return 1
    echo "server's memory: peak $before MB before the 100 MB object, $(peak_of "$server") MB after its miss and hits, now $(rss_of "$server") MB"
    measure $((rounds / 10 > 6 ? rounds / 10 : 6))
    local status=$?
    echo "server's memory after all: peak $(peak_of "$server") MB, now $(rss_of "$server") MB"
    rm -f blob100 ./*100MB*
    return $status
}

# --- what the check of an input set costs ---

many_headers() { # 20 folders to search, 300 headers in the last ones
    local i
    mkdir -p parts && rm -rf parts/* || return 1
    for ((i = 1; i <= 20; i++)); do mkdir parts/i$i; done
    for ((i = 1; i <= 300; i++)); do
        echo "static inline int f$i(void) { return $i; }" >parts/i$((16 + i % 5))/h$i.h
        echo "#include \"h$i.h\""
    done >parts/many.c
    echo 'int all(void) { return f1() + f300(); }' >>parts/many.c
}

# A hit of which nothing has moved, and one where a searched folder has changed before each; and the parts of the check.
# What makes a set sound beyond the contents of its files is all but its files.
table_parts() {
    local library=$(dirname "$ccwrap")/libccwrap-parts.a includes=() i
    [ -f "$library" ] || { echo "no $library"; return 1; }
    gcc -std=c11 -D_GNU_SOURCE -O2 -I"$root" -o parts-bench "$here/parts.c" "$library" -lsqlite3 -lzstd -lxxhash -luv -lpthread || return 1
    many_headers || return 1
    for ((i = 1; i <= 20; i++)); do includes+=("-I$folder/parts/i$i"); done
    sleep 1.1
    "$ccwrap" --stop-server >/dev/null 2>&1
    export CCWRAP_DIR=$folder/parts-store
    local words=("$ccwrap" "$gcc" "${includes[@]}" -c "$folder/parts/many.c" -o "$folder/many.o")
    "$ccwrap" --start-server >/dev/null
    warm "${words[@]}" || return 1
    begin_spec
    add "hit, nothing changed" 1 "$(server_of_ccwrap)" many.o "${words[@]}"
    add "hit, a searched folder changed" 1 "$(server_of_ccwrap)" many.o /bin/sh -c \
        'rm -f "$0/parts/i3/x" 2>/dev/null || :; : >"$0/parts/i3/x"; exec "$@"' "$folder" "${words[@]}"
    add "hit, the same shell without the change" 1 "$(server_of_ccwrap)" many.o /bin/sh -c \
        'rm -f "$0/x" 2>/dev/null || :; : >"$0/x"; exec "$@"' "$folder" "${words[@]}"
    measure "$rounds" || return 1
    "$ccwrap" --stop-server >/dev/null
    ./parts-bench "$CCWRAP_DIR/cache.sqlite" "$folder" "$rounds" | tee parts.tsv |
        awk -F '\t' '{ printf "%9.1f us  %5d  %s\n", $3, $2, $1 }'
    export CCWRAP_DIR=$folder/ccwrap-store
}
