"""XML into elements, without anything that a hostile file could use: no document type, no entities,
bounded size and depth."""

from __future__ import annotations

from typing import Any
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

from advisor.intake.untrusted.damage import Damage

MOST_ELEMENTS = 4_000_000
DEEPEST = 2_000


class _Building:
    def __init__(self) -> None:
        self.tree, self.depth, self.elements = TreeBuilder(), 0, 0

    def start(self, name: str, attributes: Any) -> None:
        self.depth, self.elements = self.depth + 1, self.elements + 1
        if self.depth > DEEPEST or self.elements > MOST_ELEMENTS:
            raise Damage(
                "its XML is nested too deeply"
                if self.depth > DEEPEST
                else "it has too many XML elements"
            )
        self.tree.start(name, attributes)

    def end(self, name: str) -> None:
        self.depth -= 1
        self.tree.end(name)


def parse(data: bytes) -> Element:
    """The root element. Raises Damage."""
    building, parser = _Building(), expat.ParserCreate()
    parser.buffer_text = True
    parser.StartElementHandler, parser.EndElementHandler = building.start, building.end
    parser.CharacterDataHandler = building.tree.data
    parser.StartDoctypeDeclHandler = _refuse
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:
        raise Damage(f"its XML breaks off or is wrong in line {error.lineno}") from None
    except Damage:
        raise
    except (LookupError, ValueError):
        raise Damage("its XML names an encoding that cannot be read") from None
    return building.tree.close()


def _refuse(*_: Any) -> None:
    # Entities are declared there; they can grow without bound, and none of the tools writes any.
    raise Damage("its XML declares a document type, which no tool writes")


def text(element: Element, path: str, default: str = "") -> str:
    """Text of the first element at a path, stripped."""
    return (element.findtext(path) or default).strip()
