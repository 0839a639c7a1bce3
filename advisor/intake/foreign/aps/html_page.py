"""The page of HTML that Intel's Application Performance Snapshot writes: aps_report_DATE.html.

The layout is that of pages of 2018 to 2021: one object of JSON in a script holds all that the page
shows. Nothing of the page but this object is read, and of it only times, counts, the program's name
and the date. Stalls of memory and waits for files are in it, but no table has a place for shares of
pipeline slots. Of newer pages no example was found, and Intel's manual shows none.
"""

from __future__ import annotations

import json
from typing import Any, Dict

from advisor.intake.foreign.aps.text_report import Facts, profile_of
from advisor.intake.foreign.base.operation_names import operation_of
from advisor.intake.foreign.base.profile_builder import number
from advisor.intake.untrusted.damage import Damage
from advisor.model.profile import Profile

_TITLE = b"<title>APS report</title>"
_BEGIN = "var json="
_FACTS = (
    ("Application", "INFO", "APPLICATION_NAME"),
    ("Number of ranks", "INFO", "NUM_RANKS"),
    ("Report creation date", "INFO", "CREATION_DATETIME"),
    ("Elapsed Time", "WALLCLOCK", "WALLCLOCK_VAL"),
    ("MPI Time", "MPI_TIME", "MPI_TIME_VAL"),
    ("MPI Imbalance", "MPI_IMBALANCE", "MPI_IMBALANCE_VAL"),
)
"""Name in the text's report, group and name on the page."""


def recognises(data: bytes) -> bool:
    """Its title near the begin, for style sheets follow."""
    return _TITLE in data[:4096]


def read(data: bytes) -> Profile:
    """Profile of the report. Raises Damage."""
    page = _object(data.decode("utf-8", "replace"))
    facts: Facts = {}
    for name, group, label in _FACTS:
        value = _group(page, group).get(label)
        if isinstance(value, str) and value.strip():
            facts[name] = value.strip()
    return profile_of(facts, _functions(page, facts))


def _object(text: str) -> Dict[str, Any]:
    """The object of JSON; it ends where its braces do, whatever script follows. Raises Damage."""
    begin = text.find(_BEGIN)
    if begin < 0:
        raise Damage("the object with its numbers is missing")
    try:
        found, _ = json.JSONDecoder().raw_decode(text, begin + len(_BEGIN))
    except ValueError:
        raise Damage("the object with its numbers is no JSON") from None
    if not isinstance(found, dict):
        raise Damage("the object with its numbers is none")
    return found


def _group(page: Dict[str, Any], name: str) -> Dict[str, Any]:
    """Groups that APS did not measure are null."""
    found = page.get(name)
    return found if isinstance(found, dict) else {}


def _functions(page: Dict[str, Any], facts: Facts) -> Dict[str, float]:
    """Mean seconds of the functions with the most time: the page has percent of the elapsed time,
    with two digits."""
    elapsed = number(facts.get("Elapsed Time", "").rstrip("s"), "Elapsed Time")
    found: Dict[str, float] = {}
    for name, share in _group(page, "TOP_5").items():
        operation = operation_of(name) or operation_of("MPI_" + name)
        if operation and isinstance(share, str):
            found[operation] = number(share, f"the share of {operation}") * elapsed / 100
    return found
