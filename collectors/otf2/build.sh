#!/bin/sh
# Builds the program that reads OTF2 archives, the one that reads them as an MPI job, or the one that writes them.
# Usage: build.sh OUTPUT [together|writer]        (environment: PYTHON, CC, MPICC for together, CFLAGS, OTF2_CONFIG; all have defaults)
set -u
fail() { printf 'build.sh: %s\n' "$1" >&2; exit 1; }
kind=${2:-alone}
parts="base definitions matching calls events pool profile"
case $#-$kind in 1-alone|2-together|2-writer) ;; *) echo "usage: build.sh OUTPUT [together|writer]" >&2; exit 2 ;; esac
here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd) || exit 1
compiler=${CC:-cc}
[ "$kind" != together ] || compiler=${MPICC:-mpicc}
config=${OTF2_CONFIG:-otf2-config}
command -v "$compiler" >/dev/null 2>&1 || fail "no C compiler '$compiler'; install gcc or set CC; for MPI load its module or set MPICC"
# Without it the library may still be where compilers look.
if command -v "$config" >/dev/null 2>&1; then
    flags=$("$config" --cflags) links="$("$config" --ldflags) $("$config" --libs)"
else
    flags="" links="-lotf2"
fi
# A library from a module is found again without that module.
for word in $links; do
    case $word in -L*) links="$links -Wl,-rpath,${word#-L}" ;; esac
done
# Not through a pipe: a compiler that ends at once breaks it, and the shell then says so as the reason.
# shellcheck disable=SC2086
"$compiler" $flags -x c -fsyntax-only - 2>/dev/null <<'PROGRAM' ||
#include <otf2/otf2.h>
int main(void) { return 0; }
PROGRAM
    fail "no OTF2 library (libotf2) with its headers; install libotf2-trace-dev, or load the module of OTF2 or Score-P"
# The writer knows nothing of profiles.
python=${PYTHON:-python3}
work=""
if [ "$kind" != writer ]; then
    command -v "$python" >/dev/null 2>&1 || fail "no Python interpreter '$python'; set PYTHON"
    work=$(mktemp -d) || exit 1
    trap 'rm -rf "$work"' EXIT
    trap 'exit 1' HUP INT TERM
    "$python" "$here/../schema/generate.py" trace "$work" || fail "the tables could not be generated"
fi
# Callbacks and what they call are in several files: put together they are a tenth faster.
together=""
if [ "$kind" != writer ]; then
    "$compiler" -flto -x c -o /dev/null - 2>/dev/null <<'PROGRAM' && together="-O3 -flto"
int main(void) { return 0; }
PROGRAM
fi
output=$1 base=$here/../core/base
if [ "$kind" = writer ]; then set -- -I"$here/../tracing" "$here"/writer/*.c
else
    set --
    for folder in $parts; do set -- "$@" -I"$here/$folder"; done
    set -- "$@" -I"$base" -I"$work" "$here"/*.c "$base/text.c" "$base/table.c" "$work"/tables.c
    for folder in $parts; do
        for source in "$here/$folder"/*.c; do
            case $kind-$source in alone-*_together.c|together-*_alone.c) ;; *) set -- "$@" "$source" ;; esac
        done
    done
fi
# shellcheck disable=SC2086
"$compiler" -std=gnu11 -O2 -g1 $together ${CFLAGS:-} $flags "$@" -o "$output" $links -lpthread -lm ||
    fail "compiling failed"
