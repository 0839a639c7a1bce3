"""Runs programs on advisor's own account: which ones are allowed, for how long, and how much output
they may produce.

What the user typed is his own choice, and runs as typed. What we find along PATH, or beside a
library, he did not choose.
"""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import time
from functools import lru_cache
from typing import Collection, FrozenSet, Mapping, NamedTuple, Optional, Sequence

from advisor.base import trusted_files

MOST_BYTES = 16 << 20
_PAUSE_SECONDS = 0.1


class Said(NamedTuple):
    """How a program ended, and what it printed."""

    code: int
    content: bytes

    @property
    def text(self) -> str:
        return self.content.decode("utf-8", "replace")


def ask(
    words: Sequence[str],
    seconds: float,
    environment: Optional[Mapping[str, str]] = None,
    errors: bool = False,
    most: int = MOST_BYTES,
) -> Optional[Said]:
    """What a program prints, with its standard error if `errors`; None if it cannot be started,
    takes longer, or prints more. Never raises.

    One that is named without its folder is looked for by which().
    """
    file = (
        words[0]
        if "/" in words[0]
        else which(words[0], (os.environ if environment is None else environment).get("PATH"))
    )
    if file is None:
        return None
    try:
        process = subprocess.Popen(
            [file, *words[1:]],
            env=None if environment is None else dict(environment),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT if errors else subprocess.DEVNULL,
            start_new_session=True,
        )
    except (OSError, ValueError):
        return None
    try:
        end = time.monotonic() + seconds
        content = _read(process, end, most)
        return (
            None
            if content is None
            else Said(process.wait(max(0.0, end - time.monotonic())), content)
        )
    except subprocess.TimeoutExpired:
        return None
    finally:
        _end(process)


def which(name: str, path: Optional[str] = None, owners: Collection[int] = ()) -> Optional[str]:
    """As shutil.which, of programs that may be asked: what a stranger could have put along PATH is
    passed over, and said."""
    for folder in (os.environ.get("PATH", os.defpath) if path is None else path).split(os.pathsep):
        file = os.path.join(folder or ".", name)
        if may_run(file, owners):
            return file
    return None


def may_run(path: str, owners: Collection[int] = ()) -> bool:
    """Whether a file can be executed, and only this user, root or one of `owners` could have put it
    there. That it is not run is said once."""
    return (
        os.path.isfile(path)
        and os.access(path, os.X_OK)
        and not _stranger(os.path.abspath(path), frozenset(owners))
    )


def owners_of(*files: str) -> FrozenSet[int]:
    """Who else is trusted: those whose launcher or library the user starts himself, such as the
    account that installs software for all."""
    found = set()
    for file in files:
        try:
            found.add(os.stat(file).st_uid)
        except (OSError, ValueError):
            continue
    return frozenset(found)


@lru_cache(maxsize=None)
def _stranger(path: str, owners: FrozenSet[int]) -> str:
    """Why a program is not run, said at once; empty if it may be."""
    try:
        trusted_files.program(path, owners)
        return ""
    except OSError as error:
        print(
            f"advisor: {path} is not run to describe this machine: {error.strerror}.",
            file=sys.stderr,
            flush=True,
        )
        return error.strerror or "it cannot be read"


def _read(process: subprocess.Popen, end: float, most: int) -> Optional[bytes]:
    """All that it prints. A process that it leaves behind may keep the pipe open: that one is not
    waited for."""
    assert process.stdout is not None  # It was started with a pipe.
    content, pipe = bytearray(), process.stdout.fileno()
    while time.monotonic() < end and len(content) <= most:
        ended = process.poll() is not None
        if select.select([pipe], [], [], 0 if ended else _PAUSE_SECONDS)[0]:
            more = os.read(pipe, 1 << 16)
            if not more:
                return bytes(content)
            content += more
        elif ended:
            return bytes(content)
    return None


def _end(process: subprocess.Popen) -> None:
    """With all that it has started."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    if process.stdout is not None:
        process.stdout.close()
