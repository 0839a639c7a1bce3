"""Names as pseudonyms: the same name has the same one in all tables of a store, and only who has
the store's key can try names against them."""

from __future__ import annotations

import hashlib
import hmac
import re
from dataclasses import dataclass
from typing import Optional

_DIGITS = 12
_PLAIN_VALUE = re.compile(r"[A-Za-z0-9_.,:+^=-]{0,64}")
"""Values of settings that name no folder, and so nobody's home."""


@dataclass(frozen=True)
class Pseudonyms:
    """Names of users, accounts and programs. `key` None: they stay as they are.

    Names of hosts and of recognised applications always stay: without them nobody could act.
    """

    key: Optional[bytes] = None

    def name(self, kind: str, name: str) -> str:
        """ "user", "alice" → user-4f1d0c3a9b22."""
        if self.key is None or not name:
            return name
        found = hmac.new(self.key, f"{kind}\0{name}".encode("utf-8", "replace"), hashlib.sha256)
        return f"{kind}-{found.hexdigest()[:_DIGITS]}"

    def value(self, value: str) -> str:
        """A setting's value, which may name a folder."""
        return value if _PLAIN_VALUE.fullmatch(value) else self.name("value", value)
