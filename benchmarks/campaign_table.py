"""Tables of what the campaigns found: Markdown from the JSON lines."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import Any, Dict, List, Optional

import result_lines

CHANGED = (
    "Three predictions were repeated after their rules had changed, with new campaigns."
    " `many-small-messages` had counted the sender's calls alone (at most 49.5 % predicted, 86.8 %"
    " verified). `eager-limit-in-host` had rested on one ping-pong (at most 8.4 %, 63.8 %), and"
    " `single-copy` on the best and the worst published program (0 to 25 %, 2.5 %). The new"
    " prediction for eager limits includes the first verified one as evidence, so the campaign"
    " under Open MPI 5 no longer tests it.",
    "All predictions were repeated when propagated waits were separated from other waits. In that"
    " round the repaired sample `alltoall` turned out to halve the computation as well (46.7 and"
    " 41.3 % verified). It now computes as much as the original, and its two campaigns were"
    " repeated. So were those of `communicator-churn`, whose rule now also counts the calls that"
    " free communicators (77.5 and 71.3 % predicted before).",
)
"""What a reader has to know who takes the share of hits for a forecast."""
TRIED = (
    "Each line is a remedy of a rule, as the report writes it, against the same program without it."
    " Gains are time saved, positive is faster; of knobs.c they are those of the fastest batch."
    " *report*: what the report of one run says before: the promised gain, *no number* where the"
    " rule speaks and promises none, *to be tried* for an experiment, and *silent* where its"
    " condition does not hold here or the line is an intent, which rules and users call by name."
    " Such a setting is tried all the same: it shows what the silence is worth."
)
MENDED = (
    "They ran on 2026-11-23, on two cores that other programs used as well. What they contradicted"
    " was mended in principle, and the settings ran once:",
    "- The broadcast by a ring, which `large-broadcasts` offered on one node, took five times as"
    " long between two ranks, under Open MPI and MPICH. Where a message is copied once, no algorithm"
    " can send less to a single partner. The remedy is offered from four ranks on, as one that can"
    " cost time.",
    "- The cell of MPICH's shared memory, the word for `eager-limit-in-host`, ended the job in"
    " MPI_Init under MPICH 5.0: a cell must fit into the pack buffer. With the buffer raised, nothing"
    " changed, since CMA copies messages from 8 KiB on. With that threshold raised as well, messages"
    " of 16 KiB took less than half of the time. The intent names all three.",
    "- `shared-memory-switched-off` promised at most 76 % under MPICH 5, and 83 % were verified. The"
    " difference was wait time in turns, beside hardly any computing: partners came late because"
    " their own messages took the slow path. That wait counts now.",
    "- `lammps-balance` and `threads-share-cores` saved a little more than their intervals, and less"
    " than their ceilings. In a run of ten seconds at real-time priority the kernel takes 5 % of each"
    " core away, which makes the imbalance a smaller share; and two threads that share a core wait"
    " for each other at the end of each parallel region, which Amdahl's law leaves out. Both figures"
    " are evidence of their rules now.",
    "- `UCX_RNDV_THRESH` above the message, called a risk because the message then loses the single"
    " copy, was a gain in a ping-pong under MPICH 4.0. It stays a risk: on the same host, an"
    " Allreduce of Open MPI lost by it, and MPICH 5.0 gained from the single copy.",
    "- Algorithms chosen by hand lost or changed nothing between two ranks. No rule offers them"
    " without trying; whoever asks for the words of `alltoall-algorithm` now reads that they have to"
    " be timed, as those of `allreduce-algorithm` said before.",
    "- `qe-pools` was judged with a cut-off of 30 Ry and timed with one of 16 Ry, so that a run takes"
    " a second or two: the share of the transposes need not be the same. It stays open.",
    "- `I_MPI_WAIT_MODE=1` with four ranks on two cores stays open: the fastest batch of barriers"
    " hardly tells who gave a core away. The campaign says nothing about the mean.",
)
CAUSES = (
    (
        "Predictions were made again on 2026-11-23 with the rules as they were then; what was"
        " verified is of the day before. Two had become too low and were mended: what the first"
        " calls on a new communicator take, and what threads lose while they queue for one core."
        " `eager-limit-in-host` under Open MPI 4 keeps its earlier prediction: on that day the rule"
        " did not speak of that run."
    ),
    "",
    "All campaigns were repeated on 2026-11-22, without real-time priority. By then the profiles"
    " reported waits that are inherited from other operations, alternating delays, and the"
    " variation of few benchmark records; before, 12 of 17 had been inside. All misses lie above"
    " the prediction, and all are repairs of the program. In all of them time disappeared that the"
    " prediction excludes on purpose, because no profile shows that it would:",
    "- `alltoall-heavy`, Open MPI 4 and MPICH 5: the repair saved more (32.6 and 29.9 % in the long"
    " series) than all time in MPI (24.5 and 25.8 %). It computes as much, and computes faster,"
    " probably because the buffers of the exchange are no longer in two caches. The rule mentions"
    " that possibility and predicts nothing for it.",
    "- `many-small-messages`, MPICH 5 (67.3 %, 72.6 % in the long series): 93.7 % was MPI, and"
    " 27.0 % of elapsed was wait time for the other rank in messages. A part of that disappeared"
    " with the messages. Which part is unknown, so it is not predicted.",
    "`communicator-churn` was repeated once more the same day. By then the collector's time for"
    " describing communicators counted as its own overhead (3.8 % of that run); a prediction is"
    " compared as a share of the run without the collector. Under MPICH 5 at most 96.2 % had been"
    " predicted, and 96.7 % verified (96.9 % in the long series). The difference is the collector's"
    " part, which had counted as computation.",
    "The host varies from minute to minute as well: the same command took a median of 3.7 s in one"
    " series and of 1.2 s in the next (`gain-ompi5-shared-memory`).",
)
"""Why gains lie outside, from their profiles and from the samples."""
AGAIN = (
    "The 14 campaigns that were open after 12 or 24 pairs were repeated on 2026-11-22 with up to 48"
    " pairs, after `verify` had learned to consider the fast runs of both sides. Their previous"
    " lines are in the file as well; none of those had a verdict. One of them, without effect under"
    " MPICH 5, was still open after 48 pairs (+1.3 % [−4.3, +7.6]) and ran a third time. The"
    " campaigns that remain open have an effect, in the long series, within half a percent of the"
    " margin or inside of it."
)
"""Why two kinds of campaigns stand side by side."""
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
    """Write the page; `file` keeps what it shows. What was written."""
    lines = [result_lines.rounded(line) for line in read(file).values()]
    result_lines.write(file, lines)
    PAGE.write_text(page(lines), encoding="utf-8")
    return f"{PAGE}: {len(lines)} campaigns"


def page(lines: List[Line]) -> str:
    """The whole page."""
    knobs = [line for line in lines if line["kind"] == "knob"]
    promises = [line for line in lines if line["kind"] == "promise"]
    trials = [line for line in lines if line["kind"] == "trial"]
    parts = [
        "# Campaigns",
        "",
        _paragraph(
            "`benchmarks/campaigns.py` runs the campaigns. `benchmarks/campaigns.py --table` writes"
            " this page from `benchmarks/campaigns.jsonl`."
        ),
        "",
        "## Verdicts against a long series",
        "",
        *(_verdicts(knobs) if knobs else ["None was run yet."]),
        "",
        "## Predicted gains against verified ones",
        "",
        *(_gains(promises) if promises else ["None was run yet."]),
        "",
        "## Settings that rules offer",
        "",
        *(_trials(trials) if trials else ["None was run yet."]),
        "",
    ]
    return "\n".join(parts)


def _paragraph(text: str) -> str:
    """Lines of at most 100 columns; those of an item of a list are set in."""
    return textwrap.fill(
        text,
        100,
        subsequent_indent="  " if text.startswith("- ") else "",
        break_long_words=False,
        break_on_hyphens=False,
    )


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
            f"Two cores, margin {100 * knobs[0]['margin']:.0f} %. Effects are changes of the time"
            " of the fastest batch of knobs.c, or of the time that an application prints; negative"
            " is faster. The long series runs after the campaign, with at least three times as many"
            " pairs. Its interval is the 95 % interval."
        ),
        "",
        _paragraph(
            "A verdict is *right* if the middle of the long series (the mean until 2026-11-21, then"
            " the median) lies where the verdict says. It is *close* if only the interval reaches"
            " there, *false* otherwise, and *open* if there was no verdict (undecided)."
        ),
        "",
        _paragraph(AGAIN),
        "",
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
            "Gains are shares of the time between MPI_Init and MPI_Finalize; positive is time"
            " saved. They are predicted from one run of ten seconds or more with the collector, and"
            " verified by `advisor verify` with shorter runs without it. *advice*: as the report"
            " writes it. *cured*: against the repaired sample. *without*: against the same command"
            " without the variables that were the fault. A verdict of the same within 2 % counts as"
            " a gain of none."
        ),
        "",
        _paragraph(
            f"**{inside} of {len(promises)} verified gains ({100 * inside / len(promises):.0f} %)"
            f" lie inside the predicted interval; the intervals of {touching} overlap.**"
            + (" Missed: " + ", ".join(line["name"] for line in missed) + "." if missed else "")
        ),
        "",
        _paragraph(" ".join((*_sides(missed), *_careful(promises)))),
        *(line for text in (*CHANGED, *CAUSES) for line in ("", _paragraph(text))),
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
        *(line for text in (TRIED, *MENDED) for line in (_paragraph(text), "")),
        _paragraph(
            f"**{len(trials)} settings: {words.count('gains')} gain, {words.count('loses')} lose,"
            f" {words.count('the same')} change less than 2 %, {words.count('open')} are open,"
            f" {words.count('breaks')} break.**"
            f" The outcome is that of the long series: it gains or loses if the whole 95 % interval"
            f" lies beyond 2 %. Of {len(kept)} settings with a promised gain"
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
    why = (
        " A gain above the prediction was not promised: wait time in the calls that a remedy removes"
        " does not count as time that it can save, unless it is shown to disappear with them."
    )
    return (
        [
            f"Of the misses {above} lie above the prediction and {len(missed) - above} below."
            + (why if above else "")
        ]
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
            f" middle of {inside} of them lies inside. `verify` stops as soon as it knows the sign."
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
