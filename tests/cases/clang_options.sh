# Options of clang that other caches refuse: what they read is observed.
. "$(dirname "$0")/lib.sh"
needs clang

echo 'int x = VALUE;' >a.c
echo 'int q(int *p) { if (!p) return *p; return VALUE; }' >q.c
echo -DVALUE=5 >words.cfg
sleep 0.1

miss_hit clang --config ./words.cfg -c a.c
echo -DVALUE=6 >words.cfg
sleep 0.1
miss_hit clang --config ./words.cfg -c a.c
rm words.cfg
neither clang --config ./words.cfg -c a.c

for compiler in clang gcc; do
    miss_hit $compiler -Xpreprocessor -DVALUE=7 -c a.c
    miss_hit $compiler -Xpreprocessor -DVALUE=8 -c a.c
    twice $compiler -DVALUE=1 -Xpreprocessor -MD -Xpreprocessor a.d -c a.c
done
miss_hit clang -Xpreprocessor -fopenmp -DVALUE=7 -c a.c

miss_hit clang --driver-mode=g++ -Wno-deprecated -DVALUE=1 -c a.c
miss_hit clang -DVALUE=1 -c a.c

miss_hit clang --analyze -DVALUE=1 q.c
miss_hit clang --analyze -Xanalyzer -analyzer-output=text -DVALUE=1 q.c
miss_hit clang --analyze -DVALUE=1 -o report q.c
twice clang --analyze -Xanalyzer -analyzer-output=html -DVALUE=1 -o reports q.c
