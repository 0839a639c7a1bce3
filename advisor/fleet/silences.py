"""What users were told, and for how long they hear nothing of it: kept in the store."""

from __future__ import annotations

import json
from collections import Counter
from datetime import date, timedelta
from pathlib import Path
from typing import Any, Dict, List, Optional, Tuple

from advisor.base import trusted_files
from advisor.fleet.muting import ALL
from advisor.fleet.store import put
from advisor.model.errors import UserError

SILENCE = timedelta(days=30)
FILE = "mail.json"
_LARGEST = 1 << 26
Key = Tuple[str, str, str]
"""User, rule, application."""


class Silences:
    """Since when a finding is silent, and why; kept in the store."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._known: Dict[Key, Tuple[date, str]] = {}
        try:
            for user, rule, application, day, why in json.loads(trusted_files.read(path, _LARGEST)):
                self._known[user, rule, application] = (date.fromisoformat(day), str(why))
        except FileNotFoundError:
            pass
        except (OSError, ValueError, TypeError) as error:
            raise UserError(
                f"{path} cannot be read: {error}.", do="Remove it to begin anew."
            ) from error

    def since(self, key: Key) -> Optional[Tuple[date, str]]:
        """A day and one of mailed, followed, muted."""
        return self._known.get(key)

    def at(self, key: Key, today: date) -> bool:
        """Whether nothing is said of it today. A day of the future is a clock that jumped."""
        user, rule, application = key
        for each in (key, (user, rule, ""), (user, ALL, "")):
            found = self._known.get(each)
            if found and timedelta() <= today - found[0] < SILENCE:
                return True
        return False

    def begin(self, key: Key, today: date, why: str) -> None:
        """From today on."""
        self._known[key] = (today, why)

    def mailed(self) -> List[Tuple[Key, date]]:
        """What was mailed, and not followed or muted since."""
        return [(key, day) for key, (day, why) in self._known.items() if why == "mailed"]

    def by_rule(self, first: date, until: date) -> List[Dict[str, Any]]:
        """How many findings of users were last mailed, followed or muted in these days, those of
        most users first."""
        counted: Dict[str, Counter[str]] = {}
        for (_, rule, _), (day, why) in self._known.items():
            if first <= day < until:
                counted.setdefault(rule, Counter())[why] += 1
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
        rows = [[*key, day.isoformat(), why] for key, (day, why) in sorted(self._known.items())]
        try:
            put(self.path, json.dumps(rows, indent=0).encode() + b"\n")
        except OSError as error:
            raise UserError(f"{self.path} cannot be written: {error.strerror or error}.") from error
