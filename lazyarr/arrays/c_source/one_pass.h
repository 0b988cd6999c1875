/* Expressions that NumPy computes in one pass over memory, as `is_one_pass` of needed_values.py says. */

#include <numpy/ufuncobject.h>

/* Return whether an expression is one operation on memory, which a kernel that joins spares nothing. */
static int
is_one_operation(const Node *node)
{
    for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(node->src); k++) {
        Node *source = (Node *)PyTuple_GET_ITEM(node->src, k);
        while (source->op == state.view_op && PyTuple_GET_SIZE(source->src)) {
            source = (Node *)PyTuple_GET_ITEM(source->src, 0);
        }
        if (PyTuple_GET_SIZE(source->src) && source->stored == NULL) {
            return 0;
        }
    }
    return 1;
}

/* Return the elements that an operand of an elementwise operation has before they repeat. */
static Py_ssize_t
elements_before(const Node *source)
{
    Py_ssize_t least = size_of(source);
    while (source->op == state.view_op && PyTuple_GET_SIZE(source->src)) {
        source = (Node *)PyTuple_GET_ITEM(source->src, 0);
        least = size_of(source) < least ? size_of(source) : least;
    }
    return least;
}

/* Return whether elements of an operand repeat along short rows, with each of which NumPy begins anew. */
static int
repeats_in_rows(const Node *node)
{
    Py_ssize_t axes = PyTuple_GET_SIZE(node->shape), size = size_of(node);
    if (axes < 2 || PyLong_AsSsize_t(PyTuple_GET_ITEM(node->shape, axes - 1)) >= needed.short_rows) {
        return 0;
    }
    for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(node->src); k++) {
        Py_ssize_t elements = elements_before((Node *)PyTuple_GET_ITEM(node->src, k));
        if (elements > 1 && elements < size) {
            return 1;
        }
    }
    return 0;
}

/* Return whether an operation reads few elements for those that it gives, as a product of a column and a row does. */
static int
is_spread(const Node *node)
{
    double elements = 0;
    for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(node->src); k++) {
        elements += (double)elements_before((Node *)PyTuple_GET_ITEM(node->src, k));
    }
    return elements * 2 <= (double)size_of(node);
}

/* Return whether a node divides integers by a number: NumPy multiplies by the inverse, in vectors. */
static inline int
divides_by_number(const Node *node, const Operation *operation)
{
    return operation->ufunc != NULL && strcmp(((PyUFuncObject *)operation->ufunc)->name, "floor_divide") == 0
        && PyTypeNum_ISINTEGER(((PyArray_Descr *)node->dtype)->type_num)
        && ((Node *)PyTuple_GET_ITEM(node->src, 1))->op == state.constant_op;
}

/* Return whether NumPy computes an expression in one pass over memory, and no plan does sooner; -1 with an error. */
static int
is_one_pass(const Node *root)
{
    const Operation *operation = operation_of(root->op);
    int copies = operation != NULL && (operation->kind == JOIN_KIND || root->op == state.cast_op);
    if (operation == NULL || (operation->ufunc == NULL && !copies) || !is_one_operation(root)
        || (operation->kind == ELEMENTWISE_KIND && repeats_in_rows(root))) {
        return operation == NULL ? -1 : 0;
    }
    int handed = copies || divides_by_number(root, operation) ? 1 : PySet_Contains(state.handed_ufuncs, operation->ufunc);
    Py_ssize_t most = handed <= 0 ? handed : limit_of_settings(), factor = most <= 0 ? most : handed_factor();
    return factor <= 0 ? (int)factor : size_of(root) <= most * state.cheaper * factor;
}
