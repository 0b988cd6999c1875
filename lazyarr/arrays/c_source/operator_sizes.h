/* On how many elements operators run at once. */

/* Return whether an operator divides integers by one of Python's: NumPy multiplies by a reciprocal. */
static inline int
divides_integers(int k, PyObject *left, PyObject *right)
{
    PyObject *memory = k == FLOOR_DIVIDE && PyLong_CheckExact(right) && is_array(left)
        ? ((Array *)left)->memory : NULL;
    return memory != NULL && PyArray_CheckExact(memory)
        && PyTypeNum_ISINTEGER(PyArray_TYPE((PyArrayObject *)memory));
}

/* Return whether an operator of two operands gives elements no longer than theirs. */
static inline int
is_no_wider(int k, PyObject *left, PyObject *right)
{
    return k >= AND || k == FLOOR_DIVIDE
        || (k <= MULTIPLY && element_size(left) == element_size(right));
}
