"""The checks of `advisor doctor` that need more than one room: what libraries were built with,
rules, folders."""

from __future__ import annotations

import os
import tempfile
from typing import List, Mapping, Tuple

from advisor import advice
from advisor.base import resource_paths
from advisor.cli.installed import Measured
from advisor.cli.report import folders
from advisor.model.errors import UserError
from advisor.probing.check import Check
from advisor.probing.library import probe_library

_TELLING = (
    ("ucx", "UCX"),
    ("ofi", "libfabric"),
    ("psm2", "PSM2"),
    ("cma", "CMA"),
    ("xpmem", "XPMEM"),
    ("knem", "KNEM"),
    ("hcoll", "HCOLL"),
    ("mcast", "multicast"),
    ("cuda", "CUDA"),
)


def built_with(found: List[Measured]) -> List[Check]:
    """What each library was built with, as far as it tells: what remedies ask for."""
    return [_built_with(entry) for entry in found if entry.launchers]


def _built_with(entry: Measured) -> Check:
    facts = probe_library(
        entry.library.path, entry.library.name, entry.library.version, entry.launchers[0]
    )
    known = {
        title: facts[f"built_with.{key}"].value
        for key, title in _TELLING
        if f"built_with.{key}" in facts
    }
    have, lack = (
        [title for title, value in known.items() if value is wanted] for wanted in (True, False)
    )
    if not known:
        return Check(
            entry.library.title(),
            None,
            "does not say what it was built with",
            "install its own commands (ompi_info, mpichversion, mpiname)",
        )
    device = f"{facts['device'].value}; " if "device" in facts else ""
    return Check(
        entry.library.title(),
        True,
        f"{device}with {', '.join(have) or 'none of these'}; without {', '.join(lack) or 'none'}",
    )


def rules(more: List[str]) -> Check:
    """Whether the rule folders can be read."""
    chosen = folders(more)
    try:
        count = len(advice.load_rules(chosen))
    except UserError as problem:
        return Check("Rules", False, problem.what, problem.do or "advisor rules check FOLDER")
    return Check("Rules", count > 0, f"{count} from {', '.join(map(str, chosen))}")


def places_to_write(environment: Mapping[str, str]) -> List[Tuple[str, str]]:
    """(what for, folder): results, temporary files, and the first cache of collectors that exists
    or can be made."""
    named = [("Results", os.getcwd()), ("Temporary files", tempfile.gettempdir())]
    cache = resource_paths.to_keep(environment)
    return named + ([("Collectors", str(cache))] if cache else [])


def refused_cache(environment: Mapping[str, str]) -> List[Check]:
    """ADVISOR_CACHE if it is not used; nothing if it is, or if there is none."""
    refusal = resource_paths.refused(environment)
    return [Check("ADVISOR_CACHE", False, refusal.what, refusal.do)] if refusal else []
