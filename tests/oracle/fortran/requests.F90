! Non-blocking and persistent messages, completed in every way, with and without statuses.
#include "binding.h"
subroutine requests(rank, size)
  USES
  implicit none
  INCLUDES
  integer, intent(in) :: rank, size
  integer :: peer, i, done, which(2), ierror, out(20), in(20)
  logical :: flag
  REQUEST :: pending(2)
  STATUSES(states, 2)
  STATUS(state)
  peer = ieor(rank, 1)
  out = rank
  do i = 1, 3
    call start(10)
    call expect('Waitall', 1, -1); call MPI_Waitall(2, pending, MPI_STATUSES_IGNORE, ierror)
    call start(11)
    call expect('Waitall', 1, -1); call MPI_Waitall(2, pending, states, ierror)
    call require(merge(1, 0, in(4) == peer), 'four numbers of the peer')
  end do
  call start(12)
  call expect('Wait', 2, -1); call MPI_Wait(pending(1), MPI_STATUS_IGNORE, ierror)
  call MPI_Wait(pending(2), state, ierror)
  call start(13)
  do i = 1, 2
    flag = .false.
    do while (.not. flag)
      call expect('Test', 1, -1); call MPI_Test(pending(i), flag, MPI_STATUS_IGNORE, ierror)
    end do
  end do
  call start(14)
  do i = 1, 2
    call expect('Waitany', 1, -1); call MPI_Waitany(2, pending, done, state, ierror)
  end do
  call start(15)
  i = 0
  do while (i < 2)
    call expect('Waitsome', 1, -1); call MPI_Waitsome(2, pending, done, which, MPI_STATUSES_IGNORE, ierror)
    i = i + done
  end do
  call start(16)
  flag = .false.
  do while (.not. flag)
    call expect('Testall', 1, -1); call MPI_Testall(2, pending, flag, MPI_STATUSES_IGNORE, ierror)
  end do
  call persistent()
  call nothing()
contains
  ! Open MPI's layer returns at once from all of these.
  subroutine nothing()
    do i = 1, 7
      call expect('Waitall', 1, -1); call MPI_Waitall(0, pending, MPI_STATUSES_IGNORE, ierror)
      call expect('Waitall', 1, -1); call MPI_Waitall(0, pending, states, ierror)
    end do
    call require(merge(1, 0, ierror == MPI_SUCCESS), 'no error of none')
    call expect('Waitany', 1, -1); call MPI_Waitany(0, pending, done, state, ierror)
    call expect('Waitsome', 1, -1); call MPI_Waitsome(0, pending, done, which, MPI_STATUSES_IGNORE, ierror)
    flag = .false.
    call expect('Testall', 1, -1); call MPI_Testall(0, pending, flag, MPI_STATUSES_IGNORE, ierror)
    call require(merge(1, 0, flag), 'all of none')
    flag = .false.
    call expect('Testany', 1, -1); call MPI_Testany(0, pending, done, flag, state, ierror)
    call require(merge(1, 0, flag), 'any of none')
    call expect('Testsome', 1, -1); call MPI_Testsome(0, pending, done, which, MPI_STATUSES_IGNORE, ierror)
    call expect('Startall', 1, -1); call MPI_Startall(0, pending, ierror)
  end subroutine

  subroutine start(tag)
    integer, intent(in) :: tag
    call expect('Irecv', 1, -1); call MPI_Irecv(in, 20, MPI_INTEGER, peer, tag, MPI_COMM_WORLD, pending(1), ierror)
    call expect('Isend', 1, 4 * 4); call MPI_Isend(out, 4, MPI_INTEGER, peer, tag, MPI_COMM_WORLD, pending(2), ierror)
  end subroutine

  subroutine persistent()
    call expect('Recv_init', 1, -1); call MPI_Recv_init(in, 9, MPI_INTEGER, peer, 20, MPI_COMM_WORLD, pending(1), ierror)
    call expect('Send_init', 1, -1); call MPI_Send_init(out, 9, MPI_INTEGER, peer, 20, MPI_COMM_WORLD, pending(2), ierror)
    do i = 1, 3
      call expect('Startall', 1, 9 * 4); call MPI_Startall(2, pending, ierror)
      call expect('Waitall', 1, -1); call MPI_Waitall(2, pending, MPI_STATUSES_IGNORE, ierror)
    end do
    do i = 1, 2
      call expect('Start', 1, -1); call MPI_Start(pending(1), ierror)
      call expect('Start', 1, 9 * 4); call MPI_Start(pending(2), ierror)
      call expect('Waitall', 1, -1); call MPI_Waitall(2, pending, MPI_STATUSES_IGNORE, ierror)
    end do
    call expect('Request_free', 2, -1)
    call MPI_Request_free(pending(1), ierror)
    call MPI_Request_free(pending(2), ierror)
  end subroutine
end subroutine
