"""What a remedy needs, in words, with what was seen on the hosts of this job."""

from __future__ import annotations

import re
from typing import List, Mapping, Optional, Tuple

from advisor.advice.language import units
from advisor.advice.language.expression import Expression, parse
from advisor.advice.language.scope import ONE_ROW, Scope
from advisor.advice.language.unknown import Unknown
from advisor.model.finding import Prerequisite

_WORDS: Mapping[str, str] = {
    "node.xpmem": "XPMEM (/dev/xpmem) on the hosts",
    "node.knem": "KNEM (/dev/knem) on the hosts",
    "node.limic": "LiMIC2 on the hosts",
    "node.cma": "CMA (process_vm_readv) allowed on the hosts",
    "node.ptrace_scope": "kernel.yama.ptrace_scope on the hosts",
    "node.infiniband": "InfiniBand on the hosts",
    "node.roce": "RoCE on the hosts",
    "node.omnipath": "Omni-Path on the hosts",
    "node.slingshot": "Slingshot on the hosts",
    "node.efa": "EFA on the hosts",
    "node.gpu": "GPU on the hosts",
    "node.ethernet_only": "only Ethernet on the hosts",
    "node.hugepages": "huge pages on the hosts",
    "node.smt": "hardware threads on the hosts",
    "library.built_with_xpmem": "library built with XPMEM",
    "library.built_with_ucx": "library built with UCX",
    "library.built_with_cma": "library built with CMA",
    "library.built_with_knem": "library built with KNEM",
    "library.built_with_mcast": "library built with multicast",
    "library.built_with_sharp": "library built with SHARP",
    "library.built_with_cuda": "library built with CUDA",
    "library.built_with_psm2": "library built with PSM2",
    "library.layer": "layer that sends messages",
    "node.xpmem_usable": "right to open /dev/xpmem on the hosts",
    "run.delaying_rank_share": "waiting for the rank that was waited for most",
    "node.umad_usable": "right to open umad0 on the hosts",
    "node.threads": "threads of ranks on the hosts",
    "node.ranks": "ranks on the hosts",
    "node.cpus": "processors on the hosts",
    "library.fabric": "way between hosts",
    "library.device": "device of the library",
    "library.configure": "configure line of the library",
    "library.version": "library version",
    "library.name": "library",
    "run.thread_provided": "thread level provided",
    "run.thread_requested": "thread level requested",
    "run.nodes": "hosts",
    "run.scheduler": "scheduler",
    "run.launcher": "launcher",
}
_TOLD: Mapping[str, Tuple[str, str]] = {
    "not run.in_blocks": (
        "ranks that do not lie in blocks of consecutive numbers",
        "they lie in blocks already",
    ),
    "run.in_blocks": ("ranks that lie in blocks of consecutive numbers", "they do not"),
    "all(not node.gdrcopy)": ("hosts without GDRCopy (/dev/gdrdrv)", "they have it already"),
    "run.oversubscription <= 1": (
        "a core for each thread of the job",
        "there are more threads than cores",
    ),
    "run.delaying_rank_share >= limit.delaying_rank": (
        "one rank that most of the waiting is for",
        "",
    ),
    "all(node.threads + node.ranks <= node.cpus)": (
        "a free processor of its host for each rank",
        "",
    ),
}
"""Conditions whose values do not tell what is asked for: that, and what a run is like in which it
is not so; empty: the values."""
_ALL = re.compile(r"all\((\w+\.\w+)\)")
_COMPARED = re.compile(r"(\w+\.\w+) (?:==|in) (.+)")
_QUOTED = re.compile(r'"([^"]+)"')


def prerequisite(need: str, each: str, scope: Scope) -> Prerequisite:
    """One condition of a remedy. `holds` is None where it could not be looked at."""
    expression = parse(need, each)
    value = expression.evaluate(scope)
    seen = [
        _seen(name, scope) for name in sorted(expression.names) if not name.startswith("limit.")
    ]
    holds = value if isinstance(value, bool) else None
    needed, otherwise = _TOLD.get(need, ("", ""))
    text = (
        f"{needed}: {'yes' if holds else otherwise}"
        if otherwise and holds is not None
        else "; ".join(seen) or need
    )
    return Prerequisite(
        text, holds, _collect(value), _reported(needed or _needed(need), otherwise, seen, holds)
    )


def _reported(needed: str, otherwise: str, seen: List[str], holds: Optional[bool]) -> str:
    """What is needed and what is here; empty if it holds."""
    if holds:
        return ""
    here = otherwise or (seen[0].rpartition(": ")[2] if len(seen) == 1 else ", ".join(seen))
    return f"{needed}, not known here" if holds is None else f"{needed}, here: {here}"


def _needed(need: str) -> str:
    """A condition in words; as it is written if it is of a form of its own."""
    return " or ".join(_part(part) for part in need.split(" or "))


def _part(part: str) -> str:
    everywhere, compared = _ALL.fullmatch(part), _COMPARED.fullmatch(part)
    if everywhere:
        return _words(everywhere.group(1)).replace(" on the hosts", " on all hosts")
    if compared and _QUOTED.search(compared.group(2)):
        return (
            f"the {_words(compared.group(1))} to be"
            f" {' or '.join(_QUOTED.findall(compared.group(2)))}"
        )
    if not re.fullmatch(r"\w+\.\w+", part):
        return part
    return f"a {_words(part)}" if "built_with" in part else _words(part)


def _words(name: str) -> str:
    return _WORDS.get(name, name.replace(".", " ").replace("_", " "))


def _collect(value: object) -> str:
    return value.collect() or value.reason() if isinstance(value, Unknown) else ""


def _seen(name: str, scope: Scope) -> str:
    table, _, column = name.partition(".")
    words = _words(name)
    if table in ONE_ROW or table in scope.rows:
        return f"{words}: {_one(scope.value(table, column), scope.view.unit(table, column), name)}"
    values = scope.view.cells(table, column) or []
    return f"{words}: {_many(values, scope.view.unit(table, column), name)}"


def _one(value: object, unit: str, name: str) -> str:
    return (
        "not known" if isinstance(value, Unknown) else units.value(value, unit, units.base_of(name))
    )


def _many(values: List[object], unit: str, name: str) -> str:
    """yes on 3 of 4; or the values that differ; or not known."""
    known = [value for value in values if value is not None]
    if not known:
        return "not known"
    if all(isinstance(value, bool) for value in known):
        unseen = f", not known on {len(values) - len(known)}" if len(known) < len(values) else ""
        return f"on {sum(known)} of {len(values)}{unseen}"  # type: ignore[arg-type]
    different = list(
        dict.fromkeys(units.value(value, unit, units.base_of(name)) for value in known)
    )
    return ", ".join(different[:3]) + (
        f" and {len(different) - 3} more" if len(different) > 3 else ""
    )
