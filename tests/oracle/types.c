/* Derived types: made, measured, described. */
#include "oracle.h"

static void freed(MPI_Datatype *type, long long bytes)
{
    amount measured;
    MPI_Count measured_x;
    PLAIN(Type_commit, 1, type);
    LARGE_PLAIN(Type_size, 2, *type, &measured);
    PLAIN(Type_size_x, 1, *type, &measured_x);
    VERIFY(measured == bytes && measured_x == bytes);
    PLAIN(Type_free, 1, type);
}

static void regular(void)
{
    MPI_Datatype type;
    amount sizes[2] = { 6, 5 }, part[2] = { 2, 3 }, start[2] = { 1, 1 };
    LARGE_PLAIN(Type_contiguous, 1, 7, MPI_INT, &type);
    freed(&type, 28);
    LARGE_PLAIN(Type_vector, 1, 3, 2, 5, MPI_INT, &type);
    freed(&type, 24);
    LARGE_PLAIN(Type_create_hvector, 1, 3, 2, 40, MPI_INT, &type);
    freed(&type, 24);
    LARGE_PLAIN(Type_create_subarray, 1, 2, sizes, part, start, MPI_ORDER_C, MPI_DOUBLE, &type);
    freed(&type, 48);
    LARGE_PLAIN(Type_create_resized, 1, MPI_INT, 0, 16, &type);
    freed(&type, 4);
    PLAIN(Type_dup, 1, MPI_DOUBLE, &type);
    freed(&type, 8);
}

static void irregular(void)
{
    MPI_Datatype type, kinds[2] = { MPI_INT, MPI_DOUBLE };
    amount lengths[2] = { 1, 3 };
    wide bytes[2] = { 0, 16 };
    amount items[2] = { 0, 4 };
    LARGE_PLAIN(Type_indexed, 1, 2, lengths, items, MPI_INT, &type);
    freed(&type, 16);
    LARGE_PLAIN(Type_create_hindexed, 1, 2, lengths, bytes, MPI_INT, &type);
    freed(&type, 16);
    LARGE_PLAIN(Type_create_indexed_block, 1, 2, 3, items, MPI_INT, &type);
    freed(&type, 24);
    LARGE_PLAIN(Type_create_hindexed_block, 1, 2, 2, bytes, MPI_INT, &type);
    freed(&type, 16);
    LARGE_PLAIN(Type_create_struct, 1, 2, lengths, bytes, kinds, &type);
    freed(&type, 28);
}

static void distributed(void)
{
    MPI_Datatype type;
    amount whole[1] = { 8 * 4 };
    int kind[1] = { MPI_DISTRIBUTE_BLOCK }, argument[1] = { MPI_DISTRIBUTE_DFLT_DARG },
        grid[1] = { size };
    LARGE_PLAIN(Type_create_darray, 1, size, rank, 1, whole, kind, argument, grid, MPI_ORDER_C,
                MPI_INT, &type);
    freed(&type, 32 / size * sizeof(int));
}

static void measured(void)
{
    wide low, extent;
    MPI_Count low_x, extent_x;
    int length, integers, addresses, kinds, combiner, numbers[3];
    MPI_Aint places[1];
    MPI_Datatype type, inner[1], found;
    char name[MPI_MAX_OBJECT_NAME];
    LARGE_PLAIN(Type_get_extent, 5, MPI_INT, &low, &extent);
    LARGE_PLAIN(Type_get_true_extent, 3, MPI_INT, &low, &extent);
    PLAIN(Type_get_extent_x, 2, MPI_INT, &low_x, &extent_x);
    PLAIN(Type_get_true_extent_x, 3, MPI_INT, &low_x, &extent_x);
    PLAIN(Type_get_name, 2, MPI_INT, name, &length);
    PLAIN(Type_match_size, 3, MPI_TYPECLASS_REAL, 8, &found);
    PLAIN(Type_vector, 1, 3, 2, 5, MPI_INT, &type);
    PLAIN(Type_set_name, 2, type, "gaps");
    PLAIN(Type_get_envelope, 2, type, &integers, &addresses, &kinds, &combiner);
    PLAIN(Type_get_contents, 1, type, 3, 0, 1, numbers, places, inner);
#if defined LARGE && HAVE_Type_get_envelope_c
    MPI_Count many[4];
    PLAIN_AS(Type_get_envelope, Type_get_envelope_c, type, &many[0], &many[1], &many[2], &many[3],
             &combiner);
    PLAIN_AS(Type_get_contents, Type_get_contents_c, type, 3, 0, 0, 1, numbers, places, many,
             inner);
#endif
    PLAIN(Type_free, 1, &type);
}

static void of_fortran(void)
{
    MPI_Datatype type;
    PLAIN(Type_create_f90_real, 2, 15, MPI_UNDEFINED, &type);
    PLAIN(Type_create_f90_complex, 3, 15, MPI_UNDEFINED, &type);
    PLAIN(Type_create_f90_integer, 5, 9, &type);
}

void types(void)
{
    regular();
    irregular();
    distributed();
    measured();
    of_fortran();
#if HAVE_Type_get_value_index
    MPI_Datatype pair;
    PLAIN(Type_get_value_index, 3, MPI_DOUBLE, MPI_INT, &pair);
#endif
}
