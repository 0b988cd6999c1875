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

static PyObject *
nb_index(PyObject *x)
{
    PyObject *number = number_of(x);
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
