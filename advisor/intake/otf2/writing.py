"""From the events that ranks kept (`run --trace`) to an OTF2 archive, by the program of
collectors/otf2/writer."""

from __future__ import annotations

import os
import re
import shutil
import struct
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Dict, List, NamedTuple, Sequence, Tuple

from advisor import __version__
from advisor.intake.otf2.archive import ANCHOR
from advisor.intake.otf2.program import program
from advisor.model.errors import UserError

_DRAFT, _SITES = ".draft", ".sites"
_PARTS = ("traces", "traces.def", ANCHOR)
"""Of an archive; the anchor file last, by which it is found."""
_AGAIN = "advisor export {} --format otf2"
_COUNTS, _COUNTS_AT, _EVENT = struct.Struct("<QQ"), 24, 32
"""Capacity and head in the header of an event file, and the size of an event
(collectors/tracing/layout.h)."""


class Site(NamedTuple):
    """A place in code that calls MPI: a return address in a file of code, and what it is in the
    source."""

    module: str
    offset: int
    function: str
    file: str
    line: int


@dataclass(frozen=True)
class Written:
    """An archive. `missing`: sentences on what is not in it."""

    anchor: Path
    ranks: int
    records: int
    missing: Tuple[str, ...]


def write(
    result: Path, folder: Path, events: Sequence[Path], sites: Sequence[Site] = ()
) -> Written:
    """Write the archive of the `events` of a result into `folder`, and remove them. Raises
    UserError; they stay then.

    `sites`: what is known of where calls are made, as the result's own profile has it."""
    draft, known, writer = folder / _DRAFT, folder / _SITES, _program(result, folder)
    try:
        _need_room(folder, events)
        shutil.rmtree(draft, ignore_errors=True)
        known.write_text(
            "".join(_line(site) for site in sites), encoding="utf-8", errors="surrogateescape"
        )
        done = subprocess.run(
            [str(writer), str(folder), str(draft), f"advisor {__version__}", str(known)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
        )
        lines = done.stdout.decode("utf-8", "replace").strip().splitlines()
        if done.returncode:
            raise _failed(
                folder,
                result,
                (
                    lines[-1]
                    if done.returncode == 1 and lines
                    else f"the program that writes it broke off ({done.returncode})"
                ),
            )
        numbers = _numbers(lines[-1])
        for part in _PARTS:
            os.replace(draft / part, folder / part)
    except OSError as error:
        raise _failed(folder, result, error.strerror or str(error)) from error
    finally:
        shutil.rmtree(draft, ignore_errors=True)
        known.unlink(missing_ok=True)
    for file in events:
        file.unlink()
    return Written(
        folder / ANCHOR,
        int(numbers["ranks"]),
        int(numbers["records"]),
        tuple(_missing(numbers, lines[:-1])),
    )


def _line(site: Site) -> str:
    """As collectors/otf2/writer/sites.c reads it."""
    return (
        "\t".join(
            re.sub(r"[\t\n]", "?", str(word))
            for word in (site.module, site.offset, site.line, site.function, site.file)
        )
        + "\n"
    )


def _program(result: Path, folder: Path) -> Path:
    try:
        return program("writer")
    except UserError as problem:
        raise UserError(
            problem.what,
            f"The events of the ranks are kept in {folder}.",
            "Then: " + _AGAIN.format(result),
        ) from problem


def _used(file: Path) -> int:
    """Bytes of events in a file, most of which may be reserved only."""
    with open(file, "rb") as opened:
        begin = opened.read(_COUNTS_AT + _COUNTS.size)
    capacity, given = (
        _COUNTS.unpack_from(begin, _COUNTS_AT)
        if len(begin) == _COUNTS_AT + _COUNTS.size
        else (0, 0)
    )
    return min(capacity * _EVENT, given * _EVENT, file.stat().st_size)


def _need_room(folder: Path, events: Sequence[Path]) -> None:
    """An archive takes about as much as the events that it is made of."""
    need, free = sum(_used(file) for file in events), shutil.disk_usage(folder).free
    if need > free:
        raise UserError(
            f"The trace was not written: it may take {need >> 20} MiB, and {folder} has"
            f" {free >> 20} MiB left.",
            "The events of the ranks are kept there.",
            "Make room, then: " + _AGAIN.format(folder.parent),
        )


def _numbers(line: str) -> Dict[str, float]:
    words = line.split()
    return {name: float(value) for name, value in zip(words[::2], words[1::2])}


def _missing(numbers: Dict[str, float], damaged: Sequence[str]) -> List[str]:
    """What is not there, in sentences. `damaged`: lines of the program on files that it could not
    use."""
    said = [
        line[len("damaged ") :].replace(": ", " was left out: ", 1)
        for line in damaged
        if line.startswith("damaged ")
    ]
    forms = (
        (
            "missing",
            (
                "{} of the ranks kept no events: there was no room for them, or they ended before"
                " MPI_Init"
            ),
        ),
        (
            "unfinished",
            "{} of the ranks did not come to MPI_Finalize: theirs end where they were stopped",
        ),
        (
            "overwritten",
            (
                "{} events did not fit: more with --trace=size=…, or a part of the run with first=,"
                " last= or region="
            ),
        ),
        ("torn", "{} events were cut off and left out"),
        ("senseless", "{} events or definitions contradict themselves and were left out"),
        (
            "unplaced",
            (
                "{} messages and collective calls are on communicators that are not known: only"
                " their times are there"
            ),
        ),
        ("definitions", "{} communicators or names found no room"),
        (
            "requests",
            "{} requests were more than could be followed at once: their messages are missing",
        ),
        (
            "clocks",
            "{} hosts have no common clock: their times agree as well as their times of day do",
        ),
    )
    clocks = numbers.get("clocks", 0)
    numbers = {**numbers, "clocks": clocks if clocks > 1 else 0}
    return said + [form.format(int(numbers[name])) for name, form in forms if numbers.get(name)]


def _failed(folder: Path, result: Path, reason: str) -> UserError:
    return UserError(
        f"The trace could not be written: {reason}.",
        f"The events of the ranks are kept in {folder}.",
        "To try again: " + _AGAIN.format(result),
    )
