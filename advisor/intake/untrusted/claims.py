"""What a file holds, beside what it claims: here, and nowhere else, sizes and counts that it states
are compared with its bytes.

A few hundred bytes can state any number, and a few thousand can unpack to gigabytes. The rule for
all readers: memory and time follow the bytes that are there. What is believable without bytes
behind it, such as the size of a job in a summary, has a bound of its own.
"""

from __future__ import annotations

import zlib
from typing import Any

from advisor.intake.untrusted.damage import Damage, inside

MOST_UNSEEN_RANKS = 1 << 20
"""Ranks of a job of which a file says nothing but their number: more than any machine has run."""
BYTES_OF_A_ROW = 8
"""A row of a table has a key and something that was measured: four bytes each at least."""
ROWS_AT_LEAST = 4096
"""Rows that any table may have: columns that a newer version added are not counted."""
_UNPACKED_BYTE, _UNPACKED_AT_LEAST = 16, 32 << 20
"""Bytes that one compressed byte may become, beside those that any file may have. A page with 131
072 ranks unpacks to 24 times its size, and to less than 50 MB."""
_VALUES_AT_LEAST = 1 << 18
"""Values of JSON that any file may have: Python takes up to 120 bytes for each sign that parts
them."""


class Held:
    """The bytes of a file. Each can be claimed once: parts that lie upon each other would multiply
    them."""

    def __init__(self, size: int) -> None:
        self.size = self._left = size

    def block(self, what: str, offset: int, size: int) -> None:
        """Damage unless `size` bytes at `offset` are in the file, and are nobody else's."""
        inside(offset, size, self.size, what)
        self._left -= size
        if self._left < 0:
            raise Damage(
                f"{what} lies upon other parts of the file: they claim more bytes than it has"
            )


def rows(name: str, count: int, size: int) -> None:
    """Damage if a table claims more rows than the `size` bytes of its columns can hold."""
    if count > ROWS_AT_LEAST and count * BYTES_OF_A_ROW > size:
        raise Damage(
            f"table {name} claims {count} rows, and its columns have {size} bytes: it lies outside"
            " the file"
        )


def unseen_ranks(count: int) -> int:
    """The number of ranks of which only the number is known, or Damage."""
    if count > MOST_UNSEEN_RANKS:
        raise Damage(
            f"it speaks of {count} ranks and describes none of them; the most that is believed is"
            f" {MOST_UNSEEN_RANKS}"
        )
    return count


def values(raw: bytes, size: int) -> None:
    """Damage if JSON from a file of `size` bytes, unpacked or not, holds more values than such a
    file may have."""
    if len(raw) > size and sum(map(raw.count, (b",", b"[", b"{"))) > size + _VALUES_AT_LEAST:
        raise Damage(f"what is packed in it holds more values than a file of {size} bytes may have")


def unpackable(size: int) -> int:
    """The most bytes that all compressed parts of a file of `size` bytes may become together."""
    return _UNPACKED_BYTE * size + _UNPACKED_AT_LEAST


class Unpacking:
    """Unpacks the compressed parts of one file, and never more than it may become."""

    def __init__(self, size: int) -> None:
        self._left = unpackable(size)

    def whole(self, packed: bytes, what: str, form: int = zlib.MAX_WBITS) -> bytes:
        """One stream of zlib, to its end. `form`: as zlib's wbits. Raises Damage."""
        stream = zlib.decompressobj(form)
        raw = self._some(stream, packed, self._left + 1, what)
        if not stream.eof or stream.unused_data:
            raise Damage(f"{what} is not whole")
        return raw

    def begin(self, packed: bytes, most: int, what: str) -> bytes:
        """At most so many bytes of a stream of zlib. Raises Damage."""
        return self._some(zlib.decompressobj(), packed, max(1, min(most, self._left + 1)), what)

    def _some(self, stream: Any, packed: bytes, most: int, what: str) -> bytes:
        try:
            raw = stream.decompress(packed, most)
        except zlib.error:
            raise Damage(f"{what} is damaged") from None
        self._left -= len(raw)
        if self._left < 0:
            raise Damage(f"{what} unpacks to more bytes than such a file may become")
        return raw
