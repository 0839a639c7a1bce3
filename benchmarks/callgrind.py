"""Instructions that one library executed itself, from a file of callgrind. The same in every run,
whatever else the machine does."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Dict, List


def own_instructions(file: Path, library: str) -> int:
    """Sum over the functions of `library`, what they called left out.

    Lines of costs belong to the object of the last `ob=`; the one after `calls=` is what the called
    function cost."""
    names: Dict[str, str] = {}
    total, inside, called = 0, False, False
    for line in file.read_text(errors="replace").splitlines():
        match = re.match(r"ob=\((\d+)\)(?: (.*))?$", line)
        if match:
            names.setdefault(match.group(1), match.group(2) or "")
            inside = names[match.group(1)] == library
        elif line.startswith("cob=("):
            place, _, name = line[5:].partition(")")
            names.setdefault(place, name.strip())
        elif line.startswith("calls="):
            called = True
        elif re.match(r"[\d+*-]", line):
            total += 0 if called or not inside else int(line.split()[1])
            called = False
    return total


def within_functions(file: Path, prefix: str) -> Dict[str, int]:
    """{rest of the name: instructions} of the functions whose names begin with `prefix`, with all
    that they called."""
    names: Dict[str, str] = {}
    found: Dict[str, int] = {}
    inside = ""
    for line in file.read_text(errors="replace").splitlines():
        match = re.match(r"c?fn=\((\d+)\)(?: (.*))?$", line)
        if match:
            name = names.setdefault(match.group(1), match.group(2) or "")
            inside = (
                inside
                if line.startswith("c")
                else name[len(prefix) :]
                if name.startswith(prefix)
                else ""
            )
        elif inside and re.match(r"[\d+*-]", line):
            found[inside] = found.get(inside, 0) + int(line.split()[1])
    return found


def count(words: List[str], environment: Dict[str, str], turns: int, out: Path) -> Path:
    """Run a program that takes `-n turns`; the file with what it executed."""
    line = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", *words, "-n", str(turns)]
    subprocess.run(
        line,
        env=environment,
        cwd=out.parent,
        capture_output=True,
        text=True,
        timeout=600,
        check=True,
    )
    return out


def own_instructions_per_call(
    words: List[str], environment: Dict[str, str], library: str, few: int, many: int, out: Path
) -> float:
    """Of one turn, in the library itself: the difference of two runs, so that start and end do not
    count."""
    counts = [
        own_instructions(count(words, environment, turns, out), library) for turns in (few, many)
    ]
    return (counts[1] - counts[0]) / (many - few)
