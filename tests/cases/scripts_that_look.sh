# Compiler scripts that list folders, find files, and read them through pipes.
. "$(dirname "$0")/lib.sh"

mkdir dd
echo 3 >dd/one
echo 'int x = VALUE;' >a.c
script() { # name, text
    printf '#!/bin/sh\n%s\n' "$2" >"$1"
    chmod +x "$1"
}
script countcc 'exec gcc -DVALUE=$(ls dd | wc -l) "$@"'
script findcc 'exec gcc -DVALUE=$(find dd -name "o*" | wc -l) "$@"'
script globcc 'set -- "$@" dd/*; n=$#; while [ $n -gt 3 ]; do n=$((n - 1)); done; exec gcc -DVALUE=$(cat dd/* | head -n 1) -c a.c'
script readcc 'read -r value <dd/one; exec gcc -DVALUE=$value "$@"'
script sourcecc '. ./settings; exec gcc -DVALUE=$VALUE "$@"'
script testcc 'v=0; [ -d dd ] && v=1; [ -e dd/two ] && v=2; [ -L dd/one ] && v=3; exec gcc -DVALUE=$v "$@"'
echo VALUE=7 >settings
sleep 0.1
all() { for cc in countcc findcc globcc readcc sourcecc testcc; do twice ./$cc -c a.c; done; }
for cc in countcc findcc readcc sourcecc testcc; do miss_hit ./$cc -c a.c; done
echo 4 >dd/two && sleep 0.1 && all
echo 5 >dd/one && echo VALUE=8 >settings && sleep 0.1 && all
rm dd/one && ln -s two dd/one && sleep 0.1 && all
rm dd/two && echo 6 >dd/other && rm dd/one && echo 9 >dd/one && sleep 0.1 && all

# where a link leads that a script goes through
mkdir x y
ln -s x l
script cdcc 'v=$(cd l && pwd -P); exec gcc "-DNAME=\"$v\"" "$@"'
echo 'const char *name = NAME;' >n.c
sleep 0.1
miss_hit ./cdcc -c n.c
ln -sfn y l
sleep 0.1
miss_hit ./cdcc -c n.c
