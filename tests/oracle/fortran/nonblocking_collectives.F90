! Non-blocking collectives and, where the module has them, neighbours.
#include "binding.h"
subroutine nonblocking_collectives(rank, size)
  USES
  implicit none
  INCLUDES
  integer, intent(in) :: rank, size
  integer :: i, ierror, out(64), in(64), sum(2), next(1), before(1)
  REQUEST :: pending
  COMM :: ring
  out = 1
  do i = 1, 3
    call expect('Ibarrier', 1, -1); call MPI_Ibarrier(MPI_COMM_WORLD, pending, ierror); call complete()
    call expect('Ibcast', 1, 3 * 4); call MPI_Ibcast(out, 3, MPI_INTEGER, 0, MPI_COMM_WORLD, pending, ierror); call complete()
    call expect('Iallreduce', 1, 5 * 4); call MPI_Iallreduce(out, in, 5, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, pending, ierror); call complete()
    call expect('Iallgather', 1, 2 * 4); call MPI_Iallgather(out, 2, MPI_INTEGER, in, 2, MPI_INTEGER, MPI_COMM_WORLD, pending, ierror); call complete()
    call expect('Ialltoall', 1, 7 * 4); call MPI_Ialltoall(out, 7, MPI_INTEGER, in, 7, MPI_INTEGER, MPI_COMM_WORLD, pending, ierror); call complete()
  end do
  sum = rank + 1
  call expect('Iallreduce', 1, 2 * 4)
  call MPI_Iallreduce(MPI_IN_PLACE, sum, 2, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, pending, ierror); call complete()
  call require(merge(1, 0, sum(2) == size * (size + 1) / 2), 'the sum in place, without waiting')
  next(1) = mod(rank + 1, size)
  before(1) = mod(rank + size - 1, size)
  ! MPI_UNWEIGHTED is one more common block.
  call expect('Dist_graph_create_adjacent', 1, -1)
  call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, before, MPI_UNWEIGHTED, 1, next, MPI_UNWEIGHTED, MPI_INFO_NULL, .false., ring, ierror)
  call expect('Neighbor_alltoall', 2, 3 * 4)
  do i = 1, 2
    call MPI_Neighbor_alltoall(out, 3, MPI_INTEGER, in, 3, MPI_INTEGER, ring, ierror)
  end do
  call expect('Ineighbor_allgather', 1, 6 * 4); call MPI_Ineighbor_allgather(out, 6, MPI_INTEGER, in, 6, MPI_INTEGER, ring, pending, ierror); call complete()
  call expect('Comm_free', 1, -1); call MPI_Comm_free(ring, ierror)
contains
  subroutine complete()
    call expect('Wait', 1, -1); call MPI_Wait(pending, MPI_STATUS_IGNORE, ierror)
  end subroutine
end subroutine
