"""IPM's banner, also inside a job's output; Intel MPI writes the older form of it with
I_MPI_STATS=ipm."""

from __future__ import annotations

import re
from typing import Dict, List, NamedTuple, Optional, Tuple

from advisor.intake.foreign.base.operation_names import LIFECYCLE, operation_of
from advisor.intake.foreign.base.profile_builder import (
    COLLECT,
    MOST_OPERATIONS,
    MOST_RANKS,
    Row,
    count,
    number,
    numbered,
    profile,
    table,
)
from advisor.intake.foreign.base.text import lines, moment, words_of
from advisor.intake.untrusted.damage import Damage
from advisor.model.profile import Gap, Library, Node, Profile, Run, Totals

_BEGIN = re.compile(rb"^#+ ?IPMv|^# command +: ", re.MULTILINE)
_VERSION = re.compile(r"#+ ?IPMv([0-9.]+)")
_INTEL = re.compile(r"Intel\(R\) MPI Library (?:Version )?([0-9][\w. ]*)", re.IGNORECASE)
_KEY = re.compile(r"%?[a-z][a-z_/% \[\]GB]{0,60}")
_AMOUNT = r"[0-9][0-9.,]*(?:[eE][-+]?[0-9]+)?"
_CALL = re.compile(rf"# +(MPI_\w+) +({_AMOUNT}) +({_AMOUNT})(?: |$)")
_SPREAD = re.compile(
    rf"#? {{0,40}}(wallclock|mpi|MPI) {{0,40}}:? {{1,40}}({_AMOUNT}) +({_AMOUNT}) +({_AMOUNT})"
    rf" +({_AMOUNT}) *$"
)
_TASKS = re.compile(r"(\d+) on (\d+) nodes?")


class Banner(NamedTuple):
    """What the banner says: facts by name; (total, mean, smallest, largest); seconds and calls by
    operation."""

    facts: Dict[str, str]
    spreads: Dict[str, List[str]]
    calls: Dict[str, Tuple[float, int]]


def recognises(data: bytes) -> bool:
    """A banner anywhere: it is printed among the job's own output."""
    begin = _BEGIN.search(data)
    return begin is not None and b"mpi_tasks" in data[begin.start() : begin.start() + 4096]


def read(data: bytes) -> Profile:
    """Profile of the first banner. Raises Damage."""
    whole = lines(data)
    banner = _banner(whole)
    tasks = _TASKS.match(banner.facts.get("mpi_tasks", ""))
    if not tasks:
        raise Damage("its banner does not say how many tasks there were")
    ranks = count(tasks.group(1), "mpi_tasks", 1 << 22)
    calls = [
        _call(operation, *sums)
        for operation, sums in banner.calls.items()
        if operation not in LIFECYCLE
    ]
    one = count(tasks.group(2), "nodes", MOST_RANKS) == 1
    tables = {
        "ranks": numbered(ranks, **({"node": 0} if one else {})),
        "calls": table("calls", calls),
    }
    nodes = (Node(banner.facts.get("host", "unknown").split("/")[0][:80]),) if one else ()
    return profile(
        _tool(whole),
        _run(banner, whole, ranks),
        tables,
        nodes,
        _gaps(banner),
        _totals(banner, ranks),
        _library(whole),
    )


def _banner(whole: List[str]) -> Banner:
    banner, begun = Banner({}, {}, {}), False
    for line in whole:
        begun = begun or bool(_VERSION.match(line) or line.startswith("# command"))
        if not begun:
            continue
        # What follows are parts of the run that are counted in the whole already.
        if line.startswith("# region") and "region" in banner.facts:
            break
        _take(banner, line.rstrip())
    return banner


