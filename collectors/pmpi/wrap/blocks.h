/* Mean block of the vector variants, and whether one of their blocks has gaps. Macros, because
 * counts are int in a call and MPI_Count in its _c twin. */
#ifndef ADVISOR_BLOCKS_H
#define ADVISOR_BLOCKS_H

#define MEAN_OF(counts, type, members)             \
    ({                                             \
        int64_t total = 0;                         \
        const int n = (members);                   \
        for (int i = 0; i < n; i++)                \
            total += (int64_t)(counts)[i];         \
        n ? datatype_payload(total, type) / n : 0; \
    })
#define MEAN_OF_PRODUCTS(counts, types, members)                         \
    ({                                                                   \
        int64_t total = 0;                                               \
        const int n = (members);                                         \
        for (int i = 0; i < n; i++)                                      \
            total += datatype_payload((int64_t)(counts)[i], (types)[i]); \
        n ? total / n : 0;                                               \
    })
#define HANDLING_OF(counts, type, members)                       \
    ({                                                           \
        uint64_t any = 0;                                        \
        const int n = (members);                                 \
        for (int i = 0; !any && i < n; i++)                      \
            any = datatype_handling((int64_t)(counts)[i], type); \
        any;                                                     \
    })
#define HANDLING_OF_PRODUCTS(counts, types, members)                   \
    ({                                                                 \
        uint64_t any = 0;                                              \
        const int n = (members);                                       \
        for (int i = 0; !any && i < n; i++)                            \
            any = datatype_handling((int64_t)(counts)[i], (types)[i]); \
        any;                                                           \
    })

#endif
