"""What holds for every profile."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from advisor.analysis import measure
from advisor.model.profile import Profile

from .profiles import profile, table

pytestmark = pytest.mark.filterwarnings("error")
OPERATIONS = (
    "Send",
    "Irecv",
    "Waitall",
    "Allreduce",
    "Barrier",
    "Alltoallv",
    "Bcast",
    "Put",
    "Win_fence",
    "Fetch_and_op",
    "File_write",
    "Comm_split",
    "Iprobe",
    "Ibcast",
)
row = st.tuples(
    st.sampled_from(OPERATIONS),
    st.sampled_from(("self", "intra_node", "multi_node", "other", "none", "any")),
    st.integers(-1, 20),
    st.integers(1, 1000),
    st.just(0.0) | st.floats(1e-9, 5),
)
jobs = st.lists(
    st.tuples(st.integers(0, 2), st.floats(1, 50), st.lists(row, max_size=6)),
    min_size=1,
    max_size=8,
)


def make(job) -> Profile:
    calls, members, peers = [], [], []
    for rank, (_, _, rows) in enumerate(job):
        for operation, kind, size, count, time in dict(
            ((r[0], r[1], r[2]), r) for r in rows
        ).values():
            payload = 0 if size < 1 else count * 2 ** (size - 1)
            calls.append((rank, operation, kind, size, count, payload, min(time, job[rank][1] / 8)))
            peers.append(
                (
                    rank,
                    (rank + 1) % len(job),
                    "intra_node" if kind == "intra_node" else "other",
                    count,
                    payload,
                )
            )
            if operation in ("Allreduce", "Barrier", "Alltoallv", "Bcast"):
                members.append(
                    (rank, 5 + size % 3, operation, count, payload, min(time, job[rank][1] / 8))
                )
    nodes = [node for node, _, _ in job]
    tables = {
        "peers": table(
            "peers",
            **dict(
                zip(("rank", "peer", "path", "messages", "bytes"), list(zip(*peers)) or [()] * 5)
            ),
        ),
        "communicators": table(
            "communicators",
            id=[5, 6, 7],
            size=[len(job)] * 3,
            nodes=[1] * 3,
            class_=["multi_node"] * 3,
            world=[1, 0, 0],
            name=[""] * 3,
        ),
    }
    return profile(
        [window for _, window, _ in job],
        calls,
        nodes,
        members,
        tables=tables,
        ranks=table("ranks", threads=[1] * len(job), cpus=["0-3"] * len(job)),
    )


@settings(max_examples=60, deadline=None)
@given(jobs)
def test_shares_are_between_0_and_1(job):
    signed = {"rank0_extra_share", "useful_excess", "transfer_excess"}
    for name, one in measure(make(job)).tables.items():
        for label, column in one.columns.items():
            if (
                column.unit == "share"
                and label not in signed
                and label not in ("load", "oversubscription", "repetition_error")
            ):
                known = column.values[~np.isnan(column.values)]
                assert ((known >= -1e-9) & (known <= 1 + 1e-9)).all(), f"{name}.{label}: {known}"


@settings(max_examples=60, deadline=None)
@given(jobs)
def test_bounds_enclose_values(job):
    for name, one in measure(make(job)).tables.items():
        for label, column in one.columns.items():
            for bound, sign in ((column.low, 1), (column.high, -1)):
                if bound is not None:
                    known = ~np.isnan(bound) & ~np.isnan(column.values)
                    assert (sign * (column.values - bound)[known] >= -1e-9).all(), f"{name}.{label}"


@settings(max_examples=40, deadline=None)
@given(jobs, st.randoms(use_true_random=False))
def test_numbering_the_ranks_otherwise_changes_no_mean(job, random):
    """Ranks renumbered, and rows shuffled: everything but the table of ranks and what rank 0 does
    stays."""
    first = make(job)
    numbers = list(range(len(job)))
    random.shuffle(numbers)
    second = measure(
        replace(
            first,
            tables={
                name: renumbered(columns, numbers, random) for name, columns in first.tables.items()
            },
        )
    )
    for label, column in measure(first).tables["run"].columns.items():
        if label not in (
            "rank0_extra_share",
            "representative",
        ) and column.unit not in ("text", "yes/no"):
            assert second.tables["run"].columns[label].values[0] == pytest.approx(
                column.values[0], rel=1e-9, abs=1e-12, nan_ok=True
            ), label


def renumbered(columns, numbers, random):
    order = list(range(len(next(iter(columns.values())))))
    random.shuffle(order)
    mixed = {label: values[order] for label, values in columns.items()}
    return {
        label: (
            np.array([numbers[v] for v in values], values.dtype)
            if label in ("rank", "peer")
            else values
        )
        for label, values in mixed.items()
    }


def test_many_ranks_give_the_same_as_few():
    """2048 copies of two ranks: means stay, sums grow."""
    calls = [
        (0, "Allreduce", "multi_node", 4, 10, 80, 3.0),
        (1, "Allreduce", "multi_node", 4, 10, 80, 1.0),
    ]
    few = measure(profile([10.0, 8.0], calls)).tables["run"].row(0)
    copies = [(rank + 2 * copy, *rest) for copy in range(2048) for rank, *rest in calls]
    many = measure(profile([10.0, 8.0] * 2048, copies)).tables["run"].row(0)
    for name in ("time", "mpi_time", "parallel_efficiency", "load_balance", "ceiling_hard"):
        assert many[name] == pytest.approx(few[name])
    assert many["calls"] == 2048 * few["calls"]
