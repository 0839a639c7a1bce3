#!/usr/bin/env python3
"""Campaigns of `advisor verify` with known settings, each against a long interleaved series of the
same pair, predicted gains against verified ones, and settings that rules offer (trials.py).

Usage: campaigns.py [--list] [--only PATTERN[,PATTERN]] [--work DIR] [--results FILE] [--table]
                    [--predictions]

One JSON line a campaign is added to --results (default: campaigns.jsonl beside this file); a
campaign that is there is not run again, so an interrupted series goes on where it was. --table
writes what is known to advisor/verifying/CAMPAIGNS.md. --predictions makes the predictions of
campaigns that are there anew, after a rule was changed, and keeps what was verified. All of it
takes about an hour on two quiet cores. As root, programs of two ranks run under `chrt -r 1`, which
shuts out other load (and others). With --ordinary they do not: better on a quiet machine, since the
kernel stops a program at real-time priority that never sleeps for 5 % of each second, each rank at
a time of its own, and the others wait for it in their next call.

The long series has three times the pairs that `verify` took, 18 at least, and knows nothing of it:
own runs, own arithmetic, 95 %, the median. `verify` stops as soon as it knows the sign, so its
estimate of a gain is a rough one, and large rather than small. For what rules offer it has 18
pairs.
"""

from __future__ import annotations

import argparse
import copy
import fnmatch
import json
import math
import os
import re
import shlex
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Callable, Dict, List, Sequence, Tuple

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
sys.path[:0] = [str(HERE), str(ROOT), str(ROOT / "tests")]

import campaign_table  # noqa: E402
import result_lines  # noqa: E402
from knobs import KNOBS, PROMISES, Knob, Promise  # noqa: E402
from mpi_builds import find, python, python_environment, why_missing  # noqa: E402
from trials import INPUTS, TRIALS, Trial  # noqa: E402

MARGIN, TRIAL_MARGIN, FEWEST_LONG, TIMES_LONG = 0.05, 0.02, 18, 3
JUDGED = 15.0
"""Seconds of a run that a gain is predicted from: below 10 s none is, and runs differ by a third.
"""
FASTEST, ELAPSED = r"fastest batch: ([0-9.]+)", r"elapsed: ([0-9.]+)"
OWN_TIME = {
    "": FASTEST,
    "knobs": FASTEST,
    "lmp": r"Loop time of ([0-9.]+)",
    "pw.x": r"PWSCF .*CPU +([0-9.]+)s WALL",
}
"""What is timed, by application; of knobs.c the fastest batch."""
BINDING = {
    "ompi4": ["--bind-to", "core"],
    "ompi5": ["--bind-to", "core"],
    "mpich4": ["-bind-to", "core"],
    "mpich5": ["-bind-to", "core"],
    "impi": [],
}
UNBOUND = {"ompi4": ["--bind-to", "none"], "ompi5": ["--bind-to", "none"]}
"""Open MPI binds a single rank to one core, with all its threads."""
MORE_THAN_CORES = {"ompi4": ["--oversubscribe"], "ompi5": ["--map-by", ":oversubscribe"]}


