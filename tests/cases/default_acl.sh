# In a folder with a default ACL that, and no umask, makes the modes of new files.
. "$(dirname "$0")/lib.sh"
needs setfacl

mkdir open shared
setfacl -d -m u::rwx,g::rwx,o::--- shared 2>/dev/null || skip "no ACLs here"
echo 'int f;' >a.c
echo 'int g;' >b.c
sleep 0.1
for cc in gcc clang; do
    command -v $cc >/dev/null || continue
    miss_hit $cc -MD -c a.c -o shared/a.o
    hit $cc -MD -c a.c -o open/a.o
    miss_hit $cc -MD -c b.c -o open/b.o
    hit $cc -MD -c b.c -o shared/b.o
    (umask 077 && same $cc -MD -c b.c -o open/b.o && same $cc -MD -c b.c -o shared/b.o) || exit
done
# debug information on its own is made anew, whatever was there
: >x.dwo
chmod 600 x.dwo
twice gcc -g -c a.c -o x.o -gsplit-dwarf
