# A store that is damaged, truncated, replaced, read-only or a folder: compiles go on, silently.
. "$(dirname "$0")/lib.sh"

only_ccwrap
for i in 1 2 3 4 5 6; do echo "int v$i = $i;" >f$i.c; done
fill() { for i in 1 2 3 4 5 6; do "$CW" gcc -c f$i.c -o f$i.o || fail "fill"; done; rm -f ./*.o; stop_server; within 5 no_servers; }
try() { for i in 1 2 3; do same gcc -c f$i.c -o f$i.o; done; stop_server; within 5 no_servers; }
database() { find "$STORE" -type f -size +0 | xargs ls -S | head -n 1; }
fill; python3 - "$(database)" <<'P'
import random, sys
path = sys.argv[1]
data = bytearray(open(path, "rb").read())
random.seed(7)
for _ in range(200):
    data[random.randrange(100, len(data))] ^= 1 << random.randrange(8)
open(path, "wb").write(data)
P
try
fresh; fill; truncate -s 5000 "$(database)"; try
fresh; fill; file=$(database); : >"$file"; try
fresh; fill; file=$(database); echo garbage that is no database >"$file"; try
fresh; fill; file=$(database); rm "$file"; mkdir "$file"; try
fresh; fill; chmod -R a-w "$STORE"; try; chmod -R u+w "$STORE"
fresh; : >"$STORE"; try; rm "$STORE"
fresh; fill; hit gcc -c f1.c -o f1.o