class Place:
    """Where one library's programs and results lie, and what they run with."""

    def __init__(self, work: Path, library: str, pairs: int, seconds: str, ordinary: bool) -> None:
        self.build, self.folder, self.pairs, self.seconds = (
            find(library),
            work / library,
            pairs,
            seconds,
        )
        self.first = [] if ordinary else realtime()
        self.folder.mkdir(parents=True, exist_ok=True)
        self.environment = {
            **os.environ,
            **self.build.environment,
            "OMPI_ALLOW_RUN_AS_ROOT": "1",
            "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
            "OMP_NUM_THREADS": "1",
            "PYTHONPATH": str(ROOT),
            "XDG_DATA_HOME": str(work / "data"),
        }

    def program(self, source: Path, flags: Sequence[str] = (), name: str = "") -> str:
        """The compiled program, by its name in the folder."""
        name = name or source.stem
        if not (self.folder / name).exists():
            subprocess.run(
                [self.build.mpicc, "-O1", *flags, str(source), "-o", name, "-lm"],
                cwd=self.folder,
                env=self.environment,
                check=True,
            )
        return f"./{name}"

    def in_folder(self, name: str) -> "Place":
        """The same with a folder of its own below this one."""
        inner = copy.copy(self)
        inner.folder, inner.environment = self.folder / name, dict(self.environment)
        inner.folder.mkdir(exist_ok=True)
        return inner

    def launch(self, ranks: int, bound: Sequence[str] = ()) -> List[str]:
        """The launch line up to the program; `bound`: options of binding in place of the usual."""
        alone = bound or (
            BINDING[self.build.name]
            if ranks == 2
            else (
                UNBOUND.get(self.build.name, [])
                if ranks == 1
                else MORE_THAN_CORES.get(self.build.name, [])
            )
        )
        return [*self.build.launcher, *alone, "-n", str(ranks), *(self.first if ranks <= 2 else [])]

    def advisor(self, *words: str, **more: str) -> str:
        """Standard output of `advisor WORDS`; raises RuntimeError with what it said."""
        done = subprocess.run(
            [sys.executable, "-m", "advisor", *words],
            cwd=self.folder,
            env={**self.environment, **more},
            capture_output=True,
            text=True,
            timeout=900,
        )
        if done.returncode:
            raise RuntimeError(
                f"advisor {words[0]} ended with {done.returncode}: {done.stderr[-400:]}"
            )
        return done.stdout


def realtime() -> List[str]:
    """chrt, where it is allowed."""
    try:
        return (
            ["chrt", "-r", "1"]
            if subprocess.run(["chrt", "-r", "1", "true"], capture_output=True).returncode == 0
            else []
        )
    except OSError:
        return []


def of_knob(each: Knob, place: Place) -> List[str]:
    """The whole command; inputs of an application are copied beside it."""
    launch = place.launch(each.ranks)
    if not each.application:
        return [*launch, place.program(HERE / "knobs.c"), *each.bench.split(), place.seconds]
    for file in (ROOT / "samples" / "inputs").iterdir():
        shutil.copy(file, place.folder)
    return [*launch, each.application, *each.bench.split()]


def knob(each: Knob, place: Place) -> Dict[str, Any]:
    """One campaign of `advisor verify`, then the long series."""
    words, metric = of_knob(each, place), OWN_TIME[each.application]
    if not (place.folder / "result" / "profile").exists():
        place.advisor(
            "run",
            "-o",
            "result",
            "--no-report",
            "--",
            *place.launch(2),
            place.program(HERE / "knobs.c"),
            "pingpong",
            "8",
            "200",
            "0.1",
        )
    ask = [
        "verify",
        "result",
        "--setting",
        each.settings,
        "--margin",
        f"{MARGIN:.0%}",
        "--pairs",
        str(place.pairs),
        "--metric",
        metric,
        "--json",
    ]
    change = json.loads(place.advisor(*ask, "--dry-run", "--", *words))
    found = verified(place.advisor(*ask, "--", *words))
    truth = careful(change, found["pairs"], place, metric, {})
    return {
        "kind": "knob",
        "bench": f"{each.application} {each.bench}".strip(),
        "settings": each.settings,
        "expected": each.expected,
        "margin": MARGIN,
        "verified": found,
        "truth": truth,
    }


def trial(each: Trial, place: Place) -> Dict[str, Any]:
    """What the report of one run says of a setting that a rule offers, what `advisor verify` finds,
    and the long series."""
    fault, place = dict(each.fault), place.in_folder(each.name)
    if each.ordinary:
        place.first = []
    launch = [*place.launch(each.ranks, each.launch.split())]
    words, metric = line_of(each.program, place), OWN_TIME.get(each.program.split()[0], ELAPSED)
    said = offered(each, place, launch)
    ask = [
        "verify",
        "result",
        "--margin",
        f"{TRIAL_MARGIN:.0%}",
        "--pairs",
        str(min(8, place.pairs)),
        "--metric",
        metric,
        "--json",
    ]
    how, _, text = each.change.partition(" ")
    if how == "set":
        ask += [f"--setting={text}"]
    else:
        unset = [word for name in fault for word in ("-u", name)] if how == "without" else []
        other = line_of(text, place) if how == "with" else words
        ask += ["--against", shlex.join(["env", *unset, *launch, *other])]
    change = json.loads(place.advisor(*ask, "--dry-run", "--", *launch, *words, **fault))
    found = verified(place.advisor(*ask, "--", *launch, *words, **fault))
    truth = careful(change, 0, place, metric, fault) if found["pairs"] else None
    return {
        "kind": "trial",
        "rule": each.rule,
        "program": each.program,
        "change": each.change,
        "fault": fault,
        "expected": each.expected,
        "margin": TRIAL_MARGIN,
        "said": said,
        "verified": found,
        "truth": truth,
    }


