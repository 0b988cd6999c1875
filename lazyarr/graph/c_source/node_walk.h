/* Walks over the nodes that one is made of. */

#ifndef LAZYARR_NODE_WALK_H
#define LAZYARR_NODE_WALK_H

#include "node.h"

/* A table of nodes that were seen, of which at most half is in use. */
typedef struct {
    PyObject **places;
    size_t room, count;
} Seen;

static size_t
seen_place(const Seen *seen, PyObject *node)
{
    size_t at = ((size_t)node >> 4) % seen->room;
    while (seen->places[at] != NULL && seen->places[at] != node) {
        at = (at + 1) % seen->room;
    }
    return at;
}

/* Whether a node was not seen before; it is now. Less than 0 where there is no memory. */
static int
seen_add(Seen *seen, PyObject *node)
{
    if (seen->places != NULL && seen->places[seen_place(seen, node)] == node) {
        return 0;
    }
    if (2 * (seen->count + 1) > seen->room) {
        Seen wider = {NULL, seen->room ? 2 * seen->room : 64, seen->count};
        wider.places = PyMem_Calloc(wider.room, sizeof(*wider.places));
        if (wider.places == NULL) {
            PyErr_NoMemory();
            return -1;
        }
        for (size_t at = 0; at < seen->room; at++) {
            if (seen->places[at] != NULL) {
                wider.places[seen_place(&wider, seen->places[at])] = seen->places[at];
            }
        }
        PyMem_Free(seen->places);
        *seen = wider;
    }
    seen->places[seen_place(seen, node)] = node;
    seen->count++;
    return 1;
}

/* A list of nodes to visit; of those whose operands come first the lowest bit is set. */
typedef struct {
    size_t *nodes, count, room;
} Waiting;

static int
waiting_push(Waiting *waiting, PyObject *node, int is_entered)
{
    if (waiting->count == waiting->room) {
        size_t room = waiting->room ? 2 * waiting->room : 64;
        size_t *longer = PyMem_Realloc(waiting->nodes, room * sizeof(*longer));
        if (longer == NULL) {
            PyErr_NoMemory();
            return -1;
        }
        waiting->nodes = longer;
        waiting->room = room;
    }
    waiting->nodes[waiting->count++] = (size_t)node | (size_t)is_entered;
    return 0;
}

static int
waiting_push_all(Waiting *waiting, PyObject *nodes)
{
    for (Py_ssize_t i = PyTuple_GET_SIZE(nodes); i > 0; i--) {
        PyObject *node = PyTuple_GET_ITEM(nodes, i - 1);
        if (Py_TYPE(node) != &Node_Type) {
            PyErr_SetString(PyExc_TypeError, "expected nodes");
            return -1;
        }
        if (waiting_push(waiting, node, 0) < 0) {
            return -1;
        }
    }
    return 0;
}

/* Append the nodes that some are made of to a list, operands before users, or those without operands alone. */
static int
walk_nodes(PyObject *roots, PyObject *result, int leaves_alone)
{
    Seen seen = {NULL, 0, 0};
    Waiting waiting = {NULL, 0, 0};
    int failed = waiting_push_all(&waiting, roots) < 0;
    while (!failed && waiting.count) {
        size_t top = waiting.nodes[--waiting.count];
        PyObject *node = (PyObject *)(top & ~(size_t)1);
        if (top & 1) {
            failed = PyList_Append(result, node) < 0;
            continue;
        }
        int is_new = seen_add(&seen, node);
        if (is_new <= 0) {
            failed = is_new < 0;
            continue;
        }
        PyObject *src = ((Node *)node)->src;
        if (!PyTuple_GET_SIZE(src)) {
            failed = PyList_Append(result, node) < 0;
            continue;
        }
        failed = (!leaves_alone && waiting_push(&waiting, node, 1) < 0) || waiting_push_all(&waiting, src) < 0;
    }
    PyMem_Free(seen.places);
    PyMem_Free(waiting.nodes);
    return failed ? -1 : 0;
}

/* leaves_of(node): the nodes without operands that it is made of, each once, in no order. */
static PyObject *
leaves_of(PyObject *Py_UNUSED(module), PyObject *root)
{
    PyObject *leaves = PyList_New(0), *roots = PyTuple_Pack(1, root);
    if (leaves == NULL || roots == NULL || walk_nodes(roots, leaves, 1) < 0) {
        Py_CLEAR(leaves);
    }
    Py_XDECREF(roots);
    return leaves;
}

/* nodes_of(roots): a tuple of nodes and all that they are made of, each once, operands before users. */
static PyObject *
nodes_of(PyObject *Py_UNUSED(module), PyObject *roots)
{
    if (!PyTuple_CheckExact(roots)) {
        PyErr_SetString(PyExc_TypeError, "expected a tuple of nodes");
        return NULL;
    }
    PyObject *nodes = PyList_New(0);
    if (nodes != NULL && walk_nodes(roots, nodes, 0) < 0) {
        Py_CLEAR(nodes);
    }
    return nodes;
}

#endif
