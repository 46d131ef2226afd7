# Resource limits, nice and umask of the client hold for its compiler.
. "$(dirname "$0")/lib.sh"

mkdir bin
printf '#!/bin/bash\n{ umask; ulimit -c -n -s -v -t; nice; } >&2\nexec gcc "$@"\n' >bin/cc
chmod +x bin/cc
echo 'int f;' >f.c
(ulimit -c 0; ulimit -n 200; ulimit -s 4096; ulimit -t 77; umask 027; same bin/cc -c f.c -o f.o) || exit 1
echo 'int g;' >f.c
(nice -n 5 true; ulimit -v 4000000; same nice -n 5 bin/cc -c f.c -o f.o) || exit 1
