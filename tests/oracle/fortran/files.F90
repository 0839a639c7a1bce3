! MPI-IO on a file of this program.
#include "binding.h"
subroutine files(rank, size)
  USES
  implicit none
  INCLUDES
  integer, intent(in) :: rank, size
  integer :: i, ierror, out(16), in(16)
  integer(kind=MPI_OFFSET_KIND) :: place
  character(len=4096) :: path
  FILE_HANDLE :: handle
  STATUS(state)
  call get_environment_variable('ORACLE_OUTPUT', path)
  if (len_trim(path) == 0) path = '/tmp'
  path = trim(path) // '/fortran.file'
  call expect('File_open', 1, -1)
  call MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE + MPI_MODE_RDWR + MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, handle, ierror)
  out = rank
  place = rank * 64
  do i = 1, 3
    call expect('File_write_at', 1, 7 * 4); call MPI_File_write_at(handle, place, out, 7, MPI_INTEGER, MPI_STATUS_IGNORE, ierror)
    call expect('File_write_at_all', 1, 9 * 4); call MPI_File_write_at_all(handle, place, out, 9, MPI_INTEGER, state, ierror)
    ! Open MPI's rank that writes for the others may be late without it.
    call expect('File_sync', 1, -1); call MPI_File_sync(handle, ierror)
    call expect('Barrier', 1, -1); call MPI_Barrier(MPI_COMM_WORLD, ierror)
    call expect('File_read_at', 1, 9 * 4); call MPI_File_read_at(handle, place, in, 9, MPI_INTEGER, MPI_STATUS_IGNORE, ierror)
    call require(merge(1, 0, in(9) == rank), 'nine numbers read back')
  end do
  call expect('File_close', 1, -1); call MPI_File_close(handle, ierror)
end subroutine
