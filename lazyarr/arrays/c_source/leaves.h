/* Leaves of the memory of large arrays, which expressions share with them: as leaf_of and snapshot of
   Python's form make them (shared_memory.py, aliasing.py). */

/* Return the lengths of an array as a tuple. */
static PyObject *
lengths(PyArrayObject *memory)
{
    PyObject *shape = PyTuple_New(PyArray_NDIM(memory));
    for (int axis = 0; shape != NULL && axis < PyArray_NDIM(memory); axis++) {
        PyObject *length = PyLong_FromSsize_t(PyArray_DIM(memory, axis));
        if (length == NULL) {
            Py_CLEAR(shape);
            break;
        }
        PyTuple_SET_ITEM(shape, axis, length);
    }
    return shape;
}

/* Give an array a leaf of its memory; return its node, borrowed. NULL without an error: it is small,
   wrapped, or has another node, and Python has to see to it. */
static PyObject *
shared_leaf(Array *array)
{
    Py_ssize_t most = state.nodes == NULL ? 0 : limit_now();
    PyArrayObject *memory = (PyArrayObject *)array->memory;
    if (most <= 0 || array->owner != NULL || array->node != NULL || memory == NULL
        || !PyArray_CheckExact(memory) || PyArray_SIZE(memory) <= most
        || array->history == state.borrowed || !is_known(PyArray_DESCR(memory))) {
        return NULL;
    }
    PyArray_Descr *dtype = PyArray_DESCR(memory);
    PyObject *shown = PyArray_View(memory, NULL, NULL), *node = NULL, *attr = NULL, *line = NULL;
    PyObject *shape = shown == NULL ? NULL : lengths(memory);
    static PyObject *nothing;
    if (nothing == NULL) {
        nothing = PyTuple_New(0);
    }
    if (shape != NULL && nothing != NULL) {
        PyArray_CLEARFLAGS((PyArrayObject *)shown, NPY_ARRAY_WRITEABLE);
        attr = PyObject_CallOneArg(state.shared_leaf, shown);
        line = attr == NULL ? NULL : current_line();
    }
    if (attr != NULL && !PyErr_Occurred()) {
        node = state.nodes->unique(state.leaf_op, nothing, (PyObject *)dtype, shape, attr, line);
    }
    Py_XDECREF(shape);
    Py_XDECREF(attr);
    Py_XDECREF(line);
    /* Another thread may have been here meanwhile. What is shown keeps the memory until then. */
    int changed = node != NULL && (array->node != NULL || array->memory != (PyObject *)memory
                                   || array->history == state.borrowed || note_seen(array) < 0);
    if (changed) {
        Py_CLEAR(node);
    }
    else {
        array->node = node;
    }
    Py_XDECREF(shown);
    return array->node;
}
