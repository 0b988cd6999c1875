/* An expression written down as words, and what its evaluation needs of Python's form. */

#ifndef LAZYARR_EXPRESSION_WALK_H
#define LAZYARR_EXPRESSION_WALK_H

#include "node.h"
#include <structmember.h>

#define NPY_NO_DEPRECATED_API NPY_2_0_API_VERSION
#include <numpy/arrayobject.h>

#include "kernel_calls.h"
#include "pool_jobs.h"

#define MOST_NODES 1024 /* as many as are planned in one piece */
#define MOST_KEY 16384 /* words */
#define MOST_LEAVES 256
#define MOST_BASES 512
#define MOST_WORDS 160 /* of a kernel's arguments */

static struct {
    NodeFunctions *nodes;
    PyObject *leaf, *constant;         /* operations */
    PyObject *allowed;                 /* kinds of operations that have operands */
    PyObject *view, *generate, *call;  /* kinds */
    PyObject *elsewhere;               /* types of leaves that are not in the host's memory */
    PyObject *is_special;              /* whether a constant stays in the code */
    PyObject *computed;                /* the memo of what was evaluated */
    PyObject *allocate;                /* (nbytes, shape, dtype) -> array */
    PyObject *allocate_block;          /* nbytes -> memory with an address */
    PyObject *pool;                    /* () -> the threads' pool, or None */
    PyObject *launch;                  /* a launch in Python's form */
    PyObject *clock;                   /* () -> seconds */
    PyObject *ran;                     /* (roots, sequence, began): counts the time of a run */
    PyObject *report;                  /* (roots, sequence, bytes) -> warnings and errors */
    PyObject *may_change;              /* what a leaf holds -> whether others may write to it */
    PyObject *store;                   /* (nodes, arrays): expressions begin with these */
    PyObject *run;                     /* (evaluation, leaves, scalars, roots) -> results */
    Py_ssize_t large;                  /* elements of what may be stored when it is first computed */
} state;

static PyObject *str_array, *str_kind, *str_strides, *str_address, *str_code, *str_meter;
static PyObject *str_by_address, *attributes;
static unsigned int walks;

/* Kinds of operations, which stay as they are. */

#define OPERATIONS 512
enum { UNKNOWN, REFUSED, COMPUTES, VIEWS, CALLS };
static struct {
    PyObject *op;
    int kind;
} operations[OPERATIONS];

static int
kind_of(PyObject *op, int has_operands)
{
    size_t at = (((size_t)op >> 4) ^ ((size_t)op >> 13)) % OPERATIONS;
    if (operations[at].op == op) {
        return operations[at].kind;
    }
    PyObject *kind = PyObject_GetAttr(op, str_kind);
    int allowed = kind == NULL ? -1 : PySet_Contains(state.allowed, kind);
    if (allowed < 0) {
        Py_XDECREF(kind);
        PyErr_Clear();
        return REFUSED;
    }
    int result = !allowed || (!has_operands && kind != state.generate) ? REFUSED
        : kind == state.view ? VIEWS : kind == state.call ? CALLS : COMPUTES;
    Py_DECREF(kind);
    Py_XSETREF(operations[at].op, Py_NewRef(op));
    operations[at].kind = result;
    return result;
}

/* One walk over an expression. */

typedef struct {
    size_t key[MOST_KEY];
    Py_ssize_t words;
    Node *order[MOST_NODES];
    Py_ssize_t nodes;
    Node *leaves[MOST_LEAVES];
    npy_uintp address[MOST_LEAVES];
    Py_ssize_t leaf_count;
    Node *scalars[MOST_LEAVES];
    Py_ssize_t scalar_count;
    PyObject *attributes[MOST_NODES]; /* borrowed, of the table */
    char repeated[MOST_NODES];        /* whether an earlier evaluation has computed a node */
    char calls[MOST_NODES];           /* whether a library computes it */
    int any_repeated, any_calls, any_large;
    unsigned int number;
    size_t hash;
} Walk;

static inline int
add(Walk *walk, size_t word)
{
    if (walk->words >= MOST_KEY) {
        return -1;
    }
    walk->key[walk->words++] = word;
    return 0;
}

