"""Missing is not zero: METRICS R2. Each column of the sample is taken away in turn."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from advisor.analysis import measure
from advisor.base import resource_paths
from advisor.intake import read
from advisor.model.columns import TABLES
from advisor.model.measures import Quality

pytestmark = pytest.mark.filterwarnings("error")
SAMPLE = read(resource_paths.samples() / "profiles" / "heat.4r.json")
FULL = measure(SAMPLE)
ALL = [
    (table, column)
    for table, columns in TABLES.items()
    for column in columns
    if column in SAMPLE.tables.get(table, {})
]


def without(table, column):
    columns = {name: values for name, values in SAMPLE.tables[table].items() if name != column}
    return replace(SAMPLE, tables={**SAMPLE.tables, table: columns})


def assert_same_or_unknown(measures):
    """No cell may turn from a number to another number because something was not seen."""
    for name, table in measures.tables.items():
        # parts of a whole: what is not known of one moves into another, "not split"
        if name == "cause":
            continue
        for label, column in table.columns.items():
            before = FULL.tables[name].columns[label]
            if column.quality is Quality.UNKNOWN:
                assert column.reason, f"{name}.{label} is unknown without a reason"
                continue
            assert len(column.values) == len(before.values)
            for cell, full in zip(column.values.tolist(), before.values.tolist()):
                if cell is not None and cell == cell and (name, label) not in BOUNDS:
                    assert cell == full or cell == pytest.approx(full, rel=1e-12), f"{name}.{label}"


BOUNDS = {
    # Bounds get wider when less is known, and say so in their notes.
    ("run", "ceiling_direct"),
    ("operation", "tunable"),
    ("operation", "tunable_share"),
    ("cell", "tunable_share"),
    ("operation", "pairwise_share"),
    ("cell", "pairwise_share"),
    ("operation", "pairwise_removable_share"),
    ("cell", "removable_share"),
    ("operation", "pairwise_propagated_share"),
    ("cell", "propagated_share"),
    ("operation", "removable_share"),
    ("operation", "inherited_share"),
    ("cell", "avoidable_share"),
    ("cell", "alternating_share"),
    # What is not told apart may stay in: members without data, two groups.
    ("run", "wait_time"),
    ("run", "wait_share"),
    ("operation", "wait"),
    ("operation", "wait_share"),
    ("communicator", "wait"),
    ("communicator", "wait_share"),
    # Start-up that nobody timed is left out of its lower bound; members that nobody counted are
    # those that called.
    ("run", "startup_share"),
    ("communicator", "time"),
    ("communicator", "share"),
    ("run", "overhead_share"),
    ("run", "overhead_max_share"),
    ("site", "place"),
    ("operation", "site"),
    ("run", "top_wait_site"),
    # Where nobody tells the shortest and the longest call, calls count as chance: assumed, and said
    # so.
    ("run", "repetition_error"),
    ("operation", "repetition_error"),
    ("cell", "repetition_error"),
    ("run", "least_repeated"),
}


@pytest.mark.parametrize("table, column", ALL, ids=[f"{table}.{column}" for table, column in ALL])
def test_without_a_column(table, column):
    assert_same_or_unknown(measure(without(table, column)))


@pytest.mark.parametrize("table", sorted(set(TABLES) - {"ranks"}))
def test_without_a_table(table):
    tables = {name: columns for name, columns in SAMPLE.tables.items() if name != table}
    assert_same_or_unknown(measure(replace(SAMPLE, tables=tables)))


def test_a_table_that_was_not_seen_is_one_unknown_row_and_not_empty():
    tables = {name: columns for name, columns in SAMPLE.tables.items() if name != "sites"}
    site = measure(replace(SAMPLE, tables=tables)).tables["site"]
    assert (len(site), site.row(0)["time"], site.columns["time"].reason) == (
        1,
        None,
        "the profile has no table sites",
    )


def test_nothing_but_ranks():
    ranks = {"rank": np.array([0, 1], "<i4")}
    found = measure(replace(SAMPLE, tables={"ranks": ranks}, nodes=(), settings=()))
    values = {
        name: value for name, value in found.tables["run"].row(0).items() if value is not None
    }
    assert values == {
        "ranks": 4.0,
        "ranks_reported": 2.0,
        "ranks_expected": 4.0,
        "missing_ranks": 2.0,
        "job_time": 24.0,
        "exit_code": 0.0,
        "program": "/opt/example/heat",
        "launcher": "mpirun",
        "scheduler": "slurm",
        "job": "4711",
        "wait_measured": False,
        # Lower bounds: at least nothing.
        "served_wait_share": 0.0,
        "taken_wait_share": 0.0,
        "longest_between_polls_share": 0.0,
        "hidden_imbalance_share": 0.0,
        "meeting_imbalance_share": 0.0,
        "drifting_imbalance_share": 0.0,
        "largest_part": 0.0,
    }


def test_a_killed_rank_does_not_say_what_is_only_known_at_the_end():
    state = np.array([2, 2, 2, 1], "<u4")
    found = measure(
        replace(
            SAMPLE, tables={**SAMPLE.tables, "ranks": {**SAMPLE.tables["ranks"], "state": state}}
        )
    )
    assert [found.tables["rank"].row(i)["involuntary_switches"] for i in (0, 3)] == [2, None]
    assert found.tables["run"].row(0)["truncated"] is True
    assert found.banners == (
        "The run was cut off: numbers reach until 20.0 s after MPI_Init; without MPI_Finalize: 3.",
    )
