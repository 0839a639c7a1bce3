"""What users were told, and for how long they hear nothing of it: kept in the store."""

from __future__ import annotations

import json
from collections import Counter
from datetime import date, timedelta
from pathlib import Path
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

from advisor.base import trusted_files
from advisor.fleet.muting import ALL
from advisor.fleet.store import put
from advisor.model.errors import UserError

SILENCE = timedelta(days=30)
FILE = "mail.json"
_LARGEST = 1 << 26
Key = Tuple[str, str, str]
"""User, rule, application."""


class Followed(NamedTuple):
    """Advice that was followed. `mailed`: the day of the first mail; None: the file is of a version
    that did not keep it."""

    key: Key
    mailed: Optional[date]
    day: date


class _Silence(NamedTuple):
    """`mailed`, `followed`: the first days, whatever came later."""

    day: date
    why: str
    mailed: Optional[date]
    followed: Optional[date]


class Silences:
    """Since when a finding is silent, and why; kept in the store."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._known: Dict[Key, _Silence] = {}
        try:
            for user, rule, application, *rest in json.loads(trusted_files.read(path, _LARGEST)):
                self._known[user, rule, application] = _read(*rest)
        except FileNotFoundError:
            pass
        except (OSError, ValueError, TypeError) as error:
            raise UserError(
                f"{path} cannot be read: {error}.", do="Remove it to begin anew."
            ) from error

    def since(self, key: Key) -> Optional[Tuple[date, str]]:
        """A day and one of mailed, followed, muted."""
        found = self._known.get(key)
        return (found.day, found.why) if found else None

    def at(self, key: Key, today: date) -> bool:
        """Whether nothing is said of it today. A day of the future is a clock that jumped."""
        user, rule, application = key
        for each in (key, (user, rule, ""), (user, ALL, "")):
            found = self._known.get(each)
            if found and timedelta() <= today - found.day < SILENCE:
                return True
        return False

    def begin(self, key: Key, today: date, why: str) -> None:
        """From today on."""
        before = self._known.get(key)
        mailed, followed = (before.mailed, before.followed) if before else (None, None)
        if why == "mailed" and (not before or before.mailed):
            # The earlier one: the first day may be of a clock that jumped.
            mailed = min(mailed or today, today)
        if why == "followed":
            followed = min(followed or today, today)
        self._known[key] = _Silence(today, why, mailed, followed)

    def mailed(self) -> List[Tuple[Key, date]]:
        """What was mailed, and not followed or muted since."""
        return [(key, each.day) for key, each in self._known.items() if each.why == "mailed"]

    def followed(self, first: date, until: date) -> List[Followed]:
        """What was followed for the first time in these days. Also what was mailed again since:
        without it, only advice that helped for good would be looked at."""
        return [
            Followed(key, each.mailed, each.followed)
            for key, each in sorted(self._known.items())
            if each.followed and first <= each.followed < until
        ]

    def by_rule(self, first: date, until: date) -> List[Dict[str, Any]]:
        """How many findings of users were last mailed, followed or muted in these days, those of
        most users first."""
        counted: Dict[str, Counter[str]] = {}
        for (_, rule, _), each in self._known.items():
            if first <= each.day < until:
                counted.setdefault(rule, Counter())[each.why] += 1
        rows = [
            {
                "name": rule,
                "given": why["mailed"] + why["followed"],
                "followed": why["followed"],
                "muted": why["muted"],
            }
            for rule, why in counted.items()
        ]
        return sorted(rows, key=lambda row: (-row["given"], row["name"]))

    def keep(self) -> None:
        """Write it. Raises UserError."""
        rows = [
            [*key, each.day.isoformat(), each.why, _written(each.mailed), _written(each.followed)]
            for key, each in sorted(self._known.items())
        ]
        try:
            put(self.path, json.dumps(rows, indent=0).encode() + b"\n")
        except OSError as error:
            raise UserError(f"{self.path} cannot be written: {error.strerror or error}.") from error


def _read(
    day: str, why: str, mailed: Optional[str] = None, followed: Optional[str] = None
) -> _Silence:
    """Rows of older files end with `why`."""
    begun = date.fromisoformat(day)
    return _Silence(
        begun,
        str(why),
        date.fromisoformat(mailed) if mailed else None,
        date.fromisoformat(followed) if followed else begun if why == "followed" else None,
    )


def _written(day: Optional[date]) -> Optional[str]:
    return day.isoformat() if day else None
