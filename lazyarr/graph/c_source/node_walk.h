/* Walks over the nodes that one is made of. */

#ifndef LAZYARR_NODE_WALK_H
#define LAZYARR_NODE_WALK_H

#include "node.h"

/* leaves_of(node): the nodes without operands that it is made of, each once, in no order. */
static PyObject *
leaves_of(PyObject *Py_UNUSED(module), PyObject *root)
{
    if (Py_TYPE(root) != &Node_Type) {
        PyErr_SetString(PyExc_TypeError, "expected a node");
        return NULL;
    }
    /* A table of those that were seen, of which at most half is in use, and a list of them. */
    size_t places = 64, count = 1, at;
    PyObject **seen = PyMem_Calloc(places, sizeof(*seen)), **order = PyMem_Malloc(places / 2 * sizeof(*order));
    PyObject *leaves = PyList_New(0);
    int failed = seen == NULL || order == NULL || leaves == NULL;
    if (!failed) {
        order[0] = root;
        seen[((size_t)root >> 4) % places] = root;
    }
    for (size_t k = 0; !failed && k < count; k++) {
        PyObject *src = ((Node *)order[k])->src;
        if (!PyTuple_GET_SIZE(src)) {
            failed = PyList_Append(leaves, order[k]) < 0;
        }
        for (Py_ssize_t i = 0; !failed && i < PyTuple_GET_SIZE(src); i++) {
            PyObject *source = PyTuple_GET_ITEM(src, i);
            for (at = ((size_t)source >> 4) % places; seen[at] != NULL && seen[at] != source; at = (at + 1) % places) {
            }
            if (seen[at] == source) {
                continue;
            }
            seen[at] = source;
            order[count++] = source;
            if (count < places / 2) {
                continue;
            }
            PyObject **wider = PyMem_Calloc(2 * places, sizeof(*seen));
            PyObject **longer = wider == NULL ? NULL : PyMem_Realloc(order, places * sizeof(*order));
            if (longer == NULL) {
                PyMem_Free(wider);
                failed = 1;
                break;
            }
            order = longer;
            PyMem_Free(seen);
            seen = wider;
            places *= 2;
            for (size_t j = 0; j < count; j++) {
                for (at = ((size_t)order[j] >> 4) % places; seen[at] != NULL; at = (at + 1) % places) {
                }
                seen[at] = order[j];
            }
        }
    }
    PyMem_Free(seen);
    PyMem_Free(order);
    if (failed) {
        Py_CLEAR(leaves);
        return PyErr_Occurred() ? NULL : PyErr_NoMemory();
    }
    return leaves;
}

#endif
