/* Which values NumPy takes in the place of operands, and how many elements they broadcast to. */

static inline int
is_number(PyObject *x)
{
    return PyFloat_CheckExact(x) || PyLong_CheckExact(x) || PyBool_Check(x)
        || PyComplex_CheckExact(x);
}

/* Return whether lazyarr has a dtype. */
static inline int
is_known(PyArray_Descr *dtype)
{
    int code = dtype->type_num;
    return (code <= NPY_CDOUBLE && code != NPY_LONGDOUBLE && PyDataType_ISNOTSWAPPED(dtype))
        || (code == NPY_HALF && PyDataType_ISNOTSWAPPED(dtype));
}

/* Return whether an object is a number of NumPy's of a dtype that lazyarr has. */
static inline int
is_scalar(PyObject *x)
{
    PyTypeObject *type = Py_TYPE(x);
    return type == &PyDoubleArrType_Type || type == &PyLongArrType_Type
        || type == &PyBoolArrType_Type || type == &PyFloatArrType_Type
        || type == &PyIntArrType_Type || type == &PyCDoubleArrType_Type
        || type == &PyCFloatArrType_Type || type == &PyHalfArrType_Type
        || type == &PyByteArrType_Type || type == &PyUByteArrType_Type
        || type == &PyShortArrType_Type || type == &PyUShortArrType_Type
        || type == &PyUIntArrType_Type || type == &PyULongArrType_Type
        || type == &PyLongLongArrType_Type || type == &PyULongLongArrType_Type;
}

/* Return the memory of the leaf of an array that was wrapped or evaluated, a new reference; NULL if it
   has none in the host's memory. */
static PyObject *
leaf_memory(Array *x)
{
    Node *node = (Node *)x->node;
    if (node == NULL || x->memory != NULL || x->owner != NULL || state.nodes == NULL
        || Py_TYPE(node) != state.nodes->type || node->attr == NULL || PyTuple_GET_SIZE(node->src)
        || PyDict_GET_SIZE(state.donated)
        || PySet_Contains(state.hosted, (PyObject *)Py_TYPE(node->attr)) != 1) {
        PyErr_Clear();
        return NULL;
    }
    int code = ((PyArray_Descr *)node->dtype)->type_num;
    PyObject *memory = PyObject_GetAttr(node->attr, str_array);
    PyErr_Clear();
    if (memory != NULL
        && !(PyArray_CheckExact(memory) && PyArray_TYPE((PyArrayObject *)memory) == code
             && is_known(PyArray_DESCR((PyArrayObject *)memory)))) {
        Py_CLEAR(memory);
    }
    return memory;
}

/* Return what NumPy takes for an operand, a new reference; NULL if there is no such thing. */
static inline PyObject *
operand(PyObject *x, Py_ssize_t most, Py_ssize_t *past)
{
    if (is_array(x)) {
        PyObject *memory = memory_of((Array *)x);
        if (memory == NULL) {
            return NULL;
        }
        *past += ((Array *)x)->past;
        if (PyArray_CheckExact(memory) && PyArray_SIZE((PyArrayObject *)memory) > most) {
            return NULL;
        }
        return Py_NewRef(memory);
    }
    if (is_number(x) || is_scalar(x)) {
        return Py_NewRef(x);
    }
    if (PyArray_CheckExact(x) && is_known(PyArray_DESCR((PyArrayObject *)x))
        && PyArray_SIZE((PyArrayObject *)x) <= most) {
        return Py_NewRef(x);
    }
    return NULL;
}

/* The same, of an array that was wrapped or evaluated too: of which the result is no view. */
static inline PyObject *
read_operand(PyObject *x, Py_ssize_t most, Py_ssize_t *past)
{
    PyObject *memory = operand(x, most, past);
    if (memory != NULL || !is_array(x) || (memory = leaf_memory((Array *)x)) == NULL) {
        return memory;
    }
    if (PyArray_SIZE((PyArrayObject *)memory) > most) {
        Py_CLEAR(memory);
    }
    return memory;
}

