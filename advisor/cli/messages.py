"""Messages of a command beside its result: on stderr, each line prefixed with advisor's name."""

from __future__ import annotations

import shlex
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import Callable, Iterator, Optional

from advisor.model.errors import UserError, harmless


def complain(problem: UserError) -> None:
    """Print a problem in up to three lines."""
    for line in problem.lines():
        print(f"advisor: {line}", file=sys.stderr, flush=True)


def unwritable(output: str, error: OSError) -> UserError:
    """Why a file that -o names cannot be written, and what to do."""
    folder = Path(output).parent
    if isinstance(error, FileNotFoundError) and not folder.exists():
        name = shlex.quote(str(folder))
        return UserError(
            f"{output} cannot be written: there is no folder {name}.",
            do=f"Make it (mkdir -p {name}), or choose another file with -o.",
        )
    if isinstance(error, IsADirectoryError):
        return UserError(
            f"{output} cannot be written: it is a folder.", do="Name a file in it with -o."
        )
    return UserError(
        f"{output} cannot be written: {error.strerror}.", do="Choose another file with -o."
    )


def say(quiet: bool) -> Callable[[str], None]:
    """How progress is said; not at all if quiet. What it quotes cannot command a terminal."""
    return lambda text: (
        None if quiet else print(f"advisor: {harmless(text)}", file=sys.stderr, flush=True)
    )


@contextmanager
def problems_of_reporting(folder: Optional[Path], kept: str) -> Iterator[None]:
    """What fails after a job is said in a sentence, and never ends the command: the job's exit code
    stands. `kept`: what is still there, and where."""
    try:
        yield
    except UserError as problem:
        complain(problem)
    except KeyboardInterrupt:
        complain(
            UserError("The report was interrupted.", do=f"To make it: advisor report {folder}")
        )
    except Exception as error:
        complain(
            UserError(
                f"The report could not be made: {type(error).__name__}: {error}",
                kept,
                f"To try again: advisor report {folder}",
            )
        )
