"""Which program a launch in a job script starts, beside the one of a result: settings that were
advised for one program say nothing of another."""

from __future__ import annotations

import os
import re
import shlex
from typing import List, Optional, Sequence, Set

from advisor.launching.parse.line import parse
from advisor.model.errors import UserError
from advisor.model.profile import Profile

_OPERATOR = re.compile(r"[();<>|&]+")
_INTERPRETER = re.compile(r"python[\d.]*")


def other_program(launch: str, profile: Profile) -> str:
    """The program that a launch starts if it is not the one of the result; empty if it is, or
    cannot be told. `launch`: from the name of the launcher on, as a shell reads it."""
    words = _words(launch)
    found = _named(words) if words else None
    known = _recorded(profile)
    # Behind a wrapper that is not known, the program is among its arguments.
    if not found or not known or known & set(map(os.path.basename, words)):
        return ""
    return "" if set("$`*?") & set(found) else os.path.basename(found)


def refuse_other_program(launches: Sequence[str], profile: Profile, script: str) -> None:
    """Raises UserError if all launches of a script start another program than the result's."""
    others = [other_program(launch, profile) for launch in launches]
    if others and all(others):
        raise UserError(
            f"{script} starts {', '.join(dict.fromkeys(others))}, and the result is of"
            f" {' or '.join(sorted(_recorded(profile)))}.",
            do="Give the script that starts it, or add --force to apply the settings all the same.",
        )


def _recorded(profile: Profile) -> Set[str]:
    """What the recorded command calls its program, and what ran; of Python, the script alone."""
    run = profile.run
    lines = (run.launch_line, (run.program, *run.arguments))
    found = [_named(words) for words in lines if words and words[0]]
    names = {os.path.basename(each) for each in found if each}
    scripts = {name for name in names if name.endswith(".py")}
    return scripts or names


def _named(words: Sequence[str]) -> Optional[str]:
    """The program of a launch, or the script that Python runs there; None if it cannot be told."""
    programs = parse([os.path.basename(words[0]), *words[1:]], os.environ).programs
    if not programs:
        return None
    at, end = programs[0].index, programs[0].end
    scripts = [word for word in words[at + 1 : end] if word.endswith(".py")]
    python = _INTERPRETER.fullmatch(os.path.basename(words[at]))
    return scripts[0] if python and scripts else words[at]


def _words(launch: str) -> List[str]:
    """Up to the operator that ends the command. Of quotes that do not end, nothing is known."""
    lexer = shlex.shlex(launch.replace("\\\n", " "), posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    words: List[str] = []
    try:
        for word in lexer:
            if _OPERATOR.fullmatch(word):
                break
            words.append(word)
    except ValueError:
        return []
    return words
