"""redact(profile): the same measurements without names of users, nodes, accounts and places, and
without unneeded words.

Each field of a profile has its rule here. Only what the rules judge by stays: numbers, and words
that advisor knows.
"""

from __future__ import annotations

import os
import re
from dataclasses import replace
from typing import Any, Callable, Dict, Iterable, Mapping, NamedTuple, Set, Tuple

import numpy as np

from advisor.bundling import gather, known
from advisor.bundling.aliases import Redactor
from advisor.bundling.launching import arguments, launch_line
from advisor.bundling.vocabulary import words
from advisor.model.library import NAMES
from advisor.model.profile import (
    Application,
    Columns,
    Fact,
    Gap,
    Library,
    Node,
    Profile,
    Run,
    Setting,
)
from advisor.model.removal import Removal

_PATHS = ("module", "file")
_LABELS = {"function", "communicators.name", "regions.name"}
"""Text columns with names that the program gives: they stay, as the list of what was removed says.
"""
_LISTS = frozenset(
    {"settings.known", "settings.known.ucx", "settings.known.ofi", "settings.known.prte"}
)
"""Facts that list the names of all settings that a library has: rules look names up there."""
_KEY_WITH_WORD = re.compile(r"(built_with|components|failed|settings)\..+")
_NUMBER = re.compile(r"\d+(\[\d*\])?")
_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:?\d\d)?")
_SOURCES = frozenset({"environment", "launcher", "process", "mpi_t", "launch line"})
Meant = Callable[[str], bool]
"""Whether the name of a setting is one that the library knows, or such a one misspelt by a letter
or two."""


class Redacted(NamedTuple):
    """`clean`: for sentences that are made afterwards, such as those on folders of rules. `names`:
    what each alias stands for by now."""

    profile: Profile
    removals: Tuple[Removal, ...]
    clean: Callable[[str], str]
    names: Callable[[], Mapping[str, str]]


def redact(
    profile: Profile,
    keep_arguments: bool = False,
    known_users: Iterable[str] = (),
    meant: Meant = lambda name: False,
) -> Redacted:
    """The profile for strangers. `keep_arguments`: those of the program stay, but for users, hosts,
    accounts, paths and addresses.

    Aliases follow the order of hosts in the profile, so that two results of the same hosts have the
    same.
    """
    texts = list(_all_texts(profile))
    hosts = gather.hosts(profile, texts)
    variables = {
        name
        for key, fact in profile.library.facts.items()
        if key in _LISTS
        for name in str(fact.value or "").split()
    }
    variables |= {setting.name for setting in profile.settings if meant(setting.name)}
    redactor = Redactor(
        words(),
        gather.users(profile, texts, known_users),
        hosts,
        gather.accounts(profile),
        variables,
        _labels(profile),
    )
    clean = Profile(
        run=_run(profile.run, redactor, keep_arguments),
        library=_library(profile.library, redactor),
        nodes=tuple(
            Node(node.name and redactor.whole(node.name, "hosts"), _facts(node.facts, redactor))
            for node in profile.nodes
        ),
        tables={name: _table(name, columns, redactor) for name, columns in profile.tables.items()},
        settings=tuple(_setting(setting, redactor) for setting in profile.settings),
        application=profile.application
        and Application(
            redactor.value(profile.application.name), _facts(profile.application.settings, redactor)
        ),
        gaps=tuple(
            Gap(redactor.term(gap.subject), redactor.prose(gap.reason), redactor.prose(gap.collect))
            for gap in profile.gaps
        ),
        totals=profile.totals,
    )
    return Redacted(clean, tuple(redactor.removals()), redactor.free, redactor.names)


def _all_texts(profile: Profile) -> Iterable[str]:
    """Where names of users and hosts may stand beside a mark: a home folder, an @."""
    run = profile.run
    yield from (
        run.program,
        run.directory,
        *run.arguments,
        *run.launch_line,
        profile.library.text,
        profile.library.path,
    )
    for facts in (
        profile.library.facts,
        *(node.facts for node in profile.nodes),
        profile.application.settings if profile.application else {},
    ):
        for fact in facts.values():
            yield from (str(fact.value), fact.source)
    yield from (text for setting in profile.settings for text in (setting.value, setting.source))
    yield from (text for gap in profile.gaps for text in (gap.subject, gap.reason, gap.collect))
    for columns in profile.tables.values():
        for label in _PATHS:
            yield from set(map(str, columns.get(label, ())))


