"""What a command says beside its result: on stderr, each line with our name in front."""

from __future__ import annotations

import sys
from typing import Callable

from advisor.model.errors import UserError


def complain(problem: UserError) -> None:
    """Print a problem in up to three lines."""
    for line in problem.lines():
        print(f"advisor: {line}", file=sys.stderr, flush=True)


def say(quiet: bool) -> Callable[[str], None]:
    """How progress is said; not at all if quiet."""
    return lambda text: None if quiet else print(f"advisor: {text}", file=sys.stderr, flush=True)
