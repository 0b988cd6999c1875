/* Products of vectors, for which NumPy's functions take longer in Python than their elements do. */

/* Return whether an operand is a vector that lies as processors take it. */
static inline int
is_plain_vector(PyObject *x)
{
    return PyArray_CheckExact(x) && PyArray_NDIM((PyArrayObject *)x) == 1
        && PyArray_ISBEHAVED_RO((PyArrayObject *)x);
}

/* Return the products of all pairs of elements of two vectors; NULL without an error: NumPy has to see to it. */
static PyObject *
outer_product(PyArrayObject *a, PyArrayObject *b, Py_ssize_t most)
{
    npy_intp shape[2] = {PyArray_DIM(a, 0), 1}, strides[2] = {PyArray_STRIDE(a, 0), PyArray_ITEMSIZE(a)};
    if (!shape[0] || !PyArray_DIM(b, 0) || PyArray_DIM(b, 0) > most / shape[0]) {
        return NULL;
    }
    PyArray_Descr *dtype = PyArray_DESCR(a);
    Py_INCREF(dtype);
    PyObject *column =
        PyArray_NewFromDescr(&PyArray_Type, dtype, 2, shape, strides, PyArray_DATA(a), 0, NULL);
    PyObject *result = column == NULL ? NULL : looped(MULTIPLY, column, (PyObject *)b, most);
    Py_XDECREF(column); /* of memory that the caller keeps */
    return result;
}

/* Return the vector product of two vectors of three numbers of double precision; NULL without an error: NumPy
   has to see to it. Each product is rounded on its own, as NumPy stores it. */
static PyObject *
vector_product(PyArrayObject *a, PyArrayObject *b)
{
    npy_intp three = 3;
    volatile double left[3], right[3];
    double x[3], y[3];
    if (PyArray_TYPE(a) != NPY_DOUBLE || PyArray_TYPE(b) != NPY_DOUBLE || PyArray_DIM(a, 0) != 3
        || PyArray_DIM(b, 0) != 3) {
        return NULL;
    }
    for (int k = 0; k < 3; k++) {
        x[k] = *(double *)(PyArray_BYTES(a) + k * PyArray_STRIDE(a, 0));
        y[k] = *(double *)(PyArray_BYTES(b) + k * PyArray_STRIDE(b, 0));
    }
    PyObject *result = PyArray_SimpleNew(1, &three, NPY_DOUBLE);
    if (result == NULL) {
        return NULL;
    }
    double *out = PyArray_DATA((PyArrayObject *)result);
    NOTHING_MET();
    for (int k = 0; k < 3; k++) {
        left[k] = x[(k + 1) % 3] * y[(k + 2) % 3];
        right[k] = x[(k + 2) % 3] * y[(k + 1) % 3];
    }
    int finite = 1;
    for (int k = 0; k < 3; k++) {
        out[k] = left[k] - right[k];
        finite &= isfinite(out[k]) != 0;
    }
    if (WAS_MET() || !finite) {
        Py_CLEAR(result);
    }
    return result;
}

/* Return a product of two vectors in memory; NULL without an error: the call is another, or NumPy has to see
   to it. */
static PyObject *
product_of_vectors(Call *call, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    Py_ssize_t most, past = 0;
    if (call->loop < OUTER || call->loop > DOT || count != 2 || names != NULL
        || (!holds_values(args[0]) && !holds_values(args[1])) || (most = limit_now() * state.cheaper) <= 0) {
        return NULL;
    }
    if (!is_array(args[0]) && !is_array(args[1])) {
        most = most / state.cheaper * state.created * 2; /* an expression would be built by Python */
    }
    PyObject *a = read_operand(args[0], most, &past), *result = NULL, *known;
    PyObject *b = a == NULL ? NULL : read_operand(args[1], most, &past);
    double number;
    int plain = b != NULL && is_plain_vector(a) && is_plain_vector(b);
    int dotted = plain && call->loop == DOT && dot_of_vectors((PyArrayObject *)a, (PyArrayObject *)b, 0, &number);
    if (plain && call->loop != DOT) {
        result = call->loop == OUTER ? outer_product((PyArrayObject *)a, (PyArrayObject *)b, most)
                                     : vector_product((PyArrayObject *)a, (PyArrayObject *)b);
    }
    Py_XDECREF(a);
    Py_XDECREF(b);
    known = result == NULL && !dotted ? NULL : arguments(args, count, names);
    if (known == NULL) {
        Py_XDECREF(result);
        return NULL;
    }
    result = dotted ? computed_number(number, (PyObject *)call, Py_None, known, past)
                    : computed(result, (PyObject *)call, Py_None, known, past);
    Py_DECREF(known);
    return result;
}
