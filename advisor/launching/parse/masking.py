"""Masks words of a command line that look like secrets before they are written into a result.

What looks like one: the value of a name that says so (--token=…, DB_PASSWORD=…, `--password VALUE`,
`Authorization: …`), the user of a URL, a token in one of the forms that large services use, and
whatever an environment variable with such a name holds. A secret that nothing marks as one cannot
be told from an argument.
"""

from __future__ import annotations

import re
from typing import List, Mapping, Sequence, Tuple

MASK = "***"
_MARKS = r"passw(?:or)?d|passphrase|passcode|passwd|secret|token|api[-_]?key|access[-_]?key|private[-_]?key|credential|auth|jwt|cookie|bearer|signature"
# Bounded, since such a pattern is tried again at each place of a long word.
_NAME = rf"(?:[\w.-]{{0,64}}(?:{_MARKS})[\w.-]{{0,64}}|(?:[\w.-]{{0,64}}[_.-])?(?:key|pwd|pat|sig))"
_SECRET_NAME = re.compile(rf"^-{{0,2}}{_NAME}$", re.IGNORECASE)
_VALUE = r"(?:'[^']*'|\"[^\"]*\"|[^\s,;&]+)"
_ASSIGNED = re.compile(
    rf"((?:^|[\s,;&?=\"'{{(])-{{0,2}}{_NAME}[\"']?\s{{0,8}}[=:]\s{{0,8}}){_VALUE}", re.IGNORECASE
)
_SPOKEN = re.compile(rf"((?:^|\s)--?{_NAME}\s{{1,8}})(?!-){_VALUE}", re.IGNORECASE)
_HEADER = re.compile(
    r"((?:authorization|cookie)[\"']?\s{0,8}:\s{0,8}).*", re.IGNORECASE | re.DOTALL
)
_URL = re.compile(r"([a-z][a-z0-9+.-]{0,20}://[^/\s:@]{0,256}:)\S+(@)", re.IGNORECASE)
_URL_USER = re.compile(r"((?:https?|ftps?)://)[^/\s:@]{1,256}(@)", re.IGNORECASE)
_TOKEN = re.compile(
    r"\b(?:eyJ[\w-]{10,}\.[\w.-]+|(?:AKIA|ASIA)[A-Z0-9]{16}|gh[pousr]_\w{16,}|github_pat_\w{16,}|glpat-[\w-]{16,}|xox[abprs]-[\w-]{10,}|hvs\.[\w-]{16,})"
)
_SHORTEST = 6
"""Letters of a variable's value that is looked for: "yes" or "1" is no secret."""


def mask(words: Sequence[str], environment: Mapping[str, str] = {}) -> Tuple[str, ...]:
    """The same words with *** in place of what looks like a secret. `environment`: in which the
    shell may have replaced $NAME."""
    masked: List[str] = []
    known = _secrets(environment)
    for position, word in enumerate(words):
        before = words[position - 1] if position else ""
        if (
            _SECRET_NAME.match(before)
            and not word.startswith("-")
            and (before.startswith("-") or _names_variable(words, position))
        ):
            masked.append(MASK)
        else:
            masked.append(_within(word, known))
    return tuple(masked)


def _secrets(environment: Mapping[str, str]) -> List[str]:
    """What variables with telling names hold; the longest first, since one may be part of
    another."""
    values = {
        value for name, value in environment.items() if _SECRET_NAME.match(name) and _is_one(value)
    }
    return sorted(values, key=len, reverse=True)


def _is_one(value: str) -> bool:
    # SSH_AUTH_SOCK and the like hold a path, others a number or a switch.
    return (
        len(value) >= _SHORTEST and not value.startswith(("/", "./", "~")) and not value.isdigit()
    )


def _within(word: str, known: Sequence[str]) -> str:
    for value in known:
        word = word.replace(value, MASK)
    for pattern, masked in (
        (_HEADER, rf"\1{MASK}"),
        (_URL, rf"\1{MASK}\2"),
        (_URL_USER, rf"\1{MASK}\2"),
        (_ASSIGNED, rf"\1{MASK}"),
        (_SPOKEN, rf"\1{MASK}"),
        (_TOKEN, MASK),
    ):
        word = pattern.sub(masked, word)
    return word


def _names_variable(words: Sequence[str], position: int) -> bool:
    """Whether the word before is a name behind an option of a launcher that takes name and value as
    two words."""
    return position > 1 and words[position - 2].lstrip("-") in (
        "genv",
        "env",
        "mca",
        "gmca",
        "prtemca",
        "pmixmca",
    )
