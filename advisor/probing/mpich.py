"""What MPICH and libraries made from it say of themselves: mpichversion, mpiname -a, or the version
strings in the library."""

from __future__ import annotations

import re
from typing import Dict, FrozenSet, Mapping, Optional

from advisor.probing.reading import Facts, fact

_FIELD = re.compile(
    r"^(?:MPICH2?|MVAPICH2?(?:-\w+)?) ?(Version|Device|configure|ABI|features)\s*:[ \t]*(.*)$",
    re.MULTILINE | re.IGNORECASE,
)
_MPINAME = re.compile(r"^(MVAPICH\S*)[ \t]+(\S+)[ \t]+.*?\b(ch[34]:\S+)[ \t]*$", re.MULTILINE)
_SPELLINGS = {"limic": "limic2", "rocm": "hip"}


def parse_version(text: str) -> Dict[str, str]:
    """version, device, configure, abi, features of mpichversion's output (tabs up to 4.0, spaces
    later)."""
    return {name.lower(): value.strip() for name, value in _FIELD.findall(text) if value.strip()}


def parse_mpiname(text: str) -> Dict[str, str]:
    """The same from `mpiname -a` of MVAPICH2: name, version, date and device in one line, options
    below Configuration."""
    first = _MPINAME.search(text)
    if not first:
        return {}
    fields = {"version": first.group(2), "device": first.group(3)}
    options = re.search(r"^Configuration[ \t]*\n(?:[ \t]*\n)?(.*)$", text, re.MULTILINE)
    if options and options.group(1).strip():
        fields["configure"] = options.group(1).strip()
    return fields


def chosen(configure: str, name: str) -> Optional[bool]:
    """True for --with-NAME or --enable-NAME, False for their opposites, None if neither is there.
    The last one counts."""
    found = re.findall(
        rf"--(with|without|enable|disable)-{re.escape(name)}(?:=([^\s'\"]*))?(?=['\"\s]|$)",
        configure,
    )
    if not found:
        return None
    word, value = found[-1]
    return word in ("with", "enable") and value.lower() != "no"


def built_with(device: str, configure: str, name: str) -> Mapping[str, bool]:
    """capability → whether this build has it, as far as device and configure line tell it.

    `name` is the library's: MVAPICH2 has multicast and CMA unless they were left out (its
    configure.ac), MPICH has neither multicast nor SHARP.
    """
    known: Dict[str, bool] = {}
    if device.startswith("ch4:"):
        netmods = re.split(r"[ ,:]+", device[4:])
        known.update(ucx="ucx" in netmods, ofi="ofi" in netmods)
    elif device:
        known.update(ucx=device.startswith("ch3:ucx"), ofi=device.startswith("ch3:nemesis:ofi"))
    if device:
        known["psm2"] = device.startswith("ch3:psm")
    for key in (
        "xpmem",
        "cma",
        "knem",
        "limic",
        "cuda",
        "rocm",
        "ze",
        "mcast",
        "sharp",
        "hcoll",
        "ucc",
    ):
        value = chosen(configure, _SPELLINGS.get(key, key))
        if value is not None:
            known[key] = value
    _fill_defaults(known, device, configure, name)
    return known


def _fill_defaults(known: Dict[str, bool], device: str, configure: str, name: str) -> None:
    if name.startswith("mvapich2") and configure:
        known.setdefault("cma", True)
        known.setdefault("mcast", device.startswith("ch3:mrail"))
        for key in ("limic", "sharp", "cuda"):
            known.setdefault(key, False)
        if name == "mvapich2":
            known.setdefault("xpmem", False)
    elif name == "mpich" and device:
        known.update(mcast=False, sharp=False)
        for key in ("cuda", "rocm", "ze") if configure else ():
            known.setdefault(key, False)


def parse(fields: Mapping[str, str], name: str, source: str, facts: Facts) -> None:
    """version, device, configure, abi, built_with.* from the fields that were found."""
    for key in ("version", "device", "configure", "abi", "features"):
        if fields.get(key):
            fact(facts, key, fields[key], source)
    for key, value in built_with(
        fields.get("device", ""), fields.get("configure", ""), name
    ).items():
        fact(facts, f"built_with.{key}", value, source)
    threads = thread_multiple(fields.get("configure", ""))
    if threads is not None:
        fact(facts, "built_with.thread_multiple", threads, source)


def thread_multiple(configure: str) -> Optional[bool]:
    """Whether MPI_THREAD_MULTIPLE was built in: so by default since MPICH 1.3; None without a
    configure line."""
    levels = re.findall(r"--(?:enable-threads=([a-z]+)|disable-threads)", configure)
    if not configure:
        return None
    return levels[-1] in ("multiple", "runtime", "default", "yes") if levels else True


def parse_names(text: str) -> FrozenSet[str]:
    """Names of control variables in the output of mpivars."""
    return frozenset(re.findall(r"^[ \t]+([A-Za-z]\w{2,100})[ \t]*=", text, re.MULTILINE))
