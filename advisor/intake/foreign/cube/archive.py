"""The parts of a Cube 4 archive: members of an uncompressed tar, and the numbers of one metric.

The reader stands on its own since pycubexr 2.1 refuses archives with more than one root call path,
which Score-P writes when only MPI is instrumented, and unpacks compressed parts without any limit.
"""

from __future__ import annotations

import struct
from typing import Dict, Iterator, List, NamedTuple, Sequence, Tuple

import numpy as np

from advisor.intake.untrusted.claims import Unpacking
from advisor.intake.untrusted.damage import Damage, inside

_BLOCK = 512
_MOST_MEMBERS = 100_000
_NUMBERS = {
    name: kind
    for kinds, kind in (
        (("DOUBLE", "FLOAT", "MINDOUBLE", "MAXDOUBLE"), "f8"),
        (("UINT64",), "u8"),
        (("INT64", "INTEGER"), "i8"),
    )
    for name in kinds
}
"""Types of eight bytes; the others are of metrics that nothing here needs."""


class Rows(NamedTuple):
    """Numbers of one metric: positions of call paths in the metric's order, and values float64
    [positions, locations]."""

    positions: Sequence[int]
    values: np.ndarray


def is_archive(data: bytes) -> bool:
    """Whether it is a tar that holds parts of Cube. Which of them is first differs: newer versions
    of Score-P put a remapping.spec there."""
    if data[257:262] not in (b"ustar", b"\0\0\0\0\0"):
        return False
    try:
        return any(
            name == "anchor.xml" or data[at : at + 11] in (b"CUBEX.INDEX", b"ZCUBEX.DATA")
            for name, at, _ in _entries(data)
        )
    except Damage:
        return False


def members(data: bytes) -> Dict[str, bytes]:
    """Files by name. Checksums are not looked at: some versions of Cube write wrong ones. Raises
    Damage."""
    found: Dict[str, bytes] = {}
    for name, at, size in _entries(data):
        inside(at, size, len(data), "a part of the archive")
        found.setdefault(name, data[at : at + size])
    return found


def _entries(data: bytes) -> Iterator[Tuple[str, int, int]]:
    """Name, begin and size of each file. Raises Damage."""
    offset, many = 0, 0
    while offset + _BLOCK <= len(data) and data[offset] and many < _MOST_MEMBERS:
        head, many = data[offset : offset + _BLOCK], many + 1
        size = _octal(head[124:136])
        if head[156:157] in (b"0", b"\0"):
            yield (
                head[:100].split(b"\0")[0].decode("utf-8", "replace").rsplit("/", 1)[-1],
                offset + _BLOCK,
                size,
            )
        offset += _BLOCK + -(-size // _BLOCK) * _BLOCK


def _octal(field: bytes) -> int:
    digits = field.split(b"\0")[0].strip()
    if field[0] & 0x80:
        return int.from_bytes(field[1:], "big")
    if not digits or digits.strip(b"01234567"):
        raise Damage("a part of the archive has no size")
    return int(digits, 8)


def anchor(parts: Dict[str, bytes], unpacking: Unpacking) -> bytes:
    """The description in XML, unpacked if need be. Raises Damage."""
    if "anchor.xml" not in parts:
        raise Damage("the archive has no anchor.xml")
    raw = parts["anchor.xml"]
    return unpacking.whole(raw, "its anchor.xml", 31) if raw[:2] == b"\x1f\x8b" else raw


def rows(
    parts: Dict[str, bytes],
    metric: str,
    dtype: str,
    paths: int,
    locations: int,
    unpacking: Unpacking,
) -> Rows:
    """All numbers of a metric; none if it was not stored. Raises Damage."""
    index, data = parts.get(f"{metric}.index"), parts.get(f"{metric}.data")
    if index is None or data is None or dtype not in _NUMBERS:
        return Rows((), np.zeros((0, locations)))
    order, positions = _index(index, paths)
    size = len(positions) * locations * 8
    raw = _data(data, order, size, unpacking)
    if len(raw) != size:
        raise Damage(f"metric {metric} has {len(raw)} bytes where {size} are due")
    return Rows(
        positions,
        np.frombuffer(raw, order + _NUMBERS[dtype])
        .astype(np.float64)
        .reshape(len(positions), locations),
    )


def _index(raw: bytes, paths: int) -> Tuple[str, List[int]]:
    """Byte order and positions. Kind 1 lists the call paths that have numbers; kind 0 has all of
    them."""
    if raw[:11] != b"CUBEX.INDEX" or len(raw) < 18:
        raise Damage("an index of it does not begin as such a file does")
    order = "<" if raw[11:15] == b"\1\0\0\0" else ">"
    if not raw[17]:
        return order, list(range(paths))
    inside(18, 4, len(raw), "an index")
    many = struct.unpack(order + "I", raw[18:22])[0]
    inside(22, 4 * many, len(raw), "an index")
    positions = np.frombuffer(raw[22 : 22 + 4 * many], order + "u4").tolist()
    if positions and max(positions) >= paths:
        raise Damage("an index names a call path that is not there")
    if len(set(positions)) < len(positions):
        raise Damage("an index names a call path twice")
    return order, positions


def _data(raw: bytes, order: str, size: int, unpacking: Unpacking) -> bytes:
    if raw[:10] == b"CUBEX.DATA":
        return raw[10:]
    if raw[:11] != b"ZCUBEX.DATA":
        raise Damage("numbers of it do not begin as such a file does")
    inside(11, 8, len(raw), "compressed numbers")
    blocks = struct.unpack(order + "Q", raw[11:19])[0]
    inside(19, 24 * blocks, len(raw), "compressed numbers")
    heads = np.frombuffer(raw[19 : 19 + 24 * blocks], order + "u8").reshape(-1, 3).tolist()
    offset, found = 19 + 24 * blocks, bytearray()
    for _, _, packed in heads:
        inside(offset, packed, len(raw), "compressed numbers")
        # At most one byte more than is due: enough to see that there are too many.
        found += (
            unpacking.begin(
                raw[offset : offset + packed], size - len(found) + 1, "a compressed part of it"
            )
            if packed
            else b""
        )
        offset += packed
    return bytes(found)
