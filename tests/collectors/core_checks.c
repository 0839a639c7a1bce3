/* Unit checks of collectors/core that need no MPI. Prints one line a check that failed; exit code 1 if any did. */
#define _GNU_SOURCE
#include "events.h"
#include "map.h"
#include "operations.h"
#include "pile.h"
#include "secrets.h"
#include "settings.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const operation_names[] = { "(folded)", "Send" };
const char *const operation_groups[] = { "management", "p2p" };
const unsigned operation_count = 2;
const char collector_build[] = "checks";

static int failed;
#define CHECK(condition) do { if (!(condition)) { printf("line %d: %s\n", __LINE__, #condition); failed = 1; } } while (0)

static void bins(void)
{
    CHECK(bin_number(0) == 1);
    CHECK(bin_number(1) == 2);
    CHECK(bin_number(4095) == 13);
    CHECK(bin_number(4096) == 14);
    CHECK(bin_number(1ull << 40) == 42);
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
    CHECK(block->folded == 3 * EVENT_ROWS - 3 * EVENT_ROWS / 4);
    block->begin = 200;
    block->last = 100;   /* a clock that ran backwards */
    event_count(block, 1, event_key(1, 1, 3, 2), 0);
    CHECK(block->clock_faults == 1);
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
    for (uintptr_t key = 1; key <= 100000; key++) {   /* made and freed: the places are used again */
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
    CHECK(holds_secret("x:token=abc") && holds_secret("a,DB_PASSWORD = b") && holds_secret("Bearer abc") && holds_secret("tcp://me:abc@host"));
    CHECK(holds_secret("eyJhbGciOiJIUzI1NiJ9.e30.x") && holds_secret("AKIAABCDEFGHIJKLMNOP"));
    CHECK(!holds_secret("tcp,self") && !holds_secret("tcp://host:80/a@b") && !holds_secret("^token") && !holds_secret("ib0:key=1"));
    CHECK(strstr(settings, "UCX_TLS\ttcp self\tprocess\n"));
    CHECK(strstr(settings, "MV2_THERE_AT_START\t1\tenvironment\n"));
    CHECK(!strstr(settings, "secret") && !strstr(settings, "home"));
    setenv("ADVISOR_RUN", "../../x", 1);
    CHECK(!strcmp(setting_run(), "run"));
}

static void add(struct pile *pile, int rank, uint64_t bytes)
{
    struct record *one = calloc(1, sizeof *one);
    struct block *block = calloc(1, sizeof *block);
    one->rank.rank = rank;
    one->rank.seconds_per_tick = 1e-9;
    one->rank.blocks = 1;
    one->block[0] = block;
    block->last = 1000;
    event_count(block, 7, event_key(1, 1, bin_number(bytes), 0), bytes);
    pile_add_record(pile, one);
    free(block);
    free(one);
}

/* What one rank sends is what another receives; folded, equal keys of all ranks are one row. */
static void piles(void)
{
    struct pile sent = { 0 }, received = { .fold = 1 };
    size_t size;
    add(&sent, 1, 5);
    pile_tidy(&sent);
    char *bytes = pile_pack(&sent, &size);
    add(&received, 0, 6);
    CHECK(bytes && pile_unpack(&received, bytes, size));
    pile_tidy(&received);
    struct pile_row *rows = received.rows.rows;
    CHECK(received.ranks.count == 2);
    CHECK(received.rows.count == 2 && rows[0].table == PILE_CALLS && rows[1].table == PILE_SITES);
    CHECK(rows[0].rank == -1 && rows[0].count == 2 && rows[0].bytes == 11);
    bytes[0] ^= 1;   /* from another collector */
    CHECK(!pile_unpack(&received, bytes, size));
    free(bytes);
    pile_free(&sent);
    pile_free(&received);
}

int main(void)
{
    bins();
    overflow();
    peers();
    maps();
    json();
    environment();
    piles();
    return failed;
}
