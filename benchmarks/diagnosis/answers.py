"""Answers about a case, of any tool, and what they are worth. README.md documents the file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

from labelled_cases import HEALTHY, LABELS, Case, truth

ROOM = 1.02
"""A ceiling is exceeded if the cure saves more than so many times of it: noise of computing is cut
off at different places with the fault and without it."""


class Answer(NamedTuple):
    """`labels`: the most important one first. Of the first: `ceiling`, the largest saving that it
    promises at most, as a share of elapsed (None: it promises nothing), `words`, what the tool
    calls each, and `ranks`, whom it names as the cause."""

    labels: Tuple[str, ...]
    ceiling: Optional[float] = None
    words: Tuple[str, ...] = ()
    ranks: Tuple[int, ...] = ()


class Verdict(NamedTuple):
    """`right`: the first answer names the fault; `wrong`: it names another one, or one where there
    is none. Neither: the fault was missed. `culprit`: it names the fault, and only ranks that do
    not cause it. `harmful`: what one does about such a fault makes this program slower.
    `unknowable`: nothing was said, and the file that was read cannot tell."""

    right: bool
    wrong: bool
    exceeded: bool
    culprit: bool = False
    harmful: bool = False
    unknowable: bool = False


Judged = Tuple[Case, Answer, Verdict]


def verdict(case: Case, answer: Answer, cannot_tell: Sequence[str] = ()) -> Verdict:
    """What an answer is worth. `cannot_tell`: labels of which the file that was read knows
    nothing."""
    label, named = truth(case), answer.labels[:1]
    harmful = bool(named) and named[0] in LABELS[label].get("harmful", ())
    if label == HEALTHY:
        # Below the limit, a fault that is there may be named or not.
        others = set(answer.labels) - {case.made.label, *LABELS[case.made.label]["near"]}
        return Verdict(not others, bool(others), False, False, harmful and bool(others))
    if not named and label in cannot_tell:
        return Verdict(False, False, False, unknowable=True)
    right = bool(named) and named[0] in {label, *LABELS[label]["near"]}
    exceeded = right and answer.ceiling is not None and case.saved > ROOM * answer.ceiling
    named_others = bool(answer.ranks and case.made.culprits) and not (
        set(answer.ranks) & set(case.made.culprits)
    )
    return Verdict(right, bool(named) and not right, exceeded, right and named_others, harmful)


def read(file: Path) -> Tuple[str, Dict[str, Answer]]:
    """A tool's name and its answers."""
    given = json.loads(file.read_text(encoding="utf-8"))
    if "answers" not in given:
        raise SystemExit(f'{file} has no "answers": README.md says what it holds')
    return given.get("tool", file.stem), {
        name: _answer(name, said) for name, said in given["answers"].items()
    }


def _answer(name: str, said: Sequence[Any]) -> Answer:
    each = [{"label": one} if isinstance(one, str) else one for one in said]
    unknown = [one.get("label") for one in each if one.get("label") not in LABELS]
    if unknown:
        raise SystemExit(f"{name}: labels.toml has no label {unknown[0]!r}")
    first = each[0] if each else {}
    return Answer(
        tuple(one["label"] for one in each),
        first.get("at_most"),
        tuple(one.get("words", one["label"]) for one in each),
        tuple(first.get("ranks", ())),
    )


COUNTED = (
    ("programs", lambda one: True),
    ("named first", lambda one: one.right),
    ("something else first", lambda one: one.wrong),
    ("nothing said", lambda one: not (one.right or one.wrong or one.unknowable)),
    ("cannot be known", lambda one: one.unknowable),
    ("wrong culprit", lambda one: one.culprit),
    ("harmful", lambda one: one.harmful),
    ("ceiling exceeded", lambda one: one.exceeded),
)


def table(rows: Dict[str, List[Judged]]) -> str:
    """A line a family, and one for all."""
    heads = [head for head, _ in COUNTED]
    lines = ["| family | fault | " + " | ".join(heads) + " |", "|---" * (2 + len(heads)) + "|"]
    everything = [each for found in rows.values() for each in found]
    for family, found in [*rows.items(), ("all", everything)]:
        label = found[0][0].made.label if family != "all" else ""
        lines.append(f"| {family} | {label} | " + " | ".join(map(str, _counts(found))) + " |")
    return "\n".join(lines)


def _counts(found: Sequence[Judged]) -> List[int]:
    return [sum(bool(counts(one[2])) for one in found) for _, counts in COUNTED]


def sums(found: Sequence[Judged]) -> str:
    """Recall: of faults that can be known, those that were named first. Precision: of first
    answers, those that name a fault that is there."""
    faulty = [each for each in found if truth(each[0]) != HEALTHY and not each[2].unknowable]
    healthy = [each for each in found if truth(each[0]) == HEALTHY]
    reported = [each for each in found if each[1].labels]
    right = sum(each[2].right for each in faulty)
    precise = sum(not each[2].wrong for each in reported)
    silent = sum(each[2].right for each in healthy)
    culprit, harmful, exceeded = (
        sum(getattr(each[2], name) for each in found) for name in ("culprit", "harmful", "exceeded")
    )
    return (
        f"Recall {_share(right, len(faulty))}, precision {_share(precise, len(reported))},"
        f" nothing said of {silent} of {len(healthy)} healthy programs. Wrong culprit {culprit},"
        f" harmful {harmful}, ceilings exceeded {exceeded}."
    )


def _share(part: int, whole: int) -> str:
    return f"{part} of {whole} ({100 * part / max(1, whole):.0f} %)"


def line(case: Case, answer: Answer, judged: Verdict) -> str:
    """One case with what was said of it."""
    marks = (("right", judged.right), ("WRONG", judged.wrong), ("cannot", judged.unknowable))
    mark = next((word for word, holds in marks if holds), "missed")
    notes = [f"{truth(case)}, {100 * case.saved:.1f} % to save"]
    notes += [] if answer.ceiling is None else [f"at most {100 * answer.ceiling:.1f} %"]
    loud = [word.upper() for word in ("exceeded", "culprit", "harmful") if getattr(judged, word)]
    said = ", ".join(answer.words or answer.labels)
    return f"{mark:6} {case.name}: {', '.join([*notes, *loud])}; said: {said}"
