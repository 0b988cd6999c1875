/* Fourier transforms of lines by NumPy's loop, which may be one for wider elements. */

#ifndef LAZYARR_LINE_TRANSFORMS_H
#define LAZYARR_LINE_TRANSFORMS_H

#include "lines.h"

#include <stdlib.h>

#include <numpy/ufuncobject.h>

/* How the elements of an operand are those of the loop: numpy_loops.py has the same numbers. */
enum { AS_IS = 0, FLOAT_DOUBLE = 1, FLOATS_DOUBLES = 2, DOUBLE_COMPLEX = 3, FLOAT_COMPLEX = 4, FLOAT_FLOATS = 5 };

/* An operand: where it begins, steps in bytes along the axis of blocks, along lines, and along other axes. */
typedef struct {
    char *data;
    npy_int64 conversion, itemsize; /* of the loop's elements */
    npy_int64 points, line, step;
    npy_int64 is_tiled; /* whether the loop sees copies */
    npy_int64 steps[MOST_OUTER];
} Side;

typedef struct {
    char *scratch; /* of this thread */
    npy_int64 scratch_of_out; /* bytes from there to the results */
    PyUFuncGenericFunction loop;
    void *data;
    double factor; /* of the loop's precision */
    Outer outer;
    Side in, out;
} Transform;

#define CONVERT(from_type, to_type, statement)                                                      \
    {                                                                                               \
        for (npy_int64 i = 0; i < count; i++, from += from_step, to += to_step) {                   \
            const from_type *source = (const from_type *)from;                                      \
            to_type *target = (to_type *)to;                                                        \
            statement                                                                               \
        }                                                                                           \
    }

/* The same with steps that a compiler knows, so that it uses vectors. */
#define CONVERT_RUN(from_type, from_width, to_type, to_width, statement)                            \
    if (from_step == from_width * sizeof(from_type) && to_step == to_width * sizeof(to_type)) {     \
        from_type const *restrict source = (const from_type *)from;                                 \
        to_type *restrict target = (to_type *)to;                                                   \
        for (npy_int64 i = 0; i < count; i++, source += from_width, target += to_width) {           \
            statement                                                                               \
        }                                                                                           \
    }                                                                                               \
    else                                                                                            \
        CONVERT(from_type, to_type, statement)

static void
copy_elements(const char *from, npy_int64 from_step, char *to, npy_int64 to_step, npy_int64 count, npy_int64 itemsize)
{
    if (from_step == itemsize && to_step == itemsize) {
        memcpy(to, from, count * itemsize);
        return;
    }
    switch (itemsize) {
    case 4: CONVERT(npy_uint32, npy_uint32, *target = *source;) break;
    case 8: CONVERT(npy_uint64, npy_uint64, *target = *source;) break;
    default: CONVERT(npy_uint64, npy_uint64, target[0] = source[0]; target[1] = source[1];)
    }
}

/* Convert elements of an array to those of the loop. */
static void
widen(const Side *side, const char *from, npy_int64 from_step, char *to, npy_int64 to_step, npy_int64 count)
{
    switch (side->conversion) {
    case AS_IS: copy_elements(from, from_step, to, to_step, count, side->itemsize); break;
    case FLOAT_DOUBLE: CONVERT_RUN(float, 1, double, 1, *target = *source;) break;
    case FLOATS_DOUBLES:
        CONVERT_RUN(float, 2, double, 2, target[0] = source[0]; target[1] = source[1];)
        break;
    case DOUBLE_COMPLEX: CONVERT_RUN(double, 1, double, 2, target[0] = *source; target[1] = 0;) break;
    case FLOAT_COMPLEX: CONVERT_RUN(float, 1, double, 2, target[0] = *source; target[1] = 0;) break;
    default: CONVERT_RUN(float, 1, float, 2, target[0] = *source; target[1] = 0;)
    }
}

/* Convert elements of the loop to those of an array. */
static void
narrow(const Side *side, const char *from, npy_int64 from_step, char *to, npy_int64 to_step, npy_int64 count)
{
    switch (side->conversion) {
    case AS_IS: copy_elements(from, from_step, to, to_step, count, side->itemsize); break;
    case FLOAT_DOUBLE: CONVERT_RUN(double, 1, float, 1, *target = (float)*source;) break;
    default:
        CONVERT_RUN(double, 2, float, 2, target[0] = (float)source[0]; target[1] = (float)source[1];)
    }
}

/* Copy lines between an array and a tile, along the shorter of the array's steps. Return the tile's steps: from line
   to line, and along a line. */
static void
copy_tile(const Side *side, char *array, char *tile, npy_int64 lines, int is_in, npy_intp *line, npy_intp *step)
{
    npy_int64 size = side->itemsize, along = side->step, across = side->line;
    npy_int64 is_along = lines == 1 || llabs(along) <= llabs(across);
    npy_int64 runs = is_along ? lines : side->points, count = is_along ? side->points : lines;
    npy_int64 run_step = is_along ? across : along, item_step = is_along ? along : across;
    *line = is_along ? count * size : size;
    *step = is_along ? size : count * size;
    for (npy_int64 run = 0; run < runs && array != NULL; run++) {
        char *there = array + run * run_step, *here = tile + run * count * size;
        if (is_in) {
            widen(side, there, item_step, here, size, count);
        }
        else {
            narrow(side, here, size, there, item_step, count);
        }
    }
}

/* Transform the lines of work items `begin` up to `end`. */
static npy_int32
transform_lines(npy_int64 begin, npy_int64 end, const void *block)
{
    const Transform *job = block;
    const npy_int64 *steps[2] = {job->in.steps, job->out.steps};
    npy_int32 result = 0;
    fexcept_t before;
    fegetexceptflag(&before, FAULTS);
    feclearexcept(FAULTS);
    for (npy_int64 item = begin; item < end; item++) {
        npy_int64 offsets[2] = {0, 0};
        npy_int64 first = first_line(&job->outer, item, steps, offsets, 2);
        npy_int64 lines = job->outer.lines - first;
        lines = lines < job->outer.block ? lines : job->outer.block;
        char *in = job->in.data + offsets[0] + first * job->in.line;
        char *out = job->out.data + offsets[1] + first * job->out.line;
        char *operands[3] = {in, (char *)&job->factor, out};
        npy_intp extents[3] = {lines, job->in.points, job->out.points};
        npy_intp moves[5] = {job->in.line, 0, job->out.line, job->in.step, job->out.step};
        if (job->in.is_tiled) {
            operands[0] = job->scratch;
            copy_tile(&job->in, in, operands[0], lines, 1, &moves[0], &moves[3]);
        }
        if (job->out.is_tiled) {
            operands[2] = job->scratch + job->scratch_of_out;
            copy_tile(&job->out, NULL, operands[2], lines, 0, &moves[2], &moves[4]);
        }
        job->loop(operands, extents, moves, job->data);
        if (drop_exception()) {
            result |= RAISED;
            break;
        }
        if (job->out.is_tiled) {
            copy_tile(&job->out, out, operands[2], lines, 0, &moves[2], &moves[4]);
        }
    }
    result |= faults_of(fetestexcept(FAULTS));
    fesetexceptflag(&before, FAULTS);
    return result;
}

#endif
