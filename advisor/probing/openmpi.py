"""Asks Open MPI about itself: `ompi_info --parsable --all`."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Dict, FrozenSet, List, Mapping, Optional, Set

from advisor.base import answer_cache
from advisor.probing.reading import Facts, fact

SOURCE = "ompi_info"
FRAMEWORKS = ("pml", "mtl", "btl", "coll", "osc", "smsc")
_ONE_TEXT = lru_cache(maxsize=1)
"""Several questions are put to the same megabyte of text; reading it takes some milliseconds each
time."""
_SINGLE_COPY = "mca:btl:vader:param:btl_vader_single_copy_mechanism:enumerator:"


@_ONE_TEXT
def parse_components(text: str) -> Mapping[str, FrozenSet[str]]:
    """framework → names of its installed components."""
    found: Dict[str, Set[str]] = {}
    for framework, name in re.findall(
        r"^mca:(\w{1,40}):(\w{1,60}):version:\"component", text, re.MULTILINE
    ):
        found.setdefault(framework, set()).add(name)
    return {framework: frozenset(names) for framework, names in found.items()}


@_ONE_TEXT
def parse_values(text: str) -> Mapping[str, str]:
    """Control variable → value in force. Other names of a variable have its value."""
    return dict(re.findall(r"^mca:\w+:\w+:param:(\w+):value:(.*)$", text, re.MULTILINE))


def rests_on(text: str) -> Optional[List[str]]:
    """Files and folders of its own that Open MPI's answer rests on: parameter files, there or not,
    and the folders of components. None if it does not tell them."""
    values = {name: value.strip('"') for name, value in parse_values(text).items()}
    files = [
        values.get(name, "")
        for name in (
            "mca_base_param_files",
            "mca_base_override_param_file",
            "mca_base_envar_file_prefix",
        )
    ]
    folders = values.get("mca_base_component_path", "")
    if not (files[0] and folders):
        return None
    listed = [file for part in files for file in part.split(",") if file]
    return listed + [
        path for folder in folders.split(":") if folder for path in answer_cache.tree(folder)
    ]


@_ONE_TEXT
def parse_names(text: str) -> FrozenSet[str]:
    """All names of control variables, second names included."""
    names = re.findall(r"^mca:\w+:\w+:param:(\w+):", text, re.MULTILINE)
    return frozenset(names) | frozenset(
        re.findall(r":synonym(?:_of)?:name:(\w+)$", text, re.MULTILINE)
    )


def parse_single_copy(text: str) -> FrozenSet[str]:
    """Mechanisms of copying once that were compiled in: cma, knem, xpmem. A smsc component each
    from version 5 on."""
    vader = {line.rsplit(":", 1)[-1] for line in text.splitlines() if line.startswith(_SINGLE_COPY)}
    return frozenset(vader | parse_components(text).get("smsc", frozenset())) & {
        "cma",
        "knem",
        "xpmem",
    }


def built_with(text: str) -> Mapping[str, bool]:
    """capability → whether this build has it. Empty if the text has no component at all, so that
    nothing is claimed."""
    parts = parse_components(text)
    if not parts:
        return {}
    single, values = parse_single_copy(text), parse_values(text)

    def has(name: str, *frameworks: str) -> bool:
        return any(name in parts.get(framework, ()) for framework in frameworks)

    known = {
        "ucx": has("ucx", "pml", "osc", "spml"),
        "ofi": has("ofi", "mtl", "btl"),
        "psm2": has("psm2", "mtl"),
        "hcoll": has("hcoll", "coll"),
        "ucc": has("ucc", "coll"),
        "cuda": values.get("mpi_built_with_cuda_support") == "true" or has("cuda", "accelerator"),
        "rocm": has("rocm", "accelerator"),
        "ze": has("ze", "accelerator"),
        **{name: name in single for name in ("cma", "knem", "xpmem")},
    }
    if not (known["hcoll"] or known["ucc"]):
        # Multicast and in-network reduction come with these two components only; with one of them
        # it depends on its build.
        known.update(mcast=False, sharp=False)
    return known


def parse(text: str, facts: Facts) -> None:
    """version, configure, device, components.*, built_with.* from the output."""
    fields = dict(
        re.findall(r"^(ident|package|config:cli|mpi-api:version:full):(.*)$", text, re.MULTILINE)
    )
    for key, field in (
        ("version", "ident"),
        ("package", "package"),
        ("configure", "config:cli"),
        ("standard", "mpi-api:version:full"),
    ):
        if fields.get(field, "").strip():
            fact(facts, key, fields[field].strip(), SOURCE)
    for name, value in built_with(text).items():
        fact(facts, f"built_with.{name}", value, SOURCE)
    threads = re.search(r"^option:threads:.*MPI_THREAD_MULTIPLE: (yes|no)", text, re.MULTILINE)
    if threads:
        fact(facts, "built_with.thread_multiple", threads.group(1) == "yes", SOURCE)
    parts = parse_components(text)
    for framework in FRAMEWORKS:
        if framework in parts:
            fact(facts, f"components.{framework}", " ".join(sorted(parts[framework])), SOURCE)
