"""Tables of what the campaigns found: Markdown from the JSON lines."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import Any, Dict, List, Optional

import result_lines

PAGE = Path(__file__).resolve().parent.parent / "advisor" / "verifying" / "CAMPAIGNS.md"
Line = Dict[str, Any]


def read(file: Path) -> Dict[str, Line]:
    """name → its last line that did not fail."""
    lines = result_lines.read(file)
    return {line["name"]: line for line in lines if "failed" not in line}


def judged(line: Line) -> str:
    """right: the true effect lies where the verdict says. close: its interval reaches there. false:
    it does not. open: undecided."""
    verdict, truth, margin = line["verified"]["verdict"], line["truth"], line["margin"]
    ranges = {"better": (-1.0, -margin), "worse": (margin, float("inf")), "same": (-margin, margin)}
    if verdict not in ranges:
        return "open"
    low, high = ranges[verdict]
    if low <= truth["effect"] <= high:
        return "right"
    return "close" if truth["low"] <= high and truth["high"] >= low else "false"


def contained(line: Line) -> bool:
    """Whether the verified gain lies in the predicted interval. What was called the same is a gain
    of none."""
    found = line["verified"]
    return (
        line["predicted"]["low"]
        <= (0.0 if found["verdict"] == "same" else -found["effect"])
        <= line["predicted"]["high"]
    )


def overlaps(line: Line) -> bool:
    """Whether the verified interval and the predicted one have anything in common."""
    return (
        line["predicted"]["low"] <= -line["verified"]["low"]
        and -line["verified"]["high"] <= line["predicted"]["high"]
    )


def sentence(line: Line) -> str:
    """One line for the screen."""
    if "failed" in line:
        return f"failed: {line['failed']}"
    if line["kind"] == "knob":
        return (
            f"{line['verified']['verdict']} {numbers(line['verified'])}; long series"
            f" {numbers(line['truth'])}: {judged(line)}"
        )
    if line["kind"] == "trial":
        return (
            f"{promised(line['said'])}; {line['verified']['verdict']}"
            f" {numbers(gain(line['verified']))}; long series {long_gain(line)}"
        )
    low, high = line["predicted"]["low"], line["predicted"]["high"]
    return (
        f"predicted {100 * low:.1f} to {100 * high:.1f} %, verified"
        f" {numbers(gain(line['verified']))}: {'contained' if contained(line) else 'missed'}"
    )


def promised(said: Dict[str, Any]) -> str:
    """What the report of one run promised."""
    if said["word"] != "promise":
        return {"finding": "no number", "experiment": "to be tried", "silent": "silent"}[
            said["word"]
        ]
    return f"{100 * said['low']:.1f} to {100 * said['high']:.1f} %"


def long_gain(line: Line) -> str:
    """Of the long series; nothing where the setting broke the program."""
    return numbers(gain(line["truth"])) if line["truth"] else ""


def gain(found: Dict[str, Any]) -> Dict[str, Any]:
    """The time saved in place of the time added."""
    if found["effect"] is None:
        return found
    return {"effect": -found["effect"], "low": -found["high"], "high": -found["low"]}


def numbers(found: Dict[str, Optional[float]]) -> str:
    """+2.3 % [+1.0, +3.6]"""
    if found["effect"] is None:
        return "no numbers"
    return f"{_percent(found['effect'])} % [{_percent(found['low'])}, {_percent(found['high'])}]"


def _percent(share: float) -> str:
    value = 100 * share
    return (f"{value:+.0f}" if abs(value) >= 99.5 else f"{value:+.1f}").replace("-", "\u2212")


def write(file: Path) -> str:
    """Write the parts of the page that are counted; `file` keeps what it shows. What was
    written."""
    lines = [result_lines.rounded(line) for line in read(file).values()]
    result_lines.write(file, lines)
    result_lines.put(PAGE, parts(lines))
    return f"{PAGE}: {len(lines)} campaigns"


def parts(lines: List[Line]) -> Dict[str, str]:
    """The sums and the table of each kind."""
    kinds = {"knob": _verdicts, "promise": _gains, "trial": _trials}
    of_kind = {kind: [line for line in lines if line["kind"] == kind] for kind in kinds}
    return {
        f"{kind}s": "\n".join(kinds[kind](found) if found else ["None was run yet."])
        for kind, found in of_kind.items()
    }


def _paragraph(text: str) -> str:
    return textwrap.fill(text, 100, break_long_words=False, break_on_hyphens=False)


def _verdicts(knobs: List[Line]) -> List[str]:
    counts = {
        word: [judged(line) for line in knobs].count(word)
        for word in ("right", "close", "false", "open")
    }
    inside = sum(
        line["verified"]["effect"] is not None
        and line["verified"]["low"] <= line["truth"]["effect"] <= line["verified"]["high"]
        for line in knobs
    )
    none = [line for line in knobs if line["expected"] == "none"]
    same = sum(line["verified"]["verdict"] == "same" for line in none)
    return [
        _paragraph(
            f"**{len(knobs)} campaigns: {counts['right']} right, {counts['close']} close,"
            f" {counts['false']} false, {counts['open']} open.** Of {len(none)} settings without"
            f" any effect {same} were called the same. The interval of `verify` contains the middle"
            f" of the long series in {inside} of {len(knobs)} campaigns."
        ),
        "",
        (
            "| library | setting | program | expected | verdict | verify | pairs | long series |"
            " pairs | verdict is | load |"
        ),
        "|---|---|---|---|---|---|---|---|---|---|---|",
        *map(_knob_row, knobs),
    ]


def _program(bench: str) -> str:
    """Kind and bytes of knobs.c without the turns; an application with its words."""
    return bench if " -" in bench else f"{bench.rsplit(' ', 1)[0]} B"


def _knob_row(line: Line) -> str:
    found, truth = line["verified"], line["truth"]
    cells = [
        line["library"],
        f"`{line['settings']}`",
        f"{_program(line['bench'])}, {line['ranks']} ranks",
        line["expected"],
        found["verdict"],
        numbers(found),
        found["pairs"],
        numbers(truth),
        truth["pairs"],
        judged(line),
        line["load"],
    ]
    return "| " + " | ".join(map(str, cells)) + " |"


def _gains(promises: List[Line]) -> List[str]:
    inside, touching = sum(map(contained, promises)), sum(map(overlaps, promises))
    missed = [line for line in promises if not contained(line)]
    return [
        _paragraph(
            f"**{inside} of {len(promises)} verified gains ({100 * inside / len(promises):.0f} %)"
            f" lie inside the predicted interval; the intervals of {touching} overlap.**"
            + (" Missed: " + ", ".join(line["name"] for line in missed) + "." if missed else "")
        ),
        "",
        _paragraph(" ".join((*_sides(missed), *_careful(promises)))),
        "",
        (
            "| campaign | rule | library | way | predicted | ceiling | verified | verdict | pairs |"
            " inside | long series | load |"
        ),
        "|---|---|---|---|---|---|---|---|---|---|---|---|",
        *map(_gain_row, promises),
    ]


def _trials(trials: List[Line]) -> List[str]:
    """What the remedies of rules did, with the losers first told of."""
    words = [outcome(line) for line in trials]
    kept = [line for line in trials if line["said"]["word"] == "promise" and line["truth"]]
    above = [line["name"] for line in kept if -line["truth"]["high"] > line["said"]["ceiling"]]
    return [
        _paragraph(
            f"**{len(trials)} settings: {words.count('gains')} gain, {words.count('loses')} lose,"
            f" {words.count('the same')} change less than 2 %, {words.count('open')} are open,"
            f" {words.count('breaks')} break.**"
            f" Of {len(kept)} settings with a promised gain"
            f" {sum(map(_kept_promise, kept))} kept it"
            + (
                f"; above the ceiling: {', '.join(above)}."
                if above
                else "; none passed the ceiling."
            )
        ),
        "",
        (
            "| campaign | rule | library | program | change | expected | report | verify |"
            " verdict | pairs | long series | outcome | load |"
        ),
        "|---|---|---|---|---|---|---|---|---|---|---|---|---|",
        *map(_trial_row, trials),
    ]


def outcome(line: Line) -> str:
    """What the long series says: gains, loses, the same, or open; breaks if nothing ran."""
    truth, margin = line["truth"], line["margin"]
    if truth is None:
        return "breaks"
    if truth["high"] < -margin or truth["low"] > margin:
        return "gains" if truth["high"] < -margin else "loses"
    return "the same" if -margin <= truth["low"] and truth["high"] <= margin else "open"


def _kept_promise(line: Line) -> bool:
    """Whether the middle of the long series lies in the promised interval."""
    return line["said"]["low"] <= -line["truth"]["effect"] <= line["said"]["high"]


def _change(line: Line) -> str:
    """The change as a reader would make it."""
    how, _, text = line["change"].partition(" ")
    if how == "without":
        return "without " + ", ".join(f"`{name}={value}`" for name, value in line["fault"].items())
    return f"`{text}`"


def _trial_row(line: Line) -> str:
    found = line["verified"]
    fault = " ".join(f"{name}={value}" for name, value in line["fault"].items())
    beside = f"`{line['program']}`, {line['ranks']} rank{'s' if line['ranks'] > 1 else ''}"
    cells = [
        line["name"],
        line["rule"].replace("intent ", "") if " " in line["rule"] else f"`{line['rule']}`",
        line["library"],
        beside + (f", `{fault}`" if fault and line["change"] != "without" else ""),
        _change(line),
        line["expected"],
        promised(line["said"]),
        numbers(gain(found)),
        found["verdict"],
        found["pairs"],
        long_gain(line),
        f"**{outcome(line)}**" if outcome(line) == "loses" else outcome(line),
        line["load"],
    ]
    return "| " + " | ".join(map(str, cells)) + " |"


def _sides(missed: List[Line]) -> List[str]:
    """On which side of the predicted interval the misses lie."""
    above = sum(-line["verified"]["effect"] > line["predicted"]["high"] for line in missed)
    return (
        [f"Of the misses {above} lie above the prediction and {len(missed) - above} below."]
        if missed
        else []
    )


def _careful(promises: List[Line]) -> List[str]:
    """How many means of long series lie inside, of the campaigns that have one."""
    known = [line for line in promises if "truth" in line]
    inside = sum(
        line["predicted"]["low"] <= -line["truth"]["effect"] <= line["predicted"]["high"]
        for line in known
    )
    return (
        [
            f"{len(known)} campaigns have a long series of the same pairs, 18 or more each; the"
            f" middle of {inside} of them lies inside."
        ]
        if known
        else []
    )


def _gain_row(line: Line) -> str:
    low, high, most = (100 * line["predicted"][name] for name in ("low", "high", "ceiling"))
    cells = [
        line["name"],
        f"`{line['rule']}`",
        line["library"],
        line["way"],
        f"{low:.1f} to {high:.1f} %",
        f"{most:.1f} %",
        numbers(gain(line["verified"])),
        line["verified"]["verdict"],
        line["verified"]["pairs"],
        "yes" if contained(line) else "**no**",
        numbers(gain(line["truth"])) if "truth" in line else "",
        line["load"],
    ]
    return "| " + " | ".join(map(str, cells)) + " |"
