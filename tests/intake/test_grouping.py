"""Rows of equal key put together."""

from __future__ import annotations

import numpy as np

from advisor.intake.container.combined_rows import put_together


def test_sums_smallest_and_largest():
    rows = [
        # rank operation class bin count bytes time min max
        (0, "Send", "intra_node", 4, 2, 16, 1.0, 0.4, 0.6),
        (0, "Recv", "intra_node", -1, 1, 0, 9.0, 9.0, 9.0),
        (0, "Send", "intra_node", 4, 1, 9, 0.25, 0.25, 0.25),
        (0, "Send", "intra_node", 5, 1, 16, 0.5, 0.5, 0.5),
        (0, "Send", "intra_node", 4, 1, 8, 2.0, 2.0, 2.0),
    ]
    names = ("rank", "operation", "class", "bin", "count", "bytes", "time", "min", "max")
    columns = {
        name: np.array(values, dtype=object if name in ("operation", "class") else None)
        for name, values in zip(names, zip(*rows))
    }
    found = put_together("calls", columns)
    assert list(zip(*(found[name].tolist() for name in names))) == [
        (0, "Send", "intra_node", 4, 4, 33, 3.25, 0.25, 2.0),
        (0, "Recv", "intra_node", -1, 1, 0, 9.0, 9.0, 9.0),
        (0, "Send", "intra_node", 5, 1, 16, 0.5, 0.5, 0.5),
    ]


def test_no_rows_stay_no_rows():
    empty = {
        "rank": np.zeros(0, "<i4"),
        "operation": np.zeros(0, dtype=object),
        "count": np.zeros(0, "<u8"),
    }
    assert put_together("calls", empty) is empty
