/* Calls of NumPy's loops for matrices, of routines of LAPACK, and copies between them, without Python. */

#ifndef LAZYARR_LOOP_CALLS_H
#define LAZYARR_LOOP_CALLS_H

#include "line_transforms.h"

#define MOST_OPERANDS 8
#define MOST_EXTENTS 8
#define MOST_STEPS 32
#define MOST_COPIED_AXES 6
#define MOST_ROUTINE_ARGUMENTS 12
/* Instead of a step from one matrix to the next: the argument points to its own word, or to the outcome. */
enum { OWN_WORD = -1, OUTCOME = -2 };

/* Clear the flags of floating-point exceptions, which takes longer than to see that there are none. */
static int
cleared_faults(void)
{
    int before = fetestexcept(FAULTS);
    if (before) {
        feclearexcept(FAULTS);
    }
    return before;
}

/* Return the faults since flags were cleared, and set the flags as they were before. */
static npy_int32
faults_since(int before)
{
    int raised = fetestexcept(FAULTS);
    if (raised & ~before) {
        feclearexcept(raised & ~before);
    }
    if (before & ~raised) {
        feraiseexcept(before & ~raised);
    }
    return faults_of(raised);
}

/* The block of a call: the loop and its data, the faults that the function ignores, how many operands, extents and
   steps there are, and these. */
static npy_int32
call_loop(npy_int64 Py_UNUSED(begin), npy_int64 Py_UNUSED(end), const void *block)
{
    const npy_int64 *words = block;
    char *operands[MOST_OPERANDS];
    npy_intp extents[MOST_EXTENTS], steps[MOST_STEPS];
    const npy_int64 *next = words + 6;
    for (npy_int64 k = 0; k < words[3]; k++) {
        operands[k] = (char *)(npy_uintp)*next++;
    }
    for (npy_int64 k = 0; k < words[4]; k++) {
        extents[k] = *next++;
    }
    for (npy_int64 k = 0; k < words[5]; k++) {
        steps[k] = *next++;
    }
    int before = cleared_faults();
    ((PyUFuncGenericFunction)(npy_uintp)words[0])(operands, extents, steps, (void *)(npy_uintp)words[1]);
    npy_int32 faults = faults_since(before) & ~(npy_int32)words[2];
    return drop_exception() ? faults | RAISED : faults;
}

typedef void (*Routine)(npy_uintp, npy_uintp, npy_uintp, npy_uintp, npy_uintp, npy_uintp, npy_uintp, npy_uintp,
                        npy_uintp, npy_uintp, npy_uintp, npy_uintp);

/* The block of a routine: its address, the number of matrices, and of each argument its value for the first matrix
   and the step to that for the next. */
static npy_int32
call_routine(npy_int64 Py_UNUSED(begin), npy_int64 Py_UNUSED(end), const void *block)
{
    const npy_int64 *words = block;
    Routine routine = (Routine)(npy_uintp)words[0];
    npy_int64 outcome = 0;
    for (npy_int64 item = 0; item < words[1]; item++) {
        npy_uintp values[MOST_ROUTINE_ARGUMENTS];
        for (int k = 0; k < MOST_ROUTINE_ARGUMENTS; k++) {
            const npy_int64 *argument = words + 2 + 2 * k;
            values[k] = argument[1] == OWN_WORD  ? (npy_uintp)argument
                        : argument[1] == OUTCOME ? (npy_uintp)&outcome
                                                 : (npy_uintp)(argument[0] + item * argument[1]);
        }
        routine(values[0], values[1], values[2], values[3], values[4], values[5], values[6], values[7], values[8],
                values[9], values[10], values[11]);
        if (outcome) {
            return RAISED; /* a matrix is singular: NumPy raises the error */
        }
    }
    return 0;
}

/* How elements are copied: with their bytes, or between single and double precision. */
enum { SAME = 0, TO_DOUBLE = 1, TO_SINGLE = 2 };

static void
copy_row(npy_int64 conversion, npy_int64 itemsize, const char *from, npy_int64 from_step, char *to, npy_int64 to_step,
         npy_int64 count)
{
    switch (conversion) {
    case TO_DOUBLE: CONVERT(float, double, *target = *source;) break;
    case TO_SINGLE: CONVERT(double, float, *target = (float)*source;) break;
    default: copy_elements(from, from_step, to, to_step, count, itemsize);
    }
}

/* The block of a copy: source, target, conversion, bytes of an element, the number of axes, and of each axis its
   extent and both steps. */
static npy_int32
copy_array(npy_int64 Py_UNUSED(begin), npy_int64 Py_UNUSED(end), const void *block)
{
    const npy_int64 *words = block;
    const char *from = (const char *)(npy_uintp)words[0];
    char *to = (char *)(npy_uintp)words[1];
    npy_int64 axes = words[4], index[MOST_COPIED_AXES] = {0};
    const npy_int64 *axis = words + 5, *last = axis + 3 * (axes - 1);
    int before = words[2] == TO_SINGLE ? cleared_faults() : 0;
    for (;;) {
        copy_row(words[2], words[3], from, last[1], to, last[2], last[0]);
        npy_int64 k = axes - 2;
        for (; k >= 0; k--) {
            from += axis[3 * k + 1];
            to += axis[3 * k + 2];
            if (++index[k] < axis[3 * k]) {
                break;
            }
            from -= axis[3 * k] * axis[3 * k + 1];
            to -= axis[3 * k] * axis[3 * k + 2];
            index[k] = 0;
        }
        if (k < 0) {
            break;
        }
    }
    return words[2] == TO_SINGLE ? faults_since(before) : 0;
}

#define ADD_ALL(type)                                                                                \
    {                                                                                               \
        type *sums = (type *)(npy_uintp)words[0];                                                   \
        memset(sums, 0, size * sizeof(type));                                                       \
        for (npy_int64 k = 0; k < words[3]; k++) {                                                  \
            npy_int64 place = *(const npy_int64 *)(places + k * words[6]);                          \
            if (place < 0 || place >= size) {                                                       \
                return RAISED; /* NumPy raises the error */                                         \
            }                                                                                       \
            sums[place] += *(const type *)(values + k * words[7]);                                  \
        }                                                                                           \
    }

/* The block of sums at positions: the sums, positions, values, how many values and sums there are, whether they are
   in double precision, and steps of positions and values. Each value is added in its order, as NumPy does. */
static npy_int32
add_at(npy_int64 Py_UNUSED(begin), npy_int64 Py_UNUSED(end), const void *block)
{
    const npy_int64 *words = block;
    const char *places = (const char *)(npy_uintp)words[1], *values = (const char *)(npy_uintp)words[2];
    npy_int64 size = words[4];
    int before = cleared_faults();
    if (words[5]) {
        ADD_ALL(double)
    }
    else {
        ADD_ALL(float)
    }
    return faults_since(before);
}

#endif
