# What another process answers, chance and the clock leave no trace in files: such compiles aren't stored.
. "$(dirname "$0")/lib.sh"

needs python3
echo 'int f = V;' >x.c
python3 - "$TOP/socket" "$TOP/answer" <<'P' &
import socket, sys
listener = socket.socket(socket.AF_UNIX)
listener.bind(sys.argv[1])
listener.listen(9)
while True:
    connection, _ = listener.accept()
    with connection, open(sys.argv[2]) as answer:
        connection.sendall(answer.read().encode())
P
helper=$!
trap 'kill $helper; at_exit' EXIT
cat >ask.py <<P
import socket
s = socket.socket(socket.AF_UNIX)
s.connect("$TOP/socket")
print(s.recv(9).decode().strip())
P
cat >python-cc <<P
#!/usr/bin/env python3
import os, socket, sys
s = socket.socket(socket.AF_UNIX)
s.connect("$TOP/socket")
os.execvp("gcc", ["gcc", "-DV=" + s.recv(9).decode().strip()] + sys.argv[1:])
P
printf '#!/bin/sh\nexec gcc -DV="$(python3 %s)" "$@"\n' "$WORK/ask.py" >sh-cc
chmod +x python-cc sh-cc
within 5 test -S "$TOP/socket" || fail "no helper"
for cc in ./python-cc ./sh-cc; do
    for answer in 1 77 5; do
        echo $answer >"$TOP/answer"
        same $cc -c x.c -o x.o
    done
done
command -v bash >/dev/null || exit 0
[ "$KIND" = ccwrap ] || exit 0
for variable in '$RANDOM' '${EPOCHREALTIME%.*}' '$SECONDS'; do
    printf '#!/bin/bash\nexec gcc -DV="%s" "$@"\n' "$variable" >bash-cc
    chmod +x bash-cc
    for _ in 1 2; do
        "$CW" ./bash-cc -c x.c -o x.o || fail "$variable: status $?"
    done
    [ "$(hits)" = 0 ] || fail "$variable: a hit"
done
