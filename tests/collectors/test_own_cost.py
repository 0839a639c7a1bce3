"""What the collector says that it took itself."""

from __future__ import annotations

import pytest

from advisor import intake
from mpi_builds import find, run


@pytest.mark.parametrize("number", (0, 1, 2, 1000))
@pytest.mark.parametrize("name", ("ompi4", "mpich5"))
def test_what_describing_communicators_took_is_its_own_cost(name, number, program, collector, tmp_path):
    """Without communicators of its own a program's cost is that of the end alone, to the bit."""
    build = find(name)
    words = ["env", f"LD_PRELOAD={collector(build)}", f"ADVISOR_OUTPUT={tmp_path}", "ADVISOR_RUN=own", program(build, "duplicates.c"), number]
    done = run(build, 2, words)
    assert done.returncode == 0, done.stderr
    ranks = intake.read(tmp_path).tables["ranks"]
    end, begin, cost = (float(ranks[column][0]) for column in ("finalize_end", "finalize_begin", "finalize_cost"))
    assert cost > end - begin if number else cost == end - begin
