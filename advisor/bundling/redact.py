"""redact(profile): the same measurements without names of users, hosts, accounts and places."""

from __future__ import annotations

import os
import re
from dataclasses import fields, replace
from typing import Any, Iterable, Mapping, NamedTuple, Tuple

import numpy as np

from advisor.bundling import gather
from advisor.bundling.aliases import Redactor
from advisor.model.profile import Application, Columns, Fact, Gap, Library, Node, Profile, Run, Setting
from advisor.model.removal import Removal

ARGUMENTS = "arguments"
_PATHS = {"sites": ("module", "file"), "stacks": ("module", "file")}
_OURS = frozenset({"operation", "class", "path", "kind", "cpus"})
"""Text columns that hold our own words; what others hold was written by a program."""
_NUMBER = re.compile(r"\d+(\[\d*\])?")


class Redacted(NamedTuple):
    """`clean`: for texts that are made afterwards from elsewhere, such as the paths of rule folders."""

    profile: Profile
    removals: Tuple[Removal, ...]
    clean: Any


def redact(profile: Profile, arguments: bool = False, known_users: Iterable[str] = ()) -> Redacted:
    """Names of users, hosts, accounts, addresses and paths as aliases; `arguments`: the program's arguments as well.

    Aliases follow the order of hosts in the profile, so that two results of the same hosts have the same. Kept: names of the program, of
    libraries, of source files and functions, of variables, the number of the job, and all numbers.
    """
    texts = list(_all_texts(profile))
    hosts = gather.hosts(profile, texts)
    kept = {os.path.basename(profile.run.program), os.path.basename(profile.run.launch_line[0]) if profile.run.launch_line else ""} - {""}
    redactor = Redactor(gather.users(profile, texts, set(known_users)), hosts, gather.domains(hosts), gather.accounts(profile), kept)
    clean = Profile(
        run=_run(profile.run, redactor, arguments),
        library=_library(profile.library, redactor),
        nodes=tuple(Node(redactor.names(node.name), _facts(node.facts, redactor)) for node in profile.nodes),
        tables={name: _table(name, columns, redactor) for name, columns in profile.tables.items()},
        settings=tuple(_setting(setting, redactor) for setting in profile.settings),
        application=profile.application and Application(profile.application.name, _facts(profile.application.settings, redactor)),
        gaps=tuple(Gap(*(redactor.text(part) for part in (gap.subject, gap.reason, gap.collect))) for gap in profile.gaps),
        totals=profile.totals,
    )
    removals = redactor.removals()
    if arguments and profile.run.arguments:
        count = len(set(profile.run.arguments))
        removals.append(Removal(ARGUMENTS, count, len(profile.run.arguments), "argument1" if count == 1 else f"argument1 to argument{count}"))
    return Redacted(clean, tuple(removals), redactor.text)


def _all_texts(profile: Profile) -> Iterable[str]:
    run = profile.run
    yield from (run.program, run.directory, *run.arguments, *run.launch_line, profile.library.text, profile.library.path)
    for facts in (profile.library.facts, *(node.facts for node in profile.nodes), profile.application.settings if profile.application else {}):
        for fact in facts.values():
            yield from (str(fact.value), fact.source)
    yield from (setting.value for setting in profile.settings)
    for gap in profile.gaps:
        yield from (gap.reason, gap.collect)
    for table in _PATHS:
        for column in _PATHS[table]:
            yield from set(map(str, profile.tables.get(table, {}).get(column, ())))


def _run(run: Run, redactor: Redactor, arguments: bool) -> Run:
    line = list(run.launch_line)
    hidden = {}
    if arguments:
        hidden = {word: f"argument{place}" for place, word in enumerate(dict.fromkeys(run.arguments), 1)}
        # Only what stands behind the program: the launcher's own options are needed to judge the run.
        begin = len(line) - len(run.arguments)
        line[begin:] = [hidden.get(word, "argument") for word in line[begin:]]
    other = {one.name: redactor.text(getattr(run, one.name)) for one in fields(run) if isinstance(getattr(run, one.name), str)}
    job = _NUMBER.match(run.job)
    return replace(
        run,
        **{**other, "program": redactor.path(run.program, keep_name=True), "launcher": redactor.path(run.launcher, keep_name=True),
           "directory": redactor.path(run.directory), "job": job.group() if job else other["job"]},
        arguments=tuple(hidden[word] if arguments else _word(word, redactor) for word in run.arguments),
        launch_line=tuple(_word(word, redactor) for word in line),
    )


def _word(word: str, redactor: Redactor) -> str:
    """A word of a command: a path as a whole, blanks included, or a text with paths in it."""
    return redactor.path(word) if word.startswith("/") else redactor.text(word)


def _library(library: Library, redactor: Redactor) -> Library:
    return replace(library, text=redactor.text(library.text), path=redactor.path(library.path), facts=_facts(library.facts, redactor))


def _facts(facts: Mapping[str, Fact], redactor: Redactor) -> Mapping[str, Fact]:
    return {name: Fact(_value(fact.value, redactor), redactor.text(fact.source)) for name, fact in facts.items()}


def _value(value: Any, redactor: Redactor) -> Any:
    return _word(value, redactor) if isinstance(value, str) else value


def _setting(setting: Setting, redactor: Redactor) -> Setting:
    if gather.is_list(setting.name) and setting.value:
        return replace(setting, value=redactor.hosts.of(setting.value))
    return replace(setting, value=_word(setting.value, redactor), source=redactor.text(setting.source))


def _table(name: str, columns: Columns, redactor: Redactor) -> Columns:
    paths = _PATHS.get(name, ())
    return {label: _column(values, redactor, label in paths) if values.dtype == object and label not in _OURS else values for label, values in columns.items()}


def _column(values: np.ndarray, redactor: Redactor, paths: bool) -> np.ndarray:
    """Each different text once: a column has as many rows as a large job has call sites."""
    new = {text: redactor.path(text, keep_name=True) if paths else redactor.text(text) for text in dict.fromkeys(values)}
    result = np.empty(len(values), dtype=object)
    result[:] = [new[text] for text in values]
    return result
