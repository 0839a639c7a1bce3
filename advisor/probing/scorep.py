"""Score-P as it is installed: whether it answers, what it was built with, and how a program gets
instrumented."""

from __future__ import annotations

import re
from typing import Dict, List

from advisor.probing.check import Check
from advisor.probing.commands import answer

_SECONDS = 10.0
_FEATURES = (
    ("PAPI support", "PAPI"),
    ("getrusage support", "getrusage"),
    ("Unwinding support", "unwinding"),
)
"""Lines of `scorep-info config-summary` and what they are called here."""
INSTRUMENT = (
    "to instrument a program, build it with scorep mpicc, scorep mpicxx, scorep mpif90; with cmake"
    " or configure: SCOREP_WRAPPER=off cmake -DCMAKE_C_COMPILER=scorep-mpicc … (./configure"
    " CC=scorep-mpicc …), then make; then advisor run --collector scorep -- …"
)


def check() -> Check:
    """Whether Score-P answers, its version and features, and how to use it."""
    version = _version()
    if not version:
        return Check(
            "Score-P",
            False,
            "not installed",
            "the module scorep; only for programs that are instrumented with it",
        )
    return Check(
        "Score-P",
        True,
        ", ".join([version, *features(answer(["scorep-info", "config-summary"], _SECONDS) or "")]),
        INSTRUMENT,
    )


def _version() -> str:
    for words in (["scorep", "--version"], ["scorep-config", "--version"]):
        found = re.search(r"\d[\w.+-]*", (answer(words, _SECONDS) or "").partition("\n")[0])
        if found:
            return found.group()
    return ""


def features(summary: str) -> List[str]:
    """What `scorep-info config-summary` says it was built with, in words; empty if it says
    nothing."""
    # Colours are in the file that it prints, whatever it prints to.
    plain = re.sub(r"\x1b\[[0-9;]*m", "", summary)
    said: Dict[str, str] = dict(re.findall(r"^ *([^:\n]+): +(\S.*?) *$", plain, re.MULTILINE))
    words = [
        f"{'with' if said[line].startswith('yes') else 'without'} {name}"
        for line, name in _FEATURES
        if line in said
    ]
    compiler = said.get("MPI C99 compiler", "")
    return words + ([f"for {compiler}"] if compiler else [])
