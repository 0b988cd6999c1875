/* Pending arguments of functions that no kernel computes sooner: they are computed for the call. */

/* Return whether no keyword has another meaning here than in NumPy, but the one of that number. */
static int
none_refused(Call *call, PyObject *names, Py_ssize_t output)
{
    for (Py_ssize_t i = 0; names != NULL && i < PyTuple_GET_SIZE(names); i++) {
        if (i != output && PySet_Contains(call->refused, PyTuple_GET_ITEM(names, i)) != 0) {
            PyErr_Clear();
            return 0;
        }
    }
    return 1;
}

/* Which pending arguments are computed for a call: all of them, those of one operation on memory, and, beside
   these, those of a name, of which other statements make more. */
enum { ANY_ARGUMENT, ONE_OPERATION, NAMED_TOO };

/* Return the elements of an argument, those of pending arrays included, and whether any is pending;
   a negative number: it has others than arrays that are in memory or may be computed. */
static double
elements_of(PyObject *x, int *pending, int which)
{
    if (is_pending(x)) {
        *pending = 1;
        int waits = which != ANY_ARGUMENT && !(which == NAMED_TOO && has_name(x, OF_STACK))
            && !is_one_operation((Node *)((Array *)x)->node);
        return waits ? -1 : (double)size_of((Node *)((Array *)x)->node);
    }
    if (is_array(x)) {
        PyObject *memory = Py_XNewRef(memory_of((Array *)x));
        memory = memory == NULL ? leaf_memory((Array *)x) : memory;
        double size = memory == NULL ? -1 : PyArray_CheckExact(memory)
            ? (double)PyArray_SIZE((PyArrayObject *)memory) : 1;
        Py_XDECREF(memory);
        return size;
    }
    if (PyArray_CheckExact(x)) {
        return (double)PyArray_SIZE((PyArrayObject *)x);
    }
    double elements = 0, own = 0;
    if (PyList_CheckExact(x) || PyTuple_CheckExact(x)) {
        for (Py_ssize_t i = 0; own >= 0 && i < PySequence_Fast_GET_SIZE(x); i++) {
            PyObject *item = PySequence_Fast_GET_ITEM(x, i);
            own = PyList_CheckExact(item) || PyTuple_CheckExact(item) ? 0 : elements_of(item, pending, which);
            elements += own;
        }
    }
    return own < 0 ? -1 : elements;
}

static int
compute_argument(PyObject *x)
{
    int failed = 0;
    if (is_pending(x)) {
        return compute_pending(x) < 0 ? -1 : 0;
    }
    if (PyList_CheckExact(x) || PyTuple_CheckExact(x)) {
        for (Py_ssize_t i = 0; !failed && i < PySequence_Fast_GET_SIZE(x); i++) {
            PyObject *item = Py_NewRef(PySequence_Fast_GET_ITEM(x, i));
            failed = is_pending(item) && compute_pending(item) < 0 ? -1 : 0;
            Py_DECREF(item);
        }
    }
    return failed;
}

/* Let those pending arguments of a function that no kernel computes sooner have memory, where all of
   them are few elements; return -1 with an error. */
static int
compute_arguments(PyObject *const *args, Py_ssize_t total, double most, int which)
{
    double elements = 0;
    int pending = 0, failed = 0;
    for (Py_ssize_t i = 0; i < total; i++) {
        double own = elements_of(args[i], &pending, which);
        elements += own;
        if (own < 0 || elements > most) {
            return 0;
        }
    }
    for (Py_ssize_t i = 0; pending && !failed && i < total; i++) {
        failed = compute_argument(args[i]);
    }
    return failed;
}