/* Return whether operands broadcast to few enough elements. */
static int
broadcast_fits(PyObject *const *operands, Py_ssize_t count, Py_ssize_t most)
{
    PyArrayObject *first = NULL;
    int same = 1, ndim = 0;
    for (Py_ssize_t i = 0; i < count; i++) {
        if (!PyArray_CheckExact(operands[i])) {
            continue;
        }
        PyArrayObject *array = (PyArrayObject *)operands[i];
        if (first == NULL) {
            first = array;
            ndim = PyArray_NDIM(array);
        }
        else if (PyArray_NDIM(array) != PyArray_NDIM(first)
                 || !PyArray_CompareLists(PyArray_DIMS(array), PyArray_DIMS(first),
                                          PyArray_NDIM(first))) {
            same = 0;
            ndim = PyArray_NDIM(array) > ndim ? PyArray_NDIM(array) : ndim;
        }
    }
    if (same) {
        return 1; /* each was small */
    }
    npy_intp size = 1;
    for (int axis = 1; axis <= ndim; axis++) {
        npy_intp length = 1;
        for (Py_ssize_t i = 0; i < count; i++) {
            if (!PyArray_CheckExact(operands[i])) {
                continue;
            }
            PyArrayObject *array = (PyArrayObject *)operands[i];
            int place = PyArray_NDIM(array) - axis;
            npy_intp here = place < 0 ? 1 : PyArray_DIM(array, place);
            if (here != 1) {
                if (length != 1 && length != here) {
                    return 0;
                }
                length = here;
            }
        }
        size *= length;
        if (size > most) {
            return 0;
        }
    }
    return 1;
}

/* Return the bytes of an element of what an operand stands for; 0 of a number. */
static inline npy_intp
element_size(PyObject *x)
{
    PyObject *memory = is_array(x) ? ((Array *)x)->memory : x;
    return memory != NULL && PyArray_CheckExact(memory)
        ? PyArray_ITEMSIZE((PyArrayObject *)memory) : 0;
}

/* Return whether an operand is an array of floats or of complex numbers, in memory. */
static inline int
is_of_floats(PyObject *x)
{
    PyObject *memory = is_array(x) ? ((Array *)x)->memory : x;
    return memory != NULL && PyArray_CheckExact(memory)
        && !PyTypeNum_ISINTEGER(PyArray_TYPE((PyArrayObject *)memory))
        && !PyTypeNum_ISBOOL(PyArray_TYPE((PyArrayObject *)memory));
}

/* Return whether a number of Python's takes the dtype of an array beside it. */
static inline int
is_weaker(PyObject *number, PyObject *x)
{
    PyObject *memory = is_array(x) ? ((Array *)x)->memory : x;
    if (memory == NULL || !PyArray_CheckExact(memory)) {
        return 0;
    }
    int code = PyArray_TYPE((PyArrayObject *)memory);
    return PyLong_CheckExact(number) ? !PyTypeNum_ISBOOL(code)
        : PyFloat_CheckExact(number) && (PyTypeNum_ISFLOAT(code) || PyTypeNum_ISCOMPLEX(code));
}

/* Return on how many elements a cheap operator runs at once, if that many are of double precision:
   of shorter ones, on as many bytes. `same`: its result is no wider than its operands. */
static inline Py_ssize_t
most_of(Py_ssize_t most, PyObject *left, PyObject *right, int same)
{
    npy_intp a = element_size(left), b = element_size(right), longest = a > b ? a : b;
    return same && longest > 0 && longest < 8 ? most * 8 / longest : most;
}

/* Return whether a number makes a power a square, for which NumPy has a loop. */
static inline int
is_two(PyObject *exponent)
{
    int overflow;
    return PyLong_CheckExact(exponent) && PyLong_AsLongAndOverflow(exponent, &overflow) == 2;
}

static inline int
is_plain(PyObject *x)
{
    return PyLong_CheckExact(x) || x == Py_None || PyBool_Check(x);
}

static int
is_axis(PyObject *x)
{
    if (!PyTuple_CheckExact(x)) {
        return PyLong_CheckExact(x) || x == Py_None;
    }
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(x); i++) {
        if (!PyLong_CheckExact(PyTuple_GET_ITEM(x, i))) {
            return 0;
        }
    }
    return 1;
}

/* Return whether an argument is a number, None, a text, or a tuple of integers. */
static int
is_simple(PyObject *x)
{
    return is_plain(x) || PyFloat_CheckExact(x) || PyUnicode_CheckExact(x) || is_axis(x)
        || (PyType_Check(x)
            && (x == (PyObject *)&PyFloat_Type || x == (PyObject *)&PyLong_Type
                || x == (PyObject *)&PyBool_Type || x == (PyObject *)&PyComplex_Type
                || PyType_IsSubtype((PyTypeObject *)x, &PyGenericArrType_Type)))
        || PyArray_DescrCheck(x);
}
