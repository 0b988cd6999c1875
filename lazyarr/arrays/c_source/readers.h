/* What waits to be computed of an array's memory that is about to be written to. A pending array that reads it
   has to see the old elements: the array would go on with a copy. Where the values that wait are no more than
   that copy, they are computed instead, as NumPy would have done before. */

/* Nodes of which it is known whether they are made of a leaf. */
typedef struct {
    PyObject *leaf;
    Node *node[MOST_READ];
    char reads[MOST_READ];
    int count;
} Readers;

/* Return whether a node is made of the leaf; -1: that would take long to find out. */
static int
reads_leaf(Readers *readers, Node *node, int depth)
{
    if ((PyObject *)node == readers->leaf) {
        return 1;
    }
    Py_ssize_t count = PyTuple_GET_SIZE(node->src);
    if (!count || node->stored != NULL) {
        return node->stored == readers->leaf;
    }
    for (int k = readers->count - 1; k >= 0; k--) {
        if (readers->node[k] == node) {
            return readers->reads[k];
        }
    }
    int reads = 0;
    for (Py_ssize_t i = 0; reads == 0 && i < count; i++) {
        reads = depth == MOST_READ_DEEP
            ? -1 : reads_leaf(readers, (Node *)PyTuple_GET_ITEM(node->src, i), depth + 1);
    }
    if (reads < 0 || readers->count == MOST_READ) {
        return -1;
    }
    readers->node[readers->count] = node;
    readers->reads[readers->count++] = (char)reads;
    return reads;
}

/* Return the arrays that wait and are made of a leaf, as a list; NULL without an error: there are none, or
   their values are more than so many bytes. `value` is what is written, and computed for that. */
static PyObject *
readers_of(PyObject *leaf, PyObject *value, double most)
{
    Readers readers;
    readers.leaf = leaf;
    readers.count = 0;
    PyObject *list = NULL;
    double bytes = 0;
    for (unsigned int k = 0; k < RECENT; k++) {
        PyObject *x = (PyObject *)recent[(next_recent + k) % RECENT]; /* the oldest one first */
        if (x == NULL || x == value || !is_pending(x) || ((Node *)((Array *)x)->node)->stored != NULL) {
            continue;
        }
        Node *node = (Node *)((Array *)x)->node;
        int reads = reads_leaf(&readers, node, 0);
        double own = reads > 0 ? bytes_of(node) : 0;
        bytes += own;
        int fits = reads >= 0 && own >= 0 && bytes <= most;
        Py_INCREF(x); /* the collector may run when a list is made */
        if (fits && reads && list == NULL) {
            list = PyList_New(0);
            fits = list != NULL;
        }
        fits = fits && (!reads || PyList_Append(list, x) == 0);
        Py_DECREF(x);
        if (!fits) {
            Py_CLEAR(list);
            return NULL;
        }
    }
    return list;
}

/* Return whether anything may wait for an array's memory. */
static inline int
may_be_read(Array *array)
{
    Array *owner = owner_of(array);
    return owner->node != NULL && owner->view_nodes != NULL && owner->history != state.borrowed;
}

/* Clear an error that is none of the write's, but of a value that waits, which raises it when it is asked for;
   return whether it was one. */
static int
is_of_reader(void)
{
    if (!PyErr_ExceptionMatches(PyExc_ArithmeticError) && !PyErr_ExceptionMatches(PyExc_Warning)
        && !PyErr_ExceptionMatches(PyExc_MemoryError)) {
        return 0;
    }
    PyErr_Clear();
    return 1;
}

/* Let what waits for an array's memory have its values before a part of that is written to, where the array
   would go on with a copy otherwise; return -1 with an error. A large value that is written may come with
   other memory, beside which nothing is copied (slice_writes.py). */
static int
compute_readers(Array *array, PyObject *value)
{
    Py_ssize_t most = limit_now();
    Array *owner = owner_of(array);
    PyObject *memory = owner->memory, *leaf = owner->node;
    if (most <= 0 || memory == NULL || leaf == NULL || owner->view_nodes == NULL
        || !PyArray_CheckExact(memory) || PyArray_SIZE((PyArrayObject *)memory) <= most
        || owner->history == state.borrowed || array->locked != NULL || owner->locked != NULL
        || (array == owner && PyArray_SIZE((PyArrayObject *)memory) > most * state.written)
        || (is_pending(value) && bytes_of((Node *)((Array *)value)->node) >= needed.exchanged_bytes)
        || Py_REFCNT(leaf) < 2) {
        return PyErr_Occurred() ? -1 : 0;
    }
    double bytes = (double)PyArray_NBYTES((PyArrayObject *)memory);
    Py_INCREF(leaf);
    PyObject *readers = is_unseen(owner) ? NULL : readers_of(leaf, value, bytes);
    Py_DECREF(leaf);
    int failed = readers == NULL && PyErr_Occurred();
    for (Py_ssize_t i = 0; readers != NULL && !failed && i < PyList_GET_SIZE(readers); i++) {
        failed = compute_pending(PyList_GET_ITEM(readers, i)) < 0 && !is_of_reader();
    }
    Py_XDECREF(readers);
    return failed ? -1 : 0;
}
