/* The mapped file of this rank's events. Knows nothing of MPI. */
#ifndef ADVISOR_TRACE_FILE_H
#define ADVISOR_TRACE_FILE_H

#include "layout.h"
#include <stddef.h>

/* What ADVISOR_TRACE asks for. Times in seconds after MPI_Init. */
struct wish {
    uint64_t size;
    double from, to, last;
    int has_region, region, keep_first;
};

int wish_read(const char *text, struct wish *wish); /* 0: not understood, nothing is kept */
struct trace_header *trace_file_open(const struct wish *wish); /* NULL: there is no room for it */
void trace_file_close(struct trace_header *header,
                      int rank); /* into the result folder, as rank-N.events; may be called twice */
void trace_file_forget(void);    /* in a forked child */
struct trace_event *trace_file_events(struct trace_header *header);
void trace_file_define(struct trace_header *header, const void *definition, size_t size);

#endif
