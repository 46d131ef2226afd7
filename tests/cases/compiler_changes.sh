# The driver is replaced, re-linked, or calls another program than before.
. "$(dirname "$0")/lib.sh"

mkdir bin
echo 'int v = V;' >v.c
driver() { printf '#!/bin/sh\nexec /usr/bin/gcc -DV=%s "$@"\n' "$1" >bin/cc.$1; chmod +x bin/cc.$1; touch -d 2020-01-01 bin/cc.$1; }
driver 1; driver 2
cp -p bin/cc.1 bin/mycc
miss_hit bin/mycc -c v.c -o v.o
cp -p bin/cc.2 bin/mycc                       # same size, same time
same bin/mycc -c v.c -o v.o
cp bin/cc.1 bin/mycc
touch bin/mycc
hit bin/mycc -c v.c -o v.o
ln -sf cc.1 bin/linkcc
same bin/linkcc -c v.c -o v.o
ln -sf cc.2 bin/linkcc
same bin/linkcc -c v.c -o v.o
printf '#!/bin/sh\nexec %s "$@"\n' "$WORK/bin/linkcc" >bin/outer
chmod +x bin/outer
same bin/outer -c v.c -o v.o
ln -sf cc.1 bin/linkcc
same bin/outer -c v.c -o v.o
printf '#!/bin/sh\nexec gcc -DV=$LEVEL "$@"\n' >bin/envcc
chmod +x bin/envcc
for level in 1 2 1; do same LEVEL=$level bin/envcc -c v.c -o v.o; done
