"""advisor in a pseudo terminal, and what the terminal shows of it: rows that wrap, a line that is
written again, colours left out."""

from __future__ import annotations

import codecs
import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from dataclasses import dataclass, field

AT_ONCE = """
import sys
from advisor.cli import progress
progress.PATIENCE, progress._AGAIN = 0.0, 0.01
from advisor.__main__ import main
sys.exit(main(sys.argv[1:]))
"""
_ESCAPE = re.compile(r"\x1b\[[0-9;]*([A-Za-z])")


@dataclass
class Screen:
    """`rows`: what stands there, the last one where the cursor is. `passed`: lines that were wiped
    out."""

    columns: int
    rows: list = field(default_factory=lambda: [""])
    passed: list = field(default_factory=list)
    at: int = 0

    def write(self, text):
        """Draw a text as a terminal does."""
        place = 0
        while place < len(text):
            escape = _ESCAPE.match(text, place)
            if escape:
                if escape[1] == "K":
                    self._clear()
                place = escape.end()
                continue
            self._draw(text[place])
            place += 1

    def _clear(self):
        if self.rows[-1]:
            self.passed.append(self.rows[-1])
        self.rows[-1] = self.rows[-1][: self.at]

    def _draw(self, letter):
        if letter == "\r":
            self.at = 0
        elif letter == "\n":
            self.rows.append("")
        else:
            if self.at == self.columns:
                self.rows.append("")
                self.at = 0
            row = self.rows[-1]
            self.rows[-1] = row[: self.at] + letter + row[self.at + 1 :]
            self.at += 1


def pieces(here):
    """What comes out of a terminal until its other end is closed."""
    try:
        while piece := os.read(here, 65536):
            yield piece
    except OSError:  # Linux: the other end is closed.
        pass


def shown(*words, terminal=True, columns=80, env=None, cwd=None, **variables):
    """(screen of standard error, standard output) of advisor WORDS, which must succeed; its
    patience is none. `terminal`: standard error is one. `env`: in place of our environment."""
    here, there = pty.openpty() if terminal else os.pipe()
    if terminal:
        fcntl.ioctl(there, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    process = subprocess.Popen(
        [sys.executable, "-c", AT_ONCE, *words],
        stdout=subprocess.PIPE,
        stderr=there,
        env={**(env or os.environ), **variables},
        cwd=cwd,
    )
    os.close(there)
    screen, decoder = Screen(columns), codecs.getincrementaldecoder("utf-8")()
    for piece in pieces(here):
        screen.write(decoder.decode(piece))
    os.close(here)
    out, _ = process.communicate(timeout=120)
    assert process.returncode == 0, screen.rows
    return screen, out.decode()
