/* Indices: parts of a key, as NumPy takes them. */

static inline int
is_basic_item(PyObject *key)
{
    return PyLong_CheckExact(key) || PySlice_Check(key) || key == Py_None || key == Py_Ellipsis;
}

/* Return a part of an index (whose reference is taken): an integer of Python's for one of NumPy's. */
static PyObject *
plain_index(PyObject *value)
{
    if (value != NULL && PyArray_IsScalar(value, Integer)) {
        Py_SETREF(value, PyNumber_Index(value));
    }
    return value;
}

/* Return a list of integers, of Python's or in memory, as an array; NULL without an error: it has
   other items. */
static PyObject *
indices_of_list(PyObject *list, Py_ssize_t most)
{
    npy_intp count = PyList_GET_SIZE(list);
    if (count == 0 || count > most) {
        return NULL;
    }
    PyObject *indices = PyArray_SimpleNew(1, &count, NPY_INTP);
    for (npy_intp i = 0; indices != NULL && i < count; i++) {
        PyObject *item = PyList_GET_ITEM(list, i);
        PyObject *number = plain_index(Py_XNewRef(is_array(item) ? memory_of((Array *)item) : item));
        int overflow = number == NULL || !PyLong_CheckExact(number);
        long index = overflow ? 0 : PyLong_AsLongAndOverflow(number, &overflow);
        Py_XDECREF(number);
        if (overflow) {
            Py_CLEAR(indices);
            return NULL;
        }
        ((npy_intp *)PyArray_DATA((PyArrayObject *)indices))[i] = index;
    }
    return indices;
}

/* Return whether a list is part of an index: what is remembered of it has to be a copy. */
static int
has_list(PyObject *key)
{
    if (PyTuple_CheckExact(key)) {
        for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(key); i++) {
            if (PyList_CheckExact(PyTuple_GET_ITEM(key, i))) {
                return 1;
            }
        }
    }
    return PyList_CheckExact(key);
}

/* Return an index for NumPy, a new reference; NULL without an error: Python has to see to it. */
static PyObject *
index_in_memory(PyObject *key, Py_ssize_t most)
{
    Py_ssize_t past = 0;
    if (is_basic_item(key)) {
        Py_INCREF(key);
        return key;
    }
    if (PyList_CheckExact(key)) {
        return indices_of_list(key, most);
    }
    if (!PyTuple_CheckExact(key)) {
        if (PyFloat_CheckExact(key) || PyComplex_CheckExact(key)) {
            return NULL;
        }
        return plain_index(operand(key, most, &past));
    }
    Py_ssize_t count = PyTuple_GET_SIZE(key), i = 0;
    while (i < count && is_basic_item(PyTuple_GET_ITEM(key, i))) {
        i++;
    }
    if (i == count) {
        Py_INCREF(key);
        return key;
    }
    PyObject *items = PyTuple_New(count);
    if (items == NULL) {
        return NULL;
    }
    int listed = has_list(key); /* other arrays beside lists are left to Python */
    for (i = 0; i < count; i++) {
        PyObject *item = PyTuple_GET_ITEM(key, i), *value;
        if (PyList_CheckExact(item)) {
            value = indices_of_list(item, most);
        }
        else if (listed && !is_basic_item(item)) {
            value = NULL;
        }
        else {
            value = is_basic_item(item) ? Py_NewRef(item) : plain_index(operand(item, most, &past));
        }
        if (value == NULL || PyFloat_CheckExact(value) || PyComplex_CheckExact(value)) {
            Py_XDECREF(value);
            Py_DECREF(items);
            return NULL;
        }
        PyTuple_SET_ITEM(items, i, value);
    }
    return items;
}

static int
is_basic(PyObject *key)
{
    if (!PyTuple_CheckExact(key)) {
        return is_basic_item(key);
    }
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(key); i++) {
        if (!is_basic_item(PyTuple_GET_ITEM(key, i))) {
            return 0;
        }
    }
    return 1;
}

