! Communicators, groups, types, topologies, operators, names.
#include "binding.h"
subroutine management(rank, size)
  USES
  implicit none
  INCLUDES
  integer, intent(in) :: rank, size
  integer :: i, n, ierror, sizes(1), coords(1), out(48), sum(2)
  logical :: wraps(1)
  character(len=MPI_MAX_OBJECT_NAME) :: name
  COMM :: other
  GROUP :: world, first
  DATATYPE :: spaced
  OPERATOR :: own
  INFO :: hints
  external :: add
  do i = 1, 3
    call expect('Comm_dup', 1, -1); call MPI_Comm_dup(MPI_COMM_WORLD, other, ierror)
    call expect('Allreduce', 1, 4); call MPI_Allreduce(rank, n, 1, MPI_INTEGER, MPI_SUM, other, ierror)
    call expect('Comm_free', 1, -1); call MPI_Comm_free(other, ierror)
  end do
  call expect('Comm_split', 1, -1); call MPI_Comm_split(MPI_COMM_WORLD, mod(rank, 2), rank, other, ierror)
  call expect('Comm_set_name', 1, -1); call MPI_Comm_set_name(other, 'half', ierror)
  call expect('Comm_get_name', 1, -1); call MPI_Comm_get_name(other, name, n, ierror)
  call require(merge(1, 0, name == 'half'), 'the name that was set')
  call expect('Comm_free', 1, -1); call MPI_Comm_free(other, ierror)
  call expect('Comm_group', 1, -1); call MPI_Comm_group(MPI_COMM_WORLD, world, ierror)
  sizes(1) = 0
  call expect('Group_incl', 1, -1); call MPI_Group_incl(world, 1, sizes, first, ierror)
  call expect('Group_size', 1, -1); call MPI_Group_size(world, n, ierror)
  call expect('Group_free', 2, -1); call MPI_Group_free(first, ierror)
  call MPI_Group_free(world, ierror)
  sizes(1) = size
  wraps(1) = .true.
  call expect('Cart_create', 1, -1); call MPI_Cart_create(MPI_COMM_WORLD, 1, sizes, wraps, .false., other, ierror)
  call expect('Cart_coords', 1, -1); call MPI_Cart_coords(other, rank, 1, coords, ierror)
  call expect('Comm_free', 1, -1); call MPI_Comm_free(other, ierror)
  out = 1
  call expect('Type_vector', 1, -1); call MPI_Type_vector(3, 2, 5, MPI_INTEGER, spaced, ierror)
  call expect('Type_commit', 1, -1); call MPI_Type_commit(spaced, ierror)
  call expect('Bcast', 2, 2 * 24)
  call MPI_Bcast(out, 2, spaced, 0, MPI_COMM_WORLD, ierror)
  call MPI_Bcast(out, 2, spaced, 1, MPI_COMM_WORLD, ierror)
  call expect('Type_free', 1, -1); call MPI_Type_free(spaced, ierror)
  call expect('Info_create', 1, -1); call MPI_Info_create(hints, ierror)
  call expect('Info_set', 1, -1); call MPI_Info_set(hints, 'key', 'value', ierror)
  call expect('Info_free', 1, -1); call MPI_Info_free(hints, ierror)
#ifndef F08
  call expect('Op_create', 1, -1); call MPI_Op_create(add, .true., own, ierror)
  call expect('Allreduce', 1, 2 * 4)
  out(1:2) = rank + 1
  call MPI_Allreduce(out, sum, 2, MPI_INTEGER, own, MPI_COMM_WORLD, ierror)
  call require(merge(1, 0, sum(2) == size * (size + 1) / 2), 'the sum by our own operator')
  call expect('Op_free', 1, -1); call MPI_Op_free(own, ierror)
#endif
end subroutine

subroutine add(in, out, length, kind)
  implicit none
  integer, intent(in) :: length, kind
  integer :: in(length), out(length)
  out = out + in
end subroutine
