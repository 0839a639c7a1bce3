"""`advisor` and `python -m advisor`."""

from __future__ import annotations

import atexit
import errno
import gc
import io
import os
import shlex
import sys
from typing import List, Optional

from advisor import cli
from advisor.base import in_ascii
from advisor.base.suggestions import nearest
from advisor.cli.arguments import OF_SEVERAL
from advisor.model.errors import UserError


_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EFBIG)
_OF_ONE_RESULT = ("report", "bundle", "show", "export", "verify", "apply", "undo")


def main(argv: Optional[List[str]] = None) -> int:
    """Run one command; its exit code. Errors that a user can act on are printed in up to three
    lines."""
    _look_for_few_cycles()
    _open_what_is_closed()
    _write_whatever_the_encoding()
    try:
        code = _run(sys.argv[1:] if argv is None else argv)
        sys.stdout.flush()
        return code
    except UserError as error:
        return _said(error)
    except BrokenPipeError:
        # `advisor show … | head`: the reader has what it wanted. Close quietly, as other tools do.
        sys.stderr.close()
        return 141
    except OSError as error:
        if error.filename is not None or error.errno not in _FULL:
            raise
        # What is left in the buffer would be written again at the end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return _said(UserError(f"Standard output cannot be written: {error.strerror}."))
    # While the command's modules are read as well, which takes seconds on a busy host.
    except KeyboardInterrupt:
        return 130


def _said(error: UserError) -> int:
    for line in error.lines():
        print(f"advisor: {line}", file=sys.stderr)
    return 2


def _open_what_is_closed() -> None:
    """A shell's `>&-`: nobody reads it, and a file of ours must not get its number. A job that we
    start has it closed as before."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))


def _write_whatever_the_encoding() -> None:
    """In another encoding than UTF-8, such as that of PYTHONIOENCODING=ascii, a letter that it
    lacks would end the command, or be written as a number."""
    in_ascii.register()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and (stream.encoding or "").lower() != "utf-8":
            stream.reconfigure(errors=in_ascii.ENCODING_ERRORS)


def _look_for_few_cycles() -> None:
    """Python looks through all objects for cycles after every 700 new ones, and again when it ends:
    a fifth of the time of a report, in which hardly any are found."""
    gc.set_threshold(50_000)
    atexit.register(gc.freeze)


def _run(argv: List[str]) -> int:
    own, words = split(argv)
    parser = cli.parser(own[0] if own else "")
    arguments, unknown = parser.parse_known_args(own)
    arguments.words = words
    if unknown:
        raise refused(own, unknown, words, parser.options(own))
    if not hasattr(arguments, "run"):
        parser.print_help(sys.stderr)
        return 2
    return arguments.run(arguments)


def refused(
    own: List[str], unknown: List[str], words: Optional[List[str]], options: List[str]
) -> UserError:
    """Words that no command takes. Mostly the job's, with the dashes in front of them forgotten.
    `options`: those that there are."""
    if own[0] in ("run", "exec") and words is None and not unknown[0].startswith("-"):
        job = shlex.join(own[own.index(unknown[0]) :])
        return UserError(
            f"{unknown[0]} stands where options of advisor stand.",
            do=f"Write the job after two dashes: advisor {own[0]} -- {job}",
        )
    problem = None if unknown[0].startswith("-") else _one_too_many(own, unknown)
    if problem is not None:
        return problem
    name = f"advisor {own[0]}" if own[0] in cli.COMMANDS else "advisor"
    option = unknown[0].partition("=")[0]
    if option in options:  # Of the command above: advisor rules new NAME --rules FOLDER.
        rest = [word for word in own[1:] if word not in unknown]
        return UserError(
            f"{option} stands behind a part of {name}, and belongs in front of it.",
            do=shlex.join(["advisor", own[0], *unknown, *rest]),
        )
    meant = nearest(option, options) if option.startswith("--") else ""
    return UserError(
        f"{name} does not know: {shlex.join(unknown)}",
        do=f"Did you mean {meant}?" if meant else f"What it knows: {name} --help",
    )


def _one_too_many(own: List[str], strays: List[str]) -> Optional[UserError]:
    """A second result, or names that are wanted as one word."""
    before, stray = own[: own.index(strays[0])], shlex.quote(strays[0])
    if "--columns" in before[-2:]:
        names = ",".join(word.strip(",") for word in (before[-1], *strays))
        return UserError(
            f"--columns takes one word, and {stray} is a second one.",
            do=f"Write commas between the names: --columns {names}",
        )
    if own[0] in _OF_ONE_RESULT:
        return UserError(
            f"advisor {own[0]} takes one result, and {stray} is one more word.", do=OF_SEVERAL
        )
    return None


def split(argv: List[str]) -> "tuple[List[str], Optional[List[str]]]":
    """Our words and, after the first `--`, the user's; None if there is no `--`."""
    if "--" not in argv:
        return list(argv), None
    at = argv.index("--")
    return list(argv[:at]), list(argv[at + 1 :])


if __name__ == "__main__":
    sys.exit(main())
