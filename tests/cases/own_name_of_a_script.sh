# A compiler script sees the name by which it was called.
. "$(dirname "$0")/lib.sh"

mkdir sub
printf '#!/bin/sh\necho "$0" >&2\nexec gcc "$@"\n' >k
chmod +x k
cp k sub/k
echo 'int x;' >a.c
for k in ./k sub/k "$WORK/k"; do twice "$k" -c a.c -o a.o; done
