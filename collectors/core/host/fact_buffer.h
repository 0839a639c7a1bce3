/* One host's facts while they are written. */
#ifndef ADVISOR_FACT_BUFFER_H
#define ADVISOR_FACT_BUFFER_H

#include <dirent.h>
#include <stddef.h>

/* `root`: where /proc, /sys and /dev lie: "" for this host, a folder for a copy of another one's.
 */
struct fact_buffer {
    char *facts;
    size_t size;
    const char *root;
};

void put(struct fact_buffer *buffer, const char *key, const char *value, const char *source);
void put_number(struct fact_buffer *buffer, const char *key, unsigned long long value,
                const char *source);
void put_truth(struct fact_buffer *buffer, const char *key, int value, const char *source);
void put_line(struct fact_buffer *buffer, const char *key,
              const char *path); /* the first line of a file, if it can be read */
int first_line(const struct fact_buffer *buffer, const char *path, char *line, size_t size);
int whole_file(const struct fact_buffer *buffer, const char *path, char *text, size_t size);
DIR *open_folder(const struct fact_buffer *buffer, const char *path);
int is_there(const struct fact_buffer *buffer, const char *path);
int may_use(const struct fact_buffer *buffer, const char *path); /* read and write */
void last_of_link(const struct fact_buffer *buffer, const char *path, char *name,
                  size_t size); /* "" if it is no link */

void networks(struct fact_buffer *buffer);
void cpu_groups(struct fact_buffer *buffer); /* CPUs of each memory domain and level-3 cache */
void gpu_domains(struct fact_buffer *buffer);
void devices(struct fact_buffer *buffer); /* accelerators, and ways to copy between processes */
void limits(struct fact_buffer *buffer);  /* of control groups and containers */

#endif
