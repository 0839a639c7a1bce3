"""What a remedy needs, in words, with what was seen on the hosts of this job."""

from __future__ import annotations

import re
from typing import List, Mapping, NamedTuple, Optional, Sequence, Tuple

from advisor.advice.language import units
from advisor.advice.language.expression import Expression, parse
from advisor.advice.language.scope import ONE_ROW, Scope
from advisor.advice.language.unknown import Unknown
from advisor.model.finding import Prerequisite
from advisor.model.message import joined, message

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
    "library.layer": message("layer that sends messages"),
    "node.xpmem_usable": "right to open /dev/xpmem on the hosts",
    "run.delaying_rank_share": "waiting for the rank that was waited for most",
    "node.umad_usable": "right to open umad0 on the hosts",
    "node.threads": "threads of ranks on the hosts",
    "node.ranks": "ranks on the hosts",
    "node.cores": "cores on the hosts",
    "rank.threads_wanted": "threads of ranks",
    "rank.spare_cores": "free cores in the masks of ranks",
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
        message("ranks that do not lie in blocks of consecutive numbers"),
        message("they lie in blocks already"),
    ),
    "run.in_blocks": (
        message("ranks that lie in blocks of consecutive numbers"),
        message("they do not"),
    ),
    "all(not node.gdrcopy)": (
        message("hosts without GDRCopy (/dev/gdrdrv)"),
        message("they have it already"),
    ),
    "run.oversubscription <= 1": (
        message("a core for each thread of the job"),
        message("there are more threads than cores"),
    ),
    "run.delaying_rank_share >= limit.delaying_rank": (
        message("one rank that most of the waiting is for"),
        "",
    ),
    "all(node.threads + node.ranks <= node.cores)": (
        message("a free core of its host for each rank"),
        "",
    ),
    "all(rank.spare_cores >= 1)": (message("a free core in the mask of each rank"), ""),
    "sum(rank.threads_wanted) <= sum(node.cores)": (
        message("a core for each thread of all ranks"),
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
        joined(": ", (needed, message("yes") if holds else otherwise))
        if otherwise and holds is not None
        else joined("; ", (fact.text for fact in seen)) or need
    )
    return Prerequisite(
        text, holds, _collect(value), _reported(needed or _needed(need), otherwise, seen, holds)
    )


def _reported(needed: str, otherwise: str, seen: List[_Seen], holds: Optional[bool]) -> str:
    """What is needed and what is here; empty if it holds."""
    if holds:
        return ""
    if holds is None:
        return message("{need}, not known here", need=needed)
    here = seen[0].value if len(seen) == 1 else joined(", ", (fact.text for fact in seen))
    return message("{need}, here: {seen}", need=needed, seen=otherwise or here)


def _needed(need: str) -> str:
    """A condition in words; as it is written if it is of a form of its own."""
    return joined(" or ", (_part(part) for part in need.split(" or ")))


def _part(part: str) -> str:
    everywhere, compared = _ALL.fullmatch(part), _COMPARED.fullmatch(part)
    if everywhere:
        return _words(everywhere.group(1), everywhere=True)
    if compared and _QUOTED.search(compared.group(2)):
        values = joined(" or ", _QUOTED.findall(compared.group(2)))
        return message("the {name} to be {values}", name=_words(compared.group(1)), values=values)
    if not re.fullmatch(r"\w+\.\w+", part):
        return part
    _, built, name = _WORDS.get(part, "").partition("library built with ")
    return message("a library built with {part}", part=name) if built else _words(part)


def _words(name: str, everywhere: bool = False) -> str:
    words = _WORDS.get(name, name.replace(".", " ").replace("_", " "))
    what, hosts, _ = words.partition(" on the hosts")
    if hosts:
        return (
            message("{what} on all hosts", what=what)
            if everywhere
            else message("{what} on the hosts", what=what)
        )
    _, built, part = words.partition("library built with ")
    return message("library built with {part}", part=part) if built else words


def _collect(value: object) -> str:
    return value.collect() or value.reason() if isinstance(value, Unknown) else ""


class _Seen(NamedTuple):
    words: str
    value: str

    @property
    def text(self) -> str:
        return joined(": ", self)


def _seen(name: str, scope: Scope) -> _Seen:
    table, _, column = name.partition(".")
    unit = scope.view.unit(table, column)
    if table in ONE_ROW or table in scope.rows:
        return _Seen(_words(name), _one(scope.value(table, column), unit, name))
    return _Seen(_words(name), _many(scope.view.cells(table, column) or [], unit, name))


def _one(value: object, unit: str, name: str) -> str:
    if isinstance(value, Unknown):
        return message("not known")
    return units.value(value, unit, units.base_of(name))


def _many(values: Sequence[object], unit: str, name: str) -> str:
    """yes on 3 of 4; or the values that differ; or not known."""
    known = [value for value in values if value is not None]
    if not known:
        return message("not known")
    if all(isinstance(value, bool) for value in known):
        counts = {"have": sum(known), "all": len(values)}  # type: ignore[arg-type]
        if len(known) == len(values):
            return message("on {have} of {all}", **counts)
        return message(
            "on {have} of {all}, not known on {rest}", **counts, rest=len(values) - len(known)
        )
    different = list(
        dict.fromkeys(units.value(value, unit, units.base_of(name)) for value in known)
    )
    first = joined(", ", different[:3])
    if len(different) <= 3:
        return first
    return message("{first} and {count} more", first=first, count=len(different) - 3)
