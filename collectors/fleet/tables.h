/* What a loaded file says of its symbols: read where the loader has mapped it. */
#ifndef ADVISOR_FLEET_TABLES_H
#define ADVISOR_FLEET_TABLES_H

#include <link.h>
#include <stddef.h>
#include <stdint.h>

struct tables {
    uintptr_t base;
    const char *strings;
    const ElfW(Sym) * symbols;
    const uint32_t *hash;
    const ElfW(Rela) * slots[2];
    size_t bytes[2];
};

void tables_read(struct tables *tables, uintptr_t base, const ElfW(Dyn) * dynamic);
/* Address of a symbol that the file defines; NULL if it does not. */
void *tables_find(const struct tables *tables, const char *name);
/* What `target` answers for the name of a symbol, unless NULL, becomes the address by which the
 * file reaches it. `locked`: addresses that the loader protects, from and to. 0: there are none. */
int tables_bind(const struct tables *tables, const uintptr_t locked[2],
                void *(*target)(const char *name));

#endif
