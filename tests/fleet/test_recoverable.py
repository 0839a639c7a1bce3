"""What a report orders by is what can be recovered: jobs with known truth, and the table that is
expected of them side by side."""

from __future__ import annotations

import re
from datetime import date, timedelta
from types import SimpleNamespace

import numpy as np
import pytest

pytest.importorskip("pyarrow", reason="PyArrow is not installed: pip install -e '.[fleet]'")
pytest.importorskip("duckdb", reason="DuckDB is not installed: pip install -e '.[fleet]'")

from advisor.fleet import store as stores
from advisor.fleet.identity import Identity
from advisor.fleet.owned import owned
from advisor.fleet.pseudonyms import Pseudonyms
from advisor.fleet.report import compose
from advisor.fleet.rows import Judged
from advisor.fleet.tables import table
from advisor.fleet.tabular import sections
from advisor.model.causes import Cause, Causes
from advisor.model.finding import State
from advisor.model.measures import Column, Table

DAY = date(2026, 11, 20)
PARTS = {
    "own work": Cause("computing"),
    "empty polls": Cause("polling", operation="Test"),
    "for a rank with more work": Cause("waiting", "wait at collective", "imbalance", "Barrier"),
    "for a rank without a core": Cause("waiting", "wait at collective", "no core", "Barrier"),
    "in turns": Cause("waiting", "wait at collective", "in turns", "Barrier"),
    "creation": Cause("library", operation="Comm_split"),
}


def finding(rule, folder, explains, saving=None, state=State.DEVELOPER, rival_of="", owns=None):
    """`explains`, `owns`: names of parts."""
    places = [
        tuple(map(list(PARTS).index, own)) for own in (explains, explains if owns is None else owns)
    ]
    found = None if saving is None else SimpleNamespace(low=saving[0], high=saving[1])
    return SimpleNamespace(
        work_stays=False,
        rule=rule,
        folder=folder,
        title=f"{rule.capitalize()}: {len(explains)} parts",
        explains=places[0],
        causes=places[1],
        saving=found,
        state=state,
        rival_of=rival_of,
    )


def job(seconds, findings, threads=2.0, queued=0.0):
    """Of two ranks and 100 s on a node of two CPUs. `seconds`: by part, on the rank that has them;
    the other computes. `queued`: share of elapsed in which the second rank had no core."""
    own = np.array([[seconds.get(name, 0.0), 0.0] for name in PARTS])
    own[0] = 100.0 - own[1:].sum(axis=0)
    causes = Causes(tuple(PARTS.values()), own, own, 2, 100.0)
    tables = {
        "node": of_numbers("node", threads=[threads], cpus=[2.0]),
        "rank": of_numbers("rank", no_core_share=[0.0, queued]),
    }
    return SimpleNamespace(
        measures=SimpleNamespace(causes=causes, tables=tables), findings=findings
    )


def of_numbers(name, **columns):
    return Table(name, {key: Column(key, "count", np.array(each)) for key, each in columns.items()})


BALANCE = finding(
    "late", "balance", ["for a rank with more work"], (10.0, 20.0), State.DOABLE, "crowd", owns=[]
)
CROWD = finding(
    "crowd",
    "placement",
    ["for a rank with more work", "for a rank without a core"],
    state=State.DOABLE,
)


@pytest.mark.parametrize(
    "seconds, findings, first, expected",
    [
        # Without empty polls, the rank waits in MPI_Wait.
        ({"empty polls": 40}, [finding("polling", "waiting", ["empty polls"])], None, [(20, 0, 0)]),
        # Without the barrier, the rank waits for the late one in the next call.
        (
            {"in turns": 10, "for a rank with more work": 30},
            [finding("barriers", "waiting", ["in turns", "for a rank with more work"])],
            None,
            [(20, 0, 5)],
        ),
        # A number of the rule's counts as far as the finding owns time.
        (
            {"creation": 20},
            [finding("churn", "collectives", ["creation"], (4.0, 30.0))],
            None,
            [(10, 4, 10)],
        ),
        # Nothing is offered.
        (
            {"creation": 20},
            [finding("churn", "collectives", ["creation"], (4.0, 8.0), State.WITHHELD)],
            None,
            [(10, 0, 0)],
        ),
        # Two explain the same: what the reports name first has it, and only that.
        (
            {"for a rank with more work": 40, "for a rank without a core": 10},
            [CROWD, BALANCE],
            BALANCE,
            [(5, 0, 5), (20, 10, 20)],
        ),
        (
            {"for a rank with more work": 40, "for a rank without a core": 10},
            [CROWD, BALANCE],
            CROWD,
            [(25, 0, 5), (0, 0, 0)],
        ),
    ],
)
def test_what_each_finding_takes_and_what_of_it_comes_back(seconds, findings, first, expected):
    """Expected: seconds, mean over ranks; of these recoverable at least and at most."""
    found = owned(job(seconds, findings), first)
    assert [(each.seconds, each.returned_low, each.returned_high) for each in found] == expected


