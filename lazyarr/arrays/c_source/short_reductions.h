/* Reductions of arrays in C's order, to the bits of NumPy's: it takes longer to begin one, and each row, than a few
   elements take. Where the order of elements matters, it is NumPy's: along rows sums are pairwise, along other axes
   they go from slice to slice. What is left open by that, NumPy computes. */

/* An array as outer x length x inner elements, of which those along the length are reduced. */
typedef struct {
    npy_intp outer, length, inner;
    npy_intp shape[MOST_AXES]; /* of the result */
    int ndim;
} Split;

#define PAIRWISE_BLOCK 128

#define PAIRWISE(name, type)                                                        \
    static type name(const type *a, npy_intp n)                                     \
    {                                                                               \
        if (n < 8) {                                                                \
            type sum = 0;                                                           \
            for (npy_intp i = 0; i < n; i++) {                                      \
                sum += a[i];                                                        \
            }                                                                       \
            return sum;                                                             \
        }                                                                           \
        if (n > PAIRWISE_BLOCK) {                                                   \
            npy_intp half = n / 2 - n / 2 % 8;                                      \
            return name(a, half) + name(a + half, n - half);                        \
        }                                                                           \
        type r[8];                                                                  \
        npy_intp i;                                                                 \
        for (int k = 0; k < 8; k++) {                                               \
            r[k] = a[k];                                                            \
        }                                                                           \
        for (i = 8; i < n - n % 8; i += 8) {                                        \
            for (int k = 0; k < 8; k++) {                                           \
                r[k] += a[i + k];                                                   \
            }                                                                       \
        }                                                                           \
        type sum = ((r[0] + r[1]) + (r[2] + r[3])) + ((r[4] + r[5]) + (r[6] + r[7])); \
        for (; i < n; i++) {                                                        \
            sum += a[i];                                                            \
        }                                                                           \
        return sum;                                                                 \
    }

PAIRWISE(pairwise_double, double)
PAIRWISE(pairwise_float, float)

/* Return the product of elements in their order. */
static double
product_of_row(const double *a, npy_intp n)
{
    double product = 1;
    for (npy_intp i = 0; i < n; i++) {
        product *= a[i];
    }
    return product;
}

/* Reduce rows, or slices where elements of a slice lie side by side. `first` is what NumPy begins with. */
#define REDUCTION(name, type, row, first, expression)                               \
    VECTORIZED static void name(type *restrict out, const type *a, const Split *s)  \
    {                                                                               \
        const npy_intp n = s->length, inner = s->inner;                             \
        for (npy_intp o = 0; o < s->outer; o++, a += n * inner, out += inner) {     \
            if (inner == 1) {                                                       \
                out[0] = row;                                                       \
                continue;                                                           \
            }                                                                       \
            for (npy_intp j = 0; j < inner; j++) {                                  \
                const type x = first, y = a[j];                                     \
                out[j] = expression;                                                \
            }                                                                       \
            for (npy_intp i = 1; i < n; i++) {                                      \
                const type *b = a + i * inner;                                      \
                for (npy_intp j = 0; j < inner; j++) {                              \
                    const type x = out[j], y = b[j];                                \
                    out[j] = expression;                                            \
                }                                                                   \
            }                                                                       \
        }                                                                           \
    }

REDUCTION(sum_doubles, double, 0 + pairwise_double(a, n), 0, x + y)
REDUCTION(sum_floats, float, 0 + pairwise_float(a, n), 0, x + y)
REDUCTION(multiply_doubles, double, product_of_row(a, n), 1, x * y)

/* Reduce rows or slices by an expression whose order does not matter, in eight lanes; return whether a result is
   left open by `open`. */
