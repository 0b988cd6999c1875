/* Arrays of the user's memory, as asarray gives them: see `borrow` in storing.py. */

/* Return a view of memory whose base is no array, so that views of it name it and not the user's
   array as theirs. */
static PyObject *
region_of(PyArrayObject *array)
{
    PyArray_Descr *dtype = PyArray_DESCR(array);
    Py_INCREF(dtype);
    PyObject *shown = PyArray_NewFromDescr(
        &PyArray_Type, dtype, PyArray_NDIM(array), PyArray_DIMS(array), PyArray_STRIDES(array),
        PyArray_DATA(array), NPY_ARRAY_WRITEABLE, NULL);
    PyObject *base = shown == NULL ? NULL : PyTuple_Pack(1, array);
    if (base == NULL || PyArray_SetBaseObject((PyArrayObject *)shown, base) < 0) {
        Py_CLEAR(shown); /* the base's reference was taken */
    }
    return shown;
}

/* Return whether an array is a part in steps of a dense one that is not much larger: see `lies_in_steps` in storing.py. */
static int
lies_in_steps(PyArrayObject *array)
{
    npy_intp itemsize = PyArray_ITEMSIZE(array), span = itemsize;
    int ndim = PyArray_NDIM(array);
    for (int i = 0; i < ndim; i++) {
        npy_intp length = PyArray_DIM(array, i), stride = Py_ABS(PyArray_STRIDE(array, i));
        if (length == 1) {
            continue;
        }
        if (stride < itemsize || stride % itemsize) {
            return 0;
        }
        for (int k = 0; k < ndim; k++) {
            npy_intp slower = Py_ABS(PyArray_STRIDE(array, k));
            if (k != i && PyArray_DIM(array, k) > 1 && (slower == stride || (slower > stride && slower / stride < length))) {
                return 0;
            }
        }
        span += stride * (length - 1);
    }
    return span <= Py_MAX(STEPPED_BYTES, STEPPED_SPAN * PyArray_NBYTES(array));
}

/* Return whether an array's elements are small, in the host's order and found by where they lie, and its
   dtype is the one of its name. */
static int
can_wrap(PyArrayObject *array, Py_ssize_t most)
{
    PyArray_Descr *dtype = PyArray_DESCR(array);
    return is_known(dtype) && PyArray_SIZE(array) <= most && PyArray_SIZE(array) > 0
        && PyDict_GetItem(state.canonical, (PyObject *)dtype) == (PyObject *)dtype
        && PyArray_ISALIGNED(array) && PyArray_ISWRITEABLE(array)
        && (PyArray_IS_C_CONTIGUOUS(array) || PyArray_IS_F_CONTIGUOUS(array) || lies_in_steps(array));
}

/* Return whether a dtype that is asked for is that of an array. */
static int
is_dtype_of(PyArray_Descr *dtype, PyObject *asked)
{
    PyArray_Descr *descr = NULL;
    if (asked == NULL || asked == Py_None || asked == (PyObject *)dtype) {
        return 1;
    }
    if (!PyType_Check(asked) && !PyArray_DescrCheck(asked) && !PyUnicode_CheckExact(asked)) {
        return 0;
    }
    if (PyArray_DescrConverter(asked, &descr) == NPY_FAIL) {
        PyErr_Clear(); /* Python says what is wrong with it */
        return 0;
    }
    int same = descr == dtype;
    Py_DECREF(descr);
    return same;
}

/* Return the array of an ndarray, or an array in memory itself, in the dtype that it has; NULL
   without an error: Python has to see to it. */
