/* The table of nodes. It does not own them: one that is freed takes itself out first.

   It is open addressing with linear probing; an entry that goes is filled by those behind it. What
   is compared may be of Python's (attributes, symbols among lengths), which may build and free
   nodes meanwhile: a search begins again if the table has changed. */

#ifndef LAZYARR_NODE_TABLE_H
#define LAZYARR_NODE_TABLE_H

#include "node.h"
#include "python_values.h"

static struct {
    Node **entries;
    size_t mask;      /* their number less one */
    Py_ssize_t used;
    Py_ssize_t room;  /* nodes that may be entered before somebody hears how many there are */
    size_t changes;
} table;

/* Odd numbers whose products spread bits: a word's range over the golden ratio, and over e. */
#define GOLDEN (SIZE_MAX / 1618 * 1000 | 1)
#define EULER (SIZE_MAX / 2718 * 1000 | 1)

static inline size_t
mixed(size_t hash, size_t value)
{
    hash ^= value + GOLDEN + (hash << 6) + (hash >> 2);
    return hash * EULER;
}

static inline size_t
place_of(Py_hash_t hash)
{
    size_t value = (size_t)hash;
    return (value ^ (value >> 32)) & table.mask;
}

static void
put(Node *node)
{
    size_t at = place_of(node->hash);
    while (table.entries[at] != NULL) {
        at = (at + 1) & table.mask;
    }
    table.entries[at] = node;
}

static int
grow(size_t size)
{
    Node **old = table.entries;
    size_t count = old == NULL ? 0 : table.mask + 1;
    Node **entries = PyMem_Calloc(size, sizeof(Node *));
    if (entries == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    table.entries = entries;
    table.mask = size - 1;
    for (size_t i = 0; i < count; i++) {
        if (old[i] != NULL) {
            put(old[i]);
        }
    }
    PyMem_Free(old);
    table.changes++;
    return 0;
}

static int
enter(Node *node)
{
    if ((size_t)table.used * 2 >= table.mask && grow(2 * (table.mask + 1)) < 0) {
        return -1;
    }
    put(node);
    node->entered = 1;
    table.used++;
    table.changes++;
    return 0;
}

/* Take a node out of the table; those behind it move up. */
static void
leave(Node *node)
{
    size_t hole = place_of(node->hash);
    while (table.entries[hole] != node) {
        hole = (hole + 1) & table.mask;
    }
    for (size_t at = (hole + 1) & table.mask; table.entries[at] != NULL;
         at = (at + 1) & table.mask) {
        size_t home = place_of(table.entries[at]->hash);
        if (((at - home) & table.mask) >= ((at - hole) & table.mask)) {
            table.entries[hole] = table.entries[at];
            hole = at;
        }
    }
    table.entries[hole] = NULL;
    node->entered = 0;
    table.used--;
    table.changes++;
}

static int
hash_of(PyObject *op, Node **src, Py_ssize_t count, PyObject *dtype, PyObject *shape,
        PyObject *attr, Py_hash_t *result)
{
    size_t hash = mixed((size_t)count, (size_t)op >> 4);
    for (Py_ssize_t k = 0; k < count; k++) {
        hash = mixed(hash, (size_t)src[k] >> 4);
    }
    PyObject *parts[] = {dtype, shape, attr};
    for (int k = 0; k < 3; k++) {
        if (parts[k] != NULL) {
            Py_hash_t part = PyObject_Hash(parts[k]);
            if (part == -1) {
                return -1;
            }
            hash = mixed(hash, (size_t)part);
        }
    }
    *result = (Py_hash_t)hash;
    return 0;
}

/* Return a new reference to the node in the table; NULL without an error: there is none. */
static Node *
find(Py_hash_t hash, PyObject *op, Node **src, Py_ssize_t count, PyObject *dtype, PyObject *shape,
     PyObject *attr)
{
again:;
    size_t changes = table.changes;
    for (size_t at = place_of(hash); table.entries[at] != NULL; at = (at + 1) & table.mask) {
        Node *node = table.entries[at];
        if (node->hash != hash || node->op != op || PyTuple_GET_SIZE(node->src) != count) {
            continue;
        }
        Py_ssize_t k = 0;
        while (k < count && PyTuple_GET_ITEM(node->src, k) == (PyObject *)src[k]) {
            k++;
        }
        if (k < count) {
            continue;
        }
        Py_INCREF(node);
        if (node->dtype == dtype && node->shape == shape && node->attr == attr) {
            return node;
        }
        int equal = same(node->dtype, dtype);
        equal = equal > 0 ? same(node->shape, shape) : equal;
        equal = equal > 0 ? same(node->attr, attr) : equal;
        if (equal > 0) {
            return node;
        }
        Py_DECREF(node);
        if (equal < 0) {
            return NULL;
        }
        if (table.changes != changes) {
            goto again;
        }
    }
    return NULL;
}

#endif
