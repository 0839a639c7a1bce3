"""What a small job leaves is compact, what a large one leaves can be mapped; both say what was
done."""

from __future__ import annotations

import json
import shutil
import subprocess

import pytest

from advisor.intake.container.compact import WINDOW, dictionary
from advisor.intake.read import read
from mpi_builds import BUILDS, REPOSITORY, compile_program, require, run

BENCHMARKS, CORE = REPOSITORY / "benchmarks", REPOSITORY / "collectors" / "core"


def header(raw: bytes) -> dict:
    return json.loads(raw[16 : 16 + int.from_bytes(raw[8:16], "little")])


@pytest.mark.parametrize("build", BUILDS, ids=str)
def test_a_small_job(build, collector, tmp_path):
    """Few calls: however slow they are, they are in few slices of time."""
    program = compile_program(
        require(build), "c", [BENCHMARKS / "finalize.c"], tmp_path / "finalize"
    )
    done = run(
        build,
        2,
        ["env", f"LD_PRELOAD={collector(build)}", f"ADVISOR_OUTPUT={tmp_path}", program, "5"],
    )
    assert done.returncode == 0, done.stderr
    raw = (tmp_path / "merged.profile").read_bytes()
    outer = header(raw)
    assert outer["version"] == [3, 0] and 4 * len(raw) < outer["header"] + outer["columns"]
    calls = read(tmp_path / "merged.profile").tables["calls"]
    counted = {
        (int(rank), name): int(count)
        for rank, name, count in zip(calls["rank"], calls["operation"], calls["count"])
    }
    assert {
        pair: count for pair, count in counted.items() if pair[1] in ("Allreduce", "Sendrecv")
    } == {(rank, name): 5 for rank in (0, 1) for name in ("Allreduce", "Sendrecv")}


@pytest.fixture(scope="module")
def constructed(tmp_path_factory):
    """ranks → profile of a constructed job, put together and written by the collector's own
    code."""
    compiler, folder = (
        shutil.which("cc") or shutil.which("gcc") or pytest.skip("no C compiler"),
        tmp_path_factory.mktemp("constructed"),
    )
    line = [
        compiler,
        "-std=gnu11",
        "-O1",
        f"-I{CORE}",
        str(BENCHMARKS / "scale.c"),
        *sorted(map(str, CORE.glob("*.c"))),
        "-o",
        str(folder / "scale"),
        "-lm",
        "-ldl",
        "-lpthread",
    ]
    made = subprocess.run(line, capture_output=True, text=True)
    assert made.returncode == 0, made.stderr

    def get(ranks: int):
        subprocess.run(
            [folder / "scale", str(ranks), folder / f"{ranks}.profile"],
            check=True,
            capture_output=True,
        )
        return folder / f"{ranks}.profile"

    return get


def test_a_large_job_is_as_readers_map_it(constructed):
    raw = constructed(64).read_bytes()
    assert header(raw)["version"] == [2, 0] and len(raw) > WINDOW - len(dictionary())
    assert read(constructed(64)).tables["ranks"]["rank"].tolist() == list(range(64))
