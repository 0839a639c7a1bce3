"""Settings as files that a job loads, and how to remove them: RESULT/overlay, or beside a result
that is a file, one at a time.

environment     NAME=value lines              overlay.sh   the same to be sourced by sh options
for the launcher              launch-line  the recorded command with all of it overlay.json    what
was written, with checksums, for undo, and signed; beside it the bytes of a script as it was
"""

from __future__ import annotations

import hashlib
import json
import os
import shlex
import shutil
from pathlib import Path
from typing import Any, Dict, Mapping

from advisor.base import trusted_files
from advisor.model.errors import UserError
from advisor.verifying import replacing, signature

VARIABLE = "ADVISOR_OVERLAY"
FORMAT, VERSION = "advisor-overlay", (1, 0)
RECORD = "overlay.json"
NAME, PROFILE = "overlay", "profile"
FILES = ("environment", "overlay.sh", "options", "launch-line", RECORD)
"""What an overlay holds beside the kept bytes of scripts; the record last, so that an undo that was
stopped can go on."""
_LARGEST, _MOST_FILES = 1 << 20, 16


def folder_of(result: Path) -> Path:
    """Where the overlay of a result lies: in its folder, or beside its file."""
    place = Path(os.path.realpath(result))  # Path.resolve() fails at a link to itself.
    if place.name == PROFILE:
        return place.parent / NAME
    beside = place.with_name(f"{place.name}.{NAME}")
    return beside if place.is_file() or beside.is_dir() else place / NAME


def write(result: Path, name: str, settings: Mapping[str, str], launch_line: str) -> Path:
    """A new overlay; its folder. Raises UserError if there is one already, or it cannot be
    written."""
    folder = folder_of(result)
    variables = {key: value for key, value in settings.items() if not key.startswith("-")}
    options = [
        word
        for key, value in settings.items()
        if key.startswith("-")
        for word in (key, *([value] if value else []))
    ]
    head = (
        f"# {name}\n# In a job script of sh, in front of the launch line: ."
        f" {shlex.quote(str((folder / 'overlay.sh').absolute()))}\n"
    )
    exports = "".join(
        f"export {key}={shlex.quote(value)}\n"
        for key, value in {**variables, VARIABLE: name}.items()
    )
    texts = {
        "environment": "".join(
            f"{key}={value}\n" for key, value in {**variables, VARIABLE: name}.items()
        ),
        "overlay.sh": head + exports,
        "options": shlex.join(options) + "\n" if options else "",
        "launch-line": launch_line + "\n" if launch_line else "",
    }
    try:
        folder.mkdir()
        for file, text in texts.items():
            if text:
                (folder / file).write_text(text, encoding="utf-8")
        _record(
            folder,
            {
                "format": FORMAT,
                "version": list(VERSION),
                "name": name,
                "settings": dict(settings),
                "files": [],
            },
        )
    except FileExistsError:
        raise UserError(
            f"{result} has an overlay already: {folder}.",
            do=f"Undo it first: advisor undo {shlex.quote(str(result))}",
        ) from None
    except OSError as error:
        raise UserError(f"{folder} cannot be written: {error.strerror}.") from error
    return folder


def put(folder: Path, script: Path, target: Path, content: bytes) -> None:
    """Write `content` to `target`: a new file, or `script` itself, whose bytes are kept first.
    Raises UserError; then nothing has changed."""
    script = script.resolve()
    in_place = target.resolve() == script
    target = script if in_place else target.parent.resolve() / target.name
    if not in_place and (target.exists() or target.is_symlink()):
        raise UserError(
            f"{target} is there already.", do="Choose another name with -o, or move it away."
        )
    before = replacing.read(script)
    entry: Dict[str, Any] = {
        "path": str(target),
        "after": checksum(content),
        "before": checksum(before.content) if in_place else None,
        "kept": None,
    }
    try:
        if in_place:
            entry["kept"] = f"{script.name}.before"
            (folder / entry["kept"]).write_bytes(before.content)
        # The record first: whatever stops us after it can be undone.
        content_of = read(folder)
        _record(folder, {**content_of, "files": [*content_of["files"], entry]})
        replacing.replace(target, replacing.Script(content, before.mode))
    except OSError as error:
        raise UserError(f"{target} cannot be written: {error.strerror}.") from error


def discard(folder: Path) -> None:
    """Remove an overlay that was just made, after nothing else was written."""
    shutil.rmtree(folder, ignore_errors=True)


def read(folder: Path) -> Dict[str, Any]:
    """The record of an overlay, whoever wrote it. Raises UserError if it is damaged, or no file, or
    larger than any record."""
    place = folder / RECORD
    try:
        with trusted_files.reached(folder) as at, trusted_files.plain(RECORD, "it", at) as file:
            content = json.loads(trusted_files.bounded(file, _LARGEST, "it").decode("utf-8"))
        good = (
            content["format"] == FORMAT
            and isinstance(content["name"], str)
            and isinstance(content.get("signature", ""), str)
        )
        good = (
            good
            and len(content["files"]) <= _MOST_FILES
            and all(_is_entry(entry) for entry in content["files"])
        )
    except OSError as error:
        raise UserError(
            f"{place} cannot be read: {error.strerror}: what it undoes is not known, and nothing"
            " was touched."
        ) from None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise UserError(
            f"{place} cannot be read ({type(error).__name__}): what it undoes is not known, and"
            " nothing was touched."
        ) from None
    if not good:
        raise UserError(f"{place} is no record of an overlay: nothing was touched.")
    return content


def signed(content: Mapping[str, Any]) -> bool:
    """Whether this user's advisor wrote a record on this account."""
    return signature.holds(_signed_part(content), FORMAT, content.get("signature", ""))


def checksum(content: bytes) -> str:
    """SHA-256, as hexadecimal digits."""
    return hashlib.sha256(content).hexdigest()


def _is_entry(entry: Any) -> bool:
    """A new file has neither `before` nor `kept`, a changed one has both."""
    path, before, kept = entry["path"], entry["before"], entry["kept"]
    if not all(
        isinstance(text, str) and "\0" not in text
        for text in (path, entry["after"], before or "", kept or "")
    ):
        return False
    return (
        os.path.isabs(path)
        and os.path.normpath(path) == path != "/"
        and bool(before) is bool(kept)
        and kept not in (".", "..")
        and "/" not in (kept or "")
    )


def _signed_part(content: Mapping[str, Any]) -> bytes:
    return json.dumps(
        {key: value for key, value in content.items() if key != "signature"}, sort_keys=True
    ).encode("ascii")


def _record(folder: Path, content: Mapping[str, Any]) -> None:
    whole = {**content, "signature": signature.of(_signed_part(content), FORMAT)}
    draft = folder / f".{RECORD}"
    # In ASCII: a name of a file may hold bytes that are no UTF-8.
    draft.write_text(json.dumps(whole, indent=1) + "\n", encoding="ascii")
    os.replace(draft, folder / RECORD)
