# Words that can't be meant: one line that says what is wrong with them, and status 1.
. "$(dirname "$0")/lib.sh"

only_ccwrap
wrong() { # what the line must say, words
    local say=$1 status
    shift
    "$CW" "$@" >out 2>message
    status=$?
    [ $status = 1 ] && [ ! -s out ] && [ "$(wc -l <message)" = 1 ] && grep -q -e "$say" message ||
        fail "$*: status $status: $(head -n 2 message)"
}
wrong '-o: no such option' -o x
wrong 'without it' -- gcc -c m.c
wrong 'json or text' --stats-format=xml
wrong 'json or text' --stats --stats-format=xml
wrong 'json or text' --stats-format
wrong 'needs an age' --evict-older-than
wrong 'needs an age' --evict-older-than ''
wrong 'needs an age' --evict-older-than=soon
wrong 'no further words: now' --evict-older-than 7d now
wrong 'no further words: --zero-stats' --stats --zero-stats
wrong 'no such option' --statsx
wrong 'no such option' --clear=all
wrong '--stats: .*CCWRAP_KEY=VALUE' disable=1 --stats
for words in "--stats-format=json" "--stats-format json" "--stats --stats-format=json" "--stats --stats-format json" "-s --stats-format=json"; do
    "$CW" $words | python3 -c 'import json, sys; json.load(sys.stdin)["stats"]' 2>message || fail "$words: $(tail -n 1 message)"
done
"$CW" --evict-older-than=7d || fail "--evict-older-than=7d"
