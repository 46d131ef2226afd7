# One socket for two builds of ccwrap: the server takes no compiles of the other one's, which is counted and told; one
# whose own file was replaced leaves.
. "$(dirname "$0")/lib.sh"
only_ccwrap
export CCWRAP_SOCKET=$TOP/run/s.sock
mkdir -m 700 "$TOP/run"

foreign() { # a compile of another build; says how the connection ended
    python3 - "$CCWRAP_SOCKET" <<'P'
import socket, struct, sys
payload = b"another build\0" + bytes(200)
with socket.socket(socket.AF_UNIX) as end:
    end.settimeout(5)
    end.connect(sys.argv[1])
    end.sendall(struct.pack("<IB", len(payload) + 1, 1) + payload)
    sys.exit(end.recv(1) != b"")
P
}
from=$(dirname "$CW")
mkdir "$TOP/bin"
for file in ccwrap ccwrap-server ccwrap-recorder.so; do cp "$from/$file" "$TOP/bin/" || skip "not all in one folder"; done
CW=$TOP/bin/ccwrap
"$CW" --start-server >out 2>&1 || fail "$(cat out)"
echo 'int x;' >x.c
miss_hit gcc -c x.c -o x.o
before=$(servers)
foreign || fail "the connection went on"
[ "$(counter other_build)" = 1 ] || fail "other_build isn't counted"
[ "$(servers)" = "$before" ] || fail "the server left for it"
"$CW" --start-server >out 2>&1 || fail "its own build: $(cat out)"

cp "$TOP/bin/ccwrap-server" "$TOP/bin/new"
mv "$TOP/bin/new" "$TOP/bin/ccwrap-server"
foreign || fail "the connection went on"
within 5 no_servers || fail "a server whose file was replaced stays"
hit gcc -c x.c -o x.o
exit 0
