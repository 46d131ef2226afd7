# Variables that no compiler reads cost no hit.
. "$(dirname "$0")/lib.sh"

echo 'int x;' >x.c
for cc in gcc clang; do
    miss $cc -c x.c -o x.o
    for set in HOME=/tmp OLDPWD=/x TERM=xterm SHLVL=7 _=x UNRELATED=1 MAKELEVEL=2 "MAKEFLAGS=-j4" DISPLAY=:9 SSH_AUTH_SOCK=/x; do
        hit "$set" $cc -c x.c -o x.o
    done
done
