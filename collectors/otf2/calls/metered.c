/* What counters counted inside MPI and outside.
 *
 * A reading belongs to the time since the one before. Where that time was on one side of MPI, so is
 * what was counted: of readings at every enter and leave, as Score-P makes them, all. Where it was
 * on both, nobody knows: the readings between two such times are a window, which stands for all
 * since the window before, as in our own collector (core/counting/counters.c). Only the thread that
 * stands for its rank is looked at. */
#include "stream.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double MOST_COUNTED = 0x1p62;

/* Where the rank was since then. Values stand in front of the enter or leave that they belong to,
 * or behind it. */
static enum side side_since(const struct stream *stream, uint64_t since)
{
    const int began_now = stream->enter == stream->time, ended_now = stream->ended == stream->time;
    if (!stream->mpi_depth)
        return stream->ended <= since                ? SIDE_OUTSIDE
               : ended_now && stream->enter <= since ? SIDE_INSIDE
                                                     : SIDE_BOTH;
    if (stream->enter <= since)
        return stream->call->kind == KIND_LIFECYCLE ? SIDE_NEITHER : SIDE_INSIDE;
    return began_now && stream->ended <= since ? SIDE_OUTSIDE : SIDE_BOTH;
}

static void close_window(struct metered *metered)
{
    const uint64_t end = metered->time;
    if (end <= metered->begin)
        return;
    const double stands_for = (double)(end - metered->until) / (double)(end - metered->begin);
    for (unsigned i = 0; i < SIDES; i++) {
        struct metered_side *side = &metered->sides[i];
        const double count = side->window_count * stands_for, time = side->window_time * stands_for;
        side->count += count;
        side->time += time;
        side->squares += count * count;
        side->products += count * time;
        side->time_squares += time * time;
        side->window_count = side->window_time = 0;
    }
    metered->until = end;
}

/* NaN: of a value that is none. */
static double number_of(OTF2_Type type, OTF2_MetricValue value)
{
    return type == OTF2_TYPE_UINT64   ? (double)value.unsigned_int
           : type == OTF2_TYPE_INT64  ? (double)value.signed_int
           : type == OTF2_TYPE_DOUBLE ? value.floating_point
                                      : NAN;
}

/* Whole numbers are subtracted as such: they may be larger than their differences are exact. */
static double counted_since(const struct metered *metered, OTF2_MetricValue now)
{
    return metered->type == OTF2_TYPE_UINT64
               ? now.unsigned_int >= metered->last.unsigned_int
                     ? (double)(now.unsigned_int - metered->last.unsigned_int)
                     : NAN
           : metered->type == OTF2_TYPE_INT64
               ? (double)now.signed_int - (double)metered->last.signed_int
               : now.floating_point - metered->last.floating_point;
}

static void add(struct metered *metered, enum side side, double count, uint64_t time)
{
    metered->total += side == SIDE_NEITHER ? 0 : count;
    if (side < SIDES) {
        metered->sides[side].window_count += count;
        metered->sides[side].window_time += (double)(time - metered->time);
        return;
    }
    close_window(metered);
    metered->begin = time;
    metered->until = side == SIDE_NEITHER ? time : metered->until;
}

static void take_value(const struct stream *stream, const struct metric *metric,
                       struct metered *metered, OTF2_Type type, OTF2_MetricValue value)
{
    const int follows = metered->is_read && metered->type == type && stream->time >= metered->time;
    const double count = metric->factor * (!follows                ? 0
                                           : metric->is_difference ? number_of(type, value)
                                                                   : counted_since(metered, value));
    if (metered->fault || !(count >= 0 && metered->total + count <= MOST_COUNTED) ||
        !isfinite(number_of(type, value)) || (metered->is_read && !follows)) {
        metered->fault = FAULT_BACKWARDS;
        return;
    }
    if (follows)
        add(metered, side_since(stream, metered->time), count, stream->time);
    else
        metered->begin = metered->until = stream->time;
    metered->time = stream->time;
    metered->last = value;
    metered->type = type;
    metered->is_read = 1;
}

static COLD void make_room(struct stream *stream)
{
    const size_t count = stream->definitions->metric_count;
    stream->rank->metered = xrealloc(NULL, count, sizeof *stream->rank->metered);
    memset(stream->rank->metered, 0, count * sizeof *stream->rank->metered);
}

static OTF2_CallbackCode has_values(EVENT, OTF2_MetricRef number, uint8_t count,
                                    const OTF2_Type *types, const OTF2_MetricValue *values)
{
    BEGIN;
    const struct definitions *definitions = stream->definitions;
    if (number >= definitions->reading_count || !definitions->readings[number].is_defined)
        die("it holds values of a metric that is not defined");
    const struct readings *readings = &definitions->readings[number];
    if (readings->count != count)
        die("it holds another number of values of a metric than it defines");
    if (!stream->trail || !readings->places ||
        (stream->rank->finalize_begin && time > stream->rank->finalize_begin))
        return OTF2_CALLBACK_SUCCESS;
    if (!stream->rank->metered)
        make_room(stream);
    for (unsigned i = 0; i < count; i++)
        if (readings->places[i])
            take_value(stream, &definitions->metrics[readings->places[i] - 1],
                       &stream->rank->metered[readings->places[i] - 1], types[i], values[i]);
    return OTF2_CALLBACK_SUCCESS;
}

/* Ours count from here. */
void metered_begin(struct stream *stream, uint64_t time)
{
    const int is_ours = stream->definitions->is_ours;
    if (!stream->trail || !stream->definitions->metric_count ||
        (!stream->rank->metered && !is_ours))
        return;
    if (!stream->rank->metered)
        make_room(stream);
    for (size_t i = 0; i < stream->definitions->metric_count; i++) {
        struct metered *metered = &stream->rank->metered[i];
        *metered = (struct metered){ .time = time,
                                     .begin = time,
                                     .until = time,
                                     .last = metered->last,
                                     .type = metered->type,
                                     .fault = metered->fault,
                                     .is_read = metered->is_read && metered->time == time };
        if (is_ours) {
            metered->type = OTF2_TYPE_UINT64;
            metered->is_read = 1;
        }
    }
}

void metered_end(struct stream *stream)
{
    for (size_t i = 0; stream->rank->metered && i < stream->definitions->metric_count; i++)
        close_window(&stream->rank->metered[i]);
}

void metric_callbacks(OTF2_EvtReaderCallbacks *calls)
{
    OTF2_EvtReaderCallbacks_SetMetricCallback(calls, has_values);
}

uint8_t *metered_faults(const struct definitions *definitions, const struct rank *ranks)
{
    uint8_t *faults = xrealloc(NULL, definitions->metric_count, sizeof *faults);
    memset(faults, FAULT_ABSENT, definitions->metric_count);
    for (uint32_t rank = 0; rank < definitions->ranks; rank++)
        for (size_t i = 0; ranks[rank].metered && i < definitions->metric_count; i++) {
            const struct metered *metered = &ranks[rank].metered[i];
            const int is_told =
                metered->sides[SIDE_INSIDE].time + metered->sides[SIDE_OUTSIDE].time > 0;
            const uint8_t fault = metered->fault                 ? metered->fault
                                  : metered->is_read && !is_told ? FAULT_SELDOM
                                                                 : FAULT_NONE;
            if (metered->is_read || fault)
                faults[i] = faults[i] == FAULT_ABSENT || fault ? fault : faults[i];
        }
    return faults;
}
