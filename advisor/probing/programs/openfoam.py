"""OpenFOAM: how the mesh is cut, from system/decomposeParDict."""

from __future__ import annotations

import re
from typing import Tuple

from advisor.probing.programs.inputs import Inputs, keep
from advisor.probing.reading import Facts

PLACE = "system/decomposeParDict"
_SOLVER = re.compile(
    r"(simple|pimple|piso|rhoSimple|rhoPimple|rhoCentral|buoyantSimple|buoyantPimple|inter|interIso|reacting|potential|ico|"
    r"sonic|laplacian|scalarTransport|overPimpleDyM|multiphaseEuler|foamRun|snappyHexMesh)\w*Foam|foamRun|snappyHexMesh|redistributePar"
)


def matches(program: str) -> bool:
    """Names of its solvers: they end in Foam. Also snappyHexMesh, redistributePar."""
    return _SOLVER.fullmatch(program) is not None or re.fullmatch(r"[a-z]\w*Foam", program) is not None


def read(words: Tuple[str, ...], inputs: Inputs, facts: Facts) -> None:
    """method, numberofsubdomains."""
    text = inputs.text(PLACE) or ""
    plain = re.sub(r"//[^\n]*", "", re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL))
    for key in ("method", "numberOfSubdomains"):
        match = re.search(rf"^\s*{key}\s+([\w.]+)\s*;", plain, re.MULTILINE)
        keep(facts, key.lower(), match.group(1) if match else None, PLACE)
