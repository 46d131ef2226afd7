# Values that can't be meant are told by one line, and what was in force before them stays.
. "$(dirname "$0")/lib.sh"

only_ccwrap
echo 'int f;' >f.c
gcc -c f.c -o want.o
for bad in basedir=here basedir=/a:b basedir=/ level=0 level=23 level=1000 jobs=0 jobs=-1 idle_timeout=x dir=here socket=here log=here; do
    key=${bad%%=*}
    name=CCWRAP_$(tr a-z A-Z <<<"$key")
    want=$(env -u "$name" "$CW" --show-config | grep " $key = ")
    [ "$(env "$name=${bad#*=}" "$CW" --show-config 2>message | grep " $key = ")" = "$want" ] || fail "$bad was taken"
    [ "$(wc -l <message)" = 1 ] && grep -q "$name" message || fail "$bad: $(cat message)"
done
# A log that can't be opened: told when the server is started by hand, and by --stats.
mkdir folder
for log in "$WORK/folder" "$WORK/none/log"; do
    export CCWRAP_LOG=$log
    "$CW" --start-server >out 2>message || fail "log $log: --start-server: $(cat message)"
    [ "$(wc -l <message)" = 1 ] && grep -q "$log" message || fail "log $log: --start-server: $(cat message)"
    "$CW" gcc -c f.c -o f.o 2>message || fail "log $log: a compile"
    [ ! -s message ] || fail "log $log: a compile says: $(cat message)"
    "$CW" --stats | grep -q "warning: .*$log" || fail "log $log: --stats is silent"
    "$CW" --stop-server >/dev/null
done
unset CCWRAP_LOG
# A settings file that is named and can't be read: told by the words for people, not by each compile.
for file in none folder; do
    export CCWRAP_CONFIG=$WORK/$file
    for words in --show-config --stats --start-server; do
        "$CW" $words >out 2>message || fail "$file as settings file: $words: status $?"
        [ "$(wc -l <message)" = 1 ] && grep -q "$WORK/$file" message || fail "$file as settings file: $words: $(cat message)"
    done
    "$CW" gcc -c f.c -o f.o 2>message || fail "$file as settings file: a compile"
    [ ! -s message ] || fail "$file as settings file: a compile says: $(cat message)"
    equal f.o want.o "$file as settings file"
done
CCWRAP_CONFIG=/dev/null "$CW" --show-config 2>message >out
[ ! -s message ] || fail "/dev/null as settings file: $(cat message)"
