"""What is timed: the wall clock of the whole command, or times that the program prints, or rates,
which count by their inverse."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Optional

from advisor.model.errors import UserError
from advisor.verifying.seconds import number_of, seconds_of

WALL_CLOCK = "wall clock"
PRESETS = {
    # VASP prints one line for each ionic step, LAMMPS one for each run: the sum is the work that
    # both sides have in common.
    "vasp": ("OUTCAR", r"LOOP\+:\s+cpu time\s+[\d.]+:\s+real time\s+([\d.]+)"),
    "qe": ("", r"(?m)^\s*PWSCF\s*:.*CPU\s+(\S.*?)\s*WALL"),
    "lammps": ("", r"Loop time of ([\d.eE+-]+)"),
    "gromacs": ("md.log", r"(?m)^Performance:\s+([\d.]+)"),
}
RATES = ("gromacs",)
"""Presets that are ns/day, with the unit in another line."""
_RATE = re.compile(
    r"[ \t]*\(?(?:[\w.-]+ ?(?:/|per)"
    r" ?(?:s|sec|second|min|minute|h|hour|day)s?\b|[kKMGTPE]?flops\b)",
    re.IGNORECASE,
)
"""Units behind a number that grows when things get better: ns/day, GFLOP/s, steps per second,
Gflops. Not s/step."""
_LARGEST = 64 << 20
"""Bytes of a file that are read, from its end."""


@dataclass(frozen=True)
class Metric:
    """`pattern` None: the wall clock. `file`: where it is looked for, from the working directory;
    empty: in the output of the command."""

    name: str = WALL_CLOCK
    file: str = ""
    pattern: Optional["re.Pattern[str]"] = None
    grows: Optional[bool] = None
    """True: more is better. None: the unit behind the number says it."""


class Found(NamedTuple):
    """`seconds`: or seconds for a unit of work, if `inverse`: then a rate was printed."""

    seconds: float
    inverse: bool


def metric(text: str, directory: Path, grows: bool = False) -> Metric:
    """From a name of PRESETS, REGEX or FILE:REGEX. The part before a colon is a file if it is
    there, or has a slash or a dot.

    `grows`: said by the user; otherwise the preset or the unit says it.

    Raises UserError if it is no regular expression with one group.
    """
    if not text and grows:
        raise UserError(
            "--higher-is-better needs --metric: the wall clock is better if it is lower."
        )
    if not text:
        return Metric()
    file, pattern = PRESETS.get(text) or _apart(text, directory)
    try:
        compiled = re.compile(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        raise UserError(f"--metric {text} is not a regular expression: {error}.") from None
    if compiled.groups != 1:
        raise UserError(
            f"--metric {text} has {compiled.groups} groups.",
            do="Put parentheses around the time, and only there: 'Loop time of ([0-9.]+)'",
        )
    return Metric(text, file, compiled, True if grows or text in RATES else None)


def value(wanted: Metric, output: Path, directory: Path, began: float) -> Optional[Found]:
    """The time in seconds, the sum if it is printed more than once; None if it is not there.
    `began`: files older than this are of another run."""
    place = directory / wanted.file if wanted.file else output
    try:
        # Some file systems keep even seconds only.
        if wanted.file and place.stat().st_mtime < began - 2:
            return None
        text = _end_of(place)
    except OSError:
        return None
    found = [
        _found(wanted, each) for each in (wanted.pattern.finditer(text) if wanted.pattern else ())
    ]
    known = [each for each in found if each]
    # Each printed rate is taken to be of the same work, so that the times for it add up.
    return (
        Found(sum(each.seconds for each in known), known[0].inverse)
        if known and len(known) == len(found)
        else None
    )


def _found(wanted: Metric, match: "re.Match[str]") -> Optional[Found]:
    if match.group(1) is None:
        return None
    inverse = (
        bool(_RATE.match(match.string, match.end(1))) if wanted.grows is None else wanted.grows
    )
    number = number_of(match.group(1)) if inverse else seconds_of(match.group(1))
    return Found(1 / number if inverse else number, inverse) if number else None


def _apart(text: str, directory: Path):
    file, colon, pattern = text.partition(":")
    names_file = (
        colon and "(" not in file and ("/" in file or "." in file or (directory / file).is_file())
    )
    return (file, pattern) if names_file else ("", text)


def _end_of(place: Path) -> str:
    with open(place, "rb") as file:
        size = file.seek(0, 2)
        file.seek(max(0, size - _LARGEST))
        return file.read().decode("utf-8", "replace")
