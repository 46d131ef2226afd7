# CPATH and its kin choose headers: set, changed, empty, an empty element.
. "$(dirname "$0")/lib.sh"

mkdir v1 v2
echo '#define API 1' >v1/api.h
echo '#define API 2' >v2/api.h
printf '#if __has_include(<api.h>)\n#include <api.h>\n#else\n#define API 0\n#endif\nint api = API;\n' >a.c
cp a.c v1/inner.c
cp a.c a.cc
for cc in gcc clang; do
    for round in 1 2; do
        for set in CPATH=$WORK/v1 CPATH=$WORK/v2 CPATH= !CPATH CPATH=:$WORK/v2 C_INCLUDE_PATH=$WORK/v1 \
            C_INCLUDE_PATH=$WORK/v2 CPATH=nowhere; do
            same "$set" "$cc" -c a.c -o a.o
        done
        same CPATH="$WORK/v2" C_INCLUDE_PATH="$WORK/v1" "$cc" -c a.c -o a.o
        same CPLUS_INCLUDE_PATH="$WORK/v1" "$cc" -c a.cc -o a.o
        same CPLUS_INCLUDE_PATH="$WORK/v2" "$cc" -c a.cc -o a.o
        cd v1
        same CPATH=: "$cc" -c inner.c -o inner.o
        cd ..
    done
    hit CPATH="$WORK/v1" "$cc" -c a.c -o a.o
done
