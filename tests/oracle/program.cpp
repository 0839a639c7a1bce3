// C++ over the C interface: containers, exceptions and destructors around the calls; each call with what it must add to the profile.
#include <mpi.h>
#include <cstdio>
#include <stdexcept>
#include <thread>
#include <vector>

extern "C" {
void expect(const char *operation, long long bytes);
void oracle_write(void);
extern int rank, size;
}

template <typename Call> int counted(const char *operation, long long bytes, int times, Call call)
{
    for (int turn = 0; turn < times; turn++) {
        if (call() != MPI_SUCCESS) throw std::runtime_error(operation);
        expect(operation, bytes);
    }
    return times;
}

struct Communicator {                                   // frees itself, also while an exception passes
    MPI_Comm handle = MPI_COMM_NULL;
    Communicator() { counted("Comm_dup", -1, 1, [this] { return MPI_Comm_dup(MPI_COMM_WORLD, &handle); }); }
    ~Communicator() { counted("Comm_free", -1, 1, [this] { return MPI_Comm_free(&handle); }); }
};

static void exchange(const Communicator &comm)
{
    const int peer = rank ^ 1;
    std::vector<double> out(37, rank), in(37);
    counted("Sendrecv", 37 * sizeof(double), 7, [&] {
        return MPI_Sendrecv(out.data(), 37, MPI_DOUBLE, peer, 1, in.data(), 37, MPI_DOUBLE, peer, 1, comm.handle, MPI_STATUS_IGNORE);
    });
    if (in.back() != peer) throw std::logic_error("not what the peer sent");
    std::vector<MPI_Request> pending(4);
    for (int at = 0; at < 2; at++) {
        counted("Irecv", -1, 1, [&] { return MPI_Irecv(&in[at], 1, MPI_DOUBLE, peer, 2, comm.handle, &pending[at]); });
        counted("Isend", sizeof(double), 1, [&] { return MPI_Isend(&out[at], 1, MPI_DOUBLE, peer, 2, comm.handle, &pending[2 + at]); });
    }
    counted("Waitall", -1, 1, [&] { return MPI_Waitall(4, pending.data(), MPI_STATUSES_IGNORE); });
}

static void reduce(const Communicator &comm)
{
    std::vector<long> mine(11, rank + 1), sum(11);
    counted("Allreduce", 11 * sizeof(long), 5, [&] { return MPI_Allreduce(mine.data(), sum.data(), 11, MPI_LONG, MPI_SUM, comm.handle); });
    counted("Allreduce", 11 * sizeof(long), 1, [&] { return MPI_Allreduce(MPI_IN_PLACE, mine.data(), 11, MPI_LONG, MPI_SUM, comm.handle); });
    if (mine != sum || mine[10] != size * (size + 1) / 2) throw std::logic_error("a wrong sum");
    std::thread([&] { counted("Bcast", 5, 3, [&] { static char text[5]; return MPI_Bcast(text, 5, MPI_CHAR, 0, comm.handle); }); }).join();
}

static void thrown()
{
    Communicator comm;
    counted("Barrier", -1, 3, [&] { return MPI_Barrier(comm.handle); });
    throw std::runtime_error("expected");
}

int main(int words, char **word)
{
    int provided;
    MPI_Init_thread(&words, &word, MPI_THREAD_MULTIPLE, &provided);
    counted("Comm_rank", -1, 1, [] { return MPI_Comm_rank(MPI_COMM_WORLD, &rank); });
    counted("Comm_size", -1, 1, [] { return MPI_Comm_size(MPI_COMM_WORLD, &size); });
    {
        Communicator comm;
        exchange(comm);
        reduce(comm);
    }
    try { thrown(); } catch (const std::runtime_error &error) { if (rank == 0) std::printf("caught: %s\n", error.what()); }
    MPI_Finalize();
    oracle_write();
    return 0;
}
