"""Commands that a library brings: found beside its launcher, run with a time limit, their output bounded."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from functools import lru_cache
from typing import Dict, Mapping, Optional, Sequence

LARGEST = 16 << 20


def find(name: str, folder: str = "") -> Optional[str]:
    """A command in `folder`, or else on PATH; None if there is none that can be run."""
    beside = os.path.join(folder, name) if folder else ""
    return beside if beside and os.access(beside, os.X_OK) and os.path.isfile(beside) else shutil.which(name)


def surroundings(prefix: str = "", libraries: str = "") -> Dict[str, str]:
    """Our environment without preloads, with what a library installed at `prefix` needs to find itself."""
    # A preloaded collector or debugger must not enter the commands that we ask.
    environment = {name: value for name, value in os.environ.items() if name not in ("LD_PRELOAD", "LD_AUDIT")}
    if prefix:
        environment["I_MPI_ROOT"] = prefix
    if libraries:
        environment["LD_LIBRARY_PATH"] = os.pathsep.join(filter(None, (libraries, environment.get("LD_LIBRARY_PATH"))))
    return environment


def answer(words: Sequence[str], seconds: float = 10.0, environment: Optional[Mapping[str, str]] = None) -> Optional[str]:
    """Standard output of a command that ended well in time, at most 16 MiB of it; else None. Never raises."""
    try:
        with tempfile.TemporaryFile() as output:
            done = subprocess.run(
                list(words), stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.DEVNULL,
                timeout=seconds, env=dict(environment) if environment is not None else None, check=False,
            )
            output.seek(0)
            text = output.read(LARGEST).decode("utf-8", "replace")
    except (OSError, ValueError, subprocess.SubprocessError):
        return None
    return text if done.returncode == 0 else None


def answer_once(words: Sequence[str], seconds: float = 10.0, environment: Optional[Mapping[str, str]] = None) -> Optional[str]:
    """As `answer`, of a command that only tells: what it said before is not asked again. That it failed, or was too slow, is not remembered."""
    said, key = _said(), (tuple(words), None if environment is None else tuple(sorted(environment.items())))
    if key not in said:
        text = answer(words, seconds, environment)
        if text is None:
            return None
        said[key] = text
    return said[key]


@lru_cache(maxsize=1)
def _said() -> Dict[object, str]:
    return {}
