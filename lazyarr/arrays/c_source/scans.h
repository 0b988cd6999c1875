/* Cumulative sums and extrema of vectors: NumPy takes longer to begin one than to compute it. */

/* Compute the results of elements that are `stride` bytes apart, in their order; return whether one is left
   open, as by loop_code.h. */
typedef int (*Scan)(char *out, const char *in, npy_intp n, npy_intp stride);

#define SCAN(name, type, expression, open)                                              \
    static int name(char *restrict out, const char *in, npy_intp n, npy_intp stride)    \
    {                                                                                   \
        type *restrict to = (type *)out, x = *(const type *)in;                         \
        int left_open = 0;                                                              \
        to[0] = x;                                                                      \
        for (npy_intp i = 1; i < n; i++) {                                              \
            in += stride;                                                               \
            const type y = *(const type *)in;                                           \
            left_open |= open;                                                          \
            x = expression;                                                             \
            to[i] = x;                                                                  \
        }                                                                               \
        return left_open;                                                               \
    }

#define OPEN_EXTREMUM (x != x) | (y != y) | ((x == y) & (bits_npy_int64(x) != bits_npy_int64(y)))

SCAN(sums_double, double, x + y, (x != x) & (y != y))
SCAN(sums_long, npy_long, (npy_long)((npy_ulong)x + (npy_ulong)y), 0)
SCAN(least_double, double, x < y ? x : y, OPEN_EXTREMUM)
SCAN(least_long, npy_long, x < y ? x : y, 0)
SCAN(largest_double, double, x > y ? x : y, OPEN_EXTREMUM)
SCAN(largest_long, npy_long, x > y ? x : y, 0)

/* Return what an operator accumulates along a vector; NULL without an error: NumPy has to see to it. */
static PyObject *
scanned_memory(PyObject *memory, int k)
{
    PyArrayObject *source = (PyArrayObject *)memory;
    if (!PyArray_CheckExact(memory) || PyArray_NDIM(source) != 1 || !PyArray_SIZE(source)
        || !PyArray_ISBEHAVED_RO(source)) {
        return NULL;
    }
    int code = PyArray_TYPE(source);
    Scan scan = code == NPY_DOUBLE
        ? (k == ADD ? sums_double : k == MINIMUM ? least_double : k == MAXIMUM ? largest_double : NULL)
        : code == NPY_LONG
        ? (k == ADD ? sums_long : k == MINIMUM ? least_long : k == MAXIMUM ? largest_long : NULL)
        : NULL;
    if (scan == NULL) {
        return NULL;
    }
    PyObject *result = new_memory(1, PyArray_DIMS(source), code);
    if (result == NULL) {
        return NULL;
    }
    NOTHING_MET();
    int left_open = scan(PyArray_BYTES((PyArrayObject *)result), PyArray_BYTES(source),
                         PyArray_SIZE(source), PyArray_STRIDE(source, 0));
    if (left_open || (code == NPY_DOUBLE && k == ADD && WAS_MET())) {
        Py_DECREF(result);
        return NULL;
    }
    return result;
}

/* Return what a function accumulates along a vector in memory; NULL without an error: it is none, or NumPy
   has to see to it. */
static PyObject *
scanned(Call *call, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    Py_ssize_t most, past = 0;
    if (call->loop < 0 || count != 1 || names != NULL || !is_array(args[0])
        || (most = limit_now()) <= 0) {
        return NULL;
    }
    PyObject *memory = read_operand(args[0], most * state.cheaper, &past);
    PyObject *result = memory == NULL ? NULL : scanned_memory(memory, call->loop);
    Py_XDECREF(memory);
    return result == NULL ? NULL : computed(result, (PyObject *)call, args[0], NULL, past);
}
