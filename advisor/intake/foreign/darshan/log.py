"""Darshan's binary log, versions 3.x: MPI-IO of all ranks, as darshan-parser would print it.

The layout is that of the headers include/darshan-log-format.h and darshan-mpiio-log-format.h of
Darshan 3.5. Names of files are not read, for no table has a place for them.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Dict, Iterator, List, Tuple

import numpy as np

from advisor.intake.foreign.darshan.parser_text import MPIIO, Facts, Sums, profile_of
from advisor.intake.foreign.darshan.regions import PIECE, Region, pieces
from advisor.intake.untrusted.damage import Damage
from advisor.model.profile import Profile

MAGIC = 6567223
"""Behind the version, in the byte order of the machine that wrote the log."""
_ORDERS = {MAGIC.to_bytes(8, "little"): "<", MAGIC.to_bytes(8, "big"): ">"}
_VERSIONS = ("3.00", "3.10", "3.20", "3.21", "3.41")
_MODULE = 2
"""Place of MPI-IO among the modules; those behind it have moved from version to version."""
_SIZE_3 = 16 + 8 * 51 + 8 * 17
_WITHOUT = (3, 4)
"""Of the 17 times of a record: the ones that records before version 3 of the module do not have,
and so are shorter."""
_JOB_SIZE = 4096


@dataclass(frozen=True)
class Head:
    """Byte order, version, and where the regions are."""

    order: str
    version: str
    compression: int
    partial: bool
    job: Region
    records: Region
    module: int


def recognises(data: bytes) -> bool:
    """The magic number, in either byte order."""
    return data[8:16] in _ORDERS


def read(data: bytes) -> Profile:
    """Profile of the MPI-IO. Raises Damage."""
    head = _head(data)
    facts = _job(data, head)
    return profile_of(facts, _sums(data, head), head.partial)


def _head(data: bytes) -> Head:
    order, version = _ORDERS[data[8:16]], data[:8].split(b"\0")[0].decode("ascii", "replace")
    if version not in _VERSIONS:
        raise Damage(
            f"its version {version[:8]!r} is not one of {', '.join(_VERSIONS)}; give what"
            " darshan-parser prints of it"
        )
    # 3.41 made room for 64 modules and as many flags; before it there were 16.
    new = version == "3.41"
    modules = 64 if new else 16
    layout = struct.Struct(f"{order}B{'7xQ' if new else '3xI'}{2 + 2 * modules}Q{modules}I")
    if len(data) < 16 + layout.size:
        raise Damage("its head breaks off")
    compression, partial, *numbers = layout.unpack_from(data, 16)
    maps = [Region(*numbers[place : place + 2]) for place in range(0, 2 + 2 * modules, 2)]
    begin = 16 + layout.size
    end = next((region.offset for region in maps if region.offset), len(data))
    records, module = maps[1 + _MODULE], numbers[2 + 2 * modules + _MODULE]
    return Head(
        order,
        version,
        compression,
        bool(partial >> _MODULE & 1),
        Region(begin, end - begin),
        records,
        module,
    )


def _job(data: bytes, head: Head) -> Facts:
    """What darshan-parser prints of the job, by its names there."""
    raw = b"".join(pieces(data, head.job, head.compression, "job", most=_JOB_SIZE))
    new = head.version == "3.41"
    layout = struct.Struct(head.order + ("7q" if new else "5q"))
    if len(raw) <= layout.size + 1024:
        raise Damage("its record of the job breaks off")
    _, begin, *more = layout.unpack_from(raw)
    begin_nanoseconds, end, end_nanoseconds, ranks, job = (
        more if new else (0, more[0], 0, *more[1:])
    )
    # Whole seconds of both ends: a run of less than one second takes one.
    elapsed = end - begin + (end_nanoseconds - begin_nanoseconds) / 1e9 if new else end - begin + 1
    metadata = raw[layout.size : layout.size + 1024].split(b"\0")[0].decode("utf-8", "replace")
    library = next(
        (line.partition("=")[2] for line in metadata.splitlines() if line.startswith("lib_ver=")),
        "",
    )
    command = raw[layout.size + 1024 :].split(b"\0")[0].split(b"\n")[0].decode("utf-8", "replace")
    return {
        "darshan log version": head.version,
        "lib_ver": library,
        "exe": command,
        "jobid": str(job),
        "start_time": str(begin),
        "nprocs": str(ranks),
        "run time": repr(elapsed),
    }


def _sums(data: bytes, head: Head) -> Sums:
    """Counters of MPI-IO added up over files and ranks; negative is what was not counted."""
    sums: Sums = {}
    if not head.records.length:
        return sums
    if not 1 <= head.module <= 3:
        raise Damage(
            f"its module MPI-IO has version {head.module}, and 1 to 3 are read; give what"
            " darshan-parser prints of it"
        )
    names, record = _record(head)
    for values in _records(data, head, record):
        for place, name in enumerate(names):
            column = values["counters" if place < 51 else "times"][
                :, place if place < 51 else place - 51
            ].astype(float)
            if not np.isfinite(column).all():
                raise Damage(f"its counter MPIIO_{name} is no number")
            sums[name] = sums.get(name, 0.0) + float(column[column > 0].sum())
    return sums


def _record(head: Head) -> Tuple[List[str], np.dtype]:
    """Names of the counters of a record, and its type."""
    times = [
        name for place, name in enumerate(MPIIO[51:]) if head.module == 3 or place not in _WITHOUT
    ]
    parts = [
        ("id", head.order + "u8"),
        ("rank", head.order + "i8"),
        ("counters", head.order + "i8", 51),
        ("times", head.order + "f8", len(times)),
    ]
    return [*MPIIO[:51], *times], np.dtype(parts)


def _records(data: bytes, head: Head, record: np.dtype) -> Iterator[np.ndarray]:
    """Records some MiB at a time."""
    rest = bytearray()
    for piece in pieces(data, head.records, head.compression, "MPI-IO"):
        rest += piece
        # The records of each rank are a piece of their own, and adding a piece up costs as much as
        # a thousand records.
        if len(rest) >= PIECE:
            whole = len(rest) - len(rest) % record.itemsize
            yield np.frombuffer(bytes(rest[:whole]), record)
            del rest[:whole]
    if len(rest) % record.itemsize:
        raise Damage("its last record of MPI-IO breaks off")
    yield np.frombuffer(bytes(rest), record)
