#define _GNU_SOURCE
#include "sheet.h"
#include "settings.h"
#include <stdio.h>
#include <string.h>

void put(struct sheet *sheet, const char *key, const char *value, const char *source)
{
    settings_append(sheet->facts, sheet->size, key, value, source);
}

void put_number(struct sheet *sheet, const char *key, unsigned long long value, const char *source)
{
    char text[32];
    snprintf(text, sizeof text, "%llu", value);
    put(sheet, key, text, source);
}

void put_truth(struct sheet *sheet, const char *key, int value, const char *source)
{
    put(sheet, key, value ? "true" : "false", source);
}

/* The first line of a file without its end, "" if it cannot be read. */
int first_line(const char *path, char *line, size_t size)
{
    FILE *file = fopen(path, "re");
    *line = 0;
    if (!file)
        return 0;
    char *read = fgets(line, (int)size, file);
    fclose(file);
    line[strcspn(line, "\n")] = 0;
    return read != NULL;
}

void put_line(struct sheet *sheet, const char *key, const char *path)
{
    char line[1024];
    if (first_line(path, line, sizeof line) && *line)
        put(sheet, key, line, path);
}
