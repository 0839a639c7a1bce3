"""What ranks say to each other for us, counted between the collector and the library: few calls,
and none that waits inside the library."""

from __future__ import annotations

import re

import pytest

from mpi_builds import BUILDS, REPOSITORY, compile_program, preloaded, require, run

HERE = REPOSITORY / "tests" / "collectors"
LINE = re.compile(
    r"^(start|end) messages (\d+) collectives (\d+) blocking (\d+)(\S*)$", re.MULTILINE
)
AT_THE_START = (0, 4)
"""Messages and collective calls of a rank: the communicator, the memory for all hosts' names, the
names, and that all begin together."""
COLLECTIVES_AT_THE_END = 7
TO_THE_PARENT, TO_A_CHILD, TO_THE_RING = 8, 2, 2
"""Messages at the end, at most: on a binomial tree, on which a rank has as many children as its
ranks have digits in base two, and to the neighbours of the program's ring."""


@pytest.fixture
def called(collector, tmp_path):
    """(build, ranks) → what each rank called at start and at end: messages, collective calls, and
    the names of blocking ones."""

    def get(build, ranks):
        below = compile_program(
            build, "c", [HERE / "below.c"], tmp_path / "libbelow.so", ["-shared", "-fPIC", "-ldl"]
        )
        program = compile_program(
            build, "c", [HERE / "talking.c"], tmp_path / "talking", ["-Wl,--no-as-needed", below]
        )
        done = run(
            build, ranks, [*preloaded(collector(build), tmp_path, "ADVISOR_RUN=talk"), program]
        )
        assert done.returncode == 0, done.stderr
        found = [
            (when, (int(messages), int(collectives)), names)
            for when, messages, collectives, _, names in LINE.findall(done.stdout)
        ]
        return tuple([row[1:] for row in found if row[0] == when] for when in ("start", "end"))

    return get


@pytest.mark.parametrize("build", BUILDS, ids=str)
def test_calls_of_ours_are_few_and_do_not_block(build, called):
    """A rank that waits in a library which polls keeps a core from those it waits for."""
    require(build)
    for ranks, children in ((2, 1), (8, 3)):
        start, end = called(build, ranks)
        assert start == [(AT_THE_START, "")] * ranks
        assert len(end) == ranks and {names for _, names in end} == {""}
        assert {collectives for (_, collectives), _ in end} == {COLLECTIVES_AT_THE_END}
        assert (
            max(messages for (messages, _), _ in end)
            <= TO_THE_PARENT + children * TO_A_CHILD + TO_THE_RING
        )
