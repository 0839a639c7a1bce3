"""Places by the addr2line of binutils, which reads large programs faster than Python can."""

from __future__ import annotations

import resource
import subprocess
import time
from typing import List, Sequence

from advisor.base import external_programs
from advisor.intake.symbols.source_location import Place, readable

_MOST_MEMORY = 4 << 30
_UNKNOWN = "?"


def places(module: str, addresses: Sequence[int], deadline: float) -> List[Place]:
    """A place for each address, or [] if the tool is not there, fails, or finds nothing at all."""
    tool = external_programs.which("addr2line")
    seconds = deadline - time.monotonic()
    if tool is None or seconds <= 0:
        return []
    try:
        done = subprocess.run(
            [tool, "-f", "-C", "-e", module],
            input="".join(f"{address:#x}\n" for address in addresses),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=seconds,
            encoding="utf-8",
            errors="replace",
            preexec_fn=_limit_memory,
        )
    except (OSError, subprocess.SubprocessError):
        return []
    lines = done.stdout.splitlines()
    if done.returncode or len(lines) != 2 * len(addresses):
        return []
    found = [_place(*pair) for pair in zip(lines[::2], lines[1::2])]
    return found if any(place.function or place.line for place in found) else []


def _place(function: str, where: str) -> Place:
    # "heat.c:12 (discriminator 3)", "??:0", "heat.c:?"
    file, _, line = where.split(" (")[0].rpartition(":")
    known = not file.startswith(_UNKNOWN)
    name = "" if function.startswith(_UNKNOWN) else readable(function.split("(")[0])
    return Place(name, file if known else "", int(line) if known and line.isdigit() else 0)


def _limit_memory() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (_MOST_MEMORY, _MOST_MEMORY))
