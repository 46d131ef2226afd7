# Very many short options in one word are read like few.
. "$(dirname "$0")/lib.sh"

needs rustc
only_ccwrap
echo 'pub fn f() {}' >x.rs
"$CW" --start-server >/dev/null
server=$(servers)
verbose=-$(printf 'v%.0s' $(seq 20000))
same rustc "$verbose" --crate-type lib --emit=metadata x.rs
[ "$(servers)" = "$server" ] || fail "the server has ended"
