"""What files take that claim more than they hold: the table HOSTILE.md, of each file of
tests/fuzz/hostile.py at its largest.

    python benchmarks/hostile.py [MEGABYTES] [NAME]

Every file goes through `advisor report`; a few through all commands. Memory is the peak of the
process, with Python and all modules.
"""

from __future__ import annotations

import platform
import sys
import tempfile
from pathlib import Path
from typing import Iterator, List, Tuple

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from tests.fuzz.bounded import (
    BYTES_OF_A_BYTE,
    CPU_SECONDS,
    FIXED_BYTES,
    Outcome,
    Runner,
    allowed,
)  # noqa: E402
from tests.fuzz.hostile import FILES  # noqa: E402

MEGABYTES = 20
EVERYWHERE = (
    "profile expecting two billion ranks",
    "profile with many settings",
    "profile with many ranks each on a host",
    "profile with the most hosts that are read",
    "profile with one long name",
)
COMMANDS = (
    ("report", "--format", "html", "-o", "/dev/null"),
    ("report", "--format", "json"),
    ("report", "--format", "markdown"),
    ("show",),
    ("compare",),
    ("export", "--format", "openmetrics"),
    ("export", "--format", "chrome"),
)
HEAD = f"""# What hostile files take

`benchmarks/hostile.py` writes this page. advisor promises to read a file of n bytes, or to refuse
it in one sentence, within {CPU_SECONDS} s of CPU time and {BYTES_OF_A_BYTE} n + {FIXED_BYTES >> 20} MiB of memory.
`tests/fuzz/test_bounds.py` holds that promise with smaller files of the same kinds.

"""
SHOWN = 0.4
"""Of what is allowed, of either: the page shows what takes more."""


def rows(name: str, size: int, runner: Runner, folder: str) -> Iterator[Tuple[str, bool]]:
    """A row of the table for each command, and whether the page shows it."""
    path = Path(folder, "file")
    path.write_bytes(FILES[name](size))
    for words in (("report",), *(COMMANDS if name in EVERYWHERE else ())):
        more = [str(path)] if words[0] == "compare" else []
        outcome = runner.run([words[0], str(path), *more, *words[1:]])
        length = path.stat().st_size
        command = " ".join(word for word in words if not word.startswith(("-", "/")))
        near = max(outcome.cpu / CPU_SECONDS, outcome.peak / allowed(length)) > SHOWN
        yield row(name, command, length, outcome), near or not outcome.kept


def row(name: str, command: str, size: int, outcome: Outcome) -> str:
    """One line of the table."""
    broken = (
        ""
        if outcome.kept and outcome.cpu <= CPU_SECONDS and outcome.peak <= allowed(size)
        else "**broken** "
    )
    how = (
        "read"
        if outcome.code in (0, 1)
        else "refused"
        if outcome.code == 2
        else f"ended with {outcome.code}"
    )
    return (
        f"| {name} | {command} | {size:,} | {broken}{how} | {outcome.peak >> 20} |"
        f" {allowed(size) >> 20} | {outcome.cpu:.1f} |"
    )


def main(megabytes: float, part: str) -> None:
    """Print the table; keep it if it is of all files."""
    table: List[str] = [
        "| file | command | bytes | outcome | peak, MiB | allowed, MiB | CPU, s |",
        "|---|---|---|---|---|---|---|",
    ]
    measured = 0
    with tempfile.TemporaryDirectory() as folder, Runner() as runner:
        for name in (name for name in FILES if part in name):
            for line, shown in rows(name, int(megabytes * 1e6), runner, folder):
                measured += 1
                table += [line] * shown
                print(line, flush=True)
    if not part:
        (HERE / "HOSTILE.md").write_text(
            f"{HEAD}Files of at most {megabytes:g} MB; Python {platform.python_version()},"
            f" {platform.machine()}. Of {measured} rows the table has those with more than"
            f" {SHOWN:.0%} of either.\n\n" + "\n".join(table) + "\n"
        )


if __name__ == "__main__":
    main(
        float(sys.argv[1]) if len(sys.argv) > 1 else MEGABYTES,
        sys.argv[2] if len(sys.argv) > 2 else "",
    )
