"""Record: one published or measured result, as data. The gains of rules rest on those that are
nearest to a run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional, Tuple

FOLDER = "evidence"
"""Of a rule folder: files of records, by source."""
OPERATION, ELAPSED = "operation", "elapsed"
PAIR, BEST, DIRECTION = "pair", "best", "direction"
"""Both times or their ratio; the best of several, the others being unpublished; faster, equal or
slower without a number."""
FASTER, EQUAL, SLOWER = "faster", "equal", "slower"
FABRICS = ("infiniband", "omnipath", "slingshot", "roce", "efa", "ethernet")


@dataclass(frozen=True)
class Record:
    """What one change did in one place. None or empty: not published."""

    id: str
    topic: str
    """What was changed; rules name it."""
    file: str
    of: str
    """operation: the ratio is of the time of the calls; elapsed: of the whole run, or of the loop
    that its user times."""
    reported: str
    origin: str
    """published by others, or our own measurement."""
    source: str
    page: str = ""
    """Where it stands there: a table, a slide, a section."""
    ratio: Optional[float] = None
    """Time with the change over time without it: below 1 it was faster, 0.81 means 19 % less time.
    """
    times: Tuple[float, ...] = ()
    """With the change and without it, as published; empty if only the ratio is."""
    result: str = ""
    """faster, equal or slower, where there is no number."""
    library: str = ""
    version: str = ""
    against: str = ""
    """What it was compared with: another library, or the setting before."""
    fabric: str = ""
    cpu: str = ""
    application: str = ""
    operation: str = ""
    hosts: Optional[float] = None
    hosts_to: Optional[float] = None
    """Upper end, where one result is given for a range of hosts."""
    ranks_per_node: Optional[float] = None
    size: Optional[float] = None
    """Bytes of a message."""
    before: Optional[float] = None
    """The setting before the change, if it is a number that matters, such as NCORE."""
    together: Tuple[str, ...] = ()
    """What else was changed at once: the result is not of one thing alone."""
    conditions: str = ""

    @property
    def saved(self) -> float:
        """Share of the time that was saved; below 0 it was slower. Only of records with a ratio."""
        return 1 - self.ratio  # type: ignore[operator]
