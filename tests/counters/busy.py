"""Reductions through mpi4py; with "busy", beside a thread that keeps the interpreter's lock."""

import sys
import threading
from array import array

from mpi4py import MPI

TURNS = int(sys.argv[1])
mine, sums = array("d", [1.0]), array("d", [0.0])
over = threading.Event()


def spin():
    while not over.is_set():
        pass


if sys.argv[2:] == ["busy"]:
    threading.Thread(target=spin, daemon=True).start()
for _ in range(TURNS):
    MPI.COMM_WORLD.Allreduce(mine, sums)
over.set()
