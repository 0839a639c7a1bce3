"""Which way messages take: the library's point-to-point layer, and what carries messages between
hosts."""

from __future__ import annotations

from typing import Dict, List, Mapping, Optional, Tuple

from advisor.model.library import OPEN_MPI
from advisor.model.profile import Library, Profile

_IN_HOST = ("self", "vader", "sm", "smcuda")
"""Byte transfer layers of Open MPI that stay on a host."""
DEVICES = (
    ("hfi1", "psm2"),
    ("opx", "opx"),
    ("cxi", "cxi"),
    ("kgni", "ugni"),
    ("tofu", "tofu"),
    ("infiniband/uverbs", "verbs"),
)
"""What an open device below /dev says of the network, the surest first: some libraries open verbs
devices only to look."""
_STACKS = {"ucx": "ucx+", "cm+ofi": "ofi+", "ch4:ucx": "ucx+", "ch4:ofi": "ofi+", "ch3:ucx": "ucx+"}


def words(text: str) -> Dict[str, Tuple[str, ...]]:
    """The collector's line "pml=ob1 btl=self,tcp open=" as names by key."""
    pairs = (word.partition("=") for word in text.split())
    return {key: tuple(filter(None, names.split(","))) for key, equals, names in pairs if equals}


def layer(profile: Profile) -> Optional[str]:
    """ob1, ucx, cm+psm2, cm+ofi of Open MPI; ch4:ucx, ch4:ofi, ch3:mrail … of the MPICH family;
    None if it is not known."""
    chosen = words(_fact(profile.library, "transport"))
    if profile.library.name in OPEN_MPI:
        return (
            "+".join(
                chosen.get("pml", ())
                + (chosen.get("mtl", ()) if chosen.get("pml") == ("cm",) else ())
            )
            or None
        )
    device = _fact(profile.library, "device")
    family, colon, netmods = device.partition(":")
    if family != "ch4" or not colon:
        return device or None
    wanted = next(
        (
            setting.value
            for setting in profile.settings
            if setting.name == "MPIR_CVAR_CH4_NETMOD" and setting.value
        ),
        "",
    )
    return f"ch4:{wanted or netmods.replace(',', ' ').split()[0]}"


def fabric(profile: Profile) -> Optional[str]:
    """tcp, verbs, psm2, ucx+verbs, ucx+tcp, ofi+cxi …: how messages leave the host; None if it
    cannot be told."""
    chosen, stack = words(_fact(profile.library, "transport")), layer(profile)
    if stack is None or "open" not in chosen:
        return None
    network = _network(chosen["open"], stack)
    if network is None and stack == "ob1":
        network = _only(chosen.get("btl", ()))
    prefix = _STACKS.get(stack, "")
    return (prefix + network if network else prefix.rstrip("+")) or None


def _network(opened: Tuple[str, ...], stack: str) -> Optional[str]:
    """By what rank 0 held open. libfabric's verbs provider opens cards that it does not use: with
    TCP besides it says nothing."""
    found: List[str] = [
        name for start, name in DEVICES if any(each.startswith(start) for each in opened)
    ]
    if found and not ("tcp" in opened and found == ["verbs"] and _STACKS.get(stack) == "ofi+"):
        return found[0]
    return "tcp" if "tcp" in opened and not found else None


def _only(names: Tuple[str, ...]) -> Optional[str]:
    left = sorted(set(names) - set(_IN_HOST))
    return {"openib": "verbs"}.get(left[0], left[0]) if len(left) == 1 else None


def _fact(library: Library, key: str) -> str:
    facts: Mapping = library.facts
    return str(facts[key].value) if key in facts and facts[key].value else ""
