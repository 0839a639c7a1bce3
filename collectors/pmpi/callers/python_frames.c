/* Python code behind a call that mpi4py made. By Python's public functions, found in the process:
 * without Python nothing is found.
 *
 * Frames may be read by who holds the interpreter's lock only, and mpi4py gives it up around each
 * call. Taking it here is what mpi4py does itself a moment later: the call is over, mpi4py holds no
 * other lock, and so nobody can wait for us who would not wait for mpi4py. Of other callers that is
 * not known (a library might hold a lock of its own around the call, which a thread that has the
 * interpreter's lock waits for), so theirs are not read; nor of threads that Python does not know,
 * nor while it shuts down. */
#define _GNU_SOURCE
#include "backtrace.h"
#include <dlfcn.h>

static struct {
    void *(*this_thread)(void);
    int (*take)(void);
    void (*give)(int);
    void *(*frame)(void), *(*code)(void *), *(*back)(void *), *(*attribute)(void *, const char *);
    const char *(*text)(void *);
    int (*line)(void *), (*initialized)(void), (*ending)(void);
    void (*release)(void *), (*clear_error)(void);
} python;

static int find_python(void)
{
    static int found;
    if (found)
        return found > 0;
#define FIND(member, name) (python.member = (__typeof__(python.member))dlsym(RTLD_DEFAULT, name))
    found = FIND(this_thread, "PyGILState_GetThisThreadState") && FIND(take, "PyGILState_Ensure") &&
                    FIND(give, "PyGILState_Release") && FIND(frame, "PyEval_GetFrame") &&
                    FIND(code, "PyFrame_GetCode") && FIND(back, "PyFrame_GetBack") &&
                    FIND(line, "PyFrame_GetLineNumber") &&
                    FIND(attribute, "PyObject_GetAttrString") && FIND(text, "PyUnicode_AsUTF8") &&
                    FIND(release, "Py_DecRef") && FIND(clear_error, "PyErr_Clear") &&
                    FIND(initialized, "Py_IsInitialized")
                ? 1
                : -1;
    if (!FIND(ending, "Py_IsFinalizing")) /* its name before 3.13 */
        FIND(ending, "_Py_IsFinalizing");
#undef FIND
    return found > 0;
}

/* `held` keeps the text alive. */
static const char *text_of(void *code, const char *name, void **held)
{
    *held = python.attribute(code, name);
    const char *text = *held ? python.text(*held) : NULL;
    if (!text)
        python.clear_error();
    return text ? text : "?";
}

static int walk(int most, void (*add)(void *, const struct frame *, int), void *to)
{
    struct frame frames[STACK_DEPTH];
    void *held[STACK_DEPTH][4] = { { 0 } }; /* frame, code, file, function */
    int count = 0;
    for (void *frame = python.frame(); frame && count < most;
         count++) { /* the first is borrowed, the others are not */
        void **keep = held[count];
        keep[0] = count ? frame : NULL;
        keep[1] = python.code(frame);
        frames[count] = (struct frame){ (uint64_t)(uintptr_t)keep[1], (uint32_t)python.line(frame),
                                        text_of(keep[1], "co_filename", &keep[2]),
                                        text_of(keep[1], "co_name", &keep[3]) };
        frame = python.back(frame);
        if (frame && count + 1 == most)
            python.release(frame);
    }
    if (count)
        add(to, frames, count);
    for (int i = 0; i < count; i++)
        for (int k = 0; k < 4; k++)
            if (held[i][k])
                python.release(held[i][k]);
    return count;
}

int python_is_here(void)
{
    return find_python();
}

int python_frames(int most, void (*add)(void *, const struct frame *, int), void *to)
{
    if (!find_python() || !python.initialized() || (python.ending && python.ending()) ||
        !python.this_thread())
        return 0;
    const int before = python.take();
    const int count = walk(most < STACK_DEPTH ? most : STACK_DEPTH, add, to);
    python.give(before);
    return count;
}
