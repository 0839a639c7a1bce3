"""An OTF2 archive of what `run --trace` recorded: for `run` at its end, and for `export`."""

from __future__ import annotations

from pathlib import Path
from typing import Callable, List

from advisor.cli.progress import Progress
from advisor.intake import read
from advisor.intake.otf2 import writing
from advisor.launching.run import tracing
from advisor.model.errors import UserError


def write(result: Path, say: Callable[[str], None]) -> None:
    """Write it, and say where it lies and what is missing in it. Raises UserError."""
    events, folder = tracing.left(result), result / tracing.FOLDER
    if not events:
        there = (folder / "traces.otf2").exists()
        raise UserError(
            f"{result} holds"
            f" {'its trace already: ' + str(folder / 'traces.otf2') if there else 'no trace'}.",
            do="" if there else "Record one: advisor run --trace -- …",
        )
    with Progress("writing the trace"):
        made = writing.write(result, folder, events, _sites(result))
    say(
        f"trace: {made.anchor}, {made.records} records of {made.ranks}"
        f" {'rank' if made.ranks == 1 else 'ranks'}"
    )
    for sentence in made.missing:
        say(f"trace: {sentence}")


def _sites(result: Path) -> List[writing.Site]:
    """What the profile of the same run has found out about its calls; nothing if there is none."""
    try:
        table = read(str(result)).tables.get("sites", {})
    except UserError:
        return []
    if "line" not in table:
        return []
    rows = zip(*(table[name].tolist() for name in ("module", "offset", "function", "file", "line")))
    return sorted({writing.Site(*row) for row in rows if row[3]})
