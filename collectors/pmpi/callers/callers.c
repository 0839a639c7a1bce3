#define _GNU_SOURCE
#include "callers.h"
#include "library.h"
#include "operations.h"
#include <dlfcn.h>
#include <link.h>
#include <string.h>
#include <strings.h>
#include <unwind.h>

uint64_t layer_low, layer_size;

enum { LAYERS = 8, SLOTS = 512, CHECKS = 4, HOPS = 6 };
static struct {
    uint64_t low, high;
} layers[LAYERS];
static int layer_count;

/* `size` of the frame that `address` returns to; 0: it varies, or cannot be told. `seen`: times it
 * was found the same. */
static struct {
    uint64_t address;
    int64_t size;
    uint32_t seen;
    int own;
} frames[SLOTS];

static int is_layer(const char *file)
{
    static const char *const names[] = {
        "libmpi_mpifh", "libmpi_usempi", "libmpi_f77", "libmpi_f90", "libmpifort",
        "libmpichfort", "libmpichf90",   "libfmpich",  "libmpifh",   NULL
    };
    const char *name = strrchr(file, '/');
    name = name ? name + 1 : file;
    for (const char *const *known = names; *known; known++)
        if (!strncmp(name, *known, strlen(*known)))
            return 1;
    return 0;
}

static int visit(struct dl_phdr_info *info, size_t size, void *unused)
{
    (void)size;
    (void)unused;
    for (int i = 0; i < info->dlpi_phnum && layer_count < LAYERS; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        uint64_t low = info->dlpi_addr + part->p_vaddr;
        if (part->p_type != PT_LOAD || !(part->p_flags & PF_X))
            continue;
        if (!is_layer(info->dlpi_name) &&
            !(library_holds((const void *)(uintptr_t)low) && library_holds_fortran()))
            continue;
        layers[layer_count].low = low;
        layers[layer_count++].high = low + part->p_memsz;
    }
    return 0;
}

void callers_start(void)
{
#if defined(__x86_64__)
    uint64_t low = UINT64_MAX, high = 0;
    dl_iterate_phdr(visit, NULL);
    for (int i = 0; i < layer_count; i++) {
        low = layers[i].low < low ? layers[i].low : low;
        high = layers[i].high > high ? layers[i].high : high;
    }
    layer_low = layer_count ? low : 0;
    layer_size = layer_count ? high - low : 0;
#else
    (void)visit;
#endif
}

static int in_layer(uint64_t address)
{
    for (int i = 0; i < layer_count; i++)
        if (address >= layers[i].low && address < layers[i].high)
            return 1;
    return 0;
}

/* Is the routine around `address` the Fortran twin of the operation? mpi_send_, pmpi_send__,
 * ompi_send_f, mpi_send_f08ts_. If it has no name we cannot tell, and take it for that. */
static int is_twin(uint64_t address, const char *operation)
{
    Dl_info routine;
    size_t length = strlen(operation);
    if (!dladdr((const void *)(uintptr_t)(address - 1), &routine) || !routine.dli_sname)
        return 1;
    const char *name = strcasestr(routine.dli_sname, "mpi_");
    if (!name || strncasecmp(name + 4, operation, length))
        return !name;
    name += 4 + length;
    return !*name || !strcmp(name, "_") || !strcmp(name, "__") || !strncmp(name, "_f", 2) ||
           !strncmp(name, "_c", 2);
}

struct search {
    uint64_t address, frame;
    int64_t size;
    int met;
};

/* The unwinder names a frame by the stack pointer that it had when it called. */
static _Unwind_Reason_Code step(struct _Unwind_Context *context, void *to)
{
    struct search *search = to;
    uint64_t frame = _Unwind_GetCFA(context);
    if (search->met) {
        search->size = (int64_t)(frame - search->frame);
        return _URC_NORMAL_STOP;
    }
    search->met = frame == search->frame && _Unwind_GetIP(context) == search->address;
    return _URC_NO_REASON;
}

static int64_t learn(unsigned slot, uint64_t address, const void *frame)
{
    struct search search = { address, (uint64_t)(uintptr_t)frame, 0, 0 };
    _Unwind_Backtrace(step, &search);
    int known = frames[slot].address == address;
    frames[slot].size = !known || frames[slot].size == search.size ? search.size : 0;
    frames[slot].seen = known ? frames[slot].seen + 1 : 1;
    frames[slot].address = address;
    return search.size;
}

static unsigned slot_of(uint64_t address)
{
    unsigned slot = (unsigned)(address * 0x9E3779B97F4A7C15ull >> 55);
    while (frames[slot].address && frames[slot].address != address && slot < SLOTS - 1)
        slot++;
    return slot;
}

static int64_t frame_size(uint64_t address, const void *frame)
{
    unsigned slot = slot_of(address);
    if (frames[slot].address == address && frames[slot].seen >= CHECKS)
        return frames[slot].size;
    if (frames[slot].address && frames[slot].address != address)
        return 0;
    return learn(slot, address, frame);
}

/* Cached beside the frame's size: an address calls one operation only. */
static int is_own_call(uint64_t address, const void *frame, unsigned operation)
{
    unsigned slot = slot_of(address);
    if (frames[slot].address != address || frames[slot].seen < CHECKS) {
        int own = !is_twin(address, operation_names[operation]);
        frame_size(address, frame);
        if (frames[slot].address == address)
            frames[slot].own = own;
        return own;
    }
    return frames[slot].own;
}

uint64_t caller_above_layer(const void *frame, unsigned operation)
{
    const uint64_t nearest = caller_address(frame);
    if (in_layer(nearest) && is_own_call(nearest, frame, operation))
        return 0;
    for (int hop = 0; hop < HOPS; hop++) {
        uint64_t address = caller_address(frame);
        if (!in_layer(address))
            return address;
        int64_t size = frame_size(address, frame);
        if (size <= 0)
            break;
        frame = (const char *)frame + size;
    }
    return nearest;
}
