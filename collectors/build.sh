#!/bin/sh
# Builds the collector for one MPI library.
# Usage: build.sh MPICC OUTPUT.so        (environment: PYTHON, CC, CFLAGS; all have defaults; TRACED=1: one that can trace)
set -u
fail() { printf 'build.sh: %s\n' "$1" >&2; exit 1; }
[ $# -eq 2 ] || { echo "usage: build.sh MPICC OUTPUT.so" >&2; exit 2; }
mpicc=$1 output=$2
here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd) || exit 1
python=${PYTHON:-python3}
command -v "$mpicc" >/dev/null 2>&1 || fail "no MPI compiler wrapper '$mpicc'"
command -v "$python" >/dev/null 2>&1 || fail "no Python interpreter '$python'; set PYTHON"
first=$("$mpicc" -show 2>/dev/null | sed 's/ .*//')
compiler=${CC:-${first:-cc}}
command -v "$compiler" >/dev/null 2>&1 || fail "no C compiler '$compiler'; install gcc or set CC"
work=$(mktemp -d) || exit 1
traced="" tracing=""
[ -z "${TRACED:-}" ] || traced=-DADVISOR_TRACED tracing=$here/tracing
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

printf '#define OMPI_SKIP_MPICXX 1\n#define MPICH_SKIP_MPICXX 1\n#include <mpi.h>\n' >"$work/header.c"
"$mpicc" -E "$work/header.c" >"$work/header.i" 2>"$work/errors" || { cat "$work/errors" >&2; fail "'$mpicc' cannot read <mpi.h>"; }
"$python" "$here/pmpi/wrap/generate.py" "$here/standard/calls.txt" "$work/header.i" "$work" $traced || fail "the wrappers could not be generated"
"$python" "$here/schema/generate.py" collector "$work" || fail "the tables could not be generated"

flags="-std=gnu11 -O2 -g1 -fPIC -fvisibility=hidden -fno-strict-aliasing -fno-tree-vectorize -fno-math-errno -falign-functions=1 -falign-jumps=1 -falign-loops=1 -falign-labels=1 -ftls-model=initial-exec -Wno-deprecated-declarations $traced ${CFLAGS:-}"
# What tracing costs is not in the code: half the time to build is worth more.
[ -z "$traced" ] || flags="$flags -O1"
export flags here work
# As many at a time as there are cores: on a login node fifty compilers at once would take what others need. The longest one first.
# nproc obeys OMP_NUM_THREADS, which jobs have set to 1.
cores=$(OMP_NUM_THREADS='' OMP_THREAD_LIMIT='' nproc 2>/dev/null || echo 2)
for source in "$work"/wrappers.c "$work"/names.c "$work"/operations.c "$work"/tables.c "$here"/pmpi/*/*.c "$here"/core/*/*.c ${tracing:+"$tracing"/*.c}; do
    case $source in "$here"/core/*|*/tables.c) with=$compiler ;; *) with=$mpicc ;; esac
    # What runs once a job is made small: each rank has it in its memory.
    case ${source#"$here"/} in
    core/process/*|core/host/*|core/record/*|core/rendezvous/*|core/profile/*|core/base/table.c) once=-Os ;;
    core/merge/merged.c|core/merge/merged_record.c|core/merge/combine.c|core/merge/aggregating.c|core/counting/counter*) once=-Os ;;
    pmpi/library/control_variables.c|pmpi/library/performance_variables.c|pmpi/library/components.c|pmpi/library/library.c) once=-Os ;;
    pmpi/callers/backtrace.c|pmpi/callers/python_frames.c|pmpi/objects/members.c|pmpi/wrap/threads.c) once=-Os ;;
    pmpi/job/job.c|pmpi/job/hosts.c|pmpi/job/exchange.c|pmpi/life/rank_facts.c|pmpi/life/world.c|pmpi/life/lifecycle.c) once=-Os ;;
    pmpi/finish/reference.c|pmpi/finish/overlap.c|pmpi/finish/gather.c|pmpi/finish/lock_waits.c|pmpi/finish/clocks.c) once=-Os ;;
    *) once="" ;;
    esac
    printf '%s\0%s\0%s\0%s\0' "$with" "$source" "$work/$(basename "$source" .c).o" "$once"
done | xargs -0 -n 4 -P "$cores" sh -c '
    with=$1 source=$2 object=$3 once=$4
    set -- -I"$here/tracing" -I"$work"
    for folder in "$here"/core/*/ "$here"/pmpi/*/; do set -- "$@" -I"$folder"; done
    "$with" $flags $once "$@" -c "$source" -o "$object" 2>"$object.errors" || exit 255' compile 2>"$work/stopped"
# One that fails ends it: 255 keeps xargs from starting more.
failed=$?
cat "$work/stopped" "$work"/*.errors >&2
[ $failed -eq 0 ] || fail "compiling failed"
# Not linked with the MPI library: it is found in the process, so that programs without MPI start as before.
"$compiler" -shared -static-libgcc -Wl,--build-id=sha1 -Wl,-z,relro -Wl,-z,nodelete -o "$work/collector.so" "$work"/*.o -ldl -lpthread || fail "linking failed"
mv -f "$work/collector.so" "$output.$$" 2>/dev/null && mv -f "$output.$$" "$output" || fail "cannot write '$output'"
