"""Unknown, the third truth value, which carries its reasons."""

from __future__ import annotations

from typing import Dict, Iterable, List, NamedTuple, Tuple

from advisor.model.message import joined

_MOST_REASONS = 8


class Missing(NamedTuple):
    """One thing that could not be looked at.

    `nothing`: True if it is known that there is no such thing in this run (a table seen to have no
    rows), so that the question does not arise; False if nobody looked.
    """

    name: str
    reason: str
    collect: str = ""
    nothing: bool = False


class Unknown:
    """A value that is not known. `missing`: the reasons, each once, in the order met."""

    __slots__ = ("missing",)

    def __init__(self, missing: Iterable[Missing]) -> None:
        self.missing: Tuple[Missing, ...] = tuple(dict.fromkeys(missing))[:_MOST_REASONS]

    def __repr__(self) -> str:
        return f"Unknown({self.reason()})"

    def __bool__(self) -> bool:
        raise TypeError("an unknown value is neither true nor false; test it with isinstance")

    def reason(self) -> str:
        """All reasons in a sentence fragment, each once: "rank.cores, rank.node: not measured;
        library.version: not seen"."""
        names: Dict[str, List[str]] = {}
        for each in self.missing:
            names.setdefault(each.reason, []).extend([each.name] if each.name else [])
        return joined(
            "; ",
            (
                joined(": ", (", ".join(named), reason)) if named else reason
                for reason, named in names.items()
            ),
        )

    def collect(self) -> str:
        """What to collect so that it becomes known; empty if nobody said."""
        return joined("; ", dict.fromkeys(each.collect for each in self.missing if each.collect))

    def nothing(self) -> bool:
        """Whether every reason is that there is no such thing in this run."""
        return bool(self.missing) and all(each.nothing for each in self.missing)


def because(reason: str, name: str = "") -> Unknown:
    """An unknown value with one reason."""
    return Unknown([Missing(name, reason)])


def merged(values: Iterable[object]) -> Unknown:
    """One unknown value with the reasons of all that are unknown among these."""
    return Unknown(each for value in values if isinstance(value, Unknown) for each in value.missing)
