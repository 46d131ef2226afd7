# Definitions on the command line: order, forms, glued and apart, through -Wp and -Xpreprocessor.
. "$(dirname "$0")/lib.sh"

printf '#include <stddef.h>\n#ifdef TALK\nint talk = TALK + 0;\n#else\nint talk = -1;\n#endif\n' >t.c
for cc in gcc clang; do
    for round in 1 2; do
        for words in -DTALK=1 "" "-DTALK=1 -UTALK" "-UTALK -DTALK=1" -DTALK "-D TALK=7" -DTALK= "-w -DTALK=1 -DTALK=2" \
            "-w -DTALK=2 -DTALK=1" -Wp,-DTALK=5 "-Xpreprocessor -DTALK=6" "-DUNUSED=1"; do
            same "$cc" $words -c t.c -o t.o
        done
    done
    hit "$cc" -DTALK=1 -c t.c -o t.o
done
printf '#ifdef A_1\nint x = 1;\n#elif defined(A)\nint x = A;\n#endif\n' >t.c
for round in 1 2; do
    for words in -DA=1 -DA_1 "-DA=(1)" "-DA= 1" "-DA=1 -DB"; do same gcc "$words" -c t.c -o t.o; done
done
