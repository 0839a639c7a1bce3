"""The compact form of a small profile: its header and columns as one zlib stream, whose preset
dictionary the collector and we share. Nothing in it is trusted."""

from __future__ import annotations

import json
import zlib
from typing import Any, Mapping, Tuple

import numpy as np

from advisor.base import resource_paths
from advisor.intake.container.framing import parse
from advisor.intake.untrusted.damage import Damage, whole

WINDOW = 1 << 15
"""Bytes of dictionary, header and columns together, at most: what deflate may copy from (RFC 1951).
Larger profiles are not made compact."""
_PRESET = 0x20
"""In the second byte of a stream that needs a dictionary, whose Adler-32 follows (RFC 1950, 2.2).
That of the contents is at its end."""


def dictionary() -> bytes:
    """What the collector compresses against: the strings of its dictionary.h, each a line. Raises
    UserError, OSError."""
    lines = (
        (resource_paths.collectors() / "core" / "dictionary.h")
        .read_text(encoding="ascii")
        .splitlines()
    )
    return "".join(json.loads(line) for line in lines if line.startswith('"')).encode("ascii")


def expanded(outer: Mapping[str, Any], stream: np.ndarray) -> Tuple[Mapping[str, Any], np.ndarray]:
    """Header and columns (uint8 [size]) of a compact profile. `outer`: the header before its stream
    (uint8 [size]). Raises Damage, UserError, OSError."""
    known = dictionary()
    sizes = [
        whole(outer.get(name), f"the size of its {name}", 0, WINDOW - len(known))
        for name in ("header", "columns")
    ]
    # Bytes that would not compress are written as they are: no stream is as long as its contents
    # may be.
    if len(stream) > WINDOW:
        raise Damage(f"{len(stream)} bytes are compressed in it; the most that is read is {WINDOW}")
    raw = _inflated(bytes(stream), known, sum(sizes))
    return parse(raw[: sizes[0]]), np.frombuffer(raw[sizes[0] :], dtype=np.uint8)


def _inflated(stream: bytes, known: bytes, size: int) -> bytes:
    """Exactly `size` bytes. Never more are unpacked than one beyond."""
    if len(stream) < 6 or not stream[1] & _PRESET:
        raise Damage("its compressed part does not begin as one does")
    written, ours = int.from_bytes(stream[2:6], "big"), zlib.adler32(known)
    if written != ours:
        raise Damage(
            f"it was compressed with the dictionary {written:08x}, this advisor has {ours:08x}: the"
            " version of advisor whose collector wrote it can read it"
        )
    unzip = zlib.decompressobj(zdict=known)
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
