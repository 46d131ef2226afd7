# Links named like compilers early on PATH; the compiler sees the name it would have seen.
. "$(dirname "$0")/lib.sh"

only_ccwrap
mkdir links
for name in gcc g++ cc c++ clang clang++ clang-14 x86_64-linux-gnu-gcc; do ln -s "$CW" links/$name; done
echo 'int x = sizeof("a");' >x.c
cp x.c x.cc
for name in gcc cc clang clang-14 x86_64-linux-gnu-gcc; do
    command -v $name >/dev/null || continue
    rm -f x.o; $name -c x.c -o x.o || fail "plain $name"; mv x.o want.o
    before=$(counters)
    PATH=$WORK/links:$PATH $name -c x.c -o x.o || fail "$name: status $?"
    equal x.o want.o "$name by link"; rm x.o
    PATH=$WORK/links:$PATH $name -c x.c -o x.o || fail "$name: status $?"
    equal x.o want.o "$name by link, again"; rm x.o
    [ "$(counters)" != "$before" ] || fail "$name by link is not cached"
    $name --version >want; PATH=$WORK/links:$PATH $name --version >got; equal got want "$name --version"
done
for name in g++ c++ clang++; do
    rm -f x.o; $name -c x.cc -o x.o; mv x.o want.o
    PATH=$WORK/links:$PATH $name -c x.cc -o x.o || fail "$name: status $?"
    equal x.o want.o "$name by link"
done
echo 'int f( {' >bad.c
gcc -c bad.c 2>want; PATH=$WORK/links:$PATH gcc -c bad.c 2>got
equal got want "messages by link"
./links/gcc -c x.c -o x.o || fail "a link that is not on PATH"
"$WORK/links/gcc" -c x.c -o x.o || fail "an absolute link"
mkdir more; ln -s ../links/gcc more/gcc
PATH=$WORK/more:$WORK/links:$PATH timeout 20 gcc -c x.c -o x.o || fail "two folders of links"
PATH=$WORK/links timeout 20 "$WORK/links/gcc" -c x.c -o x.o 2>message && fail "no compiler on PATH, and yet"
[ -s message ] || fail "no compiler on PATH, and no word about it"
PATH=$WORK/links:$PATH timeout 20 "$CW" gcc -c x.c -o x.o || fail "ccwrap and link"
