/* Writes an OTF2 archive from the event files that the ranks of a job left.
 *
 * Usage: otf2-write FOLDER ARCHIVE_FOLDER CREATOR [SITES]
 * SITES: a file of what is known of call sites (sites.c).
 * Standard output: `damaged FILE: why` for each file that cannot be used, then one line of words
 * and numbers; or one sentence and exit code 1. */
#define _GNU_SOURCE
#include "writer.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EVENT_CHUNK = 1 << 20, DEFINITION_CHUNK = 4 << 20 };

static OTF2_ErrorCode silence(void *data, const char *file, uint64_t line, const char *function,
                              OTF2_ErrorCode code, const char *format, va_list list)
{
    (void)data, (void)file, (void)line, (void)function, (void)format, (void)list;
    return code;
}

static OTF2_FlushType flush(void *data, OTF2_FileType type, OTF2_LocationRef location, void *caller,
                            bool final)
{
    (void)data, (void)type, (void)location, (void)caller, (void) final;
    return OTF2_FLUSH;
}

static void open_archive(struct writer *writer, const char *folder, const char *creator)
{
    /* No record of flushing: they would say that the program had waited for it. */
    static OTF2_FlushCallbacks callbacks = { .otf2_pre_flush = flush, .otf2_post_flush = NULL };
    writer->archive =
        OTF2_Archive_Open(folder, "traces", OTF2_FILEMODE_WRITE, EVENT_CHUNK, DEFINITION_CHUNK,
                          OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    if (!writer->archive)
        die("%s cannot be written", folder);
    check(OTF2_Archive_SetFlushCallbacks(writer->archive, &callbacks, NULL));
    check(OTF2_Archive_SetSerialCollectiveCallbacks(writer->archive));
    check(OTF2_Archive_SetCreator(writer->archive, creator));
    check(OTF2_Archive_SetMachineName(writer->archive, "machine"));
    check(OTF2_Archive_SetDescription(writer->archive,
                                      writer->is_cut ? "A part of the run" : "The run as a whole"));
}

/* Files without a record: readers expect one for each location. */
static void write_local_definitions(struct writer *writer)
{
    check(OTF2_Archive_OpenDefFiles(writer->archive));
    for (int32_t rank = 0; rank < writer->ranks; rank++)
        for (uint32_t thread = 0; thread < writer->sources[rank].threads || !thread; thread++) {
            OTF2_DefWriter *own =
                OTF2_Archive_GetDefWriter(writer->archive, location_of(rank, thread));
            if (!own)
                die("the archive cannot be written");
            check(OTF2_Archive_CloseDefWriter(writer->archive, own));
        }
    check(OTF2_Archive_CloseDefFiles(writer->archive));
}

static void report(const struct writer *writer)
{
    uint64_t records = 0, missing = 0, unfinished = 0, definitions = 0, requests = 0;
    for (int32_t rank = 0; rank < writer->ranks; rank++) {
        const struct source *source = &writer->sources[rank];
        missing += !source->header;
        unfinished += source->header && !source->header->finalize_begin;
        definitions += source->header ? source->header->lost_definitions : 0;
        requests += source->header ? source->header->lost_requests : 0;
        for (uint32_t thread = 0; thread < source->threads; thread++)
            records += source->counts[thread];
    }
#define SAY(name, value) printf(#name " %llu ", (unsigned long long)(value))
    SAY(ranks, writer->ranks), SAY(calls, writer->calls), SAY(records, records),
        SAY(missing, missing), SAY(unfinished, unfinished);
    SAY(overwritten, writer->overwritten), SAY(torn, writer->torn),
        SAY(senseless, writer->senseless), SAY(unplaced, writer->unplaced);
    SAY(definitions, definitions), SAY(requests, requests), SAY(clocks, writer->own_clocks);
    printf("seconds %.9f\n", (double)(writer->end - writer->begin) * 1e-9);
}

int main(int count, char **words)
{
    struct writer writer = { 0 };
    if (count != 4 && count != 5)
        return fprintf(stderr, "usage: otf2-write FOLDER ARCHIVE_FOLDER CREATOR [SITES]\n"), 2;
    OTF2_Error_RegisterCallback(silence, NULL);
    writer.attributes = OTF2_AttributeList_New();
    sites_read(&writer, count == 5 ? words[4] : "");
    sources_open(&writer, words[1]);
    for (int32_t rank = 0; rank < writer.ranks; rank++)
        source_define(&writer, rank);
    names_complete(&writer);
    clocks_find(&writer);
    open_archive(&writer, words[2], words[3]);
    check(OTF2_Archive_OpenEvtFiles(writer.archive));
    for (int32_t rank = 0; rank < writer.ranks; rank++)
        events_write(&writer, rank);
    for (int32_t rank = 0; rank < writer.ranks; rank++)
        silence_write(&writer, rank);
    check(OTF2_Archive_CloseEvtFiles(writer.archive));
    write_local_definitions(&writer);
    definitions_write(&writer);
    check(OTF2_Archive_Close(writer.archive));
    report(&writer);
    return 0;
}
