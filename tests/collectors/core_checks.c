/* Unit checks of collectors/core that need no MPI. Prints one line a check that failed; exit code 1
 * if any did. */
#define _GNU_SOURCE
#include "events.h"
#include "aggregating.h"
#include "local_folder.h"
#include "map.h"
#include "operations.h"
#include "merged.h"
#include "phases.h"
#include "profile.h"
#include "secrets.h"
#include "settings.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *const operation_names[] = { "(overflowed)", "Send" };
const char *const operation_groups[] = { "management", "p2p" };
const unsigned char operation_kinds[] = { KIND_OTHER, KIND_MESSAGES };
const unsigned operation_count = 2;
const char collector_build[] = "checks";

static int failed;
#define CHECK(condition)                                   \
    do {                                                   \
        if (!(condition)) {                                \
            printf("line %d: %s\n", __LINE__, #condition); \
            failed = 1;                                    \
        }                                                  \
    } while (0)

static void bins(void)
{
    CHECK(bin_number(0) == 1);
    CHECK(bin_number(1) == 2);
    CHECK(bin_number(4095) == 13);
    CHECK(bin_number(4096) == 14);
    CHECK(bin_number(1ull << 40) == 42);
}

/* What is put into a key comes out of it again, and the same key is that of a record's reader: u2,
 * u1, u1, u2, u1, u1. */
static void keys(void)
{
    const uint64_t key =
        event_key(0x1234, 0x56, 0x78, 0x9ABC) | key_of_stratum(0xDE) | key_of_handling(0xF0);
    CHECK(key == 0xF0DE9ABC78561234ull);
    CHECK(key_operation(key) == 0x1234 && key_class(key) == 0x56 && key_size_bin(key) == 0x78 &&
          key_communicator(key) == 0x9ABC && key_stratum(key) == 0xDE && key_handling(key) == 0xF0);
    CHECK(key_kind(key) == 0x78561234 && key_bin(key) == 0x77 && key_bin(0) == -1);
}

/* More kinds of calls than rows: all are counted, and those that lost their row are told. */
static void overflow(void)
{
    struct block *block = calloc(1, sizeof *block);
    uint64_t counted = 0, bytes = 0;
    block->events[0].shortest = UINT64_MAX;
    for (uint64_t site = 1; site <= 3 * EVENT_ROWS; site++) {
        block->begin = 100;
        block->last = 110;
        event_count(block, site, event_key(1, 1, 2 + site % 30, 2), site);
    }
    for (int i = 0; i < EVENT_ROWS; i++) {
        counted += block->events[i].count;
        bytes += block->events[i].bytes;
    }
    CHECK(counted == 3 * EVENT_ROWS);
    CHECK(bytes == 3ull * EVENT_ROWS * (3 * EVENT_ROWS + 1) / 2);
    CHECK(block->overflowed == 3 * EVENT_ROWS - 3 * EVENT_ROWS / 4);
    block->begin = 200;
    block->last = 100; /* a clock that ran backwards */
    event_count(block, 1, event_key(1, 1, 3, 2), 0);
    CHECK(block->clock_faults == 1);
    free(block);
}

static int located;
static void locate(uint64_t site, uint16_t *module, uint32_t *offset)
{
    located++;
    *module = 3;
    *offset = (uint32_t)site;
}

/* One kind of call, from 1 tick to 2^40: a row for those up to 2^20, one for each fourfold time
 * above, the last for all that are longer; the site is looked up once. */
static void strata(void)
{
    static const uint64_t expected[STRATA] = {
        20, 2, 2, 2, 2, 2, 11
    }; /* calls of 2^0 to 2^19, 2^20 and 2^21, ... 2^30 to 2^40 ticks */
    struct block *block = calloc(1, sizeof *block);
    uint64_t counted[STRATA] = { 0 };
    event_locate = locate;
    for (int exponent = 40; exponent >= 0; exponent--) {
        block->begin = 5;
        block->last = 5 + (1ull << exponent);
        block->slice_end = block->phases.end = UINT64_MAX;
        event_count(block, 9, event_key(1, 1, 2, 2), 8);
    }
    event_locate = NULL;
    for (int i = 0; i < EVENT_ROWS; i++)
        if (block->events[i].count) {
            CHECK(block->events[i].module == 3 && block->events[i].offset == 9 &&
                  (uint32_t)block->events[i].key == (uint32_t)event_key(1, 1, 2, 2));
            counted[key_stratum(block->events[i].key)] += block->events[i].count;
        }
    CHECK(!memcmp(counted, expected, sizeof counted));
    CHECK(located == 1 && block->overflowed == 0);
    free(block);
}

static void peers(void)
{
    struct block *block = calloc(1, sizeof *block);
    uint64_t messages = 0;
    for (int round = 0; round < 2; round++)
        for (int peer = 0; peer < 2 * PEER_ROWS; peer++)
            peer_count(block, peer, CLASS_OTHER, 8);
    for (int i = 0; i <= PEER_ROWS; i++)
        messages += block->peers[i].messages;
    CHECK(messages == 4 * PEER_ROWS);
    CHECK(block->peers[0].messages == 4 * PEER_ROWS - 2 * (PEER_ROWS * 3 / 4));
    free(block);
}

static void maps(void)
{
    static struct map map = MAP_START;
    int value[3];
    CHECK(map_find(&map, 5) == NULL);
    CHECK(map_insert(&map, 5, &value[0]) && map_find(&map, 5) == &value[0]);
    CHECK(map_insert(&map, 5, &value[1]) && map_find(&map, 5) == &value[1]);
    CHECK(map_remove(&map, 5) == &value[1] && map_find(&map, 5) == NULL);
    for (uintptr_t key = 1; key <= 100000; key++) { /* made and freed: the places are used again */
        CHECK(map_insert(&map, key * 64, &value[2]));
        CHECK(map_remove(&map, key * 64) == &value[2]);
    }
}

static void json(void)
{
    struct text text;
    text_start(&text, NULL, 0);
    text_add_json(&text, "a\"b\\c\n\xc3\xa9\xff");
    CHECK(!strcmp(text.memory, "\"a\\\"b\\\\c\\u000a\xc3\xa9?\""));
    text_end(&text);
}

static void environment(void)
{
    char settings[4096] = "";
    setenv("UCX_TLS", "tcp\tself", 1);
    setenv("FI_AUTH_KEY", "secret", 1);
    setenv("I_MPI_MY_TOKEN", "secret", 1);
    setenv("HOME_SWEET", "home", 1);
    settings_from_environment(settings, sizeof settings);
    CHECK(holds_secret("x:token=abc") && holds_secret("a,DB_PASSWORD = b") &&
          holds_secret("Bearer abc") && holds_secret("tcp://me:abc@host"));
    CHECK(holds_secret("eyJhbGciOiJIUzI1NiJ9.e30.x") && holds_secret("AKIAABCDEFGHIJKLMNOP"));
    CHECK(!holds_secret("tcp,self") && !holds_secret("tcp://host:80/a@b") &&
          !holds_secret("^token") && !holds_secret("ib0:key=1"));
    CHECK(strstr(settings, "UCX_TLS\ttcp self\tprocess\n"));
    CHECK(strstr(settings, "MV2_THERE_AT_START\t1\tenvironment\n"));
    CHECK(!strstr(settings, "secret") && !strstr(settings, "home"));
    setenv("ADVISOR_RUN", "../../x", 1);
    settings_keep();
    CHECK(!strcmp(setting_run(), "run"));
}

static void add(struct merged *merged, int rank, uint64_t bytes)
{
    struct record *one = calloc(1, sizeof *one);
    struct block *block = calloc(1, sizeof *block);
    one->rank.rank = rank;
    one->rank.seconds_per_tick = 1e-9;
    one->rank.blocks = 1;
    one->block[0] = block;
    block->last = 1000;
    event_count(block, 7, event_key(1, 1, bin_number(bytes), 0), bytes);
    merged_add_record(merged, one);
    free(block);
    free(one);
}

static void hand_on(struct merged *to, struct merged *from)
{
    size_t size;
    char *bytes = merged_pack(from, &size);
    CHECK(bytes && merged_unpack(to, bytes, size));
    bytes[0] ^= 1; /* from another collector */
    CHECK(!merged_unpack(to, bytes, size));
    free(bytes);
    for (int table = 0; table < LONG_TABLES; table++) {
        const void *rows = merged_long_rows(from, table, &size);
        void *room = merged_long_room(to, table, size);
        if (size)
            memcpy(room, rows, size);
        merged_long_join(to, table, size);
    }
}

/* What one rank sends is what another receives, in order. */
static void merging(void)
{
    struct merged sent = { 0 }, received = { 0 };
    add(&sent, 1, 5);
    merged_sort_and_combine(&sent);
    add(&received, 0, 6);
    merged_sort_and_combine(&received);
    hand_on(&received, &sent);
    struct profile_calls *calls = received.tables[TABLE_CALLS].rows;
    struct profile_ranks *ranks = received.tables[TABLE_RANKS].rows;
    CHECK(received.tables[TABLE_RANKS].count == 2 && ranks[0].rank == 0 && ranks[1].rank == 1);
    CHECK(received.tables[TABLE_CALLS].count == 2 && received.tables[TABLE_SITES].count == 2 &&
          received.tables[TABLE_MEMBERS].count == 0);
    CHECK(calls[0].rank == 0 && calls[0].bytes == 6 && calls[1].rank == 1 && calls[1].bytes == 5);
    CHECK(!strcmp(merged_text(&received, ranks[1].cpus), ""));
    merged_free(&sent);
    merged_free(&received);
}

/* Aggregated, rows of equal key of all ranks are one, and how ranks spread is known. */
static void aggregating(void)
{
    struct merged each[3] = { 0 };
    for (int rank = 0; rank < 3; rank++) {
        add(&each[rank], rank, 5); /* 1000 ns each */
        ((struct profile_calls *)each[rank].tables[TABLE_CALLS].rows)[0].time *= 1 + rank;
        merged_sort_and_combine(&each[rank]);
        merged_summarise(&each[rank]);
        if (rank < 2)
            merged_aggregate(&each[rank], 3);
    }
    hand_on(&each[0], &each[1]);
    hand_on(&each[0], &each[2]);
    struct profile_calls *calls = each[0].tables[TABLE_CALLS].rows;
    struct profile_rank_distribution *spread = each[0].tables[TABLE_RANK_DISTRIBUTION].rows;
    CHECK(calls[0].rank == -1 && calls[0].count == 2 && calls[0].bytes == 10);
    CHECK(calls[1].rank == 2 && calls[1].count == 1);
    double most = 0;
    uint64_t ranks = 0;
    int owner = 0;
    for (size_t i = 0; i < each[0].tables[TABLE_RANK_DISTRIBUTION].count; i++)
        if (spread[i].bin == -2) {
            ranks += spread[i].ranks;
            owner = spread[i].max > most ? spread[i].max_rank : owner;
            most = spread[i].max > most ? spread[i].max : most;
        }
    CHECK(ranks == 3 && owner == 2 && most > 2.9e-6 && most < 3.1e-6);
    for (int i = 0; i < 3; i++)
        merged_free(&each[i]);
}

/* Deviations of ranks that keep the same instances are added, also when the rows come in parts. */
static void aggregated_waits(void)
{
    struct profile_waits one = { .rank = -1, .duration = 2, .time = 2, .wait = 1, .wait_wait = 4 },
                         other = one;
    other.wait_wait = 9;
    tables[TABLE_WAITS].rows.combine(&one, &other);
    CHECK(one.wait == 2 && one.duration == 4 && one.wait_wait > 24.99 && one.wait_wait < 25.01);
}

/* The largest of each measure, whatever the order in which they meet. */
static void extremes(void)
{
    struct extremes all = { 0 };
    for (int rank = 0; rank < 100; rank++) {
        struct merged merged = { 0 };
        struct extremes one;
        add(&merged, rank, 5);
        struct profile_ranks *own = merged.tables[TABLE_RANKS].rows;
        own->mpi_time = (rank * 37) % 100 + 1;
        extremes_start(&one, &merged);
        if (rank)
            extremes_merge(&all, &one);
        else
            all = one;
        merged_free(&merged);
    }
    for (int i = 0; i < EXTREMES; i++)
        CHECK(all.rows[MEASURE_MPI][i].value == 100 - i && all.rows[MEASURE_ANY][i].rank >= 0 &&
              all.rows[MEASURE_SENT][i].rank == -1);
    CHECK(extremes_have(&all, 0) && extremes_have(&all, (int)all.rows[MEASURE_MPI][7].rank));
}

/* What stands right already stays; equal keys become one, also across what is moved together. */
static int compare_numbers(const void *a, const void *b)
{
    return (*(const int *)a > *(const int *)b) - (*(const int *)a < *(const int *)b);
}
static void joins(void)
{
    static const struct row_kind kind = { sizeof(int), compare_numbers, NULL };
    struct row_buffer buffer = { 0 };
    unsigned random = 1;
    for (int round = 0; round < 2000; round++) {
        int in[64] = { 0 };
        size_t first = 0;
        buffer.count = 0;
        for (int part = 0; part < 2; part++, first = part == 1 ? buffer.count : first)
            for (int value = 1; value < 64; value++)
                if (((random = random * 1103515245 + 12345) >> 16) % 20 < (unsigned)round % 20)
                    in[value] = *(int *)row_buffer_grow(&buffer, sizeof(int), 1) = value;
        size_t at = 0;
        CHECK(row_buffer_merge(&buffer, first, &kind));
        for (int value = 1; value < 64; value++)
            if (in[value])
                CHECK(at < buffer.count && ((int *)buffer.rows)[at++] == value);
        CHECK(at == buffer.count);
    }
    free(buffer.rows);
}

/* Ticks are milliseconds; slices of 7 to begin with (1000 / 128). */
static void call(struct block *block, uint64_t begin, uint64_t end, uint64_t bytes)
{
    block->begin = begin;
    block->last = end;
    event_count(block, 1, event_key(1, 1, bin_number(bytes), 0), bytes);
}

static void slices(void)
{
    struct block *block = calloc(1, sizeof *block);
    const struct slice *slice = block->phases.slices;
    phases_start(block, 1000, 1e-3);
    call(block, 1001, 1003, 8);   /* slice 0: 2 */
    call(block, 1004, 1016, 100); /* slices 0, 1, 2: 3, 7, 2; ends in 2 */
    call(block, 1017, 1018, 0);   /* slice 2: 1 */
    phases_end(block, 1040);      /* in slice 5 */
    CHECK(slice[0].sums.ticks[KIND_MESSAGES] == 5 && slice[1].sums.ticks[KIND_MESSAGES] == 7 &&
          slice[2].sums.ticks[KIND_MESSAGES] == 3);
    CHECK(slice[0].sums.calls == 1 && slice[0].sums.bytes == 8 && slice[1].sums.calls == 0 &&
          slice[2].sums.calls == 2 && slice[2].sums.bytes == 100);
    CHECK(slice[0].used && slice[1].used && slice[2].used && !slice[3].used && slice[5].used);
    call(block, 1041, 2000, 0); /* after the end: no slice */
    CHECK(slice[5].sums.ticks[KIND_MESSAGES] == 0);
    free(block);
}

/* A run of any length keeps what it did: nothing is lost when slices become wider. */
static void long_run(void)
{
    struct block *block = calloc(1, sizeof *block);
    uint64_t ticks = 0, calls = 0, used = 0;
    phases_start(block, 0, 1e-3);
    for (uint64_t i = 0; i < 100000; i++)
        call(block, 10 * i, 10 * i + 4, 1);
    phases_end(block, 1000000);
    for (int i = 0; i < SLICE_ROWS; i++) {
        ticks += block->phases.slices[i].sums.ticks[KIND_MESSAGES];
        calls += block->phases.slices[i].sums.calls;
        used += block->phases.slices[i].used;
        CHECK(block->phases.slices[i].index == (uint32_t)i &&
              block->phases.slices[i].width == 2048. / SLICES_A_SECOND);
    }
    CHECK(ticks == 400000 && calls == 100000 &&
          used == 70); /* 1000000 / (7 * 2048), and the one it ended in */
    CHECK(block->phases.slices[10].sums.ticks[KIND_MESSAGES] > 5700 &&
          block->phases.slices[10].sums.ticks[KIND_MESSAGES] < 5770);
    free(block);
}

static void regions(void)
{
    struct block *block = calloc(1, sizeof *block);
    const struct region *region = block->phases.regions;
    phases_start(block, 0, 1e-3);
    call(block, 1, 2, 1);
    phases_region(block, 7, 10);
    call(block, 11, 14, 1);
    phases_region(block, 0, 20);
    call(block, 21, 22, 1);
    phases_region(block, 7, 30);
    call(block, 31, 35, 1);
    phases_end(block, 40);
    CHECK(!region[0].used && region[1].level == 7 && region[1].entries == 2 &&
          region[1].ticks == 20 && region[1].sums.ticks[KIND_MESSAGES] == 7);
    CHECK(region[2].level == 0 && region[2].entries == 1 && region[2].ticks == 10 &&
          region[2].sums.calls == 1 && !region[3].used);
    free(block);
}

/* Levels in their thousands share one row. */
static void many_regions(void)
{
    struct block *block = calloc(1, sizeof *block);
    uint64_t ticks = 0;
    phases_start(block, 0, 1e-3);
    for (int level = 0; level < 5000; level++)
        phases_region(block, level, (uint64_t)level);
    phases_end(block, 5000);
    for (int i = 0; i < REGION_ROWS; i++)
        ticks += block->phases.regions[i].ticks;
    CHECK(ticks == 5000 && block->phases.regions[REGION_ROWS - 1].level == REGION_FOLDED &&
          block->phases.regions[REGION_ROWS - 1].ticks == 5000 - 14);
    free(block);
}

/* Three hundred ranks of different lengths become 64 groups with slices of one width. */
static void phase_merging(void)
{
    struct merged merged = { 0 };
    double time = 0;
    uint64_t ranks = 0;
    int64_t last = -1;
    for (int rank = 0; rank < 300; rank++) {
        struct record *one = calloc(1, sizeof *one);
        struct block *block = calloc(1, sizeof *block);
        one->rank = (struct rank_record){
            .rank = rank, .ranks = 300, .seconds_per_tick = 1e-3, .blocks = 1
        };
        one->block[0] = block;
        phases_start(block, 0, 1e-3);
        call(block, 10, 20, 1);
        call(block, 100, 110 + (rank == 7 ? 5000 : 0), 1);
        phases_end(block, block->last);
        struct merged own = { 0 };
        merged_add_record(&own, one);
        merged_sort_and_combine(&own);
        hand_on(&merged, &own);
        merged_free(&own);
        free(block);
        free(one);
    }
    const struct profile_phases *rows = merged.tables[TABLE_PHASES].rows;
    for (size_t i = 0; i < merged.tables[TABLE_PHASES].count; i++) {
        CHECK(rows[i].width == rows[0].width);
        CHECK(!i || rows[i].rank > rows[i - 1].rank ||
              (rows[i].rank == rows[i - 1].rank && rows[i].slice > rows[i - 1].slice));
        time += rows[i].messages;
        ranks += rows[i].rank == last ? 0 : rows[i].ranks;
        last = rows[i].rank;
    }
    CHECK(ranks == 300 && time > 10.999 && time < 11.001);
    merged_free(&merged);
}

static int opens(const char *folder)
{
    char path[500];
    snprintf(path, sizeof path, "%s/advisor-run-1.record", folder);
    int file = local_open(path, O_RDWR | O_EXCL);
    if (file >= 0)
        close(file);
    return file >= 0;
}

/* A folder of our own in one that is open to all; where its name is taken, the folder of all. */
static void local_folders(void)
{
    char shared[] = "/tmp/advisor-core-XXXXXX", own[100], elsewhere[100], file[200];
    struct stat facts;
    CHECK(mkdtemp(shared) != NULL);
    setenv("TMPDIR", shared, 1);
    settings_keep();
    snprintf(own, sizeof own, "%s/advisor-%u", shared, (unsigned)geteuid());
    snprintf(elsewhere, sizeof elsewhere, "%s/elsewhere", shared);
    snprintf(file, sizeof file, "%s/advisor-run-1.record", own);
    umask(0);
    CHECK(!strcmp(local_folder(1), own) && access(own, F_OK));
    CHECK(opens(own) && !stat(own, &facts) && (facts.st_mode & 07777) == 0700);
    CHECK(!stat(file, &facts) && (facts.st_mode & 07777) == 0600);
    local_remove(file);
    CHECK(access(own, F_OK) && !access(shared, F_OK));
    CHECK(!mkdir(own, 0777) && !strcmp(local_folder(1), shared) && !opens(own));
    CHECK(!rmdir(own) && !mkdir(elsewhere, 0700) && !symlink(elsewhere, own));
    CHECK(!strcmp(local_folder(1), shared) && !opens(own));
    snprintf(file, sizeof file, "%s/advisor-run-1.record", shared);
    CHECK(opens(shared) && !opens(shared));
    local_remove(file);
    CHECK(!unlink(own) && !rmdir(elsewhere) && !rmdir(shared));
    CHECK(!local_folder(3));
}

int main(void)
{
    local_folders();
    slices();
    long_run();
    regions();
    many_regions();
    phase_merging();
    bins();
    keys();
    overflow();
    strata();
    peers();
    maps();
    json();
    environment();
    merging();
    aggregating();
    aggregated_waits();
    extremes();
    joins();
    return failed;
}
