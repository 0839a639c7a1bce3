"""read(path): a profile file, a sample in JSON, a result folder, the parts of a job that has just
ended, or another tool's file."""

from __future__ import annotations

import contextlib
import errno
import gc
import os
from dataclasses import replace
from typing import Any, Iterator, Mapping, Optional, Sequence, Union

import numpy as np

from advisor.intake.container import columns, compact, header
from advisor.intake.container.checks import check
from advisor.intake.container.framing import (
    LARGEST_HEADER,
    PROFILE_MAGIC,
    data_start,
    open_bytes,
    parse,
    split,
)
from advisor.intake.container.ticket import is_page, unpacked
from advisor.intake.foreign.aps import html_page
from advisor.intake.foreign.base.text import LARGEST
from advisor.intake.foreign.recognise import TOOLS, foreign
from advisor.intake.job_parts import is_parts, read_parts
from advisor.intake.otf2 import archive
from advisor.intake.untrusted.damage import Damage
from advisor.model.errors import UserError
from advisor.model.profile import Profile

Path = Union[str, "os.PathLike[str]"]


def read(path: Path, launch: Sequence[str] = ()) -> Profile:
    """Profile of a file or folder. Large tables stay in the file until they are used. `launch`:
    words that start the MPI job which is to read a trace. Raises UserError."""
    name = os.fspath(path)
    if not name:  # An empty variable of a shell.
        raise UserError("The name of the result is empty.", "", _WHAT_TO_GIVE)
    try:
        with _not_collecting():
            return _folder(name, launch) if os.path.isdir(name) else read_file(name, launch)
    except header.Newer as error:
        raise UserError(
            f"{name} was written by a newer advisor (profile version {error}).",
            "",
            "Install a newer advisor to read it.",
        ) from None
    except FileNotFoundError:
        raise UserError(f"{name} does not exist.", "", _WHAT_TO_GIVE) from None
    except OSError as error:
        raise UserError(f"{name} cannot be read: {_why(error)}.", "", _cure(error)) from None
    except (Damage, MemoryError) as error:
        raise UserError(
            f"{name} is not a profile that can be read: {error or 'it is too large'}.",
            "",
            _WHAT_TO_DO,
        ) from None


@contextlib.contextmanager
def _not_collecting() -> Iterator[None]:
    """Python looks for circles among all objects again and again while millions of rows are made,
    and there are none."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _why(error: OSError) -> str:
    return (
        "it is a link that leads to itself"
        if error.errno == errno.ELOOP
        else error.strerror or str(error)
    )


def _cure(error: OSError) -> str:
    if isinstance(error, PermissionError):
        return "Ask its owner for the right to read it, or for a ticket (advisor bundle)."
    return _WHAT_TO_GIVE


_WHAT_TO_GIVE = "Give a result folder or a profile file."
_WHAT_TO_DO = (
    f"Give a result folder or a profile file of advisor, or a file of {TOOLS}; a damaged one must"
    " be recorded again."
)
_BEGIN, _FORMAT, _OWN = 4096, b'"advisor-', b'"advisor-profile"'
"""Our own JSON names its format at the beginning."""


def is_profile(path: Path) -> bool:
    """Whether a file begins as a profile of ours does."""
    try:
        with open(path, "rb") as file:
            begin = file.read(_BEGIN)
    except OSError:
        return False
    return begin[:8] == PROFILE_MAGIC or (begin[:1] == b"{" and _OWN in begin)


def _folder(name: str, launch: Sequence[str]) -> Profile:
    file, parts = os.path.join(name, "profile"), os.path.join(name, "parts")
    if os.path.exists(file):
        return read_file(file, launch)
    if os.path.isdir(parts):
        return read_parts(parts, read_file)
    if is_parts(name) or os.path.basename(os.path.abspath(name)) == "parts":
        return read_parts(name, read_file)
    trace = archive.anchor_in(name)
    if trace:
        return read_file(trace, launch)
    raise UserError(
        f"{name} is not a result folder: it holds no file named profile.",
        "",
        "Give the folder that advisor run made.",
    )


def read_file(name: str, launch: Sequence[str] = ()) -> Profile:
    """Profile of one file. Raises OSError, Damage, header.Newer."""
    data = open_bytes(name)
    begin, size = bytes(data[:_BEGIN]), len(data)
    if is_page(begin) and not html_page.recognises(begin):
        data = unpacked(data)
    begin = bytes(data[:_BEGIN])
    if archive.recognises(begin):
        return archive.read(name, read_file, launch)
    if launch:
        raise UserError(
            f"{name} is no OTF2 trace; a job of several processes reads traces only.",
            do="Leave --mpi out.",
        )
    if begin[:8] != PROFILE_MAGIC and _FORMAT not in begin:
        found = foreign(bytes(data[: LARGEST + 1]))
        if found is not None:
            return replace(found, source=name)
    if begin[:1] == b"{":
        return assemble(parse(bytes(data[: LARGEST_HEADER + 1])), None, name)
    content, end = split(data, PROFILE_MAGIC, size)
    header.understand(content)
    if compact.NAME in content:
        return assemble(*compact.expanded(content, data[end:]), name)
    return assemble(content, data[min(data_start(end), len(data)) :], name)


def assemble(content: Mapping[str, Any], data: Optional[np.ndarray], source: str) -> Profile:
    """Profile from a header and its data area (uint8, None if all values are in the header)."""
    header.understand(content)
    hosts = header.nodes(content.get("nodes"))
    tables = columns.tables(content, data)
    check(tables, len(hosts))
    settings, application, gaps = header.listed(content)
    return Profile(
        run=header.run(content.get("run")),
        library=header.library(content.get("library")),
        nodes=hosts,
        tables=tables,
        settings=settings,
        application=application,
        gaps=gaps,
        totals=header.totals(content.get("totals")),
        source=source,
    )
