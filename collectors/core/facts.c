#define _GNU_SOURCE
#include "facts.h"
void facts_of_node(char *facts, size_t size) { (void)facts; (void)size; }
