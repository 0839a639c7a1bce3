"""`advisor --version`: what a report of a mistake needs first."""

from __future__ import annotations

import platform
import subprocess
import sys

from advisor import __version__


def test_it_names_the_version_and_the_python():
    said = subprocess.run(
        [sys.executable, "-m", "advisor", "--version"], capture_output=True, text=True
    )
    assert (said.returncode, said.stdout) == (
        0,
        f"advisor {__version__} (Python {platform.python_version()}, {sys.executable})\n",
    )
