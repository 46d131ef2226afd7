# __DATE__ a day later.
. "$(dirname "$0")/lib.sh"

needs faketime
echo 'const char *d = __DATE__;' >d.c
same gcc -c d.c -o d.o
sed -i 's/$/ /' d.c
same faketime '2030-01-01 10:00' gcc -c d.c -o d.o
