"""Detects whether a signal was sent to the whole job. An idle witness process beside the job
receives only such signals.

A batch system signals every process of a job, and `kill -- -GROUP` every process of a group: the
job has it already then, and must not get it twice. A signal for our process alone is for the job.
Signals do not say which of the two they are.
"""

from __future__ import annotations

import os
import signal
import time

_PATIENCE_SECONDS = 0.05
"""Within a group signals arrive in microseconds; a batch system takes one process after the other.
"""
_PAUSE_SECONDS = 0.005


class Witness:
    """Lives between `start` and `end`, and never longer than we do: it waits for a pipe that closes
    with us."""

    def __init__(self) -> None:
        self._pid = 0
        self._pipe = -1

    def start(self) -> None:
        """Raises OSError if there is no room for a process more."""
        reader, self._pipe = os.pipe()
        self._pid = os.fork()
        if not self._pid:
            _stand_by(reader)
        os.close(reader)

    def saw(self, number: int) -> bool:
        """Whether it got this signal too. Forgets it, so that the next one counts anew."""
        end = time.monotonic() + _PATIENCE_SECONDS
        while not self._pending(number):
            if not self._pid or time.monotonic() > end:
                return False
            time.sleep(_PAUSE_SECONDS)
        os.write(self._pipe, bytes([number]))
        return True

    def end(self) -> None:
        """Afterwards it is gone."""
        if self._pid:
            os.close(self._pipe)
            os.kill(self._pid, signal.SIGKILL)
            os.waitpid(self._pid, 0)
            self._pid = 0

    def _pending(self, number: int) -> bool:
        try:
            with open(f"/proc/{self._pid}/status", encoding="ascii", errors="replace") as file:
                masks = [
                    line.split()[1] for line in file if line.startswith(("SigPnd:", "ShdPnd:"))
                ]
        except OSError:
            return False
        return any(int(mask, 16) >> (number - 1) & 1 for mask in masks)


def _stand_by(reader: int) -> None:
    """Let all signals wait; drop the one that we are told to drop."""
    try:
        signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
        # Whoever waits for the end of our output must not wait for this process.
        for name in os.listdir("/proc/self/fd"):
            if int(name) != reader:
                _close(int(name))
        while True:
            reported = os.read(reader, 1)
            if not reported:
                break
            signal.sigtimedwait({reported[0]}, 0)
    finally:
        os._exit(0)


def _close(number: int) -> None:
    try:
        os.close(number)
    except OSError:
        pass  # The listing itself had one open.
