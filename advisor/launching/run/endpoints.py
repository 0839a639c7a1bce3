"""Our library that reduces in pieces (collectors/endpoints), put into the ranks of a launch line by
settings of its name."""

from __future__ import annotations

from pathlib import Path
from typing import Callable, Dict, Mapping, Sequence, Tuple

from advisor.launching.collector.build import Product, collector_for
from advisor.launching.parse.line import insert, parse
from advisor.launching.run import plan

SWITCH = "ADVISOR_ENDPOINTS"
"""Its value is the number of pieces. Settings that begin with it do nothing unless the library is
preloaded."""
ENDPOINTS = Product(
    "library for reductions in pieces", "advisor-endpoints", "endpoints", f"{SWITCH} cannot be set."
)
Say = Callable[[str], None]


def own(settings: Mapping[str, str]) -> Dict[str, str]:
    """The settings that are for the library."""
    return {name: value for name, value in settings.items() if name.startswith(SWITCH)}


def built(words: Sequence[str], environment: Mapping[str, str], say: Say) -> Path:
    """The library for the MPI library of a launch line. Raises UserError if that cannot be told, or
    it cannot be built."""
    line = parse(words, environment)
    _, library = plan.library(line, environment, say)
    return collector_for(library, line.launcher, environment, say, product=ENDPOINTS)


def inserted(
    words: Sequence[str], settings: Mapping[str, str], environment: Mapping[str, str], say: Say
) -> Tuple[str, ...]:
    """The line with the library and its settings in front of each program. Raises UserError as
    `built` does."""
    return insert(
        parse(words, environment),
        {**settings, "LD_PRELOAD": str(built(words, environment, say))},
        environment,
    )
