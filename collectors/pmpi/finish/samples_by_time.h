/* The samples of this rank, those of locks left out, in the order in which the calls began. */
#ifndef ADVISOR_SAMPLES_BY_TIME_H
#define ADVISOR_SAMPLES_BY_TIME_H

#include "record.h"

typedef void visit(const struct sample *sample, void *with);
void samples_by_time(visit *visit, void *with);

#endif
