/* Pending operands that are computed before an operation that then runs at once, as NumPy's.

   What is made of a pending array is pending, too. Where the array is small, and made by a reduction or
   by a library, no kernel computes it with what reads it for less than its own plan takes; and a function
   or an index that is built as an expression takes longer than its elements do. So these have memory
   first: else all that a program makes of one number of a small array would wait for each other. */

/* Return the elements of the largest node of an expression of few nodes; -1: it has more, or a length that is
   none. `ends`: whether a node is there that is computed for itself, and no operation on elements; `calls`:
   whether a library computes one. */
static Py_ssize_t
largest_of(Node *root, int *ends, int *calls)
{
    Node *order[MOST_VALUES] = {root};
    Py_ssize_t count = 1, largest = 0;
    *ends = *calls = 0;
    for (Py_ssize_t k = 0; k < count; k++) {
        Node *node = order[k];
        Py_ssize_t size = size_of(node);
        const Operation *operation = operation_of(node->op);
        if (operation == NULL || size < 0 || count > needed.most_nodes * 2) {
            PyErr_Clear();
            return -1;
        }
        largest = size > largest ? size : largest;
        if (node->stored != NULL || !PyTuple_GET_SIZE(node->src)) {
            continue;
        }
        *ends |= operation->kind >= OTHER_KIND || operation->kind == REFUSED_KIND;
        *calls |= operation->kind == CALL_KIND;
        for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(node->src); i++) {
            Node *source = (Node *)PyTuple_GET_ITEM(node->src, i);
            Py_ssize_t place = 0;
            while (place < count && order[place] != source) {
                place++;
            }
            if (place == MOST_VALUES) {
                return -1;
            }
            if (place == count) {
                order[count++] = source;
            }
        }
    }
    return largest;
}

/* Return whether a pending array is made of few enough elements to be computed first. */
static int
is_made_of_few(PyObject *x, Py_ssize_t most)
{
    Node *root = (Node *)((Array *)x)->node;
    int ends, calls;
    Py_ssize_t largest = root->stored != NULL ? -1 : largest_of(root, &ends, &calls);
    return largest >= 0 && (largest <= most || (calls && largest <= needed.factors));
}

/* Return whether a pending array of a few elements, and more than one, is reduced from more, or made by a
   library. */
static int
is_reduced(PyObject *x, Py_ssize_t most)
{
    Node *root = (Node *)((Array *)x)->node;
    Py_ssize_t size = size_of(root);
    int ends, calls;
    return size > 1 && size <= most * state.cheaper && is_made_of_few(x, most * state.created)
        && largest_of(root, &ends, &calls) >= 0 && ends;
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
        if (is_pending(operands[i]) && is_reduced(operands[i], most)
            && compute_pending(operands[i]) < 0) {
            return -1;
        }
    }
    return 0;
}

/* Let a pending array of a few elements have memory of which a part is read, as adopt_or_compute of
   residence.py does; return -1 with an error. */
static int
compute_read(PyObject *x)
{
    Py_ssize_t most = is_pending(x) && ((Array *)x)->locked == NULL ? limit_now() : 0;
    if (most <= 0) {
        return PyErr_Occurred() ? -1 : 0;
    }
    Node *root = (Node *)((Array *)x)->node;
    const Operation *operation = operation_of(root->op);
    int ends, calls;
    if (operation == NULL || operation->kind == VIEW_KIND || size_of(root) > most * state.cheaper) {
        return operation == NULL ? -1 : 0;
    }
    Py_ssize_t largest = largest_of(root, &ends, &calls);
    return largest >= 0 && (largest <= most * state.cheaper || is_reduced(x, most))
        ? compute_pending(x) : 0;
}
