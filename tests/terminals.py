"""advisor in a real terminal."""

from __future__ import annotations

import os
import pty
import subprocess
import sys

AT_ONCE = """
import sys
from advisor.cli import progress
progress.PATIENCE, progress._AGAIN = 0.0, 0.01
from advisor.__main__ import main
sys.exit(main(sys.argv[1:]))
"""


def shown(*words, terminal=True, env=None, cwd=None, **variables):
    """(what stands on standard error, standard output) of advisor WORDS, which must succeed; its
    patience is none. `terminal`: standard error is one. `env`: in place of our environment."""
    here, there = pty.openpty() if terminal else os.pipe()
    process = subprocess.Popen(
        [sys.executable, "-c", AT_ONCE, *words],
        stdout=subprocess.PIPE,
        stderr=there,
        env={**(env or os.environ), "COLUMNS": "80", **variables},
        cwd=cwd,
    )
    os.close(there)
    found = b""
    try:
        while True:
            piece = os.read(here, 65536)
            if not piece:
                break
            found += piece
    except OSError:  # Linux: the other end is closed.
        pass
    os.close(here)
    out, _ = process.communicate(timeout=120)
    assert process.returncode == 0, found.decode()
    return found.decode(), out.decode()