#define UNORDERED(name, from, type, first, expression, open)                        \
    VECTORIZED static int name(type *restrict out, const from *a, const Split *s)   \
    {                                                                               \
        const npy_intp n = s->length, inner = s->inner;                             \
        int left_open = 0;                                                          \
        for (npy_intp o = 0; o < s->outer; o++, a += n * inner, out += inner) {     \
            if (inner > 1) {                                                        \
                for (npy_intp j = 0; j < inner; j++) {                              \
                    out[j] = (type)first(a[j]);                                     \
                }                                                                   \
                for (npy_intp i = 1; i < n; i++) {                                  \
                    const from *b = a + i * inner;                                  \
                    for (npy_intp j = 0; j < inner; j++) {                          \
                        const type x = out[j], y = (type)first(b[j]);               \
                        left_open |= open;                                          \
                        out[j] = expression;                                        \
                    }                                                               \
                }                                                                   \
                continue;                                                           \
            }                                                                       \
            type r[8];                                                              \
            npy_intp i = 1;                                                         \
            r[0] = (type)first(a[0]);                                                     \
            if (n >= 16) {                                                          \
                for (int k = 0; k < 8; k++) {                                       \
                    r[k] = (type)first(a[k]);                                             \
                }                                                                   \
                for (i = 8; i + 8 <= n; i += 8) {                                   \
                    for (int k = 0; k < 8; k++) {                                   \
                        const type x = r[k], y = (type)first(a[i + k]);                    \
                        left_open |= open;                                          \
                        r[k] = expression;                                          \
                    }                                                               \
                }                                                                   \
                for (int k = 1; k < 8; k++) {                                       \
                    const type x = r[0], y = r[k];                                  \
                    left_open |= open;                                              \
                    r[0] = expression;                                              \
                }                                                                   \
            }                                                                       \
            for (; i < n; i++) {                                                    \
                const type x = r[0], y = (type)first(a[i]);                                \
                left_open |= open;                                                  \
                r[0] = expression;                                                  \
            }                                                                       \
            out[0] = r[0];                                                          \
        }                                                                           \
        return left_open;                                                           \
    }

#define ITSELF(x) (x)
#define TRUTH(x) ((x) != 0)
#define WRAPPED_SUM ((npy_long)((npy_ulong)x + (npy_ulong)y))
#define WRAPPED_PRODUCT ((npy_long)((npy_ulong)x * (npy_ulong)y))
/* NaNs compare to nothing, and of two zeros NumPy returns whichever its lanes say. */
#define OPEN_ORDER ((x != x) | (y != y) | ((x == y) & (bits_npy_int64(x) != bits_npy_int64(y))))

UNORDERED(sum_longs, npy_long, npy_long, ITSELF, WRAPPED_SUM, 0)
UNORDERED(multiply_longs, npy_long, npy_long, ITSELF, WRAPPED_PRODUCT, 0)
UNORDERED(count_truths, npy_ubyte, npy_long, TRUTH, x + y, 0)
UNORDERED(least_doubles, double, double, ITSELF, y < x ? y : x, OPEN_ORDER)
UNORDERED(largest_doubles, double, double, ITSELF, y > x ? y : x, OPEN_ORDER)
UNORDERED(least_longs, npy_long, npy_long, ITSELF, y < x ? y : x, 0)
UNORDERED(largest_longs, npy_long, npy_long, ITSELF, y > x ? y : x, 0)
UNORDERED(any_truths, npy_ubyte, npy_bool, TRUTH, x | y, 0)
UNORDERED(all_truths, npy_ubyte, npy_bool, TRUTH, x & y, 0)
UNORDERED(any_doubles, double, npy_bool, TRUTH, x | y, 0)
UNORDERED(all_doubles, double, npy_bool, TRUTH, x & y, 0)
UNORDERED(any_longs, npy_long, npy_bool, TRUTH, x | y, 0)
UNORDERED(all_longs, npy_long, npy_bool, TRUTH, x & y, 0)

