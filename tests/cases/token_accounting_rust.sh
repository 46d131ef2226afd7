# rustc below make: no complaint, no deadlock, tokens come back.
. "$(dirname "$0")/lib.sh"

needs make rustc
for i in 0 1 2 3 4 5; do echo "pub fn f$i() -> u32 { $i }" >r$i.rs; done
cat >Makefile <<S
all: \$(foreach i,0 1 2 3 4 5,libr\$i.rlib)
lib%.rlib: %.rs ; +@$CW rustc --crate-type rlib --crate-name \$* --emit=link -C codegen-units=16 --out-dir . \$<
S
for jobs in 1 2; do
    rm -f ./*.rlib
    timeout 100 make -s -j$jobs 2>message || fail "make -j$jobs: status $? (124: it never ended) $(head -n 2 message)"
    grep -qi jobserver message && fail "$(grep -i jobserver message | head -n 1)"
done
exit 0
