"""Is a variable's name one that the library of this run knows, and if not, which known name did its
author mean?"""

from __future__ import annotations

from functools import lru_cache
from typing import FrozenSet, Iterable, NamedTuple, Optional, Tuple

from advisor.model.library import OPEN_MPI, release
from advisor.model.profile import Library

MVAPICH2 = ("mvapich2", "mvapich2-x", "mvapich2-gdr")
_MPICH_PREFIXES = ("MPIR_CVAR_", "MPICH_", "MPIR_PARAM_", "MVP_")
"""MPICH reads each variable under the first three; MVAPICH from 3 on under the last as well."""
_MOST_MISTAKES = ((8, 1), (100, 2))
"""(length of the name, differing letters at most): of short names one, since two make another word
of them."""
_OF_KIN = (
    "MV2_USE_XPMEM_COLL",
    "MV2_USE_CMA_COLL",
    "MV2_OPTIMIZED_ASYNC_PROGRESS",
    "MV2_USE_DC",
    "MV2_USE_GDR",
    "MV2_GPUDIRECT_",
)
"""How names begin that MVAPICH2-X and -GDR alone know: in MVAPICH2 they do nothing, and are not
misspelt, however near a name is. KISTI 2020 (output of MV2_SHOW_ENV_INFO=2); MVAPICH2-GDR 2.3
user guide."""


class Names(NamedTuple):
    """Names under which a variable may be known. `prefix` is what the environment puts in front of
    them.

    `complete`: what is not among them is surely not known. The listings of UCX, libfabric and PRRTE
    leave out what is not loaded just now.
    """

    prefix: str
    known: FrozenSet[str]
    complete: bool


def is_known(name: str, library: Library) -> Optional[bool]:
    """Whether this library reads a variable of this name; None where nobody could tell."""
    names = _names(name, library)
    if names is None:
        return None
    if not names.known:
        return False if names.complete else None
    return True if name[len(names.prefix) :] in names.known else False if names.complete else None


def right_name(name: str, library: Library) -> str:
    """The known name that is spelled almost like this one, as it would be written; empty if it is
    right, or none is near."""
    names = _names(name, library)
    if (
        names is None
        or not names.known
        or name[len(names.prefix) :] in names.known
        or name.startswith(_OF_KIN)
    ):
        return ""
    near = nearest(name[len(names.prefix) :], names.known)
    return names.prefix + near if near else ""


def is_meant(name: str, library: Library) -> bool:
    """Whether this library reads a variable of this name, or of one that is spelled almost like
    it."""
    return bool(is_known(name, library) or right_name(name, library))


def _names(name: str, library: Library) -> Optional[Names]:
    """Where to look a variable up: the names that its layer knows under this library. None: nobody
    was asked."""
    kind = library.name
    if kind in ("", "unknown"):
        return None
    if name.startswith("OMPI_MCA_"):
        return (
            Names("OMPI_MCA_", frozenset(), True)
            if kind not in OPEN_MPI
            else _listed("OMPI_MCA_", library, "settings.known")
        )
    if name.startswith("PRTE_MCA_"):
        return _of_launcher(library) if kind in OPEN_MPI else None
    if name.startswith("I_MPI_"):
        return (
            Names("", frozenset(), True)
            if kind != "intel"
            else _listed("", library, "settings.known")
        )
    if name.startswith("MV2_"):
        return (
            Names("", frozenset(), True)
            if kind not in MVAPICH2
            else _listed("", library, "settings.known")
        )
    if name.startswith(_MPICH_PREFIXES):
        return _of_mpich(name, library)
    return next(
        (
            _listed("", library, f"settings.known.{word}", False)
            for start, word in (("UCX_", "ucx"), ("FI_", "ofi"))
            if name.startswith(start)
        ),
        None,
    )


def _of_launcher(library: Library) -> Optional[Names]:
    """PRRTE came with Open MPI 5; before, nobody reads its variables."""
    if release(library.version) and release(library.version) < (5,):
        return Names("PRTE_MCA_", frozenset(), True)
    return _listed("PRTE_MCA_", library, "settings.known.prte", False)


def _of_mpich(name: str, library: Library) -> Optional[Names]:
    if library.name in OPEN_MPI:
        return Names("", frozenset(), True)
    if name.startswith("MVP_") and library.name != "mvapich":
        return Names("", frozenset(), True)
    listed = _listed("", library, "settings.known")
    if listed is None or library.name == "cray":
        return listed
    prefix = next(each for each in _MPICH_PREFIXES if name.startswith(each))
    return Names(
        prefix,
        frozenset(
            each[len("MPIR_CVAR_") :] for each in listed.known if each.startswith("MPIR_CVAR_")
        ),
        listed.complete,
    )


def _listed(prefix: str, library: Library, fact: str, complete: bool = True) -> Optional[Names]:
    if fact not in library.facts or not library.facts[fact].value:
        return None
    return Names(prefix, _words(str(library.facts[fact].value)), complete)


@lru_cache(maxsize=8)
def _words(text: str) -> FrozenSet[str]:
    return frozenset(text.split())


def nearest(name: str, known: Iterable[str]) -> str:
    """The known name with the fewest differing letters, if they are few enough; empty if not."""
    most = next((mistakes for length, mistakes in _MOST_MISTAKES if len(name) <= length), 0)
    found: Tuple[int, str] = (most + 1, "")
    for other in sorted(known):
        if abs(len(other) - len(name)) <= most:
            found = min(found, (distance(name, other, most), other))
    return found[1] if found[0] <= most else ""


def distance(one: str, other: str, most: int) -> int:
    """Letters to insert, leave out, change or swap with their neighbour to make one word of the
    other; most + 1 if they are more."""
    before: Tuple[int, ...] = ()
    last = tuple(range(len(other) + 1))
    for row, letter in enumerate(one, 1):
        now = [row]
        for column, there in enumerate(other, 1):
            steps = [last[column] + 1, now[-1] + 1, last[column - 1] + (letter != there)]
            if before and column > 1 and letter == other[column - 2] and one[row - 2] == there:
                steps.append(before[column - 2] + 1)
            now.append(min(steps))
        if min(now) > most:
            return most + 1
        before, last = last, tuple(now)
    return last[-1]
