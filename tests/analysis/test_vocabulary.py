"""The vocabulary of rules has a line for each metric."""

from __future__ import annotations

from advisor.analysis.measure import in_order
from advisor.analysis.vocabulary import vocabulary

UNITS = {"s", "B", "share", "count", "1/s", "text", "yes/no"}


def test_a_line_says_name_unit_quality_and_meaning():
    lines = vocabulary().splitlines()
    assert (
        "| `run.mpi_share` | share | derived | run.mpi_time as share of run.time. METRICS 2,"
        " mpi.share. |" in lines
    )
    assert sum(line.startswith("| `") for line in lines) == len(list(in_order()))


def test_every_metric_has_a_known_unit_and_a_sentence():
    assert [
        declared.key
        for declared in in_order()
        if declared.unit not in UNITS or not declared.meaning.endswith((".", ")"))
    ] == []
