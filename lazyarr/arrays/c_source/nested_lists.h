/* Arrays of lists, of numbers and small arrays in them: NumPy asks each array for its buffer. */

#define MOST_LEVELS 8

/* The lengths of what a list holds, and of which dtypes that is; -1: not known yet. */
typedef struct {
    int ndim;
    npy_intp shape[MOST_LEVELS];
    Py_ssize_t past, left; /* elements that there may be in one place of the levels that are known */
    int doubles, arrays;
} Nest;

/* Note the length of a level; return whether it is that of the others there. */
static inline int
note_length(Nest *nest, int level, npy_intp length)
{
    if (level >= MOST_LEVELS || !length || (nest->shape[level] >= 0 && nest->shape[level] != length)) {
        return 0;
    }
    if (nest->shape[level] < 0) {
        nest->shape[level] = length;
        nest->left /= length;
    }
    return nest->left > 0;
}

/* Return a number of a list as a double, or as an integer; neither is one that NumPy has to see to. */
static inline int
leaf_number(PyObject *x, double *real, npy_long *integer, int *is_integer)
{
    PyObject *value = is_array(x) && !((Array *)x)->is_double ? memory_of((Array *)x) : x;
    *is_integer = 0;
    if (value == NULL) {
        return 0;
    }
    if (PyLong_CheckExact(value)) {
        int overflow;
        *integer = PyLong_AsLongAndOverflow(value, &overflow);
        *real = (double)*integer;
        *is_integer = 1;
        return !overflow && *integer <= MOST_EXACT && *integer >= -MOST_EXACT;
    }
    if (Py_TYPE(value) == &PyLongArrType_Type) {
        *integer = PyArrayScalar_VAL(value, Long);
        *real = (double)*integer;
        *is_integer = 1;
        return 1;
    }
    return as_double(value, real);
}

/* Return the ndarray that an item of a list is, or is in memory as, borrowed; NULL: it is none. */
static inline PyObject *
ndarray_in(PyObject *x)
{
    PyObject *memory = is_array(x) && !((Array *)x)->is_double ? memory_of((Array *)x) : x;
    return memory != NULL && PyArray_CheckExact(memory) ? memory : NULL;
}

/* Note all that is in a list, at a level of others; return whether it is an array of numbers so far. */
static int
note_nested(Nest *nest, PyObject *x, int level)
{
    if (PyList_CheckExact(x) || PyTuple_CheckExact(x)) {
        Py_ssize_t length = PySequence_Fast_GET_SIZE(x);
        if ((nest->ndim >= 0 && level >= nest->ndim) || !note_length(nest, level, length)) {
            return 0;
        }
        for (Py_ssize_t i = 0; i < length; i++) {
            if (!note_nested(nest, PySequence_Fast_GET_ITEM(x, i), level + 1)) {
                return 0;
            }
        }
        return 1;
    }
    PyObject *memory = ndarray_in(x);
    nest->arrays |= is_array(x);
    nest->past += past_of(x);
    int axes = 0;
    if (memory != NULL) {
        PyArrayObject *array = (PyArrayObject *)memory;
        axes = PyArray_NDIM(array);
        for (int axis = 0; axis < axes; axis++) {
            if (!note_length(nest, level + axis, PyArray_DIM(array, axis))) {
                return 0;
            }
        }
        nest->doubles |= PyArray_TYPE(array) == NPY_DOUBLE;
        if ((PyArray_TYPE(array) != NPY_DOUBLE && PyArray_TYPE(array) != NPY_LONG) || !PyArray_ISCARRAY_RO(array)) {
            return 0;
        }
    }
    else {
        double real;
        npy_long integer;
        int is_integer;
        if (!leaf_number(x, &real, &integer, &is_integer)) {
            return 0;
        }
        nest->doubles |= !is_integer;
    }
    if (nest->ndim < 0) {
        nest->ndim = level + axes;
    }
    return nest->ndim == level + axes;
}

/* Write what is in a list; return the place behind it, NULL: it has changed meanwhile. */
static char *
write_nested(const Nest *nest, PyObject *x, int level, char *out, int code)
{
    if (level < nest->ndim && (PyList_CheckExact(x) || PyTuple_CheckExact(x))) {
        for (npy_intp i = 0; out != NULL && i < nest->shape[level]; i++) {
            out = i < PySequence_Fast_GET_SIZE(x)
                ? write_nested(nest, PySequence_Fast_GET_ITEM(x, i), level + 1, out, code) : NULL;
        }
        return out;
    }
    PyObject *memory = ndarray_in(x);
    if (memory != NULL) {
        PyArrayObject *array = (PyArrayObject *)memory;
        if (PyArray_NDIM(array) != nest->ndim - level || !PyArray_ISCARRAY_RO(array)
            || !PyArray_CompareLists(PyArray_DIMS(array), nest->shape + level, PyArray_NDIM(array))) {
            return NULL;
        }
        npy_intp size = PyArray_SIZE(array);
        if (PyArray_TYPE(array) == code) {
            memcpy(out, PyArray_DATA(array), (size_t)size * 8);
        }
        else if (!cast_elements(out, code, PyArray_BYTES(array), PyArray_TYPE(array), size, 8)) {
            return NULL;
        }
        return out + size * 8;
    }
    double real;
    npy_long integer = 0;
    int is_integer;
    if (level != nest->ndim || !leaf_number(x, &real, &integer, &is_integer) || (code == NPY_LONG && !is_integer)) {
        return NULL;
    }
    memcpy(out, code == NPY_LONG ? (void *)&integer : (void *)&real, 8);
    return out + 8;
}

/* Return a new ndarray of the numbers and arrays in a list, of a dtype if that is not -1; NULL without an error:
   NumPy has to see to it. */
static PyObject *
nested_memory(PyObject *list, Py_ssize_t most, int asked, Nest *nest)
{
    *nest = (Nest){.ndim = -1, .left = most};
    for (int level = 0; level < MOST_LEVELS; level++) {
        nest->shape[level] = -1;
    }
    if (sizeof(npy_long) != 8 || !note_nested(nest, list, 0)) {
        return NULL;
    }
    int code = asked >= 0 ? asked : nest->doubles ? NPY_DOUBLE : NPY_LONG;
    if ((code != NPY_DOUBLE && code != NPY_LONG) || (code == NPY_LONG && nest->doubles)) {
        return NULL;
    }
    PyObject *memory = new_memory(nest->ndim, nest->shape, code);
    if (memory != NULL && write_nested(nest, list, 0, PyArray_BYTES((PyArrayObject *)memory), code) == NULL) {
        Py_CLEAR(memory);
    }
    return memory;
}
