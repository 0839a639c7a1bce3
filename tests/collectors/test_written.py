"""What a job itself writes can be mapped, however small it is, and is what was counted."""

from __future__ import annotations

import json
import shutil
import subprocess

import pytest

from advisor.intake.read import read
from mpi_builds import BUILDS, REPOSITORY, compile_program, core_sources, preloaded, require, run

BENCHMARKS = REPOSITORY / "benchmarks"


def header(raw: bytes) -> dict:
    return json.loads(raw[16 : 16 + int.from_bytes(raw[8:16], "little")])


@pytest.mark.parametrize("build", BUILDS, ids=str)
def test_a_small_job(build, collector, tmp_path):
    """Few calls: however slow they are, they are in few slices of time."""
    program = compile_program(
        require(build), "c", [BENCHMARKS / "finalize.c"], tmp_path / "finalize"
    )
    done = run(build, 2, [*preloaded(collector(build), tmp_path), program, "5"])
    assert done.returncode == 0, done.stderr
    raw = (tmp_path / "merged.profile").read_bytes()
    assert header(raw)["version"] == [1, 0] and 4096 < len(raw) < 16384
    calls = read(tmp_path / "merged.profile").tables["calls"]
    counted = {
        (int(rank), name): int(count)
        for rank, name, count in zip(calls["rank"], calls["operation"], calls["count"])
    }
    assert {
        pair: count for pair, count in counted.items() if pair[1] in ("Allreduce", "Sendrecv")
    } == {(rank, name): 5 for rank in (0, 1) for name in ("Allreduce", "Sendrecv")}


def test_a_large_job(tmp_path):
    """Constructed, put together and written by the collector's own code."""
    compiler = shutil.which("cc") or shutil.which("gcc") or pytest.skip("no C compiler")
    line = [
        compiler,
        "-std=gnu11",
        "-O1",
        str(BENCHMARKS / "scale.c"),
        *core_sources(tmp_path),
        "-o",
        str(tmp_path / "scale"),
        "-lm",
        "-ldl",
        "-lpthread",
    ]
    made = subprocess.run(line, capture_output=True, text=True)
    assert made.returncode == 0, made.stderr
    subprocess.run(
        [tmp_path / "scale", "64", tmp_path / "profile"], check=True, capture_output=True
    )
    tables = read(tmp_path / "profile").tables
    assert tables["ranks"]["rank"].tolist() == list(range(64)) and tables["ranks"][
        "cpus"
    ].tolist() == [str(rank) for rank in range(64)]
    assert set(tables["communicators"]["size"].tolist()) == {1, 64} and set(
        tables["waits"]["operation"]
    ) == {"Allreduce"}
