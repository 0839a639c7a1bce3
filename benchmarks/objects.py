"""Two ranks send 20 000 numbers to and fro: as a pickled list, or as an array.

Usage: mpirun -n 2 python objects.py pickled|buffer TURNS"""

import sys
from array import array

from mpi4py import MPI


def turn(world: MPI.Comm, how: str, values: object) -> None:
    """One message from rank 0 to rank 1, and one back."""
    other, send, receive = 1 - world.rank, world.send, world.recv
    if how == "buffer":
        send = world.Send

        def receive(source: int) -> None:
            world.Recv(values, source)

    for sender in (0, 1):
        send(values, other) if world.rank == sender else receive(source=other)


def main() -> None:
    """Rank 0 prints what all turns took."""
    how, turns = sys.argv[1], int(sys.argv[2])
    numbers = [float(number) for number in range(20000)]
    values = array("d", numbers) if how == "buffer" else numbers
    world = MPI.COMM_WORLD
    world.Barrier()
    began = MPI.Wtime()
    for _ in range(turns):
        turn(world, how, values)
    if world.rank == 0:
        print(f"elapsed: {MPI.Wtime() - began:.6f} s")


main()
