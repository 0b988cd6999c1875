/* New arrays of numbers, and arrays that are joined, which NumPy takes longer to begin than to write. */

static int
creation_of(PyObject *function)
{
    static const char *const names[] = {"", "empty", "zeros", "ones", "arange", "concatenate"};
    PyObject *name = PyObject_GetAttrString(function, "__name__");
    int own = JOINED_ARRAYS;
    while (own && (name == NULL || !PyUnicode_Check(name) || PyUnicode_CompareWithASCIIString(name, names[own]))) {
        own--;
    }
    const char *text = own || name == NULL || !PyUnicode_Check(name) ? NULL : PyUnicode_AsUTF8(name);
    if (text != NULL && (strcmp(text, "accumulate") == 0 || strstr(text, "cum") != NULL)) {
        own = ACCUMULATED;
    }
    Py_XDECREF(name);
    PyErr_Clear();
    return own;
}

/* Return whether numbers are integers and at least one float. */
static int
are_floats(PyObject *const *args, Py_ssize_t count)
{
    int floats = 0;
    for (Py_ssize_t i = 0; i < count; i++) {
        if (!PyFloat_CheckExact(args[i]) && !PyLong_CheckExact(args[i])) {
            return 0;
        }
        floats |= PyFloat_CheckExact(args[i]);
    }
    return floats;
}

/* Return whether the first arguments say that a new array has few enough elements. */
static int
creation_fits(int fits, PyObject *const *args, Py_ssize_t count, Py_ssize_t most)
{
    if (fits == SHAPED) {
        if (!PyTuple_CheckExact(args[0])) {
            if (!PyLong_CheckExact(args[0])) {
                return 0;
            }
            Py_ssize_t length = PyLong_AsSsize_t(args[0]);
            PyErr_Clear();
            return length >= 0 && length <= most;
        }
        Py_ssize_t size = 1;
        for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(args[0]); i++) {
            PyObject *item = PyTuple_GET_ITEM(args[0], i);
            Py_ssize_t length = PyLong_CheckExact(item) ? PyLong_AsSsize_t(item) : -1;
            PyErr_Clear();
            if (length < 0 || length > most || (size *= length) > most) {
                return 0;
            }
        }
        return 1;
    }
    if (count > 3) {
        return 0;
    }
    if (fits == COUNTED && are_floats(args, count)) {
        double ends[3] = {0, 0, 1};
        for (Py_ssize_t i = 0; i < count; i++) {
            ends[count == 1 ? 1 : i] = PyFloat_CheckExact(args[i]) ? PyFloat_AS_DOUBLE(args[i])
                                                  : PyLong_AsDouble(args[i]);
        }
        PyErr_Clear();
        double length = (ends[1] - ends[0]) / ends[2];
        return isfinite(length) && length <= (double)most;
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        Py_ssize_t bound = PyLong_CheckExact(args[i]) ? PyLong_AsSsize_t(args[i]) : most + 1;
        if (PyErr_Occurred()) {
            PyErr_Clear();
            return 0;
        }
        if (bound > most || bound < -most) {
            return 0;
        }
    }
    return 1;
}

/* Return the code of a dtype among the arguments, double precision if there is none; -1: NumPy looks at it. */
static int
created_code(PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    Py_ssize_t named = names == NULL ? 0 : PyTuple_GET_SIZE(names);
    PyArray_Descr *dtype = NULL;
    if (count + named == 1) {
        return NPY_DOUBLE;
    }
    if (count + named > 2 || args[1] == Py_None || !is_simple(args[1])
        || (named && PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(names, 0), "dtype"))
        || !PyArray_DescrConverter(args[1], &dtype)) {
        PyErr_Clear();
        return -1;
    }
    int code = is_known(dtype) ? dtype->type_num : -1;
    Py_DECREF(dtype);
    return code;
}

