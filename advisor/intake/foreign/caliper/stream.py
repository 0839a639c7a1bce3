"""Caliper's native stream: nodes that form a tree, and records that point into it."""

from __future__ import annotations

import re
from typing import Any, Dict, Iterator, List, Mapping, Sequence, Tuple

from advisor.intake.foreign.base.text import lines
from advisor.intake.untrusted.damage import Damage

_NAME = "8"
"""The attribute that holds names of attributes has this number always."""
_DEEPEST = 1000
_LETTERS_AT_LEAST, _LETTERS_OF_A_BYTE, _STEP = 16_000_000, 8, 8
"""Letters that may be joined to paths in any file, and beside them for each byte of it; a node
costs as much as _STEP letters."""
_SPLIT = re.compile(r"(?<!\\),")
_EQUALS = re.compile(r"(?<!\\)=")
_REGIONS = ("region", "function", "annotation", "loop", "phase", "mpi.function", "statement")


class _Tree:
    """Nodes by id: (attribute id, data, parent id)."""

    def __init__(self, size: int) -> None:
        self.nodes: Dict[str, Tuple[str, str, str]] = {}
        self._letters = _LETTERS_OF_A_BYTE * size + _LETTERS_AT_LEAST

    def attribute(self, identity: str) -> str:
        """Name of an attribute: the data of its own node."""
        found = self.nodes.get(identity)
        return found[1] if found and found[0] == _NAME else f"#{identity}"

    def climb(self, identity: str) -> Iterator[Tuple[str, str]]:
        """(attribute, data) from the root down to a node."""
        path: List[Tuple[str, str]] = []
        while identity in self.nodes:
            attribute, data, identity = self.nodes[identity]
            path.append((self.attribute(attribute), data))
            if len(path) > _DEEPEST:
                raise Damage("its nodes form a circle or a chain without end")
        self._letters -= sum(_STEP + len(data) for _, data in path)
        if self._letters < 0:
            raise Damage("its nodes are nested too deeply for as many records")
        return iter(path[::-1])


def records(data: bytes) -> Iterator[Mapping[str, Any]]:
    """Each record of measurements, and the global one, as attribute → value; `path` joins regions
    and MPI functions by /."""
    tree, seen = _Tree(len(data)), False
    for line in lines(data):
        fields = _fields(line)
        kind = fields.get("__rec", "")
        if kind == "node" and "id" in fields:
            tree.nodes[fields["id"]] = (
                fields.get("attr", ""),
                fields.get("data", ""),
                fields.get("parent", ""),
            )
        elif kind in ("ctx", "globals"):
            seen = True
            yield _record(tree, fields)
    if not seen:
        raise Damage("it holds no record: Caliper was cut off")


def _fields(line: str) -> Dict[str, str]:
    pairs = (_EQUALS.split(part, 1) for part in _SPLIT.split(line.lstrip("# ")))
    return {pair[0]: pair[1] for pair in pairs if len(pair) == 2}


def _record(tree: _Tree, fields: Mapping[str, str]) -> Dict[str, Any]:
    found: Dict[str, Any] = {}
    path: List[str] = []
    for reference in filter(None, fields.get("ref", "").split("=")):
        for name, value in tree.climb(reference):
            if name in _REGIONS:
                path.append(value.replace("/", "_"))
            elif not name.startswith("cali.attribute"):
                found.setdefault(name, value)
    names, values = _EQUALS.split(fields.get("attr", "")), _EQUALS.split(fields.get("data", ""))
    for name, value in zip(names, values):
        found[_unit(tree, name)] = value
    events = [name for name in found if name.startswith(("event.begin#", "event.end#"))]
    return {**found, "path": "/".join(path), "event": bool(events)}


def _unit(tree: _Tree, identity: str) -> str:
    """The attribute's name; one whose unit is given as seconds is called time."""
    name = tree.attribute(identity)
    about = dict(tree.climb(identity))
    if about.get("attribute.unit") == "sec" and re.fullmatch(r"(sum#)*time\.duration", name):
        return "time"
    return name


def paths(nodes: Sequence[Mapping[str, Any]], size: int) -> List[str]:
    """Labels of nodes joined from their roots by /. Parents stand before their children, else
    Damage; also if the labels are longer together than those of a file of `size` bytes may be."""
    found: List[str] = []
    held_so_far, most = 0, _LETTERS_OF_A_BYTE * size + _LETTERS_AT_LEAST
    for index, node in enumerate(nodes):
        parent = node.get("parent")
        if parent is not None and not (isinstance(parent, int) and 0 <= parent < index):
            raise Damage("a node of it has a parent that is not there")
        label = str(node.get("label", "")).replace("/", "_")
        found.append(label if parent is None else f"{found[parent]}/{label}")
        held_so_far += len(found[-1])
        if len(found[-1]) > 20_000 or held_so_far > most:
            raise Damage("its nodes are nested too deeply")
    return found
