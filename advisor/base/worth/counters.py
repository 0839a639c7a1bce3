"""Counters of a node's energy, read before and after a run: HPE's pm_counters, else RAPL.

pm_counters count the whole node (cray-hpe.github.io/docs-csm, "User Access to Compute Node Power
Data"). RAPL counts processors and memory, in microjoules up to a range after which it begins anew
(kernel.org, admin-guide/pm, powercap). Since 2020 only root may read RAPL (CVE-2020-8694).
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Dict, Mapping, NamedTuple, Optional

from advisor.base.worth.faults import Energy, believed, doubtful
from advisor.base.worth.site import Site

PM_COUNTERS, RAPL = "HPE pm_counters", "RAPL (processors and memory)"
_PM, _POWERCAP = "sys/cray/pm_counters", "sys/class/powercap"
_PACKAGE = re.compile(r"(package|psys)\S*")
_LONGEST = 200
_MOST_WATTS_OF_A_PACKAGE = 1000.0
"""With which the shortest time is computed in which a counter may have gone round twice."""


class Sample(NamedTuple):
    """`values`: counter → joules. `ranges`: where it begins anew, in joules. `epoch`: changes if
    the counters were reset."""

    source: str
    values: Mapping[str, float]
    ranges: Mapping[str, float]
    epoch: str = ""


def sample(root: Path = Path("/")) -> Optional[Sample]:
    """What the counters of this node say now; None if there are none that can be read."""
    return _pm_counters(root / _PM) or _rapl(root / _POWERCAP)


def used(before: Sample, after: Sample, seconds: float, site: Site) -> Energy:
    """Joules of one node between two samples, or why they are not believed."""
    source = before.source
    if after.source != source or set(after.values) != set(before.values):
        return doubtful(source, "other counters than before")
    if after.epoch != before.epoch:
        return doubtful(source, "the counters were reset while it ran")
    joules = 0.0
    for name, value in before.values.items():
        gone = after.values[name] - value
        around = before.ranges.get(name)
        if gone < 0 and around is None:
            return doubtful(source, "a counter went backwards")
        if around is not None and seconds * _MOST_WATTS_OF_A_PACKAGE > around:
            return doubtful(source, "a counter may have begun anew more than once")
        joules += gone + (around if gone < 0 and around is not None else 0.0)
    return believed(source, joules, seconds, 1, site.most_watts)


def _pm_counters(folder: Path) -> Optional[Sample]:
    """`energy` is "123456 J 1700000000 us": of the node, accelerators included. A new `startup` is
    a controller that began anew, and its counters with it."""
    energy = _number(folder / "energy", r"(\d+) J\b")
    if energy is None:
        return None
    return Sample(PM_COUNTERS, {"energy": energy}, {}, _text(folder / "startup").split(" ")[0])


def _rapl(folder: Path) -> Optional[Sample]:
    """Packages, and memory, which is not part of them. Cores are part of packages; `psys` has all
    of it, and stands alone where it is there."""
    values: Dict[str, float] = {}
    ranges: Dict[str, float] = {}
    names = {zone.name: _text(zone / "name") for zone in sorted(folder.glob("intel-rapl:*"))}
    whole = {zone for zone, name in names.items() if name.startswith("psys")}
    for zone, name in names.items():
        if not (zone in whole if whole else _PACKAGE.fullmatch(name) or name == "dram"):
            continue
        value = _number(folder / zone / "energy_uj", r"(\d+)$")
        around = _number(folder / zone / "max_energy_range_uj", r"(\d+)$")
        if value is None or not around:
            return None  # A part of the node is not the node.
        values[zone], ranges[zone] = value / 1e6, around / 1e6
    return Sample(RAPL, values, ranges) if values else None


def _number(path: Path, form: str) -> Optional[float]:
    match = re.match(form, _text(path))
    return float(match[1]) if match else None


def _text(path: Path) -> str:
    try:
        with open(path, encoding="ascii", errors="replace") as file:
            return file.read(_LONGEST).strip()
    except OSError:
        return ""
