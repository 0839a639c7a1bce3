"""Profile: what was seen. Facts only, no opinion and no derived number."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Mapping, Optional, Tuple, Union

# A job starts before anything of it is computed: reading numpy would take half of the time until
# then.
if TYPE_CHECKING:
    import numpy as np

Value = Union[str, int, float, bool]
Columns = Mapping[str, "np.ndarray"]
"""Named columns of one table, all of the same length. Text columns have dtype object."""


@dataclass(frozen=True)
class Gap:
    """Something that was not seen, why, and what would make it visible."""

    subject: str
    reason: str
    collect: str = ""


@dataclass(frozen=True)
class Fact:
    """One fact about a host or a library. `value` None: looked, but could not tell (`source` says
    where)."""

    value: Optional[Value]
    source: str


@dataclass(frozen=True)
class Setting:
    """A variable or control variable in force. `source`: environment, launch line, launcher,
    process, mpi_t, or "file PATH:LINE"."""

    name: str
    value: str
    source: str
    differs: bool = False
    """True if not all ranks have the same value."""


@dataclass(frozen=True)
class Run:
    """What was started, and how it ended. Times in seconds; None where nobody looked."""

    program: str
    arguments: Tuple[str, ...] = ()
    launch_line: Tuple[str, ...] = ()
    launcher: str = ""
    directory: str = ""
    started: str = ""
    """ISO 8601 with offset."""
    job: str = ""
    scheduler: str = ""
    job_seconds: Optional[float] = None
    exit_code: Optional[int] = None
    """As a shell shows it: 128 + n after signal n."""
    ranks_expected: Optional[int] = None
    collector: str = "pmpi"
    advisor_version: str = ""
    overlay: str = ""
    """What `advisor apply` or `advisor run --with` had put into this run; empty: nothing."""
    note: str = ""
    """What who bundled it wrote on the ticket, such as its number."""


@dataclass(frozen=True)
class Totals:
    """What a tool says of the whole job, but of no single rank. None: nothing. Times in seconds,
    means over ranks."""

    elapsed: Optional[float] = None
    """From the end of MPI_Init to MPI_Finalize, of the rank that took longest."""
    mpi_time: Optional[float] = None
    wait_time: Optional[float] = None
    """Waiting inside MPI for other ranks, measured."""
    calls: Optional[float] = None
    """MPI calls of all ranks."""


@dataclass(frozen=True)
class Library:
    """The MPI library of the run. `name`: one of model.library.NAMES, or "unknown"."""

    name: str = "unknown"
    version: str = ""
    text: str = ""
    """MPI_Get_library_version, verbatim."""
    standard: str = ""
    path: str = ""
    facts: Mapping[str, Fact] = field(default_factory=dict)


@dataclass(frozen=True)
class Node:
    """One host of the job."""

    name: str
    facts: Mapping[str, Fact] = field(default_factory=dict)


@dataclass(frozen=True)
class Application:
    """The program recognised, and those of its own settings that could be read."""

    name: str
    settings: Mapping[str, Fact] = field(default_factory=dict)


@dataclass(frozen=True)
class Profile:
    """One run. `tables` are described in model/columns.py."""

    run: Run
    library: Library
    nodes: Tuple[Node, ...]
    tables: Mapping[str, Columns]
    settings: Tuple[Setting, ...] = ()
    application: Optional[Application] = None
    gaps: Tuple[Gap, ...] = ()
    totals: Totals = Totals()
    source: str = ""
    """The file that it was read from."""
