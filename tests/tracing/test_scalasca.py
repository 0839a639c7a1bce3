"""The trace of a run as Scalasca's analysis reads it: the same waits as our own reader finds. Needs
ADVISOR_TEST_SCOREP, a folder with bin/scout.mpi."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections import Counter
from pathlib import Path

import pytest
from mpi_builds import compile_program, environment, find, require

from advisor.intake import read

from .test_real_traces import HERE, RANKS, traced

INSTALLED = Path(os.environ.get("ADVISOR_TEST_SCOREP", "/nonexistent"))
SAME = (
    "Recv",
    "Ssend",
    "Send",
    "Waitall",
    "Barrier",
    "Allreduce",
    "Bcast",
    "Reduce",
    "Gather",
    "Scatter",
    "Allgather",
    "Alltoall",
    "Scan",
    "Exscan",
    "Reduce_scatter_block",
)
"""Scalasca does not judge nonblocking collective and neighbourhood calls and locks, of MPI_Sendrecv
the receiving half only; it tells no waits of windows in our traces."""


def waits(profile):
    """(operation, rank) → seconds."""
    found, table = Counter(), profile.tables["waits"]
    for rank, operation, wait in zip(
        *(table[name].tolist() for name in ("rank", "operation", "wait"))
    ):
        found[operation, rank] += wait
    return {
        (operation, rank): found[operation, rank] for operation in SAME for rank in range(RANKS)
    }


@pytest.mark.skipif(
    not (INSTALLED / "bin" / "scout.mpi").exists(),
    reason="ADVISOR_TEST_SCOREP names no installation of Scalasca",
)
def test_scalasca_finds_the_same_waits(tmp_path):
    build = require(find("ompi4"))
    program = compile_program(build, "c", [HERE / "everything.c"], tmp_path / "everything", ["-w"])
    folder, said = traced(build, program, tmp_path / "result", 2)
    anchor = folder / "trace" / "traces.otf2"
    assert anchor.exists(), said
    own = waits(read(str(anchor)))
    # it writes its report beside the trace
    copy = shutil.copytree(folder / "trace", tmp_path / "scout")
    line = [
        *build.launcher,
        "-n",
        str(RANKS),
        str(INSTALLED / "bin" / "scout.mpi"),
        str(copy / "traces.otf2"),
    ]
    done = subprocess.run(
        line,
        env={**environment(build), "LD_LIBRARY_PATH": str(INSTALLED / "lib")},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert (copy / "scout.cubex").exists(), done.stdout + done.stderr
    assert waits(read(str(copy / "scout.cubex"))) == pytest.approx(own, abs=2e-6)
    assert own["Barrier", 0] > 0.002
