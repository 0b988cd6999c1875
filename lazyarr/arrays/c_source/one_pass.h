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
    if (operation == NULL || (operation->ufunc == NULL && !copies) || !is_one_operation(root)) {
        return operation == NULL ? -1 : 0;
    }
    int handed = copies || divides_by_number(root, operation) ? 1 : PySet_Contains(state.handed_ufuncs, operation->ufunc);
    Py_ssize_t most = handed <= 0 ? handed : limit_of_settings(), factor = most <= 0 ? most : handed_factor();
    return factor <= 0 ? (int)factor : size_of(root) <= most * state.cheaper * factor;
}
