"""`advisor` and `python -m advisor`."""

from __future__ import annotations

import argparse
import shlex
import sys
from typing import List, Optional

from advisor import cli
from advisor.model.errors import UserError


def main(argv: Optional[List[str]] = None) -> int:
    """Run one command; its exit code. Errors that a user can act on are printed in up to three lines."""
    try:
        return _run(sys.argv[1:] if argv is None else argv)
    except UserError as error:
        for line in error.lines():
            print(f"advisor: {line}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        # `advisor show … | head`: the reader has what it wanted. Close quietly, as other tools do.
        sys.stderr.close()
        return 141
    except KeyboardInterrupt:  # While the command's modules are read as well, which takes seconds on a busy host.
        return 130


def _run(argv: List[str]) -> int:
    own, words = split(argv)
    parser = cli.parser(own[0] if own else "")
    arguments, unknown = parser.parse_known_args(own)
    arguments.words = words
    if unknown:
        return refused(parser, own, unknown, words)
    if not hasattr(arguments, "run"):
        parser.print_help(sys.stderr)
        return 2
    return arguments.run(arguments)


def refused(parser: argparse.ArgumentParser, own: List[str], unknown: List[str], words: Optional[List[str]]) -> int:
    """Words that no command takes. Mostly the job's, with the dashes in front of them forgotten."""
    if own[0] in ("run", "exec") and words is None and not unknown[0].startswith("-"):
        print(f"advisor: {unknown[0]} stands where options of advisor stand.", file=sys.stderr)
        print(f"advisor: Write the job after two dashes: advisor {own[0]} -- {shlex.join(own[own.index(unknown[0]):])}", file=sys.stderr)
        return 2
    parser.error(f"unrecognized arguments: {' '.join(unknown)}")


def split(argv: List[str]) -> "tuple[List[str], Optional[List[str]]]":
    """Our words and, after the first `--`, the user's; None if there is no `--`."""
    if "--" not in argv:
        return list(argv), None
    at = argv.index("--")
    return list(argv[:at]), list(argv[at + 1 :])


if __name__ == "__main__":
    sys.exit(main())
