"""seal(parts, path): put the parts of a finished job into one file, with call sites named."""

from __future__ import annotations

import os
from typing import Union

from advisor.intake.container.write import write
from advisor.intake.read import read
from advisor.intake.symbols.call_sites import resolve
from advisor.model.profile import Profile

Path = Union[str, "os.PathLike[str]"]


def seal(parts: Path, path: Path, seconds: float = 10.0) -> Profile:
    """Merge, name call sites within `seconds`, write, and read again what was written. Raises
    UserError."""
    write(resolve(read(parts), seconds), path)
    return read(path)
