"""Which calls this library has: calls.txt, and what its preprocessed mpi.h declares."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Dict, List, NamedTuple, Optional, Tuple


class Call(NamedTuple):
    """One line of calls.txt. `kinds`: parameter to kind, in order."""

    name: str
    group: str
    rule: str
    place: Tuple[str, ...]
    kinds: Dict[str, str]


class Parameter(NamedTuple):
    """C declaration in two halves: `const int` name `[]`."""

    type: str
    name: str
    suffix: str

    def declared(self) -> str:
        return "%s%s%s%s" % (
            self.type,
            "" if self.type.endswith("*") else " ",
            self.name,
            self.suffix,
        )

    def is_pointer(self) -> bool:
        return "*" in self.type or bool(self.suffix)


class Wrapper(NamedTuple):
    """A call as this library declares it. `symbol`: the name without MPI_, perhaps with _c."""

    call: Call
    symbol: str
    number: int
    parameters: Tuple[Parameter, ...]


def read_calls(path: Path) -> Dict[str, Call]:
    calls = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        if not line or line.startswith("#"):
            continue
        name, group, rule, place, words = (field.strip() for field in line.split("|"))
        kinds = dict(word.split("=") for word in words.split())
        calls[name] = Call(name, group, rule, tuple(place.split()) if place != "-" else (), kinds)
    return calls


def closing(text: str, start: int) -> int:
    """The index after the bracket that closes the one before `start`."""
    depth = 1
    while depth:
        depth += {"(": 1, ")": -1}.get(text[start], 0)
        start += 1
    return start


def parse_parameter(text: str) -> Optional[Parameter]:
    match = re.fullmatch(r"(.*?[\s*])(\w+)\s*((?:\[[^\]]*\]\s*)*)", text.strip(), re.S)
    if not match:
        return None
    return Parameter(" ".join(match.group(1).split()), match.group(2), match.group(3).strip())


def declarations(text: str) -> Dict[str, Tuple[Parameter, ...]]:
    """Every `int MPI_x(...)` of the header: name to parameters. Those that cannot be read are left
    out.

    Not PMPI_x: Open MPI's header lacks one of them, MPICH's has some without names of parameters.
    """
    text = re.sub(r"^#.*$", "", text, flags=re.M)
    found = {}
    for match in re.finditer(r"\bint\s+MPI_(\w+)\s*\(", text):
        body = text[match.end() : closing(text, match.end()) - 1].strip()
        words = [] if body in ("", "void") else body.split(",")
        parameters = [parse_parameter(word) for word in words]
        if all(parameters):
            found[match.group(1)] = tuple(parameters)
    return found


def base_name(symbol: str, calls: Dict[str, Call]) -> str:
    return symbol[:-2] if symbol.endswith("_c") and symbol not in calls else symbol


def with_standard_names(call: Call, parameters: Tuple[Parameter, ...]) -> Tuple[Parameter, ...]:
    """Headers name parameters as they like; where the number agrees, the standard's names hold."""
    if len(call.kinds) != len(parameters):
        return parameters
    return tuple(p._replace(name=name) for p, name in zip(parameters, call.kinds))


def wrappers_of(
    calls: Dict[str, Call], declared: Dict[str, Tuple[Parameter, ...]]
) -> List[Wrapper]:
    numbers = {name: number for number, name in enumerate(sorted(calls), 1)}
    wrappers = []
    for symbol in sorted(declared):
        call = calls.get(base_name(symbol, calls))
        if call and call.group != "never":
            wrappers.append(
                Wrapper(
                    call, symbol, numbers[call.name], with_standard_names(call, declared[symbol])
                )
            )
    return wrappers
