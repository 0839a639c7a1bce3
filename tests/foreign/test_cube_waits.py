"""Wait states and delays of Scalasca and counters of Score-P in Cube archives, as tables of ours
and as measures.

Some archives are recorded. Others are constructed: a recorded one in which metrics were put
(cubes.py), with names and hierarchy of Scalasca 2.6 and invented numbers.
"""

from __future__ import annotations

import pytest

from advisor import analysis
from advisor.intake import read
from advisor.intake.foreign.recognise import foreign

from .cubes import Added, with_metrics
from .files import recorded

RAW = recorded("scorep-waits-2r-profile.cubex").read_bytes()
STATES = {
    "mpi_wait_nxn": Added({("MPI_Allreduce", 0): 0.3, ("MPI_Allreduce", 1): 0.01}),
    "mpi_barrier_wait": Added({("MPI_Barrier", 1): 5e-6}),
    "mpi_latesender": Added({("MPI_Recv", 1): 0.2, ("MPI_Sendrecv", 0): 0.05}),
    "mpi_latesender_wo": Added({("MPI_Recv", 1): 0.15}, within="mpi_latesender"),
    "mpi_lswo_same": Added({("MPI_Recv", 1): 0.15}, within="mpi_latesender_wo"),
    "mpi_latereceiver": Added({("MPI_Sendrecv", 0): 0.01}),
    "mpi_nxn_completion": Added({("MPI_Allreduce", 0): 0.5}),
    "mpi_finalize_wait": Added({("MPI_Finalize", 0): 9.0}),
    "delay_n2n": Added({("MPI_Send", 0): 0.01, ("MPI_Send", 1): 0.02, ("MPI_Barrier", 1): 0.28}),
    "delay_latesender": Added({("MPI_Allreduce", 0): 0.2}),
    "delay_latesender_longterm": Added({("MPI_Allreduce", 0): 7.0}),
}


@pytest.fixture(scope="module")
def analysed():
    return foreign(with_metrics(RAW, STATES))


def table(profile, name, *labels):
    """Rows of a table with these labels, in order."""
    return sorted(zip(*(profile.tables[name][label].tolist() for label in labels)))


def test_wait_states_are_measured_waits(analysed):
    # Parts of a state are not added to it, completion is no waiting, and MPI_Finalize is not MPI
    # time.
    assert table(analysed, "waits", "rank", "operation", "wait") == [
        (0, "Allreduce", 0.3),
        (0, "Barrier", 0.0),
        (0, "Send", 0.0),
        (0, "Sendrecv", pytest.approx(0.06)),
        (1, "Allreduce", 0.01),
        (1, "Barrier", 5e-6),
        (1, "Recv", 0.2),
        (1, "Sendrecv", 0.0),
    ]
    assert table(analysed, "waits", "communicator", "sampled", "calls", "wait_wait")[0] == (
        0,
        1,
        1,
        0.0,
    )


def test_measures_know_them(analysed):
    measures = analysis.measure(analysed)
    run = measures.tables["run"].row(0)
    operations = {
        row["name"]: row
        for row in map(measures.tables["operation"].row, range(len(measures.tables["operation"])))
    }
    assert run["wait_time"] == pytest.approx((0.3 + 0.06 + 0.01 + 5e-6 + 0.2) / 2) and run[
        "wait_measured"
    ] in (True, "yes")
    assert {
        name: operations[name]["wait"] for name in ("Allreduce", "Recv", "Sendrecv")
    } == pytest.approx({"Allreduce": 0.155, "Recv": 0.1, "Sendrecv": 0.03})
    assert [measures.tables["rank"].row(rank)["wait_time"] for rank in (0, 1)] == pytest.approx(
        [0.36, 0.210005]
    )


def test_delays_say_who_was_waited_for(analysed):
    # Delays that are felt only later, through others, are not what a rank caused directly.
    assert table(analysed, "delays", "rank", "class", "delay_cost") == [
        (0, "", pytest.approx(0.21)),
        (1, "", pytest.approx(0.3)),
    ]
    measures = analysis.measure(analysed)
    assert (
        measures.tables["rank"].row(1)["delay_cost_share"] == pytest.approx(0.3 / 0.51)
        and measures.tables["rank"].row(1)["last_share"] is None
    )


def test_no_call_waits_longer_than_it_lasts():
    profile = foreign(with_metrics(RAW, {"mpi_latesender": Added({("MPI_Recv", 1): 99.0})}))
    ((wait, time),) = [row for row in table(profile, "waits", "wait", "time") if row[0] > 0]
    assert wait == time < 1


def test_what_was_not_looked_at_is_not_split():
    # An analysis without states of messages says nothing about them, so their time stays at the
    # upper end.
    profile = foreign(with_metrics(RAW, {"mpi_wait_nxn": Added({("MPI_Allreduce", 0): 0.3})}))
    assert {row[0] for row in table(profile, "waits", "operation")} == {"Allreduce"}
    assert analysis.measure(profile).tables["run"].row(0)["wait_sampled_share"] < 1


@pytest.mark.parametrize(
    "name, word",
    [
        ("scorep-waits-2r-profile.cubex", "does not tell waiting"),
        ("scorep-waits-2r-online.cubex", "ticks of its timer"),
    ],
)
def test_without_an_analysis_waits_are_a_gap(name, word):
    profile = read(recorded(name))
    (gap,) = [gap for gap in profile.gaps if gap.subject == "waits"]
    assert (
        "waits" not in profile.tables and word in gap.reason and "scalasca -analyze" in gap.collect
    )