static inline int
add_integers(Walk *walk, PyObject *tuple)
{
    if (!PyTuple_CheckExact(tuple)) {
        return -1;
    }
    for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(tuple); k++) {
        PyObject *item = PyTuple_GET_ITEM(tuple, k);
        if (!PyLong_CheckExact(item) || add(walk, (size_t)PyLong_AsSsize_t(item)) < 0) {
            return -1;
        }
    }
    return 0;
}

static inline int
add_shape(Walk *walk, PyObject *shape)
{
    Py_ssize_t begin = walk->words;
    if (add_integers(walk, shape) < 0) {
        return -1;
    }
    double elements = 1;
    while (begin < walk->words) {
        elements *= (double)walk->key[begin++];
    }
    walk->any_large |= elements >= (double)state.large;
    return 0;
}

/* Return the object that stands for all that equal an attribute, borrowed; NULL: there is none. */
static PyObject *
canonical(PyObject *attr)
{
    PyObject *known = PyDict_GetItemWithError(attributes, attr);
    if (known != NULL || PyErr_Occurred()) {
        PyErr_Clear();
        return known;
    }
    if (PyDict_SetItem(attributes, attr, attr) < 0) {
        PyErr_Clear();
        return NULL;
    }
    return attr;
}

static int
add_leaf(Walk *walk, Node *node)
{
    if (node->attr == NULL || walk->leaf_count >= MOST_LEAVES
        || PySequence_Contains(state.elsewhere, (PyObject *)Py_TYPE(node->attr)) != 0
        || add(walk, 1) < 0 || add(walk, (size_t)node->dtype) < 0
        || add(walk, (size_t)PyTuple_GET_SIZE(node->shape)) < 0
        || add_shape(walk, node->shape) < 0) {
        return -1;
    }
    PyObject *array = PyObject_GetAttr(node->attr, str_array);
    if (array != NULL && PyArray_CheckExact(array)) {
        PyArrayObject *memory = (PyArrayObject *)array;
        npy_intp size = PyArray_ITEMSIZE(memory);
        int fits = 1;
        for (int axis = 0; fits && axis < PyArray_NDIM(memory); axis++) {
            npy_intp stride = PyArray_STRIDE(memory, axis); /* in elements, rounded down */
            npy_intp whole = stride / size - (stride % size < 0);
            fits = add(walk, (size_t)whole) == 0;
        }
        walk->address[walk->leaf_count] = (npy_uintp)PyArray_DATA(memory);
        Py_DECREF(array); /* the leaf keeps it */
        if (fits) {
            walk->leaves[walk->leaf_count++] = (Node *)Py_NewRef(node);
        }
        return fits ? 0 : -1;
    }
    Py_XDECREF(array);
    PyErr_Clear();
    PyObject *strides = PyObject_GetAttr(node->attr, str_strides);
    PyObject *address = strides == NULL ? NULL : PyObject_GetAttr(node->attr, str_address);
    int failed = address == NULL || !PyLong_CheckExact(address)
        || add_integers(walk, strides) < 0;
    if (!failed) {
        walk->address[walk->leaf_count] = (npy_uintp)PyLong_AsUnsignedLongLongMask(address);
        walk->leaves[walk->leaf_count++] = (Node *)Py_NewRef(node);
    }
    Py_XDECREF(strides);
    Py_XDECREF(address);
    return failed ? -1 : 0;
}

static int
add_constant(Walk *walk, Node *node)
{
    if (!node->special) {
        PyObject *special = PyObject_CallOneArg(state.is_special, (PyObject *)node);
        if (special == NULL) {
            return -1;
        }
        node->special = special == Py_True ? 2 : 1;
        Py_DECREF(special);
    }
    if (node->special == 2) {
        return add(walk, 3) < 0 || add(walk, (size_t)node) < 0 ? -1 : 0;
    }
    if (walk->scalar_count >= MOST_LEAVES || node->attr == NULL || !PyBytes_CheckExact(node->attr)
        || add(walk, 2) < 0 || add(walk, (size_t)node->dtype) < 0) {
        return -1;
    }
    walk->scalars[walk->scalar_count++] = node;
    return 0;
}

