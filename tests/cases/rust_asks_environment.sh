# Variables that rustc asks for itself, or that have no effect on a compile, count where the source asks for them.
. "$(dirname "$0")/lib.sh"
needs rustc

rustc=$(rustc --print sysroot)/bin/rustc
mkdir a b
for emit in dep-info,metadata,link metadata,link; do
    names="TMPDIR PATH"
    [ $emit = metadata,link ] || names="$names TERM PWD NO_COLOR LANGUAGE CCWRAP_FOO HOME"
    for name in $names; do
        echo "pub const T: Option<&str> = option_env!(\"$name\");" >l.rs
        for value in "$WORK/a" "$WORK/b" "$WORK/a"; do
            [ $name != PATH ] || value=$PATH:$value
            same "$name=$value" "$rustc" --crate-name k l.rs --crate-type lib --emit=$emit
        done
        same "!$name" "$rustc" --crate-name k l.rs --crate-type lib --emit=$emit
    done
done
# and don't where it doesn't
echo 'pub const T: u32 = 1;' >l.rs
miss TERM=a TMPDIR="$WORK/a" "$rustc" --crate-name k l.rs --crate-type lib --emit=dep-info,metadata,link
hit TERM=b TMPDIR="$WORK/b" OLDPWD=/x COLUMNS=70 MAKEFLAGS=-j2 "$rustc" --crate-name k l.rs --crate-type lib --emit=dep-info,metadata,link
exit 0
