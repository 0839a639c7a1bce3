#!/bin/sh
# Builds the collector that can trace, for one MPI library.
# Usage: build.sh MPICC OUTPUT.so        (environment: PYTHON, CC, CFLAGS; all have defaults)
here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd) || exit 1
TRACED=1 exec /bin/sh "$here/../build.sh" "$@"
