! As counts.c, without its non-blocking messages: rank 0 waits 13 x 20 ms in MPI_Allreduce, rank 1 waits 11 x 10 ms in MPI_Recv.
program counts
  use mpi
  use iso_c_binding, only: c_int
  implicit none
  interface
    integer(c_int) function usleep(microseconds) bind(c)
      import c_int
      integer(c_int), value :: microseconds
    end function
  end interface
  integer :: rank, error, i, slept
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  do i = 1, 13
    call reduce
  end do
  do i = 1, 11
    call message
  end do
  call MPI_Barrier(MPI_COMM_WORLD, error)
  call MPI_Finalize(error)
contains
  subroutine reduce
    double precision :: mine, all
    mine = rank
    if (rank == 1) slept = usleep(20000)
    call MPI_Allreduce(mine, all, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error)
  end subroutine
  subroutine message
    integer :: buffer(250), status(MPI_STATUS_SIZE)
    buffer = 0
    if (rank == 0) then
      slept = usleep(10000)
      call MPI_Send(buffer, 250, MPI_INTEGER, 1, 0, MPI_COMM_WORLD, error)
    else if (rank == 1) then
      call MPI_Recv(buffer, 250, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, status, error)
    end if
  end subroutine
end program
