#!/usr/bin/env python3
"""Programs with one planted fault each, or with none: does a tool name the fault first?

    python benchmarks/diagnosis/score.py [--seeds 9] [--half looked-at|held-out|all] [--list]
        asks advisor, and prints how often it was right; --tool aps: thresholds of another tool
    python benchmarks/diagnosis/score.py --write FOLDER
        writes the programs as OTF2 traces, a folder each; --form mpip: as files of another tool
    python benchmarks/diagnosis/score.py --answers FILE
        scores the answers of any tool

README.md says how the traces are made, what a file of answers holds, and what counts.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Callable, Dict, Iterator, List, Sequence

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parents[1]), str(HERE)]

from answers import Answer, Judged, line, read, sums, table, verdict  # noqa: E402
from labelled_cases import Case, cases, without_calls  # noqa: E402
from forms import FORMS  # noqa: E402
from tools import TOOLS, measures_of  # noqa: E402

SEEDS = 9


def asked(tool: str, form: str = "otf2") -> Callable[[Case], Answer]:
    """Answers of a tool that reads the file of a case."""
    answer = TOOLS[tool]()
    return lambda case: answer(measures_of(case, form))


def given(file: Path) -> Callable[[Case], Answer]:
    """Answers of a file; of what is not in it nothing was said."""
    found = read(file)[1]
    return lambda case: found.get(case.name, Answer(()))


def judged(made: Iterator[Case], answer: Callable[[Case], Answer], form: str) -> Iterator[Judged]:
    """Each case with what was said of it and what that is worth."""
    for case in made:
        said = answer(case)
        judgement = verdict(case, said, FORMS[form].cannot_tell)
        yield without_calls(case), said, judgement


def write_all(made: Iterator[Case], form: str, folder: Path) -> None:
    """Files for another tool."""
    for case in made:
        (folder / case.name).mkdir(parents=True, exist_ok=True)
        print(FORMS[form].write(case, folder / case.name))


def main(words: Sequence[str] = ()) -> None:
    """See above."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seeds", type=int, default=SEEDS)
    parser.add_argument("--half", choices=("looked-at", "held-out", "all"), default="looked-at")
    parser.add_argument("--only", default="", help="families, with commas")
    parser.add_argument("--list", action="store_true", help="each program with its answer")
    parser.add_argument("--tool", choices=tuple(TOOLS), default="advisor", help="whom to ask")
    parser.add_argument(
        "--form", choices=tuple(FORMS), default="otf2", help="as files of which tool"
    )
    parser.add_argument("--write", type=Path, help="write files, and ask nobody")
    parser.add_argument("--answers", type=Path, help="score these answers")
    chosen = parser.parse_args(words or None)
    made = cases(chosen.seeds, chosen.half, [name for name in chosen.only.split(",") if name])
    if chosen.write:
        write_all(made, chosen.form, chosen.write)
        return
    rows: Dict[str, List[Judged]] = {}
    answer = given(chosen.answers) if chosen.answers else asked(chosen.tool, chosen.form)
    for each in judged(made, answer, chosen.form):
        rows.setdefault(each[0].name.partition("/")[0], []).append(each)
        if chosen.list:
            print(line(*each), flush=True)
    print(table(rows))
    print()
    print(sums([each for found in rows.values() for each in found]))


if __name__ == "__main__":
    main()
