#define _GNU_SOURCE
#include "fact_buffer.h"
#include "settings.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void put(struct fact_buffer *buffer, const char *key, const char *value, const char *source)
{
    settings_append(buffer->facts, buffer->size, key, value, source);
}

void put_number(struct fact_buffer *buffer, const char *key, unsigned long long value,
                const char *source)
{
    char text[32];
    snprintf(text, sizeof text, "%llu", value);
    put(buffer, key, text, source);
}

void put_truth(struct fact_buffer *buffer, const char *key, int value, const char *source)
{
    put(buffer, key, value ? "true" : "false", source);
}

static const char *below(const struct fact_buffer *buffer, const char *path, char *full,
                         size_t size)
{
    snprintf(full, size, "%s%s", buffer->root, path);
    return full;
}

/* The first line of a file without its end, "" if it cannot be read. */
int first_line(const struct fact_buffer *buffer, const char *path, char *line, size_t size)
{
    char full[2048];
    FILE *file = fopen(below(buffer, path, full, sizeof full), "re");
    *line = 0;
    if (!file)
        return 0;
    char *read = fgets(line, (int)size, file);
    fclose(file);
    line[strcspn(line, "\n")] = 0;
    return read != NULL;
}

int whole_file(const struct fact_buffer *buffer, const char *path, char *text, size_t size)
{
    char full[2048];
    FILE *file = fopen(below(buffer, path, full, sizeof full), "re");
    *text = 0;
    if (!file)
        return 0;
    text[fread(text, 1, size - 1, file)] = 0;
    fclose(file);
    return 1;
}

DIR *open_folder(const struct fact_buffer *buffer, const char *path)
{
    char full[2048];
    return opendir(below(buffer, path, full, sizeof full));
}

int is_there(const struct fact_buffer *buffer, const char *path)
{
    char full[2048];
    return !access(below(buffer, path, full, sizeof full), F_OK);
}

int may_use(const struct fact_buffer *buffer, const char *path)
{
    char full[2048];
    return !access(below(buffer, path, full, sizeof full), R_OK | W_OK);
}

void last_of_link(const struct fact_buffer *buffer, const char *path, char *name, size_t size)
{
    char full[2048], target[1024];
    ssize_t length = readlink(below(buffer, path, full, sizeof full), target, sizeof target - 1);
    target[length > 0 ? length : 0] = 0;
    const char *slash = strrchr(target, '/');
    snprintf(name, size, "%s", slash ? slash + 1 : target);
}

void put_line(struct fact_buffer *buffer, const char *key, const char *path)
{
    char line[1024];
    if (first_line(buffer, path, line, sizeof line) && *line)
        put(buffer, key, line, path);
}
