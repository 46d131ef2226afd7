# Resource limits, nice and umask of the client hold for its compiler.
. "$(dirname "$0")/lib.sh"

mkdir bin
printf '#!/bin/bash\n{ umask; ulimit -c -n -s -v -t; nice; } >&2\nexec gcc "$@"\n' >bin/cc
chmod +x bin/cc
echo 'int f;' >f.c
(ulimit -c 0; ulimit -n 200; ulimit -s 4096; ulimit -t 77; umask 027; same bin/cc -c f.c -o f.o) || exit 1
echo 'int g;' >f.c
(nice -n 5 true; ulimit -v 4000000; same nice -n 5 bin/cc -c f.c -o f.o) || exit 1
# The preprocessor's, too, which may start without the trampoline that sets them.
printf '#!/bin/bash\necho "$(umask) $(ulimit -s)" >>"%s"\nexec gcc "$@"\n' "$TOP/had" >bin/cc
echo 'int h;' >f.c
for mask in 022 027 077 022; do
    (umask $mask; CCWRAP_DIRECT=0 same bin/cc -c f.c -o f.o) || exit 1
done
stack=$(ulimit -s)
[ "$(sort -u "$TOP/had" | tr '\n' ,)" = "0022 $stack,0027 $stack,0077 $stack," ] || fail "umasks and stacks: $(sort "$TOP/had" | uniq -c)"
(ulimit -Ss 4096; CCWRAP_DIRECT=0 same bin/cc -c f.c -o f.o) || exit 1
[ "$(grep -c ' 4096$' "$TOP/had")" -gt 1 ] || fail "stacks: $(sort "$TOP/had" | uniq -c)"
