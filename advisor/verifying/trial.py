"""One run of a command: its output goes to files, its end is waited for, and nothing of it
stays."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Mapping, Optional, Tuple

from advisor.model.message import message

TOO_LONG = 124
"""The exit code of a run that was ended by us."""
_PATIENCE = 10
"""Seconds between the request to end and the order."""


@dataclass(frozen=True)
class Command:
    """Words, the variables that are added to the environment for them, and where they run."""

    words: Tuple[str, ...]
    added: Mapping[str, str]
    directory: Path


@dataclass(frozen=True)
class Ended:
    """`code` as a shell shows it. `why`: it did not end by itself, or did not start."""

    seconds: float
    code: int
    output: Path
    why: str = ""


def run(
    command: Command, environment: Mapping[str, str], output: Path, limit: Optional[float]
) -> Ended:
    """Run to the end, or for `limit` seconds. Standard output goes to `output`, standard error
    beside it as .err. Raises what interrupts us."""
    with (
        open(output, "wb") as out,
        open(output.with_suffix(".err"), "wb") as errors,
        _input() as given,
    ):
        begin = time.monotonic()
        try:
            # A session of its own, so that it can be ended with all its children.
            process = subprocess.Popen(
                command.words,
                env={**environment, **command.added},
                cwd=command.directory,
                stdin=given,
                stdout=out,
                stderr=errors,
                start_new_session=True,
            )
        except OSError as error:
            return Ended(
                0.0, 127, output, f"{command.words[0]} cannot be started: {error.strerror}"
            )
        try:
            code = process.wait(limit)
        except subprocess.TimeoutExpired:
            end(process)
            why = message("it did not end within {limit}", limit=f"{limit:.0f} s")
            return Ended(time.monotonic() - begin, TOO_LONG, output, why)
        except BaseException:
            end(process)
            raise
        return Ended(time.monotonic() - begin, code if code >= 0 else 128 - code, output)


def end(process: subprocess.Popen) -> None:
    """End a process and all of its session: as asked first, so that launchers end ranks on other
    hosts too."""
    try:
        os.killpg(process.pid, signal.SIGTERM)
        process.wait(_PATIENCE)
    except (ProcessLookupError, subprocess.TimeoutExpired):
        pass
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()


def _input():
    """Our standard input from its beginning if it is a file, so that each run reads the same; else
    nothing."""
    try:
        if stat.S_ISREG(os.fstat(0).st_mode):
            return open("/dev/stdin", "rb")
    except OSError:
        pass
    return open(os.devnull, "rb")
