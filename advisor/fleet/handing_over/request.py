"""What is handed over: the days of a store, and what a centre allows to be seen of them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Any, Dict, Sequence

from advisor.fleet.store import Store


@dataclass(frozen=True)
class Request:
    """`labels`: names that may be told. `most`: series of monitoring."""

    store: Store
    connection: Any
    since: date
    until: date
    labels: Sequence[str]
    most: int

    @property
    def days(self) -> Dict[str, date]:
        """Values of queries."""
        return {"since": self.since, "until": self.until}
