/* Methods of arrays in memory that need nothing of NumPy's, or whose result is no array. */

/* Methods that are looked at before NumPy's is called, and functions that write to an argument. */
enum {
    NO_OWN, COPY_METHOD, ASTYPE_METHOD, FILL_METHOD, SORT_METHOD, VIEW_METHOD, VALUE_METHOD,
    RAVEL_METHOD, RESHAPE_METHOD, COPYTO_FUNCTION, AT_FUNCTION, PUT_FUNCTION, DOT_METHOD
};

static int
own_method_of(const char *name)
{
    static const struct {
        const char *name;
        int own;
    } methods[] = {
        {"copy", COPY_METHOD}, {"astype", ASTYPE_METHOD}, {"fill", FILL_METHOD}, {"sort", SORT_METHOD}, {"view", VIEW_METHOD},
        {"dot", DOT_METHOD}, {"ravel", RAVEL_METHOD}, {"reshape", RESHAPE_METHOD}, {"item", VALUE_METHOD}, {"tolist", VALUE_METHOD}, {"tobytes", VALUE_METHOD},
    };
    for (size_t k = 0; k < Py_ARRAY_LENGTH(methods); k++) {
        if (strcmp(methods[k].name, name) == 0) {
            return methods[k].own;
        }
    }
    return NO_OWN;
}

/* Return which of the functions that write to an argument a function is. */
static int
writing_function_of(PyObject *function)
{
    PyObject *name = PyObject_GetAttrString(function, "__name__");
    const char *text = name != NULL && PyUnicode_Check(name) ? PyUnicode_AsUTF8(name) : NULL;
    int own = text == NULL ? NO_OWN : strcmp(text, "copyto") == 0 ? COPYTO_FUNCTION
        : strcmp(text, "at") == 0 ? AT_FUNCTION : strcmp(text, "put") == 0 ? PUT_FUNCTION : NO_OWN;
    Py_XDECREF(name);
    PyErr_Clear();
    return own;
}

/* Return the elements of an array in another dtype, or a copy, in C's order; NULL without an error: NumPy
   has to see to it. */
static PyObject *
cast_memory(PyArrayObject *memory, int code)
{
    int ndim = PyArray_NDIM(memory), own = PyArray_TYPE(memory), done = 1;
    npy_intp size = PyArray_SIZE(memory), item = PyArray_ITEMSIZE(memory);
    npy_intp stride = ndim == 1 ? PyArray_STRIDE(memory, 0) : item;
    if (!size || !ndim || !PyArray_ISBEHAVED_RO(memory)
        || !(PyArray_IS_C_CONTIGUOUS(memory) || (ndim == 1 && own != code))) {
        return NULL;
    }
    PyObject *result = new_memory(ndim, PyArray_DIMS(memory), code);
    char *out = result == NULL ? NULL : PyArray_BYTES((PyArrayObject *)result);
    if (result != NULL && own == code) {
        memcpy(out, PyArray_DATA(memory), (size_t)(size * item));
    }
    else if (result != NULL) {
        clear_exceptions();
        done = cast_elements(out, code, PyArray_BYTES(memory), own, size, stride) && !met_exceptions();
    }
    if (!done) {
        Py_CLEAR(result); /* NumPy computes it again, and warns */
    }
    return result;
}

/* Return a copy, or the elements in another dtype; NULL without an error: NumPy has to see to it. */
static PyObject *
converted_memory(Call *call, PyObject *memory, PyObject *const *args, Py_ssize_t count)
{
    PyArrayObject *array = (PyArrayObject *)memory;
    int code = PyArray_TYPE(array);
    if (call->own == ASTYPE_METHOD) {
        PyArray_Descr *dtype = NULL;
        if (count != 2 || args[1] == Py_None || !is_simple(args[1]) || !PyArray_DescrConverter(args[1], &dtype)) {
            PyErr_Clear();
            return NULL;
        }
        int known = is_known(dtype);
        code = dtype->type_num;
        Py_DECREF(dtype);
        if (!known) {
            return NULL;
        }
    }
    else if (count != 1) {
        return NULL;
    }
    return cast_memory(array, code);
}

/* Return the elements of an array in C's order in another shape, a view; NULL without an error: NumPy has to see
   to it. The integers are lengths, of which one may be -1. */
static PyObject *
reshaped_memory(PyArrayObject *memory, PyObject *const *lengths, Py_ssize_t count)
{
    npy_intp shape[NPY_MAXDIMS], size = PyArray_SIZE(memory), product = 1;
    Py_ssize_t open = -1;
    if (count == 1 && PyTuple_CheckExact(lengths[0])) {
        count = PyTuple_GET_SIZE(lengths[0]);
        lengths = &PyTuple_GET_ITEM(lengths[0], 0);
    }
    if (!size || !PyArray_IS_C_CONTIGUOUS(memory) || count < 1 || count > NPY_MAXDIMS) {
        return NULL;
    }
    for (Py_ssize_t k = 0; k < count; k++) {
        int overflow;
        long length = PyLong_CheckExact(lengths[k]) ? PyLong_AsLongAndOverflow(lengths[k], &overflow) : 0;
        if (length == -1 && open < 0) {
            open = k;
            continue;
        }
        if (length < 1 || length > size / product) {
            return NULL;
        }
        shape[k] = length;
        product *= length;
    }
    if (open >= 0) {
        shape[open] = size / product;
        product *= shape[open];
    }
    if (product != size) {
        return NULL;
    }
    PyArray_Descr *dtype = PyArray_DESCR(memory);
    Py_INCREF(dtype);
    PyObject *view = PyArray_NewFromDescr(&PyArray_Type, dtype, (int)count, shape, NULL, PyArray_DATA(memory),
                                          PyArray_FLAGS(memory) & ~NPY_ARRAY_F_CONTIGUOUS, NULL);
    if (view != NULL && PyArray_SetBaseObject((PyArrayObject *)view, Py_NewRef((PyObject *)memory)) < 0) {
        Py_CLEAR(view);
    }
    return view;
}

