"""Two ways to the same call of mpi4py, beside a thread that keeps the interpreter busy. Usage:
ways.py TURNS"""

import sys
import threading

from mpi4py import MPI

over = threading.Event()


def reduce():
    return MPI.COMM_WORLD.allreduce(1)


def forces():
    return reduce()


def energy():
    return reduce()


def busy():
    while not over.is_set():
        sum(range(1000))


threading.Thread(target=busy).start()
for turn in range(int(sys.argv[1])):
    forces()
    forces()
    energy()
over.set()
