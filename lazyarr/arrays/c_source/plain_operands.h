/* Large ndarrays of the program among operands: the program may write to them after the call, so that the result is
   computed before that. See plain_operands.py. */

/* References to an operand that nothing but the caller's stack refers to, to one of a ufunc of NumPy's, which has
   tuples of its operands, and to one of a function of NumPy's, at least. */
#define OF_STACK 1
#define OF_UFUNC 4
#define OF_FUNCTION 2
/* Sequences of sequences of arrays that are looked at. */
#define MOST_NESTED_OPERANDS 3

/* Return whether an object has a name beside so many references. */
static inline int
has_name(PyObject *x, Py_ssize_t references)
{
    return Py_REFCNT(x) > references || is_lent(x);
}

/* Return whether the program may write to an operand, or to one in a sequence, that is larger than what
   expressions copy. */
static int
may_be_written(PyObject *x, Py_ssize_t most, Py_ssize_t references, int nested)
{
    if (PyList_CheckExact(x) || PyTuple_CheckExact(x)) {
        Py_ssize_t items = has_name(x, references) ? 0 : 1;
        int written = 0;
        for (Py_ssize_t i = 0; nested < MOST_NESTED_OPERANDS && !written && i < PySequence_Fast_GET_SIZE(x); i++) {
            PyObject *item = PySequence_Fast_GET_ITEM(x, i);
            written = (PyArray_Check(item) || PyList_CheckExact(item) || PyTuple_CheckExact(item))
                && may_be_written(item, most, items, nested + 1);
        }
        return written;
    }
    if (!PyArray_Check(x) || PyArray_SIZE((PyArrayObject *)x) <= most) {
        return 0;
    }
    PyObject *base = PyArray_BASE((PyArrayObject *)x);
    int writeable = PyArray_ISWRITEABLE((PyArrayObject *)x);
    if (base == NULL) {
        return writeable && has_name(x, references);
    }
    if (!PyArray_Check(base)) {
        return writeable; /* memory of another object */
    }
    return (writeable || PyArray_ISWRITEABLE((PyArrayObject *)base)) && (has_name(x, references) || Py_REFCNT(base) > 1);
}

/* Return whether the program may write to one of some operands; what is made of them holds references, too. */
static inline int
any_may_be_written(PyObject *const *args, Py_ssize_t count, Py_ssize_t references)
{
    Py_ssize_t most = 0;
    for (Py_ssize_t i = 0; i < count; i++) {
        if (PyArray_Check(args[i]) || PyList_CheckExact(args[i]) || PyTuple_CheckExact(args[i])) {
            most = most > 0 ? most : limit_now();
            if (most <= 0) {
                PyErr_Clear();
                return 0;
            }
            if (may_be_written(args[i], most, references, 0)) {
                return 1;
            }
        }
    }
    return 0;
}

/* Return whether an argument is an ndarray of truth values. */
static inline int
is_plain_mask(PyObject *x)
{
    return PyArray_CheckExact(x) && PyArray_TYPE((PyArrayObject *)x) == NPY_BOOL;
}

/* The same of the values of a dictionary. */
static inline int
any_value_may_be_written(PyObject *values, Py_ssize_t references)
{
    PyObject *name, *value;
    Py_ssize_t place = 0;
    int written = 0;
    while (values != NULL && !written && PyDict_Next(values, &place, &name, &value)) {
        written = any_may_be_written(&value, 1, references);
    }
    return written;
}

/* Return whether an operand, or an item of a sequence, is an expression that is not computed. */
static int
waits(PyObject *x, int nested)
{
    if (!PyList_CheckExact(x) && !PyTuple_CheckExact(x)) {
        return is_array(x) && is_pending(x);
    }
    int pending = nested == MOST_NESTED_OPERANDS;
    for (Py_ssize_t i = 0; !pending && i < PySequence_Fast_GET_SIZE(x); i++) {
        pending = waits(PySequence_Fast_GET_ITEM(x, i), nested + 1);
    }
    return pending;
}

/* Let NumPy run at once on many elements, if no operand is an expression: nothing fuses with an operation whose result
   is computed at the call, and a plan of it alone takes longer. Return whether it does; -1 with an error. */
static int
begin_handing(PyObject *const *args, Py_ssize_t count)
{
    Py_ssize_t most = limit_of_settings();
    if (most <= 0 || known_sparing) {
        return most < 0 ? -1 : 0;
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        if (waits(args[i], 0)) {
            return 0;
        }
    }
    if (handed_factor() < 0) {
        return -1;
    }
    handing = PyThreadState_Get();
    return 1;
}

/* No longer do. */
static inline void
end_handing(void)
{
    if (hands_over()) {
        handing = NULL;
    }
}

/* Return the operands that are expressions and have a name, so that the program may go on with them: a list; NULL
   without an error: there are none. */
static PyObject *
named_expressions(PyObject *const *args, Py_ssize_t count, Py_ssize_t references)
{
    PyObject *named = NULL;
    for (Py_ssize_t i = 0; i < count; i++) {
        if (is_array(args[i]) && is_pending(args[i]) && has_name(args[i], references)
            && ((named == NULL && (named = PyList_New(0)) == NULL) || PyList_Append(named, args[i]) < 0)) {
            Py_XDECREF(named);
            return NULL;
        }
    }
    return named;
}

/* Return a result (whose reference is taken), computed if the program may write to what it is made of; NULL with
   an error. `owns` is whether the function never returns views of its operands. The list of named expressions among
   these, whose reference is taken, may be NULL. */
static PyObject *
read_with(PyObject *result, int may_change, int owns, PyObject *named)
{
    if (!may_change || result == NULL || PyList_GET_SIZE(state.running) || !in_users_code()) {
        Py_XDECREF(named);
        return result;
    }
    PyObject *none = PyObject_CallFunctionObjArgs(state.compute_results, result, owns ? Py_True : Py_False, named, NULL);
    Py_XDECREF(named);
    if (none == NULL) {
        Py_CLEAR(result);
    }
    Py_XDECREF(none);
    return result;
}

/* The same of operands among which no expression is looked for. */
static inline PyObject *
read_at_call(PyObject *result, int may_change, int owns)
{
    return read_with(result, may_change, owns, NULL);
}
