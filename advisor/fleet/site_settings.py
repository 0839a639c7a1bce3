"""Settings that a site may make for all, from verified trials and nothing else: proposed files for
Open MPI, UCX and Intel MPI, with undo.

A setting is proposed if three trials of two users proved it better, each alone, and none made a job
slower or broke it.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any, Dict, Iterator, List, Mapping, NamedTuple, Sequence, Tuple

from advisor.base import numbers as write
from advisor.base import trusted_files
from advisor.fleet.store import put
from advisor.model.errors import UserError
from advisor.model.harmless import visible

LEAST_TRIALS, LEAST_USERS = 3, 2
BEGIN = "# advisor begin: from verified trials; advisor fleet settings --undo takes it out"
END = "# advisor end"
_BAD = ("worse", "breaks")
_VALUE = re.compile(r"[A-Za-z0-9_.,:+^=/~*-]{1,120}")
_NAME = re.compile(r"[A-Z][A-Za-z0-9_]{1,100}")
_LARGEST = 1 << 20
_OPENMPI = "OMPI_MCA_"


class File(NamedTuple):
    """Variables that begin with `prefix` and the form of a line. `where`: it belongs."""

    name: str
    prefix: str
    line: str
    where: str

    def key(self, name: str) -> str:
        """What the file calls a variable."""
        return name[len(_OPENMPI) :] if self.prefix == _OPENMPI else name


FILES = (
    File("openmpi-mca-params.conf", _OPENMPI, "{key} = {value}", "PREFIX/etc of Open MPI"),
    File("ucx.conf", "UCX_", "{key}={value}", "PREFIX/etc/ucx of UCX"),
    File("intel-mpi.sh", "I_MPI_", "export {key}={value}", "the module of Intel MPI"),
)


@dataclass(frozen=True)
class Proposal:
    """A setting with what trials said. Effects are of the time a run takes."""

    name: str
    value: str
    trials: int
    users: int
    applications: Tuple[str, ...]
    effect: float
    low: float
    high: float

    def comment(self) -> str:
        """In one line."""
        took = write.time_saved(1 + self.low, 1 + self.high)
        programs = ", ".join(map(visible, self.applications[:4]))
        text = (
            f"{write.counted(self.trials, 'trial')} of {write.counted(self.users, 'user')}:"
            f" {took}; {programs}"
        )
        plain = {ord(write.HARD): " ", ord(write.THIN): " ", ord(write.MINUS): "-"}
        return text.translate(plain)


def proposals(rows: Sequence[Mapping[str, Any]]) -> List[Proposal]:
    """Of rows of the query verified_settings."""
    trials: Dict[Tuple[str, str], List[Mapping[str, Any]]] = defaultdict(list)
    for row in rows:
        pairs = [each.partition("=") for each in row["settings"].split()]
        # Of several settings at once, nobody knows which one it was.
        if len(pairs) == 1 and pairs[0][1]:
            trials[pairs[0][0], pairs[0][2]].append(row)
    found: Dict[str, Proposal] = {}
    for (name, value), tried in sorted(trials.items()):
        made = _proposal(name, value, tried)
        if made and (name not in found or made.effect < found[name].effect):
            found[name] = made
    return list(found.values())


def _proposal(name: str, value: str, tried: List[Mapping[str, Any]]) -> "Proposal | None":
    better = [row for row in tried if row["verdict"] == "better" and row["effect_high"] is not None]
    users = {row["user_name"] for row in better}
    if len(better) < LEAST_TRIALS or len(users) < LEAST_USERS:
        return None
    if any(row["verdict"] in _BAD for row in tried):
        return None
    if not _NAME.fullmatch(name) or not _VALUE.fullmatch(value):
        return None
    return Proposal(
        name,
        value,
        len(better),
        len(users),
        tuple(sorted({row["application"] for row in better})),
        median(row["effect"] for row in better),
        min(row["effect_low"] for row in better),
        max(row["effect_high"] for row in better),
    )


def texts(found: Sequence[Proposal], folder: Path) -> Mapping[str, str]:
    """Name of a file → its text: what stands in it already, and the proposals that it lacks."""
    made = {}
    for file in FILES:
        kept = without(_read(folder / file.name))
        block = list(_block(file, found, kept))
        if block:
            made[file.name] = kept + "\n".join([BEGIN, *block, END]) + "\n"
    return made


def _block(file: File, found: Sequence[Proposal], kept: str) -> Iterator[str]:
    for each in found:
        key = file.key(each.name)
        if not each.name.startswith(file.prefix):
            continue
        if re.search(rf"^\s*(export\s+)?{re.escape(key)}\s*=", kept, re.MULTILINE):
            continue  # The centre has decided already.
        yield f"# {each.comment()}"
        yield file.line.format(key=key, value=each.value)


def without(text: str) -> str:
    """A file's text as it was before ours came."""
    block = rf"^{re.escape(BEGIN)}\n.*?^{re.escape(END)}\n"
    return re.sub(block, "", text, flags=re.MULTILINE | re.DOTALL)


def propose(found: Sequence[Proposal], folder: Path) -> List[Path]:
    """Write the files. Raises UserError."""
    written = []
    for name, text in texts(found, folder).items():
        _put(folder / name, text)
        written.append(folder / name)
    return written


def undo(folder: Path) -> List[Path]:
    """Take ours out again; a file that has nothing else goes. Raises UserError."""
    changed = []
    for file in FILES:
        path = folder / file.name
        text = _read(path)
        kept = without(text)
        if kept == text:
            continue
        if kept:
            _put(path, kept)
        else:
            path.unlink()
        changed.append(path)
    return changed


def _read(path: Path) -> str:
    try:
        with trusted_files.plain(path, str(path)) as file:
            return trusted_files.bounded(file, _LARGEST, str(path)).decode("utf-8")
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"{path} cannot be read: {error}.") from error


def _put(path: Path, text: str) -> None:
    try:
        put(path, text.encode())
        path.chmod(0o644)
    except OSError as error:
        raise UserError(f"{path} cannot be written: {error.strerror or error}.") from error
