"""Ten large reductions through mpi4py, against sums that are known."""

from array import array

from mpi4py import MPI

world = MPI.COMM_WORLD
given, result = array("d", [place + world.rank for place in range(1001)]), array("d", [0.0] * 1001)
expected = array("d", [place * world.size + sum(range(world.size)) for place in range(1001)])
wrong = 0
for _ in range(5):
    world.Allreduce(given, result, op=MPI.SUM)
    wrong += result != expected
    result[:] = given
    world.Allreduce(MPI.IN_PLACE, result, op=MPI.SUM)
    wrong += result != expected
if world.rank == 0:
    print("wrong", wrong)
