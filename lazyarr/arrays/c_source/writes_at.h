/* The method `at` of ufuncs: vectors to which numbers are added, or compared with them, at places in any order. */

/* Without a sum for each index where none counts from the end. */
#define AT_LOOP(expression)                                                     \
    for (npy_intp i = 0; from_start && i < count; i++) {                        \
        a = out[index[i]];                                                      \
        b = from[i * step];                                                     \
        out[index[i]] = (expression);                                           \
    }                                                                           \
    for (npy_intp i = 0; !from_start && i < count; i++) {                       \
        npy_intp place = index[i] + (index[i] < 0 ? length : 0);                \
        a = out[place];                                                         \
        b = from[i * step];                                                     \
        out[place] = (expression);                                              \
    }                                                                           \
    return 1

/* Write the results of an operation on elements at places and numbers, `step` apart; 0: it is of none known here. Extrema
   are as the processor has them, without a branch: a comparison with what is no number is an exception, and of equal
   numbers it takes the second one. */
static int
doubles_at(int k, double *restrict out, npy_intp length, const npy_intp *restrict index, npy_intp count,
           const double *restrict from, npy_intp step, int from_start)
{
    double a, b;
    switch (k) {
    case ADD: AT_LOOP(a + b);
    case SUBTRACT: AT_LOOP(a - b);
    case MULTIPLY: AT_LOOP(a * b);
    case MINIMUM: AT_LOOP(a < b ? a : b);
    case MAXIMUM: AT_LOOP(a > b ? a : b);
    default: return 0;
    }
}

/* Return whether there are zeros with a sign: of extrema of two zeros, NumPy's loops take the one or the other. */
VECTORIZED static int
has_signed_zeros(const double *elements, npy_intp count)
{
    const npy_uint64 *bits = (const npy_uint64 *)elements;
    npy_uint64 any = 0;
    for (npy_intp i = 0; i < count; i++) {
        any |= (npy_uint64)(bits[i] == (npy_uint64)1 << 63);
    }
    return any != 0;
}

/* The same of integers, which wrap around. */
static int
integers_at(int k, npy_int64 *restrict out, npy_intp length, const npy_intp *restrict index, npy_intp count,
            const npy_int64 *restrict from, npy_intp step, int from_start)
{
    npy_int64 a, b;
    switch (k) {
    case ADD: AT_LOOP((npy_int64)((npy_uint64)a + (npy_uint64)b));
    case SUBTRACT: AT_LOOP((npy_int64)((npy_uint64)a - (npy_uint64)b));
    case MULTIPLY: AT_LOOP((npy_int64)((npy_uint64)a * (npy_uint64)b));
    case MINIMUM: AT_LOOP(a < b ? a : b);
    case MAXIMUM: AT_LOOP(a > b ? a : b);
    case AND: AT_LOOP(a & b);
    case OR: AT_LOOP(a | b);
    case XOR: AT_LOOP(a ^ b);
    default: return 0;
    }
}

/* Return whether there is what is no number: of sums of two of these, compilers choose which one it is. */
VECTORIZED static int
has_no_numbers(const double *elements, npy_intp count)
{
    npy_uint64 any = 0;
    for (npy_intp i = 0; i < count; i++) {
        any |= (npy_uint64)(elements[i] != elements[i]);
    }
    return any != 0;
}

/* Return the number of the ufunc whose method `at` is bound; -1: none that is known. */
static int
loop_of_method(PyObject *method)
{
    PyObject *ufunc = PyObject_GetAttrString(method, "__self__");
    PyObject *number = ufunc == NULL ? NULL : PyDict_GetItemWithError(state.loops, ufunc);
    int k = number == NULL ? -1 : (int)PyLong_AsLong(number);
    Py_XDECREF(ufunc);
    PyErr_Clear();
    return k;
}

/* Return whether `at` of a ufunc has written to a vector; 0: NumPy has to, which looks at each index anew. All indices
   are of elements, counted from the first one if `from_start`. What NumPy would warn of is taken back. */
static int
written_at(PyObject *method, PyArrayObject *target, PyObject *indices, PyObject *value, int from_start)
{
    int code = PyArray_TYPE(target), is_real = code == NPY_DOUBLE, own;
    npy_intp length = PyArray_SIZE(target), step = 0, count = PyArray_SIZE((PyArrayObject *)indices);
    union {
        double real;
        npy_long whole;
    } number;
    const void *from = &number;
    if ((!is_real && code != NPY_INT64) || PyArray_ITEMSIZE(target) != sizeof(number) || !PyArray_ISCARRAY(target)
        || overlaps(target, (PyArrayObject *)indices)) {
        return 0;
    }
    if (PyArray_CheckExact(value)) {
        PyArrayObject *source = (PyArrayObject *)value;
        if (!PyArray_ISCARRAY_RO(source) || overlaps(target, source)) {
            return 0;
        }
        from = PyArray_DATA(source);
        step = 1;
    }
    else if (is_real ? !as_double(value, &number.real) : !as_integer(value, &number.whole, &own)) {
        return 0;
    }
    int k = loop_of_method(method);
    int compares = k == MINIMUM || k == MAXIMUM;
    const npy_intp *index = PyArray_DATA((PyArrayObject *)indices);
    if (!is_real) {
        return integers_at(k, PyArray_DATA(target), length, index, count, from, step, from_start);
    }
    npy_intp values = step ? count : 1;
    if (compares ? has_signed_zeros(from, values) || has_signed_zeros(PyArray_DATA(target), length)
                 : has_no_numbers(from, values)) {
        return 0;
    }
    /* A copy is to take less than NumPy's look at the indices. */
    PyObject *before = length > count ? NULL : PyArray_NewCopy(target, NPY_CORDER);
    if (before == NULL) {
        PyErr_Clear();
        return 0;
    }
    clear_exceptions();
    int done = doubles_at(k, PyArray_DATA(target), length, index, count, from, step, from_start);
    if (!done || met_exceptions()) {
        memcpy(PyArray_DATA(target), PyArray_DATA((PyArrayObject *)before), (size_t)length * sizeof(double));
        done = 0;
    }
    Py_XDECREF(before);
    clear_exceptions();
    return done;
}