/* Return a view of all elements in another shape; NULL without an error: NumPy has to see to it. */
static PyObject *
reshaped(Call *call, PyObject *memory, PyObject *const *args, Py_ssize_t count)
{
    PyObject *all = NULL, *known = NULL, *result = NULL;
    if (call->own == RAVEL_METHOD ? count != 1 : count < 2) {
        return NULL;
    }
    if (call->own == RAVEL_METHOD && (all = PyLong_FromLong(-1)) == NULL) {
        return NULL;
    }
    PyObject *view = reshaped_memory((PyArrayObject *)memory, all == NULL ? args + 1 : &all, all == NULL ? count - 1 : 1);
    Py_XDECREF(all);
    if (view != NULL && (count == 1 || (known = arguments(args, count, NULL)) != NULL)) {
        result = view_of((Array *)args[0], view, (PyObject *)call, known);
        view = NULL;
    }
    Py_XDECREF(view);
    Py_XDECREF(known);
    return result;
}

/* Sort an array in memory along an axis, and return None; NULL without an error: Python has to see to it. */
static PyObject *
sorted_in_place(Array *array, PyObject *const *args, Py_ssize_t count)
{
    int overflow = 0;
    long axis = count < 2 ? -1 : PyLong_CheckExact(args[1]) ? PyLong_AsLongAndOverflow(args[1], &overflow) : NPY_MAXDIMS;
    PyArrayObject *memory = PyDict_GET_SIZE(state.donated) ? NULL : writable_memory(array);
    int ndim = memory == NULL ? 0 : PyArray_NDIM(memory);
    if (count > 2 || overflow || axis >= ndim || axis < -ndim) {
        return NULL;
    }
    Py_INCREF(memory);
    int failed = PyArray_Sort(memory, (int)axis, NPY_QUICKSORT) < 0 || wrote(array, (PyObject *)memory) < 0;
    Py_DECREF(memory);
    return failed ? NULL : Py_NewRef(Py_None);
}

/* Return the result of a method that is known here; NULL without an error: NumPy, or Python, has to see to
   it. */
static PyObject *
own_method(Call *call, PyObject *const *args, Py_ssize_t count, Py_ssize_t most)
{
    Array *array = (Array *)args[0];
    PyObject *result = NULL;
    if (call->own == FILL_METHOD) {
        int plain = count == 2 && (PyFloat_CheckExact(args[1]) || PyLong_CheckExact(args[1]));
        return !plain || array->memory == NULL || !PyArray_CheckExact(array->memory)
                || !PyArray_NDIM((PyArrayObject *)array->memory) || assign(args[0], Py_Ellipsis, args[1]) < 0
            ? NULL : Py_NewRef(Py_None);
    }
    if (call->own == SORT_METHOD) {
        return compute_shown(args[0]) < 0 ? NULL : sorted_in_place(array, args, count);
    }
    if ((call->own == RAVEL_METHOD || call->own == RESHAPE_METHOD) && compute_shown(args[0]) < 0) {
        return NULL;
    }
    PyObject *memory = memory_of(array);
    if (memory == NULL || (PyDict_GET_SIZE(state.donated) && call->own != VIEW_METHOD)) {
        return NULL;
    }
    Py_INCREF(memory);
    if (call->own == VIEW_METHOD && count == 1 && PyArray_CheckExact(memory)) {
        result = subscript(args[0], Py_Ellipsis);
    }
    else if (call->own >= RAVEL_METHOD && PyArray_CheckExact(memory)) {
        result = reshaped(call, memory, args, count);
    }
    else if (call->own == VALUE_METHOD) {
        PyObject *values[MOST_ARGUMENTS + 1] = {NULL, memory};
        for (Py_ssize_t i = 1; i < count; i++) {
            values[i + 1] = args[i];
        }
        result = PyObject_VectorcallMethod(call->name, values + 1, (size_t)count | PY_VECTORCALL_ARGUMENTS_OFFSET,
                                           NULL);
    }
    else if (call->own <= ASTYPE_METHOD && PyArray_CheckExact(memory) && PyArray_SIZE((PyArrayObject *)memory) <= most
             && (result = converted_memory(call, memory, args, count)) != NULL) {
        PyObject *known = count == 1 ? NULL : arguments(args, count, NULL);
        result = count > 1 && known == NULL ? NULL
            : computed(result, (PyObject *)call, args[0], known, array->past);
        Py_XDECREF(known);
    }
    Py_DECREF(memory);
    return result;
}

/* Return whether NumPy's method may be called where none of this file has given the result. */
static inline int
may_be_numpys(Call *call, PyObject *const *args, Py_ssize_t count)
{
    return call->own <= ASTYPE_METHOD || call->own >= RAVEL_METHOD || (call->own == VIEW_METHOD && count == 2 && args[1] != Py_None);
}
