/* Finds the metrics of an archive that are counters of ours. metered.c reads their values. */
#include "reading.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_METRICS = 128 };

static void leave_out(struct definitions *to, uint32_t name, const char *why)
{
    for (size_t i = 0; i < to->left_out_count; i++)
        if (to->left_out[i].name == name)
            return;
    if (to->left_out_count == MOST_METRICS)
        return;
    to->left_out = xrealloc(to->left_out, to->left_out_count + 1, sizeof *to->left_out);
    to->left_out[to->left_out_count++] = (struct left_out){ name, why };
}

static const char *fault_of(const struct metric_member *member, double factor)
{
    const unsigned value = member->mode & OTF2_METRIC_VALUE_MASK,
                   timing = member->mode & OTF2_METRIC_TIMING_MASK;
    if (value != OTF2_METRIC_VALUE_ACCUMULATED && value != OTF2_METRIC_VALUE_RELATIVE)
        return "the trace has it as a level, of which there is no count";
    if (value == OTF2_METRIC_VALUE_RELATIVE && timing != OTF2_METRIC_TIMING_LAST &&
        timing != OTF2_METRIC_TIMING_POINT)
        return "the trace does not count it from one reading to the next";
    return factor > 0 && factor <= 1e30 ? NULL : "the trace gives it a unit that cannot be";
}

/* Its place among those of the same name and unit; a new one if there is none; 0: they differ in
 * that, or there are too many. */
static uint32_t place_named(struct definitions *to, const struct metric *metric)
{
    for (size_t i = 0; i < to->metric_count; i++)
        if (!strcmp(string_of(to, to->metrics[i].name), string_of(to, metric->name)))
            return to->metrics[i].factor == metric->factor &&
                           to->metrics[i].is_difference == metric->is_difference
                       ? (uint32_t)i + 1
                       : 0;
    if (to->metric_count == MOST_METRICS)
        return 0;
    to->metrics = xrealloc(to->metrics, to->metric_count + 1, sizeof *to->metrics);
    to->metrics[to->metric_count] = *metric;
    return (uint32_t)++to->metric_count;
}

/* Its place among ours, + 1; 0: it is left out. */
static uint32_t place_of_metric(struct reading *reading, uint32_t number)
{
    if (number >= reading->member_count || !reading->members[number].is_defined)
        die("it defines a metric of parts that are not there");
    const struct metric_member *member = &reading->members[number];
    const double factor = pow(member->base == OTF2_BASE_BINARY ? 2 : 10, (double)member->exponent);
    const int is_difference = (member->mode & OTF2_METRIC_VALUE_MASK) == OTF2_METRIC_VALUE_RELATIVE;
    const char *fault = fault_of(member, factor);
    const uint32_t place =
        fault ? 0
              : place_named(reading->to,
                            &(struct metric){ member->name, (uint8_t)is_difference, factor });
    if (!place)
        leave_out(reading->to, member->name,
                  fault ? fault
                        : "the trace has it in several units, or more counters than are read");
    return place;
}

/* What is counted for others than the thread that reads it, perhaps later, is on no side of its
 * calls. */
static void leave_class_out(struct reading *reading, const struct metric_class *class)
{
    for (unsigned i = 0; i < class->count; i++)
        if (class->members[i] < reading->member_count &&
            reading->members[class->members[i]].is_defined)
            leave_out(reading->to, reading->members[class->members[i]].name,
                      "the trace counts it for another place than the thread that reads it");
}

/* Which has the members; NULL: it is not there. */
static const struct metric_class *class_of_metric(const struct reading *reading,
                                                  const struct metric_class *self)
{
    const struct metric_class *class = !self->instance_of ? self
                                       : self->instance_of <= reading->class_count
                                           ? &reading->classes[self->instance_of - 1]
                                           : NULL;
    return class && self->is_defined && class->is_defined && !class->instance_of ? class : NULL;
}

void metrics_resolve(struct reading *reading)
{
    struct definitions *to = reading->to;
    to->readings = xrealloc(NULL, reading->class_count, sizeof *to->readings);
    to->reading_count = reading->class_count;
    for (size_t i = 0; i < reading->class_count; i++) {
        const struct metric_class *self = &reading->classes[i],
                                  *class = class_of_metric(reading, self);
        to->readings[i] =
            (struct readings){ .is_defined = class != NULL, .count = class ? class->count : 0 };
        if (!class || (class == self && class->is_abstract))
            continue;
        if (self->is_elsewhere) {
            leave_class_out(reading, class);
            continue;
        }
        to->readings[i].places = xrealloc(NULL, class->count, sizeof *to->readings[i].places);
        for (unsigned k = 0; k < class->count; k++)
            to->readings[i].places[k] = place_of_metric(reading, class->members[k]);
    }
}