def counted(*names_and_values):
    """A profile with counters: (name, unit, dtype, values) each."""
    return foreign(
        with_metrics(
            RAW,
            {
                name: Added(values, unit, "", dtype)
                for name, unit, dtype, values in names_and_values
            },
        )
    )


IN_MPI, IN_INIT = ("MPI_Recv", 1), ("MPI_Init", 1)


def test_counters_go_by_our_names_and_are_split():
    profile = counted(
        (
            "PAPI_TOT_INS",
            "#",
            "UINT64",
            {IN_MPI: 1000, IN_INIT: 5_000_000, ("MPI_Allreduce", 0): 7},
        ),
        ("ru_minflt", "#", "UINT64", {IN_MPI: 3}),
        ("ru_majflt", "#", "UINT64", {IN_MPI: 2}),
        ("perf::PAGE-FAULTS", "#", "UINT64", {}),
        ("ru_utime", "10^-6 s", "UINT64", {IN_MPI: 250_000}),
        ("ru_maxrss", "2^10 Bytes", "UINT64", {IN_MPI: 640}),
    )
    # MPI_Init is outside of what is measured; only MPI was instrumented here, so nothing is outside
    # MPI.
    assert table(profile, "counters", "counter", "rank", "total", "inside", "outside") == [
        ("cpu_time", 0, 0, 0.0, 0.0),
        ("cpu_time", 1, 250_000_000, 250e6, 0.0),
        ("instructions", 0, 7, 7.0, 0.0),
        ("instructions", 1, 1000, 1000.0, 0.0),
        ("page_faults", 0, 0, 0.0, 0.0),
        ("page_faults", 1, 5, 5.0, 0.0),
        ("perf::PAGE-FAULTS", 0, 0, 0.0, 0.0),
        ("perf::PAGE-FAULTS", 1, 0, 0.0, 0.0),
    ]
    row = next(
        row
        for row in map(analysis.measure(profile).tables["counter"].row, range(4))
        if row["name"] == "instructions"
    )
    assert (row["total"], row["inside"]) == (1007, 1007)


def test_of_two_ways_to_count_one_thing_the_first_is_taken():
    profile = counted(
        ("PAPI_DP_OPS", "#", "UINT64", {IN_MPI: 4}), ("PAPI_FP_OPS", "#", "UINT64", {IN_MPI: 4})
    )
    assert table(profile, "counters", "counter", "rank", "total") == [
        ("floating_point", 0, 0),
        ("floating_point", 1, 4),
    ]


COUNTS = {
    "Comm_rank": (1, 1),
    "Allreduce": (13, 13),
    "Send": (11, 0),
    "Recv": (0, 11),
    "Irecv": (7, 7),
    "Isend": (7, 7),
    "Waitall": (7, 7),
    "Bcast": (3, 3),
    "Barrier": (1, 1),
}


def test_archive_of_a_new_score_p():
    profile = read(recorded("scorep8-counts-2r-profile.cubex"))
    assert profile.run.collector == "Score-P 8.4"
    assert {
        (rank, operation): count
        for rank, operation, count in table(profile, "calls", "rank", "operation", "count")
    } == {
        (rank, operation): counts[rank]
        for operation, counts in COUNTS.items()
        for rank in (0, 1)
        if counts[rank]
    }
    assert {
        ("Allreduce", "reduce"),
        ("Recv", "message"),
        ("Waitall", "exchange"),
        ("Barrier", "main"),
    } <= set(table(profile, "sites", "operation", "function"))
    # The program touches 1024 pages outside MPI, and sleeps there: of nearly half a second it
    # computes little.
    rows = {
        (name, rank): (total, outside)
        for name, rank, total, outside in table(
            profile, "counters", "counter", "rank", "total", "outside"
        )
    }
    assert 1024 <= rows["page_faults", 0][1] <= rows["page_faults", 0][0] < 2000
    assert 1e6 < rows["cpu_time", 1][1] < 100e6
    run = analysis.measure(profile).tables["run"].row(0)
    assert 0.37 < run["time"] < 30 and run["wait_measured"] in (False, "no")


# What collectors/otf2 got from the trace that SCOUT analysed: seconds waited, and in these calls,
# by rank.
WAITED = {
    (0, "Allreduce"): (0.349959, 0.354027),
    (1, "Allreduce"): (0, 0.000657),
    (0, "Barrier"): (0, 0.009499),
    (1, "Barrier"): (0.013136, 0.022575),
    (0, "Bcast"): (0, 0.000020),
    (1, "Bcast"): (0.000358, 0.009159),
    (0, "Send"): (0, 0.001560),
    (1, "Recv"): (0.217307, 0.218420),
    (0, "Waitall"): (0, 0.003821),
    (1, "Waitall"): (0.002854, 0.003797),
}


def test_scalasca_and_our_reader_of_traces_find_the_same_waits():
    profile = read(recorded("scalasca-counts-2r-scout.cubex"))
    found = {
        (rank, operation): (wait, time)
        for rank, operation, wait, time in table(
            profile, "waits", "rank", "operation", "wait", "time"
        )
    }
    assert found.keys() == WAITED.keys()
    assert all(found[key] == pytest.approx(WAITED[key], abs=1e-6) for key in WAITED)
    # For whom others waited: rank 1 comes late to MPI_Allreduce, rank 0 sends late.
    assert table(profile, "delays", "rank", "delay_cost") == [
        (0, pytest.approx(0.233656, abs=5e-6)),
        (1, pytest.approx(0.349959, abs=1e-6)),
    ]
    run = analysis.measure(profile).tables["run"].row(0)
    assert (
        run["wait_time"] == pytest.approx(sum(wait for wait, _ in WAITED.values()) / 2, abs=1e-6)
        and run["wait_sampled_share"] > 0.99
    )
