"""Programs that start another program: how many words stand between them and it."""

from __future__ import annotations

import os
from typing import Optional, Sequence

from advisor.launching.launchers.launcher import Wrapper, assignment
from advisor.launching.launchers.options import is_option
from advisor.launching.launchers.table import wrappers


def wrapped(words: Sequence[str], at: int, end: int) -> Optional[int]:
    """Position of the program that the wrapper at `at` starts; None if it is no wrapper or cannot
    be read."""
    wrapper = wrappers().get(os.path.basename(words[at]))
    if wrapper is None:
        return None
    operands = _after_options(words, at + 1, end, wrapper)
    if operands is None:
        return None
    program = operands + wrapper.operands
    while wrapper.assignments and program < end and "=" in words[program]:
        program += 1
    return program if program < end else None


def assigned(words: Sequence[str], start: int, end: int, name: str) -> Optional[str]:
    """The value that `env NAME=value` words between `start` and `end` give to `name`; the last one
    counts."""
    values = [assignment(word).get(name) for word in words[start:end]]
    return next((value for value in reversed(values) if value is not None), None)


def _after_options(words: Sequence[str], at: int, end: int, wrapper: Wrapper) -> Optional[int]:
    while at < end and is_option(words[at]):
        if words[at] == "--":
            return at + 1
        takes = wrapper.options.consumed(words, at)
        if takes is None:
            return None
        at += takes
    return at + 1 if at < end and words[at] == "-" else at
