"""Programs that restrict their own process end as they would without us. What may not be written
stays in memory, from where it is collected."""

from __future__ import annotations

import pytest
from mpi_builds import BUILDS, find, run

from advisor.model.errors import UserError

RANKS = 2
FORBIDDEN = frozenset(
    "fallocate ftruncate readlinkat getrusage prlimit64 process_vm_readv getsockopt getsockname"
    " getpeername statfs fcntl pread64 pwrite64 kill unlinkat renameat2 prctl rename openat lseek"
    " getdents64 readlink unlink getpid".split()
)
"""System calls: all that the collector makes after MPI_Init where it may, and others."""
NEEDED = {
    "ompi4": {"getpid", "unlink"},
    "mpich4": {"openat", "getpid"},
    "ompi5": {"getpid", "unlink"},
    "mpich5": {"openat", "lseek", "getdents64", "readlink", "unlink"},
    "impi": set(),
}
"""Of these by the library's own MPI_Finalize."""
HALF, BOTH, WITH_THREAD = 13, 26, 39
"""Reductions that a rank has called: before it restricted itself, at the end, and with those of its
thread."""


def both(build, compiled, job, *words):
    """What a measured program left, whose exit code and own word are those of the bare one.
    Warnings of a library on stdout have addresses and times in them, and the launcher may write
    that of one rank right after the word of the other: 8 of 4000 bare jobs of MPICH 5 did."""
    program = [compiled(build, "restricted.c"), *words]
    bare, left = run(build, RANKS, program, time_limit=60), job(build).run(RANKS, program)
    assert (left.code, left.out.count("done"), "advisor" in left.err) == (
        bare.returncode,
        bare.stdout.count("done"),
        False,
    ), (bare.stderr, left.err)
    assert bare.returncode == 0, bare.stderr
    return left


@pytest.mark.parametrize("who", ["-1", "0", "1"], ids=["all ranks", "rank 0", "rank 1"])
@pytest.mark.parametrize("build", BUILDS, ids=str)
def test_a_filter_of_system_calls(build, who, compiled, job):
    """Set after MPI_Init, it ends the process at the first call that the library does not need."""
    left = both(
        build, compiled, job, "after", who, "calls", *sorted(FORBIDDEN - NEEDED[build.name])
    )
    kept = {rank: BOTH if who in ("-1", str(rank)) else WITH_THREAD for rank in range(RANKS)}
    assert (left.counts("Allreduce"), left.states) == (kept, {0: 2, 1: 2})
    assert (
        "restrictions: the program filtered its own system calls after MPI_Init (seccomp)"
        in left.gaps()
    )
    assert "The program restricted its own process" in left.report and "cut off" not in left.report


RESTRICTIONS = {
    "size": (BOTH, "lowered its limit of the size of files after MPI_Init"),
    "files": (BOTH, "closed file descriptors that are not its own, or has none left"),
    "close": (BOTH, "closed file descriptors that are not its own, or has none left"),
    "environment": (WITH_THREAD, ""),
}


@pytest.mark.parametrize("how", RESTRICTIONS)
@pytest.mark.parametrize("build", BUILDS, ids=str)
def test_other_restrictions(build, how, compiled, job):
    """Limits lowered, descriptors closed that the program did not open, the environment cleared:
    after MPI_Init."""
    left = both(build, compiled, job, "after", "-1", how)
    count, reason = RESTRICTIONS[how]
    assert (left.counts("Allreduce"), left.states) == (
        dict.fromkeys(range(RANKS), count),
        {0: 2, 1: 2},
    )
    assert reason in left.gaps() and bool(left.gaps()) == bool(reason)


@pytest.mark.parametrize("build", BUILDS, ids=str)
def test_a_filter_before_mpi_init(build, compiled, job):
    """The collector would need more calls than MPI_Init does: the program runs without being
    measured."""
    program, one = (
        [compiled(build, "restricted.c"), "before", "-1", "calls", "fallocate"],
        job(build),
    )
    bare, done = run(build, RANKS, program), run(build, RANKS, one.words(program))
    assert (
        (done.returncode, done.stdout, done.stderr)
        == (bare.returncode, bare.stdout, bare.stderr)
        == (0, "done\n", "")
    )
    with pytest.raises(UserError) as said:
        one.left(done, RANKS, program)
    assert "filtered its system calls before MPI_Init" in said.value.meaning


LEAST = {"ompi4": 20, "mpich4": 30, "ompi5": 24, "mpich5": 32, "impi": 20}


@pytest.mark.parametrize("build", BUILDS, ids=str)
def test_few_file_descriptors(build, compiled, job):
    """As few as two ranks of the library start with."""
    program = compiled(build, "restricted.c")
    words = [
        "sh",
        "-c",
        f'ulimit -n {LEAST[build.name]}; exec "$@"',
        "sh",
        program,
        "after",
        "-1",
        "nothing",
    ]
    bare, left = run(build, RANKS, words), job(build).run(RANKS, words)
    assert (left.code, left.out) == (bare.returncode, bare.stdout) == (0, "done\n"), left.err
    assert (
        left.counts("Allreduce") == dict.fromkeys(range(RANKS), WITH_THREAD) and left.gaps() == ""
    )


def test_no_file_may_be_written_at_all(compiled, job):
    """A line about it would end the program by SIGXFSZ, since its errors go to a file."""
    build = find("ompi4")
    one, program = job(build), compiled(build, "restricted.c")
    words = ["sh", "-c", f'ulimit -f 0; exec "$@" 2>{one.parts}/errors', "sh"]
    bare = run(build, 1, [*words, program, "after", "-1", "nothing"])
    done = run(build, 1, [*words, *one.words([program, "after", "-1", "nothing"])])
    assert (done.returncode, done.stdout) == (bare.returncode, bare.stdout) == (0, "done\n")
    assert (one.parts / "errors").read_text() == ""
