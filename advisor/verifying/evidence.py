"""What was verified at a site: a file of JSON lines that many append to and all read."""

from __future__ import annotations

import json
import os
from dataclasses import asdict
from pathlib import Path
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple

from advisor.base import resource_paths, trusted_files
from advisor.model.errors import UserError
from advisor.model.verified import Evidence
from advisor.verifying import record

VARIABLE = "ADVISOR_EVIDENCE"
_IT = "it"
"""The file, in sentences that have named it."""
_TEXTS = ("library", "version", "program", "processor")
_WHOLE = ("ranks", "hosts")
_LARGEST = 8 << 20
"""Bytes: twenty thousand verdicts. Of lines that are none, one by one, it takes six seconds."""


def place(environment: Mapping[str, str]) -> Path:
    """$ADVISOR_EVIDENCE, else evidence.jsonl in the user's data folder."""
    return Path(environment.get(VARIABLE) or resource_paths.data(environment) / "evidence.jsonl")


def append(file: Path, found: Sequence[Evidence]) -> None:
    """Add records at the end. Raises UserError.

    One write in append mode for all of them, so that records of jobs that end together do not mix.
    """
    lines = "".join(
        json.dumps(_plain(each), ensure_ascii=False, allow_nan=False) + "\n" for each in found
    )
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with trusted_files.plain(file, _IT, how=os.O_WRONLY | os.O_APPEND | os.O_CREAT) as out:
            trusted_files.judge_owner(out, _IT)
            os.write(out.fileno(), lines.encode("utf-8"))
    except OSError as error:
        raise UserError(
            f"{file} cannot be written: {error.strerror}.",
            "What was verified is not remembered for other runs.",
        ) from error


def read(file: Path) -> Tuple[Tuple[Evidence, ...], str]:
    """All records, and a sentence on lines that are none; nothing if there is no file. Others are
    read as if these were not there.

    It may be a file that a group adds to, but one of this user's or of root's: another user's could
    say which advice is withheld.
    """
    try:
        with trusted_files.plain(file, _IT, how=os.O_RDONLY) as opened:
            trusted_files.judge_owner(opened, _IT)
            lines = (
                trusted_files.bounded(opened, _LARGEST, _IT).decode("utf-8", "replace").splitlines()
            )
    except FileNotFoundError:
        return (), ""
    except OSError as error:
        return (), f"{file} cannot be read: {error.strerror}."
    found: List[Evidence] = []
    wrong: List[int] = []
    for number, line in enumerate(lines, 1):
        each = _evidence(line) if line.strip() else None
        if each is not None:
            found.append(each)
        elif line.strip():
            wrong.append(number)
    more = f" and {len(wrong) - 1} more" if len(wrong) > 1 else ""
    return tuple(found), (
        f"{file}: line {wrong[0]}{more} cannot be read and {'are' if more else 'is'} left out."
        if wrong
        else ""
    )


def _plain(each: Evidence) -> Dict[str, Any]:
    known = {
        name: part
        for name, part in asdict(each).items()
        if name not in ("verified", "facts", "own")
    }
    return {**each.facts, **known, "verified": record.plain(each.verified)}


def _evidence(line: str) -> Optional[Evidence]:
    try:
        content = dict(json.loads(line))
        given: Dict[str, Any] = {"verified": record.from_plain(content.pop("verified"))}
        given.update({name: str(content.pop(name, "")) for name in _TEXTS})
        given.update(
            {name: None if content.get(name) is None else int(content[name]) for name in _WHOLE}
        )
        return Evidence(
            **given,
            facts={str(name): str(part) for name, part in content.items() if name not in _WHOLE},
        )
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, OverflowError):
        return None
