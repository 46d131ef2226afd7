# The store's file system is full.
. "$(dirname "$0")/lib.sh"

[ "$(id -u)" = 0 ] || skip "needs root to mount"
mkdir small
mount -t tmpfs -o size=300k tmpfs small 2>/dev/null || skip "no mounts here"
export CCWRAP_DIR=$WORK/small/store CCACHE_DIR=$WORK/small/store
for i in 1 2 3 4 5 6 7 8; do
    printf 'char z%d[] = "%s";\n' "$i" "$(head -c 60000 /dev/urandom | base64 -w0)" >f.c
    "$CW" gcc -c f.c -o f.o 2>message; status=$?
    gcc -c f.c -o want.o
    [ $status = 0 ] && cmp -s f.o want.o || break
done
stop_server
umount -l small
[ $status = 0 ] || fail "compile $i: status $status: $(head -n 1 message)"
equal f.o want.o "compile $i"
