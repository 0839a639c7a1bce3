"""What is fuzzed, and what may come of it: a value, or one sentence for the user. Anything else is
a fault."""

from __future__ import annotations

import os
import pathlib
import warnings
from typing import Optional

from advisor import intake
from advisor.intake.crash.record import Record, read_record
from advisor.intake.untrusted.damage import Damage
from advisor.model.errors import UserError
from advisor.model.profile import Profile

warnings.simplefilter("error")


class File:
    """One file in memory that is written anew for each input."""

    def __init__(self, folder: str) -> None:
        self.path = pathlib.Path(folder) / f"advisor-fuzz-{os.getpid()}"

    def profile(self, raw: bytes) -> Optional[Profile]:
        """The profile in `raw`; None if it was refused in one sentence."""
        self.path.write_bytes(raw)
        try:
            return intake.read(self.path)
        except UserError as error:
            sentence(error, str(self.path))
            return None

    def record(self, raw: bytes) -> Optional[Record]:
        """The record in `raw`; None if it was refused, or is of no rank."""
        self.path.write_bytes(raw)
        try:
            return read_record(str(self.path))
        except Damage as damage:
            assert "\n" not in str(damage)
            return None

    def remove(self) -> None:
        """Leave nothing behind."""
        self.path.unlink(missing_ok=True)


def sentence(error: UserError, name: str) -> None:
    """AssertionError unless this is one sentence that says of which file it speaks, short enough to
    be read."""
    words = error.what
    assert (
        name in words
        and "\n" not in words
        and words.endswith(".")
        and len(words) < 1000 + len(name)
    ), words
    assert words.isprintable(), words
