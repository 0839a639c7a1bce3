"""A result, as commands open it: files of other tools get the name of their program looked up."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Sequence

from advisor import intake, probing
from advisor.model.profile import Application, Profile

_SUBJECT = "application"


def read(path: str, launch: Sequence[str] = ()) -> Profile:
    """Profile of a result; `launch` as in intake.read. Raises UserError."""
    profile = intake.read(path, launch)
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
