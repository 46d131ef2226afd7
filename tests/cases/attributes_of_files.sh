# What a compiler, or a compiler script, asks of a file besides its content: mode, size, times.
. "$(dirname "$0")/lib.sh"
needs python3

echo 'int x = VALUE;' >a.c
script() { # name, interpreter, text
    printf '#!%s\n%s\n' "$2" "$3" >"$1"
    chmod +x "$1"
}
script modecc /bin/sh '[ -x tool ] && exec gcc -DVALUE=1 "$@"; exec gcc -DVALUE=2 "$@"'
script sizecc /bin/sh '[ -s tool ] && exec gcc -DVALUE=1 "$@"; exec gcc -DVALUE=2 "$@"'
script agecc /bin/bash '[ tool -nt other ] && exec gcc -DVALUE=1 "$@"; exec gcc -DVALUE=2 "$@"'
script timecc "$(command -v python3)" 'import os, sys
os.execvp("gcc", ["gcc", "-DVALUE=%d" % os.path.getmtime("tool")] + sys.argv[1:])'
: >tool
touch -d @100 tool
touch -d @200 other
sleep 0.1
all() { for cc in modecc sizecc agecc timecc; do same ./$cc -c a.c; done; }
miss_hit ./modecc -c a.c
miss_hit ./agecc -c a.c
all
chmod +x tool && sleep 0.1 && all
touch -d @300 tool && sleep 0.1 && all
echo content >tool && touch -d @300 tool && sleep 0.1 && all
touch -d @400 other && sleep 0.1 && all
chmod -x tool && sleep 0.1 && all

# what a script asks of its process
script limitcc /bin/sh 'exec gcc -DVALUE=$(ulimit -n) "$@"'
script maskcc /bin/sh 'exec gcc -DVALUE=$(umask) "$@"'
miss_hit ./limitcc -c a.c
(ulimit -n 300 && same ./limitcc -c a.c) || exit
miss_hit ./maskcc -c a.c
(umask 077 && same ./maskcc -c a.c) || exit

# a pragma that compares times
printf '#pragma GCC dependency "dep.h"\nint r;\n' >q.c
: >dep.h
touch -d @100 dep.h
touch -d @200 q.c
sleep 0.1
for cc in gcc clang; do
    command -v $cc >/dev/null || continue
    for extra in "" CCWRAP_DIRECT=0 CCWRAP_RECORDER=0; do
        same ${extra:-A=B} $cc -g -c q.c
        touch -d @300 dep.h
        same ${extra:-A=B} $cc -g -c q.c
        touch -d @100 dep.h
        same ${extra:-A=B} $cc -g -c q.c
    done
    touch -d @300 dep.h
    same $cc -c q.c
    touch -d @100 dep.h
    same $cc -c q.c
done

# clang refuses a precompiled header whose parts have another time
if command -v clang >/dev/null; then
    echo 'int h;' >h.h
    echo 'int u;' >u.c
    clang -x c-header h.h -o h.pch || fail "no precompiled header"
    sleep 0.1
    miss_hit clang -include-pch h.pch -c u.c
    touch -d '+5 sec' h.h
    neither clang -include-pch h.pch -c u.c
fi
