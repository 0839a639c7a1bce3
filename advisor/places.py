"""Where rules, samples and collector sources lie: beside the package in a checkout, under share/ when installed."""

from __future__ import annotations

import os
import sys
import sysconfig
from pathlib import Path
from typing import Iterator, Mapping

from advisor.model.errors import UserError

_CHECKOUT = Path(__file__).resolve().parent.parent


def collectors() -> Path:
    """The folder of the collectors' C sources."""
    return _folder("collectors")


def rules() -> Path:
    """The folder of the rule book."""
    return _folder("rules")


def samples() -> Path:
    """The folder of sample programs and recorded profiles."""
    return _folder("samples")


def own_mpi() -> Path:
    """Where the README installs an MPI for the demonstration and the tests: an environment of its own, which no PATH leads to.
    Beside advisor's own commands, its mpirun would start the user's programs, each rank alone."""
    return Path(sys.prefix) / "mpi"


def caches(environment: Mapping[str, str]) -> Iterator[Path]:
    """Folders for what is built on demand, the best first: chosen, beside the installation, the user's. LD_PRELOAD splits at spaces and colons."""
    chosen, home = environment.get("ADVISOR_CACHE"), environment.get("HOME")
    personal = environment.get("XDG_CACHE_HOME") or (os.path.join(home, ".cache") if home else "")
    found = [Path(chosen).absolute()] if chosen else []
    found.append(collectors().parent / ".cache")
    found += [Path(personal).absolute() / "advisor"] if personal else []
    return (folder for folder in found if not set(" :\t\n") & set(str(folder)))


def keeps(folder: Path) -> bool:
    """Whether files can be kept in `folder`, which is made if it is not there."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        ignore = folder / ".gitignore"
        if not ignore.exists():
            ignore.write_text("*\n")
        return os.access(folder, os.W_OK)
    except OSError:
        return False


def _folder(name: str) -> Path:
    candidates = (_CHECKOUT / name, Path(sysconfig.get_path("data")) / "share" / "advisor" / name)
    for folder in candidates:
        if folder.is_dir():
            return folder
    raise UserError(
        f"The folder {name} of advisor is missing.",
        f"It was looked for in {' and '.join(str(folder.parent) for folder in candidates)}.",
        "Install advisor again: the installation is not complete.",
    )
