/* Norms of small arrays, for which NumPy's function takes longer in Python than their elements do. */

/* Return the root of the sum of squares along an axis; NULL without an error: NumPy has to see to it. */
static PyObject *
norm_along(PyArrayObject *x, PyObject *axis, int keeps, Py_ssize_t most)
{
    double number;
    int is_number = 0;
    PyObject *squares = looped(MULTIPLY, (PyObject *)x, (PyObject *)x, most);
    PyObject *sums = squares == NULL || !PyArray_CheckExact(squares) ? NULL
        : shortly_reduced((PyArrayObject *)squares, ADD, 0, axis, keeps, &number, &is_number);
    Py_XDECREF(squares);
    if (is_number) {
        return PyFloat_FromDouble(sqrt(number));
    }
    double *sum = sums == NULL ? NULL : PyArray_DATA((PyArrayObject *)sums);
    for (npy_intp i = 0; sum != NULL && i < PyArray_SIZE((PyArrayObject *)sums); i++) {
        sum[i] = sqrt(sum[i]);
    }
    return sums;
}

/* Return the Euclidean norm of all elements, or along an axis; NULL without an error: the call is another, or NumPy
   has to see to it. */
static PyObject *
norm_of_array(Call *call, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    Py_ssize_t most, past = 0;
    PyObject *axis, *keepdims, *known = NULL, *value = NULL, *result = NULL;
    if (count != 1 || !is_array(args[0]) || (most = limit_now() * state.cheaper) <= 0
        || !set_reduction(args, count, names, &axis, &keepdims) || PyTuple_CheckExact(axis)) {
        return NULL;
    }
    Py_ssize_t total = count + (names == NULL ? 0 : PyTuple_GET_SIZE(names));
    PyObject *memory = factor(args[0], most, &past);
    PyArrayObject *x = (PyArrayObject *)memory;
    if (memory == NULL || !PyArray_CheckExact(memory) || PyArray_TYPE(x) != NPY_DOUBLE || !PyArray_SIZE(x)
        || !PyArray_ISCARRAY_RO(x) || (axis == Py_None && keepdims == Py_True)) {
        Py_XDECREF(memory);
        return NULL;
    }
    double number = 0;
    if (axis == Py_None) {
        PyDataType_GetArrFuncs(PyArray_DESCR(x))->dotfunc(PyArray_DATA(x), sizeof(double), PyArray_DATA(x), sizeof(double),
                                                          &number, PyArray_SIZE(x), NULL);
        number = sqrt(number);
    }
    else if ((value = norm_along(x, axis, keepdims == Py_True, most)) != NULL && PyFloat_CheckExact(value)) {
        number = PyFloat_AS_DOUBLE(value);
        Py_CLEAR(value);
    }
    else if (value == NULL) {
        Py_DECREF(memory);
        return NULL;
    }
    Py_DECREF(memory);
    if (total > 1 && (known = arguments(args, total, names)) == NULL) {
        Py_XDECREF(value);
        return NULL;
    }
    result = value == NULL ? computed_number(number, (PyObject *)call, args[0], known, past)
                           : computed(value, (PyObject *)call, args[0], known, past);
    Py_XDECREF(known);
    return result;
}
