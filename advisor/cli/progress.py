"""What a command that takes longer is doing, and how long it may still take: one line on standard
error, if that is a terminal, which is gone when the command has an answer."""

from __future__ import annotations

import argparse
import functools
import shutil
import signal
import sys
import threading
import time
from itertools import count
from typing import Callable, Optional

from advisor.base.durations import duration
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
        self._shown = False
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
        if self.quiet:
            return
        with self._writing:
            self._wipe()
            self.stream.write(f"advisor: {harmless(text)}\n")
            self.stream.flush()

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
        return self

    def __exit__(self, *_: object) -> None:
        self.done()

    def done(self) -> None:
        """From now on the command writes itself."""
        self._ended.set()
        if self._thread:
            self._thread.join()
        self._wipe()

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
                self._shown = True
                self.stream.write(_CLEAR + _fitting(self.line(time.monotonic() - self.begun)))
                self.stream.flush()


def _fitting(line: str) -> str:
    """A line that wraps cannot be wiped out: what is too long for the terminal gives way."""
    room = max(_LEAST, shutil.get_terminal_size().columns - 1)
    return line if len(line) <= room else f"{line[: room - 1]}…"


def with_progress(*stages: str) -> Callable[[Callable[..., int]], Run]:
    """Decorates a command, which gets its Progress as `progress`."""

    def decorated(run: Callable[..., int]) -> Run:
        @functools.wraps(run)
        def shown(arguments: argparse.Namespace, progress: Optional[Progress] = None) -> int:
            with progress or Progress(*stages) as one:
                return run(arguments, one)

        return shown

    return decorated
