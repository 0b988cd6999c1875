/* Results that are stored into ``out=`` after a call without it. */

/* Return the memory of a computed array; NULL without an error: it is an expression, or one number. */
static PyArrayObject *
computed_memory(PyObject *value)
{
    PyObject *memory = is_array(value) ? Py_XNewRef(memory_of((Array *)value)) : NULL;
    if (memory == NULL && is_array(value) && !PyErr_Occurred()) {
        memory = leaf_memory((Array *)value);
    }
    if (memory != NULL && !PyArray_CheckExact(memory)) {
        Py_CLEAR(memory);
    }
    return (PyArrayObject *)memory;
}

/* Return whether elements are copied to an output as NumPy's function stores its result there: of its dtype and
   shape. It sums halves in an output of halves. */
static int
stores_as_is(Call *call, PyArrayObject *value, PyArrayObject *memory)
{
    return PyArray_DESCR(value) == PyArray_DESCR(memory) && PyArray_TYPE(memory) != NPY_HALF
        && PyArray_NDIM(value) == PyArray_NDIM(memory)
        && PyArray_CompareLists(PyArray_DIMS(value), PyArray_DIMS(memory), PyArray_NDIM(memory))
        && takes_layout(call, memory);
}

/* Return the output of a call after its result without ``out=`` was stored there, where that is computed at once;
   NULL without an error: it has no output, or Python has to see to it. */
static PyObject *
stored_result(Call *call, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    Py_ssize_t named = names == NULL ? 0 : PyTuple_GET_SIZE(names), most = named ? limit_now() : 0, rest = 0;
    Py_ssize_t output = most > 0 && count + named <= MOST_ARGUMENTS ? output_among(args + count, names) : -1;
    int pending = 0, is_ufunc = call->kind == ELEMENTWISE || call->flags & WRITES;
    if (output < 0 || !count || (is_ufunc && count > call->places)
        || elements_of(args[0], &pending, 0) > (double)most * (double)state.cheaper) {
        return NULL; /* an output without a name is one too many */
    }
    PyObject *target = target_of(args[count + output]), *memory = output_memory(target, most * state.cheaper);
    PyObject *others = named > 1 && memory != NULL ? PyTuple_New(named - 1) : NULL, *result = NULL;
    PyObject *all[MOST_ARGUMENTS];
    if (memory == NULL || (named > 1 && others == NULL)) {
        Py_XDECREF(memory);
        return NULL;
    }
    memcpy(all, args, (size_t)count * sizeof(PyObject *));
    for (Py_ssize_t i = 0; i < named; i++) {
        PyObject *name = PyTuple_GET_ITEM(names, i);
        if (i != output) {
            all[count + rest] = args[count + i];
            PyTuple_SET_ITEM(others, rest++, Py_NewRef(name));
        }
        if (is_named(name, "where")) { /* elsewhere the output has what it had */
            goto done;
        }
    }
    PyObject *value = compute_for_call(call, all, count, others) < 0 ? NULL : fast_call(call, all, count, others);
    PyArrayObject *computed = value == NULL ? NULL : computed_memory(value);
    if (computed != NULL && stores_as_is(call, computed, (PyArrayObject *)memory)
        && PyArray_CopyInto((PyArrayObject *)memory, computed) == 0
        && (!is_array(target) || wrote((Array *)target, memory) == 0)) {
        result = Py_NewRef(target);
    }
    Py_XDECREF(computed);
    Py_XDECREF(value);
done:
    Py_XDECREF(others);
    Py_DECREF(memory);
    return result;
}

/* Return the result of a call, or its output; NULL without an error: Python has to see to it. */
static PyObject *
fast_or_stored(Call *call, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    PyObject *result = fast_call(call, args, count, names);
    return result == NULL && names != NULL && !PyErr_Occurred() ? stored_result(call, args, count, names) : result;
}