def line_of(program: str, place: Place) -> List[str]:
    """What follows the launcher and its options. Programs are compiled, inputs of applications are
    made beside them."""
    kind, *words = program.split()
    if kind == "knobs":
        own = words if len(words) > 3 else [*words, place.seconds]
        return [place.program(HERE / "knobs.c"), *own]
    if kind == "hybrid":
        return [place.program(HERE / "hybrid.c", ["-fopenmp"]), *words]
    if kind == "sample":
        return [place.program(ROOT / "samples" / f"{words[0]}.c", ["-pthread"]), *words[1:]]
    if kind == "objects":
        place.environment.update(python_environment(place.build))
        return [python(place.build), str(HERE / "objects.py"), *words]
    for file in (ROOT / "samples" / "inputs").iterdir():
        shutil.copy(file, place.folder)
    for name, (source, replaced) in INPUTS.items():
        text = (place.folder / source).read_text(encoding="utf-8")
        for old, new in replaced.items():
            text = text.replace(old, new)
        (place.folder / name).write_text(text, encoding="utf-8")
    return [kind, *words]


def offered(each: Trial, place: Place, launch: List[str]) -> Dict[str, Any]:
    """What the report of one run says of the rule: "promise" with its shares, "finding" or
    "experiment" without a number, or "silent"."""
    if not (place.folder / "result" / "profile").exists():
        words = [*launch, *line_of(each.judged or each.program, place)]
        place.advisor("run", "-o", "result", "--no-report", "--", *words, **dict(each.fault))
    report = json.loads(place.advisor("report", "result", "--format", "json", **dict(each.fault)))
    try:
        return {"word": "promise", **prediction(report, each.rule)}
    except RuntimeError as reason:
        named = {
            word: [entry.get("rule") for entry in report[f"{word}s"]]
            for word in ("finding", "experiment")
        }
        word = next((word for word in named if each.rule in named[word]), "silent")
        return {"word": word, "why": str(reason)}


def careful(
    change: Dict[str, Any], pairs: int, place: Place, pattern: str, fault: Dict[str, str]
) -> Dict[str, Any]:
    """The long series of what `advisor verify --dry-run` says it would run."""
    first = ["env", *(f"{name}={value}" for name, value in fault.items())]
    sides = [
        [*first, *shlex.split(change["command"])],
        [*first, *shlex.split(change["changes"][0]["command"])],
    ]
    return long_series(
        [lambda side=side: timed(side, place, pattern) for side in sides],
        max(FEWEST_LONG, TIMES_LONG * pairs) if place.pairs > 4 else 4,
    )


def promise(each: Promise, place: Place) -> Dict[str, Any]:
    """The gain that the report of a run predicts, and the gain that `advisor verify` finds in
    shorter runs."""
    fault = dict(each.fault)
    program, words = promised(each, place)
    predicted, result = predict(each, place), f"{each.name}.advisor"
    ask = [
        "verify",
        result,
        "--margin",
        "2%",
        "--pairs",
        str(min(8, place.pairs)),
        "--metric",
        ELAPSED,
        "--json",
    ]
    if each.way == "advice":
        ask += ["--advice", each.rule]
    else:
        cure = (
            place.program(
                ROOT / "samples" / f"{each.sample}.c",
                ["-pthread", "-DCURED"],
                f"{each.sample}-cured",
            )
            if each.way == "cured"
            else program
        )
        unset = [word for name in fault for word in ("-u", name)] if each.way == "without" else []
        ask += [
            "--against",
            f"{each.rule}: " + shlex.join(["env", *unset, *words, cure, str(each.steps)]),
        ]
    command = ["--", *words, program, str(each.steps)]
    change = json.loads(place.advisor(*ask, "--dry-run", *command, **fault))
    found = verified(place.advisor(*ask, *command, **fault))
    truth = careful(change, found["pairs"], place, ELAPSED, fault)
    return {
        "kind": "promise",
        "rule": each.rule,
        "sample": each.sample,
        "way": each.way,
        "fault": fault,
        "predicted": predicted,
        "verified": found,
        "truth": truth,
    }


