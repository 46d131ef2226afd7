# The server keeps no descriptor, folder, session or lock of the client that started it.
. "$(dirname "$0")/lib.sh"

only_ccwrap
echo 'int f;' >f.c
exec 7>held 8<>/dev/zero
flock -n 7
mkdir jail
(cd jail && "$CW" gcc -c ../f.c -o ../f.o)
exec 7>&- 8>&-
flock -n held true || fail "a lock of the client's is still held"
[ -n "$(servers)" ] || fail "no server runs"
for server in $(servers); do
    for fd in /proc/"$server"/fd/*; do
        case "${fd##*/} $(readlink "$fd")" in
        [012]\ *pipe:* | *" $WORK/held" | *\ /dev/zero | [012]\ /dev/pts*) fail "the server holds $(readlink "$fd")" ;;
        esac
    done
    [ "$(readlink /proc/"$server"/cwd)" != "$WORK/jail" ] || fail "the server stands in the client's folder"
    [ "$(ps -o sid= -p "$server")" != "$(ps -o sid= -p $$)" ] || fail "the server is in the client's session"
    tr '\0' '\n' <"/proc/$server/environ" | grep -q '^PWD=' && fail "the server keeps the client's environment"
    ps -o stat= --ppid "$server" | grep -q Z && fail "the server leaves zombies"
done
rmdir jail || fail "the folder is held"
