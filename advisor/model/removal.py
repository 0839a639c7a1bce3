"""What was taken out of a result before it was shared."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Removal:
    """`kind`: users, hosts, paths, addresses, accounts, arguments, words. `names`: how many
    different ones; `places`: how often they stood there."""

    kind: str
    names: int
    places: int
    alias: str
    """What stands there now: host1, host2, …"""