static PyObject *
wrapped_memory(PyObject *const *args, Py_ssize_t count, PyObject *names, Py_ssize_t most)
{
    Py_ssize_t total = count + (names == NULL ? 0 : PyTuple_GET_SIZE(names));
    if (count < 1 || total > 2
        || (total > count && PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(names, 0), "dtype"))
        || PyDict_GET_SIZE(state.donated)) {
        return NULL;
    }
    PyObject *value = args[0], *asked = total == 2 ? args[1] : NULL;
    if (is_array(value)) {
        PyObject *memory = memory_of((Array *)value);
        int same = asked == NULL || asked == Py_None
            || (memory != NULL && PyArray_CheckExact(memory)
                && is_dtype_of(PyArray_DESCR((PyArrayObject *)memory), asked));
        return same ? Py_NewRef(value) : NULL;
    }
    if (!PyArray_CheckExact(value) || !can_wrap((PyArrayObject *)value, most)
        || !is_dtype_of(PyArray_DESCR((PyArrayObject *)value), asked)) {
        return NULL;
    }
    PyObject *shown = region_of((PyArrayObject *)value), *view_nodes = PyDict_New();
    Array *array = shown == NULL || view_nodes == NULL ? NULL : new_array(Py_NewRef(shown));
    Py_XDECREF(shown);
    if (array == NULL) {
        Py_XDECREF(view_nodes);
        return NULL;
    }
    array->history = Py_NewRef(state.borrowed);
    array->view_nodes = view_nodes; /* some node of its memory may be seen */
    array->past = PyArray_SIZE((PyArrayObject *)value) >> PAST_BITS;
    return (PyObject *)array;
}

#include "creations.h"
#include "nested_lists.h"

/* Return a new ndarray of small arrays in a list, all of one shape and dtype, and in memory; NULL without an
   error: they are others. */
static PyObject *
stacked_list(PyObject *list, Py_ssize_t most, Py_ssize_t *past)
{
    npy_intp count = PyList_GET_SIZE(list), shape[NPY_MAXDIMS];
    PyObject *x = count ? PyList_GET_ITEM(list, 0) : Py_None;
    PyObject *memory = is_array(x) ? memory_of((Array *)x) : NULL, *stack = NULL;
    PyArrayObject *first = (PyArrayObject *)memory;
    int ndim = first == NULL || !PyArray_CheckExact(memory) ? NPY_MAXDIMS : PyArray_NDIM(first);
    if (ndim + 1 >= NPY_MAXDIMS || PyArray_SIZE(first) > most || !is_known(PyArray_DESCR(first))) {
        return NULL;
    }
    shape[0] = count;
    memcpy(shape + 1, PyArray_DIMS(first), (size_t)ndim * sizeof(npy_intp));
    size_t bytes = (size_t)PyArray_NBYTES(first);
    Py_INCREF(memory); /* the first one's, whatever the collector of cycles calls meanwhile */
    PyObject *before = begin_blocks((double)bytes * (double)count);
    stack = PyArray_SimpleNew(ndim + 1, shape, PyArray_TYPE(first));
    end_blocks(before);
    for (npy_intp i = 0; stack != NULL && i < count; i++) {
        x = i < PyList_GET_SIZE(list) ? PyList_GET_ITEM(list, i) : Py_None;
        PyObject *own = is_array(x) ? memory_of((Array *)x) : NULL;
        PyArrayObject *part = (PyArrayObject *)own;
        *past += past_of(x);
        if (own == NULL || !PyArray_CheckExact(own) || PyArray_NDIM(part) != ndim
            || PyArray_TYPE(part) != PyArray_TYPE(first) || !PyArray_ISCARRAY_RO(part)
            || !PyArray_CompareLists(PyArray_DIMS(part), PyArray_DIMS(first), ndim)) {
            Py_CLEAR(stack);
            break;
        }
        memcpy(PyArray_BYTES((PyArrayObject *)stack) + (size_t)i * bytes, PyArray_BYTES(part), bytes);
    }
    Py_DECREF(memory);
    return stack;
}

/* Return the array of what is in a list, which remembers few operations; NULL without an error: NumPy has to see
   to it. */
