"""Work that may hang, given up after a time."""

from __future__ import annotations

import threading
from typing import Callable


def within(seconds: float, work: Callable[[], None]) -> None:
    """Do `work`, but come back after `seconds` at the latest; what it has written by then stays.

    A thread, since a read of a file system that hangs cannot be interrupted; a daemon, so that it
    cannot keep us alive.
    """
    worker = threading.Thread(target=work, daemon=True)
    worker.start()
    worker.join(seconds)
