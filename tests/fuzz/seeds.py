"""Files that can be read: what fuzzing starts from."""

from __future__ import annotations

import gzip
import json
import pathlib
from typing import Dict

TESTS = pathlib.Path(__file__).resolve().parent.parent
FROZEN, SAMPLES = TESTS / "intake" / "frozen", TESTS.parent / "samples" / "profiles"
LARGEST = 64 << 10
"""Bytes of a seed: larger files fuzz slowly and hold nothing new."""


def profiles() -> Dict[str, bytes]:
    """Profiles in all forms. The samples are JSON only; one more is made of their facts without
    tables."""
    found = {
        path.name: path.read_bytes()
        for path in [*sorted(FROZEN.glob("*.profile")), *sorted(SAMPLES.glob("*.json"))]
    }
    return {
        **found,
        "header-only": container(
            json.dumps(_without_tables(json.loads(found["heat.4r.json"]))).encode()
        ),
    }


def _without_tables(header: dict) -> dict:
    ranks = {"rows": 2, "columns": ["rank i4"]}
    return {**header, "tables": {"ranks": ranks}}


def container(header: bytes, data: bytes = b"\0\0\0\0\1\0\0\0") -> bytes:
    """A profile file of a header and its data."""
    return (
        b"ADVISOR\n"
        + len(header).to_bytes(8, "little")
        + header
        + b"\0" * (-(16 + len(header)) % 64)
        + data
    )


def records() -> Dict[str, bytes]:
    """What killed ranks left, as far as it is not empty."""
    return {
        path.name: _cut(gzip.decompress(path.read_bytes()))
        for path in sorted(FROZEN.glob("*.record-1.0.gz"))
    }


def _cut(raw: bytes) -> bytes:
    return raw.rstrip(b"\0") + b"\0" * 64


def foreign() -> Dict[str, bytes]:
    """What other tools wrote."""
    folder = TESTS / "foreign"
    files = [
        path
        for name in ("recorded", "by_hand")
        for path in sorted((folder / name).glob("*"))
        if path.name != "README.md"
    ]
    return {path.name: path.read_bytes() for path in files if path.stat().st_size <= LARGEST}
