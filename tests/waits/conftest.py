"""The programs of this folder, compiled once for each library."""

from __future__ import annotations

from pathlib import Path
from typing import Callable

import pytest

from mpi_builds import compiling


@pytest.fixture(scope="session")
def program(tmp_path_factory) -> Callable[..., str]:
    """(build, name of a C source in this folder) → path of the program."""
    return compiling(tmp_path_factory.mktemp("waits"), Path(__file__).parent, "-O2")
