"""COSTS.md: what profilers cost, as tables made from the lines of costs.jsonl."""

from __future__ import annotations

import textwrap
from pathlib import Path
from statistics import median
from typing import Any, Dict, List, Optional, Sequence, Tuple

import result_lines
from applications import interval

OURS, SYSTEM_CLOCK = "advisor", "advisor, system clock"
PEERS = ("IPM", "TALP", "mpiP without stacks", "mpiP")
COLUMNS = (OURS, SYSTEM_CLOCK, *PEERS)
WITHOUT_CLOCK = (OURS, *PEERS)
WITH_APPLICATIONS = (OURS, "IPM", "TALP", "mpiP")
LIBRARIES = ("ompi4", "ompi5", "mpich4", "mpich5", "impi")
CIRCUMSTANCES = ("part", "library", "run", "processor", "cores", "state", "load", "profiler")
MOST_SHARE = 0.005
"""The goal for whole applications."""
TITLES = {
    "allreduce": "Allreduce, 8 B",
    "bcast": "Bcast, 8 B",
    "barrier": "Barrier",
    "isir": "Irecv, Isend, Waitall, each",
    "sendrecv": "Sendrecv, 8 B",
    "iprobe": "Iprobe, nothing there",
    "testnull": "Test of a null request",
    "putfence": "Put, Win_fence, each",
    "lock": "Win_lock, Win_unlock, each",
    "allreduce64k": "Allreduce, 64 KiB",
    "sendrecv64k": "Sendrecv, 64 KiB",
    "dup": "Comm_dup, Comm_free, each",
}
EXPENSIVE = ("allreduce64k", "sendrecv64k", "dup")
"""Calls that no goal holds for."""
ENDS = {
    "finalize_ms": "MPI_Finalize, ms",
    "ended_ms": "from MPI_Finalize to the end of the processes, ms",
    "pss_kib": "memory of a rank, proportional, KiB",
    "rss_kib": "memory of a rank, resident, KiB",
    "peak_kib": "peak memory of a rank, KiB",
    "output_bytes": "output of the job, bytes",
}
CALLS = {
    "hot": ("ns per call", COLUMNS, 1, 35),
    "cold": ("ns per call", COLUMNS, 0, 200),
    "instructions": ("instructions per call", WITHOUT_CLOCK, 0, 170),
    "together": ("ns per call", COLUMNS, 0, None),
}
"""Part → unit, profilers, digits of the bare value, and the goal."""
SHORT = (
    ("hot", "ns", ("allreduce", "bcast", "barrier", "isir", "sendrecv", "testnull")),
    ("cold", "ns, caches cold", ("allreduce", "sendrecv")),
    ("instructions", "instructions", ("allreduce",)),
)
Line = Dict[str, Any]
Rows = Dict[str, Dict[str, List[float]]]
"""{row: {profiler: value of each round}}"""
Range = Tuple[float, float, float]


def series(line: Line) -> Tuple[str, ...]:
    """What is measured together: of applications each with each profiler, of other parts all under
    a library."""
    return (
        line["part"],
        line["library"],
        *((line["row"], line["profiler"]) if line["part"] in ("applications", "turns") else ()),
    )


def read(file: Path) -> List[Line]:
    """Of each series the lines of its latest run."""
    lines = result_lines.read(file, CIRCUMSTANCES)
    latest = {series(line): line["run"] for line in lines}
    return [line for line in lines if line["run"] == latest[series(line)]]


def rows(
    lines: Sequence[Line], part: str, library: Optional[str] = None, ranks: Optional[int] = None
) -> Rows:
    """What was measured of one part."""
    found: Rows = {}
    for line in lines:
        if (
            line["part"] == part
            and "values" in line
            and library in (None, line["library"])
            and ranks in (None, line.get("ranks"))
        ):
            found.setdefault(line["row"], {})[line["profiler"]] = line["values"]
    return found


