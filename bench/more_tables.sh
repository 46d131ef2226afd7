# Tables of throughput, growth and life. Sourced by run, after tables.sh.

# --- clients at once ---

json_rows=
begin_rows() { json_rows=; }
row() { json_rows+="${json_rows:+,}"$'\n'"  $1"; }
end_rows() { printf '[%s\n]' "$json_rows" >table.json; }

# load_row NAME CLIENTS WORDS…
load_row() {
    local name=$1 clients=$2 rate median late failures
    shift 2
    read -r rate median late failures < <(./load "$clients" "$seconds" "$@" 2>&1 | tail -n 1)
    printf '%-28s %8d %12s %12s %12s %s\n' "$name" "$clients" "$rate" "$median" "$late" "${failures/#0/}"
    row "{\"name\": \"$name\", \"clients\": $clients, \"runs_per_second\": $rate, \"median_us\": $median, \"p99_us\": $late, \"failures\": $failures}"
}

table_clients() {
    local words=("$gcc" -O2 -c "$folder/small.c" -o) clients
    begin_rows
    warm "$ccwrap" "${words[@]}" one.o
    "${words[@]}" want-clients.o && input_list "$gcc" -O2 small.c >clients.list
    serve_floor clients "$folder/clients.list" "$folder/want-clients.o"
    [ -z "$ccache" ] || warm "$ccache" "${words[@]}" one.o
    printf '%-28s %8s %12s %12s %12s\n' "" clients "hits/s" "median us" "p99 us"
    for clients in 1 2 4 16 64; do
        load_row "floor (one thread)" $clients "$folder/floor" ask "$folder/clients.sock" "$folder/load-f%.o"
        load_row ccwrap $clients "$ccwrap" "${words[@]}" "$folder/load-%.o"
        [ -z "$ccache" ] || load_row ccache $clients "$ccache" "${words[@]}" "$folder/load-c%.o"
    done
    end_rows
}

# Eight clients ask for one compile that nobody did before.
table_equal() {
    local misses hits
    echo "int equal_$RANDOM$RANDOM; $(cat large.cc)" | sed 's/; #/;\n#/' >equal.cc
    warm "$ccwrap" "$gcc" -c small.c -o one.o # the compiler is known
    misses=$(counter cache_miss) hits=$(counter direct_cache_hit)
    local pids=()
    for i in 1 2 3 4 5 6 7 8; do
        "$ccwrap" "$gxx" -O2 -std=c++17 -c equal.cc -o "equal$i.o" &
        pids+=($!)
    done
    wait "${pids[@]}"
    for i in 2 3 4 5 6 7 8; do cmp equal1.o "equal$i.o" || return 1; done
    misses=$(($(counter cache_miss) - misses)) hits=$(($(counter direct_cache_hit) - hits))
    echo "eight equal compiles at once: $misses compiled, $hits hits"
    echo "{\"compiled\": $misses, \"hits\": $hits}" >table.json
}

# --- growth ---

make_headers() { # count
    local i
    mkdir -p "headers$1"
    for i in $(seq "$1"); do echo "extern int value$i;" >"headers$1/h$i.h"; done
    for i in $(seq "$1"); do echo "#include \"headers$1/h$i.h\""; done >"headers$1.c"
}

table_growth() {
    local count size
    begin_spec
    for count in 10 100 1000 3000; do
        make_headers $count
        warm "$ccwrap" "$gcc" -c headers$count.c -o "$folder/g.o" || return 1
        add "$count headers" 1 "$(server_of_ccwrap)" "$folder/g.o" "$ccwrap" "$gcc" -c headers$count.c -o "$folder/g.o"
    done
    for size in 1024 65536 1048576 10485760 104857600; do
        make_blob $size blob$size && object_of blob$size
        warm "$ccwrap" "$gcc" -c blob$size.S -o "$folder/b.o" || return 1
        add "object of $size bytes" $((size > 2000000 ? 8 : 1)) "$(server_of_ccwrap)" "$folder/b.o" "$ccwrap" "$gcc" -c blob$size.S -o "$folder/b.o"
    done
    measure $((rounds / 3))
    local status=$?
    rm -rf blob* headers*
    return $status
}

# --- the server's life ---

milliseconds() { echo $((($(date +%s%N) - $1) / 10000)) | sed 's/..$/.&/'; }

table_start() {
    local begun took=() server before cpu
    warm "$ccwrap" "$gcc" -O2 -c small.c -o one.o
    for _ in 1 2 3 4 5 6 7; do
        "$ccwrap" --stop-server >/dev/null
        begun=$(date +%s%N)
        "$ccwrap" "$gcc" -O2 -c small.c -o one.o
        took+=("$(milliseconds "$begun")")
    done
    median=$(printf '%s\n' "${took[@]}" | sort -n | sed -n 4p)
    server=$(server_of_ccwrap)
    sleep 1
    before=$(awk '{ print $14 + $15 }' "/proc/$server/stat")
    sleep $((seconds * 2))
    cpu=$(($(awk '{ print $14 + $15 }' "/proc/$server/stat") - before))
    echo "from no server to the first hit: $median ms (of ${took[*]})"
    echo "idle server: $cpu ticks of CPU in $((seconds * 2)) s, $(rss_of "$server") MB"
    echo "{\"first_hit_ms\": $median, \"idle_ticks\": $cpu, \"rss_mb\": $(rss_of "$server")}" >table.json
}

