/* What names and sizes the record has, before there is one. */
#include "record.h"

const char *const class_names[CLASS_COUNT] = { "none",       "self",   "intra_node", "one_per_node",
                                               "multi_node", "inter",  "other",      "any",
                                               "unknown",    "nothing" };
const char *const window_kind_names[WINDOW_KINDS] = { "create", "allocate", "shared", "dynamic" };

static size_t round_up(size_t size)
{
    return (size + 4095) & ~(size_t)4095;
}
size_t record_size(void)
{
    return RECORD_HEADER_SIZE + round_up(sizeof(struct record));
}
size_t block_stride(void)
{
    return round_up(sizeof(struct block));
}