/* Fill in how an array is reduced along axes side by side, or along all of them; return whether it is done here. */
static int
split_axes(Split *split, PyArrayObject *array, PyObject *axis, int keeps)
{
    int ndim = PyArray_NDIM(array), first = 0, last = PyArray_NDIM(array) - 1;
    if (ndim < 1 || ndim > MOST_AXES || !PyArray_SIZE(array) || !PyArray_ISCARRAY_RO(array)) {
        return 0;
    }
    if (axis != Py_None) {
        int are_several = PyTuple_CheckExact(axis), overflow = 0, named = 0;
        Py_ssize_t count = are_several ? PyTuple_GET_SIZE(axis) : 1;
        first = ndim, last = -1;
        for (Py_ssize_t k = 0; k < count; k++) {
            PyObject *item = are_several ? PyTuple_GET_ITEM(axis, k) : axis;
            long place = PyLong_CheckExact(item) ? PyLong_AsLongAndOverflow(item, &overflow) : ndim;
            if (overflow || place >= ndim || place < -ndim) {
                return 0;
            }
            int along = (int)(place < 0 ? place + ndim : place);
            named |= 1 << along;
            first = Py_MIN(first, along);
            last = Py_MAX(last, along);
        }
        if (!count || named != ((2 << last) - (1 << first)) || last - first + 1 != count) {
            return 0; /* they are not side by side */
        }
    }
    *split = (Split){.outer = 1, .length = 1, .inner = 1};
    for (int k = 0; k < ndim; k++) {
        npy_intp length = PyArray_DIM(array, k);
        if (k >= first && k <= last) {
            split->length *= length;
            if (!keeps) {
                continue;
            }
            length = 1;
        }
        else if (k < first) {
            split->outer *= length;
        }
        else {
            split->inner *= length;
        }
        split->shape[split->ndim++] = length;
    }
    return 1;
}

/* Return whether arrays are reduced by an operator here sooner than by NumPy. */
static inline int
is_short(int k, const Split *split)
{
    int are_rows = split->inner == 1 && split->length > SHORT_ROW && split->outer > 1;
    if (are_rows && k != ADD && k != MULTIPLY && split->outer * split->length > FEW_IN_ROWS) {
        return 0;
    }
    return k == ADD || split->length <= (k == MULTIPLY ? FEW_FACTORS : FEW_ORDERED)
        || (k != MULTIPLY && split->inner > 1);
}

/* Reduce elements by an operator; return whether the result stands. */
static int
run_reduction(int k, int code, char *out, const char *data, const Split *split)
{
    void *to = out;
    const void *from = data;
    switch (code) {
    case NPY_DOUBLE:
        switch (k) {
        case ADD: sum_doubles(to, from, split); return 1;
        case MULTIPLY: multiply_doubles(to, from, split); return 1;
        case MINIMUM: return !least_doubles(to, from, split);
        case MAXIMUM: return !largest_doubles(to, from, split);
        case LOGICAL_OR: return !any_doubles(to, from, split);
        case LOGICAL_AND: return !all_doubles(to, from, split);
        default: return 0;
        }
    case NPY_FLOAT:
        if (k != ADD) {
            return 0;
        }
        sum_floats(to, from, split);
        return 1;
    case NPY_LONG:
        switch (k) {
        case ADD: return !sum_longs(to, from, split);
        case MULTIPLY: return !multiply_longs(to, from, split);
        case MINIMUM: return !least_longs(to, from, split);
        case MAXIMUM: return !largest_longs(to, from, split);
        case LOGICAL_OR: return !any_longs(to, from, split);
        case LOGICAL_AND: return !all_longs(to, from, split);
        default: return 0;
        }
    case NPY_BOOL:
        switch (k) {
        case ADD: return !count_truths(to, from, split);
        case LOGICAL_OR: return !any_truths(to, from, split);
        case LOGICAL_AND: return !all_truths(to, from, split);
        default: return 0;
        }
    default: return 0;
    }
}

/* Return whether any of some results is a NaN: of two that meet, the processor returns either. */
static int
has_unknown(int code, const char *out, npy_intp count)
{
    int unknown = 0;
    for (npy_intp i = 0; i < count && code == NPY_DOUBLE; i++) {
        unknown |= isnan(((const double *)out)[i]) != 0;
    }
    for (npy_intp i = 0; i < count && code == NPY_FLOAT; i++) {
        unknown |= isnan(((const float *)out)[i]) != 0;
    }
    return unknown;
}

/* Divide sums by the number of their elements. */
static void
divide_sums(int code, char *out, npy_intp count, npy_intp length)
{
    for (npy_intp i = 0; i < count; i++) {
        if (code == NPY_DOUBLE) {
            ((double *)out)[i] /= (double)length;
        }
        else {
            ((float *)out)[i] /= (float)length;
        }
    }
}

