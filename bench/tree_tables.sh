# Table of real source trees. Sourced by run, after tables.sh.
#
# A tree is built once by its own means, through a stub that notes each compile; then all these compiles, and nothing
# else (no configure, no links, which no cache keeps), are run again by make: bare, through the caches, and by a program
# that only copies the objects.

make_noting_compiler() { # name of the compiler
    cat >"noting-$1" <<N
#!/bin/bash
output=
for word; do
    [ "\$word" = -c ] && compiles=1
    [ "\$previous" = -o ] && output=\$word
    previous=\$word
done
case \$output in
*.o) [ -z "\$compiles" ] || printf 'cd %q && \$(LAUNCH) %s\n' "\$PWD" "\$(printf '%q ' $1 "\$@" | sed 's/\\\$/\$\$/g')" >>"$folder/noted" ;;
esac
exec $1 "\$@"
N
    chmod +x "noting-$1"
}

build_redis() { SOURCE_DATE_EPOCH=1000000000 make -C src -j "$(nproc)" MALLOC=libc CC="$folder/noting-gcc" redis-server redis-cli; }
build_lua5.4() { make -C src -j "$(nproc)" linux CC="$folder/noting-gcc -std=gnu99"; }
build_xerces-c() {
    cmake -S . -B build -G "Unix Makefiles" -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_COMPILER="$folder/noting-gcc" \
        -DCMAKE_CXX_COMPILER="$folder/noting-g++" -Dnetwork=OFF && rm -f "$folder/noted" && cmake --build build -j "$(nproc)" --target xerces-c
}

# objects_of FILE: paths of the objects, absolute
objects_of() { sed -n 's/^\tcd \([^ ]*\) && .* -o \([^ ]*\.o\) .*/\1 \2/p' "$1" | awk '{ print $2 ~ /^\// ? $2 : $1 "/" $2 }'; }

# Prepares the tree: $1.mk with the compiles, and copies of what they made.
prepare_tree() {
    local tree=$1 number=0 line object
    rm -rf "tree-$tree" noted
    cp -a "$out/sources/$tree" "tree-$tree" || return 1
    (cd "tree-$tree" && build_"$tree") >tree.log 2>&1 </dev/null || { tail -n 5 tree.log; return 1; }
    while IFS= read -r line; do
        printf '\t%s\n' "$line" >one.mk
        object=$(objects_of one.mk)
        [ -e "$object" ] || continue # a probe of what the compiler can do
        number=$((number + 1))
        printf 'c%d:\n\t%s\n' $number "$line"
    done <noted >"$tree.mk"
    printf 'all: %s\n.DEFAULT_GOAL := all\n.PHONY: all %s\n' "$(seq -s ' ' -f 'c%.0f' $number)" "$(seq -s ' ' -f 'c%.0f' $number)" >>"$tree.mk"
    [ $number -gt 0 ] || return 1
    # as these very commands make them: the build of the tree itself may go on to change its objects
    make -s -j "$(nproc)" -f "$tree.mk" >tree.log 2>&1 || { tail -n 5 tree.log; return 1; }
    for object in $(objects_of "$tree.mk"); do
        cp "$object" "$object.kept"
        [ ! -e "${object%.o}.d" ] || cp "${object%.o}.d" "${object%.o}.d.kept"
        [ ! -e "$object.d" ] || cp "$object.d" "$object.d.kept"
    done
    echo "$tree: $number compiles, objects of $(objects_of "$tree.mk" | xargs stat -c %s | awk '{ n += $1 } END { print n }') bytes"
}

same_objects() {
    local object
    for object in $(objects_of "$1.mk"); do
        cmp "$object" "$object.kept" || return 1
    done
}

# add_build TREE LABEL EVERY SERVER LAUNCHER [FIRST]: all compiles of the tree by make, after the command FIRST
add_build() {
    local script="$folder/$1-$2"
    printf '#!/bin/sh\n%s\nexec make -s -j %d -f %q LAUNCH=%q >make.log 2>&1\n' "${6:-:}" "$(nproc)" "$folder/$1.mk" "$5" >"$script"
    chmod +x "$script"
    add "$1: $2" "$3" "$4" "$(objects_of "$1.mk" | tail -n 1)" "$script"
}

# A cold build begins with an empty store. Warm ones take turns with those that only copy.
table_trees() {
    local tree trees="redis xerces-c" turns=12 every=6
    [ "$rounds" -ge 300 ] || every=$turns # each cold build once
    [ -z "$quick" ] || trees=lua5.4 turns=2 every=2
    $static -std=c11 -D_GNU_SOURCE -O2 -static -s -I"$root" -o copy_object "$here/copy_object.c" || return 1
    make_noting_compiler gcc
    make_noting_compiler g++
    for tree in $trees; do
        begin_spec
        fetch_source "$tree" "$out/sources" || { echo "$tree: its source can't be had"; continue; }
        prepare_tree "$tree" || return 1
        add_build "$tree" bare $every 0 ""
        add_build "$tree" ccwrap-cold $every "$(server_of_ccwrap)" "$ccwrap" "$ccwrap --clear"
        [ -z "$ccache" ] || add_build "$tree" ccache-cold $every 0 "$ccache" "$ccache -C"
        add_build "$tree" copies 1 0 "$folder/copy_object"
        add_build "$tree" ccwrap-warm 1 "$(server_of_ccwrap)" "$ccwrap"
        [ -z "$ccache" ] || add_build "$tree" ccache-warm 1 0 "$ccache"
        ./measure $turns spec "$tree.json" && same_objects "$tree" || return 1
        rm -rf "tree-$tree"
    done
    cat ./*.json | tr -d '\n' | sed 's/\]\[/,/g' >table.json
}
