"""Runs the commands that a library brings: found beside its launcher, with limits on time and
output."""

from __future__ import annotations

import os
from functools import lru_cache
from typing import Callable, Collection, Dict, Iterable, Mapping, Optional, Sequence

from advisor.base import answer_cache, external_programs


def find(name: str, folder: str = "", owners: Collection[int] = ()) -> Optional[str]:
    """A command in `folder`, or else on PATH; None if there is none that may be run. `owners`: who
    is trusted besides this user and root."""
    beside = os.path.join(folder, name) if folder else ""
    return (
        beside
        if beside and external_programs.may_run(beside, owners)
        else external_programs.which(name, owners=owners)
    )


_NOT_FOR_US = ("LD_PRELOAD", "LD_AUDIT", "UCX_LOG_LEVEL", "UCX_LOG_FILE", "FI_LOG_LEVEL")


def surroundings(prefix: str = "", libraries: str = "") -> Dict[str, str]:
    """Our environment without preloads, with what a library installed at `prefix` needs to find
    itself."""
    # A preloaded collector or debugger must not enter the commands that we ask, and what a job
    # logs would stand between their answers.
    environment = {name: value for name, value in os.environ.items() if name not in _NOT_FOR_US}
    if prefix:
        environment["I_MPI_ROOT"] = prefix
    if libraries:
        environment["LD_LIBRARY_PATH"] = os.pathsep.join(
            filter(None, (libraries, environment.get("LD_LIBRARY_PATH")))
        )
    return environment


def answer(
    words: Sequence[str], seconds: float = 10.0, environment: Optional[Mapping[str, str]] = None
) -> Optional[str]:
    """Standard output of a command that ended well in time and said no more than 16 MiB; else None.
    Never raises."""
    said = external_programs.ask(words, seconds, environment)
    return said.text if said and said.code == 0 else None


RestsOn = Callable[[str], Optional[Iterable[str]]]
"""The files and folders that an answer rests on; None if it cannot be told."""


def answer_once(
    words: Sequence[str],
    seconds: float = 10.0,
    environment: Optional[Mapping[str, str]] = None,
    rests_on: Optional[RestsOn] = None,
) -> Optional[str]:
    """As `answer`, of a command that only tells: what it said before is not asked again. That it
    failed, or was too slow, is not remembered.

    `rests_on`: then not by the next job either, as long as all that the answer rests on stays as it
    is.
    """
    said, key = (
        _said(),
        (
            tuple(words),
            None if environment is None else tuple(sorted(environment.items())),
        ),
    )
    if key not in said:
        text = (
            _over_jobs(words, seconds, environment, rests_on)
            if rests_on
            else answer(words, seconds, environment)
        )
        if text is None:
            return None
        said[key] = text
    return said[key]


def _over_jobs(
    words: Sequence[str],
    seconds: float,
    environment: Optional[Mapping[str, str]],
    rests_on: RestsOn,
) -> Optional[str]:
    return answer_cache.answer(
        words,
        rests_on,
        lambda: answer(words, seconds, environment),
        os.environ if environment is None else environment,
    )


@lru_cache(maxsize=1)
def _said() -> Dict[object, str]:
    return {}
