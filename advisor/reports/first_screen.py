"""FirstScreen: what a report says first, composed once for terminal, page, mail and print. Finished
words; renderers place them, and leave out what has no room."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Tuple


@dataclass(frozen=True)
class Part:
    """A part of the whole run, mean over ranks. `role`: one of composing/whole_run.ROLES, or
    other."""

    role: str
    label: str
    seconds: float
    share: float
    seconds_text: str
    share_text: str
    """Both as they are read: what is not known to within 10 % is its interval."""
    detail: str = ""


@dataclass(frozen=True)
class TopCall:
    """One MPI call; `site`: where in the program most of it is called."""

    call: str
    time: str
    waiting: str
    calls: str
    size: str
    site: str


@dataclass(frozen=True)
class Advised:
    """One thing to do, with its caution and its command. `finding`: its number; 0: none."""

    finding: int
    title: str
    do: str
    gain: str
    who: str
    command: str
    file: str = ""
    """Not empty: the command is lines of this input file."""
    caution: str = ""
    rows: str = ""
    """Which rows of the run an amount is of, where it is of several."""
    most: str = ""
    """What it cannot save more than, and why."""
    check: str = ""
    """How to see that it is in force."""
    undo: str = ""
    either: bool = False
    """Two explanations, and how to tell which: less of the texts would say neither."""
    help_url: str = ""


MOST_POLICIES = 2
"""So many stand there in a line of their own; of the others how many they are."""


@dataclass(frozen=True)
class Policy:
    """What the site asks for, whatever it gains. `finding`: its number."""

    finding: int
    title: str
    command: str
    """What meets it; empty: it is no setting."""


@dataclass(frozen=True)
class FirstScreen:
    """The whole screen, in the order in which it is read. Empty texts: not known, or nothing to
    say."""

    run: Tuple[str, ...]
    """Program, size, seconds, library, job."""
    preview: str
    """Why this is a preview only, and how to get the rest."""
    verdict: str
    whole: float
    """Seconds that the parts add up to; 0 if they are not known."""
    parts: Tuple[Part, ...]
    calls: Tuple[TopCall, ...]
    actions: Tuple[Advised, ...]
    more: int
    """Findings that are neither among the actions nor policies."""
    trust: str
    checks: str
    full: str
    """The command that prints all."""
    next: Tuple[str, str]
    """A command, and why."""
    requests: Tuple[str, ...] = ()
    """Ready to be sent to the centre."""
    result: str = ""
    """The result, as commands name it."""
    policies: Tuple[Policy, ...] = ()
    ticket: str = ""
    """The note that a ticket came with."""
    unchecked: str = ""
    """Checks that were not made, and what to collect for them."""


def for_others(screen: FirstScreen, name: str = "RESULT", below: bool = True) -> FirstScreen:
    """As somebody reads it elsewhere: commands say `name` for the result, and not where it lies
    here; `below`: requests to the centre stand below, so that no command is needed for them."""
    mail, here = mail_of(screen.result), re.compile(rf"(?<= ){re.escape(screen.result)}(?= |$)")
    actions = tuple(
        replace(
            action,
            command="" if below and action.command == mail else here.sub(name, action.command),
        )
        for action in screen.actions
    )
    full, next_ = (here.sub(name, command) for command in (screen.full, screen.next[0]))
    return replace(screen, actions=actions, full=full, next=(next_, screen.next[1]))


def mail_of(result: str) -> str:
    """The command that prints the requests to the centre."""
    return f"advisor report {result} --format mail --full"
