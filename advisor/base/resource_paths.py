"""Finds rules, samples and collector sources: beside the package in a checkout, under share/ when
installed."""

from __future__ import annotations

import os
import sys
from functools import lru_cache
from pathlib import Path
from typing import Iterator, Mapping, Optional

from advisor.base import trusted_files
from advisor.model.errors import UserError

_CHECKOUT = Path(__file__).resolve().parents[2]


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
    """Where the README installs an MPI for the demonstration and the tests: an environment of its
    own, which no PATH leads to. Beside advisor's own commands, its mpirun would start the user's
    programs, each rank alone."""
    return Path(sys.prefix) / "mpi"


def caches(environment: Mapping[str, str]) -> Iterator[Path]:
    """Folders for what is built on demand, the best first: chosen, beside the installation, the
    user's. LD_PRELOAD splits at spaces and colons."""
    chosen, home = environment.get("ADVISOR_CACHE"), environment.get("HOME")
    personal = environment.get("XDG_CACHE_HOME") or (os.path.join(home, ".cache") if home else "")
    found = [Path(chosen).absolute()] if chosen else []
    found.append(collectors().parent / ".cache")
    found += [Path(personal).absolute() / "advisor"] if personal else []
    return (folder for folder in found if not _splits(folder))


def data(environment: Mapping[str, str]) -> Path:
    """The folder of what a user keeps from run to run: $XDG_DATA_HOME/advisor, else
    ~/.local/share/advisor. It need not be there."""
    chosen = environment.get("XDG_DATA_HOME") or os.path.join(
        environment.get("HOME") or os.path.expanduser("~"), ".local", "share"
    )
    return Path(chosen).absolute() / "advisor"


def kept(
    name: str, environment: Mapping[str, str], last_resort: Optional[Path] = None
) -> Optional[Path]:
    """The one path of a file that was built before; None if there is none that nobody but this user
    and root could have written.

    `last_resort`: a folder to look in when it is in none of the caches.
    """
    for folder in _and(caches(environment), last_resort):
        try:
            found = trusted_files.inside(folder, name)
        except OSError:
            continue
        if not _splits(found):
            return found
    return None


def to_keep(environment: Mapping[str, str], last_resort: Optional[Path] = None) -> Optional[Path]:
    """The first cache in which only this user and root can write, made if it is not there; None if
    there is none."""
    return next(
        (folder for folder in map(_kept_in, _and(caches(environment), last_resort)) if folder), None
    )


def refused(environment: Mapping[str, str]) -> Optional[UserError]:
    """Why the cache that the user chose is not used; None if it is, or if he chose none."""
    chosen = environment.get("ADVISOR_CACHE")
    if not chosen:
        return None
    try:
        if not _splits(Path(chosen)) and not _splits(trusted_files.made(Path(chosen).absolute())):
            return None
        clause = "its name has spaces or colons, at which LD_PRELOAD would be split"
    except OSError as error:
        clause = error.strerror or str(error)
    what = f"ADVISOR_CACHE={chosen} is not used: {clause}."
    return UserError(
        what,
        do=(
            "Choose a folder that nobody but you and root can write to, in folders of the same kind"
            " or sticky as /tmp is."
        ),
    )


def _kept_in(folder: Path) -> Optional[Path]:
    """The one path of a folder if files can be kept in it."""
    if not trusted_files.private(folder):
        return None
    try:
        ignore = folder / ".gitignore"
        if not ignore.exists():
            ignore.write_text("*\n")
    except OSError:
        return None
    real = folder.resolve()
    return None if _splits(real) else real


def _and(folders: Iterator[Path], last: Optional[Path]) -> Iterator[Path]:
    yield from folders
    if last is not None:
        yield last


def _splits(folder: Path) -> bool:
    """Whether LD_PRELOAD would be split within this path."""
    return bool(set(" :\t\n") & set(str(folder)))


# Asked for each rule file; where Python installs data takes a while to work out.
@lru_cache(maxsize=None)
def _folder(name: str) -> Path:
    import sysconfig  # Not needed in a checkout.

    beside = _CHECKOUT / name
    if beside.is_dir():
        return beside
    # The prefix may be another than that of the Python in use: `pip install --prefix` and `--user`.
    # Its site-packages lie three folders below it; `--target` makes no such folders.
    prefixes = dict.fromkeys(
        (*list(_CHECKOUT.parents)[2:3], _CHECKOUT, Path(sysconfig.get_path("data")))
    )
    places = [prefix / "share" / "advisor" / name for prefix in prefixes]
    for installed in places:
        if installed.is_dir():
            return installed
    raise UserError(
        f"The folder {name} of advisor is missing.",
        f"It was looked for in {', '.join(str(place.parent) for place in (beside, *places))}.",
        "Install advisor again: the installation is not complete.",
    )
