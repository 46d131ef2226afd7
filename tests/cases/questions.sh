# Questions to the compiler pass through: versions, searches, -###, -E, -M, no input.
. "$(dirname "$0")/lib.sh"

echo 'int ok;' >ok.c
: >empty.c
for cc in gcc clang g++ clang++; do
    while read -r words; do neither $cc $words; done <<'S'
--version
-dumpversion
-dumpmachine
-print-search-dirs
-print-file-name=libgcc.a
-E ok.c
-E ok.c -o ok.i
-P -E ok.c
-M ok.c
-MM ok.c
-###
-E -dM empty.c

S
    same $cc -v
done
neither clang -### -c ok.c
neither gcc -Q --help=optimizers
