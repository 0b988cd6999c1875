/* Lines of an array, and how what a loop reports reaches the caller from any thread. */

#ifndef LAZYARR_LINES_H
#define LAZYARR_LINES_H

#include <Python.h>

#include <fenv.h>
#include <string.h>

#include <numpy/npy_common.h>

#define MOST_OUTER 31
/* What a call returns, as bits: the faults of numpy_loops.py, and that a loop raised an exception. */
#define DIVIDE 1
#define OVER 2
#define UNDER 4
#define INVALID 8
#define RAISED 16
#define FAULTS (FE_DIVBYZERO | FE_OVERFLOW | FE_UNDERFLOW | FE_INVALID)

/* The axes of an array but the one of its lines: the last of them is cut into blocks of lines. */
typedef struct {
    npy_int64 axes; /* before the last */
    npy_int64 lines, block; /* of the last axis, and of a work item */
    npy_int64 extents[MOST_OUTER];
} Outer;

/* Return the first line of a work item on its axis; `offsets` are advanced to the axis's first line. */
static npy_int64
first_line(const Outer *outer, npy_int64 item, const npy_int64 *const *steps, npy_int64 *offsets, int count)
{
    npy_int64 blocks = (outer->lines + outer->block - 1) / outer->block;
    npy_int64 rest = item / blocks;
    for (npy_int64 axis = outer->axes - 1; axis >= 0; axis--) {
        npy_int64 place = rest % outer->extents[axis];
        rest /= outer->extents[axis];
        for (int k = 0; k < count; k++) {
            offsets[k] += place * steps[k][axis];
        }
    }
    return item % blocks * outer->block;
}

static int
faults_of(int raised)
{
    return (raised & FE_DIVBYZERO ? DIVIDE : 0) | (raised & FE_OVERFLOW ? OVER : 0)
        | (raised & FE_UNDERFLOW ? UNDER : 0) | (raised & FE_INVALID ? INVALID : 0);
}

/* Return whether this thread has an exception, which is dropped: the caller computes again. No GIL is needed to look:
   nobody else writes this field. */
static int
drop_exception(void)
{
    PyThreadState *thread = PyGILState_GetThisThreadState();
#if PY_VERSION_HEX >= 0x030C0000
    if (thread == NULL || thread->current_exception == NULL) {
        return 0;
    }
#else
    if (thread == NULL || thread->curexc_type == NULL) {
        return 0;
    }
#endif
    PyGILState_STATE state = PyGILState_Ensure();
    PyErr_Clear();
    PyGILState_Release(state);
    return 1;
}

#endif
