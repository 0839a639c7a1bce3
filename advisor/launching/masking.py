"""Words of a command line as they may be written into a result: values that look like secrets are masked."""

from __future__ import annotations

import re
from typing import List, Sequence, Tuple

MASK = "***"
_NAME = r"[\w.-]*(?:passw(?:or)?d|passphrase|passwd|secret|token|api[-_]?key|access[-_]?key|private[-_]?key|credential|auth)[\w.-]*"
_SECRET_NAME = re.compile(rf"^-{{0,2}}{_NAME}$", re.IGNORECASE)
_ASSIGNED = re.compile(rf"((?:^|[\s,;&?])-{{0,2}}{_NAME}\s*[=:]\s*)([^\s,;&]+)", re.IGNORECASE)
_URL = re.compile(r"([a-z][a-z0-9+.-]*://[^/\s:@]+:)[^/\s@]+(@)", re.IGNORECASE)


def mask(words: Sequence[str]) -> Tuple[str, ...]:
    """The same words, with the value of --token=…, password=…, `--password VALUE` and of URLs with a password masked."""
    masked: List[str] = []
    for position, word in enumerate(words):
        before = words[position - 1] if position else ""
        if _SECRET_NAME.match(before) and not word.startswith("-") and (before.startswith("-") or _follows_genv(words, position)):
            masked.append(MASK)
        else:
            masked.append(_URL.sub(rf"\1{MASK}\2", _ASSIGNED.sub(rf"\1{MASK}", word)))
    return tuple(masked)


def _follows_genv(words: Sequence[str], position: int) -> bool:
    return position > 1 and words[position - 2].lstrip("-") in ("genv", "env")
