/* Ufuncs that write to ``out=``. */

static inline int
is_named(PyObject *name, const char *text)
{
    return PyUnicode_CompareWithASCIIString(name, text) == 0;
}

/* Return an output's memory, borrowed; NULL if Python has to see to it. */
static PyObject *
output_memory(PyObject *out, Py_ssize_t most)
{
    PyArrayObject *memory = NULL;
    if (is_array(out)) {
        memory = writable_memory((Array *)out);
    }
    else if (PyArray_CheckExact(out) && PyArray_ISWRITEABLE((PyArrayObject *)out)) {
        memory = (PyArrayObject *)out;
    }
    if (memory == NULL || !is_known(PyArray_DESCR(memory)) || PyArray_SIZE(memory) > most) {
        return NULL;
    }
    return (PyObject *)memory;
}

/* Return the output of a ufunc of one, after it was written to; NULL without an error: Python has
   to see to it. The keywords are ``out`` and ``where``. */
static PyObject *
fast_into(Call *call, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    Py_ssize_t named = names == NULL ? 0 : PyTuple_GET_SIZE(names), total = count + named, i;
    Py_ssize_t operands = count > call->places ? call->places : count;
    Operands taken = {.product = 1, .integers = 1};
    PyObject *out = count > call->places ? args[call->places] : NULL, *result = NULL;
    if (total > MOST_ARGUMENTS || operands < call->places || count > call->places + 1
        || (taken.most = limit_now()) <= 0 || !in_users_code()) {
        return NULL;
    }
    taken.most *= call->flags & CHEAP ? state.cheaper : 1;
    for (i = 0; i < named; i++) {
        if (is_named(PyTuple_GET_ITEM(names, i), "out") && out == NULL) {
            out = args[count + i];
        }
        else if (!is_named(PyTuple_GET_ITEM(names, i), "where")) {
            return NULL;
        }
    }
    PyObject *target = out;
    if (target != NULL && PyTuple_CheckExact(target) && PyTuple_GET_SIZE(target) == 1) {
        target = PyTuple_GET_ITEM(target, 0);
    }
    PyObject *memory = target == NULL ? NULL : output_memory(target, taken.most);
    if (memory == NULL) {
        return NULL;
    }
    PyObject *values[MOST_ARGUMENTS + 1] = {NULL};
    for (i = 0; i < total; i++) {
        values[i + 1] = args[i] == out ? Py_NewRef(memory) : in_memory(args[i], &taken);
        if (values[i + 1] == NULL) {
            goto done;
        }
    }
    PyObject *value = PyObject_Vectorcall(call->whole, values + 1,
                                          count | PY_VECTORCALL_ARGUMENTS_OFFSET, names);
    if (value == NULL) {
        if (PyErr_ExceptionMatches(PyExc_FloatingPointError)) {
            if (is_array(target)) {
                wrote((Array *)target, memory); /* the exception came after the result was written */
            }
        }
        else {
            was_refused();
        }
        goto done;
    }
    Py_DECREF(value);
    if (!is_array(target) || !wrote((Array *)target, memory)) {
        result = Py_NewRef(target);
    }
done:
    for (i = 0; i < total; i++) {
        Py_XDECREF(values[i + 1]);
    }
    return result;
}

/* Return the result of a call of any arguments; NULL without an error: Python has to see to it. */
static PyObject *
general_call(Call *call, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    PyObject *result = fast_general(call, args, count, names);
    if (result == NULL && call->flags & WRITES && !PyErr_Occurred()) {
        result = fast_into(call, args, count, names);
    }
    return result;
}

static PyObject *
nb_divmod(PyObject *a, PyObject *b)
{
    PyObject *pair[2] = {a, b}, *call = PyDict_GetItemWithError(state.calls, state.divmod);
    PyObject *result = call == NULL ? NULL : fast_general((Call *)call, pair, 2, NULL);
    return result != NULL || PyErr_Occurred() ? result : slow_binary(DIVMOD, a, b);
}
