/* Compresses what stands in its input: how many bytes are the dictionary, how many there are with
 * it, how many the result may take (u4 each), and the bytes. Prints the size of the result (u4) and
 * the result. Memory is of just those sizes, for the address sanitizer. */
#include "deflate.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    uint32_t given[3];
    while (fread(given, sizeof given, 1, stdin) == 1) {
        unsigned char *text = malloc(given[1]), *out = malloc(given[2]);
        if (given[1] && fread(text, given[1], 1, stdin) != 1)
            return 1;
        const uint32_t size = (uint32_t)deflated(text, given[0], given[1], out, given[2]);
        fwrite(&size, sizeof size, 1, stdout);
        fwrite(out, 1, size, stdout);
        free(text);
        free(out);
    }
    return 0;
}
