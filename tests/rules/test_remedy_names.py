"""Every variable that a remedy sets for a library installed here is one that this library knows, as
it is installed."""

from __future__ import annotations

import functools
import os
import re

import pytest
from mpi_builds import BUILDS, find, require

from advisor.advice import load_rules
from advisor.advice.rulebook.selectors import covers
from advisor.analysis.metrics.setting_names import is_known, right_name
from advisor.base import resource_paths
from advisor.launching.target.library_of import launcher_library, with_version
from advisor.model.profile import Fact, Library
from advisor.probing import known_settings, probe_library
from advisor.probing.library import known_elsewhere

RULES = load_rules([resource_paths.rules()])
OF_THE_SYSTEM = (
    "OMP_",
    "SLURM_",
    "SRUN_",
    "ADVISOR_",
    "MALLOC_",
    "NAME",
    "PSM2_",
    "PSM3_",
    "HFI_",
    "HCOLL_",
    "SHARP_",
)
"""Read by others than the MPI library: OpenMP, Slurm, ourselves, the drivers of networks,
Mellanox's collective libraries."""
SELECTED_ELSEWHERE = ("app ", "launcher ", "slurm", "pbs", "pjm", "srun", "mpirun_rsh")


@functools.lru_cache(maxsize=None)
def library_of(name):
    """The installed library with what it says of itself and its settings."""
    build = find(name)
    variables = {**os.environ, **build.environment}
    found = with_version(launcher_library(build.launcher[0], variables), variables)
    words = (found.path, found.name, found.version, build.launcher[0])
    known = {
        "settings.known": known_settings(*words),
        **{f"settings.known.{kind}": names for kind, names in known_elsewhere(*words).items()},
    }
    return Library(
        found.name,
        found.version,
        path=found.path,
        facts={
            **probe_library(*words),
            **{key: Fact(" ".join(names), "") for key, names in known.items()},
        },
    )


def for_library(remedy, library):
    """Whether a remedy may be shown to users of this library, whatever the launcher, scheduler or
    program."""
    parts = [
        part.strip()
        for part in remedy.applies.split(" and ")
        if not part.strip().startswith(SELECTED_ELSEWHERE)
    ]
    facts = {
        "library": library.name,
        "version": library.version,
        "application": "",
        "launcher": "",
        "scheduler": "",
    }
    return remedy.applies != "other" and bool(parts) and covers(" and ".join(parts), facts)


def built_without(remedy, library):
    """Whether the remedy needs what this build does not have: then it is not offered, and its
    variables may be absent."""
    facts = [
        library.facts.get(f"built_with.{name}")
        for need in remedy.needs
        for name in re.findall(r"library\.built_with_(\w+)", need)
    ]
    return any(fact is not None and fact.value is False for fact in facts)


def variables(text):
    """Names that a remedy sets: NAME=VALUE, --mca NAME VALUE, -genv NAME VALUE. Places in braces
    are no names."""
    text = re.sub(r"\{[^}]*\}", "VALUE", text)
    found = re.findall(r"(?:^|\s)([A-Z][A-Za-z0-9]*_\w+)=", text)
    found += [f"OMPI_MCA_{name}" for name in re.findall(r"--?mca\s+(\w+)", text)] + re.findall(
        r"-genv\s+(\w+)\s", text
    )
    return [name for name in found if not name.startswith(OF_THE_SYSTEM)]


def named(library):
    """(rule, variable) of all remedies for this library."""
    return [
        (rule.id, name)
        for rule in RULES
        for remedy in rule.remedies
        if for_library(remedy, library) and not built_without(remedy, library)
        for text in (remedy.text if remedy.kind in ("set", "launch") else "", remedy.undo)
        for name in variables(text)
    ]


@pytest.mark.parametrize("build", BUILDS, ids=str)
def test_every_variable_of_a_remedy_is_known(build):
    require(build)
    library = library_of(build.name)
    names = named(library)
    assert len({name for _, name in names}) >= 3, "the test reads remedies"
    assert sorted({(rule, name) for rule, name in names if is_known(name, library) is False}) == []
    assert (
        sorted(
            {
                (rule, name, right_name(name, library))
                for rule, name in names
                if right_name(name, library)
            }
        )
        == []
    ), "nearly the name of a known one"
