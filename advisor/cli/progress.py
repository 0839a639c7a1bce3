"""What a command that takes longer is doing, and how long it may still take: one line on standard
error, if that is a terminal, which is gone when the command has an answer."""

from __future__ import annotations

import argparse
import functools
import os
import shutil
import signal
import sys
import threading
import time
from itertools import count
from typing import Any, Callable, Optional, TextIO

from advisor.base.durations import duration
from advisor.base.in_ascii import ENCODING_ERRORS
from advisor.model.errors import harmless

PATIENCE = 2.0
"""Seconds without a word."""
_AGAIN = 0.5
_CLEAR = "\r\x1b[K"
_LEAST = 20
"""Letters that are shown of a line however narrow the terminal is."""
Run = Callable[[argparse.Namespace], int]


class Progress:
    """`stages`: what is done one after the other. All take as long, as far as is known. `expected`:
    how many seconds all of it takes, where that is known before. `quiet`: nothing is written."""

    def __init__(
        self,
        *stages: str,
        stream=None,
        expected: Optional[float] = None,
        quiet: bool = False,
    ) -> None:
        self.stages, self.stream, self.expected = stages, stream or sys.stderr, expected
        self.quiet = quiet
        self.at, self.part, self.begun = 0, 0.0, time.monotonic()
        self.look: Optional[Callable[[], float]] = None
        """Tells the part of the first stage that is done, where that stage takes nearly all."""
        self._ended = threading.Event()
        self._shown = self._amid = False
        self._before: Optional[TextIO] = None
        self._thread: Optional[threading.Thread] = None
        self._writing = threading.Lock()

    @property
    def shows(self) -> bool:
        """Whether anybody sees it: else nothing needs to be counted for it."""
        return not self.quiet and self.stream.isatty()

    def stage(self, at: int, part: float = 0.0) -> None:
        """Stage `at` is under way, and this part of it is done."""
        self.at, self.part = at, part

    def counted(self, total: int) -> Callable[[], None]:
        """To be called whenever one of `total` is done, in the first stage."""
        done = count(1)
        return lambda: self.stage(0, min(1.0, next(done) / total) if total else 0.0)

    def line(self, seconds: float) -> str:
        """After so many seconds."""
        left, part = "", (self.at + self.part) / len(self.stages)
        if self.look and self.at == 0:
            part = self.look()
        if self.expected is not None and self.expected > seconds:
            left = f", about {duration(self.expected - seconds)} left"
        elif 0 < part < 1:
            left = f", about {duration(seconds / part - seconds)} left"
        return f"advisor: {self.stages[self.at]}, {duration(seconds)}{left}"

    def tell(self, text: str) -> None:
        """A line that stays, above the one that is written again. What it quotes cannot command a
        terminal."""
        if not self.quiet:
            self.write_above(f"advisor: {harmless(text)}\n")

    def write_above(self, text: str) -> int:
        """A text that stays. The line is not written again before its last row ends."""
        with self._writing:
            self._wipe()
            self._amid = not text.endswith("\n")
            self.stream.write(text)
            self.stream.flush()
        return len(text)

    def __enter__(self) -> "Progress":
        # A thread, since reading and judging are long calls of others. It only looks and writes.
        # Signals are for the thread that works: it hands them to a job, or ends us.
        if self.shows:
            self._thread = threading.Thread(target=self._watch, daemon=True)
            before = signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
            try:
                self._thread.start()
            finally:
                signal.pthread_sigmask(signal.SIG_SETMASK, before)
            if self.stream is sys.stderr:
                # What is said meanwhile, of a rule that cannot be read for instance, comes from
                # far below, where nobody knows of this line.
                self._before, sys.stderr = sys.stderr, _Above(self)
        return self

    def __exit__(self, *_: object) -> None:
        self.done()

    def done(self) -> None:
        """From now on the command writes itself."""
        self._ended.set()
        if self._thread:
            self._thread.join()
        if self._before:
            sys.stderr, self._before = self._before, None
        self._wipe()

    @property
    def room(self) -> int:
        """Letters of a line. The terminal is the one that the line stands in: standard output, of
        which Python asks by itself, may be a pipe or a file."""
        try:
            width = os.get_terminal_size(self.stream.fileno()).columns
        except (OSError, ValueError):  # io.UnsupportedOperation is both.
            width = 0
        return max(_LEAST, (width or shutil.get_terminal_size().columns) - 1)

    def _fitting(self, line: str) -> str:
        """A line that wraps cannot be wiped out: what is too long for the terminal gives way. What
        the terminal's encoding lacks would be written as a number, and be longer."""
        encoding = getattr(self.stream, "encoding", None) or "utf-8"
        line = harmless(line).encode(encoding, ENCODING_ERRORS).decode(encoding)
        return line if len(line) <= self.room else line[: self.room]

    def _wipe(self) -> None:
        if self._shown:
            self._shown = False
            self.stream.write(_CLEAR)
            self.stream.flush()

    def _watch(self) -> None:
        wait = PATIENCE
        while not self._ended.wait(wait):
            wait = _AGAIN
            with self._writing:
                if self._amid:
                    continue
                self._shown = True
                self.stream.write(_CLEAR + self._fitting(self.line(time.monotonic() - self.begun)))
                self.stream.flush()


class _Above:
    """Standard error while a line of progress stands in it."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress

    def write(self, text: str) -> int:
        return self._progress.write_above(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._progress.stream, name)


def with_progress(*stages: str) -> Callable[[Callable[..., int]], Run]:
    """Decorates a command, which gets its Progress as `progress`."""

    def decorated(run: Callable[..., int]) -> Run:
        @functools.wraps(run)
        def shown(arguments: argparse.Namespace, progress: Optional[Progress] = None) -> int:
            with progress or Progress(*stages) as one:
                return run(arguments, one)

        return shown

    return decorated
