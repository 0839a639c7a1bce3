! The same from Fortran: 4 reductions with an operator of the program's own, 5 messages of a column.
program handling
    use mpi
    implicit none
    integer :: rank, own, row, error, i
    double precision :: data(8, 8), sums(8, 8)
    external :: add
    call MPI_Init(error)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
    call MPI_Op_create(add, .true., own, error)
    call MPI_Type_vector(8, 1, 8, MPI_DOUBLE_PRECISION, row, error)
    call MPI_Type_commit(row, error)
    data = rank
    do i = 1, 4
        call MPI_Allreduce(data, sums, 3, MPI_DOUBLE_PRECISION, own, MPI_COMM_WORLD, error)
    end do
    call MPI_Allreduce(data, sums, 3, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error)
    do i = 1, 5
        if (rank == 0) then
            call MPI_Send(data, 1, row, 1, 0, MPI_COMM_WORLD, error)
        else
            call MPI_Recv(sums, 8, MPI_DOUBLE_PRECISION, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
        end if
    end do
    call MPI_Finalize(error)
end program

subroutine add(in, inout, length, type)
    integer :: length, type
    double precision :: in(length), inout(length)
    inout = inout + in
end subroutine
