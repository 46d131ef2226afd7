# Comments that tell something: where a line's indentation ends, by which standard they are none, in which characters
# they are. A comment that moves, or becomes another, makes or ends a warning.
. "$(dirname "$0")/lib.sh"

header() { # its sixth line
    printf 'int g(int);\nstatic inline int f(int a)\n{\n    for (int i = 0; i < a; i++)\n        g(i);\n%s\n    return a;\n}\n' "$1" >h.h
}
printf '#include "h.h"\nint m(void) { return f(1); }\n' >m.cc
cp m.cc m.c
for direct in 1 0; do
    for words in "g++ -Wall -Werror -c m.cc" "gcc -Wall -c m.c" "gcc -Wmisleading-indentation -c m.c" "clang -Wall -c m.c"; do
        for line in '/*1*/   g(a);' '     /*1*/   g(a);' '        g(a);' '    /*1*/g(a);' '        g(a);  // x' '/*12*/  g(a);'; do
            header "$line"
            # shellcheck disable=SC2086
            same CCWRAP_DIRECT=$direct $words -o m.o
        done
    done
done

echo '#include "h.h"' >p.c
for direct in 1 0; do
    # what a warning says of comments is for the preprocessed text alone to tell
    case $direct in
    1) tried=("gcc -std=gnu89 -pedantic-errors" "gcc -std=gnu90 -pedantic" "gcc -finput-charset=ASCII" "clang -std=gnu89 -pedantic") ;;
    0) tried=("gcc -Wall" "gcc -Wundef -Wunused-macros" "clang -Wall") ;;
    esac
    for words in "${tried[@]}"; do
        for text in 'extern int f; /* a */' 'extern int f; // a' 'extern int f; /* é */' 'extern int f; /* /* */' 'extern int f; // \' \
            '#if U'$'\n''#endif x' '#if V'$'\n''#endif y'; do
            printf '%s\n\n' "$text" >h.h
            # shellcheck disable=SC2086
            same CCWRAP_DIRECT=$direct $words -c p.c -o p.o
        done
    done
done

# columns that an output tells: those of a line's later words stand in no preprocessed text
for words in "gcc -fcallgraph-info" "gcc -fstack-usage" "g++ -std=c++20" clang; do
    for comment in ab abcd; do
        case $words in
        g++*) printf '#include <source_location>\nint a; /* %s */ unsigned f() { return std::source_location::current().column(); }\n' $comment >k.cc ;;
        clang) printf 'int a; /* %s */ int f(void) { return __builtin_COLUMN(); }\n' $comment >k.c ;;
        *) printf 'int g(int); /* %s */ int f(int a) { return g(a); }\n' $comment >k.c ;;
        esac
        for settings in CCWRAP_DIRECT=1 CCWRAP_DIRECT=0 CCWRAP_RECORDER=0; do
            # shellcheck disable=SC2086
            same $settings $words -O1 -c k.c* -o k.o
        done
        rm -f k.c k.cc
    done
done
exit 0
