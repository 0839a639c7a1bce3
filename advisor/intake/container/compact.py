"""The compact form of a small profile: one zlib stream. Nothing in it is trusted."""

from __future__ import annotations

import zlib
from typing import Any, Dict, Mapping, Optional, Tuple

import numpy as np

from advisor.intake.container.framing import parse
from advisor.intake.untrusted.damage import Damage, mapping, whole

MOST = 1 << 20
"""Bytes of header and columns together, at most. The columns of larger profiles are mapped."""
NAME = "compact"
"""In the header before the stream: the bytes of what is in it."""


def compressed(raw: bytes, columns: bytes) -> Optional[Tuple[Dict[str, Any], bytes]]:
    """What a compact profile has in its header, and its stream, of a profile's header and columns.
    None: it stays as it is."""
    if len(raw) + len(columns) > MOST:
        return None
    return {NAME: {"header": len(raw), "columns": len(columns)}}, zlib.compress(raw + columns, 9)


def expanded(outer: Mapping[str, Any], stream: np.ndarray) -> Tuple[Mapping[str, Any], np.ndarray]:
    """Header and columns (uint8 [size]) of a compact profile. `outer`: the header before its stream
    (uint8 [size]). Raises Damage."""
    sizes = mapping(outer[NAME], "its compressed part")
    header, columns = (
        whole(sizes.get(name), f"the size of its {name}", 0, MOST) for name in ("header", "columns")
    )
    # One that would not get smaller is never much larger: zlib then stores what it has.
    if header + columns > MOST or len(stream) > 2 * MOST:
        raise Damage(f"it is compressed, and has more than {MOST} bytes")
    raw = _inflated(bytes(stream), header + columns)
    return parse(raw[:header], 16 + len(stream)), np.frombuffer(raw[header:], dtype=np.uint8)


def _inflated(stream: bytes, size: int) -> bytes:
    """Exactly `size` bytes. Never more are unpacked than one beyond."""
    unzip = zlib.decompressobj()
    try:
        raw = unzip.decompress(stream, size + 1)
    except zlib.error:
        raise Damage("its compressed part is damaged") from None
    if len(raw) > size or (unzip.eof and len(raw) < size):
        raise Damage("its compressed part has another size than its header says")
    if not unzip.eof or unzip.unused_data:
        raise Damage(
            "its compressed part " + ("has bytes behind its end" if unzip.eof else "was cut short")
        )
    return raw
