#!/usr/bin/env python3
"""Programs with one planted fault each, or with none: does a tool name the fault first?

    python benchmarks/diagnosis/score.py [--seeds 9] [--half looked-at|held-out|all] [--list]
        asks advisor, and prints how often it was right
    python benchmarks/diagnosis/score.py --write FOLDER
        writes the programs as OTF2 traces, a folder each, and the question, without the answers
    python benchmarks/diagnosis/score.py --answers FILE
        scores another tool: {"family/seed": ["label", ...]}, the most important one first

README.md says how the traces are made and what counts.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import tempfile
from pathlib import Path
from random import Random
from typing import Callable, Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(ROOT), str(HERE)]

from blind_programs import BLIND  # noqa: E402
from more_programs import MORE  # noqa: E402
from programs import FAMILIES, Made  # noqa: E402
from simulator import Call, Simulation  # noqa: E402
from traces import write  # noqa: E402

try:
    import tomllib
except ModuleNotFoundError:  # Python below 3.11
    import tomli as tomllib

LABELS = tomllib.loads((HERE / "labels.toml").read_text(encoding="utf-8"))
SEEDS = 9
SLIGHT = 0.05
"""Of elapsed: a fault that costs less need not be found."""
ROOM = 1.02
"""A ceiling is exceeded if the cure saves more than so many times of it: noise of computing is cut
off at different places with the fault and without it."""


class Case(NamedTuple):
    """`saved`: share of elapsed that goes when the fault does."""

    name: str
    made: Made
    calls: List[Call]
    saved: float


class Answer(NamedTuple):
    """`labels`: the most important one first. `ceiling`: the largest saving that the first promises
    at most, as a share of elapsed; None: it promises nothing. `words`: what it calls them."""

    labels: Tuple[str, ...]
    ceiling: Optional[float] = None
    words: Tuple[str, ...] = ()


class Verdict(NamedTuple):
    """`right`: the first answer names the fault; `wrong`: it names another one, or one where there
    is none. Neither: the fault was missed."""

    right: bool
    wrong: bool
    exceeded: bool


def half(name: str) -> str:
    """Which half a case belongs to. Rules are written with an eye on the first one only."""
    return "looked-at" if hashlib.sha256(name.encode()).digest()[0] % 2 else "held-out"


def families() -> Dict[str, Callable[[Random], Made]]:
    """Those of the first round, of the second and of the third."""
    return {**FAMILIES, **MORE, **BLIND}


def cases(seeds: int, wanted: str, only: Sequence[str] = ()) -> Iterator[Case]:
    """Simulated, one after the other."""
    for family, make in families().items():
        for seed in range(seeds):
            name = f"{family}/{seed}"
            if wanted not in ("all", half(name)) or (only and family not in only):
                continue
            made = make(Random(name))
            calls = Simulation(made.faulty, made.machine).run()
            cured = Simulation(made.cured, made.machine).run()
            yield Case(name, made, calls, 1 - _elapsed(cured) / _elapsed(calls))


def _elapsed(calls: Sequence[Call]) -> float:
    return max(call.left for call in calls)


def truth(case: Case) -> str:
    """The label; a fault that costs next to nothing is none."""
    return case.made.label if case.saved >= SLIGHT else "healthy"


def verdict(case: Case, answer: Answer) -> Verdict:
    """What an answer is worth."""
    label = truth(case)
    if label == "healthy":
        # Below the limit, a fault that is there may be named or not.
        named = set(answer.labels) - {case.made.label, *LABELS[case.made.label]["near"]}
        return Verdict(not named, bool(named), False)
    good = {label, *LABELS[label]["near"]}
    right = bool(answer.labels) and answer.labels[0] in good
    exceeded = right and answer.ceiling is not None and case.saved > ROOM * answer.ceiling
    return Verdict(right, bool(answer.labels) and not right, exceeded)


def advisor() -> "Asked":
    """advisor itself, by what its findings above a note say."""
    return Asked()


class Asked:
    """The rule book, read once."""

    def __init__(self) -> None:
        from advisor.advice import load_rules
        from advisor.base import resource_paths

        self.rules = load_rules([resource_paths.rules()])
        self.label = {rule: label for label, about in LABELS.items() for rule in about["advisor"]}

    def answer(self, case: Case) -> Answer:
        """What a report of the trace says."""
        from advisor.advice import judge
        from advisor.analysis.measure import measure
        from advisor.intake.read import read

        with tempfile.TemporaryDirectory() as folder:
            measures = measure(read(write(Path(folder), case.calls, case.made.machine)))
        found = [
            each
            for each in judge(measures, self.rules).findings
            if each.severity != "note" and each.folder != "measurement"
        ]
        elapsed = measures.tables["run"].row(0)["time"]
        saving = found[0].saving if found else None
        return Answer(
            tuple(self.label.get(each.rule, each.rule) for each in found),
            saving.ceiling / elapsed if saving else None,
            tuple(each.rule for each in found),
        )


def table(rows: Dict[str, List[Tuple[Case, Answer, Verdict]]]) -> str:
    """A line a family, and one for all."""
    lines = [
        "| family | fault | programs | named first | something else first | nothing said |"
        " ceiling exceeded |",
        "|---|---|---|---|---|---|---|",
    ]
    total = [0] * 5
    for family, found in rows.items():
        verdicts = [each[2] for each in found]
        numbers = [
            len(found),
            sum(one.right for one in verdicts),
            sum(one.wrong for one in verdicts),
            sum(not one.right and not one.wrong for one in verdicts),
            sum(one.exceeded for one in verdicts),
        ]
        total = [one + other for one, other in zip(total, numbers)]
        label = found[0][0].made.label
        lines.append(f"| {family} | {label} | " + " | ".join(map(str, numbers)) + " |")
    return "\n".join([*lines, "| all | | " + " | ".join(map(str, total)) + " |"])


def sums(found: Sequence[Tuple[Case, Answer, Verdict]]) -> str:
    """Recall: of faults, those that were named first. Precision: of first answers, those that name
    a fault that is there."""
    faulty = [each for each in found if truth(each[0]) != "healthy"]
    reported = [each for each in found if each[1].labels]
    right = sum(each[2].right for each in faulty)
    precise = sum(not each[2].wrong for each in reported)
    healthy = [each for each in found if truth(each[0]) == "healthy"]
    silent = sum(each[2].right for each in healthy)
    return (
        f"Recall {right} of {len(faulty)} ({100 * right / max(1, len(faulty)):.0f} %), precision"
        f" {precise} of {len(reported)} ({100 * precise / max(1, len(reported)):.0f} %), nothing said of"
        f" {silent} of {len(healthy)} healthy programs, ceilings exceeded"
        f" {sum(each[2].exceeded for each in found)}."
    )


def main() -> None:
    """See above."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seeds", type=int, default=SEEDS)
    parser.add_argument("--half", choices=("looked-at", "held-out", "all"), default="looked-at")
    parser.add_argument("--only", default="", help="families, with commas")
    parser.add_argument("--list", action="store_true", help="each program with its answer")
    parser.add_argument("--write", type=Path, help="write traces, and ask nobody")
    parser.add_argument("--answers", type=Path, help="score these answers")
    chosen = parser.parse_args()
    only = [name for name in chosen.only.split(",") if name]
    made = cases(chosen.seeds, chosen.half, only)
    if chosen.write:
        for case in made:
            folder = chosen.write / case.name
            folder.mkdir(parents=True, exist_ok=True)
            print(write(folder, case.calls, case.made.machine))
        return
    given = json.loads(chosen.answers.read_text(encoding="utf-8")) if chosen.answers else None
    asked = None if given is not None else advisor()
    rows: Dict[str, List[Tuple[Case, Answer, Verdict]]] = {}
    for case in made:
        answer = asked.answer(case) if asked else Answer(tuple((given or {}).get(case.name, ())))
        judged = verdict(case, answer)
        rows.setdefault(case.name.partition("/")[0], []).append((case, answer, judged))
        if chosen.list:
            print(_line(case, answer, judged), flush=True)
    print(table(rows))
    print()
    print(sums([each for found in rows.values() for each in found]))


def _line(case: Case, answer: Answer, judged: Verdict) -> str:
    mark = "right" if judged.right else "WRONG" if judged.wrong else "missed"
    ceiling = "" if answer.ceiling is None else f", at most {100 * answer.ceiling:.1f} %"
    return (
        f"{mark:6} {case.name}: {truth(case)}, {100 * case.saved:.1f} % to save{ceiling}"
        f"{' EXCEEDED' if judged.exceeded else ''}; said: {', '.join(answer.words or answer.labels)}"
    )


if __name__ == "__main__":
    main()
