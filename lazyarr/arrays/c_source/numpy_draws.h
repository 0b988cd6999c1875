/* Draws of NumPy's generators, whose functions are called as they are. */

/* Return whether an array may be the output of a draw: of functions that take one it is a keyword, or the third argument
   at the earliest. */
static int
is_output(Py_ssize_t place, Py_ssize_t count, PyObject *names)
{
    return place < count ? place > 1 : is_named(PyTuple_GET_ITEM(names, place - count), "out");
}

/* Longer lists are converted in Python, whose calls are little beside that. */
#define MOST_ELEMENTS_OF_LIST 64

/* Return whether something is a list of a few elements, none of which is an array or a list. */
static int
is_short_list(PyObject *x)
{
    Py_ssize_t count = PyList_CheckExact(x) ? PyList_GET_SIZE(x) : PyTuple_CheckExact(x) ? PyTuple_GET_SIZE(x) : -1;
    if (count > MOST_ELEMENTS_OF_LIST) {
        return 0;
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *item = PySequence_Fast_GET_ITEM(x, i);
        if (is_array(item) || PyList_CheckExact(item) || PyTuple_CheckExact(item)) {
            return 0;
        }
    }
    return count >= 0;
}

/* Put memory in the place of arrays among few arguments, all of which NumPy takes; return how many there are, -1:
   there is another one. Of a shuffle it is to be written to. */
static Py_ssize_t
arguments_of_draw(Call *call, PyObject *const *args, Py_ssize_t count, PyObject *names, PyObject **values)
{
    Py_ssize_t total = count + (names == NULL ? 0 : PyTuple_GET_SIZE(names)), most = limit_now(), past = 0;
    if (most <= 0 || total > MOST_ARGUMENTS) {
        return -1;
    }
    for (Py_ssize_t i = 0; i < total; i++) {
        int writes = call->fits && i == 0;
        PyObject *x = args[i];
        if (is_array(x) && !writes && is_output(i, count, names)) {
            return -1;
        }
        if (is_array(x)) {
            values[i] = writes ? Py_XNewRef((PyObject *)writable_memory((Array *)x)) : operand(x, most, &past);
        }
        else if (!writes && (is_simple(x) || is_number(x) || is_scalar(x) || is_short_list(x))) {
            values[i] = Py_NewRef(x);
        }
        if (values[i] == NULL) {
            return -1;
        }
    }
    return total;
}

/* Return the array of what was drawn (its reference is taken). */
static PyObject *
array_of_draw(Call *call, PyObject *value)
{
    if (PyFloat_CheckExact(value)) {
        Array *array = new_number();
        if (array != NULL) {
            array->is_double = 1;
            array->number = PyFloat_AS_DOUBLE(value);
        }
        Py_DECREF(value);
        return (PyObject *)array;
    }
    int overflow = PyLong_CheckExact(value) ? 0 : -1;
    long integer = overflow ? 0 : PyLong_AsLongAndOverflow(value, &overflow);
    if (!overflow) {
        PyObject *number = PyArrayScalar_New(Long);
        if (number != NULL) {
            PyArrayScalar_ASSIGN(number, Long, integer);
        }
        Py_DECREF(value);
        return drawn_array(number);
    }
    if (!PyArray_Check(value) && !PyArray_CheckScalar(value) && !PyBool_Check(value)
        && !PyComplex_Check(value)) {
        return value; /* an element of a list of others */
    }
    if (PyArray_CheckExact(value) && PyArray_BASE((PyArrayObject *)value) != NULL
        && PyArray_SIZE((PyArrayObject *)value) <= limit_now()) {
        Py_SETREF(value, PyArray_NewCopy((PyArrayObject *)value, NPY_KEEPORDER)); /* a part of what was drawn */
        if (value == NULL) {
            return NULL;
        }
    }
    PyArrayObject *memory = PyArray_CheckExact(value) ? (PyArrayObject *)value : NULL;
    if (memory != NULL ? PyArray_BASE(memory) == NULL && PyArray_NDIM(memory) && PyArray_SIZE(memory) <= limit_now()
                && is_known(PyArray_DESCR(memory)) && PyArray_CHKFLAGS(memory, NPY_ARRAY_OWNDATA)
                       : is_scalar(value)) {
        return drawn_array(value);
    }
    PyObject *result = PyObject_CallFunctionObjArgs(drawing.finished, call->theirs, value, NULL);
    Py_DECREF(value);
    return result;
}

/* Return a draw of NumPy's; NULL without an error: Python has to see to it. */
static PyObject *
numpys_draw(Call *call, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    PyObject *values[MOST_ARGUMENTS] = {NULL}, *result = NULL;
    PyObject *scope = drawing.local == NULL ? NULL : PyObject_GetAttr(drawing.local, str_scope);
    Py_XDECREF(scope); /* the thread has it */
    PyErr_Clear();
    Py_ssize_t total = scope == Py_None && !PyDict_GET_SIZE(state.donated)
        ? arguments_of_draw(call, args, count, names, values) : -1;
    if (total >= (call->fits ? 1 : 0)) {
        result = PyObject_Vectorcall(call->theirs, values, (size_t)count, names);
        if (call->fits && wrote((Array *)args[0], values[0]) < 0) {
            Py_CLEAR(result);
        }
        else if (result != NULL && !call->fits) {
            result = array_of_draw(call, result);
        }
    }
    for (Py_ssize_t i = 0; i < MOST_ARGUMENTS; i++) {
        Py_XDECREF(values[i]);
    }
    return result;
}

static PyObject *
numpys_draw_vectorcall(PyObject *self, PyObject *const *args, size_t flags, PyObject *names)
{
    Call *call = (Call *)self;
    PyObject *result = numpys_draw(call, args, PyVectorcall_NARGS(flags), names);
    return result != NULL || PyErr_Occurred()
        ? result : PyObject_Vectorcall(call->slow, args, (size_t)PyVectorcall_NARGS(flags), names);
}

/* install_draws(local, finished, most): enter what draws need to know. */
static PyObject *
install_draws(PyObject *Py_UNUSED(module), PyObject *args)
{
    PyObject *local, *finished;
    Py_ssize_t most;
    if (!PyArg_ParseTuple(args, "OOn", &local, &finished, &most)) {
        return NULL;
    }
    Py_XSETREF(drawing.local, Py_NewRef(local));
    Py_XSETREF(drawing.finished, Py_NewRef(finished));
    drawing.most = most;
    Py_RETURN_NONE;
}
