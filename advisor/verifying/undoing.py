"""Reverts `apply`: shows what its record says, and acts only if this user's advisor wrote that
record."""

from __future__ import annotations

import os
import shlex
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, List, Mapping, Optional, Tuple

from advisor.base import trusted_files
from advisor.model.errors import UserError
from advisor.verifying import overlay, replacing
from advisor.verifying.overlay import checksum
from advisor.verifying.replacing import Script


@dataclass(frozen=True)
class Entry:
    """A file that was written. `kept`: the copy of a script as it was, with the checksum `before`;
    without it the file was new."""

    path: Path
    after: str
    before: Optional[str]
    kept: Optional[Path]


@dataclass(frozen=True)
class Plan:
    """What a record asks for. `refusal`: why it is not done, a clause; empty if it is."""

    result: Path
    folder: Path
    entries: Tuple[Entry, ...]
    refusal: str

    def sentences(self) -> List[str]:
        """What would be done, one line for each file."""
        return [
            f"restore {each.path} from {each.kept}" if each.kept else f"remove {each.path}"
            for each in self.entries
        ] + [f"remove {self.folder}"]

    def by_hand(self) -> str:
        """The same as commands of a shell."""
        files = [
            (
                f"cp {_quoted(each.kept)} {_quoted(each.path)}"
                if each.kept
                else f"rm {_quoted(each.path)}"
            )
            for each in self.entries
        ]
        return "; ".join([*files, f"rm -r {_quoted(self.folder)}"])


def planned(result: Path) -> Plan:
    """What undoing a result means. Raises UserError if there is nothing to undo, or its record is
    damaged."""
    folder = overlay.folder_of(result)
    if not os.path.lexists(folder):
        raise UserError(
            f"{result} has no overlay: there is nothing to undo."
            if os.path.lexists(result)
            else f"{result} does not exist.",
            do="Give the result that was given to advisor apply.",
        )
    content = overlay.read(folder)
    return Plan(
        result,
        folder,
        tuple(_entry(folder, each) for each in reversed(content["files"])),
        _refusal(folder, content),
    )


def take_back(plan: Plan) -> List[str]:
    """Do it, byte for byte; sentences on what was done. Raises UserError if a file was changed
    since: then nothing is touched."""
    if plan.refusal:
        raise UserError(
            f"Nothing was undone: {plan.refusal}.",
            do=f"By hand, if you know these files: {plan.by_hand()}",
        )
    kept = [(each, _checked(each)) for each in plan.entries]
    try:
        said = [_taken_back(each, script) for each, script in kept]
        return [*filter(None, said), _removed(plan)]
    except OSError as error:
        raise UserError(
            f"{plan.folder} was not undone to the end: {error.strerror or error}.",
            do=f"To go on: advisor undo {_quoted(plan.result)}",
        ) from error


def _refusal(folder: Path, content: Mapping[str, Any]) -> str:
    if not overlay.signed(content):
        return (
            f"{folder / overlay.RECORD} was not written by advisor apply of yours on this account,"
            " or was changed"
        )
    try:
        with trusted_files.folder(folder):
            return ""
    except OSError as error:
        return error.strerror or str(error)


def _entry(folder: Path, written: Mapping[str, Any]) -> Entry:
    return Entry(
        Path(written["path"]),
        written["after"],
        written["before"],
        folder / written["kept"] if written["kept"] else None,
    )


def _checked(entry: Entry) -> Optional[Script]:
    """The kept copy, if there is one. Raises UserError unless it and the file are as `apply` left
    them."""
    now, kept = replacing.found(entry.path), replacing.found(entry.kept) if entry.kept else None
    if entry.kept and (kept is None or checksum(kept.content) != entry.before):
        raise UserError(
            f"The copy of {entry.path} as it was is damaged: {entry.kept}.", "Nothing was touched."
        )
    if (checksum(now.content) if now else None) not in (entry.after, entry.before):
        where = (
            f"As it was, it is in {entry.kept}."
            if entry.kept
            else "Remove it by hand if it is not needed."
        )
        raise UserError(
            f"{entry.path} was changed after advisor wrote it.", "Nothing was touched.", where
        )
    return kept and Script(kept.content, now.mode if now else kept.mode)


def _taken_back(entry: Entry, script: Optional[Script]) -> str:
    if script is None:
        with suppress(FileNotFoundError):
            replacing.remove(entry.path)
            return f"removed {entry.path}"
        return ""
    replacing.replace(entry.path, script)
    return f"restored {entry.path}, checksum {checksum(script.content)[:12]} as before"


def _removed(plan: Plan) -> str:
    """The files of an overlay and their folder, unless somebody put others there."""
    with trusted_files.folder(plan.folder) as at:
        for name in (*(each.kept.name for each in plan.entries if each.kept), *overlay.FILES):
            with suppress(FileNotFoundError):
                os.unlink(name, dir_fd=at)
    try:
        os.rmdir(plan.folder)
    except OSError as error:
        return f"{plan.folder} stays: {error.strerror}"
    return f"removed {plan.folder}"


def _quoted(path: Optional[Path]) -> str:
    return shlex.quote(str(path))
