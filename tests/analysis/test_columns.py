"""Single tables of Measures, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from advisor.analysis import measure
from advisor.analysis.engine.size_bins import bounds, is_small
from advisor.analysis.metrics.quality import missing
from advisor.analysis.metrics.settings import layer_of
from advisor.model.profile import Application, Fact, Library, Run

from .profiles import BEGIN, cell, profile, table


@pytest.mark.parametrize(
    "bin_, low, high, small",
    [
        (0, 0, 0, False),
        (1, 1, 1, True),
        (4, 8, 15, True),
        (13, 4096, 8191, True),
        (14, 8192, 16383, False),
    ],
)
def test_size_bins(bin_, low, high, small):
    found = bounds(np.array([bin_]))
    assert (found[0][0], found[1][0], is_small(np.array([bin_]))[0]) == (low, high, small)


def test_calls_without_data_have_no_size():
    found = measure(profile([10.0], [(0, "Barrier", "intra_node", -1, 5, 0, 1.0)]))
    assert (
        cell(found, "cell.size"),
        cell(found, "operation.median_size"),
        cell(found, "run.largest_message"),
    ) == (None, None, None)


def test_start_up_calls_are_no_mpi_time():
    calls = [
        (0, "Init_thread", "none", -1, 1, 0, 3.0),
        (0, "Send", "intra_node", 4, 1, 8, 1.0),
        (0, "Finalize", "none", -1, 1, 0, 2.0),
    ]
    found = measure(profile([10.0], calls))
    assert (
        cell(found, "run.mpi_time"),
        cell(found, "run.calls"),
        len(found.tables["operation"]),
    ) == (1.0, 1, 1)


def test_median_size_is_of_the_middle_call():
    calls = [
        (0, "Send", "intra_node", 4, 10, 100, 1.0),
        (0, "Send", "intra_node", 11, 11, 11 * 1500, 1.0),
    ]
    column = measure(profile([10.0], calls)).tables["operation"].columns["median_size"]
    assert (column.low[0], column.values[0], column.high[0]) == (1024, 1500, 2047)


ONESIDED = [
    (0, "Put", "other", 4, 6, 48, 1.0),
    (0, "Fetch_and_op", "intra_node", 4, 3, 24, 0.5),
    (0, "Accumulate", "intra_node", 15, 1, 20000, 0.5),
    (0, "Win_flush", "none", -1, 10, 0, 2.0),
]


@pytest.mark.parametrize(
    "key, expected",
    [
        ("calls", 10),
        ("time", 4.0),
        ("share", 0.4),
        ("sync_share", 0.2),
        ("puts", 6),
        ("atomics", 4),
        ("fetch_and_ops", 3),
        ("atomic_share", 0.4),
        ("small_share", 0.9),
        ("on_host_share", 20024 / 20072),
        ("windows", 3),
        ("create_share", 2 / 3),
    ],
)
def test_onesided(key, expected):
    windows = table(
        "windows",
        rank=[0, 0],
        kind=["create", "allocate"],
        class_=["multi_node"] * 2,
        count=[2, 1],
        bytes=[8, 8],
    )
    assert cell(
        measure(profile([10.0], ONESIDED, tables={"windows": windows})), f"onesided.{key}"
    ) == pytest.approx(expected)


@pytest.mark.parametrize(
    "name, source, layer",
    [
        ("OMPI_MCA_btl", "environment", "openmpi mca"),
        ("btl_vader_eager_limit", "mpi_t", "openmpi mca"),
        ("UCX_TLS", "environment", "ucx"),
        ("FI_PROVIDER", "environment", "ofi"),
        ("I_MPI_FABRICS", "environment", "intel"),
        ("MPIR_CVAR_X", "mpi_t", "mpich"),
        ("OMP_PROC_BIND", "environment", "openmp"),
        ("HOME", "environment", "other"),
    ],
)
def test_layers(name, source, layer):
    assert layer_of(name, source, "openmpi" if layer == "openmpi mca" else "mpich") == layer


def test_application_has_its_known_and_other_settings():
    found = measure(
        profile(
            [10.0],
            application=Application(
                "vasp",
                {
                    "ncore": Fact(4, "INCAR"),
                    "isym": Fact("0", "INCAR"),
                    "lplane": Fact(True, "INCAR"),
                },
            ),
        )
    )
    assert {
        name: value
        for name, value in found.tables["application"].row(0).items()
        if value is not None
    } == {
        "name": "vasp",
        "ncore": 4,
        "isym": "0",
        "lplane": True,
        "hybrid": False,
        "ncore_must_be_1": False,
        "benchmark": False,
    }


def test_no_application_is_no_row():
    assert len(measure(profile([10.0])).tables["application"]) == 0


@pytest.mark.parametrize(
    "name, family",
    [
        ("openmpi", "openmpi"),
        ("hpcx", "openmpi"),
        ("intel", "mpich"),
        ("cray", "mpich"),
        ("unknown", None),
    ],
)
def test_library_family(name, family):
    assert (
        cell(measure(profile([10.0], library=Library(name, "5.0.11"))), "library.family") == family
    )


@pytest.mark.parametrize("name, given", [("hpcc", True), ("osu-benchmarks", True), ("elk", False)])
def test_benchmarks_are_known_by_name(name, given):
    found = measure(profile([10.0], application=Application(name)))
    assert found.tables["application"].row(0)["benchmark"] is given


RECORDING = [
    # of one rank that ran for 10 s: calls, describing, at the end  what recording took, what stands
    # above
    (5110, 0.0, 9.38, 5110 * 19e-9 / 10, ()),  # what the end takes is no part of what was measured
    (5_000_000, 0.0, 0.0, 0.0095, ()),
    (
        0,
        0.3,
        0.1,
        0.03,
        ("Recording took 3.00\u00a0% of elapsed time on the most affected rank.",),
    ),
    (
        0,
        0.6,
        0.0,
        0.06,
        (
            (
                "Recording took 6.00\u00a0% of elapsed time on the most affected rank. No gain"
                " is predicted."
            ),
        ),
    ),
]


@pytest.mark.parametrize("calls, describing, end, share, words", RECORDING)
def test_overhead_is_recording_and_the_end_has_a_figure_of_its_own(
    calls, describing, end, share, words
):
    times = {"finalize_end": [BEGIN + 10 + end], "finalize_overhead": [describing + end]}
    found = measure(
        profile([10.0], ranks=table("ranks", events=[calls], event_overhead=[19e-9], **times))
    )
    assert (
        cell(found, "run.overhead_share"),
        cell(found, "run.overhead_max_share"),
    ) == pytest.approx((share, share), abs=1e-7)
    assert (cell(found, "run.end_delay"), found.banners) == (pytest.approx(end, abs=1e-6), words)


def test_a_rank_that_was_killed_has_no_end_that_could_be_taken_off():
    # rank 1 was killed: it has no end of MPI_Finalize, and its cost is that of its 1e6 calls
    ends = {"finalize_end": [BEGIN + 10, 0], "finalize_overhead": [0, 0], "state": [2, 1]}
    found = measure(
        profile(
            [10.0, 10.0],
            ranks=table("ranks", events=[0, 10**6], event_overhead=[1e-8, 1e-8], **ends),
        )
    )
    assert (
        cell(found, "run.overhead_share"),
        cell(found, "run.overhead_max_share"),
    ) == pytest.approx((0.0005, 0.001))


def test_the_job_waits_at_its_end_from_when_the_last_rank_has_come():
    # rank 0 came at 10 s, and waited for rank 1 for 20 s: no work of ours
    ends = [BEGIN + 30.5, BEGIN + 30.2]
    column = (
        measure(profile([10.0, 30.0], ranks=table("ranks", finalize_end=ends)))
        .tables["run"]
        .columns["end_delay"]
    )
    assert (column.low[0], column.values[0], column.high[0]) == pytest.approx(
        (0, 0.5, 0.5), abs=1e-6
    )


def test_a_profile_without_the_end_has_the_overhead_of_calls_alone():
    found = measure(
        profile(
            [10.0],
            ranks=table("ranks", events=[10**6], event_overhead=[1e-8], finalize_overhead=[9.0]),
        )
    )
    assert (cell(found, "run.overhead_share"), cell(found, "run.end_delay")) == (
        pytest.approx(1e-3),
        None,
    )


def test_missing_ranks_are_said():
    found = measure(profile([60.0, 60.0], run=Run("a", ranks_expected=4)))
    assert (cell(found, "run.missing_ranks"), found.banners[0]) == (
        2,
        "2 of 4 ranks did not report: 2-3. All numbers are of the others.",
    )


@pytest.mark.parametrize(
    "reported, expected, words",
    [
        ([0, 2, 3], 7, "1, 4-6"),
        ([1], 2, "0"),
        (range(0, 40, 2), 40, "1, 3, 5, 7, 9, 11, 13, 15, \u2026"),
    ],
)
def test_missing_ranks_are_named(reported, expected, words):
    assert missing(reported, expected) == words


def test_hosts_with_a_fast_fabric_are_not_ethernet_only():
    from dataclasses import replace

    from advisor.model.profile import Node

    none = {name: Fact(False, "test") for name in ("roce", "omnipath", "slingshot", "efa")}
    hosts = (
        Node("a", {**none, "infiniband": Fact("mlx5_0:1:InfiniBand:100", "test")}),
        Node("b", {**none, "infiniband": Fact("", "test")}),
        Node("c", none),
    )
    found = measure(replace(profile([10.0] * 3, nodes=[0, 1, 2]), nodes=hosts))
    assert [found.tables["node"].row(i)["ethernet_only"] for i in range(3)] == [False, True, None]
    assert [found.tables["node"].row(i)["infiniband"] for i in range(3)] == [True, False, None]


def test_site_places():
    sites = table(
        "sites",
        rank=[0] * 3,
        module=["/opt/app"] * 3,
        offset=[16, 32, 48],
        operation=["Send"] * 3,
        function=["", "go", "go"],
        file=["", "", "/src/a.f90"],
        line=[0, 0, 7],
        count=[1] * 3,
        bytes=[8] * 3,
        time=[3.0, 2.0, 1.0],
    )
    found = measure(profile([10.0], tables={"sites": sites}))
    assert found.tables["site"].columns["place"].values.tolist() == [
        "app+0x10",
        "go in app",
        "a.f90:7",
    ]
    assert [found.tables["site"].row(i)["line"] for i in range(3)] == [None, None, 7]


def test_jobs_with_too_many_ranks_keep_what_sums_can_tell():
    calls = [(-1, "Send", "intra_node", 4, 10, 80, 6.0)]
    found = measure(profile([10.0] * 3, calls))
    assert (
        cell(found, "run.calls"),
        cell(found, "run.p2p_share"),
        cell(found, "run.load_balance"),
    ) == (10, pytest.approx(6 / 3 / 10), None)
    assert cell(found, "operation.time") == pytest.approx(2.0)
