#!/usr/bin/env python3
"""Distil the MPI Forum's machine-readable standard and meaning.txt into calls.txt, one readable
line a call.

Usage: distill.py APIS_JSON > calls.txt

APIS_JSON is `pympistandard/data/apis.json` of the package pympistandard (PyPI). It is needed here
only: the build reads calls.txt, which is kept in the repository and reviewed as a difference.
"""

from __future__ import annotations

import fnmatch
import json
import sys
from pathlib import Path
from typing import Dict, List, NamedTuple, Tuple

KINDS = {
    "BUFFER": "buffer",
    "DATATYPE": "datatype",
    "COMMUNICATOR": "comm",
    "REQUEST": "request",
    "WINDOW": "window",
    "FILE": "file",
    "STATUS": "status",
    "GROUP": "group",
    "INFO": "info",
    "OPERATION": "op",
    "TAG": "tag",
    "MESSAGE": "message",
    "SESSION": "session",
    "STRING": "string",
    "RANK": "rank",
    "RANK_NNI": "rank",
    "LOGICAL": "flag",
    "OFFSET": "offset",
    "PARTITION": "partitions",
    "ERRHANDLER": "errhandler",
    "KEYVAL": "keyval",
}
HEADER = """\
# Every procedure of the MPI standard that has a C binding, made by distill.py from the MPI Forum's machine-readable
# standard (PyPI: pympistandard) and meaning.txt, which also explains the fields. Do not edit: edit meaning.txt.
# name | group | bytes that this rank hands in | place (whose class is recorded) | parameter=kind …
"""


class Meaning(NamedTuple):
    """The hand-written half. `groups` and `rules`: (pattern, value) in order; `removed`: name to
    parameters."""

    never: List[str]
    groups: List[Tuple[str, str]]
    rules: List[Tuple[str, str]]
    removed: Dict[str, str]


def read_meaning(path: Path) -> Meaning:
    meaning = Meaning([], [], [], {})
    for line in path.read_text(encoding="utf-8").splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        word, _, rest = line.partition(" ")
        text = rest.rpartition("|")[0].strip()
        if word == "never":
            meaning.never.extend(text.split())
        elif word == "group":
            group, _, names = text.partition(":")
            meaning.groups.extend((name, group) for name in names.split())
        elif word == "removed":
            name, _, parameters = text.partition(":")
            meaning.removed[name] = parameters.strip()
        elif word == "bytes":
            names, _, rule = text.partition(":")
            meaning.rules.extend((name, rule.strip()) for name in names.split())
    return meaning


def first(pairs: List[Tuple[str, str]], name: str, default: str) -> str:
    return next((value for pattern, value in pairs if fnmatch.fnmatchcase(name, pattern)), default)


def blocking_name(name: str) -> str:
    """Igather, Gather_init: Gather. The rule of the blocking form holds for its other forms."""
    base = name[:-5] if name.endswith("_init") else name
    if base[0] == "I" and base[1:2].islower() and base[1:].capitalize() not in ("Nit", "Nfo"):
        base = base[1:].capitalize()
    return base


def rule_of(meaning: Meaning, name: str) -> str:
    if name.endswith(("_begin", "_end")) and name.endswith("_end"):
        return "-"
    if "recv" in name.lower() and not name.lower().startswith(("sendrecv", "isendrecv")):
        return "-"
    return first(meaning.rules, name, "") or first(meaning.rules, blocking_name(name), "-")


def kind_of(parameter: Dict) -> str:
    kind = parameter["kind"]
    if kind in KINDS:
        return KINDS[kind]
    if "XFER_NUM_ELEM" in kind or (
        kind.startswith("POLYDTYPE_NUM_ELEM") and parameter["name"] == "count"
    ):
        return "count"
    return kind.lower()


def place_of(group: str, parameters: Dict[str, str]) -> str:
    """The parameter, or pair, that says whose class a call is recorded under."""
    peer = next(
        (name for name in ("dest", "target_rank", "source") if parameters.get(name) == "rank"), None
    )
    scope = next(
        (
            name
            for kind in ("comm", "window", "file")
            for name, k in parameters.items()
            if k == kind
        ),
        None,
    )
    if scope is None or scope.startswith("new"):
        return "-"
    if peer and group in ("p2p", "probe", "rma"):
        return "peer %s %s" % (peer, scope)
    return "%s %s" % (parameters[scope], scope)


def call_line(procedure: Dict, meaning: Meaning) -> str:
    name = procedure["name"][len("MPI_") :]
    parameters = {
        p["name"]: kind_of(p)
        for p in procedure["parameters"]
        if p["kind"] != "VARARGS"
        and "c_parameter" not in p["suppress"]
        and p["name"] != "ierror"
        and not p["large_only"]
    }
    never = any(fnmatch.fnmatchcase(name, pattern) for pattern in meaning.never)
    group = "never" if never else first(meaning.groups, name, "management")
    rule = "-" if never else rule_of(meaning, name)
    place = "-" if never else place_of(group, parameters)
    words = " ".join("%s=%s" % item for item in parameters.items())
    return " | ".join((name, group, rule, place, words)).rstrip()


def main() -> int:
    procedures = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    meaning = read_meaning(Path(__file__).with_name("meaning.txt"))
    wanted = [
        p
        for p in procedures.values()
        if p["attributes"]["c_expressible"] and not p["attributes"]["callback"]
    ]
    lines = [call_line(p, meaning) for p in wanted]
    lines += ["%s | management | - | - | %s" % removed for removed in meaning.removed.items()]
    sys.stdout.write(HEADER + "\n".join(sorted(lines)) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