# --- a store of many results ---

table_store() {
    local parts=$(dirname "$ccwrap")/libccwrap-parts.a server begun start rate median late failures
    local words=("$gcc" -O2 -c "$folder/small.c" -o "$folder/many-%.o")
    [ -e "$parts" ] || { echo "no $parts"; return 1; }
    compile fill "$parts" -lsqlite3 -lzstd -lxxhash -luv -lpthread
    "$ccwrap" --stop-server >/dev/null
    begin_rows
    for count in 1000 "$results"; do
        export CCWRAP_DIR=$folder/store-$count
        ./fill "$CCWRAP_DIR" "$count" 900 || return 1
        begun=$(date +%s%N)
        "$ccwrap" --start-server >/dev/null
        start=$(milliseconds "$begun")
        warm "$ccwrap" "${words[@]}"
        ./load 1 "$seconds" "$ccwrap" "${words[@]}" >/dev/null
        read -r rate median late failures < <(./load 1 "$seconds" "$ccwrap" "${words[@]}")
        begun=$(date +%s%N)
        "$ccwrap" --stats >/dev/null
        server=$(server_of_ccwrap)
        printf '%9d results: start %s ms, hit %s us (p99 %s), --stats %s ms, server %s MB, store %s MB\n' "$count" "$start" \
            "$median" "$late" "$(milliseconds "$begun")" "$(rss_of "$server")" "$(du -sm "$CCWRAP_DIR" | cut -f1)"
        row "{\"results\": $count, \"start_ms\": $start, \"hit_us\": $median, \"hit_p99_us\": $late, \"rss_mb\": $(rss_of "$server")}"
        [ "$count" = 1000 ] || trim_row
        "$ccwrap" --stop-server >/dev/null
    done
    end_rows
    export CCWRAP_DIR=$folder/ccwrap-store
}

# A tenth goes while hits go on.
trim_row() {
    local bytes=$(stat -c %s "$CCWRAP_DIR/cache.sqlite") begun
    "$ccwrap" --stop-server >/dev/null
    CCWRAP_MAXSIZE=$((bytes * 9 / 10)) "$ccwrap" --start-server >/dev/null
    warm "$ccwrap" "${words[@]}"
    begun=$(date +%s%N)
    "$ccwrap" --trim >/dev/null &
    read -r rate median late failures < <(./load 1 "$seconds" "$ccwrap" "${words[@]}")
    wait $!
    printf '%9s while a tenth is trimmed (%s ms): hit %s us (p99 %s), %s failures\n' "" "$(milliseconds "$begun")" "$median" "$late" "$failures"
    row "{\"trimming\": true, \"hit_us\": $median, \"hit_p99_us\": $late}"
}

# --- size on disk ---

table_disk() {
    if fetch_source lua5.4 "$out/sources"; then
        cp -a "$out/sources/lua5.4" tree
    else
        generated_tree tree/src
    fi
    export CCWRAP_DIR=$folder/disk-ccwrap CCACHE_DIR=$folder/disk-ccache
    "$ccwrap" --stop-server >/dev/null
    local file objects=0 count=0
    for file in tree/src/*.c; do
        "$ccwrap" "$gcc" -O2 -DLUA_USE_LINUX -c "$file" -o one.o 2>/dev/null || continue
        [ -z "$ccache" ] || "$ccache" "$gcc" -O2 -DLUA_USE_LINUX -c "$file" -o one.o 2>/dev/null
        objects=$((objects + $(stat -c %s one.o))) count=$((count + 1))
    done
    "$ccwrap" --stop-server >/dev/null
    local ours=$(du -s --apparent-size -B1 "$CCWRAP_DIR" | cut -f1) theirs=0 theirs_disk=0
    local ours_disk=$(du -s -B1 "$CCWRAP_DIR" | cut -f1)
    if [ -n "$ccache" ]; then
        theirs=$(find "$CCACHE_DIR" -name '*R' -o -name '*M' | xargs -r du -c --apparent-size -B1 | tail -n 1 | cut -f1)
        theirs_disk=$(find "$CCACHE_DIR" -name '*R' -o -name '*M' | xargs -r du -c -B1 | tail -n 1 | cut -f1)
    fi
    echo "$count objects of $objects bytes: ccwrap $ours bytes ($ours_disk on disk), ccache $theirs ($theirs_disk on disk)"
    echo "{\"objects\": $count, \"bytes\": $objects, \"ccwrap\": $ours, \"ccwrap_on_disk\": $ours_disk, \"ccache\": $theirs, \"ccache_on_disk\": $theirs_disk}" >table.json
    export CCWRAP_DIR=$folder/ccwrap-store CCACHE_DIR=$folder/ccache-store
}
