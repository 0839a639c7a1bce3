"""`run --trace`: what of a job is traced, within which bounds, and what its ranks leave."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Callable, Dict, List, Mapping, Optional

from advisor.launching.run import rank_records
from advisor.model.errors import UserError

VARIABLE = "ADVISOR_TRACE"
"""In the ranks: what they keep, as collectors/tracing/file.c reads it. Of a user of `advisor exec`:
what he writes behind --trace=."""
_NOTHING = "no"
FOLDER = "trace"
"""Below a result folder."""
DEFAULT_SIZE = 64 << 20
_LEAST_SIZE, _MOST_SIZE = 64 << 10, 64 << 30
_SECONDS = {"": 1.0, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0}
_BYTES = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30}
_SPARE = 0.05
"""Of a file system is left free, whatever is asked for."""
_DO = (
    "Write one or more of: all, first=60s, last=60s, from=10s, to=90s, region=3, size=64M; with"
    " commas between them."
)


def wanted(selection: str) -> str:
    """A selection as ranks read it. Raises UserError, with what can be written, if it makes no
    sense."""
    found: Dict[str, float] = {}
    for word in filter(None, re.split("[,:]", selection)):
        name, equals, value = word.strip().lower().partition("=")
        if word.strip().lower() == "all":
            continue
        name = "to" if name == "first" else name
        if name not in _READERS or not equals:
            raise UserError(f'"{word}" is not a part of a run that can be traced.', do=_DO)
        if name in found:
            raise UserError(f'"{selection}" says twice how much to trace.', do=_DO)
        found[name] = _READERS[name](word, value)
    if "last" in found and {"from", "to"} & set(found):
        raise UserError(
            f'"{selection}" asks for the end of the run and for another part of it.', do=_DO
        )
    if "to" in found and found["to"] <= found.get("from", 0):
        raise UserError(f'"{selection}" ends before it begins.', do=_DO)
    found.setdefault("size", DEFAULT_SIZE)
    return ":".join(
        f"{name}={found[name]:g}" if name != "size" else f"size={int(found[name])}"
        for name in sorted(found)
    )


def of_job(
    environment: Mapping[str, str], folder: Path, ranks: Optional[int], say: Callable[[str], None]
) -> Dict[str, str]:
    """Of a job that starts its ranks by itself, what they are handed to trace what is wished for in
    the environment; nothing if nothing is. Raises UserError."""
    text = wished(environment)
    return (begin(folder, ranks, text, say) or {VARIABLE: _NOTHING}) if text else {}


def wished(environment: Mapping[str, str]) -> str:
    """The selection in the environment, as wanted() reads it; empty if there is none. Raises
    UserError."""
    asked = environment.get(VARIABLE, _NOTHING)
    return "" if asked == _NOTHING else wanted(asked)


def _seconds(word: str, value: str) -> float:
    match = re.fullmatch(r"(\d+(?:\.\d*)?)(s|m|min|h|)", value)
    if not match or float(match.group(1)) == 0:
        raise UserError(
            f'"{word}" names no time.',
            do="Write seconds, minutes or hours: first=60s, last=5m, from=1h",
        )
    return float(match.group(1)) * _SECONDS[match.group(2)]


def _bytes(word: str, value: str) -> float:
    match = re.fullmatch(r"(\d+(?:\.\d*)?)([kmg]?)(?:i?b)?", value)
    size = float(match.group(1)) * _BYTES[match.group(2)] if match else 0
    if not _LEAST_SIZE <= size <= _MOST_SIZE:
        raise UserError(
            f'"{word}" names no size that the events of a rank can have.',
            do="Write between 64K and 64G: size=64M",
        )
    return size


def _region(word: str, value: str) -> float:
    if not re.fullmatch(r"-?\d{1,6}", value):
        raise UserError(
            f'"{word}" names no region.',
            do="Write the level that the program gives to MPI_Pcontrol: region=3",
        )
    return int(value)


_READERS = {"size": _bytes, "from": _seconds, "to": _seconds, "last": _seconds, "region": _region}


def begin(
    folder: Path, ranks: Optional[int], text: str, say: Callable[[str], None]
) -> Dict[str, str]:
    """What ranks are handed to trace what wanted() has read into the result `folder`: nothing if
    that is nothing, or if there is no room for it."""
    if not text:
        return {}
    need, room = (
        (ranks or 1) * int(dict(part.split("=", 1) for part in text.split(":"))["size"]),
        shutil.disk_usage(folder),
    )
    free = room.free - int(_SPARE * room.total)
    if need > free:
        say(
            f"No trace is kept: it may take {_said(need)}, and {folder} has {_said(max(free, 0))}"
            " to spare. Ask for less: --trace=size=1M"
        )
        return {}
    (folder / FOLDER).mkdir(exist_ok=True)
    return {VARIABLE: text}


def collect(run: str, folder: Path, environment: Mapping[str, str]) -> None:
    """Move what ranks that were killed have left on this host to the result `folder`. Raises
    OSError."""
    found = list(rank_records.left_behind(run, environment, "events"))
    if (folder / FOLDER).is_dir():
        rank_records.moved(found, folder / FOLDER)
    for left in found:
        left.unlink(missing_ok=True)


def left(folder: Path) -> List[Path]:
    """The event files of a result that are not an archive yet."""
    return sorted((folder / FOLDER).glob("*.events"))


def _said(size: float) -> str:
    for unit in ("B", "KiB", "MiB", "GiB"):
        if size < 1024 or unit == "GiB":
            return f"{size:.3g} {unit}" if unit != "B" else f"{size:.0f} B"
        size /= 1024
    raise AssertionError
