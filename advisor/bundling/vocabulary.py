"""Words that may stay in a bundle. They are read from advisor's own files, so that a new rule or
fact brings its words along."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path
from typing import FrozenSet, Iterator, NamedTuple

from advisor.base import launcher_names, resource_paths
from advisor.bundling import known

PART = re.compile(r"(?:%[0-9A-Fa-f]{2}|[^\W_]|[^\x00-\xbf\u00d7\u2000-\u22ff])+")
"""What a text is taken apart into: letters and digits, and all signs but those of punctuation. What
is percent-encoded is one part with the letters around it."""
_NUMBER = re.compile(
    r"\d{1,15}(e\d{1,3}|[kmgt]?i?b|[kmgt]|ms|us|ns|s|min|h|x|[gm]hz|[gmk]?bps|(a|b|rc|dev|p)\d{0,3})?|0x[0-9a-f]{1,32}|(v|rc)\d{1,3}|(el|fc|gen)\d{1,2}|[a-z]",
    re.IGNORECASE,
)
"""Numbers, sizes and durations, hexadecimal masks, parts of versions, single letters."""
_QUOTED = re.compile(r"""\\?"([^"\\\s]{1,60})\\?\"""")
_VARIABLE = re.compile(r"\b[A-Z][A-Z0-9]*_[A-Za-z0-9_]+\b")
_CONSTANT = re.compile(r'"([a-z][a-z0-9_]*(?:\.[a-z0-9_]+)*)"')
_COMMENT = re.compile(r"^#.*$", re.MULTILINE)
_PACKAGE = Path(__file__).resolve().parent.parent


class Words(NamedTuple):
    """All in small letters, but `variables` and `keys`."""

    values: FrozenSet[str]
    """Of settings, launch lines and facts: what rules ask for, what launchers take, what hardware
    is called."""
    prose: FrozenSet[str]
    """Of the sentences that advisor itself puts into a profile."""
    variables: FrozenSet[str]
    """Names of settings that rules and intents know."""
    keys: FrozenSet[str]
    """Names of facts."""


@lru_cache(maxsize=1)
def words() -> Words:
    """The words of this installation."""
    rules = "\n".join(_read(resource_paths.rules(), "*.toml"))
    launchers = _COMMENT.sub("", launcher_names.FILE.read_text(encoding="utf-8"))
    rooms = "\n".join(
        text
        for room in ("intake", "probing", "analysis", "launching")
        for text in _read(_PACKAGE / room, "*.py")
    )
    collectors = "\n".join(
        (
            *_read(resource_paths.collectors(), "*.[ch]"),
            *_read(resource_paths.collectors() / "standard", "*.txt"),
        )
    )
    variables = frozenset(_VARIABLE.findall(rules)) | known.SCHEDULERS
    values = _parts(
        "\n".join((*_QUOTED.findall(rules), *variables, launchers, known.WORDS, *known.PROGRAMS))
    )
    prose = values | _parts("\n".join((rules, rooms, collectors)))
    return Words(values, prose, variables, frozenset(_CONSTANT.findall(rooms + collectors)))


def is_number(part: str) -> bool:
    """Whether a part says a number, a size, a version or a single letter, and no name."""
    return _NUMBER.fullmatch(part) is not None


def _parts(text: str) -> FrozenSet[str]:
    return frozenset(part.lower() for part in PART.findall(text))


def _read(folder: Path, pattern: str) -> Iterator[str]:
    # The evidence of rules names clusters and their people.
    for file in sorted(file for file in folder.rglob(pattern) if file.parent.name != "evidence"):
        yield file.read_text(encoding="utf-8", errors="replace")
