"""`advisor` and `python -m advisor`."""

from __future__ import annotations

import sys
from typing import List, Optional

from advisor import cli
from advisor.model.errors import UserError


def main(argv: Optional[List[str]] = None) -> int:
    """Run one command; its exit code. Errors that a user can act on are printed in up to three lines."""
    own, words = split(sys.argv[1:] if argv is None else argv)
    parser = cli.parser()
    arguments = parser.parse_args(own)
    arguments.words = words
    if not hasattr(arguments, "run"):
        parser.print_help(sys.stderr)
        return 2
    try:
        return arguments.run(arguments)
    except UserError as error:
        for line in error.lines():
            print(f"advisor: {line}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        # `advisor show … | head`: the reader has what it wanted. Close quietly, as other tools do.
        sys.stderr.close()
        return 141
    except KeyboardInterrupt:
        return 130


def split(argv: List[str]) -> "tuple[List[str], Optional[List[str]]]":
    """Our words and, after the first `--`, the user's; None if there is no `--`."""
    if "--" not in argv:
        return list(argv), None
    at = argv.index("--")
    return list(argv[:at]), list(argv[at + 1 :])


if __name__ == "__main__":
    sys.exit(main())
