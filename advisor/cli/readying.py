"""Our own modules are read while the job runs, so that its report need not wait for them."""

from __future__ import annotations

import os
import threading
from importlib import import_module
from typing import Optional

REPORTING = (
    "advisor.cli.sealing",
    "advisor.reports.terminal",
    "advisor.reports.html",
)
"""What a job needs at its end: a third of a second of reading, most of all of NumPy."""
_BLAS_THREADS = "OPENBLAS_NUM_THREADS"
_NICE = 10
"""On a node whose cores all compute, a tenth of one core for as long as it takes; not SCHED_IDLE,
which would leave a report waiting for a thread that never runs."""


class Reader:
    """Reads what REPORTING names in a thread of its own. Nothing that fails there matters: the
    report reads it again."""

    def __init__(self) -> None:
        self._thread: Optional[threading.Thread] = None

    def begin(self) -> None:
        """Start it, once the job runs."""
        self._thread = threading.Thread(target=_read, name="reading modules", daemon=True)
        self._thread.start()

    def end(self) -> None:
        """Wait until it is done: what follows forks, which is no good beside a thread."""
        if self._thread:
            self._thread.join()


def _read() -> None:
    try:
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _NICE)
        _numpy()
        for name in REPORTING:
            import_module(name)
    except Exception:
        pass


def _numpy() -> None:
    """NumPy without the threads of its linear algebra, one a core, which spin while they start. The
    variable goes again: what a user set is part of the record, and ours is not the user's."""
    if _BLAS_THREADS in os.environ:
        import_module("numpy")
        return
    os.environ[_BLAS_THREADS] = "1"
    try:
        import_module("numpy")
    finally:
        del os.environ[_BLAS_THREADS]
