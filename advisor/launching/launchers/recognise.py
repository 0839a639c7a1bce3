"""Recognises a launcher: by its name, by the target of its link, or by its own output."""

from __future__ import annotations

import os
import shutil
from typing import Mapping, Optional

from advisor.base import external_programs, launcher_names
from advisor.launching.launchers.launcher import Launcher
from advisor.launching.launchers.table import launchers

_ANSWER_SECONDS = 10


def looks_like_launcher(word: str) -> bool:
    """Whether the name alone says that this is a launcher, known to us or not."""
    name = os.path.basename(word)
    return name in launcher_names.all_names() or name.startswith(("mpirun", "mpiexec"))


def recognise(word: str, environment: Mapping[str, str]) -> Optional[Launcher]:
    """The family of the launcher that `word` names, or None.

    Runs `WORD --version` if the name does not tell.
    """
    path = shutil.which(word, path=environment.get("PATH"))
    real = os.path.realpath(path) if path else ""
    for name in (os.path.basename(word), os.path.basename(real)):
        for launcher in launchers():
            if name in launcher.names or any(
                part in place for part in launcher.paths for place in (path or "", real)
            ):
                return launcher
    if path is None or not looks_like_launcher(word):
        return None
    text = answer(path, environment)
    return next(
        (launcher for launcher in launchers() if any(part in text for part in launcher.answers)),
        None,
    )


def answer(path: str, environment: Mapping[str, str]) -> str:
    """What `PATH --version` says, on either stream; empty if it fails or takes too long."""
    said = external_programs.ask([path, "--version"], _ANSWER_SECONDS, environment, errors=True)
    return said.text if said else ""
