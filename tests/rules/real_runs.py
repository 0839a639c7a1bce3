"""Samples compiled, run under the collector by `advisor run`, and judged."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from functools import lru_cache

import pytest
from mpi_builds import compile_program, environment

from advisor.advice import judge, load_rules
from advisor.advice.judging.ownership import LEAST, OWN
from advisor.analysis import measure
from advisor.base import resource_paths
from advisor.intake import read

TIME_LIMIT = 240
BUSY_MACHINE = {"starved": 1.0, "longest": 10.0}
"""Limits for machines that others use too: ranks may queue for their cores, and calls may take that
long."""
SLEEP_AS_WORK = {"asleep": 2.0, "slept": 2.0}
"""Limits for samples that sleep where programs would compute, so that they need no cores."""


def require_cores(count):
    """Skip where ranks of a sample would have to share cores."""
    have = len(os.sched_getaffinity(0))
    if have < count:
        pytest.skip(f"needs {count} cores, this machine has {have}")


def compile_sample(build, name, folder, cured):
    """Compile samples/NAME.c; `cured`: without its fault."""
    output = folder / (f"{name}.cured" if cured else name)
    return compile_program(
        build,
        "c",
        [resource_paths.samples() / f"{name}.c"],
        output,
        ["-pthread", *(["-DCURED"] if cured else [])],
    )


def profile_of(build, line, folder, extra):
    """Run a launch line under `advisor run`; the folder of its result. AssertionError with the
    output if it fails."""
    result = folder / "result"
    command = [
        sys.executable,
        "-m",
        "advisor",
        "run",
        "--no-report",
        "-o",
        str(result),
        "--",
        *build.launcher,
        *map(str, line),
    ]
    variables = environment(build, {"PYTHONPATH": str(resource_paths.samples().parent), **extra})
    done = subprocess.run(
        command, env=variables, cwd=folder, capture_output=True, text=True, timeout=TIME_LIMIT
    )
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout}{done.stderr}"
    return result


def verdicts(result):
    """Rule → verdict ("found", "clear", "moot", "unknown") of a recorded run, on a machine that may
    be busy."""
    return judged_patiently(read(result))


def judged(profile):
    """Advice on a profile, on a machine that may be busy; of any profile, all of elapsed is
    accounted for."""
    advice = judge(measure(profile), rules_with((*BUSY_MACHINE.items(), *SLEEP_AS_WORK.items())))
    assert accounted_for(advice) > 1 - LEAST
    return advice


def accounted_for(advice):
    """Share of elapsed that is computing, belongs to exactly one finding, or is said to be not
    explained; 1 where causes are not known."""
    known = advice.measures.causes
    if known is None or not known.elapsed > 0:
        return 1.0
    owned = [row for finding in advice.findings for row in finding.causes]
    assert len(owned) == len(set(owned))
    own = [row for row, part in enumerate(known.parts) if part.kind in OWN and row not in owned]
    left = advice.unexplained.seconds if advice.unexplained else 0.0
    return (float(known.means[owned + own].sum()) + left) / known.elapsed


def judged_patiently(profile):
    """The same of a profile."""
    advice = judged(profile)
    found = {finding.rule: "found" for finding in advice.findings}
    return {**{silence.rule: silence.verdict.value for silence in advice.silences}, **found}


def findings_of(result):
    """Findings about a recorded run of a sample that sleeps, with the book's own limits
    otherwise."""
    return judge(measure(read(result)), rules_with(tuple(SLEEP_AS_WORK.items()))).findings


@lru_cache(maxsize=None)
def rules_with(raised):
    """The book with other values of some limits."""
    return [_with(rule, dict(raised)) for rule in load_rules([resource_paths.rules()])]


def _with(rule, raised):
    limits = {
        name: replace(limit, value=raised[name])
        for name, limit in rule.limits.items()
        if name in raised
    }
    return replace(rule, limits={**rule.limits, **limits})