def promised(each: Promise, place: Place) -> Tuple[str, List[str]]:
    """The sample, and what its command line begins with."""
    shim = place.folder / place.program(HERE / "elapsed.c", ["-shared", "-fPIC"], "elapsed.so")
    program = place.program(ROOT / "samples" / f"{each.sample}.c", ["-pthread"])
    return program, [*place.launch(each.ranks), "env", f"LD_PRELOAD={shim}"]


def predict(each: Promise, place: Place) -> Dict[str, Any]:
    """What the report of one run with the collector promises."""
    fault, result = dict(each.fault), f"{each.name}.advisor"
    (program, words), launch = promised(each, place), place.launch(each.ranks)
    if not (place.folder / result / "profile").exists():
        # The first one is slow, and a run that ends up shorter than 10 s predicts nothing.
        short = min(
            timed(
                [
                    "env",
                    *(f"{name}={value}" for name, value in fault.items()),
                    *words,
                    program,
                    str(each.steps),
                ],
                place,
                ELAPSED,
            )
            for _ in range(3)
        )
        place.advisor(
            "run",
            "-o",
            result,
            "--no-report",
            "--",
            *launch,
            program,
            str(math.ceil(each.steps * JUDGED / short)),
            **fault,
        )
    return prediction(
        json.loads(place.advisor("report", result, "--format", "json", **fault)), each.rule
    )


def prediction(report: Dict[str, Any], rule: str) -> Dict[str, Any]:
    """Shares of what the run takes without the collector, as those that verify it do: low, high,
    ceiling; or the reason why there is none."""
    finding = next((each for each in report["findings"] if each["rule"] == rule), None)
    if finding is None:
        raise RuntimeError(
            f"{rule} says nothing: " + "; ".join(each["rule"] for each in report["findings"])
        )
    gain = finding["gain"]
    if gain is None:
        raise RuntimeError(f"{rule} predicts nothing: {finding['no_gain']}")
    (own,) = report["tables"]["run"]["columns"]["overhead_share"]["values"]
    return {
        name: gain[name] / report["run"]["elapsed"] / (1 - own)
        for name in ("low", "high", "ceiling")
    }


def verified(printed: str) -> Dict[str, Any]:
    """What `advisor verify --json` says of its one change."""
    one = json.loads(printed)["results"][0]
    return {
        name: one[name]
        for name in ("verdict", "effect", "low", "high", "pairs", "baseline", "variant", "reason")
    }


def timed(words: Sequence[str], place: Place, pattern: str) -> float:
    """Seconds that one run prints."""
    done = subprocess.run(
        words,
        cwd=place.folder,
        env=place.environment,
        capture_output=True,
        text=True,
        timeout=120,
        start_new_session=True,
    )
    found = re.findall(pattern, done.stdout)
    if done.returncode or not found:
        raise RuntimeError(
            f"{shlex.join(words)} ended with {done.returncode}: {done.stderr[-400:]}"
        )
    return float(found[0])


def long_series(sides: Sequence[Callable[[], float]], pairs: int) -> Dict[str, Any]:
    """ABBA over `pairs` pairs: the median log ratio and its 95 % interval by the signs of the
    pairs, as shares of the first side's time. One run of ten is far off on some hosts, and a
    mean would be as rough after seventy pairs as after ten."""
    times: Tuple[List[float], List[float]] = ([], [])
    for number in range(pairs):
        for side in (0, 1) if number % 2 == 0 else (1, 0):
            times[side].append(sides[side]())
    ratios = sorted(math.log(after / before) for before, after in zip(*times))
    # The normal approximation of the binomial distribution, from 18 pairs on within one place of
    # it; of fewer all are taken.
    place = (
        max(0, math.floor((pairs - 1.96 * math.sqrt(pairs)) / 2) - 1) if pairs >= FEWEST_LONG else 0
    )
    effect, low, high = (
        math.expm1(value)
        for value in (statistics.median(ratios), ratios[place], ratios[-1 - place])
    )
    return {
        "effect": effect,
        "low": low,
        "high": high,
        "pairs": pairs,
        "baseline": statistics.median(times[0]),
        "variant": statistics.median(times[1]),
    }


