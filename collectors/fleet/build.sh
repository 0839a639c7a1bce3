#!/bin/sh
# Builds the object that a centre preloads into everything.
# Usage: build.sh OUTPUT.so        (environment: CC)
set -u
fail() { printf 'build.sh: %s\n' "$1" >&2; exit 1; }
[ $# -eq 1 ] || { echo "usage: build.sh OUTPUT.so" >&2; exit 2; }
output=$1
here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd) || exit 1
command -v "${CC:-cc}" >/dev/null 2>&1 || fail "no C compiler '${CC:-cc}'; install gcc or set CC"
# Needs no library, not even the C library: what it calls is bound when it is called. One piece of code and one page of data, which
# the loader maps with two calls and never protects again; first, so that it starts a program again before other libraries have begun.
"${CC:-cc}" -std=gnu11 -Os -g0 -fPIC -ffreestanding -fvisibility=hidden -fno-stack-protector -fno-asynchronous-unwind-tables \
    -fno-tree-loop-distribute-patterns -Wall -Wextra -shared -nostdlib -Wl,-z,lazy -Wl,-z,initfirst -Wl,-z,noseparate-code -Wl,-z,norelro \
    -Wl,-z,nodelete -Wl,-z,noexecstack -Wl,--hash-style=gnu -Wl,--build-id=sha1 -s -o "$output.$$" "$here"/*.c \
    || { rm -f "$output.$$"; fail "compiling failed"; }
mv -f "$output.$$" "$output" || fail "cannot write '$output'"