/* Write the places of the first of the least or the largest elements, or of the first NaN. */
#define PLACES_OF(name, type, better)                                                   \
    static void name(npy_int64 *out, const type *a, const Split *s)                     \
    {                                                                                   \
        const npy_intp n = s->length, inner = s->inner;                                 \
        for (npy_intp o = 0; o < s->outer; o++, a += n * inner) {                       \
            for (npy_intp j = 0; j < inner; j++) {                                      \
                type x = a[j];                                                          \
                npy_intp place = 0;                                                     \
                for (npy_intp i = 1; i < n && x == x; i++) {                            \
                    const type y = a[i * inner + j];                                    \
                    if (better) {                                                       \
                        x = y;                                                          \
                        place = i;                                                      \
                    }                                                                   \
                }                                                                       \
                *out++ = place;                                                         \
            }                                                                           \
        }                                                                               \
    }

PLACES_OF(least_places_double, double, !(y >= x))
PLACES_OF(largest_places_double, double, !(y <= x))
PLACES_OF(least_places_long, npy_long, y < x)
PLACES_OF(largest_places_long, npy_long, y > x)

/* Return the places of the least or the largest elements of memory; NULL without an error: NumPy has to see to it. */
static PyObject *
extreme_places(PyArrayObject *array, int is_largest, PyObject *axis, int keeps)
{
    Split split;
    int code = PyArray_TYPE(array);
    if ((code != NPY_DOUBLE && code != NPY_LONG) || !split_axes(&split, array, axis, keeps)
        || split.length > FEW_PLACES) {
        return NULL;
    }
    npy_int64 single;
    PyObject *result = split.ndim ? new_memory(split.ndim, split.shape, NPY_INT64) : PyArrayScalar_New(Long);
    if (result == NULL) {
        return NULL;
    }
    npy_int64 *out = split.ndim ? PyArray_DATA((PyArrayObject *)result) : &single;
    const void *data = PyArray_DATA(array);
    if (code == NPY_DOUBLE) {
        (is_largest ? largest_places_double : least_places_double)(out, data, &split);
    }
    else {
        (is_largest ? largest_places_long : least_places_long)(out, data, &split);
    }
    if (!split.ndim) {
        PyArrayScalar_ASSIGN(result, Long, (npy_long)single);
    }
    return result;
}

/* Return a reduction of memory by an operator, or the mean, as an ndarray or one of NumPy's numbers; NULL without an
   error: it is the number that is filled in, or NumPy has to see to it. */
static PyObject *
shortly_reduced(PyArrayObject *array, int k, int is_mean, PyObject *axis, int keeps, double *number, int *is_number)
{
    Split split;
    int own = PyArray_TYPE(array), is_truth = k == LOGICAL_OR || k == LOGICAL_AND;
    int code = is_truth ? NPY_BOOL : own == NPY_BOOL ? NPY_LONG : own;
    if (k < 0 || !split_axes(&split, array, axis, keeps) || !is_short(k, &split)
        || (is_mean && own != NPY_DOUBLE && own != NPY_FLOAT)) {
        return NULL;
    }
    PyObject *result = split.ndim ? new_memory(split.ndim, split.shape, code) : NULL;
    if (result == NULL && split.ndim) {
        return NULL;
    }
    npy_int64 single;
    char *out = result == NULL ? (char *)&single : PyArray_BYTES((PyArrayObject *)result);
    clear_exceptions();
    int stands = run_reduction(k, own, out, PyArray_BYTES(array), &split);
    npy_intp count = split.outer * split.inner;
    if (is_mean && stands) {
        divide_sums(code, out, count, split.length);
    }
    if (!stands || has_unknown(code, out, count) || (own != NPY_LONG && !is_truth && met_exceptions())) {
        Py_XDECREF(result);
        return NULL;
    }
    if (!split.ndim && code == NPY_DOUBLE) {
        memcpy(number, out, sizeof(*number));
        *is_number = 1;
    }
    else if (!split.ndim) {
        PyArray_Descr *dtype = PyArray_DescrFromType(code);
        result = PyArray_Scalar(out, dtype, NULL);
        Py_DECREF(dtype);
    }
    return result;
}
