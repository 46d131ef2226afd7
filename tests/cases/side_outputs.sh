# All that a compile writes beside its object comes back, whatever the option.
. "$(dirname "$0")/lib.sh"

echo 'int f(int a) { int b[9]; b[a & 7] = a; for (int i = 0; i < 8; i++) b[8] += b[i]; return b[8]; }' >f.c
mkdir o
while read -r words; do twice $words -c f.c -o o/f.o; done <<'S'
gcc -fstack-usage
gcc -fcallgraph-info=su
gcc -save-temps
gcc -save-temps=obj
gcc -Wa,-aln=o/f.lst
gcc -Wa,-adhln
gcc -Wa,--MD,o/as.d
gcc -fdump-tree-optimized
gcc -fdump-ipa-cgraph -dumpdir o/
gcc -da
gcc -aux-info o/f.X
gcc -fopt-info-vec=o/v.txt -O3
gcc -fopt-info -O3
gcc -fdiagnostics-format=json-file -Wall
gcc -fdiagnostics-format=json -Wall
gcc -frandom-seed=1 -flto -ffat-lto-objects -fstack-usage
gcc -frandom-seed=1 -flto -fstack-usage
gcc -fstack-usage -dumpbase other.c
clang -fstack-usage
clang -fsave-optimization-record -O2
clang -MJ o/f.json
clang -save-temps=obj
clang --serialize-diagnostics o/f.dia
clang -Rpass=.* -O2
clang -Xclang -dependency-file -Xclang o/x.d -Xclang -MT -Xclang t
S
for round in 1 2; do # these hold times or random stamps: only their being there is compared
    "$CW" gcc -fsave-optimization-record -O2 -c f.c -o o/f.o || fail "status"
    [ -n "$(find . -name '*.opt-record.json.gz')" ] || fail "gcc's record is lost"
    "$CW" clang -ftime-trace -c f.c -o o/t.o || fail "status"
    [ -s o/t.json ] || fail "clang's time trace is lost"
    "$CW" gcc -fproc-stat-report=o/stat -c f.c -o o/p.o 2>/dev/null
    find . -type f ! -name f.c -delete
done
hit gcc -fstack-usage -c f.c -o o/f.o
