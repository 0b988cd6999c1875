/* Functions that are no ufuncs and write to ``out=``. */

/* Return the array of an output, which may be in a tuple of one. */
static inline PyObject *
target_of(PyObject *out)
{
    return PyTuple_CheckExact(out) && PyTuple_GET_SIZE(out) == 1 ? PyTuple_GET_ITEM(out, 0) : out;
}

/* Return the number of the keyword ``out`` whose value is an array, NumPy's or a lazy one, or a tuple of one;
   -1: there is none. */
static Py_ssize_t
output_among(PyObject *const *values, PyObject *names)
{
    for (Py_ssize_t i = 0; names != NULL && i < PyTuple_GET_SIZE(names); i++) {
        if (is_named(PyTuple_GET_ITEM(names, i), "out")) {
            PyObject *target = target_of(values[i]);
            return is_array(target) || PyArray_CheckExact(target) ? i : -1;
        }
    }
    return -1;
}

/* Return whether any of so many arguments has complex elements, or is not in memory, those in sequences included. */
static int
any_complex(PyObject *const *args, Py_ssize_t count)
{
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *x = args[i];
        int is_complex = PyComplex_Check(x);
        if (is_array(x)) {
            PyObject *memory = memory_of((Array *)x);
            is_complex = memory == NULL || PyArray_IsScalar(memory, ComplexFloating)
                || (PyArray_Check(memory) && PyArray_ISCOMPLEX((PyArrayObject *)memory));
        }
        else if (PyArray_Check(x)) {
            is_complex = PyArray_ISCOMPLEX((PyArrayObject *)x);
        }
        if (is_complex || ((PyList_CheckExact(x) || PyTuple_CheckExact(x))
                      && any_complex(PySequence_Fast_ITEMS(x), PySequence_Fast_GET_SIZE(x)))) {
            return 1;
        }
    }
    return 0;
}

/* Return whether NumPy takes memory as an output of a function: BLAS writes to memory in C's order alone. */
static inline int
takes_layout(Call *call, PyArrayObject *memory)
{
    int is_product = call->own == DOT_METHOD || (call->kind == FUNCTION && call->fits == PRODUCT);
    return !is_product || PyArray_IS_C_CONTIGUOUS(memory);
}

/* Return the output of a function that is no ufunc's call, after its result was written to it; NULL without an error: it
   has none, or Python has to see to it. NumPy writes beside the output, which operands may show and which stays as it
   is if there is an exception: to a copy, since `take` and others cast the elements that an output of another dtype has. */
static PyObject *
general_into(Call *call, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    Py_ssize_t total = count + (names == NULL ? 0 : PyTuple_GET_SIZE(names)), most = limit_now();
    Py_ssize_t output = most > 0 && total <= MOST_ARGUMENTS ? output_among(args + count, names) : -1;
    int pending = 0;
    if (output < 0 || !count || elements_of(args[0], &pending, 0) > (double)most * (double)state.cheaper) {
        return NULL; /* kernels reduce more elements sooner */
    }
    PyObject *all[MOST_ARGUMENTS], *out = args[count + output], *result = NULL;
    PyObject *target = target_of(out), *memory = output_memory(target, most_at_once(call, most));
    if (memory != NULL && PyArray_NDIM((PyArrayObject *)memory) == 0 && call->own == ACCUMULATED
        && (call->kind == CALLS || call->kind == FUNCTION)) {
        Py_CLEAR(memory); /* NumPy reads the output's first length whether it has one or not */
    }
    if (memory != NULL && !takes_layout(call, (PyArrayObject *)memory)) {
        Py_CLEAR(memory);
    }
    PyObject *before = memory == NULL ? NULL : begin_blocks(memory_bytes(memory));
    PyObject *apart = memory == NULL ? NULL : PyArray_NewCopy((PyArrayObject *)memory, NPY_KEEPORDER);
    if (memory != NULL) {
        end_blocks(before);
    }
    if (apart != NULL && any_complex(args, total)) {
        Py_CLEAR(apart); /* NumPy's Python code would warn of imaginary parts, of a line of its own */
    }
    if (apart != NULL) {
        memcpy(all, args, (size_t)total * sizeof(PyObject *));
        all[count + output] = apart;
        PyObject *value = general_value(call, all, count, names, output);
        int is_written = value == apart && PyArray_CopyInto((PyArrayObject *)memory, (PyArrayObject *)apart) == 0;
        Py_XDECREF(value);
        int failed = is_written && is_array(target) ? wrote((Array *)target, memory) : 0;
        result = is_written && !failed ? Py_NewRef(target) : NULL;
    }
    Py_XDECREF(apart);
    Py_XDECREF(memory);
    return result;
}
