# Extensions and -x: the language is part of the key, in each of its forms.
. "$(dirname "$0")/lib.sh"

for name in a.cc a.C a.cpp a.cxx a.c++ a.c a.cp; do echo 'int x = sizeof('"'a'"');' >$name; done
cp a.c a.unknown
gcc -E a.c -o a.i
gcc -S a.c -o a.s
cp a.s b.S
cp a.i a.ii
for cc in gcc clang g++; do
    for name in a.cc a.C a.cpp a.cxx a.c++ a.c a.i a.ii a.s b.S; do twice $cc -c $name -o o.o; done
    for words in "-x c a.cc" "-xc a.cc" "-x c++ a.c" "-xc++ a.c" "-x c a.unknown" "-x c -x none a.cc" "-x none a.cc" "a.unknown" "a.c -x c++"; do
        twice $cc -c $words -o o.o
    done
done
hit gcc -c a.c -o o.o