/* Return new memory of a shape; NULL without an error: NumPy has to see to it. */
static PyObject *
created_memory(Call *call, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    npy_intp shape[NPY_MAXDIMS], size = 1;
    PyObject *const *lengths = PyTuple_CheckExact(args[0]) ? &PyTuple_GET_ITEM(args[0], 0) : args;
    Py_ssize_t axes = PyTuple_CheckExact(args[0]) ? PyTuple_GET_SIZE(args[0]) : 1;
    int is_range = call->own == RANGE_ARRAY;
    int code = axes < 1 || axes > NPY_MAXDIMS || (is_range && (names != NULL || count != 1 || lengths != args))
        ? -1 : is_range ? NPY_LONG : created_code(args, count, names);
    for (Py_ssize_t k = 0; code >= 0 && k < axes; k++) {
        int overflow;
        shape[k] = PyLong_CheckExact(lengths[k]) ? PyLong_AsLongAndOverflow(lengths[k], &overflow) : -1;
        if (shape[k] < 1 || shape[k] > (npy_intp)LEAST_POOLED / size) {
            return NULL; /* zeros of many elements are the system's */
        }
        size *= shape[k];
    }
    if (code < 0 || (call->own == ONES_ARRAY && code != NPY_DOUBLE)) {
        return NULL;
    }
    PyObject *result = new_memory((int)axes, shape, code);
    void *data = result == NULL ? NULL : PyArray_DATA((PyArrayObject *)result);
    if (data != NULL && call->own == ZEROS_ARRAY) {
        memset(data, 0, (size_t)PyArray_NBYTES((PyArrayObject *)result));
    }
    for (npy_intp i = 0; data != NULL && call->own == ONES_ARRAY && i < size; i++) {
        ((double *)data)[i] = 1;
    }
    for (npy_intp i = 0; data != NULL && is_range && i < size; i++) {
        ((npy_long *)data)[i] = (npy_long)i;
    }
    return result;
}

/* Return vectors of one dtype, or arrays in C's order of the same rows, one behind the other; NULL without an
   error: NumPy has to see to it. */
static PyObject *
joined_memory(PyObject *parts)
{
    Py_ssize_t count = PyTuple_GET_SIZE(parts);
    npy_intp shape[NPY_MAXDIMS], length = 0;
    PyArrayObject *first = count ? (PyArrayObject *)PyTuple_GET_ITEM(parts, 0) : NULL;
    for (Py_ssize_t k = 0; k < count; k++) {
        PyArrayObject *part = (PyArrayObject *)PyTuple_GET_ITEM(parts, k);
        if (!PyArray_CheckExact((PyObject *)part) || PyArray_DESCR(part) != PyArray_DESCR(first)
            || PyArray_NDIM(part) != PyArray_NDIM(first) || !PyArray_NDIM(part) || !PyArray_ISBEHAVED_RO(part)
            || (PyArray_NDIM(part) > 1 && !PyArray_IS_C_CONTIGUOUS(part)) || !PyArray_SIZE(part)
            || !PyArray_CompareLists(PyArray_DIMS(part) + 1, PyArray_DIMS(first) + 1, PyArray_NDIM(part) - 1)) {
            return NULL;
        }
        length += PyArray_DIM(part, 0);
    }
    if (!count || (PyArray_NDIM(first) > 1 && PyArray_IS_F_CONTIGUOUS(first))) {
        return NULL;
    }
    memcpy(shape, PyArray_DIMS(first), (size_t)PyArray_NDIM(first) * sizeof(npy_intp));
    shape[0] = length;
    PyObject *result = new_memory(PyArray_NDIM(first), shape, PyArray_TYPE(first));
    char *out = result == NULL ? NULL : PyArray_BYTES((PyArrayObject *)result);
    for (Py_ssize_t k = 0; out != NULL && k < count; k++) {
        PyArrayObject *part = (PyArrayObject *)PyTuple_GET_ITEM(parts, k);
        npy_intp item = PyArray_ITEMSIZE(part), stride = PyArray_NDIM(part) == 1 ? PyArray_STRIDE(part, 0) : item;
        copy_row(out, item, PyArray_BYTES(part), stride, PyArray_SIZE(part), item);
        out += PyArray_NBYTES(part);
    }
    return result;
}
