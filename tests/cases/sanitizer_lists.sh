# Lists and seeds that are read by options: sanitizer ignore lists, randomized layout.
. "$(dirname "$0")/lib.sh"

echo 'int f(int a, int b) { return a / b; }' >f.c
echo 'fun:other' >list
twice clang -fsanitize=integer-divide-by-zero -fsanitize-ignorelist=list -c f.c -o f.o
echo 'fun:f' >list
fresh_result clang -fsanitize=integer-divide-by-zero -fsanitize-ignorelist=list -c f.c -o f.o
