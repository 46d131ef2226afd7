# Messages follow locale, colours and width; a hit gives those of now.
. "$(dirname "$0")/lib.sh"

echo 'int f(int a) { if (a = 1) return 1; }' >w.c
for cc in gcc clang; do
    for round in 1 2; do
        same LC_ALL=C "$cc" -Wall -c w.c -o w.o
        same LC_ALL=C.UTF-8 "$cc" -Wall -c w.c -o w.o
        same !LC_ALL LANG=C "$cc" -Wall -c w.c -o w.o
        same !LC_ALL LC_CTYPE=C.UTF-8 LANG=C "$cc" -Wall -c w.c -o w.o
        same !LC_ALL LANGUAGE=de LANG=de_DE.UTF-8 "$cc" -Wall -c w.c -o w.o
        same GCC_COLORS= "$cc" -Wall -fdiagnostics-color=always -c w.c -o w.o
        same GCC_COLORS=error=01\;32 "$cc" -Wall -fdiagnostics-color=always -c w.c -o w.o
        same COLUMNS=40 "$cc" -Wall -c w.c -o w.o
        same TERM=dumb "$cc" -Wall -fdiagnostics-color=auto -c w.c -o w.o
        same TERM=xterm "$cc" -Wall -fdiagnostics-color=auto -c w.c -o w.o
    done
done
same GCC_EXTRA_DIAGNOSTIC_OUTPUT=fixits-v2 gcc -Wall -c w.c -o w.o
same gcc -Wall -c w.c -o w.o
