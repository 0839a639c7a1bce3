"""LAMMPS: decomposition and balancing from the input script, accelerator packages from the
arguments."""

from __future__ import annotations

import os
import re
from typing import Dict, Iterable, List, Tuple

from advisor.probing.programs.inputs import Inputs, keep, option
from advisor.probing.reading import Facts

COMMANDS = (
    "processors",
    "balance",
    "package",
    "newton",
    "suffix",
    "comm_style",
    "comm_modify",
    "kspace_style",
    "kspace_modify",
    "pair_style",
    "units",
    "run",
    "run_style",
    "thermo",
    "neigh_modify",
)
INPUT = ("-in", "-i", "--in", "-input")


def matches(program: str) -> bool:
    """lmp, lmp_mpi, lmp_serial, lmp_intel_cpu …"""
    return re.match(r"lmp(\b|_|-)", program) is not None


def statements(text: str) -> Iterable[List[str]]:
    """Commands of a script as lists of words, comments removed and lines joined at `&`."""
    joined = re.sub(r"&[ \t]*\r?\n", " ", text)
    for line in joined.splitlines():
        words = line.split("#", 1)[0].split()
        if words:
            yield words


def variables(words: Tuple[str, ...]) -> Dict[str, str]:
    """-var NAME VALUE of the arguments (the first value of each)."""
    found = {}
    for at, word in enumerate(words):
        if word in ("-var", "-v", "--var") and at + 2 < len(words):
            found[words[at + 1]] = words[at + 2]
    return found


def parse_script(text: str, given: Dict[str, str]) -> Dict[str, str]:
    """Settings of a script: the last of each command; `balance` also from `fix … balance`, "none"
    where no line asks for it.

    `thermo` is then 0, LAMMPS' own default. `given`: variables of the arguments; they win over
    `variable NAME index VALUE` of the script. Where a condition cannot be told, or commands come
    from another file, `balance` is absent rather than wrong.
    """
    settings: Dict[str, str] = {}
    known, sure = dict(given), True
    for words in statements(text):
        if words[0] == "variable" and words[2:3] == ["index"] and len(words) > 3:
            known.setdefault(words[1], words[3])
        elif words[0] == "if":
            words, reported = branch(words, known)
            sure = sure and reported
        elif words[0] in ("include", "jump", "shell", "python"):
            sure = False
        _take(words, settings)
    if sure:
        settings.setdefault("thermo", "0")
        settings.setdefault("balance", "none")
    return settings


def branch(words: List[str], known: Dict[str, str]) -> Tuple[List[str], bool]:
    """(the command that `if "${NAME} == VALUE" then "COMMAND"` runs, whether that could be
    told)."""
    line = " ".join(words)
    match = re.fullmatch(r'if "\$\{?(\w+)\}? (==|!=) (\w+)" then "([^"]*)"', line)
    if not match or match.group(1) not in known:
        return [], "balance" not in line
    holds = (known[match.group(1)] == match.group(3)) == (match.group(2) == "==")
    return (match.group(4).split() if holds else []), True


def _take(words: List[str], settings: Dict[str, str]) -> None:
    if words and words[0] in COMMANDS:
        settings[words[0]] = " ".join(words[1:])
    elif len(words) > 3 and words[0] == "fix" and words[3] == "balance":
        settings["fix_balance"] = " ".join(words[4:])
        settings["balance"] = " ".join(words[3:])


def read(words: Tuple[str, ...], inputs: Inputs, facts: Facts) -> None:
    """balance ("none" where the whole script has none), processors, package, suffix, newton,
    comm_style, kspace_style …"""
    keep(facts, "suffix", option(words, ("-sf", "-suffix", "--suffix")), "argument")
    name = option(words, INPUT) or inputs.standard_input
    text = inputs.text(name) if name else None
    if text is None:
        return
    for key, value in parse_script(text, variables(words)).items():
        keep(facts, key, value, os.path.basename(name))