def _take(banner: Banner, line: str) -> None:
    call, spread = _CALL.match(line), _SPREAD.match(line)
    if call and operation_of(call.group(1)):
        if len(banner.calls) > MOST_OPERATIONS:
            raise Damage(
                f"it names more than {MOST_OPERATIONS} operations of MPI, which has some hundreds"
            )
        banner.calls.setdefault(
            operation_of(call.group(1)) or "",
            (number(call.group(2), "a time"), int(number(call.group(3), "calls"))),
        )
    elif spread:
        # The line of seconds comes first; one of calls, later, has the same name.
        banner.spreads.setdefault(spread.group(1).lower(), list(spread.groups()[1:]))
    elif line.startswith("# "):
        for key, value in _pairs(line[2:]):
            banner.facts.setdefault(key, value)


def _pairs(line: str) -> List[Tuple[str, str]]:
    """Keys and values of a line "key : value    key : value", in time that grows with its length:
    two blanks or more part them, and stand in values as well."""
    found: List[Tuple[str, str]] = []
    pieces = re.split(r" {2,}", line)
    for piece, after in zip(pieces, [*pieces[1:], ""]):
        key, colon, value = (
            piece if ":" in piece or not after.startswith(": ") else piece + " " + after
        ).partition(": ")
        if colon and _KEY.fullmatch(key.strip()):
            found.append((key.strip(), value.strip()))
        elif found and not piece.startswith(": "):
            found[-1] = (found[-1][0], f"{found[-1][1]}  {piece}")
    return found


def _lifecycle(banner: Banner, ranks: int) -> float:
    """Mean seconds in MPI_Init and MPI_Finalize, which are no MPI time."""
    return (
        sum(seconds for operation, (seconds, _) in banner.calls.items() if operation in LIFECYCLE)
        / ranks
    )


def _totals(banner: Banner, ranks: int) -> Totals:
    start = _lifecycle(banner, ranks)
    wall, mpi = banner.spreads.get("wallclock"), banner.spreads.get("mpi")
    longest = wall[3] if wall else banner.facts.get("wallclock", "").split(" ")[0]
    elapsed = max(0.0, number(longest, "wallclock") - start)
    if not mpi:
        return Totals(elapsed)
    return Totals(elapsed, max(0.0, number(mpi[0], "mpi") / ranks - start))


def _call(operation: str, seconds: float, calls: int) -> Row:
    return {"rank": -1, "operation": operation, "time": seconds, "count": calls}


def _gaps(banner: Banner) -> List[Gap]:
    gaps = [
        Gap(
            "rank",
            "IPM's banner holds sums over ranks",
            "read IPM's XML file instead, or " + COLLECT,
        )
    ]
    listed, whole = (
        sum(seconds for seconds, _ in banner.calls.values()),
        number((banner.spreads.get("mpi") or ["0"])[0], "mpi"),
    )
    if banner.calls and listed < 0.99 * whole:
        gaps.append(
            Gap(
                "calls",
                "not all calls are listed in this banner",
                "read IPM's XML file instead, or " + COLLECT,
            )
        )
    return gaps


def _run(banner: Banner, whole: List[str], ranks: int) -> Run:
    words = words_of(re.sub(r" \(completed\)$", "", banner.facts.get("command", "")))
    started = moment(
        re.sub(r" {2,}.*", "", banner.facts.get("start", "")),
        "%a %b %d %H:%M:%S %Y",
        "%m/%d/%y/%H:%M:%S",
    )
    return Run(
        "" if words[0] == "unknown" else words[0],
        tuple(words[1:]),
        started=started,
        ranks_expected=ranks,
        collector=_tool(whole),
    )


def _tool(whole: List[str]) -> str:
    version = next((match.group(1) for match in map(_VERSION.match, whole) if match), None)
    return f"IPM {version}" if version else "Intel MPI's statistics"


def _library(whole: List[str]) -> Library:
    found: Optional[re.Match] = next(
        (match for match in map(_INTEL.search, whole[:200]) if match), None
    )
    return Library("intel", found.group(1).split()[0], found.group(0)) if found else Library()