/* Return the largest number of elements that an index by integers may choose; of masks infinity. */
static double
most_chosen(PyObject *index, PyArrayObject *memory)
{
    PyObject *const *items = &index;
    Py_ssize_t count = 1;
    if (PyTuple_CheckExact(index)) {
        items = &PyTuple_GET_ITEM(index, 0);
        count = PyTuple_GET_SIZE(index);
    }
    double rest = (double)PyArray_SIZE(memory), places = 1;
    int axis = 0;
    PyArrayObject *first = NULL;
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *item = items[i];
        if (item == Py_None) {
            continue;
        }
        if (axis == PyArray_NDIM(memory)) {
            return INFINITY;
        }
        npy_intp length = PyArray_DIM(memory, axis++);
        rest /= length > 1 ? (double)length : 1;
        if (PySlice_Check(item)) {
            Py_ssize_t start, stop, step;
            if (PySlice_Unpack(item, &start, &stop, &step) < 0) {
                PyErr_Clear();
                return INFINITY;
            }
            rest *= (double)PySlice_AdjustIndices(length, &start, &stop, step);
        }
        else if (PyArray_CheckExact(item) && PyTypeNum_ISINTEGER(PyArray_TYPE((PyArrayObject *)item))) {
            PyArrayObject *others = (PyArrayObject *)item;
            if (first == NULL || !PyArray_SAMESHAPE(first, others)) {
                places *= (double)PyArray_SIZE(others); /* they may broadcast */
            }
            first = first == NULL ? others : first;
        }
        else if (!PyLong_CheckExact(item)) {
            return INFINITY;
        }
    }
    return places * rest;
}

/* Return whether an item of an index is an array of integers in memory: 0 of what is basic, -1 of
   anything else. */
static int
is_of_integers(PyObject *item)
{
    PyObject *memory = is_array(item) ? memory_of((Array *)item) : item;
    if (memory != NULL && PyArray_CheckExact(memory)) {
        return PyTypeNum_ISINTEGER(PyArray_TYPE((PyArrayObject *)memory)) ? 1 : -1;
    }
    return memory != NULL && is_basic(item) ? 0 : -1;
}

/* Return whether arrays of integers in memory choose elements, perhaps beside what is basic. */
static int
chooses_places(PyObject *key)
{
    PyObject *const *items = PyTuple_CheckExact(key) ? &PyTuple_GET_ITEM(key, 0) : &key;
    Py_ssize_t count = PyTuple_CheckExact(key) ? PyTuple_GET_SIZE(key) : 1;
    int any = 0;
    for (Py_ssize_t k = 0; k < count; k++) {
        int one = is_of_integers(items[k]);
        if (one < 0) {
            PyErr_Clear();
            return 0;
        }
        any |= one;
    }
    return any;
}

/* Let a pending array of a few bytes have memory if arrays of integers choose its elements: no kernel
   gathers them sooner, and what has a name is read again; return -1 with an error. */
static int
compute_gathered(PyObject *x, PyObject *key)
{
    return is_pending(x) && chooses_places(key) ? compute_written(x) : 0;
}

/* Return whether an index is computed before a kernel that reads elements there: a library computes it, and each plan
   would do so again, or it is few integers, at which elements in memory are read sooner than an expression is built. -1
   with an error. */
static int
is_index_apart(PyObject *index)
{
    Node *node = (Node *)((Array *)index)->node;
    const Operation *operation = operation_of(node->op);
    if (operation == NULL) {
        return -1;
    }
    return operation->kind == CALL_KIND
        || (PyTypeNum_ISINTEGER(((PyArray_Descr *)node->dtype)->type_num) && PyTuple_GET_SIZE(node->shape)
            && has_few_elements(index, limit_now() * state.cheaper));
}

/* Let such pending indices have memory; return -1 with an error. */
static int
compute_indices(PyObject *key)
{
    PyObject *const *items = PyTuple_CheckExact(key) ? &PyTuple_GET_ITEM(key, 0) : &key;
    Py_ssize_t count = PyTuple_CheckExact(key) ? PyTuple_GET_SIZE(key) : 1;
    for (Py_ssize_t k = 0; k < count; k++) {
        if (!is_pending(items[k]) || limit_now() <= 0 || known_sparing) {
            continue;
        }
        int apart = is_index_apart(items[k]);
        if (apart < 0 || (apart && compute_pending(items[k]) < 0)) {
            return -1;
        }
    }
    return PyErr_Occurred() ? -1 : 0;
}
