/* Reductions of arrays in memory by the functions and methods of that name. */

#include "short_reductions.h"

/* Divide a sum by the count of its elements, as numpy.mean does. Takes the sum's reference. */
static PyObject *
divided(PyObject *sum, npy_intp count)
{
    PyObject *number = PyLong_FromSsize_t(count), *result = NULL;
    if (number != NULL) {
        result = PyArray_CheckExact(sum) ? PyNumber_InPlaceTrueDivide(sum, number)
                                         : PyNumber_TrueDivide(sum, number);
        Py_DECREF(number);
    }
    Py_DECREF(sum);
    return result;
}

/* Read the arguments of a reduction; return whether they are known here. */
static int
set_reduction(PyObject *const *args, Py_ssize_t count, PyObject *names, PyObject **axis, PyObject **keepdims)
{
    *axis = count == 2 ? args[1] : Py_None;
    *keepdims = Py_False;
    for (Py_ssize_t i = 0; names != NULL && i < PyTuple_GET_SIZE(names); i++) {
        PyObject *name = PyTuple_GET_ITEM(names, i);
        if (count == 1 && PyUnicode_CompareWithASCIIString(name, "axis") == 0) {
            *axis = args[count + i];
        }
        else if (PyUnicode_CompareWithASCIIString(name, "keepdims") == 0) {
            *keepdims = args[count + i];
        }
        else {
            return 0;
        }
    }
    return is_axis(*axis) && PyBool_Check(*keepdims);
}

/* Return a reduction of memory by NumPy's function; NULL without an error: Python has to see to it. */
static PyObject *
reduced_by_numpy(PyArrayObject *array, Call *call, PyObject *axis, PyObject *keepdims)
{
    PyObject *dtype = Py_None;
    npy_intp divisor = 1;
    if (call->kind == MEAN) {
        int code = PyArray_TYPE(array);
        if (PyTypeNum_ISINTEGER(code) || PyTypeNum_ISBOOL(code)) {
            dtype = (PyObject *)PyArray_DescrFromType(NPY_DOUBLE);
            Py_DECREF(dtype); /* NumPy's own, which lives on */
        }
        else if (code != NPY_DOUBLE && code != NPY_FLOAT) {
            return NULL;
        }
        divisor = PyArray_SIZE(array);
        if (PyLong_CheckExact(axis)) {
            long place = PyLong_AsLong(axis);
            if (place < 0) {
                place += PyArray_NDIM(array);
            }
            if (PyErr_Occurred() || place < 0 || place >= PyArray_NDIM(array)) {
                PyErr_Clear();
                return NULL;
            }
            divisor = PyArray_DIM(array, (int)place);
        }
        else if (axis != Py_None) {
            return NULL;
        }
    }
    PyObject *values[6] = {NULL, (PyObject *)array, axis, dtype, Py_None, keepdims};
    PyObject *value = PyObject_Vectorcall(
        call->theirs, values + 1, 5 | PY_VECTORCALL_ARGUMENTS_OFFSET, NULL);
    if (value != NULL && call->kind == MEAN) {
        value = divided(value, divisor);
    }
    if (value == NULL) {
        was_refused();
    }
    return value;
}

/* Return a reduction of memory; NULL without an error: Python has to see to it. */
static PyObject *
reduction_of(PyArrayObject *array, Call *call, PyObject *const *args, Py_ssize_t count,
             PyObject *names, Py_ssize_t past)
{
    PyObject *axis, *keepdims, *known = NULL;
    Py_ssize_t named = names == NULL ? 0 : PyTuple_GET_SIZE(names);
    if (!set_reduction(args, count, names, &axis, &keepdims)) {
        return NULL;
    }
    double number;
    int is_number = 0;
    PyObject *value = shortly_reduced(array, call->own, call->kind == MEAN, axis, keepdims == Py_True, &number,
                                      &is_number);
    if (value == NULL && !is_number && !PyErr_Occurred() && in_users_code()) {
        value = reduced_by_numpy(array, call, axis, keepdims);
    }
    if (value == NULL && !is_number) {
        return NULL;
    }
    if (PyArray_SIZE(array) > limit_now() * state.cheaper) { /* which a result does not keep */
        return is_number ? computed_number(number, (PyObject *)call, Py_None, NULL, state.most_past)
                         : (PyObject *)new_array(value);
    }
    if (count + named > 1 && (known = arguments(args, count + named, names)) == NULL) {
        Py_XDECREF(value);
        return NULL;
    }
    PyObject *result = is_number ? computed_number(number, (PyObject *)call, args[0], known, past)
                                 : computed(value, (PyObject *)call, args[0], known, past);
    Py_XDECREF(known);
    return result;
}

/* Return a reduction of an array in memory; NULL without an error: Python has to see to it. */
static PyObject *
fast_reduction(Call *call, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    Py_ssize_t most, past = 0, named = names == NULL ? 0 : PyTuple_GET_SIZE(names);
    if (count < 1 || count > 2 || count + named > 3 || !holds_values(args[0])
        || (most = limit_now()) <= 0) {
        return NULL;
    }
    most *= PyDict_GET_SIZE(state.donated) ? 1 : call->times;
    if (hands_over() && (call->kind == MEAN || call->own == ADD || count + named > 1)) {
        most = Py_MIN(most, limit_of_settings() * (count + named > 1 ? MOST_ALONG_AXES : MOST_SUMMED));
    }
    PyObject *memory = factor(args[0], most, &past), *result = NULL;
    /* A mean of no elements warns in NumPy's own code. */
    if (memory != NULL && PyArray_CheckExact(memory)
        && (call->kind == REDUCE || PyArray_SIZE((PyArrayObject *)memory))) {
        result = reduction_of((PyArrayObject *)memory, call, args, count, names, past);
    }
    Py_XDECREF(memory);
    return result;
}

/* Return the places of the least or the largest elements of an array in memory; NULL without an error: the call is
   another, or NumPy has to see to it. */
static PyObject *
places_of_extremes(Call *call, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    Py_ssize_t most, past = 0, named = names == NULL ? 0 : PyTuple_GET_SIZE(names);
    PyObject *axis, *keepdims, *known = NULL;
    if (count < 1 || count > 2 || count + named > 3 || !holds_values(args[0])
        || (most = limit_now()) <= 0 || !set_reduction(args, count, names, &axis, &keepdims) || PyTuple_CheckExact(axis)) {
        return NULL;
    }
    PyObject *memory = factor(args[0], most * state.cheaper, &past);
    PyObject *value = memory == NULL || !PyArray_CheckExact(memory) ? NULL
        : extreme_places((PyArrayObject *)memory, call->loop == LARGEST_PLACE, axis, keepdims == Py_True);
    Py_XDECREF(memory);
    if (value == NULL || (count + named > 1 && (known = arguments(args, count + named, names)) == NULL)) {
        Py_XDECREF(value);
        return NULL;
    }
    PyObject *result = computed(value, (PyObject *)call, args[0], known, past);
    Py_XDECREF(known);
    return result;
}
