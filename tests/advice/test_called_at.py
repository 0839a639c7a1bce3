"""A finding names the call site at which most of its calls are, once, unless the rule does so by
itself."""

from __future__ import annotations

import pytest
from rule_writing import opinion, rule

UNITS = {"operation.time": "s", "site.time": "s", "run.time": "s"}
OPERATIONS = [
    {"name": "Allreduce", "group": "collective", "time": 4.0, "site": "solver.c:88"},
    {"name": "Waitall", "group": "completion", "time": 3.0, "site": "halo in pw.x"},
    {"name": "Wait", "group": "completion", "time": 1.0, "site": "pw.x+0x4a2c95"},
]
SITES = [
    {"operation": "Allreduce", "place": "solver.c:88", "time": 3.0},
    {"operation": "Allreduce", "place": "solver.c:99", "time": 1.0},
    {"operation": "Waitall", "place": "halo in pw.x", "time": 1.2},
    {"operation": "Waitall", "place": "edge in pw.x", "time": 1.0},
    {"operation": "Waitall", "place": "face in pw.x", "time": 0.8},
    {"operation": "Wait", "place": "pw.x+0x4a2c95", "time": 1.0},
]
CELLS = [{"operation": "Allreduce", "size": 8, "time": 2.0}]
RUN = {"time": 10.0, "completion_share": 0.4, "collective_share": 0.4, "mpi_share": 0.8}


def facts(tmp_path, each, when, say="Said.", evidence="", sites=True):
    operations = [
        dict(row) if sites else {key: value for key, value in row.items() if key != "site"}
        for row in OPERATIONS
    ]
    given = {"run": RUN, "operation": operations, "site": SITES if sites else [], "cell": CELLS}
    body = (
        f'[look]\neach = "{each}"\nwhen = "{when}"\nsay = "{say}"\nevidence ='
        f' [{evidence}]\n[[remedy]]\nfor = "any"\ndo = "d"\nsource = "s"\n'
    )
    return opinion(rule(tmp_path, body), given, UNITS).facts


@pytest.mark.parametrize(
    "each, when, fact",
    [
        (
            "operation",
            "operation.name == 'Allreduce'",
            "Most of MPI_Allreduce is called at solver.c:88.",
        ),
        # two fifths of it
        ("operation", "operation.name == 'Waitall'", "MPI_Waitall takes longest at halo in pw.x."),
        (
            "operation",
            "operation.name == 'Wait'",
            "Most of MPI_Wait is called at call site pw.x+0x4a2c95.",
        ),
        ("cell", "cell.size < 100", "Most of MPI_Allreduce is called at solver.c:88."),
        (
            "run",
            "run.completion_share >= 0.1",
            "Of these calls MPI_Waitall takes longest, longest of all at halo in pw.x.",
        ),
        (
            "run",
            "run.collective_share >= 0.1",
            "Of these calls MPI_Allreduce takes longest, most of it at solver.c:88.",
        ),
    ],
)
def test_the_call_site_is_named(tmp_path, each, when, fact):
    assert facts(tmp_path, each, when) == (fact,)


@pytest.mark.parametrize(
    "each, when, more",
    [
        # all of MPI
        ("run", "run.mpi_share >= 0.1", {}),
        # two groups
        ("run", "run.completion_share + run.collective_share >= 0.1", {}),
        # not recorded
        ("operation", "operation.name == 'Allreduce'", {"sites": False}),
        # the rule says it
        ("operation", "operation.name == 'Allreduce'", {"say": "Called at {operation.site}."}),
    ],
)
def test_nothing_is_said_where_there_is_nothing_to_say(tmp_path, each, when, more):
    assert facts(tmp_path, each, when, **more) == ()


def test_once_and_before_the_evidence(tmp_path):
    assert facts(
        tmp_path, "operation", "operation.time > 0", evidence='"It takes {operation.time}."'
    )[:2] == ("Most of MPI_Allreduce is called at solver.c:88.", "It takes 4.00\u00a0s.")
