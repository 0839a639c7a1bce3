"""The oracle over mpi4py: what a Python program calls, with what it must add to the profile beside
it.

mpi4py makes calls of its own around ours (sizes of types, attributes, names): the table holds what
is communicated.
"""

from __future__ import annotations

import json
import os

import mpi4py

# No calls of mpi4py's own at exit: Finalize is called below.
mpi4py.rc.finalize = False
from mpi4py import MPI  # noqa: E402  (the settings above must come first)

calls = {}


def expect(operation, size, times=1):
    row = calls.setdefault(operation, {"count": 0, "bytes": 0})
    row["count"] += times
    row["bytes"] += max(size, 0) * times


def arrays(world, peer):
    out, back = bytearray([world.rank]) * 24, bytearray(24)
    for _ in range(7):
        world.Sendrecv([out, MPI.BYTE], peer, 1, [back, MPI.BYTE], peer, 1)
        expect("Sendrecv", 24)
    assert back[23] == peer
    for _ in range(5):
        world.Bcast([out, 6, MPI.INT], 0)
        expect("Bcast", 24)
        world.Allreduce(MPI.IN_PLACE, [back, 3, MPI.DOUBLE], MPI.MAX)
        expect("Allreduce", 24)
    for _ in range(3):
        world.Allgather([out, 4, MPI.BYTE], [bytearray(4 * world.size), 4, MPI.BYTE])
        expect("Allgather", 4)
        world.Alltoall(
            [bytearray(2 * world.size), 2, MPI.BYTE], [bytearray(2 * world.size), 2, MPI.BYTE]
        )
        expect("Alltoall", 2)


def requests(world, peer):
    for _ in range(3):
        pending = [
            world.Irecv([bytearray(16), MPI.BYTE], peer, 2),
            world.Isend([bytearray(16), MPI.BYTE], peer, 2),
        ]
        MPI.Request.Waitall(pending)
        expect("Irecv", -1)
        expect("Isend", 16)
        expect("Waitall", -1)
    request = world.Send_init([bytearray(9), MPI.BYTE], peer, 3)
    expect("Send_init", -1)
    for _ in range(2):
        request.Start()
        expect("Start", 9)
        world.Recv([bytearray(9), MPI.BYTE], peer, 3)
        expect("Recv", -1)
        request.Wait()
        expect("Wait", -1)
    request.Free()
    expect("Request_free", -1)


def objects(world):
    """A pickled object of known length goes as a broadcast of its length and one of its bytes; a
    barrier as a barrier."""
    for _ in range(11):
        world.Barrier()
        expect("Barrier", -1)


def onesided(world, peer):
    window = MPI.Win.Allocate(256, 1, comm=world)
    expect("Win_allocate", -1)
    window.Fence()
    for _ in range(3):
        window.Put([bytearray(10), MPI.BYTE], peer)
        expect("Put", 10)
        window.Fence()
    expect("Win_fence", -1, 4)
    window.Free()
    expect("Win_free", -1)


def main():
    world = MPI.COMM_WORLD
    peer = world.rank ^ 1
    arrays(world, peer)
    requests(world, peer)
    objects(world)
    onesided(world, peer)
    if world.rank == 0:
        print("mpi4py oracle done on", world.size, "ranks", flush=True)
    rank = world.rank
    MPI.Finalize()
    if "ORACLE_OUTPUT" in os.environ:
        with open(f"{os.environ['ORACLE_OUTPUT']}/{rank}.json", "w") as out:
            json.dump({"rank": rank, "calls": calls}, out)


main()
