"""PyArrow and DuckDB, which only this room needs."""

from __future__ import annotations

import atexit
import gc
from importlib import import_module
from typing import Any

from advisor.model.errors import UserError


def arrow() -> Any:
    """The module pyarrow, with its parts that the store needs. Raises UserError."""
    _module("pyarrow.parquet", "PyArrow")
    _module("pyarrow.compute", "PyArrow")
    return _module("pyarrow", "PyArrow")


def duckdb() -> Any:
    """The module duckdb. Raises UserError."""
    # advisor freezes all objects at its end (advisor/__main__.py); DuckDB would list them as leaks.
    # Whoever asks for that later does it before this is undone.
    atexit.unregister(gc.freeze)
    atexit.register(gc.unfreeze)
    return _module("duckdb", "DuckDB")


def _module(name: str, said: str) -> Any:
    try:
        return import_module(name)
    except ImportError as error:
        raise UserError(
            f"advisor fleet needs {said}, which is not installed for this Python.",
            do="Install both packages that it needs: python -m pip install 'mpi-advisor[fleet]'",
        ) from error
