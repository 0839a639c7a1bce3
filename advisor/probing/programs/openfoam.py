"""OpenFOAM: how the mesh is cut, from system/decomposeParDict; how files are written, from
system/controlDict and the arguments."""

from __future__ import annotations

import re
from typing import Tuple

from advisor.probing.programs.inputs import Inputs, keep, option
from advisor.probing.reading import Facts, fact

KEYS = {
    "system/decomposeParDict": ("method", "numberOfSubdomains"),
    "system/controlDict": (
        "writeFormat",
        "writeCompression",
        "writeInterval",
        "writeControl",
        "purgeWrite",
        "commsType",
        "fileHandler",
        "deltaT",
    ),
}
# etc/controlDict; a site can have changed it. Told only where controlDict was read.
DEFAULTS = {"filehandler": "uncollated", "commstype": "nonBlocking", "writeformat": "ascii"}
_SOLVER = re.compile(
    r"(simple|pimple|piso|rhoSimple|rhoPimple|rhoCentral|buoyantSimple|buoyantPimple|inter|interIso|reacting|potential|ico|"
    r"sonic|laplacian|scalarTransport|overPimpleDyM|multiphaseEuler|foamRun|snappyHexMesh)\w*Foam|foamRun|snappyHexMesh|redistributePar"
)


def matches(program: str) -> bool:
    """Names of its solvers: they end in Foam. Also snappyHexMesh, redistributePar."""
    return (
        _SOLVER.fullmatch(program) is not None or re.fullmatch(r"[a-z]\w*Foam", program) is not None
    )


def read(words: Tuple[str, ...], inputs: Inputs, facts: Facts) -> None:
    """method, numberofsubdomains, writeformat, commstype, filehandler (uncollated unless asked for)
    …"""
    for place, keys in KEYS.items():
        text = inputs.text(place) or ""
        plain = re.sub(r"//[^\n]*", "", re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL))
        for key in keys:
            match = re.search(rf"^\s*{key}\s+([\w.]+)\s*;", plain, re.MULTILINE)
            keep(facts, key.lower(), match.group(1) if match else None, place)
    keep(facts, "filehandler", option(words, ("-fileHandler",)), "argument")
    for key, value in DEFAULTS.items():
        if "deltat" in facts and key not in facts:
            fact(facts, key, value, f"default of OpenFOAM: no {key} in system/controlDict")
