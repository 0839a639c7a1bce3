"""The hand-made profile samples/profiles/heat.4r.json: four ranks on two hosts, 20 s; all expected
values by hand.

Seconds in MPI: 4.25, 8.25, 8.25, 10.25, so useful 15.75, 11.75, 11.75, 9.75 (mean 12.25); on n1
13.75 in the mean, on n2 10.75. Allreduce takes 1, 4, 4, 5 s: at least 0, 3, 3, 4 s of it are
waiting. Barrier 0.5, 1, 1, 1.5: at least 0, 0.5, 0.5, 1.
"""

from __future__ import annotations

import pytest

from advisor.analysis import measure
from advisor.base import resource_paths
from advisor.intake import read
from advisor.model.measures import Quality

from .profiles import cell

EXPECTED = {
    "run.time": 20.0,
    "run.job_time": 24.0,
    # Init, Finalize, and 24 s without the 20.75 s that ranks were there
    "run.startup_share": (0.25 + 0.25 + 24 - 20.75) / 24,
    "run.mpi_time": 7.75,
    "run.mpi_share": 7.75 / 20,
    "run.collective_share": (3.5 + 0.25) / 20,
    "run.sync_share": 1 / 20,
    "run.p2p_share": (0.75 + 0.25) / 20,
    "run.completion_share": 2 / 20,
    "run.calls": 4 * (1000 + 100 + 500 + 500 + 1000 + 500 + 1),
    "run.call_rate": 3601 / 20,
    "run.parallel_efficiency": 12.25 / 20,
    "run.load_balance": 12.25 / 15.75,
    "run.load_balance_in": 13.75 / 15.75,
    "run.load_balance_out": 12.25 / 13.75,
    "run.communication_efficiency": 15.75 / 20,
    "run.imbalance_share": 3.5 / 20,
    "run.useful_spread_share": (15.75 - 9.75) / 20,
    "run.top_wait_operation": "Allreduce",
    "run.rank0_extra_share": (15.75 - (11.75 + 11.75 + 9.75) / 3) / 20,
    "run.ceiling_hard": 4.25,
    "run.ceiling_direct": 4.25,  # 10.25 - 5 s of the last rank, but never above the hard ceiling
    "run.wait_time": (0 + 3.5 + 3.5 + 5) / 4,
    "run.p2p_bytes": 8 * 500 * 32768,
    "run.on_host_share": 0.5,
    "run.small_calls_share": 4000 / 8004,
    "run.small_time_share": 3.5 / 7.75,
    "run.largest_message": 786432,
    "run.representative": True,
    "run.truncated": False,
    "run.missing_ranks": 0,
    "run.oversubscription": 2 / 4,
    "run.thread_provided": "funneled",
    "run.overhead_share": 3500 * 3e-8 / 20,
    "run.end_delay": 0.25,
    "run.clock_error": 2e-6,
    "run.memory_per_node": 2 * 104857600,
    "rank.useful_excess": (15.75 - 11.75) / 20,
    "rank.switch_rate": 2 / 20,
    "rank.shared_cores": 0,
    "node.ethernet_only": True,
    "node.useful_time": 13.75,
    "operation.name": "Allreduce",
    "operation.time": 3.5,
    "operation.imbalance": (5 - 3.5) / 5 * 4 / 3,
    "operation.wait": 2.5,
    "operation.tunable": 1,
    "operation.median_size": 8,
    "cell.size_high": 15,
    "cell.tunable_share": 1 / 20,
    "communicator.wait": 3.0,
    "communicator.operations": "Allreduce",
    "site.place": "heat.c:32",
    "onesided.calls": 0,
    "library.family": "openmpi",
    "setting.layer": "openmp",
}


@pytest.fixture(scope="module")
def measures():
    return measure(read(resource_paths.samples() / "profiles" / "heat.4r.json"))


@pytest.mark.parametrize("key", EXPECTED)
def test_value(measures, key):
    expected = EXPECTED[key]
    assert cell(measures, key) == (
        pytest.approx(expected, rel=1e-12) if isinstance(expected, (int, float)) else expected
    )


@pytest.mark.parametrize(
    "key, quality",
    [
        ("run.time", Quality.DERIVED),
        ("run.job_time", Quality.MEASURED),
        ("run.wait_time", Quality.ESTIMATED),
        ("run.wait_share", Quality.ESTIMATED),
        ("run.small_time_share", Quality.ASSUMED),
        ("operation.tunable_share", Quality.ESTIMATED),
        ("library.fabric", Quality.UNKNOWN),
    ],
)
def test_quality(measures, key, quality):
    name, _, column = key.partition(".")
    assert measures.tables[name].columns[column].quality is quality


def test_waiting_has_both_bounds(measures):
    column = measures.tables["run"].columns["wait_time"]
    assert (column.low[0], column.values[0], column.high[0]) == (3.0, 3.0, 7.75)


def test_waiting_of_an_operation_that_durations_do_not_split(measures):
    operations = measures.tables["operation"]
    row = list(operations.columns["name"].values).index("Waitall")
    assert (operations.row(row)["wait"], operations.row(row)["tunable"]) == (None, 2.5)
    assert "do not split" in operations.columns["wait"].reason


def test_no_banner(measures):
    assert measures.banners == ()
