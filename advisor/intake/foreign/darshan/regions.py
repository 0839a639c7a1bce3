"""Compressed regions of Darshan's binary log, a piece at a time."""

from __future__ import annotations

import bz2
import zlib
from typing import Any, Iterator, NamedTuple, Optional

from advisor.intake.untrusted import claims
from advisor.intake.untrusted.damage import Damage

PIECE = 4 << 20
"""Bytes that are unpacked at once, so that no region fills the memory, whatever it holds."""
_FIRST = 256
"""Bytes that a stream is given first. What it leaves over is copied, and there may be a million of
streams."""
_ZLIB, _BZIP2, _PLAIN = range(3)


class Region(NamedTuple):
    """Place of a region in the file, in compressed bytes."""

    offset: int
    length: int


def pieces(
    data: bytes, region: Region, compression: int, what: str, most: Optional[int] = None
) -> Iterator[bytes]:
    """The unpacked region in pieces of at most PIECE bytes. Raises Damage, also if it holds more
    than `most` bytes, or than such a log may unpack to."""
    if region.length < 0 or region.offset + region.length > len(data):
        raise Damage(f"its region {what} lies outside the file")
    if compression not in (_ZLIB, _BZIP2, _PLAIN):
        raise Damage(f"it is compressed in a way, {compression}, that is not known")
    raw, total = data[region.offset : region.offset + region.length], 0
    most = claims.unpackable(len(data)) if most is None else most
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
    at, streams = 0, 0
    while at < len(raw):
        streams += 1
        if streams > claims.MOST_UNSEEN_RANKS:
            raise Damage(f"its region {what} has more than {claims.MOST_UNSEEN_RANKS} streams")
        stream, most = _stream(compression), _FIRST
        while not stream.eof:
            tail = _pending(stream, compression)
            given = tail or raw[at : at + most]
            at, most = (at, most) if tail else (at + len(given), min(2 * most, PIECE))
            piece = _piece(stream, given, what)
            if piece:
                yield piece
            elif not given and not stream.eof:
                raise Damage(f"its region {what} breaks off")
        at -= len(stream.unused_data)


def _piece(stream: Any, given: bytes, what: str) -> bytes:
    try:
        return stream.decompress(given, PIECE)
    except (zlib.error, OSError):
        raise Damage(f"its region {what} cannot be unpacked") from None


def _stream(compression: int) -> Any:
    """A decompressor; of zlib's for its own form or gzip's."""
    return bz2.BZ2Decompressor() if compression == _BZIP2 else zlib.decompressobj(47)


def _pending(stream: Any, compression: int) -> bytes:
    """Input that zlib hands back when its output is full; bzip2 keeps it."""
    return b"" if compression == _BZIP2 else stream.unconsumed_tail
