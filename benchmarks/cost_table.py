"""Tables of what profilers cost: Markdown from the JSON lines, COSTS.md beside them."""

from __future__ import annotations

import json
from pathlib import Path
from statistics import median
from typing import Any, Dict, List, Optional, Sequence, Tuple

from applications import interval

HERE = Path(__file__).resolve().parent
OURS, SYSTEM_CLOCK = "advisor", "advisor, system clock"
COLUMNS = (OURS, SYSTEM_CLOCK, "IPM", "TALP", "mpiP without stacks", "mpiP")
PEERS = COLUMNS[2:]
WITH_APPLICATIONS = (OURS, "IPM", "TALP", "mpiP")
MOST_NANOSECONDS, MOST_INSTRUCTIONS, MOST_COLD, MOST_SHARE = 35.0, 170.0, 200.0, 0.005
"""What we want to stay below: a hot call with the processor's counter, its instructions, a cold
call, an application."""
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
DEAR = ("allreduce64k", "sendrecv64k", "dup")
ENDS = (
    ("finalize_ms", "MPI_Finalize, ms", 1),
    ("ended_ms", "from MPI_Finalize to the end of the processes, ms", 1),
    ("pss_kib", "memory of a rank, proportional, KiB", 0),
    ("rss_kib", "memory of a rank, resident, KiB", 0),
    ("peak_kib", "peak memory of a rank, KiB", 0),
    ("output_bytes", "output of the job, bytes", 0),
)
Line = Dict[str, Any]
Rows = Dict[str, Dict[str, List[float]]]
"""{row: {profiler: value of each round}}"""


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
    lines = (
        [json.loads(text) for text in file.read_text(encoding="utf-8").splitlines()]
        if file.exists()
        else []
    )
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


def added(row: Dict[str, List[float]], profiler: str) -> Optional[Tuple[float, float, float]]:
    """Median, least and most over the rounds of what it takes more than the bare run of the same
    round."""
    differences = [
        with_it - bare for bare, with_it in zip(row.get("bare", []), row.get(profiler, []))
    ]
    return (median(differences), min(differences), max(differences)) if differences else None


def unseen(lines: Sequence[Line]) -> List[Tuple[str, str]]:
    """(profiler, operation) where no instruction is added: it does not wrap that call."""
    counted = rows(lines, "instructions")
    return [
        (name, row)
        for row, values in counted.items()
        for name in values
        if name != "bare" and (added(values, name) or (9, 9, 9))[0] < 1
    ]


def cell(found: Optional[Tuple[float, float, float]], digits: int = 0, scatter: bool = True) -> str:
    """+18 [17, 20]"""
    if found is None:
        return "gap"
    middle, least, most = (f"{value:+.{digits}f}".replace("-", "\u2212") for value in found)
    return f"{middle} [{least}, {most}]" if scatter and least != most else middle


def standing(ours: Tuple[float, float, float], theirs: Tuple[float, float, float]) -> str:
    """ahead, behind, or level: the ranges over the rounds overlap."""
    return "ahead" if ours[2] < theirs[1] else "behind" if ours[1] > theirs[2] else "level"


def ahead(measured: Rows, names: Sequence[str], blind: Sequence[Tuple[str, str]]) -> str:
    """How we stand against each peer that sees the calls."""
    counts: Dict[str, List[str]] = {"ahead": [], "level": [], "behind": []}
    for name in names:
        ours = added(measured.get(name, {}), OURS)
        theirs = {
            each: added(measured.get(name, {}), each) for each in PEERS if (each, name) not in blind
        }
        for each, value in theirs.items():
            if ours is not None and value is not None:
                counts[standing(ours, value)].append(f"{TITLES.get(name, name)} ({each})")
    total = sum(map(len, counts.values()))
    details = "".join(
        f" {word.capitalize()}: {', '.join(counts[word])}."
        for word in ("level", "behind")
        if counts[word]
    )
    return (
        f"Of {total} comparisons with a peer: ahead in {len(counts['ahead'])}, level (the ranges"
        f" overlap) in {len(counts['level'])}, behind in {len(counts['behind'])}.{details}"
    )


def target(
    measured: Rows, names: Sequence[str], most: float, unit: str, profiler: str = OURS
) -> str:
    """Whether we stay below what we want to."""
    found = {name: added(measured.get(name, {}), profiler) for name in names}
    known = {name: value[0] for name, value in found.items() if value is not None}
    above = [f"{TITLES[name]} ({value:+.0f})" for name, value in known.items() if value > most]
    return (
        f"At most {most:.0f} {unit} wanted: {len(known) - len(above)} of {len(known)} rows."
        + (" Above: " + ", ".join(above) + "." if above else "")
        if known
        else ""
    )


