"""Recorded commands run without a question only where this user recorded them: a result may come
from anybody."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path

from advisor import intake
from advisor.cli.messages import say
from advisor.launching.parse.masking import mask
from advisor.model.errors import UserError, harmless
from advisor.model.profile import Profile
from advisor.verifying import signature
from advisor.verifying.trial import Command

HELP = "run the recorded command although nothing shows that you recorded it"
_LONGEST_ANSWER = 1024


def ask(profile: Profile, command: Command, agreed: bool) -> None:
    """Nothing if this account has signed the result, or if the user agrees to what is shown. Raises
    UserError otherwise."""
    if own(profile):
        return
    tell = say(False)
    tell(
        f"nothing shows that {profile.source} was recorded by you on this account; its command, and"
        " the folder in which that ran:"
    )
    tell(f"  {shown(command)}")
    tell(f"  in {shlex.quote(str(command.directory))}")
    if agreed:
        return
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        result = shlex.quote(os.path.dirname(profile.source) or profile.source)
        raise UserError(
            "The recorded command was not run, and there is no terminal to ask at: add --yes, or"
            f" write it yourself: advisor verify {result} -- mpirun … ./program …"
        )
    if not _yes("Run it? [y/N] "):
        raise UserError("The recorded command was not run.")


def shown(command: Command) -> str:
    """A command on one line, as it can be pasted; what looks like a secret is masked, and what
    could command a terminal is a question mark."""
    front = [f"{name}={value}" for name, value in command.added.items()]
    return harmless(shlex.join(mask([*front, *command.words], os.environ))).replace("\n", "?")


def own(profile: Profile) -> bool:
    """Whether this account has signed it. It is read again from where nobody else can exchange it:
    the path that was given may lead through a folder of somebody else's, who shows us one file
    and then another."""
    place = Path(os.path.realpath(profile.source))
    return (
        bool(profile.source) and signature.signed(place) and intake.read(place).run == profile.run
    )


def _yes(question: str) -> bool:
    """The next line of the terminal. Read past Python's buffers: what comes after it is the
    job's."""
    sys.stderr.write(f"advisor: {question}")
    sys.stderr.flush()
    return os.read(sys.stdin.fileno(), _LONGEST_ANSWER).strip().lower() in (b"y", b"yes")
