! One-sided calls with fences and locks.
#include "binding.h"
subroutine onesided(rank, size)
  USES
  implicit none
  INCLUDES
  integer, intent(in) :: rank, size
  integer :: i, peer, ierror
  integer, save, asynchronous :: memory(64), out(16), in(16)
  WINDOW :: window
  peer = ieor(rank, 1)
  out = rank
  call expect('Win_create', 1, -1)
  call MPI_Win_create(memory, int(256, MPI_ADDRESS_KIND), 4, MPI_INFO_NULL, MPI_COMM_WORLD, window, ierror)
  call expect('Win_fence', 1, -1); call MPI_Win_fence(0, window, ierror)
  do i = 1, 3
    call expect('Put', 1, 5 * 4)
    call MPI_Put(out, 5, MPI_INTEGER, peer, int(0, MPI_ADDRESS_KIND), 5, MPI_INTEGER, window, ierror)
    call expect('Accumulate', 1, 2 * 4)
    call MPI_Accumulate(out, 2, MPI_INTEGER, peer, int(8, MPI_ADDRESS_KIND), 2, MPI_INTEGER, MPI_SUM, window, ierror)
    call expect('Win_fence', 1, -1); call MPI_Win_fence(0, window, ierror)
  end do
  call require(merge(1, 0, memory(5) == peer), 'five numbers put by the peer')
  do i = 1, 2
    call expect('Win_lock', 1, -1); call MPI_Win_lock(MPI_LOCK_SHARED, peer, 0, window, ierror)
    call expect('Get', 1, 3 * 4)
    call MPI_Get(in, 3, MPI_INTEGER, peer, int(0, MPI_ADDRESS_KIND), 3, MPI_INTEGER, window, ierror)
    call expect('Win_flush', 1, -1); call MPI_Win_flush(peer, window, ierror)
    call expect('Win_unlock', 1, -1); call MPI_Win_unlock(peer, window, ierror)
    call require(merge(1, 0, in(3) == rank), 'three numbers got back')
  end do
  call expect('Win_free', 1, -1); call MPI_Win_free(window, ierror)
end subroutine
