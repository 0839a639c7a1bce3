"""Compressed regions of Darshan's binary log, a piece at a time."""

from __future__ import annotations

import bz2
import zlib
from typing import Any, Iterator, NamedTuple

from advisor.intake.damage import Damage

PIECE = 4 << 20
"""Bytes that are unpacked at once, so that no region fills the memory, whatever it holds."""
LARGEST = 1 << 30
"""Bytes that a region may unpack to: some two million files, which take seconds. A log of 64 MiB could unpack to 64 GiB."""
_ZLIB, _BZIP2, _PLAIN = range(3)


class Region(NamedTuple):
    """Place of a region in the file, in compressed bytes."""

    offset: int
    length: int


def pieces(data: bytes, region: Region, compression: int, what: str, most: int = LARGEST) -> Iterator[bytes]:
    """The unpacked region in pieces of at most PIECE bytes. Raises Damage, also if it holds more than `most` bytes."""
    if region.length < 0 or region.offset + region.length > len(data):
        raise Damage(f"its region {what} lies outside the file")
    if compression not in (_ZLIB, _BZIP2, _PLAIN):
        raise Damage(f"it is compressed in a way, {compression}, that is not known")
    raw, total = data[region.offset : region.offset + region.length], 0
    for piece in _plain(raw) if compression == _PLAIN else _unpacked(raw, compression, what):
        total += len(piece)
        if total > most:
            raise Damage(f"its region {what} holds more than {most} bytes")
        yield piece


def _plain(raw: bytes) -> Iterator[bytes]:
    for begin in range(0, len(raw), PIECE):
        yield raw[begin : begin + PIECE]


def _unpacked(raw: bytes, compression: int, what: str) -> Iterator[bytes]:
    """Every rank compresses its own records: a region is a row of streams."""
    while raw:
        stream = _stream(compression)
        try:
            piece = stream.decompress(raw, PIECE)
            while piece or not stream.eof:
                if not piece:
                    raise Damage(f"its region {what} breaks off")
                yield piece
                piece = b"" if stream.eof else stream.decompress(_pending(stream, compression), PIECE)
        except (zlib.error, OSError):
            raise Damage(f"its region {what} cannot be unpacked") from None
        raw = stream.unused_data


def _stream(compression: int) -> Any:
    """A decompressor; of zlib's for its own form or gzip's."""
    return bz2.BZ2Decompressor() if compression == _BZIP2 else zlib.decompressobj(47)


def _pending(stream: Any, compression: int) -> bytes:
    """Input that zlib hands back when its output is full; bzip2 keeps it."""
    return b"" if compression == _BZIP2 else stream.unconsumed_tail
