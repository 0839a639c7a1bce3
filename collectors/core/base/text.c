#include "text.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void text_start(struct text *text, char *memory, size_t size)
{
    *text = (struct text){ .memory = memory, .size = size, .grows = !memory };
    if (memory && size)
        *memory = 0;
}

static int make_room(struct text *text, size_t more)
{
    if (text->length + more + 1 <= text->size)
        return 1;
    if (text->grows) {
        size_t size = 2 * (text->length + more + 512);
        char *memory = realloc(text->memory, size);
        if (memory) {
            text->memory = memory;
            text->size = size;
            return 1;
        }
    }
    text->failed = 1;
    return 0;
}

/* Once, where there is room: to find out how long a text will be takes as long as to write it. */
void text_add(struct text *text, const char *format, ...)
{
    const size_t room = text->size - text->length;
    va_list list;
    va_start(list, format);
    int more = vsnprintf(room ? text->memory + text->length : NULL, room, format, list);
    va_end(list);
    if (room && (more < 0 || (size_t)more >= room))
        text->memory[text->length] = 0;
    if (more < 0 || !make_room(text, (size_t)more))
        return;
    if ((size_t)more >= room) {
        va_start(list, format);
        vsnprintf(text->memory + text->length, (size_t)more + 1, format, list);
        va_end(list);
    }
    text->length += (size_t)more;
}

const char *text_separator(const struct text *text)
{
    char last = text->length ? text->memory[text->length - 1] : '[';
    return last == '[' || last == '{' || last == ',' ? "" : ",";
}

/* Bytes of the valid UTF-8 character at `at`, 0 if there is none. */
static int character_bytes(const unsigned char *at)
{
    int more = *at < 0x80                  ? 0
               : *at >= 0xC2 && *at < 0xE0 ? 1
               : *at >= 0xE0 && *at < 0xF0 ? 2
               : *at >= 0xF0 && *at < 0xF5 ? 3
                                           : -1;
    if (more == 2 && ((*at == 0xE0 && at[1] < 0xA0) || (*at == 0xED && at[1] > 0x9F)))
        return 0;
    if (more == 3 && ((*at == 0xF0 && at[1] < 0x90) || (*at == 0xF4 && at[1] > 0x8F)))
        return 0;
    for (int i = 1; i <= more; i++)
        if ((at[i] & 0xC0) != 0x80)
            return 0;
    return more + 1;
}

static void add_bytes(struct text *text, const void *bytes, size_t count)
{
    if (!make_room(text, count))
        return;
    memcpy(text->memory + text->length, bytes, count);
    text->length += count;
    text->memory[text->length] = 0;
}

/* Without formatting each character: texts are half of a small profile. */
void text_add_json(struct text *text, const char *value)
{
    add_bytes(text, "\"", 1);
    for (const unsigned char *at = (const unsigned char *)value; *at;) {
        int bytes = character_bytes(at);
        if (*at == '"' || *at == '\\')
            add_bytes(text, (char[]){ '\\', (char)*at }, 2);
        else if (*at < 0x20 || *at == 0x7f)
            text_add(text, "\\u%04x", *at);
        else
            add_bytes(text, bytes ? (const char *)at : "?", bytes ? (size_t)bytes : 1);
        at += bytes ? bytes : 1;
    }
    add_bytes(text, "\"", 1);
}

void text_end(struct text *text)
{
    if (text->grows)
        free(text->memory);
    text->memory = NULL;
}
