/* Sorts of lines by NumPy's functions. */

#ifndef LAZYARR_LINE_SORTS_H
#define LAZYARR_LINE_SORTS_H

#include "lines.h"

#include <numpy/ndarraytypes.h>

#define FAILED (1 << 15) /* in what a kernel returns: see calling_convention.py */

typedef struct {
    PyArray_SortFunc *sort; /* NULL: positions are sorted */
    PyArray_ArgSortFunc *argsort;
    PyArrayObject *array; /* whose dtype it is; nothing else is read */
    const char *in;
    char *out;
    npy_int64 points, itemsize, line; /* of a line, and bytes from one to the next of the operand */
} Sort;

/* Sort lines `begin` up to `end` into rows of the result, one behind another. */
static npy_int32
sort_lines(npy_int64 begin, npy_int64 end, const void *block)
{
    const Sort *job = block;
    npy_int32 result = 0;
    fexcept_t before;
    fegetexceptflag(&before, FAULTS);
    for (npy_int64 line = begin; line < end && !result; line++) {
        char *from = (char *)job->in + line * job->line;
        int status;
        if (job->sort != NULL) {
            char *row = job->out + line * job->points * job->itemsize;
            memcpy(row, from, job->points * job->itemsize);
            status = job->sort(row, job->points, job->array);
        }
        else {
            npy_intp *places = (npy_intp *)job->out + line * job->points;
            for (npy_intp k = 0; k < job->points; k++) {
                places[k] = k;
            }
            status = job->argsort(from, places, job->points, job->array);
        }
        result = drop_exception() || status < 0 ? FAILED : 0;
    }
    fesetexceptflag(&before, FAULTS);
    return result;
}

#endif
