/* Medians of rows by NumPy's partition, without what NumPy does around it in Python. */

#ifndef LAZYARR_MEDIANS_H
#define LAZYARR_MEDIANS_H

#include <Python.h>

#include <float.h>
#include <math.h>

#include <numpy/arrayobject.h>

/* Write the medians of parted rows, as the mean of the middle ones; return whether NumPy's are the same for certain:
   not of NaN, nor where a sum overflows or a half underflows, nor of zeros that differ in their signs. */
#define DEFINE_MEDIANS(name, type, least, most)                                                                      \
    static int name(const type *rows, type *medians, npy_intp count, npy_intp length)                                \
    {                                                                                                                \
        npy_intp middle = length / 2;                                                                                \
        int has_zero = 0;                                                                                            \
        for (npy_intp k = 0; k < count; k++) {                                                                       \
            const type *row = rows + k * length;                                                                     \
            type median = row[middle], sum = median;                                                                 \
            if (length % 2 == 0) {                                                                                   \
                type below = row[0];                                                                                 \
                for (npy_intp j = 1; j < middle; j++) {                                                              \
                    below = row[j] > below ? row[j] : below;                                                         \
                }                                                                                                    \
                sum += below;                                                                                        \
                median = sum / 2;                                                                                    \
            }                                                                                                        \
            type size = median < 0 ? -median : median;                                                               \
            if (sum != 0 && !(size >= least && size <= most)) {                                                      \
                return 0;                                                                                            \
            }                                                                                                        \
            has_zero |= size == 0;                                                                                   \
            medians[k] = median;                                                                                     \
        }                                                                                                            \
        int has_negative = 0;                                                                                        \
        for (npy_intp k = 0; has_zero && k < count * length; k++) {                                                  \
            has_negative |= rows[k] == 0 && signbit(rows[k]);                                                        \
        }                                                                                                            \
        return !has_negative;                                                                                        \
    }                                                                                                                \
    static int name##_have_nan(const type *rows, npy_intp elements)                                                  \
    {                                                                                                                \
        int has_nan = 0;                                                                                             \
        for (npy_intp k = 0; k < elements; k++) {                                                                    \
            has_nan |= rows[k] != rows[k];                                                                           \
        }                                                                                                            \
        return has_nan;                                                                                              \
    }

DEFINE_MEDIANS(medians_of_doubles, double, DBL_MIN, DBL_MAX)
DEFINE_MEDIANS(medians_of_floats, float, FLT_MIN, FLT_MAX)

/* row_medians(array): return the medians of the rows of a float32 or float64 array, or None where NumPy has to compute
   them. */
static PyObject *
row_medians(PyObject *Py_UNUSED(module), PyObject *object)
{
    if (!PyArray_CheckExact(object)) {
        Py_RETURN_NONE;
    }
    PyArrayObject *array = (PyArrayObject *)object;
    int type = PyArray_TYPE(array), axes = PyArray_NDIM(array);
    npy_intp elements = PyArray_SIZE(array);
    if ((type != NPY_DOUBLE && type != NPY_FLOAT) || PyArray_ISBYTESWAPPED(array) || axes < 1 || elements == 0) {
        Py_RETURN_NONE;
    }
    npy_intp length = PyArray_DIM(array, axes - 1), middle = length / 2;
    PyArrayObject *rows = (PyArrayObject *)PyArray_NewCopy(array, NPY_CORDER);
    if (rows == NULL) {
        return NULL;
    }
    PyArrayObject *result = NULL, *place = NULL;
    int is_double = type == NPY_DOUBLE, is_sure = 0;
    if (is_double ? !medians_of_doubles_have_nan(PyArray_DATA(rows), elements)
                  : !medians_of_floats_have_nan(PyArray_DATA(rows), elements)) {
        place = (PyArrayObject *)PyArray_SimpleNewFromData(0, NULL, NPY_INTP, &middle);
        if (place == NULL || PyArray_Partition(rows, place, axes - 1, NPY_INTROSELECT) < 0) {
            goto failed;
        }
        result = (PyArrayObject *)PyArray_SimpleNew(axes - 1, PyArray_DIMS(array), type);
        if (result == NULL) {
            goto failed;
        }
        npy_intp count = elements / length;
        is_sure = is_double ? medians_of_doubles(PyArray_DATA(rows), PyArray_DATA(result), count, length)
                            : medians_of_floats(PyArray_DATA(rows), PyArray_DATA(result), count, length);
    }
    Py_XDECREF(place);
    Py_DECREF(rows);
    if (is_sure) {
        return (PyObject *)result;
    }
    Py_XDECREF(result);
    Py_RETURN_NONE;
failed:
    Py_XDECREF(place);
    Py_DECREF(rows);
    return NULL;
}

#endif
