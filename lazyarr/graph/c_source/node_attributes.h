/* The attributes of a node that Python reads, and its text. */

#ifndef LAZYARR_NODE_ATTRIBUTES_H
#define LAZYARR_NODE_ATTRIBUTES_H

#include "node.h"
#include "python_values.h"
#include <structmember.h>

static PyObject *
get_optional(PyObject *self, void *offset)
{
    PyObject *value = *(PyObject **)((char *)self + (size_t)offset);
    return Py_NewRef(value == NULL ? Py_None : value);
}

static PyObject *
get_ndim(PyObject *self, void *Py_UNUSED(closure))
{
    return PyLong_FromSsize_t(PyTuple_Size(((Node *)self)->shape));
}

static PyObject *
get_size(PyObject *self, void *Py_UNUSED(closure))
{
    return product_of((Node *)self, PyLong_FromLong(1));
}

static PyObject *
get_nbytes(PyObject *self, void *Py_UNUSED(closure))
{
    PyObject *size = product_of((Node *)self, PyLong_FromLong(1));
    PyObject *bytes = PyObject_GetAttrString(((Node *)self)->dtype, "itemsize");
    PyObject *result = size == NULL || bytes == NULL ? NULL : PyNumber_Multiply(size, bytes);
    Py_XDECREF(size);
    Py_XDECREF(bytes);
    return result;
}

static PyObject *
node_repr(Node *self)
{
    PyObject *op = PyObject_GetAttrString(self->op, "name");
    PyObject *dtype = PyObject_GetAttrString(self->dtype, "name");
    PyObject *shape = PySequence_List(self->shape), *result = NULL;
    if (op != NULL && dtype != NULL && shape != NULL) {
        result = PyUnicode_FromFormat("<Node %S %S%R>", op, dtype, shape);
    }
    Py_XDECREF(op);
    Py_XDECREF(dtype);
    Py_XDECREF(shape);
    return result;
}

static int
node_setattr(PyObject *Py_UNUSED(self), PyObject *name, PyObject *value)
{
    PyErr_Format(PyExc_AttributeError, "a node is frozen; its %U cannot be %s", name,
                 value == NULL ? "deleted" : "set");
    return -1;
}

#define OPTIONAL(name) {#name, get_optional, NULL, NULL, (void *)offsetof(Node, name)}

static PyGetSetDef getters[] = {
    OPTIONAL(attr),
    OPTIONAL(origin),
    OPTIONAL(memo),
    OPTIONAL(stored),
    {"ndim", get_ndim, NULL, "Number of axes.", NULL},
    {"size", get_size, NULL, "Number of elements.", NULL},
    {"nbytes", get_nbytes, NULL, "Bytes of the value if it were stored.", NULL},
    {NULL},
};

static PyMemberDef members[] = {
    {"op", T_OBJECT_EX, offsetof(Node, op), READONLY, NULL},
    {"src", T_OBJECT_EX, offsetof(Node, src), READONLY, NULL},
    {"dtype", T_OBJECT_EX, offsetof(Node, dtype), READONLY, NULL},
    {"shape", T_OBJECT_EX, offsetof(Node, shape), READONLY, NULL},
    {NULL},
};

#endif
