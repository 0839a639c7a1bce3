"""What the files of a store say about their columns."""

from __future__ import annotations

import pytest
from small_fleet import ingested, spool_of

from advisor.fleet.tables import MEANINGS, TABLES


def test_a_file_has_the_meanings_of_its_columns(tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    ingested(spool_of(tmp_path), tmp_path / "store")
    told = {
        field.name: field.metadata[b"meaning"].decode()
        for file in (tmp_path / "store").rglob("*.parquet")
        for field in parquet.read_schema(file)
        if b"meaning" in (field.metadata or {})
    }
    assert told == MEANINGS


def test_each_meaning_is_of_a_column():
    assert set(MEANINGS) <= {column for columns in TABLES.values() for column in columns}
