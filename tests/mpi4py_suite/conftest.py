"""The collector of each library, built once."""

from __future__ import annotations

import subprocess
import sys
from typing import Callable, Dict

import pytest

from mpi_builds import REPOSITORY, Build, environment, require


@pytest.fixture(scope="session")
def collector(tmp_path_factory) -> Callable[[Build], str]:
    """build → path of its collector."""
    made: Dict[str, str] = {}

    def get(build: Build) -> str:
        if build.name not in made:
            path = str(tmp_path_factory.mktemp(f"collector-{require(build)}") / "collector.so")
            words = [str(REPOSITORY / "collectors" / "build.sh"), build.mpicc, path]
            done = subprocess.run(words, env=environment(build, {"PYTHON": sys.executable}), capture_output=True, text=True)
            assert done.returncode == 0, done.stderr
            made[build.name] = path
        return made[build.name]

    return get
