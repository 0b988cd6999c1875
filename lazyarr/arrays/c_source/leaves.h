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

/* Return a leaf of the memory of a large array, a new reference. NULL without an error: it is small. */
static PyObject *
leaf_of_memory(PyObject *value)
{
    Py_ssize_t most = state.nodes == NULL ? 0 : limit_now();
    PyArrayObject *memory = (PyArrayObject *)value;
    if (most <= 0 || !PyArray_CheckExact(memory) || PyArray_SIZE(memory) <= most
        || !is_known(PyArray_DESCR(memory))) {
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
    Py_XDECREF(shown);
    return node;
}

/* enter_leaf(array, leaf): let an array have a leaf of its memory, unless it has one; its leaf. See storing.py. */
static PyObject *
enter_leaf(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t count)
{
    if (count != 2 || !PyObject_TypeCheck(args[0], &Fields_Type)) {
        return PyErr_Format(PyExc_TypeError, "expected an array and a node");
    }
    Array *array = (Array *)args[0];
    if (note_seen(array) < 0) {
        return NULL;
    }
    if (array->node == NULL) {
        array->node = Py_NewRef(args[1]);
    }
    return Py_NewRef(array->node);
}

/* Give an array a leaf of its memory; return its node, borrowed. NULL without an error: it is small,
   wrapped, or has another node, and Python has to see to it. */
static PyObject *
shared_leaf(Array *array)
{
    if (array->owner != NULL || array->node != NULL || array->memory == NULL
        || array->history == state.borrowed) {
        return NULL;
    }
    PyObject *memory = Py_NewRef(array->memory), *node = leaf_of_memory(memory);
    /* Another thread may have been here meanwhile. */
    if (node != NULL && (note_seen(array) < 0 || array->node != NULL || array->memory != memory
                         || array->history == state.borrowed)) {
        Py_CLEAR(node);
    }
    Py_DECREF(memory);
    if (node != NULL) {
        array->node = node;
    }
    return node;
}

/* Return the leaf that an array remembers of a number in memory, borrowed; NULL without an error: none. */
static PyObject *
known_number(Array *array, PyObject *name)
{
    PyObject *pair = array->view_nodes == NULL ? NULL : PyDict_GetItemWithError(array->view_nodes, name);
    return pair != NULL && PyTuple_Check(pair) && PyTuple_GET_SIZE(pair) == 2 && PyTuple_GET_ITEM(pair, 0) == array->memory
        ? PyTuple_GET_ITEM(pair, 1) : NULL;
}

/* Return a leaf of a copy of a number in memory, a new reference, as _snapshot of aliasing.py makes it. NULL without an
   error: it is none, or Python has to see to it. */
static PyObject *
number_leaf(Array *array)
{
    PyObject *memory = array->owner != NULL || array->node != NULL ? NULL : own_memory(array);
    if (memory == NULL || !is_scalar(memory) || state.nodes == NULL) {
        return NULL;
    }
    Py_INCREF(memory);
    PyObject *name = PyLong_FromVoidPtr(memory), *node = name == NULL ? NULL : Py_XNewRef(known_number(array, name));
    if (node == NULL && !PyErr_Occurred() && array->view_nodes == NULL) {
        PyObject *nothing = PyTuple_New(0), *history = get_history((PyObject *)array, NULL), *attr = NULL;
        PyObject *number = nothing == NULL || history == NULL ? NULL : PyArray_FromScalar(memory, NULL);
        if (number != NULL) {
            PyArray_CLEARFLAGS((PyArrayObject *)number, NPY_ARRAY_WRITEABLE);
            attr = PyObject_CallFunctionObjArgs(state.immediate, number, history, NULL);
        }
        if (attr != NULL) {
            node = state.nodes->unique(state.leaf_op, nothing, (PyObject *)PyArray_DESCR((PyArrayObject *)number), nothing, attr, NULL);
        }
        PyObject *pair = node == NULL ? NULL : PyTuple_Pack(2, memory, node);
        /* Another thread may have been here meanwhile. */
        int fails = pair == NULL || array->memory != memory || array->view_nodes != NULL
            || (array->view_nodes = PyDict_New()) == NULL || PyDict_SetItem(array->view_nodes, name, pair) < 0;
        if (fails) {
            Py_CLEAR(node);
        }
        Py_XDECREF(pair);
        Py_XDECREF(attr);
        Py_XDECREF(number);
        Py_XDECREF(history);
        Py_XDECREF(nothing);
    }
    Py_XDECREF(name);
    Py_DECREF(memory);
    return node;
}
