/* Packing moves no message: no payload. A packed buffer that is sent has as many bytes as were
 * packed. */
#include "oracle.h"

void packing(void)
{
    int numbers[8] = { 0 };
    char room[256];
    amount position = 0, bytes;
    wide outside = 0, need;
    LARGE_PLAIN(Pack_size, 3, 8, MPI_INT, MPI_COMM_WORLD, &bytes);
    LARGE_PLAIN(Pack, 5, numbers, 2, MPI_INT, room, sizeof room, &position, MPI_COMM_WORLD);
    VERIFY(position == 40);
    LARGE_CALL(Sendrecv, 1, position, room, position, MPI_PACKED, rank ^ 1, 81, room + 128, 128,
               MPI_PACKED, rank ^ 1, 81, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    position = 0;
    LARGE_PLAIN(Unpack, 5, room, sizeof room, &position, numbers, 2, MPI_INT, MPI_COMM_WORLD);
    LARGE_PLAIN(Pack_external_size, 2, "external32", 8, MPI_INT, &need);
    LARGE_PLAIN(Pack_external, 3, "external32", numbers, 2, MPI_INT, room, sizeof room, &outside);
    outside = 0;
    LARGE_PLAIN(Unpack_external, 3, "external32", room, sizeof room, &outside, numbers, 2, MPI_INT);
}
