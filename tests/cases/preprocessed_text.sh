# Keys by preprocessed text: what the text doesn't hold must still count, and what it was made of must be what was
# compiled.
. "$(dirname "$0")/lib.sh"

export CCWRAP_DIRECT=0
# a header that changes between preprocessing and compiling
mkdir bin
cat >bin/gcc <<'C'
#!/bin/sh
gcc "$@" || exit
case " $* " in *" -E "*) [ ! -e next.h ] || mv next.h n.h ;; esac
C
chmod +x bin/gcc
printf '#include "n.h"\nint n = N;\n' >m.c
for setting in RECORDER=1 RECORDER=0; do
    [ $setting = RECORDER=1 ] || cp "$(realpath "$(command -v gcc)")" bin/driver
    echo '#define N 1' >n.h
    echo '#define N 2' >next.h
    sleep 0.05
    env CCWRAP_$setting "$CW" bin/gcc -c m.c -o m.o
    rm -f m.o
    echo '#define N 1' >n.h
    same CCWRAP_$setting bin/gcc -c m.c -o m.o
done

# a file that the assembler reads, and whose name is said by a #line
printf '#line 1 "blob.txt"\nint q;\n__asm__(".data\\n.incbin \\"blob.txt\\"\\n");\n' >l.c
for cc in gcc clang; do
    echo first >blob.txt
    miss_hit "$cc" -c l.c -o l.o
    echo other >blob.txt
    miss "$cc" -c l.c -o l.o
    echo first >blob.txt
    hit "$cc" -c l.c -o l.o
done

# the same text from a header by another way, and a comment more: hits, where nothing shows where it stood
echo 'int w = 1;' >w.h
printf '#include "w.h"\n' >w.c
sleep 0.05
miss_hit gcc -c w.c -o w.o
mv w.h real.h
ln -s real.h w.h
hit gcc -c w.c -o w.o
printf '#include "w.h" /* more */\n' >w.c
hit gcc -c w.c -o w.o
# columns and lines show in debug information
miss gcc -g -c w.c -o w.o
printf '#include   "w.h"\n' >w.c
same gcc -g -c w.c -o w.o

# many at once, first misses, then hits: one server does it all
if [ "$KIND" = ccwrap ]; then
    for i in $(seq 48); do echo "int many$i;" >many$i.c; done
    "$CW" --start-server >/dev/null
    before=$(servers)
    for round in misses hits; do
        rm -f many*.o
        seq 48 | xargs -P 8 -I{} "$CW" gcc -c many{}.c -o many{}.o || fail "$round: a compile failed"
        [ "$(servers)" = "$before" ] || fail "$round: the server is another one"
    done
    [ "$(ls many*.o | wc -l)" = 48 ] || fail "objects are missing"
fi
