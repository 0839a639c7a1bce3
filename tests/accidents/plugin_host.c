/* plugin_host FILE [deep]: opens a library that needs MPI for itself alone, and closes it when MPI
 * is over. */
#define _GNU_SOURCE
#include <dlfcn.h>

int main(int words, char **word)
{
    void *library = dlopen(word[1], RTLD_NOW | RTLD_LOCAL | (words > 2 ? RTLD_DEEPBIND : 0));
    int (*part)(void) = library ? (int (*)(void))dlsym(library, "part") : 0;
    return !part || part() || dlclose(library);
}
