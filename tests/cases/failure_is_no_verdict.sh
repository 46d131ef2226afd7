# A compile that fails for want of memory says nothing about the compiler: the next ones are cached.
. "$(dirname "$0")/lib.sh"

only_ccwrap
echo 'int x;' >a.c
"$CW" --start-server >/dev/null # not under the limit below
(ulimit -v 20000; "$CW" gcc -DA -c a.c -o a.o) >/dev/null 2>&1
miss_hit gcc -DB -c a.c -o a.o
