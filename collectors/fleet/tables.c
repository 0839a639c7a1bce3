#define _GNU_SOURCE
#include "tables.h"
#include "gate.h"
#include <elf.h>
#include <sys/auxv.h>
#include <sys/mman.h>

#pragma weak getauxval
#pragma weak mprotect

/* How a file's table of addresses is described: "of a symbol", and "of a function, bound late". */
#if defined(__x86_64__)
enum { OF_SYMBOL = R_X86_64_GLOB_DAT, OF_FUNCTION = R_X86_64_JUMP_SLOT };
#elif defined(__aarch64__)
enum { OF_SYMBOL = R_AARCH64_GLOB_DAT, OF_FUNCTION = R_AARCH64_JUMP_SLOT };
#elif defined(__powerpc64__) && _CALL_ELF == 2
enum { OF_SYMBOL = R_PPC64_GLOB_DAT, OF_FUNCTION = R_PPC64_JMP_SLOT };
#else
enum { OF_SYMBOL = 0, OF_FUNCTION = 0 }; /* no table is touched */
#endif

/* The loader writes addresses into the section, but not into one that cannot be written to. */
static const void *at(const struct tables *tables, uintptr_t place)
{
    return (const void *)(place < tables->base ? tables->base + place : place);
}

void tables_read(struct tables *tables, uintptr_t base, const ElfW(Dyn) * dynamic)
{
    *tables = (struct tables){ .base = base };
    for (; dynamic->d_tag != DT_NULL; dynamic++) {
        const uintptr_t value = dynamic->d_un.d_val;
        if (dynamic->d_tag == DT_STRTAB)
            tables->strings = at(tables, value);
        else if (dynamic->d_tag == DT_SYMTAB)
            tables->symbols = at(tables, value);
        else if (dynamic->d_tag == DT_GNU_HASH)
            tables->hash = at(tables, value);
        else if (dynamic->d_tag == DT_JMPREL)
            tables->slots[0] = at(tables, value);
        else if (dynamic->d_tag == DT_PLTRELSZ)
            tables->bytes[0] = value;
        else if (dynamic->d_tag == DT_RELA)
            tables->slots[1] = at(tables, value);
        else if (dynamic->d_tag == DT_RELASZ)
            tables->bytes[1] = value;
    }
}

void *tables_find(const struct tables *tables, const char *name)
{
    uint32_t wanted = 5381;
    if (!tables->hash || !tables->symbols || !tables->strings)
        return NULL;
    for (const char *letter = name; *letter; letter++)
        wanted = wanted * 33 + (unsigned char)*letter;
    const uint32_t buckets = tables->hash[0], first = tables->hash[1];
    const uint32_t *bucket = tables->hash + 4 + tables->hash[2] * (sizeof(ElfW(Addr)) / 4);
    const uint32_t *chain = bucket + buckets;
    uint32_t i = buckets ? bucket[wanted % buckets] : 0;
    if (!i || i < first)
        return NULL;
    for (;; i++) {
        const ElfW(Sym) *symbol = &tables->symbols[i];
        if ((chain[i - first] | 1) == (wanted | 1) && symbol->st_shndx != SHN_UNDEF &&
            equals(tables->strings + symbol->st_name, name))
            return (void *)(tables->base + symbol->st_value);
        if (chain[i - first] & 1)
            return NULL;
    }
}

static int protect(const uintptr_t locked[2], int how)
{
    return locked[0] >= locked[1] ||
           !mprotect((void *)locked[0], locked[1] - locked[0], PROT_READ | how);
}

int tables_bind(const struct tables *tables, const uintptr_t locked[2],
                void *(*target)(const char *name))
{
    int bound = 0;
    for (int part = 0; part < 2 && tables->symbols && tables->strings; part++)
        for (size_t i = 0; i < tables->bytes[part] / sizeof(ElfW(Rela)); i++) {
            const ElfW(Rela) *one = &tables->slots[part][i];
            const unsigned kind = (unsigned)ELF64_R_TYPE(one->r_info);
            if (!kind || (kind != OF_SYMBOL && kind != OF_FUNCTION))
                continue;
            const ElfW(Sym) *symbol = &tables->symbols[ELF64_R_SYM(one->r_info)];
            void *address = target(tables->strings + symbol->st_name);
            void **slot = (void **)(tables->base + one->r_offset);
            if (!address || *slot == address)
                continue;
            if (!bound++ && !protect(locked, PROT_WRITE))
                return 0;
            __atomic_store_n(slot, address, __ATOMIC_RELEASE);
        }
    if (bound)
        protect(locked, 0);
    return bound;
}
