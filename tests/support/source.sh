# Source packages by an apt configuration of our own: the system's sources, with deb-src added, and lists and
# caches in a folder of ours. The system's own configuration is read, never written.

# fetch_source PACKAGE FOLDER: puts the unpacked upstream source into FOLDER/PACKAGE. 1 if it can't be had (offline).
fetch_source() {
    local package=$1 folder
    folder=$(mkdir -p "$2" && cd "$2" && pwd) || return 1
    [ ! -d "$folder/$package" ] || return 0
    command -v apt-get >/dev/null && command -v dpkg-source >/dev/null || return 1
    private_apt "$folder/apt" || return 1
    local version
    # a mirror may lack the files of the newest version, which its lists name
    for version in $(APT_CONFIG=$folder/apt/apt.conf apt-cache showsrc "$package" 2>/dev/null | sed -n 's/^Version: //p' | sort -ruV); do
        rm -rf "$folder/unpack" && mkdir -p "$folder/unpack"
        # as upstream made it: the distribution's patches may ask for more tools
        (cd "$folder/unpack" && APT_CONFIG=$folder/apt/apt.conf timeout 180 apt-get -qq source --download-only "$package=$version" &&
            dpkg-source --no-check --skip-patches -x ./*.dsc tree) >"$folder/log" 2>&1 || continue
        mv "$folder/unpack/tree" "$folder/$package" && return 0
    done
    return 1
}

private_apt() {
    local apt=$1 file
    [ ! -e "$apt/ready" ] || return 0
    mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial" "$apt/sources.d"
    : >"$apt/status"
    for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources; do
        [ -r "$file" ] || continue
        # others than the distribution's own may lack sources, and need not be asked
        grep -q 'debian\.org\|ubuntu\.com' "$file" || continue
        case $file in
        *.list) sed -n 's/^deb /deb-src /p' "$file" >>"$apt/sources.list" ;;
        *.sources) sed 's/^Types:.*/Types: deb-src/' "$file" >"$apt/sources.d/${file##*/}" ;;
        esac
    done
    touch "$apt/sources.list"
    cat >"$apt/apt.conf" <<S
Dir::Etc::SourceList "$apt/sources.list";
Dir::Etc::SourceParts "$apt/sources.d";
Dir::State "$apt";
Dir::State::Lists "$apt/lists";
Dir::State::Status "$apt/status";
Dir::Cache "$apt/cache";
APT::Sandbox::User "root";
Acquire::Languages "none";
Acquire::Retries "1";
Acquire::http::Timeout "20";
S
    APT_CONFIG=$apt/apt.conf timeout 180 apt-get -qq update >"$apt/log" 2>&1 || return 1
    touch "$apt/ready"
}

# A tree for when there is no network: FOLDER with a Makefile and some dozens of C files.
generated_tree() {
    local folder=$1 i
    mkdir -p "$folder"
    for i in $(seq 60); do
        cat >"$folder/part$i.c" <<S
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
int part$i(int n)
{
    int *v = calloc(n + 1, sizeof *v), sum = 0;
    for (int i = 0; i < n; i++)
        v[i] = (i * 7919 + $i) % 1009;
    qsort(v, n, sizeof *v, compare);
    for (int i = 0; i < n; i++)
        sum += (int)sqrt(v[i]) * i;
    free(v);
    return sum;
}
S
    done
    {
        for i in $(seq 60); do echo "int part$i(int n);"; done
        echo 'int main(void) { int s = 0;'
        for i in $(seq 60); do echo "s += part$i($i);"; done
        echo 'return s == 0; }'
    } >"$folder/main.c"
    printf 'CFLAGS = -O2\nobjects = $(patsubst %%.c,%%.o,$(wildcard *.c))\nprog: $(objects)\n\t$(CC) -o $@ $(objects) -lm\nclean:\n\trm -f prog *.o\n' >"$folder/Makefile"
}
