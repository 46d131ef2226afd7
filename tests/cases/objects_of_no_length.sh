# Empty sources and headers; a compiler whose object is empty.
. "$(dirname "$0")/lib.sh"

: >e.c; : >e.h; echo '#include "e.h"' >f.c
mkdir bin
printf '#!/bin/sh\nfor w; do o=$p; p=$w; done; : >z.o\n' >bin/cc0
chmod +x bin/cc0
for cc in gcc clang; do twice $cc -c e.c -o e.o; twice $cc -c f.c -o f.o; done
twice bin/cc0 -c e.c -o z.o
twice bin/cc0 -c f.c -o z.o
