# Specs, configuration files and plugins change behind the same command line.
. "$(dirname "$0")/lib.sh"

echo 'int v = V;' >v.c
specs() { printf '%%rename cpp base_cpp\n\n*cpp:\n%%(base_cpp) -DV=%s\n\n' "$1" >my.specs; }
for form in -specs=my.specs --specs=my.specs; do
    specs 1
    twice gcc $form -c v.c -o v.o
    specs 2
    same gcc $form -c v.c -o v.o
    specs 1
    same gcc $form -c v.c -o v.o
done
echo -DV=1 >my.cfg
twice clang --config "$WORK/my.cfg" -c v.c -o v.o
echo -DV=2 >my.cfg
same clang --config "$WORK/my.cfg" -c v.c -o v.o

plugin() {
    printf '#include <stdio.h>\nint plugin_is_GPL_compatible;\nint plugin_init(void *a, void *b)
        { fputs("rule %s\\n", stderr); return 0; }\n' "$1" | gcc -shared -fPIC -x c - -o rule.so
}
plugin one
gcc -fplugin=./rule.so -DV=1 -c v.c -o v.o 2>/dev/null || exit 0
rm v.o
twice gcc -fplugin=./rule.so -DV=1 -c v.c -o v.o
plugin two
same gcc -fplugin=./rule.so -DV=1 -c v.c -o v.o
