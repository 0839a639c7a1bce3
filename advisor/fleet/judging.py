"""Many files judged by other processes: one that is ended by a hostile file takes no other with it.

Any executor of `concurrent.futures` will do. What it runs is a function of a module, and gets and
returns plain values.
"""

from __future__ import annotations

import resource
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Callable, ContextManager, Dict, Iterator, Mapping, Tuple, TypeVar, Union

from advisor.fleet.rows import Judged
from advisor.model.errors import UserError

Judge = Callable[[str, str], Judged]
"""(path, kind of the file) → rows. Raises UserError for what cannot be read."""
Executors = Callable[[], ContextManager[Executor]]
Result = TypeVar("Result")
SECONDS, MEMORY = 120, 8 << 30
"""Of one file: beyond that it is hostile. The largest honest ones take 5 s and 1 GB."""


def processes(count: int = 1) -> ProcessPoolExecutor:
    """New processes, which have nothing of this one: threads of Arrow would not survive a fork."""
    return ProcessPoolExecutor(count, get_context("spawn"), _limit_memory)


def within_limits(judge: Callable[[str, str], Result], path: str, kind: str) -> Result:
    """Judge in this process, which ends if it takes too long."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    now = int(used.ru_utime + used.ru_stime) + 1
    _lower(resource.RLIMIT_CPU, now + SECONDS)
    return judge(path, kind)


def judged(
    executors: Executors, judge: Judge, files: Mapping[str, Tuple[Path, str]], limited: bool = True
) -> Iterator[Tuple[str, Union[Judged, UserError]]]:
    """Each of the files with its rows, or why it has none. One that ends its process is tried
    once more, alone, so that no other is blamed for it. `limited`: it also ends the process if it
    takes too long, which the workers of a cluster are not for."""
    run = partial(within_limits, judge) if limited else judge
    again = {}
    for name, found in _all(executors, run, files):
        if isinstance(found, BrokenProcessPool):
            again[name] = files[name]
        else:
            yield name, found
    for name, file in again.items():
        for _, found in _all(executors, run, {name: file}):
            ended = UserError("Reading it ended the process that read it.")
            yield name, ended if isinstance(found, BrokenProcessPool) else found


def _all(
    executors: Executors, run: Judge, files: Mapping[str, Tuple[Path, str]]
) -> Iterator[Tuple[str, Union[Judged, UserError, BrokenProcessPool]]]:
    with executors() as executor:
        begun: Dict[str, "Future[Judged]"] = {}
        broken = None
        for name, (path, kind) in files.items():
            try:
                begun[name] = executor.submit(run, str(path), kind)
            except BrokenProcessPool as error:
                broken = error
                break
        for name in files:
            yield name, _result(begun[name]) if name in begun else broken  # type: ignore[misc]


def _result(future: "Future[Judged]") -> Union[Judged, UserError, BrokenProcessPool]:
    try:
        return future.result()
    except BrokenProcessPool as error:
        return error
    except UserError as error:
        return error
    except MemoryError:
        return UserError("Reading it takes more memory than it may have.")
    except Exception as error:  # A mistake of ours, which must not keep all others out.
        return UserError(f"Judging it failed: {type(error).__name__}: {error}")


def _limit_memory() -> None:
    _lower(resource.RLIMIT_AS, MEMORY)


def _lower(which: int, limit: int) -> None:
    """The soft limit, within the hard one."""
    _, hard = resource.getrlimit(which)
    resource.setrlimit(which, (limit if hard == resource.RLIM_INFINITY else min(limit, hard), hard))
