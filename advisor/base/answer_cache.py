"""Caches the answers of installed programs, and results derived from files, beside the collector
for the next job.

A stale answer is a false statement. So each is kept with all files and folders that it rests on,
present or missing, and is believed only while every one of them is as it was; the question holds
the environment. It is believed only from files that nobody else could have written.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import secrets
import time
from pathlib import Path
from typing import Callable, Dict, Iterable, Iterator, List, Mapping, Optional, Sequence

from advisor import __version__
from advisor.base import resource_paths, trusted_files

FOLDER = "answers"
LARGEST = 32 << 20
MOST_ANSWERS = 256
_SETTLED = 2.0
"""Seconds: what changed later than that before it was asked may have changed again unseen, by
clocks that tick slowly."""
_CONFIGURED = ("/etc/ld.so.cache", "/etc/ld.so.preload")
"""What the loader takes changes with these, for every program."""
_PASSING = re.compile(
    r"PWD|OLDPWD|SHLVL|_|TERM\w*|COLUMNS|LINES|LS_COLORS|PS\d|HIST\w+|DISPLAY|WINDOWID|STY|MAIL|LESS\w*|EDITOR|VISUAL|PAGER|TMP|TEMP|TMPDIR"
    r"|(?:SSH|XDG_SESSION|DBUS|TMUX|ADVISOR|SLURM|SLURMD|SBATCH|SRUN|PBS|LSB|COBALT|PYTEST)_\w+"
)
"""Variables that differ from shell to shell and from job to job, and that no library's description
of itself depends on. All others count."""


def answer(
    question: Sequence[str],
    rests_on: Callable[[str], Optional[Iterable[str]]],
    ask: Callable[[], Optional[str]],
    environment: Optional[Mapping[str, str]] = None,
) -> Optional[str]:
    """What `ask` answers, or answered when all that it rests on was as it is now.

    `rests_on`: the files and folders that an answer rests on, the program and its libraries among
    them; None: it cannot be told, so that nothing is kept. `environment`: that of the question, if
    it depends on it.
    """
    name = _name(question, environment)
    kept = next(
        filter(
            None,
            (
                _kept(folder / FOLDER, name, question)
                for folder in resource_paths.caches(os.environ)
            ),
        ),
        None,
    )
    if kept is not None:
        return kept
    begun = time.time()
    text = ask()
    files = None if text is None else rests_on(text)
    if text is not None and files is not None:
        _keep(name, question, text, sorted({*files, *_CONFIGURED, *_searched(environment)}), begun)
    return text


def tree(folder: str) -> List[str]:
    """A folder and all that lies in it: where a library opens what it finds there."""
    try:
        return [folder, *(entry.path for entry in os.scandir(folder))]
    except OSError:
        return [folder]


def _searched(environment: Optional[Mapping[str, str]]) -> Iterator[str]:
    """Folders where the loader looks first: a library that is put there is taken."""
    return filter(None, (environment or os.environ).get("LD_LIBRARY_PATH", "").split(":"))


def _name(question: Sequence[str], environment: Optional[Mapping[str, str]]) -> str:
    lasting = {
        name: value
        for name, value in sorted((environment or {}).items())
        if not _PASSING.fullmatch(name)
    }
    words = [__version__, os.uname().release, list(question), lasting]
    return (
        hashlib.sha256(json.dumps(words).encode("utf-8", "surrogateescape")).hexdigest()[:32]
        + ".json"
    )


def _kept(folder: Path, name: str, question: Sequence[str]) -> Optional[str]:
    try:
        content = json.loads(trusted_files.read(trusted_files.inside(folder, name), LARGEST))
        is_valid = content["question"] == list(question) and all(
            _identity(path) == seen for path, seen in content["files"].items()
        )
        return content["text"] if is_valid and isinstance(content["text"], str) else None
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


def _identity(path: str) -> Optional[List[int]]:
    """What changes whenever a file does, or what a link leads to; of a folder, whenever something
    is put there or taken away. None: there is nothing."""
    try:
        facts = os.stat(path)
    except OSError:
        return None
    return [facts.st_ino, facts.st_size, facts.st_mtime_ns, facts.st_ctime_ns]


def _keep(
    name: str, question: Sequence[str], text: str, files: Sequence[str], begun: float
) -> None:
    """Complete or not at all, for this user's eyes: what a library says of its settings may hold
    what the environment holds."""
    seen: Dict[str, Optional[List[int]]] = {path: _identity(path) for path in files}
    if any(facts and facts[3] > (begun - _SETTLED) * 1e9 for facts in seen.values()):
        return
    cache = resource_paths.to_keep(os.environ)
    if cache is None or not trusted_files.private(cache / FOLDER):
        return
    folder = cache / FOLDER
    draft = folder / f".{name}.{secrets.token_hex(8)}"
    try:
        handle = os.open(
            draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600
        )
        with os.fdopen(handle, "w", encoding="utf-8", errors="surrogateescape") as stream:
            json.dump({"question": list(question), "files": seen, "text": text}, stream)
        os.replace(draft, folder / name)
        _sweep(folder)
    except OSError:
        draft.unlink(missing_ok=True)


def _sweep(folder: Path) -> None:
    """Old answers make room, drafts of jobs that were killed among them."""
    ages = sorted((entry.stat().st_mtime, entry.path) for entry in os.scandir(folder))
    for _, path in ages[: max(0, len(ages) - MOST_ANSWERS)]:
        os.unlink(path)
