"""The outer shape of our files: magic, length, JSON header, data. Nothing is trusted before it was
checked."""

from __future__ import annotations

import json
import os
import stat
from typing import Any, Mapping, Optional, Tuple

import numpy as np

from advisor.intake.untrusted import claims
from advisor.intake.untrusted.damage import Damage, inside, mapping

PROFILE_MAGIC = b"ADVISOR\n"
RECORD_MAGIC = b"ADVRECO\n"
LARGEST_HEADER = 32 << 20
"""Bytes. Some 2000 hosts with all facts take 5 MiB; Python needs up to 50 times as much for hostile
JSON."""
ALIGNMENT = 64
_LONGEST_INTEGER = 20


def open_bytes(path: str) -> np.ndarray:
    """All bytes of a regular file as uint8 [size], mapped and not copied. Raises OSError,
    Damage."""
    # Opening a named pipe would wait for its writer; a device has no end.
    if not stat.S_ISREG(os.stat(path).st_mode):
        raise Damage("it is not a regular file")
    if os.path.getsize(path) == 0:
        raise Damage("it is empty")
    return np.asarray(np.memmap(path, dtype=np.uint8, mode="r"))


def split(
    data: np.ndarray, magic: bytes, size: Optional[int] = None
) -> Tuple[Mapping[str, Any], int]:
    """Header and the position of the first byte behind it. `size`: bytes of the file that the data
    were packed in, if they were."""
    if bytes(data[:8]) != magic:
        raise Damage("it does not begin as such a file does")
    inside(8, 8, len(data), "the length of the header")
    length = int.from_bytes(bytes(data[8:16]), "little")
    if length > LARGEST_HEADER:
        raise Damage(f"its header claims {length} bytes; the most that is read is {LARGEST_HEADER}")
    inside(16, length, len(data), "the header")
    return parse(bytes(data[16 : 16 + length]), size), 16 + length


def parse(raw: bytes, size: Optional[int] = None) -> Mapping[str, Any]:
    """A JSON object from bytes, or Damage. `size`: bytes of the file that they were packed in, if
    they were."""
    if len(raw) > LARGEST_HEADER:
        raise Damage(f"it has {len(raw)} bytes of JSON; the most that is read is {LARGEST_HEADER}")
    claims.values(raw, len(raw) if size is None else size)
    try:
        return mapping(
            json.loads(raw.decode("utf-8"), parse_int=_integer, parse_constant=_no_constant),
            "the header",
        )
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
        raise Damage(f"its header is not JSON ({type(error).__name__})") from None


def data_start(header_end: int) -> int:
    """Where column blocks begin: the next multiple of 64."""
    return -(-header_end // ALIGNMENT) * ALIGNMENT


def _integer(digits: str) -> int:
    # Reading very long numbers takes time that grows with the square of their length.
    if len(digits) > _LONGEST_INTEGER:
        raise Damage("a number in it has too many digits")
    return int(digits)


def _no_constant(name: str) -> float:
    raise Damage(f"{name} in it is not JSON")
