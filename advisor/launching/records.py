"""What ranks leave behind that did not finalize: their records, moved into the result folder, and nothing else left on this host."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
import time
from pathlib import Path
from typing import Iterator, List, Mapping

_GRACE_SECONDS = 3.0
"""How long a rank may outlive its launcher; launchers kill their ranks within one or two."""
_PAUSE_SECONDS = 0.05


def collect(run: str, parts: Path, environment: Mapping[str, str]) -> List[Path]:
    """Move the records of `run` from this host's memory file systems to `parts`; where they are now.

    A folder that the job has removed is made again. Raises OSError, with the place where the records are kept instead, if
    they cannot be written there: no room, or no right to write any more.
    """
    found = [record for record in left_behind(run, environment) if record.parent != parts]
    _wait_for(found)
    try:
        return _moved(found, parts)
    except OSError as error:
        kept = Path(tempfile.mkdtemp(prefix=f"advisor-{run}-", dir=_spare(environment)))
        _moved(left_behind(run, environment), kept)
        what = f"{error.strerror}. What the ranks counted is kept in {kept}: advisor report {kept}"
        raise OSError(error.errno, what) from error
    finally:
        _sweep(run, parts, environment)


def left_behind(run: str, environment: Mapping[str, str], kind: str = "record") -> Iterator[Path]:
    """Records of this run on this host."""
    for folder in dict.fromkeys(("/dev/shm", environment.get("TMPDIR", ""), "/tmp")):
        if folder and os.path.isdir(folder):
            yield from sorted(Path(folder).glob(f"advisor-{run}-*.{kind}"))


def _moved(records: Iterator[Path], folder: Path) -> List[Path]:
    moved = []
    for record in list(records):
        if not record.exists():
            continue
        folder.mkdir(parents=True, exist_ok=True)
        shutil.move(str(record), str(folder / record.name))
        moved.append(folder / record.name)
    return moved


def _spare(environment: Mapping[str, str]) -> str:
    """A folder with room when that of the results has none."""
    own = environment.get("TMPDIR", "")
    return own if os.access(own, os.W_OK) else "/tmp" if os.access("/tmp", os.W_OK) else tempfile.gettempdir()


def _sweep(run: str, parts: Path, environment: Mapping[str, str]) -> None:
    """Remove the pages on which ranks counted themselves and did not live to leave, and records that were half handed over."""
    for path in [*left_behind(run, environment, "muster"), *parts.glob(f".advisor-{run}-*.draft"), *parts.glob("*.tmp")]:
        try:
            path.unlink()
        except OSError:
            pass


def _wait_for(records: List[Path]) -> None:
    """Wait until the writers have ended: a record that is still written is not complete."""
    end = time.monotonic() + _GRACE_SECONDS
    while any(_alive(record) for record in records) and time.monotonic() < end:
        time.sleep(_PAUSE_SECONDS)


def _alive(record: Path) -> bool:
    match = re.search(r"-([0-9]+)\.record$", record.name)
    return bool(match) and record.exists() and _runs(match.group(1))


def _runs(pid: str) -> bool:
    """Whether a process lives. One that has ended and was not waited for (Z) writes no more."""
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
            return file.read().rpartition(")")[2].split()[0] not in ("Z", "X")
    except (OSError, IndexError):
        return False