static PyObject *
array_of_list(Call *call, PyObject *const *args, Py_ssize_t count, PyObject *names, Py_ssize_t most)
{
    Py_ssize_t past = 0, total = count + (names == NULL ? 0 : PyTuple_GET_SIZE(names));
    int asked = total == 1 ? -1 : created_code(args, count, names), remembers = call->fits == COPIED && total == 1;
    if (total > 2 || (total == 2 && asked < 0)) {
        return NULL;
    }
    int stacks = asked < 0 && PyList_CheckExact(args[0]) && PyList_GET_SIZE(args[0])
        && ndarray_in(PyList_GET_ITEM(args[0], 0)) != NULL;
    PyObject *stack = stacks ? stacked_list(args[0], most, &past) : NULL;
    if (stack == NULL) {
        Nest nest;
        stack = PyErr_Occurred() ? NULL : nested_memory(args[0], most, asked, &nest);
        if (stack == NULL) {
            return NULL;
        }
        past = nest.past;
        remembers &= nest.arrays;
    }
    Py_ssize_t own = PyArray_SIZE((PyArrayObject *)stack) >> PAST_BITS;
    if (!remembers || PySequence_Fast_GET_SIZE(args[0]) > MOST_OPERANDS || past + own >= state.most_past) {
        Array *result = new_array(stack);
        if (result != NULL) {
            result->past = own;
        }
        return (PyObject *)result;
    }
    PyObject *known = arguments(args, 1, NULL);
    if (known == NULL) {
        Py_DECREF(stack);
        return NULL;
    }
    PyObject *result = computed(stack, (PyObject *)call, Py_None, known, past);
    Py_DECREF(known);
    return result;
}

/* Return a copy of an array in memory, or its elements in another dtype; NULL without an error: NumPy, or Python, has
   to see to it. */
static PyObject *
array_of_array(Call *call, PyObject *const *args, Py_ssize_t count, PyObject *names, Py_ssize_t most)
{
    Py_ssize_t total = count + (names == NULL ? 0 : PyTuple_GET_SIZE(names));
    PyObject *memory = total > 2 || !is_array(args[0]) ? NULL : memory_of((Array *)args[0]), *result;
    int code = total == 1 ? -1 : created_code(args, count, names);
    PyArrayObject *array = (PyArrayObject *)memory;
    if (memory == NULL || !PyArray_CheckExact(memory) || PyArray_SIZE(array) > most || !PyArray_SIZE(array)
        || !is_known(PyArray_DESCR(array)) || (total == 2 && code < 0) || (total == 1 && call->fits == LISTED)) {
        return NULL;
    }
    Py_INCREF(memory);
    int same = code < 0 || code == PyArray_TYPE(array);
    result = same ? PyArray_NewCopy(array, NPY_KEEPORDER) : cast_memory(array, code);
    Py_DECREF(memory);
    if (result == NULL || total == 1) {
        return result == NULL ? NULL : computed(result, (PyObject *)call, args[0], NULL, past_of(args[0]));
    }
    Array *other = new_array(result);
    if (other != NULL) {
        other->past = PyArray_SIZE((PyArrayObject *)result) >> PAST_BITS;
    }
    return (PyObject *)other;
}

/* Return how many elements a new array may have whose dtype is among the arguments: as many bytes as of double
   precision. */
static Py_ssize_t
most_created(PyObject *const *args, Py_ssize_t total, Py_ssize_t most)
{
    for (Py_ssize_t i = 1; i < total; i++) {
        PyArray_Descr *dtype = NULL;
        if ((PyType_Check(args[i]) || PyArray_DescrCheck(args[i]))
            && PyArray_DescrConverter(args[i], &dtype) == NPY_SUCCEED) {
            npy_intp size = PyDataType_ELSIZE(dtype);
            Py_DECREF(dtype);
            return size > 0 && size < 8 ? most * 8 / size : most;
        }
        PyErr_Clear(); /* whoever makes the array says what is wrong with it */
    }
    return most;
}
