# The compiler is looked up in the caller's PATH, now.
. "$(dirname "$0")/lib.sh"

mkdir one two
echo 'int v = V;' >v.c
for n in one two; do printf '#!/bin/sh\nexec /usr/bin/gcc -DV=%s "$@"\n' ${#n}$n >$n/mycc; chmod +x $n/mycc; done
sed -i 's/3one/1/' one/mycc
sed -i 's/3two/2/' two/mycc
for round in 1 2; do
    same PATH="$WORK/one:$PATH" mycc -c v.c -o v.o
    same PATH="$WORK/two:$PATH" mycc -c v.c -o v.o
    same PATH="$WORK/two:$WORK/one:$PATH" mycc -c v.c -o v.o
    same PATH="one:$PATH" mycc -c v.c -o v.o
    same ./one/mycc -c v.c -o v.o
    cd one; same ../two/mycc -c ../v.c -o v.o; cd ..
done
