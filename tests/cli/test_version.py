"""`advisor --version` and `advisor version`: what a report of a mistake needs first."""

from __future__ import annotations

import platform
import subprocess
import sys

import pytest

from advisor import __version__


@pytest.mark.parametrize("option", ["--version", "-v", "version"])
def test_it_names_the_version_and_the_python(option):
    said = subprocess.run([sys.executable, "-m", "advisor", option], capture_output=True, text=True)
    assert (said.returncode, said.stdout) == (
        0,
        f"advisor {__version__} (Python {platform.python_version()}, {sys.executable})\n",
    )
