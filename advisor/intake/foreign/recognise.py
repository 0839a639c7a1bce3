"""Detects which tool wrote a file: by its content, never by its name."""

from __future__ import annotations

import re
from importlib import import_module
from typing import Optional

from advisor.intake.foreign.base.text import LARGEST, LARGEST_TEXT
from advisor.intake.untrusted.damage import Damage
from advisor.model.profile import Profile

READERS = {
    "mpip.text_report": "a report of mpiP",
    "cube.profile": "a Cube archive",
    "talp": "an output of TALP",
    "ipm.xml_log": "IPM's XML",
    "caliper.records": "records of Caliper",
    "darshan.parser_text": "an output of darshan-parser",
    "darshan.log": "a binary log of Darshan",
    "aps.html_page": "a page of APS",
    "craypat": "a report of CrayPat",
    "aps.csv_report": "a report of APS as CSV",
    "aps.text_report": "a report of APS",
    "ipm.banner": "a banner of IPM",
}
"""Readers that look for a first line stand before those that look for a banner among other output.
"""
_BANNERS = ("craypat", "aps.csv_report", "aps.text_report", "ipm.banner")
"""Searched through for their first line, which takes seconds where there is none in many MiB: not
in what is no text."""
_BINARY = ("cube.profile", "darshan.log")
TOOLS = "mpiP, IPM, TALP, Caliper, Score-P (Cube, OTF2), Scalasca, APS, CrayPat or Darshan"

_CHART = re.compile(
    rb"^\| ?(Function summary for all ranks|MPI Time per Rank|Metric Table|Message Sizes?"
    rb" summary|Data Transfers per|Node-to-Node|Communicators used)",
    re.MULTILINE | re.IGNORECASE,
)
"""What aps-report prints with -f, -t, --metrics, -m, -x, -e, -u, -n and -l, as text or, with
semicolons, as CSV; by the headings in Intel's manual."""
_TABLE = re.compile(rb"^(Path .*time/rank|Function +Count \(min\))", re.MULTILINE)


def foreign(data: bytes) -> Optional[Profile]:
    """Profile of a file that another tool wrote; None if none of them did. Raises Damage."""
    for name, title in READERS.items():
        reader = import_module(f"advisor.intake.foreign.{name}")
        if (name in _BANNERS and b"\0" in data[:4096]) or not reader.recognises(data):
            continue
        most = LARGEST if name in _BINARY else LARGEST_TEXT
        if len(data) > most:
            raise Damage(f"{title} of more than {most >> 20} MiB is not read")
        try:
            return reader.read(data)
        except Damage as damage:
            raise Damage(f"it looks like {title}, but {damage}") from None
        except (ArithmeticError, LookupError, TypeError, ValueError, RecursionError):
            raise Damage(f"it looks like {title}, but it is damaged") from None
    _refuse(data[:512])
    return None


def _refuse(begin: bytes) -> None:
    """Files that look familiar: say what to give instead. Raises Damage."""
    if begin.lstrip().lower().startswith((b"<html", b"<!doctype html")):
        raise Damage("it is a page of HTML; give the text or XML that the tool wrote")
    if _TABLE.search(begin):
        raise Damage("it is a table of Caliper for people; give its .cali or JSON file")
    if _CHART.search(begin):
        raise Damage(
            "it is a chart of aps-report without the summary; give all: aps-report -a --format csv"
            " FOLDER"
        )
    if begin[1:3] == b"B\1" and not any(begin[3:8]):
        raise Damage("it is a part of an OTF2 trace; give the file whose name ends in .otf2")