@pytest.mark.parametrize(
    "threads, queued, least",
    [
        (2.0, 0.0, 10.0),
        (4.0, 0.0, 0.0),  # threads take turns, also where those that wait sleep
        (2.0, 0.2, 0.0),  # somebody else's program had the core
        (np.nan, 0.0, 0.0),
        (2.0, np.nan, 0.0),
    ],
)
def test_lower_ends_are_promised_only_with_own_cores(threads, queued, least):
    seconds = {"for a rank with more work": 40}
    (found,) = owned(job(seconds, [BALANCE], threads, queued), BALANCE)
    assert (found.seconds, found.returned_low, found.returned_high) == (20, least, 20)


def test_where_cores_are_not_known_nothing_is_promised():
    told = job({"for a rank with more work": 40}, [BALANCE])
    told.measures.tables.clear()
    assert owned(told, BALANCE)[0].returned_low == 0


JOBS = [
    # program, node hours, seconds of 3600 by part, findings: planted truth is the repair's gain
    ("polls", {"empty polls": 90}, [finding("polling", "waiting", ["empty polls"])], None),
    ("uneven", {"for a rank with more work": 40}, [CROWD, BALANCE], BALANCE),
    ("crowded", {"for a rank without a core": 16}, [CROWD], CROWD),
    (
        "splits",
        {"creation": 30},
        [finding("churn", "collectives", ["creation"], (12.0, 15.0))],
        None,
    ),
    (
        "tiny",
        {"creation": 0.02},
        [finding("little", "collectives", ["creation"], (0.0, 0.01))],
        None,
    ),
    (
        "small",
        {"creation": 0.04},
        [finding("small", "collectives", ["creation"], (0.0, 0.02))],
        None,
    ),
]
TABLE = """
Late                      late     0.28 to 0.56       0.556     1  1  100 %
Churn                     churn    0.33 to 0.42       0.417     1  1  0 %
Crowd                     crowd    at most 0.222      0.222     1  1  100 %
Polling                   polling  nothing: it stays  1.25      1  1
2 more, each below 0.1 %           at most 0.000833   0.000833  2     0 %
"""


def test_the_report_orders_by_what_can_be_recovered(tmp_path):
    """Polling takes most, and stays: it stands behind the others. A hundred nodes for 100 s are
    2.8 hours."""
    store = stores.create(tmp_path / "store", False)
    rows = {"jobs": [], "findings": []}
    for number, (program, seconds, findings, first) in enumerate(JOBS):
        parts = owned(job(seconds, findings), first)
        found = [
            {
                **{
                    "rule": each.rule,
                    "title": each.title,
                    "place": place,
                    "state": each.state.value,
                },
                **{"owned": part.seconds, "owned_low": part.low, "owned_high": part.high},
                **{"returned_low": part.returned_low, "returned_high": part.returned_high},
            }
            for place, (each, part) in enumerate(zip(findings, parts))
        ]
        key = {"profile": str(number), "day": DAY, "week": DAY, "user_name": program}
        ran = {"application": program, "nodes": 100, "node_hours": 100 / 36, "library": "mpi"}
        identity = Identity({**key, "application": program}, {**ran, "library_version": "5"})
        for name, more in identity.rows(
            Judged({"findings": 1}, None, {"findings": found}), Pseudonyms()
        ).items():
            rows[name].extend(more)
    with store.locked():
        store.commit({name: table(name, found) for name, found in rows.items()}, "new-1")
    causes = sections(compose(store, timedelta(days=30)))[0]
    said = [re.sub(r"[\u202f\u00a0\u2009]", " ", "  ".join(row)) for row in causes.rows]
    squeezed = [re.sub(r" +", " ", line).strip() for line in TABLE.strip().splitlines()]
    assert [re.sub(r" +", " ", line).strip() for line in said] == squeezed
