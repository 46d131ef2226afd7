# Twenty states of the environment in turn, and all again: hits.
. "$(dirname "$0")/lib.sh"

[ "$KIND" != plain ] || skip "counts hits"
echo 'int x;' >a.c
for i in $(seq 20); do miss CPATH=/nowhere$i gcc -c a.c -o a.o; done
for i in $(seq 20); do hit CPATH=/nowhere$i gcc -c a.c -o a.o; done