def campaigns() -> Dict[str, Any]:
    """name → Knob, Promise or Trial."""
    return {each.name: each for each in (*KNOBS, *PROMISES, *TRIALS)}


def run(name: str, arguments: argparse.Namespace) -> Dict[str, Any]:
    """One campaign; its line of results. What goes wrong is in it."""
    each, began = campaigns()[name], time.time()
    line: Dict[str, Any] = {
        "name": name,
        "library": each.library,
        "ranks": each.ranks,
        "date": time.strftime("%Y-%m-%d"),
        "load": round(os.getloadavg()[0], 2),
        "priority": (
            "ordinary"
            if arguments.ordinary or getattr(each, "ordinary", each.ranks > 2)
            else "real-time"
        ),
    }
    try:
        place = place_of(each.library, arguments)
        line.update(RUNS[type(each)](each, place))
    except (RuntimeError, OSError, subprocess.SubprocessError, KeyError, ValueError) as problem:
        line["failed"] = f"{type(problem).__name__}: {problem}"
    return {**line, "took": round(time.time() - began, 1)}


RUNS: Dict[type, Callable[..., Dict[str, Any]]] = {Knob: knob, Promise: promise, Trial: trial}


def place_of(library: str, arguments: argparse.Namespace) -> Place:
    """Where campaigns of a library run. RuntimeError if it is not here."""
    if why_missing(library):
        raise RuntimeError(why_missing(library))
    return Place(
        arguments.work.resolve(), library, arguments.pairs, arguments.seconds, arguments.ordinary
    )


def predicted_anew(line: Dict[str, Any], arguments: argparse.Namespace) -> Dict[str, Any]:
    """The line of a campaign with what the present rules promise; what was verified stays."""
    each = campaigns()[line["name"]]
    try:
        made = predict(each, place_of(each.library, arguments))
    except (RuntimeError, OSError, subprocess.SubprocessError, KeyError, ValueError) as problem:
        print(f"{line['name']}: {problem}", file=sys.stderr)
        return line
    return {**line, "predicted": made, "predicted_on": time.strftime("%Y-%m-%d")}


def arguments_of() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--list", action="store_true", help="say what there is, and what was done")
    parser.add_argument("--only", default="*", help="names with * in them, by commas")
    parser.add_argument(
        "--work", type=Path, default=ROOT / "build" / "campaigns", help="programs and results"
    )
    parser.add_argument("--results", type=Path, default=HERE / "campaigns.jsonl")
    parser.add_argument(
        "--pairs",
        type=int,
        default=12,
        help="of verify at most (4: a trial of four pairs both times, worth nothing)",
    )
    parser.add_argument("--seconds", default="0.25", help="of batches in one run")
    parser.add_argument(
        "--ordinary", action="store_true", help="without real-time priority: on a quiet machine"
    )
    parser.add_argument(
        "--predictions", action="store_true", help="predict anew what was verified before"
    )
    parser.add_argument("--table", action="store_true", help="write the table, and run nothing")
    return parser.parse_args()


def keep(results: Path, line: Dict[str, Any]) -> None:
    """Add a line to the file, and say it."""
    with open(results, "a", encoding="utf-8") as out:
        out.write(json.dumps(result_lines.rounded(line)) + "\n")
    print(f"{line['name']}: {campaign_table.sentence(line)} ({line['took']} s)", flush=True)


def main() -> None:
    """Run what is not done yet, then write the table."""
    arguments = arguments_of()
    done = campaign_table.read(arguments.results)
    chosen = [
        name
        for name in campaigns()
        if any(fnmatch.fnmatch(name, pattern) for pattern in arguments.only.split(","))
    ]
    for name in [] if arguments.table else chosen:
        if arguments.predictions:
            line = done.get(name, {})
            if "predicted" in line:
                keep(arguments.results, predicted_anew(line, arguments))
            continue
        if arguments.list or name in done:
            print(
                f"{name}: {campaign_table.sentence(done[name]) if name in done else 'not done'}",
                flush=True,
            )
            continue
        keep(arguments.results, run(name, arguments))
    if arguments.table:
        print(campaign_table.write(arguments.results))


if __name__ == "__main__":
    main()