static int
add_node(Walk *walk, Node *node, int reuse)
{
    Py_ssize_t count = PyTuple_GET_SIZE(node->src);
    if (!count && node->op == state.leaf) {
        return add_leaf(walk, node);
    }
    if (!count && node->op == state.constant) {
        return add_constant(walk, node);
    }
    int kind = kind_of(node->op, count > 0);
    if (kind == REFUSED) {
        return -1;
    }
    if (count && node->memo != NULL
        && (kind != VIEWS || PyTuple_GET_SIZE(((Node *)PyTuple_GET_ITEM(node->src, 0))->src))) {
        if (!reuse) {
            return -1;
        }
        walk->any_repeated = walk->repeated[walk->nodes] = 1;
    }
    if (kind == CALLS) {
        if (!reuse) {
            return -1;
        }
        walk->any_calls = walk->calls[walk->nodes] = 1;
    }
    PyObject *attr = node->attr == NULL ? NULL : canonical(node->attr);
    if ((attr == NULL && node->attr != NULL) || add(walk, (size_t)node->op) < 0
        || add(walk, (size_t)node->dtype) < 0 || add(walk, (size_t)attr) < 0
        || add(walk, (size_t)PyTuple_GET_SIZE(node->shape) << 32 | (size_t)count) < 0
        || add_shape(walk, node->shape) < 0) {
        return -1;
    }
    for (Py_ssize_t k = 0; k < count; k++) {
        Node *source = (Node *)PyTuple_GET_ITEM(node->src, k);
        source = source->stored != NULL ? (Node *)source->stored : source;
        /* Another thread may have come by where the hash of an attribute was Python's. */
        if (source->walk != walk->number || add(walk, source->place) < 0) {
            return -1;
        }
    }
    walk->attributes[walk->nodes] = attr;
    return 0;
}

/* What decides which values an evaluation stores beside its results (compiler/reuse.py): which
   nodes were computed before, which of those, of what is made of them and of a library's results
   are in use outside of the expression, and whether the memory it begins with may change. `all`: of
   all nodes, whether they are in use. */
static int
add_reuse(Walk *walk, const char *is_root, int all)
{
    unsigned int users[MOST_NODES];
    PyObject *tuples[2 * MOST_NODES]; /* those whose nodes were counted */
    char derived[MOST_NODES];
    size_t places = 2;
    while (places < 2 * (size_t)walk->nodes) {
        places *= 2;
    }
    memset(users, 0, (size_t)walk->nodes * sizeof(*users));
    memset(tuples, 0, places * sizeof(*tuples));
    for (Py_ssize_t k = 0; k < walk->nodes; k++) {
        PyObject *src = walk->order[k]->src;
        size_t at = ((size_t)src >> 4) % places;
        derived[k] = walk->repeated[k];
        while (tuples[at] != NULL && tuples[at] != src) {
            at = (at + 1) % places;
        }
        int counted = tuples[at] != NULL;
        tuples[at] = src;
        for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(src); i++) {
            Node *source = (Node *)PyTuple_GET_ITEM(src, i);
            if (source->stored == NULL && source->walk == walk->number) {
                users[source->place] += !counted;
                derived[k] |= derived[source->place];
            }
        }
    }
    size_t word = 1;
    for (Py_ssize_t k = 0; k < walk->nodes; k++) {
        int matters = (all || derived[k] || walk->calls[k]) && !is_root[k];
        int in_use = matters && PyTuple_GET_SIZE(walk->order[k]->src) && Py_REFCNT(walk->order[k]) > (Py_ssize_t)users[k];
        word = word << 2 | (size_t)(walk->repeated[k] << 1 | in_use);
        if (word >> (8 * sizeof(size_t) - 2) || k + 1 == walk->nodes) {
            if (add(walk, word) < 0) {
                return -1;
            }
            word = 1;
        }
    }
    for (Py_ssize_t k = 0; (all || walk->any_calls) && k < walk->leaf_count; k++) {
        PyObject *answer = PyObject_CallOneArg(state.may_change, walk->leaves[k]->attr);
        if (answer == NULL || add(walk, (size_t)(answer == Py_True)) < 0) {
            Py_XDECREF(answer);
            return -1;
        }
        Py_DECREF(answer);
    }
    return 0;
}