def added(row: Dict[str, List[float]], profiler: str) -> Optional[Range]:
    """Median, least and most over the rounds of what it takes more than the bare run of the same
    round."""
    differences = [
        with_it - bare for bare, with_it in zip(row.get("bare", []), row.get(profiler, []))
    ]
    return (median(differences), min(differences), max(differences)) if differences else None


def unseen(lines: Sequence[Line]) -> List[Tuple[str, str]]:
    """(profiler, operation) where no instruction is added: it does not wrap that call."""
    return [
        (name, row)
        for row, values in rows(lines, "instructions").items()
        for name in values
        if name != "bare" and (added(values, name) or (9, 9, 9))[0] < 1
    ]


def cell(found: Optional[Range], digits: int = 0, scatter: bool = True) -> str:
    """+18 [17, 20]"""
    if found is None:
        return "gap"
    middle, least, most = (f"{value:+.{digits}f}".replace("-", "\u2212") for value in found)
    return f"{middle} [{least}, {most}]" if scatter and least != most else middle


def percent(values: Range) -> str:
    """+0.21 % [−0.10, +0.52]"""
    low, mean, high = (f"{100 * value:+.2f}".replace("-", "\u2212") for value in values)
    return f"{mean} % [{low}, {high}]"


def standing(ours: Range, theirs: Range) -> str:
    """ahead, behind, or level: the ranges over the rounds overlap."""
    return "ahead" if ours[2] < theirs[1] else "behind" if ours[1] > theirs[2] else "level"


def standings(measured: Rows, blind: Sequence[Tuple[str, str]]) -> str:
    """How we stand against each peer that sees the calls."""
    places: Dict[str, List[str]] = {"ahead": [], "level": [], "behind": []}
    for name, row in measured.items():
        ours = added(row, OURS)
        for peer in PEERS:
            theirs = added(row, peer)
            if ours and theirs and (peer, name) not in blind:
                places[standing(ours, theirs)].append(f"{TITLES.get(name, name)} ({peer})")
    return (
        f"advisor is ahead of the other profilers in {len(places['ahead'])} of"
        f" {sum(map(len, places.values()))} cells, level (the ranges overlap) in"
        f" {len(places['level'])}, behind in {len(places['behind'])}"
        f"{': ' * bool(places['behind'])}{'; '.join(places['behind'])}."
    )


def goal(measured: Rows, most: float, unit: str) -> str:
    """Whether we stay below what we want to."""
    known = {
        name: value[0]
        for name, row in measured.items()
        if name not in EXPENSIVE and (value := added(row, OURS))
    }
    above = [f"{TITLES[name]} ({value:+.0f})" for name, value in known.items() if value > most]
    return (
        f" The goal, at most {most} {unit}, is met in {len(known) - len(above)} of"
        f" {len(known)} rows{'; not in: ' * bool(above)}{'; '.join(above)}."
        if known
        else ""
    )


def table(
    first: str,
    measured: Rows,
    columns: Sequence[str],
    blind: Sequence[Tuple[str, str]] = (),
    digits: int = 0,
) -> List[str]:
    """Rows down, profilers across; the bare value in front."""
    lines = headed(first, "bare", *columns)
    for name, row in measured.items():
        if "bare" in row:
            places = 1 if ", ms" in name else digits
            cells = [
                "not seen" if (each, name) in blind else cell(added(row, each), places)
                for each in columns
            ]
            lines.append(_row(TITLES.get(name, name), f"{median(row['bare']):.{places}f}", *cells))
    return lines


def headed(*columns: str) -> List[str]:
    return [_row(*columns), "|" + "---|" * len(columns)]


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def reported(lines: Sequence[Line], part: str) -> str:
    """The circumstances of a part."""
    own = [line for line in lines if line["part"] == part]
    if not own:
        return "Not measured yet."
    rounds = max((len(line["values"]) for line in own if "values" in line), default=0)
    return (
        f"{own[0]['run'][:10]}, {own[0]['processor']}, {own[0]['cores']} cores, load"
        f" {own[0]['load']} at the start, state {own[0]['state']}"
        + (f", {rounds} rounds." if rounds > 1 else ".")
    )


