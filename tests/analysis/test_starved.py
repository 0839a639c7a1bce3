"""Time in MPI without a core: the part of MPI time that no CPU time of the process can cover."""

from __future__ import annotations

import pytest

from advisor.analysis import measure

from .profiles import cell, profile, table


def run_with(mpi, user, system):
    calls = [(rank, "Allreduce", "host", 4, 1, 8, seconds) for rank, seconds in enumerate(mpi)]
    more = table("ranks", user_time=user, system_time=system)
    return measure(profile([10.0] * len(mpi), calls, ranks=more))


@pytest.mark.parametrize("mpi, user, system, starved", [
    ([8.0, 8.0], [10.0, 9.0], [0.0, 1.0], [0.0, 0.0]),   # a core all the time
    ([8.0, 8.0], [1.0, 3.0], [1.0, 1.0], [0.6, 0.4]),    # 2 s and 4 s of CPU time for 8 s in MPI
    ([0.1, 8.0], [0.05, 9.0], [0.0, 0.0], [0.005, 0.0]),  # asleep outside MPI: that is not counted
])
def test_starved_share(mpi, user, system, starved):
    measures = run_with(mpi, user, system)
    assert [cell(measures, "rank.starved_share", row) for row in range(2)] == pytest.approx(starved)
    assert cell(measures, "run.starved_share") == pytest.approx(sum(starved) / 2)


def test_unknown_without_cpu_time():
    measures = measure(profile([10.0], [(0, "Allreduce", "host", 4, 1, 8, 5.0)]))
    assert cell(measures, "rank.starved_share") is None
    assert cell(measures, "run.starved_share") is None
