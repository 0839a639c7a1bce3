"""MPI_Isendrecv and MPI_Isendrecv_replace, of MPI 4: a send and a receive that one request
completes."""

from __future__ import annotations

import os
from collections import Counter

import pytest
from mpi_builds import compile_program, find, require

from advisor.intake import read

from .test_real_traces import HERE, RANKS, printed, totals, traced

pytestmark = pytest.mark.skipif(
    os.environ.get("ADVISOR_TEST_LONG") != "1",
    reason="another collector has to be built: ADVISOR_TEST_LONG=1",
)


@pytest.mark.parametrize("name", ["mpich4", "ompi5", "mpich5", "impi"])
def test_both_halves_are_in_the_trace(name, tmp_path):
    build = require(find(name))
    program = compile_program(build, "c", [HERE / "exchanges.c"], tmp_path / "exchanges", ["-w"])
    folder, said = traced(build, program, tmp_path / "result")
    anchor = folder / "trace" / "traces.otf2"
    assert anchor.exists(), said
    measured, seen = read(str(folder)), read(str(anchor))
    assert {key: values[:2] for key, values in totals(seen).items()} == {
        key: values[:2] for key, values in totals(measured).items()
    }
    assert totals(seen)[0, "Isendrecv"][:2] == [4, 3 * 16 + 8] and totals(seen)[
        0, "Isendrecv_replace"
    ][:2] == [1, 28]
    kinds = Counter(kind for kind, *_ in printed(anchor))
    messages = 4 * RANKS + RANKS - 1
    assert [
        kinds[kind]
        for kind in ("MPI_ISEND", "MPI_ISEND_COMPLETE", "MPI_IRECV_REQUEST", "MPI_IRECV")
    ] == 4 * [messages]
    assert not seen.tables["ranks"]["unmatched"].any() and not [
        gap for gap in seen.gaps if gap.subject == "waits.messages"
    ]
    waits = Counter()
    for rank, operation, wait in zip(
        *(seen.tables["waits"][column].tolist() for column in ("rank", "operation", "wait"))
    ):
        waits[rank, operation] += wait
    # Rank 2 receives from rank 1, which is 5 ms late three times.
    assert waits[2, "Wait"] > 0.005
