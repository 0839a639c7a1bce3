"""Settings as files that a job takes up, and their way back: RESULT/overlay, one at a time.

environment     NAME=value lines              overlay.sh   the same to be sourced by sh
options         for the launcher              launch-line  the recorded command with all of it
overlay.json    what was written, with checksums, for undo; beside it the bytes of a script as it was
"""

from __future__ import annotations

import hashlib
import json
import os
import shlex
import shutil
import tempfile
from pathlib import Path
from typing import Any, Dict, List, Mapping, Optional

from advisor.model.errors import UserError

VARIABLE = "ADVISOR_OVERLAY"
FORMAT, VERSION = "advisor-overlay", (1, 0)
_RECORD = "overlay.json"


def folder_of(result: Path) -> Path:
    """Where the overlay of a result lies."""
    return result / "overlay"


def write(result: Path, name: str, settings: Mapping[str, str], launch_line: str) -> Path:
    """A new overlay; its folder. Raises UserError if there is one already, or it cannot be written."""
    folder = folder_of(result)
    variables = {key: value for key, value in settings.items() if not key.startswith("-")}
    options = [word for key, value in settings.items() if key.startswith("-") for word in (key, *([value] if value else []))]
    head = f"# {name}\n# In a job script of sh, in front of the launch line: . {shlex.quote(str((folder / 'overlay.sh').absolute()))}\n"
    exports = "".join(f"export {key}={shlex.quote(value)}\n" for key, value in {**variables, VARIABLE: name}.items())
    texts = {
        "environment": "".join(f"{key}={value}\n" for key, value in {**variables, VARIABLE: name}.items()), "overlay.sh": head + exports,
        "options": shlex.join(options) + "\n" if options else "", "launch-line": launch_line + "\n" if launch_line else "",
    }
    try:
        folder.mkdir()
        for file, text in texts.items():
            if text:
                (folder / file).write_text(text, encoding="utf-8")
        _record(folder, {"format": FORMAT, "version": list(VERSION), "name": name, "settings": dict(settings), "files": []})
    except FileExistsError:
        raise UserError(f"{result} has an overlay already: {folder}.", do=f"Take it back first: advisor undo {shlex.quote(str(result))}") from None
    except OSError as error:
        raise UserError(f"{folder} cannot be written: {error.strerror}.") from error
    return folder


def put(folder: Path, script: Path, target: Path, content: bytes) -> None:
    """Write `content` to `target`: a new file, or `script` itself, whose bytes are kept first. Raises UserError; then nothing has changed."""
    script, target = script.resolve(), target.absolute() if target != script else script.resolve()
    in_place = target.resolve() == script
    if not in_place and (target.exists() or target.is_symlink()):
        raise UserError(f"{target} is there already.", do="Choose another name with -o, or move it away.")
    before = script.read_bytes()
    entry: Dict[str, Any] = {"path": str(target), "after": checksum(content), "before": checksum(before) if in_place else None, "kept": None}
    try:
        if in_place:
            entry["kept"] = f"{script.name}.before"
            (folder / entry["kept"]).write_bytes(before)
        # The record first: whatever stops us after it can be undone.
        content_of = read(folder)
        _record(folder, {**content_of, "files": [*content_of["files"], entry]})
        _replace(target, content, script)
    except OSError as error:
        raise UserError(f"{target} cannot be written: {error.strerror}.") from error


def undo(result: Path) -> List[str]:
    """Take an overlay back, bit for bit; sentences on what was done. Raises UserError if a file was changed since: then nothing is touched."""
    folder = folder_of(result)
    if not folder.is_dir():
        raise UserError(f"{result} has no overlay: there is nothing to undo.")
    content = read(folder)
    entries = content["files"]
    for entry in entries:
        _refuse_if_changed(folder, entry)
    said = [sentence for sentence in (_take_back(folder, entry) for entry in reversed(entries)) if sentence]
    shutil.rmtree(folder)
    return [*said, f"removed {folder}"]


def read(folder: Path) -> Dict[str, Any]:
    """The record of an overlay. Raises UserError if it is damaged."""
    place = folder / _RECORD
    try:
        content = json.loads(place.read_text(encoding="utf-8"))
        good = content["format"] == FORMAT and isinstance(content["name"], str) and all(
            isinstance(entry["path"], str) and isinstance(entry["after"], str) and (entry["kept"] is None or os.path.basename(entry["kept"]) == entry["kept"])
            for entry in content["files"]
        )
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise UserError(f"{place} cannot be read ({type(error).__name__}): what it undoes is not known, and nothing was touched.") from None
    if not good:
        raise UserError(f"{place} is no record of an overlay: nothing was touched.")
    return content


def checksum(content: bytes) -> str:
    """SHA-256, as hexadecimal digits."""
    return hashlib.sha256(content).hexdigest()


def _refuse_if_changed(folder: Path, entry: Mapping[str, Any]) -> None:
    path = Path(entry["path"])
    kept = folder / entry["kept"] if entry["kept"] else None
    now = _checksum_of(path)
    if kept and _checksum_of(kept) != entry["before"]:
        raise UserError(f"The copy of {path} as it was is damaged: {kept}.", "Nothing was touched.")
    if now not in (entry["after"], entry["before"]):
        where = f"As it was, it is in {kept}." if kept else "Remove it by hand if it is not needed."
        raise UserError(f"{path} was changed after advisor wrote it.", "Nothing was touched.", where)


def _take_back(folder: Path, entry: Mapping[str, Any]) -> str:
    path = Path(entry["path"])
    if not entry["kept"]:
        if not path.exists():
            return ""
        path.unlink()
        return f"removed {path}"
    content = (folder / entry["kept"]).read_bytes()
    if _checksum_of(path) != entry["before"]:
        _replace(path, content, path)
    return f"restored {path}, checksum {checksum(path.read_bytes())[:12]} as before"


def _checksum_of(path: Path) -> Optional[str]:
    try:
        return checksum(path.read_bytes())
    except FileNotFoundError:
        return None


def _replace(target: Path, content: bytes, like: Path) -> None:
    """The whole file or nothing of it, with the mode of `like`."""
    handle, draft = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        shutil.copymode(like, draft)
        os.replace(draft, target)
    except BaseException:
        os.unlink(draft)
        raise


def _record(folder: Path, content: Mapping[str, Any]) -> None:
    draft = folder / f".{_RECORD}"
    draft.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    os.replace(draft, folder / _RECORD)