def table(
    first: str,
    measured: Rows,
    names: Sequence[str],
    columns: Sequence[str],
    blind: Sequence[Tuple[str, str]] = (),
    digits: int = 0,
) -> List[str]:
    """Operations down, profilers across; the bare value in front."""
    lines = [
        f"| {first} | bare | " + " | ".join(columns) + " |",
        "|---|---|" + "---|" * len(columns),
    ]
    for name in names:
        row = measured.get(name, {})
        if "bare" in row:
            places = 1 if ", ms" in name else digits
            cells = [
                "not seen" if (each, name) in blind else cell(added(row, each), places)
                for each in columns
            ]
            lines.append(
                f"| {TITLES.get(name, name)} | {median(row['bare']):.{places}f} | "
                + " | ".join(cells)
                + " |"
            )
    return lines


def reported(lines: Sequence[Line], part: str) -> str:
    """The circumstances of a part."""
    one = next((line for line in lines if line["part"] == part), None)
    if one is None:
        return "Not measured yet."
    rounds = max(
        (len(line["values"]) for line in lines if line["part"] == part and "values" in line),
        default=0,
    )
    return (
        f"{one['run'][:10]}, {one['processor']}, {one['cores']} cores, load {one['load']} at the"
        f" start, state {one['state']}" + (f", {rounds} rounds." if rounds > 1 else ".")
    )


def failures(lines: Sequence[Line], part: str) -> List[str]:
    """What did not run, once each."""
    seen = {
        f"{line['profiler']}{', ' + line['row'] if 'row' in line else ''}: {line['failed']}"
        for line in lines
        if line["part"] == part and "failed" in line
    }
    return ["", *(f"- gap: {one}".replace("\n", " ") for one in sorted(seen))] if seen else []


def calls_section(
    lines: Sequence[Line], part: str, title: str, why: str, most: Optional[float], digits: int = 0
) -> List[str]:
    """A part of callcost.py."""
    measured, blind = rows(lines, part), unseen(lines)
    names = [name for name in TITLES if name in measured]
    cheap = [name for name in names if name not in DEAR]
    goals = [target(measured, cheap, most, "ns", OURS)] if most else []
    return [
        f"## {title}",
        "",
        why,
        reported(lines, part),
        "",
        *([ahead(measured, names, blind), *goals, ""] if measured else []),
        *(table("ns per call", measured, names, COLUMNS, blind, digits) if measured else []),
        *failures(lines, part),
        "",
    ]


def instructions_section(lines: Sequence[Line]) -> List[str]:
    """callgrind's."""
    measured, blind = rows(lines, "instructions"), unseen(lines)
    names = [name for name in TITLES if name in measured]
    columns = [name for name in COLUMNS if name != SYSTEM_CLOCK]
    goals = (
        [
            ahead(measured, names, blind),
            target(
                measured,
                [name for name in names if name not in DEAR],
                MOST_INSTRUCTIONS,
                "instructions",
            ),
            "",
        ]
        if measured
        else []
    )
    return [
        "## Instructions of a call",
        "",
        (
            "Added in the whole process, by callgrind, after the first 20 000 calls. Its clock is a"
            " system call, whose instructions in the kernel are not"
        ),
        (
            "counted: profilers that read the system's clock take more than this says. Calls of 64"
            " KiB last 1.2 to 1.9 ms there, and take our path of long calls. Locks and MPI_Comm_dup"
            " vary from run to run: 196 to 240 and 60 to 416 in four."
        ),
        reported(lines, "instructions"),
        "",
        *goals,
        *(table("instructions per call", measured, names, columns, blind) if measured else []),
        *failures(lines, "instructions"),
        "",
    ]


def end_section(lines: Sequence[Line]) -> List[str]:
    """finalize.py's."""
    parts = [
        "## The end of a job, memory and output",
        "",
        (
            "After 1000 reductions and a ring of 1000 messages. IPM leaves MPI_Finalize at once and"
            " finalizes when the process exits, which the second row shows."
        ),
        reported(lines, "end"),
        "",
    ]
    columns = [name for name in COLUMNS if name != SYSTEM_CLOCK]
    for ranks in (2, 4):
        measured = rows(lines, "end", None, ranks)
        if measured:
            titled = {
                f"{title}, {ranks} ranks": measured[name]
                for name, title, _ in ENDS
                if name in measured
            }
            parts += [
                ahead(
                    titled,
                    list(titled),
                    [("IPM", title) for title in titled if title.startswith("MPI_Finalize")],
                ),
                "",
                *table("added", titled, list(titled), columns),
                "",
            ]
    return [*parts, *failures(lines, "end"), ""]


