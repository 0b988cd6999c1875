/* The layout of a node, and what other extension modules call to build one. */

#ifndef LAZYARR_NODE_H
#define LAZYARR_NODE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

/* See Node in elements.py for what each field is. None is NULL where a field may be None. */
typedef struct {
    PyObject_HEAD
    PyObject *weakrefs;
    PyObject *op;
    PyObject *src; /* a tuple of nodes */
    PyObject *dtype;
    PyObject *shape;
    PyObject *attr;
    PyObject *origin;
    PyObject *memo;
    PyObject *stored;
    Py_hash_t hash; /* of what the table compares, */
    char entered;   /* where the node is in the table; */
    char is_leaf;   /* then its bytes are counted */
    char special;   /* of a constant, for evaluations: 0 if that is not known yet */
    char finalized; /* by the garbage collector */
    unsigned int walk;  /* the last walk of an evaluation that has come here, */
    unsigned int place; /* and the place of the node in it */
} Node;

typedef struct {
    PyTypeObject *type;
    /* Return the one node of an operation on some operands; all are borrowed, None is NULL. */
    PyObject *(*build)(PyObject *op, Node **src, Py_ssize_t count, PyObject *dtype,
                       PyObject *shape, PyObject *attr, PyObject *origin);
    /* Return a node that no other equals; all are borrowed, None is NULL. */
    PyObject *(*unique)(PyObject *op, PyObject *src, PyObject *dtype, PyObject *shape, PyObject *attr,
                        PyObject *origin);
} NodeFunctions;

/* A module that was built with another layout of nodes asks for a capsule of another name. */
#define NODE_FUNCTIONS "lazyarr.graph._nodes.functions " LAZYARR_NODES

#endif
