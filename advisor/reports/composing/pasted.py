"""Variables as they are pasted: `NAME=VALUE` in a line of its own does nothing for the next
command."""

from __future__ import annotations

import os
import shlex
from dataclasses import replace
from typing import Tuple

from advisor.base import launcher_names
from advisor.model.library import OPEN_MPI
from advisor.model.profile import Profile
from advisor.reports.document import Action, Item

_MCA = "OMPI_MCA_"


def with_exports(items: Tuple[Item, ...], profile: Profile) -> Tuple[Item, ...]:
    """The items, whose variables are said as the launcher in use hands them to the ranks: those of
    the environment, but for Open MPI's mpirun, which hands over its own alone, and for launchers
    that want NAME=VALUE in their line."""
    launcher = os.path.basename(profile.run.launcher)
    if launcher in launcher_names.names_with("assignments"):
        return items
    exported = profile.library.name not in OPEN_MPI or launcher in launcher_names.names_with(
        "of_any_library"
    )
    return tuple(
        replace(item, actions=tuple(_pasted(action, exported) for action in item.actions))
        for item in items
    )


def _pasted(action: Action, exported: bool) -> Action:
    if action.kind != "set":
        return action
    try:
        words = shlex.split(str(action.text))
    except ValueError:
        return action
    if not words or not all("=" in word for word in words):
        return action
    if exported or all(word.startswith(_MCA) for word in words):
        return replace(action, paste=shlex.join(["export", *words]))
    options = [part for word in words for part in ("-x", word)]
    return replace(action, paste=shlex.join(options))