def around_section(lines: Sequence[Line]) -> List[str]:
    """around.py's."""
    parts = [
        "## Around a job",
        "",
        (
            "By `benchmarks/around.py`, which runs as above; one rank. *First*: nothing is"
            " remembered of the library, the collector is there. *Again*: as all later runs."
            " Before the"
        ),
        (
            "program starts, and from its MPI_Finalize to the end of the command, with the report:"
            " 0.15 s and 0.5 s are wanted of later runs, on a quiet machine. Processor time is that"
            " of all processes."
        ),
        "",
    ]
    for library in dict.fromkeys(line["library"] for line in lines if line["part"] == "around"):
        own, measured = (
            [line for line in lines if line["library"] == library],
            rows(lines, "around", library),
        )
        parts += [
            f"{library}: {reported(own, 'around')}",
            "",
            *table("added", measured, list(measured), [OURS], digits=2),
            "",
        ]
    return parts


def others_section(lines: Sequence[Line]) -> List[str]:
    """Ours under each library."""
    libraries = [
        name
        for name in ("ompi4", "ompi5", "mpich4", "mpich5", "impi")
        if any(line["library"] == name and line["part"] in ("hot", "others") for line in lines)
    ]
    found = {
        name: rows(
            lines,
            (
                "hot"
                if any(line["library"] == name and line["part"] == "hot" for line in lines)
                else "others"
            ),
            name,
        )
        for name in libraries
    }
    body = []
    for operation, title in TITLES.items():
        cells = [
            (
                f"{cell(added(found[name].get(operation, {}), OURS))}"
                f" ({median(found[name][operation]['bare']):.0f})"
                if operation in found[name]
                else "gap"
            )
            for name in libraries
        ]
        body.append(f"| {title} | " + " | ".join(cells) + " |")
    head = ["| ns per call | " + " | ".join(libraries) + " |", "|---|" + "---|" * len(libraries)]
    return [
        "## Under each MPI library",
        "",
        "Hot; in brackets the bare call.",
        reported(lines, "others"),
        "",
        *(head + body if libraries else []),
        *failures(lines, "others"),
        "",
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


def percent(values: Tuple[float, float, float]) -> str:
    """+0.21 % [−0.10, +0.52]"""
    low, mean, high = (f"{100 * value:+.2f}".replace("-", "\u2212") for value in values)
    return f"{mean} % [{low}, {high}]"


def application_rows(lines: Sequence[Line], part: str) -> List[Tuple[str, str, List[Line]]]:
    """(application, profiler, pairs), two at least."""
    found: Dict[Tuple[str, str], List[Line]] = {}
    for line in lines:
        if line["part"] == part and "with" in line:
            found.setdefault((line["row"], line["profiler"]), []).append(line)
    return [(*key, pairs) for key, pairs in found.items() if len(pairs) > 1]


def of_pairs(pairs: Sequence[Line], what: str) -> Tuple[float, float, float]:
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
        wall, processor, own = (of_pairs(pairs, what) for what in ("wall", "processor", "own"))
        said = verdict(wall[0], wall[2]) if profiler == OURS else ""
        bare = median(line["bare"]["wall"] for line in pairs)
        body.append(
            f"| {name} | {profiler} | {len(pairs)} | {bare:.2f} | {percent(wall)} | {percent(own)}"
            f" | {percent(processor)} | {estimate(pairs)} | {said} |"
        )
    head = [
        (
            "| program | profiler | pairs | bare, s | command | its own time | user and system time"
            " | collector's estimate | below 0.5 % |"
        ),
        "|---|---|---|---|---|---|---|---|---|",
    ]
    return [
        "## Applications",
        "",
        (
            "Two ranks. Pairs of a bare run and one with the profiler, in turns; added share: mean"
            " and 95 % interval of log ratios, as `advisor verify` takes it for one look. The"
            " command is"
        ),
        (
            "timed from outside, with start-up and end; its own time is the one that it prints. The"
            " estimate is calls × calibrated cost, and the end, as share of the time between"
            " MPI_Init"
        ),
        (
            "and MPI_Finalize: no difference of two runs, and so free of their noise. *Shown*: the"
            " whole interval of the command lies below 0.5 %."
        ),
        reported(lines, "applications"),
        "",
        *(head + body if body else []),
        *failures(lines, "applications"),
        "",
    ]


def turns_section(lines: Sequence[Line]) -> List[str]:
    """turns.py's."""
    body = []
    for name, profiler, pairs in application_rows(lines, "turns"):
        found = of_pairs(pairs, "processor")
        body.append(
            f"| {name} | {len(pairs)} | {median(line['bare']['processor'] for line in pairs):.1f} |"
            f" {percent(found)} | {estimate(pairs)} | {verdict(found[0], found[2])} |"
        )
    head = [
        (
            "| program | pairs | bare, s of processor time | added | collector's estimate | below"
            " 0.5 % |"
        ),
        "|---|---|---|---|---|---|",
    ]
    return [
        "## Applications, in turns",
        "",
        (
            "Two ranks. Both runs of a pair at once, one stopped while the other has the cores,"
            " some 50 ms each, so that what the host does meanwhile happens to both. Compared is"
            " the processor"
        ),
        (
            "time of all processes of the commands, with start-up and end; ranks that wait spin."
            " Added share: mean and 95 % interval of log ratios."
        ),
        reported(lines, "turns"),
        "",
        *(head + body if body else []),
        *failures(lines, "turns"),
        "",
    ]


def page(lines: Sequence[Line]) -> str:
    """COSTS.md."""
    parts = [
        "# What it costs",
        "",
        "Written by `benchmarks/costs.py --table` from `benchmarks/costs.jsonl`;",
        "`benchmarks/costs.py` measures. Peers: IPM 2.0.6, TALP (DLB 3.7.0), mpiP 3.5 (by default it",
        "walks the stack; *without stacks*: `-k 0`). All are interleaved with a bare run. A cell is",
        "what is added to it: the median of the rounds' differences, and the least and the most of",
        "them; of commands the mean and its 95 % interval. *System clock*: our collector where the",
        "kernel does not trust the processor's counter. *Not seen*: the peer does not measure that",
        "call. *Gap*: not measured.",
        "",
        "## In short",
        "",
        short(lines),
        "",
    ]
    parts += calls_section(
        lines, "hot", "A call, hot", "On one rank, in a loop.", MOST_NANOSECONDS, 1
    )
    parts += calls_section(
        lines,
        "cold",
        "A call, cold",
        "Before each call the program has touched 2 MiB, more than its first two caches hold; mean"
        " of the middle half of 1000 calls.",
        MOST_COLD,
    )
    parts += instructions_section(lines)
    parts += calls_section(
        lines,
        "together",
        "A call, on two ranks",
        "Two ranks that communicate, in a loop; what is added on one may pass while the other is"
        " waited for.",
        None,
    )
    parts += [
        *end_section(lines),
        *around_section(lines),
        *application_section(lines),
        *turns_section(lines),
        *others_section(lines),
    ]
    return "\n".join(parts).rstrip("\n") + "\n"


SHORT = (
    ("hot", "ns", ("allreduce", "bcast", "barrier", "isir", "sendrecv", "testnull")),
    ("cold", "ns, caches cold", ("allreduce", "sendrecv")),
    ("instructions", "instructions", ("allreduce",)),
)


def short_rows(lines: Sequence[Line], columns: Sequence[str]) -> List[str]:
    """Calls, the end, applications."""
    blind, body = unseen(lines), []
    for part, unit, names in SHORT:
        measured = rows(lines, part)
        for name in (name for name in names if name in measured):
            cells = [
                "not seen" if (each, name) in blind else cell(added(measured[name], each), 0, False)
                for each in columns
            ]
            body.append(f"| {TITLES[name]}, {unit} | {' | '.join(cells)} |")
    measured = rows(lines, "end", None, 2)
    for name, title, digits in ENDS[1:3]:
        body += (
            [
                f"| {title}, 2 ranks | "
                + " | ".join(cell(added(measured[name], each), digits, False) for each in columns)
                + " |"
            ]
            if name in measured
            else []
        )
    for part, what, title in (
        ("applications", "wall", "the whole command"),
        ("turns", "processor", "processor time, in turns"),
    ):
        known = {
            (name, profiler): percent(of_pairs(pairs, what))
            for name, profiler, pairs in application_rows(lines, part)
        }
        for name in dict.fromkeys(name for name, _ in known):
            body.append(
                f"| `{name}`, 2 ranks, {title} | "
                + " | ".join(
                    known.get((name, each), "gap" if each in WITH_APPLICATIONS else "")
                    for each in columns
                )
                + " |"
            )
    return body


def short(lines: Sequence[Line]) -> str:
    """The rows that are asked for most, of all parts."""
    columns = [OURS, *PEERS]
    return "\n".join(
        [
            "| added | " + " | ".join(columns) + " |",
            "|---|" + "---|" * len(columns),
            *short_rows(lines, columns),
        ]
    )


def write(file: Path) -> str:
    """Write the page beside `file`; what was written."""
    lines, made = read(file), file.with_name("COSTS.md")
    made.write_text(page(lines), encoding="utf-8")
    return f"{made}: {len(lines)} lines"
