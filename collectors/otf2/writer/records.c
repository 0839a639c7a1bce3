/* From the ring of a rank to the locations of its threads. */
#include "writer.h"
#include <stdlib.h>
#include <string.h>

enum { MOST_THREADS = 512 }; /* as collectors/core/record/record.h has blocks */

static void part_add(struct place *place, const struct trace_event *part)
{
    if (place->count == place->room) {
        place->room = 2 * place->room + 16;
        place->parts = xrealloc(place->parts, place->room, sizeof *part);
    }
    place->parts[place->count++] = *part;
}

static struct place *place_for(struct writer *writer, struct source *source, int32_t rank,
                               struct place *places, uint32_t thread, int skips)
{
    while (source->threads <= thread) {
        struct place *next = &places[source->threads];
        *next = (struct place){ .to = OTF2_Archive_GetEvtWriter(writer->archive,
                                                                location_of(rank, source->threads)),
                                .skips = skips };
        if (!next->to)
            die("the archive cannot be written");
        source->threads++;
    }
    return &places[thread];
}

static int is_in_range(const struct writer *writer, const struct source *source,
                       const struct trace_event *call)
{
    return writer->last <= 0 ||
           (double)(int64_t)(call->end - source->first) * source->rate + source->shift >=
               writer->until - writer->last;
}

/* A thread of which the ring has lost the beginning may begin inside of a call: `skips`. */
static void take(struct writer *writer, struct source *source, struct place *place,
                 struct opened *opened, const struct trace_event *event)
{
    if (event->kind != EVENT_CALL) {
        part_add(place, event);
        return;
    }
    if (!place->skips && is_in_range(writer, source, event)) {
        call_write(writer, source, place, opened, event);
        writer->calls++;
    }
    place->count = 0;
    place->skips = 0;
}

static void read_ring(struct writer *writer, struct source *source, int32_t rank,
                      struct place *places)
{
    const uint64_t mask = source->header->capacity - 1,
                   bits = (uint64_t)__builtin_ctzll(source->header->capacity);
    struct opened opened = { 0 };
    for (uint64_t i = source->from; i < source->to; i++) {
        const uint64_t at = i & mask;
        if (at >= source->available || source->events[at].lap != 1 + (i >> bits) % TRACE_LAPS ||
            source->events[at].thread >= MOST_THREADS) {
            writer->torn += at >= source->available ? source->to - i : 1;
            if (at >= source->available && !source->from)
                break;
            continue;
        }
        take(writer, source,
             place_for(writer, source, rank, places, source->events[at].thread, source->from != 0),
             &opened, &source->events[at]);
    }
    opened_free(&opened);
}

/* MPI_Init and MPI_Finalize frame the events of a run that was kept whole: of a part of it they
 * would say that nothing was called else. */
static void frame(struct writer *writer, struct source *source, struct place *place, int ends)
{
    const struct trace_header *header = source->header;
    const uint64_t begin = time_of(writer, source,
                                   ends                 ? header->finalize_begin
                                   : header->init_begin ? header->init_begin
                                                        : header->init_end);
    const uint64_t end =
        time_of(writer, source,
                ends ? header->finalize_end ? header->finalize_end : header->finalize_begin
                     : header->init_end);
    if (writer->is_cut || (ends && !header->finalize_begin))
        return;
    if (!ends) {
        check(OTF2_EvtWriter_ProgramBegin(place->to, NULL, begin, STRING_PROGRAM, 0, NULL));
        place->written++;
    }
    if (header->init_begin) /* not in a program of sessions only */
        lifecycle_write(writer, source, place,
                        ends                    ? REGION_FINALIZE
                        : header->threads_asked ? REGION_INIT_THREAD
                                                : REGION_INIT,
                        begin, end);
    if (ends) {
        check(OTF2_EvtWriter_ProgramEnd(place->to, NULL, place->time, OTF2_UNDEFINED_INT64));
        place->written++;
    }
}

void events_write(struct writer *writer, int32_t rank)
{
    struct source *source = &writer->sources[rank];
    struct place *places = xrealloc(NULL, MOST_THREADS, sizeof *places);
    if (source->header) {
        struct place *first = place_for(writer, source, rank, places, 0, source->from != 0);
        frame(writer, source, first, 0);
        read_ring(writer, source, rank, places);
        frame(writer, source, first, 1);
    }
    source->counts = xrealloc(NULL, source->threads, sizeof *source->counts);
    for (uint32_t thread = 0; thread < source->threads; thread++) {
        source->counts[thread] = places[thread].written;
        if (places[thread].written) /* else silence_write goes on with it */
            check(OTF2_Archive_CloseEvtWriter(writer->archive, places[thread].to));
        free(places[thread].parts);
    }
    free(places);
}

/* Readers expect a file of events for each location: where there are none it says that nothing was
 * measured. */
void silence_write(struct writer *writer, int32_t rank)
{
    struct source *source = &writer->sources[rank];
    if (!source->threads) {
        source->threads = 1;
        source->counts =
            memset(xrealloc(source->counts, 1, sizeof *source->counts), 0, sizeof *source->counts);
    }
    for (uint32_t thread = 0; thread < source->threads; thread++) {
        if (source->counts[thread])
            continue;
        OTF2_EvtWriter *to = OTF2_Archive_GetEvtWriter(writer->archive, location_of(rank, thread));
        check(to ? OTF2_EvtWriter_MeasurementOnOff(to, NULL, writer->begin, OTF2_MEASUREMENT_OFF)
                 : OTF2_ERROR_INVALID_ARGUMENT);
        check(OTF2_Archive_CloseEvtWriter(writer->archive, to));
        source->counts[thread] = 1;
    }
}
