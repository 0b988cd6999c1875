/* Arrays that are joined, with lists of Python's numbers among vectors. */

/* Return a vector of numbers of Python's in a list, next to vectors of a dtype; NULL without an error: it has others. */
static PyObject *
vector_of_list(PyObject *list, int code)
{
    npy_intp count = PyList_GET_SIZE(list);
    PyObject *vector = !count || (code != NPY_DOUBLE && code != NPY_LONG) ? NULL : new_memory(1, &count, code);
    for (npy_intp k = 0; vector != NULL && k < count; k++) {
        PyObject *item = PyList_GET_ITEM(list, k);
        int fits = PyLong_CheckExact(item) || (code == NPY_DOUBLE && PyFloat_CheckExact(item));
        if (!fits || !put_number(PyArray_GETPTR1((PyArrayObject *)vector, k), code, item)) {
            Py_CLEAR(vector);
        }
    }
    return vector;
}

/* Put memory in the place of the arrays in a sequence, and of lists of numbers next to vectors; see sequence_in_memory. */
static PyObject *
parts_in_memory(PyObject *x, Py_ssize_t most, Py_ssize_t *past, Py_ssize_t *elements, int *any)
{
    Py_ssize_t count = PySequence_Fast_GET_SIZE(x), lists = 0;
    PyObject *first = NULL, *parts = NULL;
    for (Py_ssize_t k = 0; k < count; k++) {
        PyObject *item = PySequence_Fast_GET_ITEM(x, k);
        lists += PyList_CheckExact(item);
        first = first == NULL && !PyList_CheckExact(item) ? item : first;
    }
    if (!lists || first == NULL) {
        return sequence_in_memory(x, most, past, elements, any);
    }
    PyObject *memory = operand(first, most, past), *replaced = memory == NULL ? NULL : PyTuple_New(count);
    int is_vector = replaced != NULL && PyArray_CheckExact(memory) && PyArray_NDIM((PyArrayObject *)memory) == 1;
    *past = 0;
    for (Py_ssize_t k = 0; is_vector && k < count; k++) {
        PyObject *item = PySequence_Fast_GET_ITEM(x, k);
        int code = PyList_CheckExact(item) ? PyArray_TYPE((PyArrayObject *)memory) : NPY_NOTYPE;
        PyObject *part = code == NPY_NOTYPE ? Py_NewRef(item) : vector_of_list(item, code);
        is_vector = part != NULL;
        PyTuple_SET_ITEM(replaced, k, part);
    }
    parts = is_vector ? sequence_in_memory(replaced, most, past, elements, any) : NULL;
    Py_XDECREF(memory);
    Py_XDECREF(replaced);
    return parts;
}

/* Return arrays in a sequence behind each other; NULL without an error: NumPy has to see to it. */
static PyObject *
joined_call(Call *call, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    Py_ssize_t most = limit_now() * state.written, past = 0, elements = 0;
    int any = 0;
    if (count != 1 || names != NULL || most <= 0 || (!PyList_CheckExact(args[0]) && !PyTuple_CheckExact(args[0]))) {
        return NULL;
    }
    PyObject *parts = parts_in_memory(args[0], most, &past, &elements, &any);
    PyObject *joined = parts != NULL && any && elements <= most ? joined_memory(parts) : NULL;
    Py_XDECREF(parts);
    return joined == NULL ? NULL : remembered_call(call, joined, args, count, NULL, past);
}
