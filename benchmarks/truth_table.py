"""The table of waits that are known beside those that were found: Markdown from the JSON lines."""

from __future__ import annotations

import textwrap
from pathlib import Path
from statistics import median
from typing import Any, Dict, List, Optional, Sequence

import result_lines

NEAR, QUIET, STALLED, LONG = 0.02, 0.1, 0.01, 2e-6
"""Of the truth; cores that were busy with something else, in the mean of a run, up to which both
ranks had one for themselves; of the true wait, what ranks stalled (tests/waits/stalls.h);
seconds of true wait a call, below which its error is one of reading clocks."""
CIRCUMSTANCES = ("date", "library", "ranks", "case")
Line = Dict[str, Any]


def error(line: Line) -> float:
    """Share of the truth, with its sign."""
    return (line["found"] - line["true"]) / line["true"]


def is_near(line: Line) -> bool:
    return abs(error(line)) <= NEAR


def is_quiet(line: Line) -> bool:
    """Whether ranks had their cores: a single stall of 50 ms is what two thousand other calls
    wait."""
    return line["others"] <= QUIET and line.get("stalled", 0.0) <= STALLED * line["true"]


def is_inside(line: Line) -> Optional[bool]:
    """Whether the stated interval holds the truth, but for rounding; None where all calls were
    sampled: no error of sampling is left."""
    return (
        abs(line["found"] - line["true"]) <= line["half"] + 1e-6 * line["true"]
        if line["sampled"] < line["calls"]
        else None
    )


def sentence(line: Line) -> str:
    """One line for the screen."""
    if "failed" in line:
        return f"{line['case']}: {line['failed']}"
    inside = {True: "inside", False: "outside", None: "all sampled"}[is_inside(line)]
    return (
        f"{line['case']}: true {line['true']:.6f} s, found {line['found']:.6f} ± {line['half']:.6f}"
        f" s, {100 * error(line):+.2f} %, {inside}"
    )


def share(answers: Sequence[Optional[bool]]) -> str:
    """31 of 32 (97 %)"""
    known = [answer for answer in answers if answer is not None]
    return (
        f"{sum(known)} of {len(known)} ({100 * sum(known) / len(known):.0f} %)" if known else "none"
    )


def summary(title: str, lines: Sequence[Line]) -> List[str]:
    """Both shares."""
    near, inside = (share(list(map(question, lines))) for question in (is_near, is_inside))
    return (
        [
            _paragraph(
                f"**{title}: within 2 % of the truth {near}; the stated interval holds it {inside}.**"
            )
        ]
        if lines
        else []
    )


def shorter(lines: Sequence[Line]) -> List[str]:
    """How far off those are that wait less than LONG a call."""
    off = max((abs(line["found"] - line["true"]) / line["calls"] for line in lines), default=0.0)
    return (
        [f"**Quiet, less than that: {len(lines)} runs, at most {1e9 * off:.0f} ns a call off.**"]
        if lines
        else []
    )


def row(case: str, lines: Sequence[Line]) -> str:
    """One case."""
    errors = sorted(100 * error(line) for line in lines)
    true, sampled = (
        median(line["true"] for line in lines),
        median(line["sampled"] / line["calls"] for line in lines),
    )
    width = median(100 * line["half"] / line["true"] for line in lines)
    cells = [
        case,
        str(len(lines)),
        f"{1e3 * true:.1f}",
        f"{100 * sampled:.0f} %" if not case.startswith("simulated") else "",
        f"{median(errors):+.2f} [{errors[0]:+.2f}, {errors[-1]:+.2f}]",
        f"±{width:.2f}",
        share([is_near(line) for line in lines]).split(" (")[0],
        share([is_inside(line) for line in lines]).split(" (")[0],
    ]
    return "| " + " | ".join(cells).replace("-", "\u2212") + " |"


def table(lines: Sequence[Line]) -> List[str]:
    """A row for each case."""
    if not lines:
        return ["None was run yet."]
    cases: Dict[str, List[Line]] = {}
    for line in lines:
        cases.setdefault(line["case"], []).append(line)
    head = [
        (
            "| case | runs | true wait, ms | sampled | error, %: median [least, most] | interval, %"
            " | within 2 % | inside |"
        ),
        "|---|---|---|---|---|---|---|---|",
    ]
    return head + [row(case, of_it) for case, of_it in cases.items()]


def _paragraph(text: str) -> str:
    return textwrap.fill(text, 100, break_long_words=False, break_on_hyphens=False)


def parts(lines: Sequence[Line]) -> Dict[str, str]:
    """What TRUTH.md says of programs and of simulated jobs."""
    good = [line for line in lines if "failed" not in line]
    made_up = [line for line in good if line["case"].startswith("simulated")]
    real = [
        line
        for line in good
        if line not in made_up and line.get("ranks", 2) <= line.get("cores", 2)
    ]
    quiet = [line for line in real if is_quiet(line)]
    long = [line for line in quiet if line["true"] >= LONG * line["calls"]]
    failed = sorted({sentence(line) for line in lines if "failed" in line})
    programs = [
        *summary("Quiet", quiet),
        *([""] if quiet else []),
        *summary(f"Quiet, waits of {1e6 * LONG:.0f} µs a call or more", long),
        *([""] if long else []),
        *shorter([line for line in quiet if line not in long]),
        "",
        *summary("All runs, whatever else was computed", real),
        "",
        *table(quiet or real),
        *(["", *(f"- failed: {one}" for one in failed)] if failed else []),
    ]
    simulated = [*summary("Simulated", made_up), "", *table(made_up)]
    return {"programs": "\n".join(programs), "simulated": "\n".join(simulated)}


def read(file: Path) -> List[Line]:
    return result_lines.read(file, CIRCUMSTANCES)


def write(file: Path) -> str:
    """Write the tables of the page beside `file`, which it shortens; what was written."""
    lines, made = read(file), file.with_name("TRUTH.md")
    result_lines.write(file, lines, CIRCUMSTANCES)
    result_lines.put(made, parts(lines))
    return f"{made}: {len(lines)} runs"
