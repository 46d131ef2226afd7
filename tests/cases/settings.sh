# Settings: file and environment, bad ones, show-config, words in front of the compiler.
. "$(dirname "$0")/lib.sh"

only_ccwrap
echo 'int x;' >x.c
"$CW" --show-config >config || fail "--show-config: status $?"
for key in dir socket maxsize idle_timeout jobs direct disable recache readonly hits_only recorder max_result basedir extrafiles namespace prefix level log; do
    grep -q "\b$key\b" config || fail "--show-config is silent on $key"
done
export CCWRAP_CONFIG=$WORK/config.file
printf '# a comment\nnamespace = a\n  maxsize = 1G  \n' >config.file
"$CW" --show-config | grep -q 'namespace.*a' || fail "the settings file is not read"
miss_hit gcc -c x.c -o x.o
CCWRAP_NAMESPACE=b "$CW" --show-config | grep -q 'namespace.*b' || fail "the environment does not win"
miss CCWRAP_NAMESPACE=b gcc -c x.c -o x.o
hit CCWRAP_NAMESPACE=b gcc -c x.c -o x.o
hit gcc -c x.c -o x.o
before=$(counters)
"$CW" namespace=c gcc -c x.c -o x.o || fail "a setting in front of the compiler"
counted 0 1 "namespace=c" "$before"
for bad in 'maxsize = much' 'nosuchkey = 1' 'no equals sign' 'direct = maybe'; do
    echo "$bad" >config.file
    "$CW" gcc -c x.c -o x.o 2>message || fail "'$bad' broke a compile"
    [ "$(wc -l <message)" -le 1 ] || fail "'$bad': more than one warning"
done
