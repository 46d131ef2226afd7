# What a source or a script says of the caller's own descriptors is never stored.
. "$(dirname "$0")/lib.sh"

printf '#if __has_include("/proc/self/fd/9")\nint a;\n#endif\nint b;\n' >h.c
printf '#!/bin/sh\n[ -e /dev/fd/9 ] && exec gcc -DA "$@"\nexec gcc "$@"\n' >fdcc
chmod +x fdcc
echo 'int x;' >x.c
for cc in gcc clang; do
    command -v $cc >/dev/null || continue
    before=$(hits)
    for round in 1 2; do same $cc -c h.c; done
    [ "$KIND" = plain ] || [ "$(hits)" = "$before" ] || fail "a look at a descriptor was served from the cache"
done
before=$(hits)
for round in 1 2; do same ./fdcc -c x.c; done
[ "$KIND" = plain ] || [ "$(hits)" = "$before" ] || fail "a script's look at a descriptor was served from the cache"
exit 0
