"""What a Cube archive describes: metrics, call paths with their regions, and the ranks that
locations belong to."""

from __future__ import annotations

from typing import Dict, List, NamedTuple, Optional, Set, Tuple
from xml.etree.ElementTree import Element

from advisor.intake.foreign.base.profile_builder import MOST_RANKS, count
from advisor.intake.foreign.base.xml import parse, text
from advisor.intake.untrusted.damage import Damage

_MOST = 1 << 31


class Metric(NamedTuple):
    """A metric; `parent` is the one that holds it. `title`: its name as people know it, of which
    `name` may be a form without special letters."""

    id: str
    name: str
    inclusive: bool
    dtype: str
    unit: str
    parent: str
    title: str = ""


class Region(NamedTuple):
    """A function."""

    name: str
    file: str
    mpi: bool


class CallPath(NamedTuple):
    """A node of the call tree; `parent` is its position in the list, -1 for a root."""

    region: Region
    parent: int
    line: int


class Location(NamedTuple):
    """A thread: its rank and host; `first` of its rank."""

    rank: int
    host: str
    first: bool


class Description(NamedTuple):
    """`paths` depth first, as metrics with exclusive values count them; `wide`: the same positions
    as inclusive ones count them."""

    creator: str
    metrics: List[Metric]
    paths: List[CallPath]
    wide: List[int]
    locations: List[Location]


def describe(anchor: bytes) -> Description:
    """Description from anchor.xml. Raises Damage."""
    root = parse(anchor)
    program, system = root.find("program"), root.find("system")
    if root.tag != "cube" or program is None or system is None:
        raise Damage("its anchor.xml describes no program or no system")
    creator = next(
        (attr.get("value", "") for attr in root.findall("attr") if attr.get("key") == "Creator"), ""
    )
    paths, wide = _paths(program, _regions(program))
    return Description(creator[:60], _metrics(root), paths, wide, _locations(system))


def _metrics(root: Element) -> List[Metric]:
    found: List[Metric] = []
    known: Set[str] = set()
    stack = [(metric, "") for metric in root.findall("metrics/metric")[::-1]]
    while stack:
        element, parent = stack.pop()
        name = text(element, "uniq_name")
        if name in known:
            raise Damage("a metric of it is there twice")
        known.add(name)
        found.append(
            Metric(
                element.get("id", ""),
                name,
                element.get("type") == "INCLUSIVE",
                text(element, "dtype").upper(),
                text(element, "uom"),
                parent,
                text(element, "disp_name") or name,
            )
        )
        stack += [(child, name) for child in element.findall("metric")[::-1]]
    return found


def _regions(program: Element) -> Dict[str, Region]:
    found = {}
    for region in program.findall("region"):
        name, file = text(region, "name"), (region.get("mod") or "").strip()
        mpi = text(region, "paradigm") == "mpi" or (name.startswith("MPI_") and file in ("", "MPI"))
        found[region.get("id", "")] = Region(
            name[:200], "" if mpi else file[:400], mpi and name.startswith("MPI_")
        )
    return found


def _paths(program: Element, regions: Dict[str, Region]) -> Tuple[List[CallPath], List[int]]:
    """Call paths depth first. Inclusive metrics number a root, then all children of a node
    together, then each child's children."""
    paths: List[CallPath] = []
    wide: List[int] = []
    children: List[List[int]] = []
    stack: List[Tuple[Element, int]] = [(node, -1) for node in program.findall("cnode")[::-1]]
    while stack:
        node, parent = stack.pop()
        region = regions.get(node.get("calleeId", ""))
        if region is None:
            raise Damage("a call path names a function that is not there")
        line = node.get("line", "-1")
        paths.append(CallPath(region, parent, int(line[:9]) if line.isdigit() else 0))
        children.append([])
        if parent >= 0:
            children[parent].append(len(paths) - 1)
        stack += [(child, len(paths) - 1) for child in node.findall("cnode")[::-1]]
    for root in (index for index, path in enumerate(paths) if path.parent < 0):
        wide.append(root)
        open_nodes = [root]
        while open_nodes:
            inner = children[open_nodes.pop()]
            wide += inner
            open_nodes += inner[::-1]
    return paths, wide


def _locations(system: Element) -> List[Location]:
    found: Dict[int, Location] = {}
    stack = [(node, "") for node in system.findall("systemtreenode")[::-1]]
    seen = set()
    while stack:
        node, host = stack.pop()
        kind, name = text(node, "class") or (node.get("class") or ""), text(node, "name")
        host = name[5:] if name.startswith("node ") else name if kind == "node" else host
        for group in node.findall("locationgroup"):
            own = count(text(group, "rank") or group.get("Id"), "rank of a process", MOST_RANKS - 1)
            for location in group.findall("location"):
                identity = count(location.get("Id"), "Id of a location", _MOST)
                found[identity] = Location(own, host[:80] or "unknown", own not in seen)
                seen.add(own)
        stack += [(child, host) for child in node.findall("systemtreenode")[::-1]]
    if not found:
        raise Damage("its anchor.xml describes no process")
    return [found[identity] for identity in sorted(found)]


def metric(description: Description, name: str) -> Optional[Metric]:
    """A metric by its name."""
    return next((found for found in description.metrics if found.name == name), None)
