"""advisor(1), made of what the parsers of all commands say: `python -m advisor.cli.manual >
docs/man/advisor.1`."""

from __future__ import annotations

import argparse
import sys
from typing import Iterator, List

from advisor import __version__, cli
from advisor.cli.command_tree import Command, command_tree, help_of, value_of

_ABOUT = """advisor measures an MPI job and says what to change: the setting in the words of the MPI
library in use, what was seen, what to expect, how to check it, how to undo it, and when it hurts.
What stands after -- belongs to the job: it runs as it would without advisor. RESULT is a result
folder, a profile, or a file of another tool."""
_VARIABLES = (
    ("ADVISOR_RULES", "folders with more rules, separated by colons"),
    (
        "ADVISOR_CACHE",
        (
            "folder in which collectors are kept that were built for an MPI library; "
            "only you and root may write there"
        ),
    ),
    ("ADVISOR_COUNTERS", "as run --counters, for commands that have no such option"),
    ("ADVISOR_STACKS", "as run --stacks"),
    ("NO_COLOR", "if it is set, nothing is printed in colour"),
)
_FILES = (
    ("RESULT/report.html, RESULT/report.txt", "the advice"),
    ("RESULT/profile", "what was measured, which all commands read"),
    ("RESULT/trace/traces.otf2", "what run --trace recorded"),
    ("$ADVISOR_CACHE, ~/.cache/advisor", "collectors and answers that are kept from job to job"),
    (
        "~/.local/share/advisor",
        "what verify found, and the key that tells own results from those of others",
    ),
)
_CODES = (
    ("run, exec", "the code of the job"),
    ("compare, verify", "see there"),
    (
        "others",
        (
            "0 done; 1 the answer is no, as of doctor and rules check; "
            "2 something has to be put right first, and a message says what"
        ),
    ),
)


def manual(top: Command) -> str:
    """The whole page, for man."""
    parts = [
        f'.TH ADVISOR 1 "" "advisor {__version__}" "User Commands"',
        ".SH NAME",
        r"advisor \- profiles an MPI job and says what to change",
    ]
    parts += [".SH SYNOPSIS", *_synopsis(top), ".SH DESCRIPTION", _text(_ABOUT), ".SH COMMANDS"]
    for each in top.parts:
        parts += _command(each)
    parts += [
        ".SH ENVIRONMENT",
        *_items(_VARIABLES),
        ".SH FILES",
        *_items(_FILES),
        ".SH EXIT STATUS",
        *_items(_CODES),
    ]
    parts += [".SH EXAMPLES", *_examples(top.parser.epilog or "")]
    return "\n".join([*parts, ".SH SEE ALSO", r"mpirun(1), srun(1)", ""])


def _synopsis(top: Command) -> Iterator[str]:
    yield rf".B advisor\fR [{_word('--version')}] \fICOMMAND\fR ..."


def _command(command: Command) -> List[str]:
    lines = [
        f".SS {_text(command.name)}",
        _sentence(command.summary),
        ".PP",
        rf"\fB{_word(command.name)}\fR {_usage(command)}".rstrip(),
    ]
    for action in (*command.operands, *command.options):
        lines += [".TP", _head(action), _text(help_of(action))]
    for part in command.parts:
        lines += [
            ".TP",
            rf"\fB{_word(part.name)}\fR {_usage(part)}".rstrip(),
            _sentence(part.summary),
        ]
        for action in part.options:
            lines += [".RS", ".TP", _head(action), _text(help_of(action)), ".RE"]
    return [*lines, *_examples(command.parser.epilog or "")]


def _usage(command: Command) -> str:
    """Operands by name, options all together: each of these is explained below."""
    if command.parser.usage:
        return _word(command.parser.usage.partition(command.name)[2].strip())
    operands = [rf"\fI{_word(value_of(each))}\fR" for each in command.operands]
    return " ".join(
        ["[options]"] * bool(command.options) + operands + [r"\fICOMMAND\fR"] * bool(command.parts)
    )


def _head(action: argparse.Action) -> str:
    value = rf" \fI{_word(value_of(action))}\fR" if value_of(action) else ""
    names = ", ".join(rf"\fB{_word(name)}\fR" for name in action.option_strings)
    return f"{names}{value}" if names else value.strip()


def _items(entries: "tuple[tuple[str, str], ...]") -> Iterator[str]:
    for name, said in entries:
        yield from (".TP", rf"\fB{_word(name)}\fR", _sentence(said))


def _examples(epilog: str) -> List[str]:
    """Lines to copy, as they stand; what follows them is a paragraph."""
    lines = [
        line
        for line in epilog.splitlines()
        if line and line.strip() not in ("examples:", "example:")
    ]
    return [".PP", ".nf", *map(_text, lines), ".fi"] if lines else []


def _sentence(text: str) -> str:
    return _text(text[:1].upper() + text[1:] + ("" if text.endswith(".") else "."))


def _text(text: str) -> str:
    """A line of text: a dot or an apostrophe at its beginning would be a request to the
    formatter."""
    return "\n".join(
        rf"\&{line}" if line[:1] in (".", "'") else line for line in _word(text).splitlines()
    )


def _word(text: str) -> str:
    """Dashes that can be searched for and copied, and no escapes."""
    return text.replace("\\", r"\e").replace("-", r"\-")


if __name__ == "__main__":
    # UTF-8 whatever the locale.
    sys.stdout.buffer.write(manual(command_tree(cli.parser())).encode())
