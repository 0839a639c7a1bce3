"""A result, as commands open it: files of other tools get the name of their program looked up."""

from __future__ import annotations

import os
import shlex
from dataclasses import replace
from pathlib import Path
from typing import Sequence

from advisor import intake, probing
from advisor.base.suggestions import nearest
from advisor.cli.results_in import RESULT, is_result, results_in
from advisor.intake.container.ticket import is_page
from advisor.model.errors import UserError
from advisor.model.profile import Application, Profile

_SUBJECT = "application"
_BEGIN = 4096
"""Bytes that tell a page."""


def read(path: str, launch: Sequence[str] = ()) -> Profile:
    """Profile of a result; `launch` as in intake.read. Raises UserError."""
    try:
        profile = intake.read(path, launch)
    except UserError as problem:
        raise (_more_helpful(Path(path), problem) if path else problem) from None
    if not profile.run.program or not any(gap.subject == _SUBJECT for gap in profile.gaps):
        return profile
    # Arguments say something of the run; the input files that lie here today do not.
    found = probing.recognise(replace(profile.run, directory=os.devnull))
    settings = found.settings if found else {}
    return replace(
        profile,
        application=found and Application(found.name, settings),
        gaps=tuple(gap for gap in profile.gaps if gap.subject != _SUBJECT),
    )


def is_ticket(path: str) -> bool:
    """Whether names were replaced in it: a page of advisor bundle."""
    try:
        with open(path, "rb") as file:
            return is_page(file.read(_BEGIN))
    except OSError:
        return False


def _is_one(path: Path) -> bool:
    return not path.is_dir() or intake.is_profile(path / RESULT)


def _more_helpful(path: Path, problem: UserError) -> UserError:
    """With the file that was meant, or those that lie in the folder that was named."""
    try:
        if not os.path.lexists(path):
            folder = path.parent
            near = nearest(path.name, [each.name for each in folder.iterdir()])
            what = shlex.quote(str(folder / near)) if near else ""
            return UserError(problem.what, do=f"Did you mean {what}?") if near else problem
        # /etc has a file named profile as well, and a damaged result is itself what was meant.
        inner = path.is_dir() and not is_result(path)
        found = [each for each in results_in(path) if _is_one(each)] if inner else []
    except OSError:
        return problem
    if not found:
        return problem
    name, first = (shlex.quote(str(each)) for each in (path, found[0]))
    if len(found) == 1:
        return UserError(f"{path} is not a result, but has one.", do=f"Give {first}.")
    return UserError(
        f"{path} is not a result, but has {len(found)} of them.",
        do=f"Give one, such as {first}. To see all: advisor list {name}",
    )
