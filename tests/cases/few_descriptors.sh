# With 64 or 12 descriptors at most, and thirty clients at once.
. "$(dirname "$0")/lib.sh"

mkdir inc
for i in $(seq 400); do echo "#define M$i $i" >inc/h$i.h; echo "#include \"inc/h$i.h\""; done >all.h
for i in $(seq 30); do printf '#include "all.h"\nint v%d = M%d;\n' $i $i >f$i.c; done
(
    ulimit -n 64
    for round in 1 2; do
        rm -f f*.o
        seq 30 | timeout 80 xargs -P30 -I@ sh -c '"$CW" gcc -c f@.c -o f@.o 2>>log || echo bad >>bad'
        [ ! -e bad ] || exit 1
    done
) || fail "64 descriptors: $(head -n 2 log)"
for i in 1 15 30; do gcc -c f$i.c -o want.o; equal f$i.o want.o f$i; done
stop_server
(ulimit -n 12; timeout 30 "$CW" gcc -c f1.c -o f1.o) 2>message || fail "12 descriptors: $(head -n 1 message)"
for server in $(servers); do
    [ "$(ls /proc/"$server"/fd | wc -l)" -lt 60 ] || fail "the server holds $(ls /proc/"$server"/fd | wc -l) descriptors"
done
