/* Payload of the vector variants. Macros, because counts are int in a call and MPI_Count in its _c twin. */
#ifndef ADVISOR_SUMS_H
#define ADVISOR_SUMS_H

#define SUM_OF(counts, members) \
    ({ int64_t total = 0; for (int i = 0, n = (members); i < n; i++) total += (int64_t)(counts)[i]; total; })
#define SUM_OF_PRODUCTS(counts, types, members) \
    ({ int64_t total = 0; for (int i = 0, n = (members); i < n; i++) total += datatype_payload((int64_t)(counts)[i], (types)[i]); total; })

#endif
