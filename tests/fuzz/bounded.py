"""Runs commands of advisor one by one, each in a process of its own with bounds, and says what it
took.

    python tests/fuzz/bounded.py < lines > answers

A line is a JSON list of the words of one command; its answer is a line too: how it ended, peak
memory, CPU time, and what it said. Each command runs in a copy of this process, which has all
modules loaded: the system then counts its peak from here on, also if it is killed.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
from typing import Dict, List, NamedTuple, Sequence

HERE = pathlib.Path(__file__).resolve()
CPU_SECONDS, BYTES_OF_A_BYTE, FIXED_BYTES = 10, 64, 256 << 20
"""The promise: what a command may take for a file of n bytes is CPU_SECONDS, and BYTES_OF_A_BYTE *
n + FIXED_BYTES of memory."""
LARGEST_SPACE = 8 << 30
"""Address space of a command: what asks for more than any promise ends at once, and the machine
goes on."""


class Outcome(NamedTuple):
    """How a command ended. `code`: its exit code, or minus the signal that ended it. `said`:
    standard error. `printed`: bytes on standard output."""

    code: int
    peak: int
    cpu: float
    said: str
    printed: int

    @property
    def kept(self) -> bool:
        """Read, or refused in one sentence of three lines at most."""
        lines = self.said.splitlines()
        return self.code in (0, 1) or (
            self.code == 2 and 1 <= len(lines) <= 3 and "Traceback" not in self.said
        )


def allowed(size: int) -> int:
    """Bytes of memory that a file of `size` bytes may take."""
    return BYTES_OF_A_BYTE * size + FIXED_BYTES


class Runner:
    """The process that runs commands, as a context."""

    def __enter__(self) -> "Runner":
        self.process = subprocess.Popen(
            [sys.executable, str(HERE)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        return self

    def __exit__(self, *_: object) -> None:
        self.process.stdin.close()
        self.process.wait()

    def run(self, words: Sequence[str]) -> Outcome:
        """One command of advisor."""
        self.process.stdin.write(json.dumps(list(words)) + "\n")
        self.process.stdin.flush()
        return Outcome(**json.loads(self.process.stdout.readline()))


def _child(words: List[str], said: int, printed: int) -> None:
    from advisor.__main__ import main

    os.dup2(printed, 1)
    os.dup2(said, 2)
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS + 10, CPU_SECONDS + 10))
    resource.setrlimit(resource.RLIMIT_AS, (LARGEST_SPACE, LARGEST_SPACE))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    code = 70
    try:
        code = main(words)
    except BaseException:
        import traceback

        traceback.print_exc()
    finally:
        with contextlib.suppress(Exception):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code)


def _answer(words: List[str]) -> Dict[str, object]:
    with tempfile.TemporaryFile() as said, tempfile.TemporaryFile() as printed:
        child = os.fork()
        if child == 0:
            _child(words, said.fileno(), printed.fileno())
        _, status, used = os.wait4(child, 0)
        said.seek(0)
        text = said.read(20_000).decode("utf-8", "replace")
        size = os.fstat(printed.fileno()).st_size
    code = (
        os.waitstatus_to_exitcode(status)
        if hasattr(os, "waitstatus_to_exitcode")
        else (os.WEXITSTATUS(status) if os.WIFEXITED(status) else -os.WTERMSIG(status))
    )
    return {
        "code": code,
        "peak": used.ru_maxrss << 10,
        "cpu": used.ru_utime + used.ru_stime,
        "said": text,
        "printed": size,
    }


def _warm() -> None:
    """Load what commands load, so that each of them starts with it."""
    from advisor.__main__ import main

    sample = HERE.parents[2] / "samples" / "profiles" / "heat.4r.json"
    with (
        contextlib.redirect_stdout(io.TextIOWrapper(io.BytesIO())),
        contextlib.redirect_stderr(io.StringIO()),
    ):
        for words in (
            ["report", str(sample), "-o", os.devnull],
            ["report", str(sample), "-o", os.devnull, "--format", "html"],
            ["show", str(sample)],
            ["compare", str(sample), str(sample)],
        ):
            main(words)


if __name__ == "__main__":
    sys.path.insert(0, str(HERE.parents[2]))
    _warm()
    for line in sys.stdin:
        sys.stdout.write(json.dumps(_answer(json.loads(line))) + "\n")
        sys.stdout.flush()
