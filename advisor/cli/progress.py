"""What a command that takes longer is doing, and how long it may still take: one line on standard
error, if that is a terminal, which is gone when the command has an answer."""

from __future__ import annotations

import argparse
import functools
import sys
import threading
import time
from typing import Callable, Optional

from advisor.verifying.plan import duration

PATIENCE = 2.0
"""Seconds without a word."""
_AGAIN = 0.5
_CLEAR = "\r\x1b[K"
Run = Callable[[argparse.Namespace], int]


class Progress:
    """`stages`: what is done one after the other. All take as long, as far as is known."""

    def __init__(self, *stages: str, stream=None) -> None:
        self.stages, self.stream = stages, stream or sys.stderr
        self.at, self.part, self.begun = 0, 0.0, time.monotonic()
        self._ended = threading.Event()
        self._shown = False
        self._thread: Optional[threading.Thread] = None

    def stage(self, at: int, part: float = 0.0) -> None:
        """Stage `at` is under way, and this part of it is done."""
        self.at, self.part = at, part

    def line(self, seconds: float) -> str:
        """After so many seconds."""
        done = (self.at + self.part) / len(self.stages)
        left = f", about {duration(seconds / done - seconds)} left" if done > 0 else ""
        return f"advisor: {self.stages[self.at]}, {duration(seconds)}{left}"

    def __enter__(self) -> "Progress":
        # A thread, since reading and judging are long calls of others. It only looks and writes.
        if self.stream.isatty():
            self._thread = threading.Thread(target=self._watch, daemon=True)
            self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.done()

    def done(self) -> None:
        """From now on the command writes itself."""
        self._ended.set()
        if self._thread:
            self._thread.join()
        if self._shown:
            self._shown = False
            self.stream.write(_CLEAR)
            self.stream.flush()

    def _watch(self) -> None:
        wait = PATIENCE
        while not self._ended.wait(wait):
            self._shown, wait = True, _AGAIN
            self.stream.write(_CLEAR + self.line(time.monotonic() - self.begun))
            self.stream.flush()


def with_progress(*stages: str) -> Callable[[Callable[..., int]], Run]:
    """Decorates a command, which gets its Progress as `progress`."""

    def decorated(run: Callable[..., int]) -> Run:
        @functools.wraps(run)
        def shown(arguments: argparse.Namespace, progress: Optional[Progress] = None) -> int:
            with progress or Progress(*stages) as one:
                return run(arguments, one)

        return shown

    return decorated
