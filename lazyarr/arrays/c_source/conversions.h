/* Conversions of arrays to numbers of Python's. */

/* Return the number that an array stands for, borrowed; NULL if Python has to see to it. A pending
   one that nothing else is made of is computed. */
static inline PyObject *
number_of(PyObject *x)
{
    if (is_pending(x) && !PyTuple_GET_SIZE(((Node *)((Array *)x)->node)->shape)
        && Py_REFCNT(((Array *)x)->node) == 1 && compute_pending(x) < 0) {
        return NULL;
    }
    PyObject *memory = memory_of((Array *)x);
    return memory == NULL || PyArray_CheckExact(memory) ? NULL : memory;
}

static PyObject *
nb_float(PyObject *x)
{
    if (((Array *)x)->is_double) {
        return PyFloat_FromDouble(((Array *)x)->number);
    }
    PyObject *number = number_of(x);
    if (number == NULL && PyErr_Occurred()) {
        return NULL;
    }
    return number == NULL || PyComplex_Check(number) || Py_TYPE(number) == &PyCFloatArrType_Type
        ? PyObject_CallOneArg(state.slow_float, x)
        : PyNumber_Float(number);
}

static PyObject *
nb_int(PyObject *x)
{
    PyObject *number = number_of(x);
    if (number == NULL && PyErr_Occurred()) {
        return NULL;
    }
    return number == NULL || PyComplex_Check(number) || Py_TYPE(number) == &PyCFloatArrType_Type
        ? PyObject_CallOneArg(state.slow_int, x)
        : PyNumber_Long(number);
}

/* Raise the error of an array that is no index, as __index__ of base.py does, which costs as much as a small
   operation: NumPy asks each index of an ndarray first whether it is a number. -1 always. */
static int
refuse_index(void)
{
    static PyObject *kind, *arguments, *names[3];
    if (kind == NULL) {
        names[0] = PyUnicode_InternFromString("message");
        names[1] = PyUnicode_InternFromString("origin");
        names[2] = PyUnicode_InternFromString("hint");
        PyObject *errors = PyImport_ImportModule("lazyarr.errors");
        kind = errors == NULL ? NULL : PyObject_GetAttrString(errors, "DTypeError");
        Py_XDECREF(errors);
    }
    if (arguments == NULL) {
        arguments = Py_BuildValue("(s)", "only integer scalar arrays can be converted to a scalar index");
    }
    if (kind == NULL || arguments == NULL || names[0] == NULL || names[1] == NULL || names[2] == NULL) {
        return -1;
    }
    PyObject *line = current_line(), *error = NULL;
    if (!PyErr_Occurred()) {
        error = ((PyTypeObject *)kind)->tp_new((PyTypeObject *)kind, arguments, NULL);
    }
    if (error != NULL
        && PyObject_SetAttr(error, names[0], PyTuple_GET_ITEM(arguments, 0)) == 0
        && PyObject_SetAttr(error, names[1], line == NULL ? Py_None : line) == 0
        && PyObject_SetAttr(error, names[2], Py_None) == 0) {
        PyErr_SetObject(kind, error);
    }
    Py_XDECREF(line);
    Py_XDECREF(error);
    return -1;
}

static PyObject *
nb_index(PyObject *x)
{
    PyObject *memory = is_array(x) && limit_now() > 0 ? memory_of((Array *)x) : NULL;
    if (memory != NULL && PyArray_CheckExact(memory) && PyArray_NDIM((PyArrayObject *)memory)) {
        refuse_index();
        return NULL;
    }
    PyObject *number = PyErr_Occurred() ? NULL : number_of(x);
    if (number == NULL && PyErr_Occurred()) {
        return NULL;
    }
    return number == NULL || !PyArray_IsScalar(number, Integer)
        ? PyObject_CallOneArg(state.slow_index, x)
        : PyNumber_Index(number);
}

static int
nb_bool(PyObject *x)
{
    Array *array = (Array *)x;
    PyObject *memory = is_array(x) && array->owner == NULL ? array->memory : NULL;
    if ((memory == PyArrayScalar_True || memory == PyArrayScalar_False) && limit_now() > 0) {
        return memory == PyArrayScalar_True;
    }
    PyObject *number = number_of(x);
    if (number != NULL) {
        return PyObject_IsTrue(number);
    }
    if (PyErr_Occurred()) {
        return -1;
    }
    PyObject *result = PyObject_CallOneArg(state.slow_bool, x);
    if (result == NULL) {
        return -1;
    }
    int truth = PyObject_IsTrue(result);
    Py_DECREF(result);
    return truth;
}
