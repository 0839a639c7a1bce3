/* From the event files of ranks (tracing/layout.h) to an OTF2 archive. What a file holds is not
 * believed: numbers are checked before they are used, and what makes no sense is left out and
 * counted. */
#ifndef ADVISOR_WRITER_H
#define ADVISOR_WRITER_H

#include "errors.h"
#include "layout.h"
#include <otf2/otf2.h>
#include <stddef.h>

enum { NONE = UINT32_MAX };

struct group {
    uint64_t id;
    int32_t first, size, known, *members;
}; /* members: world ranks, -1: not told; first 0 or more */
struct communicator {
    uint64_t id;
    uint32_t flags, reference;
    int32_t size, first, first_far, size_far;
    char name[128];
};
struct window {
    uint64_t id;
    uint32_t communicator;
};
struct file {
    uint32_t communicator;
    uint16_t modes;
    char name[256];
};
struct module {
    uint64_t base, from, to;
    uint32_t path;
}; /* of a rank; path: among those of all */
/* Where a call is made: what the job's profile has found out. */
struct site {
    uint64_t offset;
    uint32_t path, line;
    char *function, *file;
};

/* What the numbers in a file's events stand for. place: own rank in a communicator. */
struct numbered {
    uint32_t index;
    int32_t place;
};
struct numbers {
    struct numbered *rows;
    uint32_t count;
};
struct set {
    int32_t count, *ranks;
}; /* world ranks of a group that calls name by themselves */

struct source {                        /* one file */
    const struct trace_header *header; /* NULL: there is none, or it cannot be used */
    const struct trace_event *events;
    uint64_t available, from,
        to; /* events that the file has room for; places of those that it holds */
    struct numbers operations, communicators, windows, sets, files, counters;
    struct module *modules;
    uint32_t module_count, module; /* module: the last one that was found */
    double rate, shift,
        end; /* seconds of the job: (ticks - first) * rate + shift; end: of its last call */
    uint64_t first;
    uint32_t threads;
    uint64_t *counts; /* events written, by thread */
};

struct writer {
    OTF2_Archive *archive;
    struct source *sources; /* by rank */
    int32_t ranks;
    char **operations;
    uint32_t operation_count;
    struct group *groups;
    struct communicator *communicators;
    struct window *windows;
    struct set *sets;
    struct file *files;
    char **counters, **paths;
    struct site *sites; /* in order of path and offset */
    OTF2_AttributeList *attributes;
    uint32_t group_count, communicator_count, window_count, set_count, file_count, counter_count,
        path_count, site_count;
    double zero, last,
        until; /* seconds: where the trace begins, and what of its end is wanted; 0: all */
    uint64_t begin, end; /* times written, ns */
    uint64_t calls, overwritten, torn, senseless,
        unplaced;        /* unplaced: of communicators of which not all is known */
    uint32_t own_clocks; /* hosts whose clock was never compared */
    int is_cut;
};

/* sources.c */
void sources_open(
    struct writer *writer,
    const char *folder); /* says on standard output what cannot be used, as lines `damaged …` */
/* naming.c */
void source_define(struct writer *writer, int32_t rank); /* reads its definitions */
void names_complete(struct writer *writer);              /* when all are read */
struct numbered meaning_of(const struct numbers *numbers,
                           uint32_t number); /* index NONE: not defined */
/* clocks.c */
void clocks_find(struct writer *writer);
uint64_t time_of(const struct writer *writer, const struct source *source,
                 uint64_t ticks); /* ns, from 1 */
/* records.c */
void events_write(struct writer *writer, int32_t rank);
void silence_write(struct writer *writer, int32_t rank); /* when the events of all are written */
/* What of a rank has begun and not ended: requests; and one-sided calls, of which `done` are
 * complete here. */
