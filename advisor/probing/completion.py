"""Adds the facts probed on the launch node to what the collector recorded in the job."""

from __future__ import annotations

import os
import socket
from typing import Any, Dict, Mapping, Optional

from advisor.model.profile import Application, Fact, Library, Run
from advisor.probing.application import recognise
from advisor.probing.library import known_elsewhere, known_settings, probe_library
from advisor.probing.node import probe_node
from advisor.probing.parameter_files import settings_in_files

Described = Dict[str, Any]


def complete(run: Run, library: Optional[Library] = None, launcher: str = "") -> Described:
    """The parts `nodes`, `library`, `settings` and `application` of run.json: facts of this host,
    of the library, what files set, and the program recognised.

    `library`: name, version and path are used; `launcher`: the file of the launcher. About 1 s, at
    most about 40 s; never raises.
    """
    described: Described = {
        "nodes": [{"name": socket.gethostname(), "facts": written(probe_node())}]
    }
    if library is not None and library.name != "unknown":
        facts = probe_library(library.path, library.name, library.version, launcher)
        described["library"] = {"facts": {**written(facts), **_settings_of(library, launcher)}}
        found = settings_in_files(
            library.path, library.name, library.version, launcher, run.launch_line
        )
        described["settings"] = [
            {"name": each.name, "value": each.value, "source": each.source} for each in found
        ]
    application = recognise(run, standard_input())
    described["application"] = None if application is None else application_written(application)
    return described


def _settings_of(library: Library, launcher: str) -> Dict[str, list]:
    """Names of settings of the library and of what it stands on, so that none is advised that it
    does not have, and a misspelt one is seen."""
    words = (library.path, library.name, library.version, launcher)
    known = {
        "settings.known": known_settings(*words),
        **{f"settings.known.{kind}": names for kind, names in known_elsewhere(*words).items()},
    }
    return {
        key: [" ".join(sorted(names)), "what the library lists as its settings"]
        for key, names in known.items()
        if names
    }


def standard_input() -> str:
    """The regular file that our standard input is, which the program will read as its own; empty if
    it is none."""
    try:
        path = os.readlink("/proc/self/fd/0")
        return path if os.path.isfile(path) else ""
    except OSError:
        return ""


def written(facts: Mapping[str, Fact]) -> Dict[str, list]:
    """key → [value, source], as a profile's header holds facts. Facts that could not be told are
    left to the collector's."""
    return {key: [fact.value, fact.source] for key, fact in facts.items() if fact.value is not None}


def application_written(application: Application) -> Dict[str, Any]:
    """An application as a profile's header holds it."""
    return {"name": application.name, "settings": written(application.settings)}