def told(lines: Sequence[Line], part: str, *texts: str) -> List[str]:
    """The circumstances of a part, what could not be measured, and what follows from the rest."""
    failed = {
        f"- gap: {line['profiler']}{', ' + line['row'] if 'row' in line else ''}:"
        f" {line['failed']}".replace("\n", " ")
        for line in lines
        if line["part"] == part and "failed" in line
    }
    return [
        *spaced(reported(lines, part)),
        *sorted(failed),
        *[""] * bool(failed),
        *spaced(*texts),
    ]


def spaced(*texts: str) -> List[str]:
    """Paragraphs, each with an empty line behind it."""
    return [
        line
        for text in texts
        for line in (
            textwrap.fill(text, 100, break_long_words=False, break_on_hyphens=False),
            "",
        )
    ]


def calls_section(lines: Sequence[Line], part: str) -> List[str]:
    """A part of callcost.py."""
    unit, columns, digits, most = CALLS[part]
    found, blind = rows(lines, part), unseen(lines)
    measured = {name: found[name] for name in TITLES if name in found}
    compared = standings(measured, blind) + (goal(measured, most, unit.split()[0]) if most else "")
    return [
        *told(lines, part, *[compared] * bool(measured)),
        *(table(unit, measured, columns, blind, digits) if measured else []),
    ]


def end_section(lines: Sequence[Line]) -> List[str]:
    """finalize.py's."""
    parts = told(lines, "end")
    for ranks in (2, 4):
        found = rows(lines, "end", None, ranks)
        measured = {f"{ENDS[name]}, {ranks} ranks": found[name] for name in ENDS if name in found}
        blind = [("IPM", title) for title in measured if title.startswith("MPI_Finalize")]
        if measured:
            parts += spaced(standings(measured, blind))
            parts += [*table("added", measured, WITHOUT_CLOCK), ""]
    return parts


def around_section(lines: Sequence[Line]) -> List[str]:
    """around.py's."""
    parts = []
    for library in dict.fromkeys(line["library"] for line in lines if line["part"] == "around"):
        own = [line for line in lines if line["library"] == library]
        parts += [
            f"{library}: {reported(own, 'around')}",
            "",
            *table("added", rows(own, "around"), [OURS], digits=2),
            "",
        ]
    return parts


def others_section(lines: Sequence[Line]) -> List[str]:
    """Ours under each library."""
    found = {name: rows(lines, "hot", name) or rows(lines, "others", name) for name in LIBRARIES}
    libraries = [name for name in LIBRARIES if found[name]]
    body = [
        _row(
            title,
            *(
                f"{cell(added(found[name][operation], OURS))}"
                f" ({median(found[name][operation]['bare']):.0f})"
                if operation in found[name]
                else "gap"
                for name in libraries
            ),
        )
        for operation, title in TITLES.items()
    ]
    return [
        *told(lines, "others"),
        *(headed("ns per call", *libraries) + body if libraries else []),
    ]


def verdict(low: float, high: float) -> str:
    """What an interval says about MOST_SHARE."""
    return (
        "shown"
        if high < MOST_SHARE
        else "not so"
        if low > MOST_SHARE
        else "not shown: the interval is wider"
    )


def application_rows(lines: Sequence[Line], part: str) -> List[Tuple[str, str, List[Line]]]:
    """(application, profiler, pairs), two at least."""
    found: Dict[Tuple[str, str], List[Line]] = {}
    for line in lines:
        if line["part"] == part and "with" in line:
            found.setdefault((line["row"], line["profiler"]), []).append(line)
    return [(*key, pairs) for key, pairs in found.items() if len(pairs) > 1]


def of_pairs(pairs: Sequence[Line], what: str) -> Range:
    """The interval of one of the times."""
    return interval([(line["bare"][what], line["with"][what]) for line in pairs])


