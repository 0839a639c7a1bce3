"""What the collector says that it took itself, and what it takes at the end of a small job:
counted, not timed."""

from __future__ import annotations

import re
import shutil
import sys

import pytest

from advisor import intake
from mpi_builds import REPOSITORY, compile_program, find, preloaded, require, run

sys.path.insert(0, str(REPOSITORY / "benchmarks"))
from callgrind import within_functions  # noqa: E402

PARTS = {"merged_": ("add_record", "sort_and_combine"), "met_": ("add",), "waits_": ("evaluate",)}
"""What each rank does by itself, with all that is called: nowhere here it waits for others, which
takes instructions too."""
MOST_INSTRUCTIONS = 3_500_000
"""In these, after 1000 reductions and 1000 messages to the other of two ranks, all sampled: 2.3 to
2.5 million, by the slices of time that the run has. It was 7 to 10 million where rows were
sorted by what is looked for now."""
MOST_PAGES = 250
"""That MPI_Finalize touches for the first time beside those of a bare run: 140. A page takes longer
than what is done with it; there were 700."""


@pytest.mark.parametrize("number", (0, 1, 2, 1000))
@pytest.mark.parametrize("name", ("ompi4", "mpich5"))
def test_what_describing_communicators_took_is_its_own_cost(
    name, number, program, collector, tmp_path
):
    """Without communicators of its own a program's cost is that of the end alone, to the bit."""
    build = find(name)
    words = [
        *preloaded(collector(build), tmp_path, "ADVISOR_RUN=own"),
        program(build, "duplicates.c"),
        number,
    ]
    done = run(build, 2, words)
    assert done.returncode == 0, done.stderr
    ranks = intake.read(tmp_path).tables["ranks"]
    end, begin, cost = (
        float(ranks[column][0])
        for column in ("finalize_end", "finalize_begin", "finalize_overhead")
    )
    assert cost > end - begin if number else cost == end - begin


@pytest.fixture
def small_job(tmp_path):
    """(collector or None, what stands before the program) → what benchmarks/finalize.c printed."""
    build = require(find("ompi4"))
    program = compile_program(
        build, "c", [REPOSITORY / "benchmarks" / "finalize.c"], tmp_path / "finalize", ["-O2"]
    )
    (tmp_path / "out").mkdir()

    def get(library, *front):
        before = preloaded(library, tmp_path / "out", "ADVISOR_RUN=end") if library else []
        done = run(build, 2, [*before, *front, program])
        assert done.returncode == 0, done.stderr
        return done.stdout

    return get


def test_instructions_at_the_end_of_a_small_job(small_job, collector, tmp_path):
    if not shutil.which("valgrind"):
        pytest.skip("valgrind is not installed")
    library = collector(find("ompi4"))
    small_job(
        library,
        "valgrind",
        "--tool=callgrind",
        "--toggle-collect=job_hand_on",
        f"--callgrind-out-file={tmp_path}/counted.%p",
    )
    files = [
        file
        for file in tmp_path.glob("counted.*")
        if "job_hand_on" in file.read_text(errors="replace")
    ]
    counted = [
        sum(
            within_functions(file, prefix)[rest]
            for prefix, names in PARTS.items()
            for rest in names
        )
        for file in files
    ]
    assert len(counted) == 2 and 1_000_000 < max(counted) <= MOST_INSTRUCTIONS


def test_pages_touched_at_the_end_of_a_small_job(small_job, collector):
    bare, measured = (
        max(map(int, re.findall(r"faults (\d+)", small_job(library))))
        for library in (None, collector(find("ompi4")))
    )
    assert 0 < measured - bare <= MOST_PAGES
