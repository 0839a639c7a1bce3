"""Changes that keep a file's outer shape, so that what lies behind its first check is met as
well."""

from __future__ import annotations

import json
import random
from typing import Any, Callable, List, Tuple

NUMBERS = (
    0,
    1,
    -1,
    2,
    7,
    63,
    64,
    255,
    2**31 - 1,
    2**31,
    -(2**31),
    2**32,
    2**53,
    2**62,
    2**63 - 1,
    2**63,
    2**64 - 1,
    2**64,
    1e308,
    -1e308,
    5e-324,
    0.5,
    True,
    None,
)
TEXTS = (
    "",
    "a",
    "rank",
    "ranks",
    "<i4",
    "<u8",
    "<f8",
    "text",
    "S104",
    "S0",
    ">i8",
    "O",
    "\0",
    "\n",
    "\ud800",
    "é" * 50,
    "x" * 5000,
    "nan",
    "-1",
    "9" * 30,
)
Plain = Callable[[bytes], bytes]


def with_header(raw: bytes, number: random.Random, plain: Plain) -> bytes:
    """A container with another header whose length is right again; data and JSON files are changed
    as `plain` does it."""
    if raw[:4] != b"ADV" + raw[3:4] or len(raw) < 17:
        return (
            json_changed(raw, number) if raw[:1] == b"{" and number.random() < 0.7 else plain(raw)
        )
    length = int.from_bytes(raw[8:16], "little")
    header, rest = raw[16 : 16 + length], raw[16 + length :]
    if length > len(raw) or number.random() < 0.3:
        return plain(raw)
    header = json_changed(header, number) if number.random() < 0.8 else plain(header)
    # Offsets in a record are from the start of the file: the header keeps its length where it can.
    header = header.ljust(length) if len(header) <= length else header
    return raw[:8] + len(header).to_bytes(8, "little") + header + rest


def json_changed(raw: bytes, number: random.Random) -> bytes:
    """JSON with some of its values changed; as it was if it is none."""
    try:
        content = json.loads(raw)
    except (ValueError, RecursionError):
        return raw
    for _ in range(number.randint(1, 3)):
        _change(content, number)
    return json.dumps(content).encode("utf-8", "replace")


def _change(content: Any, number: random.Random) -> None:
    places: List[Tuple[Any, Any]] = []
    _collect(content, places)
    if not places:
        return
    holder, key = number.choice(places)
    what = number.randrange(6)
    if what == 0:
        holder[key] = number.choice(NUMBERS)
    elif what == 1:
        holder[key] = number.choice(TEXTS)
    elif what == 2:
        del holder[key]
    elif what == 3:
        other, place = number.choice(places)
        holder[key] = (
            other[place]
            if not isinstance(other[place], (dict, list))
            else json.loads(json.dumps(other[place]))
        )
    elif what == 4 and isinstance(holder, list):
        holder.append(holder[key])
    elif isinstance(holder[key], int) and not isinstance(holder[key], bool):
        holder[key] += number.choice((-8, -1, 1, 8, 64, 2**20))
    else:
        holder[key] = number.choice(([], {}, [[]], {"": {}}, ["a"] * 3))


def _collect(value: Any, places: List[Tuple[Any, Any]]) -> None:
    for key in (
        list(value)
        if isinstance(value, dict)
        else range(len(value))
        if isinstance(value, list)
        else ()
    ):
        places.append((value, key))
        _collect(value[key], places)