def estimate(pairs: Sequence[Line]) -> str:
    """What the collector says of itself."""
    known = [line["with"]["estimated"] for line in pairs if line["with"]["estimated"] is not None]
    return f"{100 * median(known):.2f} %" if known else ""


def application_section(lines: Sequence[Line]) -> List[str]:
    """applications.py's."""
    body = []
    for name, profiler, pairs in application_rows(lines, "applications"):
        wall, own, processor = (of_pairs(pairs, what) for what in ("wall", "own", "processor"))
        body.append(
            _row(
                name,
                profiler,
                str(len(pairs)),
                f"{median(line['bare']['wall'] for line in pairs):.2f}",
                *map(percent, (wall, own, processor)),
                estimate(pairs),
                verdict(wall[0], wall[2]) if profiler == OURS else "",
            )
        )
    head = "program;profiler;pairs;bare, s;command;own time;CPU time;estimate;below 0.5 %"
    return [
        *told(lines, "applications"),
        *(headed(*head.split(";")) + body if body else []),
    ]


def turns_section(lines: Sequence[Line]) -> List[str]:
    """interleaved.py's."""
    body = []
    for name, _, pairs in application_rows(lines, "turns"):
        found = of_pairs(pairs, "processor")
        bare = median(line["bare"]["processor"] for line in pairs)
        judged = verdict(found[0], found[2])
        body.append(
            _row(name, str(len(pairs)), f"{bare:.1f}", percent(found), estimate(pairs), judged)
        )
    head = headed("program", "pairs", "bare, s of CPU time", "added", "estimate", "below 0.5 %")
    return [
        *told(lines, "turns"),
        *(head + body if body else []),
    ]


def short_rows(lines: Sequence[Line]) -> List[str]:
    """Calls, the end, applications."""
    blind, body = unseen(lines), []
    for part, unit, names in SHORT:
        measured = rows(lines, part)
        for name in (name for name in names if name in measured):
            cells = [
                "not seen" if (each, name) in blind else cell(added(measured[name], each), 0, False)
                for each in WITHOUT_CLOCK
            ]
            body.append(_row(f"{TITLES[name]}, {unit}", *cells))
    measured = rows(lines, "end", None, 2)
    for name, digits in (("ended_ms", 1), ("pss_kib", 0)):
        if name in measured:
            cells = [cell(added(measured[name], each), digits, False) for each in WITHOUT_CLOCK]
            body.append(_row(f"{ENDS[name]}, 2 ranks", *cells))
    for part, what, title in (
        ("applications", "wall", "the whole command"),
        ("turns", "processor", "CPU time, in turns"),
    ):
        known = {
            (name, profiler): percent(of_pairs(pairs, what))
            for name, profiler, pairs in application_rows(lines, part)
        }
        for name in dict.fromkeys(name for name, _ in known):
            cells = [
                known.get((name, each), "gap" if each in WITH_APPLICATIONS else "")
                for each in WITHOUT_CLOCK
            ]
            body.append(_row(f"`{name}`, 2 ranks, {title}", *cells))
    return body


def short(lines: Sequence[Line]) -> str:
    """The rows that are asked for most, of all parts."""
    return "\n".join([*headed("added", *WITHOUT_CLOCK), *short_rows(lines)])


SECTIONS = {
    "end": end_section,
    "around": around_section,
    "applications": application_section,
    "turns": turns_section,
    "others": others_section,
}


def parts(lines: Sequence[Line]) -> Dict[str, str]:
    """What COSTS.md says of each part of the measurements."""
    made = {part: calls_section(lines, part) for part in CALLS}
    made.update((part, section(lines)) for part, section in SECTIONS.items())
    return {"short": short(lines), **{part: "\n".join(made[part]).rstrip() for part in made}}


def write(file: Path) -> str:
    """Write the tables of the page beside `file`, which keeps what they show; what was written."""
    lines, made = read(file), file.with_name("COSTS.md")
    result_lines.write(file, list(map(result_lines.rounded, lines)), CIRCUMSTANCES)
    result_lines.put(made, parts(lines))
    return f"{made}: {len(lines)} lines"
