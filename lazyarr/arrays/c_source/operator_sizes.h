/* On how many elements operators run at once. */

/* Return whether an operator of two operands gives elements no longer than theirs. */
static inline int
is_no_wider(int k, PyObject *left, PyObject *right)
{
    return k >= AND || (k <= MULTIPLY && element_size(left) == element_size(right));
}
