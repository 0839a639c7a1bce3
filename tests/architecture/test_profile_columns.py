"""The table of columns is complete and consistent."""

from __future__ import annotations

import numpy as np

from advisor.model.columns import TABLES, ColumnKind


def is_consistent(kind: ColumnKind) -> bool:
    numbers = kind.dtype == "text" or np.dtype(kind.dtype).kind in "iuf"
    return (
        numbers
        and kind.adds in {"key", "sum", "min", "max", "first"}
        and kind.unit in {"", "s", "s2", "B", "count"}
        and bool(kind.meaning)
    )


def test_every_column():
    assert sum(map(len, TABLES.values())) > 200
    assert [
        f"{table}.{name}"
        for table, columns in TABLES.items()
        for name, kind in columns.items()
        if not is_consistent(kind)
    ] == []


def test_the_check_sees_what_is_wrong():
    assert is_consistent(ColumnKind("s", "f8", "sum", "time"))
    assert not any(
        map(
            is_consistent,
            (
                ColumnKind("h", "f8", "sum", "a"),
                ColumnKind("s", "O", "sum", "a"),
                ColumnKind("s", "f8", "mean", "a"),
                ColumnKind("s", "f8", "sum", ""),
            ),
        )
    )


def test_every_table_has_a_key():
    assert [
        table for table, columns in TABLES.items() if all(k.adds != "key" for k in columns.values())
    ] == []
