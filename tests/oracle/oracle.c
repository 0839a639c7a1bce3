/* The table of expectations, and the main program: oracle [topic ...]; all topics if none is named.
 */
#include <pthread.h>
#include "oracle.h"

enum { MOST = 1024, BINS = 65 };

static struct row {
    const char *operation;
    long long count, bytes,
        bins[BINS]; /* bins[0]: no payload by nature; bins[b + 1]: METRICS 6.2's bin b */
} table[MOST];
static int rows;
static const char *lacking[MOST];
static int lacks;
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
int rank, size;

static struct row *row_of(const char *operation)
{
    for (int at = 0; at < rows; at++)
        if (strcmp(table[at].operation, operation) == 0)
            return &table[at];
    table[rows].operation = operation;
    return &table[rows++];
}

static int bin_of(long long bytes)
{
    int bin = 0;
    for (; bytes > 0; bytes >>= 1)
        bin++;
    return bin;
}

void expect(const char *operation, long long bytes)
{
    pthread_mutex_lock(&guard);
    struct row *row = row_of(operation);
    row->count++;
    row->bytes += bytes > 0 ? bytes : 0;
    row->bins[bytes < 0 ? 0 : bin_of(bytes) + 1]++;
    pthread_mutex_unlock(&guard);
}

void absent(const char *operation)
{
    for (int at = 0; at < lacks; at++)
        if (strcmp(lacking[at], operation) == 0)
            return;
    lacking[lacks++] = operation;
}

void check(const char *operation, int code)
{
    if (code == MPI_SUCCESS)
        return;
    fprintf(stderr, "oracle: rank %d: MPI_%s returned %d\n", rank, operation, code);
    abort();
}

void verify(int right, const char *file, int line, const char *what)
{
    if (right)
        return;
    fprintf(stderr, "oracle: rank %d: %s:%d: not so: %s\n", rank, file, line, what);
    abort();
}

static void write_row(FILE *out, const struct row *row)
{
    const char *comma = "";
    fprintf(out, "\"%s\": {\"count\": %lld, \"bytes\": %lld, \"bins\": {", row->operation,
            row->count, row->bytes);
    for (int bin = 0; bin < BINS; bin++)
        if (row->bins[bin]) {
            fprintf(out, "%s\"%d\": %lld", comma, bin - 1, row->bins[bin]);
            comma = ", ";
        }
    fprintf(out, "}}");
}

void oracle_write(void)
{
    char path[4096];
    const char *folder = getenv("ORACLE_OUTPUT");
    if (!folder)
        return;
    snprintf(path, sizeof path, "%s/%d.json", folder, rank);
    FILE *out = fopen(path, "w");
    if (!out) {
        perror(path);
        exit(1);
    }
    fprintf(out, "{\"rank\": %d, \"absent\": [", rank);
    for (int at = 0; at < lacks; at++)
        fprintf(out, "%s\"%s\"", at ? ", " : "", lacking[at]);
    fprintf(out, "], \"calls\": {\n");
    for (int at = 0; at < rows; at++) {
        write_row(out, &table[at]);
        fprintf(out, "%s\n", at + 1 < rows ? "," : "");
    }
    fprintf(out, "}}\n");
    fclose(out);
}
