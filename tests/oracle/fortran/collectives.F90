! Blocking collectives; Fortran's MPI_IN_PLACE is another address than C's, and the answer must be right.
#include "binding.h"
subroutine collectives(rank, size)
  USES
  implicit none
  INCLUDES
  integer, intent(in) :: rank, size
  integer :: i, mine, ierror, out(256), in(256), counts(size), places(size), sum(2)
  double precision :: value(3)
  out = 1
  do i = 1, 7
    call expect('Barrier', 1, -1); call MPI_Barrier(MPI_COMM_WORLD, ierror)
    call expect('Bcast', 1, 6 * 4); call MPI_Bcast(out, 6, MPI_INTEGER, 0, MPI_COMM_WORLD, ierror)
  end do
  do i = 1, 3
    call expect('Reduce', 1, 5 * 4); call MPI_Reduce(out, in, 5, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD, ierror)
    call expect('Allreduce', 1, 5 * 4); call MPI_Allreduce(out, in, 5, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
    call require(merge(1, 0, in(5) == size), 'sum of ones')
    call expect('Scan', 1, 2 * 4); call MPI_Scan(out, in, 2, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
    call expect('Exscan', 1, 3 * 4); call MPI_Exscan(out, in, 3, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
    call expect('Gather', 1, 4 * 4); call MPI_Gather(out, 4, MPI_INTEGER, in, 4, MPI_INTEGER, 0, MPI_COMM_WORLD, ierror)
    call expect('Scatter', 1, 7 * 4); call MPI_Scatter(out, 7, MPI_INTEGER, in, 7, MPI_INTEGER, 0, MPI_COMM_WORLD, ierror)
    call expect('Allgather', 1, 2 * 4); call MPI_Allgather(out, 2, MPI_INTEGER, in, 2, MPI_INTEGER, MPI_COMM_WORLD, ierror)
    call expect('Alltoall', 1, 3 * 4); call MPI_Alltoall(out, 3, MPI_INTEGER, in, 3, MPI_INTEGER, MPI_COMM_WORLD, ierror)
  end do
  call in_place()
  call varying()
contains
  subroutine in_place()
    sum = (/ rank + 1, 10 /)
    call expect('Allreduce', 1, 2 * 4)
    call MPI_Allreduce(MPI_IN_PLACE, sum, 2, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
    call require(merge(1, 0, sum(1) == size * (size + 1) / 2 .and. sum(2) == 10 * size), 'the sum in place')
    value = rank
    call expect('Allreduce', 1, 3 * 8)
    call MPI_Allreduce(MPI_IN_PLACE, value, 3, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD, ierror)
    call require(merge(1, 0, nint(value(3)) == size - 1), 'the maximum in place')
    in = 0
    in(rank + 1) = rank + 5
    call expect('Allgather', 1, 1 * 4)
    call MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, 1, MPI_INTEGER, MPI_COMM_WORLD, ierror)
    call require(merge(1, 0, in(size) == size + 4), 'the gathered in place')
    sum = 1
    call expect('Reduce', 1, 2 * 4)
    if (rank == 0) then
      call MPI_Reduce(MPI_IN_PLACE, sum, 2, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD, ierror)
      call require(merge(1, 0, sum(2) == size), 'the sum in place at the root')
    else
      call MPI_Reduce(sum, out, 2, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD, ierror)
    end if
    call expect('Alltoall', 1, 2 * 4)
    call MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, 2, MPI_INTEGER, MPI_COMM_WORLD, ierror)
  end subroutine

  subroutine varying()
    mine = rank + 1
    counts = (/ (i, i = 1, size) /)
    places = (/ (i * (i - 1) / 2, i = 1, size) /)
    call expect('Allgatherv', 1, mine * 4)
    call MPI_Allgatherv(out, mine, MPI_INTEGER, in, counts, places, MPI_INTEGER, MPI_COMM_WORLD, ierror)
    call expect('Gatherv', 1, mine * 4)
    call MPI_Gatherv(out, mine, MPI_INTEGER, in, counts, places, MPI_INTEGER, 0, MPI_COMM_WORLD, ierror)
    call expect('Scatterv', 1, mine * 4)
    call MPI_Scatterv(out, counts, places, MPI_INTEGER, in, mine, MPI_INTEGER, 0, MPI_COMM_WORLD, ierror)
    call expect('Reduce_scatter', 1, mine * 4)
    call MPI_Reduce_scatter(out, in, counts, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
    counts = 4
    places = (/ (4 * i, i = 0, size - 1) /)
    call expect('Alltoallv', 2, 4 * 4)
    do i = 1, 2
      call MPI_Alltoallv(out, counts, places, MPI_INTEGER, in, counts, places, MPI_INTEGER, MPI_COMM_WORLD, ierror)
    end do
  end subroutine
end subroutine
