"""Asks Intel MPI about itself: impi_info, `mpiexec.hydra -V`."""

from __future__ import annotations

import re
from typing import FrozenSet, Optional


def parse_names(text: str) -> FrozenSet[str]:
    """Names of control variables, from the table of `impi_info` and from the list of `impi_info
    -a`."""
    return frozenset(re.findall(r"^[ |]{0,3}((?:I_MPI|MPIR_CVAR)_\w{1,100})\b", text, re.MULTILINE))


def parse_version(text: str) -> Optional[str]:
    """The version in `mpiexec.hydra -V` or in MPI_Get_library_version: 2021.18.1; "2019 Update 4"
    becomes 2019.4."""
    match = re.search(r"Intel\(R\) MPI Library.*?\b(20\d\d(?:\.\d+)*)(?: Update (\d+))?", text)
    if not match:
        return None
    return match.group(1) + (f".{match.group(2)}" if match.group(2) else "")
