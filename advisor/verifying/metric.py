"""What is timed: the wall clock of the whole command, or times that the program prints."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Optional

from advisor.model.errors import UserError
from advisor.verifying.seconds import seconds_of

WALL_CLOCK = "wall clock"
PRESETS = {
    # VASP prints one line for each ionic step, LAMMPS one for each run: the sum is the work that both sides have in common.
    "vasp": ("OUTCAR", r"LOOP\+:\s+cpu time\s+[\d.]+:\s+real time\s+([\d.]+)"),
    "qe": ("", r"(?m)^\s*PWSCF\s*:.*CPU\s+(\S.*?)\s*WALL"),
    "lammps": ("", r"Loop time of ([\d.eE+-]+)"),
}
_LARGEST = 64 << 20
"""Bytes of a file that are read, from its end."""


@dataclass(frozen=True)
class Metric:
    """`pattern` None: the wall clock. `file`: where it is looked for, from the working directory; empty: in the output of the command."""

    name: str = WALL_CLOCK
    file: str = ""
    pattern: Optional["re.Pattern[str]"] = None


def metric(text: str, directory: Path) -> Metric:
    """From a name of PRESETS, REGEX or FILE:REGEX. The part before a colon is a file if it is there, or has a slash or a dot.

    Raises UserError if it is no regular expression with one group.
    """
    if not text:
        return Metric()
    file, pattern = PRESETS.get(text) or _apart(text, directory)
    try:
        compiled = re.compile(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        raise UserError(f"--metric {text} is not a regular expression: {error}.") from None
    if compiled.groups != 1:
        raise UserError(f"--metric {text} has {compiled.groups} groups.", do="Put parentheses around the time, and only there: 'Loop time of ([0-9.]+)'")
    return Metric(text, file, compiled)


def value(wanted: Metric, output: Path, directory: Path, began: float) -> Optional[float]:
    """The time in seconds, the sum if it is printed more than once; None if it is not there. `began`: files older than this are of another run."""
    place = directory / wanted.file if wanted.file else output
    try:
        if wanted.file and place.stat().st_mtime < began - 2:  # Some file systems keep even seconds only.
            return None
        text = _end_of(place)
    except OSError:
        return None
    times = [seconds_of(found) for found in wanted.pattern.findall(text)]
    return sum(times) if times and None not in times else None


def _apart(text: str, directory: Path):
    file, colon, pattern = text.partition(":")
    names_file = colon and "(" not in file and ("/" in file or "." in file or (directory / file).is_file())
    return (file, pattern) if names_file else ("", text)


def _end_of(place: Path) -> str:
    with open(place, "rb") as file:
        size = file.seek(0, 2)
        file.seek(max(0, size - _LARGEST))
        return file.read().decode("utf-8", "replace")
