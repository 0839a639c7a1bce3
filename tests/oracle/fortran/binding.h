! The three Fortran bindings, chosen with -DF08, -DF90 or -DF77.
! Handles are integers in the older two.
#if defined F08
#define USES use mpi_f08
#define INCLUDES
#define COMM type(MPI_Comm)
#define REQUEST type(MPI_Request)
#define DATATYPE type(MPI_Datatype)
#define WINDOW type(MPI_Win)
#define FILE_HANDLE type(MPI_File)
#define GROUP type(MPI_Group)
#define OPERATOR type(MPI_Op)
#define INFO type(MPI_Info)
#define STATUS(name) type(MPI_Status) :: name
#define STATUSES(name, n) type(MPI_Status) :: name(n)
#else
#if defined F90
#define USES use mpi
#define INCLUDES
#else
#define USES
#define INCLUDES include 'mpif.h'
#endif
#define COMM integer
#define REQUEST integer
#define DATATYPE integer
#define WINDOW integer
#define FILE_HANDLE integer
#define GROUP integer
#define OPERATOR integer
#define INFO integer
#define STATUS(name) integer :: name(MPI_STATUS_SIZE)
#define STATUSES(name, n) integer :: name(MPI_STATUS_SIZE, n)
#endif
