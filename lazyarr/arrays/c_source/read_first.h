/* Pending operands that are computed before an operation that then runs at once, as NumPy's.

   What is made of a pending array is pending, too. Where the array is small, and made by a reduction or
   by a library, no kernel computes it with what reads it for less than its own plan takes; and a function
   or an index that is built as an expression takes longer than its elements do. So these have memory
   first: else all that a program makes of one number of a small array would wait for each other. */

/* What an expression of few nodes is made of. */
typedef struct {
    Py_ssize_t largest; /* elements of its largest node; -1: it has many nodes, or a length that is none */
    int ends;           /* whether a node is computed for itself, and no operation on elements */
    int calls;          /* whether a library computes one */
} Contents;

static Contents
contents_of(Node *root)
{
    Node *order[MOST_VALUES] = {root};
    Py_ssize_t count = 1;
    Contents contents = {0, 0, 0};
    for (Py_ssize_t k = 0; k < count; k++) {
        Node *node = order[k];
        Py_ssize_t size = size_of(node);
        const Operation *operation = operation_of(node->op);
        if (operation == NULL || size < 0 || count > needed.most_nodes * 2) {
            PyErr_Clear();
            return (Contents){-1, 0, 0};
        }
        contents.largest = size > contents.largest ? size : contents.largest;
        if (node->stored != NULL || !PyTuple_GET_SIZE(node->src)) {
            continue;
        }
        contents.ends |= operation->kind >= OTHER_KIND || operation->kind == REFUSED_KIND;
        contents.calls |= operation->kind == CALL_KIND;
        for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(node->src); i++) {
            if (!add_once(order, &count, (Node *)PyTuple_GET_ITEM(node->src, i))) {
                return (Contents){-1, 0, 0};
            }
        }
    }
    return contents;
}

/* Return whether what is made so is of few enough elements to be computed first. */
static inline int
is_few(Contents contents, Py_ssize_t most)
{
    return contents.largest >= 0
        && (contents.largest <= most || (contents.calls && contents.largest <= needed.factors));
}

/* Return whether a pending array is made of few enough elements to be computed first. */
static int
has_few_elements(PyObject *x, Py_ssize_t most)
{
    Node *root = (Node *)((Array *)x)->node;
    return root->stored == NULL && is_few(contents_of(root), most);
}

/* Return whether a node of a few elements, and more than one, is reduced from more, or made by a library. */
static int
is_reduced(const Node *root, Contents contents, Py_ssize_t most)
{
    Py_ssize_t size = size_of(root);
    return size > 1 && size <= most * state.cheaper && root->stored == NULL && contents.ends
        && is_few(contents, most * state.created);
}

/* Return whether an operand is a number, or of a few elements, pending or in memory. */
static inline int
is_of_few_elements(PyObject *x, Py_ssize_t most)
{
    if (!is_array(x)) {
        return !PyArray_Check(x) || PyArray_SIZE((PyArrayObject *)x) <= most;
    }
    Array *array = (Array *)x;
    if (array->memory != NULL) {
        return !PyArray_CheckExact(array->memory)
            || PyArray_SIZE((PyArrayObject *)array->memory) <= most;
    }
    return array->is_double || (is_pending(x) && size_of((Node *)array->node) <= most);
}

/* Let the operands of an operation on a few elements have memory that are reduced from more; return -1
   with an error. */
static int
compute_reduced(PyObject *const *operands, Py_ssize_t count)
{
    int pending = 0;
    for (Py_ssize_t i = 0; i < count; i++) {
        pending |= is_pending(operands[i]);
    }
    Py_ssize_t most = pending ? limit_now() : 0;
    if (most <= 0) {
        return PyErr_Occurred() ? -1 : 0;
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        if (!is_of_few_elements(operands[i], most * state.cheaper)) {
            return 0;
        }
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        Node *root = is_pending(operands[i]) ? (Node *)((Array *)operands[i])->node : NULL;
        if (root != NULL && is_reduced(root, contents_of(root), most) && compute_pending(operands[i]) < 0) {
            return -1;
        }
    }
    return 0;
}

/* Let an expression of middle size have memory that is shown in another shape, or with its axes in another order: what is
   made of that would be built by Python, with an index map of each use, which takes longer than to store the elements.
   Return -1 with an error. */
static int
compute_shown(PyObject *x)
{
    Py_ssize_t most = is_pending(x) && ((Array *)x)->locked == NULL ? limit_now() : 0;
    if (most <= 0 || !is_pending(x)) { /* asked again: another thread may have computed it */
        return PyErr_Occurred() ? -1 : 0;
    }
    Node *root = (Node *)((Array *)x)->node;
    const Operation *operation = operation_of(root->op);
    if (operation == NULL) {
        return -1;
    }
    int fits = operation->kind != VIEW_KIND && size_of(root) >= LEAST_SHOWN && contents_of(root).largest <= MOST_SHOWN;
    return fits && contents_of(root).largest > 0 ? compute_pending(x) : 0;
}

/* Let a pending array of a few elements have memory of which a part is read, as adopt_or_compute of
   residence.py does; return -1 with an error. */
static int
compute_read(PyObject *x)
{
    Py_ssize_t most = is_pending(x) && ((Array *)x)->locked == NULL ? limit_now() : 0;
    if (most <= 0 || !is_pending(x)) { /* asked again: another thread may have computed it */
        return PyErr_Occurred() ? -1 : 0;
    }
    Node *root = (Node *)((Array *)x)->node;
    const Operation *operation = operation_of(root->op);
    if (operation == NULL || operation->kind == VIEW_KIND || size_of(root) > most * state.cheaper) {
        return operation == NULL ? -1 : 0;
    }
    Contents contents = contents_of(root);
    return contents.largest >= 0 && (contents.largest <= most * state.cheaper || is_reduced(root, contents, most))
        ? compute_pending(x) : 0;
}
