"""System calls that read and write, as the kernel counts them for a rank."""

from __future__ import annotations

import pytest

from advisor.analysis import measure
from advisor.intake.read import read
from mpi_builds import BUILDS, preloaded, require, run


@pytest.mark.parametrize("build", BUILDS, ids=str)
def test_requests_of_a_rank(build, collector, program, tmp_path):
    require(build)
    words = [program(build, "requests.c"), str(tmp_path / "file")]
    done = run(build, 2, [*preloaded(collector(build), tmp_path), *words])
    assert done.returncode == 0, done.stderr
    ranks = measure(read(tmp_path / "merged.profile")).tables["rank"]
    for rank in map(ranks.row, range(2)):
        # Those of the library and of the collector come on top, not those outside MPI's time
        assert 3000 <= rank["write_requests"] < 3600
        assert 60_000 <= rank["write_bytes"] < 120_000
        assert 500 <= rank["read_requests"] < 2000
        assert rank["read_bytes"] >= 50_000
