# On a terminal: colours, links and width are the compiler's, cold and warm.
. "$(dirname "$0")/lib.sh"

needs script
echo 'int f(int a) { int unused_variable_of_some_length; if (a = 1) return 1; }' >w.c
on_terminal() { # result, columns, command
    rm -f w.o
    script -qec "stty cols $2 rows 24; $3" /dev/null </dev/null | tr -d '\r' >"$ASIDE/$1"
}
for cc in gcc clang; do
    for color in "" -fdiagnostics-color=always -fdiagnostics-color=never -fdiagnostics-color=auto; do
        for columns in 80 200 40 80; do
            line="$cc -Wall $color -c w.c -o w.o"
            TERM=xterm-256color on_terminal want $columns "$line"
            for round in 1 2; do
                TERM=xterm-256color on_terminal got $columns "$CW $line"
                equal "$ASIDE/got" "$ASIDE/want" "$line at $columns columns"
            done
            rm -f w.o
            same $line
        done
    done
done