def _labels(profile: Profile) -> Set[str]:
    """Names of the files that hold the code of the call sites, the program among them."""
    modules = {
        str(module) for columns in profile.tables.values() for module in columns.get("module", ())
    }
    return {os.path.basename(name) for name in modules | {profile.run.program}} - {""}


def _run(run: Run, redactor: Redactor, keep_arguments: bool) -> Run:
    job = _NUMBER.match(run.job)
    return Run(
        program=redactor.path(run.program, keep_name=True),
        arguments=arguments(run.arguments, redactor, keep_arguments),
        launch_line=launch_line(run, redactor, keep_arguments),
        launcher=redactor.path(run.launcher),
        directory=redactor.path(run.directory),
        started=run.started if _MOMENT.fullmatch(run.started) else "",
        job=job.group() if job else redactor.value(run.job),
        scheduler=redactor.term(run.scheduler),
        job_seconds=run.job_seconds,
        exit_code=run.exit_code,
        ranks_expected=run.ranks_expected,
        collector=redactor.term(run.collector),
        advisor_version=redactor.value(run.advisor_version),
        overlay=redactor.term(run.overlay),
    )


def _library(library: Library, redactor: Redactor) -> Library:
    lists = {
        name: fact
        for name, fact in library.facts.items()
        if name in _LISTS and isinstance(fact.value, str)
    }
    others = {name: fact for name, fact in library.facts.items() if name not in lists}
    return Library(
        name=library.name if library.name in NAMES else "unknown",
        version=redactor.value(library.version),
        text=redactor.prose(library.text),
        standard=redactor.value(library.standard),
        path=redactor.path(library.path),
        facts={**_facts(others, redactor), **_listed(lists, redactor)},
    )


def _listed(facts: Mapping[str, Fact], redactor: Redactor) -> Mapping[str, Fact]:
    """The settings that the library has, by their names alone: whether one is known is judged by
    them."""
    names = {
        name: [
            redactor.label(word) for word in str(fact.value).split() if re.fullmatch(r"\w+", word)
        ]
        for name, fact in facts.items()
    }
    return {
        name: Fact(" ".join(names[name]), redactor.prose(fact.source))
        for name, fact in facts.items()
    }


def _facts(facts: Mapping[str, Fact], redactor: Redactor) -> Mapping[str, Fact]:
    """Facts whose names advisor has; of others even a number may name somebody, as a serial number
    does."""
    made: Dict[str, Fact] = {}
    for name, fact in facts.items():
        if name in redactor.words.keys or (_KEY_WITH_WORD.fullmatch(name) and redactor.knows(name)):
            made[name] = Fact(_value(fact.value, redactor), redactor.term(fact.source))
        else:
            redactor.kinds["words"].of(name)
    return made


def _value(value: Any, redactor: Redactor) -> Any:
    if not isinstance(value, str):
        return value
    return redactor.path(value) if value.startswith("/") else redactor.value(value)


def _setting(setting: Setting, redactor: Redactor) -> Setting:
    kind = "" if setting.name in known.SCHEDULERS else gather.kind_of(setting.name)
    value = (
        redactor.whole(setting.value, kind)
        if kind and setting.value
        else redactor.value(setting.value)
    )
    file, colon, line = setting.source.partition("file ")[2].rpartition(":")
    source = (
        setting.source
        if setting.source in _SOURCES
        else (
            f"file {redactor.path(file)}:{line}"
            if colon and line.isdigit()
            else redactor.value(setting.source)
        )
    )
    return replace(setting, name=redactor.variable(setting.name), value=value, source=source)


def _table(table: str, columns: Columns, redactor: Redactor) -> Columns:
    return {
        label: _column(values, _rule(table, label, redactor)) if values.dtype == object else values
        for label, values in columns.items()
    }


def _rule(table: str, label: str, redactor: Redactor) -> Callable[[str], str]:
    """What is done with the texts of a column: operations, classes and counters are words of
    advisor."""
    if label in _PATHS:
        return lambda text: redactor.path(text, keep_name=True)
    if label in _LABELS or f"{table}.{label}" in _LABELS:
        return redactor.label
    return redactor.variable if label == "variable" else redactor.term


def _column(values: np.ndarray, rule: Callable[[str], str]) -> np.ndarray:
    """Each different text once: a column has as many rows as a large job has call sites."""
    new = {text: rule(text) for text in dict.fromkeys(values)}
    result = np.empty(len(values), dtype=object)
    result[:] = [new[text] for text in values]
    return result
