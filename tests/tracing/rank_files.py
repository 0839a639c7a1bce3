"""Event files of ranks, byte by byte as collectors/FORMAT.md has them."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Sequence

HEADER = "<8sII6QIIii3d5QII3dQ256s256s256s"
CALL, SEND, RECEIVE, START_SEND, START_RECEIVE, SENT, RECEIVED, CANCELLED, COLLECTIVE = range(1, 10)
MEET, NEIGHBOURS, FLUSH, START_NEIGHBOURS, FILE, READ, FILE_DONE, COUNTER = (
    20,
    21,
    24,
    26,
    28,
    30,
    34,
    35,
)
IS_WORLD, HAS_MEMBERS = 1, 8
OPERATIONS = {1: "Send", 2: "Recv", 3: "Barrier", 4: "Irecv", 5: "Wait"}
WORLD, HALF = 1, 2
GROUP = 1
TICK = 1e-9


def call(operation: int, begin: int, end: int, generation: int = 1, thread: int = 0) -> bytes:
    """The end of a call, in ticks."""
    return struct.pack("<QQQHHHBB", begin, end, 0, 0, thread, operation, CALL, generation)


def part(
    kind: int,
    peer: int = 0,
    tag: int = 0,
    amount: int = 0,
    request: int = 0,
    communicator: int = WORLD,
    operation: int = 0,
    generation: int = 1,
) -> bytes:
    """What a call took part in. `amount`: bytes."""
    return struct.pack(
        "<QQiiHHHBB", amount, request, peer, tag, communicator, 0, operation, kind, generation
    )


def definitions(rank: int, ranks: int) -> bytes:
    """The operations, MPI_COMM_WORLD, a group of rank 0, a file, a file of code, a counter, and a
    communicator of all that only its first member names."""
    made = b"".join(
        struct.pack("<HHI48s", 1, number, 56, name.encode()) for number, name in OPERATIONS.items()
    )
    made += struct.pack("<HHIQiiiiiI", 2, WORLD, 40, 7, rank, ranks, 0, -1, 0, IS_WORLD)
    made += struct.pack("<HHI2iiI", 5, GROUP, 24, 1, 0, 0, 0)
    made += struct.pack("<HHIHHI256s", 6, 1, 272, WORLD, 3, 0, b"data") + struct.pack(
        "<HHIQQQ256s", 7, 0, 288, 0x1000, 0x2000, 0x3000, b"/app"
    )
    made += struct.pack("<HHI48s", 8, 1, 56, b"cpu_time")
    members = struct.pack(f"<{ranks}i", *range(ranks)) if rank == 0 else b""
    members += b"\0" * (-len(members) % 8)
    return (
        made
        + struct.pack(
            "<HHIQiiiiiI",
            2,
            HALF,
            40 + len(members),
            9,
            rank,
            ranks,
            0,
            -1,
            0,
            HAS_MEMBERS if members else 0,
        )
        + members
    )


def rank_file(
    path: Path,
    own: int,
    all_ranks: int,
    events: Sequence[bytes],
    capacity: int = 64,
    head: int = -1,
    **changed,
) -> Path:
    """Write it. `changed`: fields of the header by name."""
    defined = definitions(own, all_ranks)
    fields = {
        "magic": b"ADVEVTS\n",
        "version": 1,
        "header_size": 4096,
        "definitions_size": 1 << 16,
        "capacity": capacity,
        "head": len(events) if head < 0 else head,
        "definitions_used": len(defined),
        "lost_definitions": 0,
        "lost_requests": 0,
        "keep_first": 0,
        "is_cut": 0,
        "rank": own,
        "ranks": all_ranks,
        "last": 0.0,
        "seconds_per_tick": TICK,
        "origin_time": 1.7e9,
        "origin_ticks": 900,
        "init_begin": 100,
        "init_end": 900,
        "finalize_begin": 90000,
        "finalize_end": 91000,
        "threads_asked": 0,
        "has_map": 1,
        "map_rate": TICK,
        "map_shift": 0.0,
        "map_error": 0.0,
        "map_first": 900,
        "node": b"host",
        "program": b"app",
        "library": b"",
        **changed,
    }
    head_bytes = struct.pack(HEADER, *fields.values()).ljust(4096, b"\0")
    path.write_bytes(
        head_bytes
        + defined.ljust(1 << 16, b"\0")
        + b"".join(events).ljust(32 * min(capacity, 64), b"\0")
    )
    return path


def pair(folder: Path, **changed) -> Path:
    """A message from rank 0 to rank 1 and a barrier; rank 1 comes 4000 ticks before the sender."""
    folder.mkdir(parents=True, exist_ok=True)
    barrier = [
        part(COLLECTIVE, -1, operation=3, communicator=HALF),
        part(NEIGHBOURS, tag=GROUP, amount=8),
        part(READ, amount=8, request=4),
        part(COUNTER, tag=1, amount=5),
        call(3, 20000, 21000),
    ]
    rank_file(
        folder / "rank-0.events", 0, 2, [part(SEND, 1, 5, 80), call(1, 10000, 11000), *barrier]
    )
    rank_file(
        folder / "rank-1.events",
        1,
        2,
        [part(RECEIVE, 0, 5, 80), call(2, 6000, 12000), *barrier],
        **changed,
    )
    return folder
