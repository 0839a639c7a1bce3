/* Text without a C library: what of it the gate needs. */
#ifndef ADVISOR_GATE_H
#define ADVISOR_GATE_H

#include <stddef.h>
#include <stdint.h>

/* What follows `start` in `text`; NULL if it does not begin so. */
static inline const char *behind(const char *text, const char *start)
{
    for (; *start; start++, text++)
        if (*text != *start)
            return NULL;
    return text;
}

static inline int begins(const char *text, const char *start)
{
    return behind(text, start) != NULL;
}

static inline int equals(const char *text, const char *other)
{
    const char *rest = behind(text, other);
    return rest && !*rest;
}

static inline size_t length_of(const char *text)
{
    size_t length = 0;
    while (text[length])
        length++;
    return length;
}

/* `part` may fill its `size` bytes without a 0. */
static inline int holds(const char *text, const char *part, size_t size)
{
    for (; *text; text++) {
        size_t i = 0;
        while (i < size && part[i] && text[i] == part[i])
            i++;
        if (i == size || !part[i])
            return 1;
    }
    return 0;
}

/* Its end, so that more can follow. */
static inline char *add(char *to, const char *text)
{
    while (*text)
        *to++ = *text++;
    *to = 0;
    return to;
}

static inline void copy(char *to, const char *from, size_t length)
{
    for (size_t i = 0; i < length; i++)
        to[i] = from[i];
    to[length] = 0;
}

/* Empty if it does not fit. */
static inline void join(char *to, size_t size, const char *first, const char *second,
                        const char *third)
{
    *to = 0;
    if (length_of(first) + length_of(second) + length_of(third) < size)
        add(add(add(to, first), second), third);
}

static inline void add_number(char *to, uint64_t value)
{
    char digits[24];
    size_t at = sizeof digits - 1;
    digits[at] = 0;
    do
        digits[--at] = (char)('0' + value % 10);
    while (value /= 10);
    add(to, digits + at);
}

/* At most `most` digits without a leading 0, and a line end or nothing behind them. */
static inline int number(const char *text, size_t most, uint64_t *value)
{
    size_t digits = 0;
    *value = 0;
    while (text && text[digits] >= '0' && text[digits] <= '9' && digits <= most)
        *value = *value * 10 + (uint64_t)(text[digits++] - '0');
    return digits && digits <= most && (!text[digits] || text[digits] == '\n') &&
           (digits == 1 || *text != '0');
}

static inline int is_word(const char *text, size_t most)
{
    size_t length = 0;
    for (; text[length]; length++) {
        const char letter = text[length], lower = (char)(letter | 0x20);
        if (!((lower >= 'a' && lower <= 'z') || (letter >= '0' && letter <= '9') || letter == '-' ||
              letter == '_'))
            return 0;
    }
    return length && length <= most;
}

/* The fields of a line, each with its end; of a comment, or of another number of fields, the last
 * one is NULL. Where the next line begins. */
static inline char *split(char *line, char *fields[3])
{
    size_t count = 0;
    fields[0] = line;
    fields[2] = NULL;
    for (; *line && *line != '\n'; line++)
        if (*line == '\t') {
            *line = 0;
            if (++count < 3)
                fields[count] = line + 1;
        }
    if (count != 2)
        fields[2] = NULL;
    if (*line)
        *line++ = 0;
    return line;
}

/* A list as LD_PRELOAD has it, without one of its files. */
static inline void without(char *to, const char *list, const char *file, size_t size)
{
    char *const start = to, *const end = to + size - 2;
    *to = 0;
    while (*list) {
        size_t length = 0;
        while (list[length] && list[length] != ':' && list[length] != ' ')
            length++;
        const char *rest = behind(list, file);
        const int is_it = rest && rest == list + length;
        if (length && !is_it && to + length < end) {
            if (to > start)
                *to++ = ':';
            copy(to, list, length);
            to += length;
        }
        list += length + (list[length] != 0);
    }
}

#endif
