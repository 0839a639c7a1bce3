#!/bin/sh
# Builds the library that splits large reductions, for one MPI library.
# Usage: build.sh MPICC OUTPUT.so        (environment: CC, CFLAGS; both have defaults)
set -u
fail() { printf 'build.sh: %s\n' "$1" >&2; exit 1; }
[ $# -eq 2 ] || { echo "usage: build.sh MPICC OUTPUT.so" >&2; exit 2; }
mpicc=$1 output=$2
here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd) || exit 1
command -v "$mpicc" >/dev/null 2>&1 || fail "no MPI compiler wrapper '$mpicc'"
first=$("$mpicc" -show 2>/dev/null | sed 's/ .*//')
compiler=${CC:-${first:-cc}}
command -v "$compiler" >/dev/null 2>&1 || fail "no C compiler '$compiler'; install gcc or set CC"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
for source in "$here"/*.c; do
    # shellcheck disable=SC2086
    "$mpicc" -std=gnu11 -O2 -g1 -fPIC -fvisibility=hidden -Wall -Wextra -Wno-deprecated-declarations ${CFLAGS:-} \
        -c "$source" -o "$work/$(basename "$source" .c).o" || fail "compiling failed"
done
# Not linked with the MPI library: it is found in the process, so that programs without MPI start as before.
"$compiler" -shared -static-libgcc -Wl,-z,relro -Wl,-z,nodelete -o "$work/endpoints.so" "$work"/*.o -ldl -lpthread || fail "linking failed"
mv -f "$work/endpoints.so" "$output.$$" 2>/dev/null && mv -f "$output.$$" "$output" || fail "cannot write '$output'"
