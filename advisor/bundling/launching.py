"""The launch line and the arguments of the program: options and numbers stay, other words go."""

from __future__ import annotations

from typing import List, Sequence, Tuple

from advisor.bundling import known
from advisor.bundling.aliases import Redactor
from advisor.bundling.gather import HOST_OPTIONS, IDENTITY_OPTIONS
from advisor.bundling.vocabulary import is_number
from advisor.model.profile import Run


def arguments(words: Sequence[str], redactor: Redactor, keep: bool) -> Tuple[str, ...]:
    """Those of the program: known options and numbers, others as argument1, argument2; `keep`:
    cleaned as any text."""
    if keep:
        return tuple(
            redactor.path(word) if word.startswith("/") else redactor.free(word) for word in words
        )
    return tuple(
        (
            word
            if word in known.ARGUMENTS or is_number(word.lstrip("-"))
            else redactor.kinds["arguments"].of(word)
        )
        for word in words
    )


def launch_line(run: Run, redactor: Redactor, keep: bool) -> Tuple[str, ...]:
    """The launcher's words, the program, its arguments: the last words of the line."""
    begin = len(run.launch_line) - len(run.arguments)
    own, rest = run.launch_line[:begin], run.launch_line[begin:]
    return (*_launcher(own, run.program, redactor), *arguments(rest, redactor, keep))


def _launcher(words: Sequence[str], program: str, redactor: Redactor) -> List[str]:
    made: List[str] = []
    before = ""
    for word in words:
        option, equals, value = word.partition("=")
        if before in IDENTITY_OPTIONS or before in HOST_OPTIONS:
            made.append(_named(before, word, redactor))
        elif equals and option in IDENTITY_OPTIONS | HOST_OPTIONS:
            made.append(f"{option}={_named(option, value, redactor)}")
        elif word in IDENTITY_OPTIONS or word in HOST_OPTIONS:
            made.append(word)
        elif word == program or word.startswith("/"):
            made.append(redactor.path(word, keep_name=word == program))
        else:
            made.append(redactor.value(word))
        before = word
    return made


def _named(option: str, value: str, redactor: Redactor) -> str:
    """The value of an option that names hosts, or somebody."""
    return redactor.value(value) if option in HOST_OPTIONS else redactor.kinds["words"].of(value)
