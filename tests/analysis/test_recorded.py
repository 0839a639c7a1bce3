"""Recorded runs of Quantum ESPRESSO and LAMMPS, beside what others say of the same runs."""

from __future__ import annotations

import pytest

from advisor.analysis import measure
from advisor.base import resource_paths
from advisor.intake import read


def recorded(name):
    measures = measure(read(resource_paths.samples() / "profiles" / name))
    table = measures.tables["operation"]
    return measures.tables["run"].row(0), {
        row["name"]: row for row in map(table.row, range(len(table)))
    }


@pytest.fixture(scope="module")
def pw():
    return recorded("pw_si8.2r.json")


@pytest.fixture(scope="module")
def lammps():
    return recorded("lmp_lj.2r.json")


# mpiP, sums over both ranks of the same input; independent of this project.
MPIP = {
    "Alltoall": 19026,
    "Barrier": 3714,
    "Allreduce": 2432,
    "Bcast": 2212,
    "Gatherv": 948,
    "Alltoallv": 62,
    "Comm_split": 34,
    "Comm_free": 24,
    "Comm_create": 4,
}


@pytest.mark.parametrize("operation", MPIP)
def test_calls_of_pw_are_those_that_mpip_counts(pw, operation):
    assert pw[1][operation]["calls"] == MPIP[operation]


def test_pw_agrees_with_its_own_clocks(pw):
    run, operations = pw
    assert run["time"] == pytest.approx(9.71, abs=0.02)  # PWSCF: 9.71s WALL
    # fft_scatt_yz, 3.34s WALL, is Alltoall and the copies before and after it.
    assert 0.9 * 3.34 < operations["Alltoall"]["time"] < 3.34


@pytest.mark.parametrize(
    "operation, calls, mean_bytes",
    [("Send", 3250, 63e3), ("Irecv", 3250, 0), ("Wait", 3250, 0), ("Allreduce", 210, 11)],
)
def test_calls_of_lammps(lammps, operation, calls, mean_bytes):
    row = lammps[1][operation]
    assert (row["calls"], row["bytes"] / row["calls"]) == (
        calls,
        pytest.approx(mean_bytes, rel=0.03),
    )


def test_lammps_agrees_with_its_own_timing(lammps):
    """Its Comm section of 4.10188 s took 1.4178 s in the mean; that is these calls, and packing."""
    run, operations = lammps
    ours = sum(operations[name]["time"] for name in ("Send", "Irecv", "Wait", "Sendrecv"))
    assert 0.95 * 1.4178 < ours < 1.4178
    assert 4.10188 < run["time"] < 4.2


def test_both_have_waiting_between_its_bounds(pw, lammps):
    for run, _ in (pw, lammps):
        assert 0 < run["wait_time"] < run["mpi_time"] < run["time"]
        assert run["ceiling_direct"] <= run["ceiling_hard"] + 1e-12


@pytest.mark.parametrize(
    "name, expected", [("uneven_compute.4r.json", True), ("lmp_lj.2r.json", False)]
)
def test_whether_waiting_was_measured_is_always_known(name, expected):
    assert recorded(name)[0]["wait_measured"] is expected


def test_the_rank_with_four_shares_of_work_is_the_one_that_others_waited_for():
    run = recorded("uneven_compute.4r.json")[0]
    assert (run["delaying_rank"], run["delaying_rank_share"] > 0.9, run["wait_share"] > 0.45) == (
        3,
        True,
        True,
    )
