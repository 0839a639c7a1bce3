"""Files, read and replaced by descriptors: what a name leads to may change between two looks, and a
link may lead anywhere."""

from __future__ import annotations

import os
import secrets
import stat
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, NamedTuple, Optional

from advisor.base import trusted_files
from advisor.model.errors import UserError

LARGEST = 16 << 20
"""Bytes of a script: more is none."""


class Script(NamedTuple):
    """A file as it is: its bytes and its permissions; None: those of any new file."""

    content: bytes
    mode: Optional[int] = None


def read(path: Path) -> Script:
    """A regular file of bounded size, wherever its name leads. Raises UserError."""
    try:
        with trusted_files.plain(path, "it", how=os.O_RDONLY) as file:
            return _read(file)
    except (OSError, ValueError) as error:
        raise UserError(f"{path} cannot be read: {_reason(error)}.") from error


def found(path: Path) -> Optional[Script]:
    """A file at a path that has no links in it; None if there is none. Raises UserError if it is
    anything else."""
    try:
        with (
            trusted_files.reached(path.parent) as parent,
            trusted_files.plain(path.name, "it", parent) as file,
        ):
            return _read(file)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise UserError(f"{path} is not touched: {_reason(error)}.") from error


def replace(path: Path, script: Script) -> None:
    """All of it or nothing, at a path that has no links in it. Raises OSError."""
    draft, first = (
        f".{path.name[:100]}.{secrets.token_hex(8)}",
        (0o666 if script.mode is None else 0o600),
    )
    with trusted_files.reached(path.parent) as parent:
        handle = os.open(
            draft,
            os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC,
            first,
            dir_fd=parent,
        )
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(script.content)
                if script.mode is not None:
                    os.fchmod(file.fileno(), script.mode)
            os.replace(draft, path.name, src_dir_fd=parent, dst_dir_fd=parent)
        except BaseException:
            with suppress(OSError):
                os.unlink(draft, dir_fd=parent)
            raise


def remove(path: Path) -> None:
    """The name, at a path that has no links in it. Raises OSError."""
    with trusted_files.reached(path.parent) as parent:
        os.unlink(path.name, dir_fd=parent)


def _read(file: BinaryIO) -> Script:
    return Script(
        trusted_files.bounded(file, LARGEST, "it"), stat.S_IMODE(os.fstat(file.fileno()).st_mode)
    )


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error)
