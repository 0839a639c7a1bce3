! Blocking messages, probes, derived types, MPI_BOTTOM.
#include "binding.h"
subroutine messages(rank, size)
  USES
  implicit none
  INCLUDES
  integer, intent(in) :: rank, size
  integer :: peer, i, n, flag_count, ierror, room(1024), out(40), in(40)
  logical :: flag
  STATUS(state)
  peer = ieor(rank, 1)
  out = rank
  in = -1
  do i = 1, 5
    if (mod(rank, 2) == 0) then
      call expect('Send', 1, 10 * 4); call MPI_Send(out, 10, MPI_INTEGER, peer, 1, MPI_COMM_WORLD, ierror)
      call expect('Ssend', 1, 3 * 4); call MPI_Ssend(out, 3, MPI_INTEGER, peer, 2, MPI_COMM_WORLD, ierror)
    else
      call expect('Recv', 2, -1)
      call MPI_Recv(in, 40, MPI_INTEGER, peer, 1, MPI_COMM_WORLD, state, ierror)
      call expect('Get_count', 1, -1); call MPI_Get_count(state, MPI_INTEGER, n, ierror)
      call require(merge(1, 0, n == 10 .and. in(10) == peer), 'ten numbers of the peer')
      call MPI_Recv(in, 3, MPI_INTEGER, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
    end if
  end do
  call expect('Sendrecv', 3, 8 * 4)
  do i = 1, 3
    call MPI_Sendrecv(out, 8, MPI_INTEGER, peer, 3, in, 8, MPI_INTEGER, peer, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
  end do
  call require(merge(1, 0, in(8) == peer), 'eight numbers of the peer')
  call expect('Sendrecv_replace', 2, 5 * 4)
  do i = 1, 2
    call MPI_Sendrecv_replace(in, 5, MPI_INTEGER, peer, 4, peer, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
  end do
  call expect('Send', 3, -1)
  do i = 1, 3
    call MPI_Send(out, 40, MPI_INTEGER, MPI_PROC_NULL, 5, MPI_COMM_WORLD, ierror)
  end do
  call expect('Buffer_attach', 1, -1); call MPI_Buffer_attach(room, 4096, ierror)
  call expect('Bsend', 1, 7 * 4); call MPI_Bsend(out, 7, MPI_INTEGER, peer, 6, MPI_COMM_WORLD, ierror)
  call expect('Probe', 1, -1); call MPI_Probe(peer, 6, MPI_COMM_WORLD, state, ierror)
  flag = .false.
  do while (.not. flag)
    call expect('Iprobe', 1, -1); call MPI_Iprobe(peer, 6, MPI_COMM_WORLD, flag, MPI_STATUS_IGNORE, ierror)
  end do
  call expect('Recv', 1, -1); call MPI_Recv(in, 7, MPI_INTEGER, peer, 6, MPI_COMM_WORLD, state, ierror)
  call detach()
  call from_nowhere()
contains
  subroutine detach()
#if defined F08
    use, intrinsic :: iso_c_binding, only: c_ptr
    type(c_ptr) :: back
#else
    integer(kind=MPI_ADDRESS_KIND) :: back
#endif
    call expect('Buffer_detach', 1, -1); call MPI_Buffer_detach(back, flag_count, ierror)
  end subroutine

  ! MPI_BOTTOM is the address of a common block here, not a null pointer.
  subroutine from_nowhere()
    integer(kind=MPI_ADDRESS_KIND) :: place(1)
    integer :: length(1)
    DATATYPE :: spaced
    length(1) = 6
    out = rank + 100
    call MPI_Get_address(out, place(1), ierror)
    call expect('Type_create_hindexed', 1, -1)
    call MPI_Type_create_hindexed(1, length, place, MPI_INTEGER, spaced, ierror)
    call expect('Type_commit', 1, -1); call MPI_Type_commit(spaced, ierror)
    call expect('Sendrecv', 1, 6 * 4)
    call MPI_Sendrecv(MPI_BOTTOM, 1, spaced, peer, 7, in, 6, MPI_INTEGER, peer, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
    call require(merge(1, 0, in(6) == peer + 100), 'six numbers from MPI_BOTTOM')
    call expect('Type_free', 1, -1); call MPI_Type_free(spaced, ierror)
  end subroutine
end subroutine
