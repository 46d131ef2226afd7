# A link that finds only itself, and a script that calls the link again, end with a message.
. "$(dirname "$0")/lib.sh"

only_ccwrap
mkdir links bin
ln -s "$CW" links/mygcc
echo 'int x;' >x.c
(ulimit -u 4000; PATH=$WORK/links:/usr/bin:/bin timeout 20 mygcc -c x.c -o x.o 2>message)
status=$?
[ $status != 124 ] && [ $status != 0 ] || fail "status $status"
printf '#!/bin/sh\nexec mygcc "$@"\n' >bin/mygcc
chmod +x bin/mygcc
PATH=$WORK/links:$WORK/bin:/usr/bin:/bin timeout 20 mygcc -c x.c -o x.o 2>message
[ $? != 124 ] || fail "a script that calls its own name through the link loops"
