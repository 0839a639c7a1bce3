/* Events of every call, for a trace: only in a collector that is built for that (build.sh,
 * TRACED=1). The generated wrappers name the parts of a call one by one and then end it;
 * pmpi/wrap/traced.py says when. */
#ifndef ADVISOR_TRACING_H
#define ADVISOR_TRACING_H

#if defined(ADVISOR_TRACED)
#include "communicators.h"
#include "layout.h"
#include "clock_map.h"

void trace_start(void);                                 /* when counting begins */
void trace_region(int level);                           /* MPI_Pcontrol */
void trace_level(const struct block *block, int level); /* of its call at hand */
void trace_stop(void);                                  /* counting is over */
void trace_clock(const struct clock_map *map);          /* this host's clock on that of the job */
void trace_end(void);                                   /* hands the file over */

/* Before and after that, for tracing.c. */
int trace_find_world(void); /* 0: ranks do not know who they are */
void trace_communicators_begin(struct trace_header *header);
void trace_communicators_forget(void); /* in a forked child */
void trace_describe_rank(struct trace_header *header);

/* Of the call at hand, from block->begin to block->last. */
void trace_call(const struct block *block, unsigned operation, const void *caller);
void trace_part(const struct block *block, struct trace_event part);
unsigned trace_communicator(
    struct communicator *communicator); /* its number, 0: unknown; defines it the first time */
unsigned
trace_group(MPI_Group group, int count,
            const int *ranks); /* number of these members of it, NULL: of all; 0: unknown */
unsigned trace_number_window(struct communicator *communicator); /* of a window just made on it */
void trace_define(const void *definition, size_t size);          /* as layout.h has them */
void trace_new_communicator(MPI_Comm handle);
void trace_name(MPI_Comm handle, const char *name);

/* Calls: what the wrappers say. Peers as the program gives them. */
void trace_send(const struct block *block, struct communicator *communicator, int peer, int tag,
                int64_t bytes);
void trace_receive(const struct block *block, unsigned communicator,
                   const MPI_Status *status); /* its number */
void trace_collective(const struct block *block, unsigned operation,
                      struct communicator *communicator, int64_t bytes,
                      int root); /* root INT_MIN: none */

/* Requests. */
void trace_start_send(const struct block *block, struct communicator *communicator, int peer,
                      int tag, int64_t bytes, MPI_Request request);
void trace_start_receive(const struct block *block, struct communicator *communicator, int peer,
                         MPI_Request request);
void trace_start_exchange(const struct block *block, struct communicator *communicator,
                          int receiver, int tag, int64_t bytes, int sender, int received_tag,
                          MPI_Request request);
void trace_start_matched(const struct block *block, unsigned communicator,
                         MPI_Request request); /* of a probed message */
void trace_start_collective(const struct block *block, unsigned operation,
                            struct communicator *communicator, int64_t bytes, int root,
                            MPI_Request request);
void trace_request(const struct block *block, struct trace_event start,
                   MPI_Request request); /* what a request stands for, whatever it is */
void trace_persistent(struct trace_event start,
                      MPI_Request request); /* … each time that it is started */
void trace_persistent_send(struct communicator *communicator, int peer, int tag, int64_t bytes,
                           MPI_Request request);
void trace_persistent_receive(struct communicator *communicator, int peer, MPI_Request request);
void trace_persistent_collective(unsigned operation, struct communicator *communicator,
                                 int64_t bytes, int root, MPI_Request request);
void trace_started(const struct block *block, int count, const MPI_Request *requests);
void trace_request_freed(MPI_Request request);
void trace_probed(struct communicator *communicator, MPI_Message message);
unsigned trace_message(MPI_Message message); /* number of its communicator, and forgets it */
uint64_t trace_lost_requests(void);

/* Before a call that completes requests: remembers them, and gives room for as many statuses where
 * the program wants none. */
void trace_watch(int count, const MPI_Request *requests);
MPI_Status *trace_statuses(int count, MPI_Status *wanted);
void trace_completed(const struct block *block, int index,
                     const MPI_Status *status); /* one of them; MPI_UNDEFINED: none */
void trace_completed_all(const struct block *block, int count, const MPI_Status *statuses);
void trace_completed_some(const struct block *block, int count, const int *indices,
                          const MPI_Status *statuses);

/* Windows. */
void trace_window(const struct block *block, MPI_Win window, MPI_Comm handle);
unsigned trace_window_gone(MPI_Win window); /* before it is freed: its number */
void trace_window_freed(const struct block *block, unsigned number);
void trace_meet(const struct block *block, MPI_Win window, MPI_Group group,
                int exposes); /* begins to be accessed, or to access */
void trace_met(const struct block *block, MPI_Win window, int exposed); /* and ends */
void trace_neighbours(const struct block *block, struct communicator *communicator, int64_t bytes);
void trace_start_neighbours(const struct block *block, unsigned operation,
                            struct communicator *communicator, int64_t bytes, MPI_Request request);
void trace_persistent_neighbours(unsigned operation, struct communicator *communicator,
                                 int64_t bytes, MPI_Request request);
void trace_remote(const struct block *block, unsigned kind, MPI_Win window, int target,
                  int64_t bytes, int shared);
void trace_start_remote(const struct block *block, unsigned kind, MPI_Win window, int target,
                        int64_t bytes, MPI_Request request);
void trace_all_targets(const struct block *block, unsigned kind, MPI_Win window, int here_only);

/* Files. */
void trace_file(const struct block *block, MPI_File file, MPI_Comm handle, const char *name,
                int modes);
unsigned trace_file_gone(MPI_File file); /* before it is closed: its number */
void trace_file_closed(const struct block *block, unsigned number);
void trace_moved(const struct block *block, unsigned kind, MPI_File file, int64_t bytes,
                 const MPI_Status *status, int collective);
void trace_start_moving(const struct block *block, unsigned kind, MPI_File file, int64_t bytes,
                        int collective, MPI_Request request);
void trace_split(const struct block *block, unsigned kind, MPI_File file,
                 int64_t bytes); /* …_begin */
void trace_split_over(const struct block *block, MPI_File file,
                      const MPI_Status *status); /* …_end */
uint64_t trace_bytes_in(const MPI_Status *status);
uint64_t trace_next_request(void);

void trace_modules(void); /* which files code lies in, as far as it was not said yet */
void trace_counters(const struct block *block, int count, const uint64_t *values,
                    int at_begin); /* of the call at hand, else at its end */
#else
#define trace_start()                        ((void)0)
#define trace_region(level)                  ((void)(level))
#define trace_level(block, level)            ((void)0)
#define trace_stop()                         ((void)0)
#define trace_clock(map)                     ((void)(map))
#define trace_end()                          ((void)0)
#define trace_call(block, operation, caller) ((void)0)
#endif

#endif
