! The oracle in Fortran: every call with what it must add to the profile beside it.
#include "binding.h"
program oracle
  USES
  implicit none
  INCLUDES
  integer :: ierror, rank, size
  call MPI_Init(ierror)
  call expect('Comm_rank', 1, -1); call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call expect('Comm_size', 1, -1); call MPI_Comm_size(MPI_COMM_WORLD, size, ierror)
  call messages(rank, size)
  call requests(rank, size)
  call collectives(rank, size)
  call nonblocking_collectives(rank, size)
  call onesided(rank, size)
  call files(rank, size)
  call management(rank, size)
  if (rank == 0) print '(a,i0,a)', 'Fortran oracle done on ', size, ' ranks'
  call MPI_Finalize(ierror)
  call table(rank, size)
end program
