# An empty value is as if it were not there, for client and server alike; where it can mean "none" it does.
. "$(dirname "$0")/lib.sh"

only_ccwrap
shown() { "$CW" --show-config 2>message | sed -n "s/^([^)]*) $1 = //p"; }
export HOME=$TOP/home
mkdir -p "$HOME"
unset CCWRAP_DIR
export CCWRAP_CONFIG=$WORK/settings
: >settings
for key in dir socket maxsize idle_timeout jobs direct disable recache readonly hits_only recorder max_result level; do
    want=$(shown $key)
    name=CCWRAP_$(tr a-z A-Z <<<$key)
    [ "$(export "$name="; shown $key)" = "$want" ] || fail "$name=: shows '$(export "$name="; shown $key)', not '$want'"
    echo "$key =" >settings
    [ "$(shown $key)" = "$want" ] || fail "an empty $key in the file: shows '$(shown $key)', not '$want'"
    [ ! -s message ] || fail "an empty $key: $(cat message)"
    : >settings
done
for key in basedir extrafiles namespace prefix log; do
    name=CCWRAP_$(tr a-z A-Z <<<$key)
    echo "$key = /some" >settings
    [ "$(shown $key)" = /some ] || fail "$key of the file isn't shown"
    [ -z "$(export "$name="; shown $key)" ] || fail "$name= doesn't take away what the file says"
done
# What is shown is where the server is, and keeps its store.
: >settings
echo 'int f;' >f.c
export CCWRAP_DIR= CCWRAP_SOCKET=
"$CW" gcc -c f.c -o f.o 2>message || fail "a compile: status $?"
[ ! -s message ] || fail "a compile says: $(cat message)"
[ -S "$(shown socket)" ] || fail "no socket at $(shown socket)"
[ "$(shown dir)" = "$HOME/.cache/ccwrap" ] && [ -n "$(ls "$HOME/.cache/ccwrap")" ] || fail "no store at $(shown dir)"
"$CW" gcc -c f.c -o f.o
[ "$(hits)" = 1 ] || fail "no hit"
"$CW" --stop-server >/dev/null || fail "--stop-server"
# "~/" in front of a path is the home, and the file's relative path is told and not taken.
printf 'dir = ~/store\nlog = ~/log\nsocket = ~/s\n' >settings
unset CCWRAP_DIR CCWRAP_SOCKET
"$CW" gcc -c f.c -o f.o
[ -d "$HOME/store" ] && [ -S "$HOME/s" ] && [ -s "$HOME/log" ] || fail "~/: $(ls "$HOME")"
"$CW" --stop-server >/dev/null
printf 'dir = ~/store\ndir = store\n' >settings
[ "$(shown dir)" = "$HOME/store" ] && [ "$("$CW" --show-config 2>&1 >out | grep -c 'settings:2: dir: not an absolute path')" = 1 ] ||
    fail "a relative path: $(shown dir), $(cat message)"