static int
add_roots(Walk *walk, PyObject *roots, int expensive, int again)
{
    char is_root[MOST_NODES];
    memset(is_root, 0, (size_t)walk->nodes);
    for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(roots); k++) {
        Node *root = (Node *)PyTuple_GET_ITEM(roots, k);
        if (root->walk != walk->number || add(walk, root->place) < 0) {
            return -1;
        }
        is_root[root->place] = 1;
    }
    if (add(walk, (size_t)again) < 0) {
        return -1;
    }
    int all = expensive && walk->any_large;
    return all || walk->any_repeated || walk->any_calls ? add_reuse(walk, is_root, all) : 0;
}

/* Write an expression down. `reuse`: part of it may have been computed before, or be computed by
   libraries; values may be stored then. `expensive`: also those that are computed for the first time.
   Where all roots were computed before, within other expressions or as results, nothing is stored. */
static int
take_walk(Walk *walk, PyObject *roots, int reuse, int expensive)
{
    Node *stack[2 * MOST_NODES];
    Py_ssize_t depth = 0, count = PyTuple_GET_SIZE(roots), again = 0;
    int memoized = 0;
    walks += walks + 1 == 0 ? 2 : 1; /* nodes begin with 0 */
    unsigned int own = walk->number = walks;
    if (PyDict_GET_SIZE(attributes) > MOST_ATTRIBUTES) {
        PyDict_Clear(attributes);
    }
    walk->words = walk->nodes = walk->leaf_count = walk->scalar_count = 0;
    walk->any_repeated = walk->any_calls = walk->any_large = 0;
    if (count > MOST_RESULTS) {
        return -1;
    }
    for (Py_ssize_t k = count - 1; k >= 0; k--) {
        Node *root = (Node *)PyTuple_GET_ITEM(roots, k);
        if (Py_TYPE(root) != state.nodes->type || root->stored != NULL
            || !PyTuple_GET_SIZE(root->src) || (!reuse && root->memo != NULL)) {
            return -1;
        }
        again += root->memo != NULL;
        memoized |= root->memo != NULL && root->memo != state.computed;
        stack[depth++] = root;
    }
    if (memoized && again == count) {
        return -1; /* the same are asked for again, of which Python's form keeps the request */
    }
    while (depth) {
        Node *node = stack[depth - 1];
        if (node->stored != NULL) {
            node = stack[depth - 1] = (Node *)node->stored;
        }
        if (node->walk == own) {
            depth--;
            continue;
        }
        Py_ssize_t operands = PyTuple_GET_SIZE(node->src), before = depth;
        if (depth + operands >= 2 * MOST_NODES) {
            return -1;
        }
        for (Py_ssize_t k = operands - 1; k >= 0; k--) {
            Node *source = (Node *)PyTuple_GET_ITEM(node->src, k);
            source = source->stored != NULL ? (Node *)source->stored : source;
            if (source->walk != own) {
                stack[depth++] = source;
            }
        }
        if (depth > before) {
            continue;
        }
        depth--;
        if (walk->nodes >= MOST_NODES) {
            return -1;
        }
        walk->attributes[walk->nodes] = NULL;
        walk->repeated[walk->nodes] = walk->calls[walk->nodes] = 0;
        if (add_node(walk, node, reuse) < 0) {
            return -1;
        }
        node->walk = own;
        node->place = (unsigned int)walk->nodes;
        walk->order[walk->nodes++] = node;
    }
    if (add_roots(walk, roots, expensive, again == count) < 0) {
        return -1;
    }
    const size_t golden = SIZE_MAX / 1618 * 1000 | 1; /* its products spread bits */
    size_t hash = (size_t)count;
    for (Py_ssize_t k = 0; k < walk->words; k++) {
        hash = (hash ^ walk->key[k]) * golden;
        hash ^= hash >> 29;
    }
    walk->hash = hash;
    return 0;
}

static void
end_walk(Walk *walk)
{
    for (Py_ssize_t k = 0; k < walk->leaf_count; k++) {
        Py_DECREF(walk->leaves[k]);
    }
}

#endif
