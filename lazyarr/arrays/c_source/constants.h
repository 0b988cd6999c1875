/* Nodes of numbers next to expressions, which are kept. */

typedef struct {
    PyTypeObject *type;
    npy_uint64 bits;
    PyObject *dtype;
    PyObject *node;
} Constant;

static Constant constants[CONSTANTS];

/* From there on a number may overflow in a narrow dtype: each use of it is reported, so that its
   node is not kept. 65520 is the least that float16 rounds to infinity. */
static inline int
may_overflow(double value, PyObject *dtype)
{
    int code = ((PyArray_Descr *)dtype)->type_num;
    int is_narrow = code == NPY_HALF || code == NPY_FLOAT || code == NPY_CFLOAT
        || PyTypeNum_ISUSERDEF(code); /* bfloat16, which has the range of float32 */
    return is_narrow && (value >= 65520.0 || value <= -65520.0);
}

/* Return whether an integer of Python's is one of a dtype: floating-point numbers have all. */
static int
fits_in(PyObject *number, PyObject *dtype)
{
    int code = ((PyArray_Descr *)dtype)->type_num, overflow;
    if (!PyTypeNum_ISINTEGER(code)) {
        return !PyTypeNum_ISBOOL(code);
    }
    long long value = PyLong_AsLongLongAndOverflow(number, &overflow);
    int is_signed = PyTypeNum_ISSIGNED(code);
    npy_intp bits = 8 * PyDataType_ELSIZE((PyArray_Descr *)dtype) - is_signed;
    return !overflow && value >= (is_signed ? -(long long)(~0ULL >> (64 - bits)) - 1 : 0)
        && (unsigned long long)(value < 0 ? 0 : value) <= ~0ULL >> (64 - bits);
}

/* Return the node of a number of Python's in a dtype, a new reference. */
static PyObject *
constant_node(PyObject *number, PyObject *dtype)
{
    npy_uint64 bits = 0;
    PyTypeObject *type = Py_TYPE(number);
    int known = 1;
    if (PyFloat_CheckExact(number)) {
        double value = PyFloat_AS_DOUBLE(number);
        memcpy(&bits, &value, sizeof(bits));
        known = !may_overflow(value, dtype);
    }
    else if (PyBool_Check(number)) {
        bits = number == Py_True;
    }
    else if (PyLong_CheckExact(number)) {
        int overflow;
        long long value = PyLong_AsLongLongAndOverflow(number, &overflow);
        bits = (npy_uint64)value;
        known = !overflow && !may_overflow((double)value, dtype);
    }
    else {
        known = 0;
    }
    Constant *place = &constants[((bits ^ (bits >> 29) ^ (bits >> 47)) + ((size_t)dtype >> 4)
                                  + ((size_t)type >> 6)) % CONSTANTS];
    if (known && place->type == type && place->bits == bits && place->dtype == dtype) {
        return Py_NewRef(place->node);
    }
    PyObject *node = PyObject_CallFunctionObjArgs(state.constant, number, dtype, NULL);
    if (known && node != NULL) {
        place->type = type; /* one of Python's own, which stay */
        place->bits = bits;
        Py_XSETREF(place->dtype, Py_NewRef(dtype));
        Py_XSETREF(place->node, Py_NewRef(node));
    }
    return node;
}

/* Return whether an operand is a number of NumPy's in double precision, a constant of that dtype. */
static inline int
is_double_scalar(PyObject *op, PyObject *x)
{
    return Py_TYPE(x) == &PyDoubleArrType_Type && PySet_Contains(state.varying, op) == 0;
}

/* Return the constant of a number of NumPy's in double precision, a new reference. */
static Node *
constant_of_scalar(PyObject *x)
{
    PyObject *number = PyFloat_FromDouble(PyArrayScalar_VAL(x, Double)), *node = NULL;
    PyArray_Descr *dtype = PyArray_DescrFromType(NPY_DOUBLE);
    if (number != NULL && dtype != NULL) {
        node = constant_node(number, (PyObject *)dtype);
    }
    Py_XDECREF(number);
    Py_XDECREF(dtype);
    if (node != NULL && Py_TYPE(node) != state.nodes->type) {
        Py_CLEAR(node);
    }
    return (Node *)node;
}
