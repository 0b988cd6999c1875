/* Comparisons of values, and products of lengths, in Python's arithmetic. */

#ifndef LAZYARR_PYTHON_VALUES_H
#define LAZYARR_PYTHON_VALUES_H

#include "node.h"

/* Return whether two objects are equal: 1, 0, or -1 for an error. */
static inline int
same(PyObject *a, PyObject *b)
{
    return a == b ? 1 : a == NULL || b == NULL ? 0 : PyObject_RichCompareBool(a, b, Py_EQ);
}

/* Return the product of lengths, which may be symbols, and of the bytes of an element. */
static PyObject *
product_of(Node *self, PyObject *first)
{
    PyObject *shape = self->shape, *result = first;
    for (Py_ssize_t k = 0; result != NULL && k < PyTuple_GET_SIZE(shape); k++) {
        PyObject *next = PyNumber_Multiply(result, PyTuple_GET_ITEM(shape, k));
        Py_DECREF(result);
        result = next;
    }
    return result;
}

#endif
