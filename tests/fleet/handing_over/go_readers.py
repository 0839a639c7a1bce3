"""Programs that read with the other side's own code, which Go's module proxy has."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

SOURCES = Path(__file__).resolve().parent / "readers"
ENVIRONMENT = {**os.environ, "GOFLAGS": "-mod=readonly", "GOTOOLCHAIN": "local", "GOWORK": "off"}
_PATIENCE_SECONDS = 300


def built(name, folder):
    """The program of that name; skips where Go or a module cannot be had."""
    if not shutil.which("go"):
        pytest.skip("Go is not installed: apt-get install golang")
    fetched = _go("mod", "download")
    said = fetched.stderr.strip()
    assert "SECURITY ERROR" not in said, said
    if fetched.returncode:
        pytest.skip(f"Go cannot get what {SOURCES / 'go.mod'} names: {said}")
    done = _go("build", "-o", str(folder / name), f"./{name}")
    assert done.returncode == 0, done.stderr
    return folder / name


def _go(*words):
    return subprocess.run(
        ["go", *words],
        cwd=SOURCES,
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        timeout=_PATIENCE_SECONDS,
    )
