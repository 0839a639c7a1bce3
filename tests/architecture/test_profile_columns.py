"""The table of columns is complete and consistent."""

from __future__ import annotations

import numpy as np
import pytest

from advisor.model.columns import TABLES

ALL = [(table, name, kind) for table, columns in TABLES.items() for name, kind in columns.items()]


@pytest.mark.parametrize("table, name, kind", ALL, ids=[f"{t}.{n}" for t, n, _ in ALL])
def test_column(table, name, kind):
    assert kind.adds in {"key", "sum", "min", "max", "first"}
    assert kind.dtype == "text" or np.dtype(kind.dtype).kind in "iuf"
    assert kind.unit in {"", "s", "s2", "B", "count"}
    assert kind.meaning


def test_every_table_has_a_key():
    assert [
        table for table, columns in TABLES.items() if all(k.adds != "key" for k in columns.values())
    ] == []
