! Five large reductions of each kind through one Fortran binding, against sums that are known.
program reductions
#if defined(F08)
  use mpi_f08
#elif defined(MODULE)
  use mpi
#endif
  implicit none
#if !defined(F08) && !defined(MODULE)
  include 'mpif.h'
#endif
  integer, parameter :: n = 1001
  double precision :: a(n), b(n)
  double complex :: z(n)
  integer :: k(n), m(n), i, call, rank, ranks, wrong, ierr
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  wrong = 0
  do call = 1, 5
    a = [(dble(i + call), i = 1, n)]
    call MPI_Allreduce(a, b, n, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
    wrong = wrong + count(b /= ranks * a)
    b = a
    call MPI_Allreduce(MPI_IN_PLACE, b, n, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
    wrong = wrong + count(b /= ranks * a)
    z = cmplx(a, -a, kind(z))
    call MPI_Allreduce(MPI_IN_PLACE, z, n, MPI_DOUBLE_COMPLEX, MPI_SUM, MPI_COMM_WORLD, ierr)
    wrong = wrong + count(dble(z) /= ranks * a)
    k = [(i + rank, i = 1, n)]
    call MPI_Allreduce(k, m, n, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD, ierr)
    wrong = wrong + count(m /= k - rank + ranks - 1)
  end do
  if (rank == 0) print '(a,i0)', 'wrong ', wrong
  call MPI_Finalize(ierr)
end program reductions
