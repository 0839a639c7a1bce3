"""Comparison → Story: content and order of a comparison, for all formats."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Dict, List, Sequence, Tuple

from advisor import __version__
from advisor.base.numbers import HARD, counted, number, percent, seconds, time_saved
from advisor.model.comparison import Comparison, Outcome, Part, Reading
from advisor.reports.comparison import words
from advisor.reports.comparison.cause import cause, changed
from advisor.reports.plain import plain_all

MOST = 14
"""Steps of the waterfall that are written out; the others are put together kind by kind."""
VISIBLE = 0.002
"""Of the largest change: smaller ones are put together as well."""
_STATES = {"new": "new", "unchanged": "still there", "absent": "gone"}


@dataclass(frozen=True)
class Step:
    """A line of the waterfall. Numbers stand beside the words made from them; `clear` False is
    grey."""

    label: str
    role: str
    before: str
    after: str
    change: str
    value: float
    clear: bool


@dataclass(frozen=True)
class Box:
    """A small table."""

    title: str
    headings: Tuple[str, ...]
    rows: Tuple[Tuple[str, ...], ...]
    numeric: bool = False


@dataclass(frozen=True)
class Story:
    """Everything that a comparison says."""

    title: str
    banners: Tuple[str, ...]
    verdict: str
    caption: str
    total: Step
    steps: Tuple[Step, ...]
    notes: Tuple[str, ...]
    outcomes: Tuple[Tuple[str, str, str], ...]
    """Condition, what became of it, and why."""
    boxes: Tuple[Box, ...]
    footer: str


def story(comparison: Comparison, outcomes: Sequence[Outcome] = ()) -> Story:
    """All words of a comparison. Texts from runs hold no control characters."""
    total = comparison.total
    return plain_all(
        Story(
            title=_title(comparison),
            banners=_banners(comparison),
            verdict=verdict(comparison),
            caption=_caption(comparison),
            total=_step(
                "elapsed time" if comparison.base == "run" else "whole run",
                "",
                total,
                comparison.unit,
            ),
            steps=steps(comparison),
            notes=(
                *_ranks(comparison),
                *comparison.remarks,
                words.noise(comparison) + " Changes within the noise are grey.",
            ),
            outcomes=tuple(
                (
                    one.text,
                    {True: "holds", False: "does not hold", None: "cannot be decided"}[one.holds],
                    one.reason,
                )
                for one in outcomes
            ),
            boxes=tuple(
                box
                for box in (
                    _points(comparison),
                    _findings(comparison),
                    _differences(comparison),
                    _shares(comparison),
                    _readings(comparison),
                )
                if box.rows
            ),
            footer=f"Made by advisor {__version__}. ~ estimated, * assumed, ? unknown.",
        )
    )


def steps(comparison: Comparison) -> Tuple[Step, ...]:
    """The largest changes in the order of their kinds; together they make the total."""
    ranked = sorted(comparison.parts, key=lambda part: -abs(part.change))
    least = VISIBLE * abs(ranked[0].change)
    chosen = {id(part) for part in ranked[:MOST] if abs(part.change) >= least}
    chosen |= {
        id(part)
        for part in comparison.parts
        if part.kind in ("outside", "startup", "no_core", "io", "unattributed")
    }
    named: List[Step] = []
    rests: Dict[str, List[Part]] = {}
    kinds = list(dict.fromkeys(part.kind for part in comparison.parts))
    for part in comparison.parts:
        if id(part) not in chosen:
            rests.setdefault(part.kind, []).append(part)
    for kind in kinds:
        named += [
            _step(words.label(part), words.ROLES.get(kind, ""), part, comparison.unit)
            for part in comparison.parts
            if part.kind == kind and id(part) in chosen
        ]
        if kind in rests:
            named.append(_rest(kind, rests[kind], comparison.unit))
    return tuple(named)


def _rest(kind: str, parts: List[Part], unit: str) -> Step:
    whole = Part(
        kind,
        (),
        sum(part.before for part in parts),
        sum(part.after for part in parts),
        max(part.noise for part in parts),
    )
    what = "for other ranks" if kind == "waiting" else "in other calls"
    return _step(
        f"{words.LEADS[kind]} {what} ({counted(len(parts), 'part')})",
        words.ROLES[kind],
        whole,
        unit,
    )


def _step(label: str, role: str, part: Part, unit: str) -> Step:
    return Step(
        label,
        role,
        words.amount(part.before, unit),
        words.amount(part.after, unit),
        words.change(part.change, unit),
        part.change,
        part.clear,
    )


def _title(comparison: Comparison) -> str:
    first, last = comparison.points[0], comparison.points[-1]
    if (first.program, first.ranks) == (last.program, last.ranks):
        return (
            f"{first.program or 'unknown program'}, {counted(first.ranks, 'rank')}: before and"
            " after"
        )
    return (
        f"{first.program}, {counted(first.ranks, 'rank')}, and {last.program},"
        f" {counted(last.ranks, 'rank')}"
    )


def _banners(comparison: Comparison) -> Tuple[str, ...]:
    if not comparison.refused:
        return ()
    return (
        (
            f"Seconds cannot be compared. {' '.join(comparison.refused)} Below stand shares of each"
            " run's own time."
        ),
    )


def verdict(comparison: Comparison) -> str:
    """One or two sentences: how much, whether it is more than noise, and where it came from; no
    cause where ranks had no core, since that is none of the program."""
    total = comparison.total
    lacking = f"{words.lacking(comparison)} " if comparison.starved else ""
    if comparison.unit != "s":
        return (
            f"{lacking}Shares of each run's own time; the largest change is in:"
            f" {_largest(comparison)}."
        )
    times = f"{seconds(total.before)} before, {seconds(total.after)} after"
    both = f"{times} ({words.relative(total.after, total.before)})"
    if lacking:
        return f"{lacking}{both}. The largest change is in: {_largest(comparison)}."
    doubt = words.doubt(comparison)
    if not total.clear:
        return f"No difference beyond the noise: {both}.{doubt}"
    start = f"The run takes {time_saved(total.after / total.before)}: {cause(comparison)}.{doubt}"
    return f"{start} {times}. The largest change is in: {_largest(comparison)}."


def _largest(comparison: Comparison) -> str:
    """The largest part beyond the noise; one that is larger, but inside its own noise, is named
    with it: to pass over it would say that the change came from elsewhere."""
    parts = changed(comparison)
    top = max(parts, key=lambda part: abs(part.change), default=None)
    sure = max(
        (part for part in parts if part.clear), key=lambda part: abs(part.change), default=None
    )
    if top is None or sure is None:
        return "none beyond the noise"
    unsure = (
        ""
        if sure is top
        else (
            f"{_named(top, comparison)}, which is not beyond its noise of"
            f" ±{words.amount(top.noise, comparison.unit)}; beyond its own: "
        )
    )
    return unsure + _named(sure, comparison)


def _named(part: Part, comparison: Comparison) -> str:
    return f"{words.label(part)} ({words.change(part.change, comparison.unit)})"


def _caption(comparison: Comparison) -> str:
    base = (
        "the whole run"
        if comparison.base == "command"
        else "the elapsed time, from MPI_Init to MPI_Finalize"
    )
    return f"Change of {base}, in parts that add up to it" + (
        "." if comparison.unit == "s" else ", as shares of each run's own time."
    )


def _ranks(comparison: Comparison) -> Tuple[str, ...]:
    before, after = comparison.ranks
    if before is None or after is None:
        return ()
    who = (
        f"rank {before} in both runs"
        if before == after
        else f"rank {before} before, rank {after} after"
    )
    return (
        (
            f"Times are of the critical rank, the one with the most time outside MPI: {who}. Its waiting"
            " is attributed to ranks as the waiting of all ranks is."
        ),
    )


def _points(comparison: Comparison) -> Box:
    """All runs in a row, where there are more than two or the ranks differ."""
    points = comparison.points
    if len(points) < 3 and len({point.ranks for point in points}) == 1:
        return Box("", (), ())
    scaled = any(point.efficiency is not None for point in points)
    heads = ("result", "ranks", "hosts", "elapsed time", "MPI", "change") + (
        ("speed-up", "efficiency") if scaled else ()
    )
    rows = []
    for point in points:
        moved = (
            ""
            if point.change is None
            else ("+" if point.change > 0 else "−" if point.change < 0 else "")
            + percent(abs(point.change))
        )
        row = (
            point.source,
            str(point.ranks),
            str(point.hosts),
            seconds(point.elapsed),
            percent(point.mpi_share),
            moved,
        )
        rows.append(row + ((number(point.speedup), percent(point.efficiency)) if scaled else ()))
    how = (
        ", weak scaling: work grows with the ranks"
        if comparison.weak
        else ", strong scaling: the same work"
        if scaled
        else ""
    )
    return Box(f"All runs{how}", heads, tuple(rows), True)


def _findings(comparison: Comparison) -> Box:
    rows = tuple((_STATES[one.state], one.severity, one.title) for one in comparison.findings)
    return Box("Findings", ("", "severity", "finding"), rows)


def _differences(comparison: Comparison) -> Box:
    rows = tuple(
        (
            f"{one.group}: {one.name}" if one.group != one.name else one.name,
            one.before or "none",
            one.after or "none",
        )
        for one in comparison.differences
    )
    return Box("What differs beside it", ("", "before", "after"), rows)


def _shares(comparison: Comparison) -> Box:
    """The kinds of time of the waterfall as shares: of the same rank, so that the two agree."""
    kinds = list(dict.fromkeys(part.kind for part in comparison.parts))
    rows = tuple(_share(comparison, kind) for kind in kinds)
    of = "mean over ranks" if None in comparison.ranks else "critical rank"
    whole = "the whole run" if comparison.base == "command" else "elapsed time"
    heads = (f"of {whole}, {of}", "before", "after", "change")
    return Box("Shares of each run's own time", heads, rows, True)


def _share(comparison: Comparison, kind: str) -> Tuple[str, ...]:
    total = comparison.total
    parts = [part for part in comparison.parts if part.kind == kind]
    before = sum(part.before for part in parts) / (total.before or 1.0)
    after = sum(part.after for part in parts) / (total.after or 1.0)
    name = words.SIGNS.get(kind) or words.LEADS[kind]
    shown = (words.amount(share, "share") for share in (before, after))
    return (name, *shown, words.change(after - before, "share"))


def _readings(comparison: Comparison) -> Box:
    rows = tuple(
        (
            words.NAMES[one.name],
            words.measure(one.before, one.unit),
            words.measure(one.after, one.unit),
            _moved(one),
        )
        for one in comparison.readings
        if one.name not in words.SHARES
    )
    return Box(
        "Measures of both runs, over all ranks", ("", "before", "after", "change"), rows, True
    )


def _moved(one: Reading) -> str:
    if one.before is None or one.after is None:
        return ""
    if one.unit == "share":
        return (
            words.change(one.after - one.before, "share")
            if one.after != one.before
            else f"0{HARD}points"
        )
    return words.relative(one.after, one.before)