struct remote {
    uint64_t match, request;
    uint32_t window;
    int32_t target;
    uint8_t is_get, is_done;
};
struct opened {
    uint64_t *ids;
    size_t count, room;
    struct remote *remotes;
    size_t remote_count, remote_room;
    uint64_t matches;
};
struct place {
    OTF2_EvtWriter *to;
    uint64_t time, written;
    struct trace_event *parts;
    size_t count, room;
    int skips;
};
/* clocks.c */
uint64_t later(struct writer *writer, struct place *place,
               uint64_t time); /* to be written: times of a location never go back */
/* opened.c */
void request_opened(struct opened *opened, uint64_t id);
int request_ended(struct opened *opened,
                  uint64_t id); /* whether the start of a request was written */
void opened_free(struct opened *opened);
/* calls.c */
void call_write(struct writer *writer, struct source *source, struct place *place,
                struct opened *opened, const struct trace_event *call);
#define PUT_WITH(list, call, ...) \
    check(OTF2_EvtWriter_##call(place->to, list, later(writer, place, time), ##__VA_ARGS__))
#define PUT(call, ...) PUT_WITH(NULL, call, ##__VA_ARGS__)
/* parts.c */
int part_makes_sense(struct writer *writer, const struct source *source,
                     const struct trace_event *part);
/* remote.c: what a part of a call is in records of one-sided communication; at its begin, at its
 * end. 0: it is none. */
int remote_begun(struct writer *writer, const struct source *source, struct place *place,
                 struct opened *opened, const struct trace_event *part, uint64_t time);
int remote_ended(struct writer *writer, const struct source *source, struct place *place,
                 struct opened *opened, const struct trace_event *part, uint64_t time);
/* files.c: the same of MPI-IO. */
int file_begun(struct writer *writer, const struct source *source, struct place *place,
               struct opened *opened, const struct trace_event *part, uint64_t time);
int file_ended(struct writer *writer, const struct source *source, struct place *place,
               struct opened *opened, const struct trace_event *part, uint64_t time);
void files_define(OTF2_GlobalDefWriter *to, const struct writer *writer, uint32_t *strings);
/* sites.c */
void sites_read(struct writer *writer, const char *path);
uint32_t site_path(struct writer *writer, const char *path); /* its number */
uint32_t site_at(const struct writer *writer, struct source *source,
                 uint64_t address); /* NONE: not known */
void sites_define(OTF2_GlobalDefWriter *to, const struct writer *writer, uint32_t *strings);
void lifecycle_write(struct writer *writer, const struct source *source, struct place *place,
                     uint32_t region, uint64_t begin, uint64_t end);
/* sizes.c */
int collective_named(const char *operation); /* OTF2_CollectiveOp, or -1 */
int collective_started(
    const char *operation); /* … of a call that starts one later, perhaps among neighbours */
struct sizes {
    uint64_t sent, received;
};
struct sizes sizes_of(int collective, uint64_t bytes, uint64_t members, uint64_t place,
                      int is_root);
/* definitions.c */
enum {
    GROUP_LOCATIONS,
    GROUP_WORLD,
    GROUP_SELF,
    FIRST_SET
}; /* references; groups of communicators come behind the sets */
/* Of the begin of a neighbourhood call, and of the records of what is started: OTF2 has none of the
 * first, and sizes of the second at its end only. */
enum {
    ATTRIBUTE_COMMUNICATOR,
    ATTRIBUTE_SOURCES,
    ATTRIBUTE_BYTES,
    ATTRIBUTE_SERIES,
    ATTRIBUTE_SITE,
    ATTRIBUTE_FUNCTION,
    ATTRIBUTE_LEVEL,
    ATTRIBUTES
}; /* LEVEL: what MPI_Pcontrol is given */
enum { REGION_INIT, REGION_INIT_THREAD, REGION_FINALIZE, REGION_PROGRAM, FIRST_OPERATION };
enum { STRING_EMPTY, STRING_PROGRAM, STRING_MPI, FIRST_SITE_STRING };
void definitions_write(struct writer *writer);

static inline uint64_t location_of(int32_t rank, uint32_t thread)
{
    return (uint64_t)thread << 32 | (uint32_t)rank;
}

#endif
