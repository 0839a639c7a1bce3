"""Fortran namelists: name = value pairs of all groups of a file."""

from __future__ import annotations

import re
from typing import Dict

_PAIR = re.compile(r"([A-Za-z_]\w{0,40})\s*=\s*(?:('[^']*'|\"[^\"]*\")|([^\s,/]+))")


def parse_namelists(text: str) -> Dict[str, str]:
    """name → first value of all namelists, in lower case; comments begin with `!`."""
    values: Dict[str, str] = {}
    for line in text.splitlines():
        for name, quoted, plain in _PAIR.findall(line.split("!", 1)[0]):
            values.setdefault(name.lower(), quoted or plain)
    return values
