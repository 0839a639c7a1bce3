#define _GNU_SOURCE
#include "backtrace.h"
#include "callers.h"
#include "events.h"
#include "settings.h"
#include "sites.h"
#include <link.h>
#include <string.h>
#include <time.h>
#include <unwind.h>

enum { SLOTS = 1024, OWN_FRAMES = 16, PYTHON_FRAMES = 8 };
/* Where nobody asked for stacks, a rank gives up those of Python code after so many seconds: where
 * other threads are busy in Python, their lock is waited for. */
static const double PYTHON_SECONDS = 0.02;

int stacks_depth;
static int of_python_alone;
static double python_seconds;
static struct {
    uint64_t key;
    uint32_t row;
} slots[SLOTS]; /* where a stack of this process stands in the record */
static uint32_t used_rows = 1;
static unsigned busy;
static uint64_t own_low, own_high;

struct taken {
    unsigned operation;
    double weight, seconds, length, spread;
};
struct walk {
    struct frame frames[STACK_DEPTH];
    int count, skipped, most;
};

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * 0x9E3779B97F4A7C15ull;
    return hash ^ hash >> 29;
}

static uint64_t mix_text(uint64_t hash, const char *text)
{
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * 0x100000001b3ull;
    return mix(hash, 1);
}

static int find_own(struct dl_phdr_info *info, size_t size, void *unused)
{
    const uint64_t here = (uint64_t)(uintptr_t)&find_own;
    (void)size;
    (void)unused;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const uint64_t low = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr,
                       high = low + info->dlpi_phdr[i].p_memsz;
        if (info->dlpi_phdr[i].p_type != PT_LOAD || here < low || here >= high)
            continue;
        own_low = low;
        own_high = high;
        return 1;
    }
    return 0;
}

void stacks_start(void)
{
    stacks_depth = setting_stacks();
    if (stacks_depth > STACK_DEPTH)
        stacks_depth = STACK_DEPTH;
    of_python_alone = !stacks_depth && setting_stacks_of_python() && python_is_here();
    if (of_python_alone)
        stacks_depth = PYTHON_FRAMES;
    if (stacks_depth)
        dl_iterate_phdr(find_own, NULL);
}

/* Our own frames, and those of the library's Fortran layer, are nobody's way to the call. */
static _Unwind_Reason_Code visit(struct _Unwind_Context *context, void *to)
{
    struct walk *walk = to;
    const uint64_t address = (uint64_t)_Unwind_GetIP(context);
    if (!address)
        return _URC_END_OF_STACK;
    if (!walk->count &&
        ((address >= own_low && address < own_high) || address - layer_low < layer_size))
        return ++walk->skipped < OWN_FRAMES ? _URC_NO_REASON : _URC_END_OF_STACK;
    walk->frames[walk->count++] = (struct frame){ address, 0, NULL, NULL };
    return walk->count < walk->most ? _URC_NO_REASON : _URC_END_OF_STACK;
}

static void fill(struct stack_row *row, const struct frame *frame)
{
    if (!frame->file) {
        event_locate(frame->address, &row->module, &row->offset);
        return;
    }
    row->module = sites_row(frame->file);
    row->function = sites_row(frame->function);
    row->offset = frame->line;
}

/* Rows for a stack that is new, and its name: a hash of texts and offsets, which other ranks have
 * as well. 0: no room. */
static uint32_t start(unsigned operation, const struct frame *frames, int count)
{
    struct stack_row *rows = &record->stacks[used_rows];
    uint64_t name = mix(0, operation);
    if (used_rows + (uint32_t)count > STACK_ROWS)
        return 0;
    for (int i = 0; i < count; i++) {
        fill(&rows[i], &frames[i]);
        name = mix(mix_text(mix_text(name, record->modules[rows[i].module].path),
                            record->modules[rows[i].function].path),
                   rows[i].offset);
    }
    for (int i = 0; i < count; i++) {
        rows[i].stack = name;
        rows[i].level = (uint32_t)i;
        rows[i].operation = (uint16_t)operation;
        rows[i].used = 1;
    }
    used_rows += (uint32_t)count;
    return used_rows - (uint32_t)count;
}

static uint32_t row_of(unsigned operation, const struct frame *frames, int count)
{
    uint64_t key = mix(operation, (uint64_t)count);
    for (int i = 0; i < count; i++)
        key = mix(mix(key, frames[i].address), frames[i].line);
    unsigned slot = (unsigned)(key >> 54) % SLOTS;
    for (int tries = 0; tries < SLOTS; tries++, slot = (slot + 1) % SLOTS) {
        if (slots[slot].key == key)
            return slots[slot].row;
        if (slots[slot].key)
            continue;
        slots[slot].row = start(operation, frames, count);
        slots[slot].key = slots[slot].row ? key : 0;
        return slots[slot].row;
    }
    return 0;
}

static void add(void *to, const struct frame *frames, int count)
{
    const struct taken *taken = to;
    if (__atomic_exchange_n(&busy, 1, __ATOMIC_ACQUIRE))
        return;
    struct stack_row *row = &record->stacks[row_of(taken->operation, frames, count)];
    row->count += taken->weight;
    row->time += taken->seconds;
    row->count_count += (float)taken->spread;
    row->time_time += (float)(taken->spread * taken->length * taken->length);
    row->used = 1;
    __atomic_store_n(&busy, 0, __ATOMIC_RELEASE);
}

static int is_mpi4py(uint64_t address)
{
    static uint64_t last, answer;
    uint16_t module = 0;
    uint32_t offset = 0;
    if (address != last) {
        event_locate(address, &module, &offset);
        answer = strstr(record->modules[module].path, "mpi4py") != NULL;
        last = address;
    }
    return (int)answer;
}

static int take_of_python(struct taken *taken)
{
    if (!of_python_alone)
        return python_frames(stacks_depth, add, taken);
    struct timespec before, after;
    clock_gettime(CLOCK_MONOTONIC, &before);
    const int count = python_frames(stacks_depth, add, taken);
    clock_gettime(CLOCK_MONOTONIC, &after);
    python_seconds +=
        (double)(after.tv_sec - before.tv_sec) + (double)(after.tv_nsec - before.tv_nsec) / 1e9;
    if (python_seconds > PYTHON_SECONDS)
        stacks_depth = 0;
    return count;
}

void stacks_take(unsigned operation, const struct reservoir *reservoir, const struct sample *sample)
{
    const double weight = 1 / sample_probability(reservoir, sample),
                 length = (double)(sample->exit - sample->enter) * record->rank.seconds_per_tick;
    struct taken taken = { operation, weight, weight * length, length, weight * (weight - 1) };
    struct walk walk = { .count = 0, .most = of_python_alone ? 1 : stacks_depth };
    _Unwind_Backtrace(visit, &walk);
    if (!walk.count || (is_mpi4py(walk.frames[0].address) && take_of_python(&taken)))
        return;
    if (!of_python_alone)
        add(&taken, walk.frames, walk.count);
}
