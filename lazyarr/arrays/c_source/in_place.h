/* Operators in place: the result is written to memory of the left operand, or is its next value. */

/* Write the result of an operator to memory of its left operand; return 1 if it was, 0 if Python has to see
   to it, -1 with an error. */
static int
operate_in_place(int k, PyArrayObject *target, PyObject *left, PyObject *right, Py_ssize_t most)
{
    Array *array = (Array *)left;
    Py_ssize_t past = 0;
    PyObject *other;
    if (k == POWER && PyTypeNum_ISINTEGER(PyArray_TYPE(target)) && !PyLong_CheckExact(right)) {
        return 0; /* an exponent may be negative, which is known when elements before it are written */
    }
    if (looped_in_place(k, target, left, right, most * state.cheaper)) {
        mark_written(array, (PyObject *)target); /* as it was a moment ago: nothing else ran */
        return 1;
    }
    most = rows[k].cheap || divides_integers(k, left, right) ? most_of(most * state.written, left, right, 1) : most;
    if (k != POWER && rows[k].ufunc != NULL && !PyErr_Occurred()) {
        PyObject *const pair[2] = {(PyObject *)target, right};
        int is_written = looped_into(rows[k].ufunc, pair, 2, target, most);
        if (is_written) {
            return wrote(array, (PyObject *)target) < 0 ? -1 : is_written;
        }
    }
    if (PyErr_Occurred() || PyArray_SIZE(target) > most
        || (other = read_operand(right, most, &past)) == NULL) {
        return 0;
    }
    if (!in_users_code()) {
        Py_DECREF(other);
        return 0;
    }
    PyObject *result = apply_in_place(k, (PyObject *)target, other);
    int is_written = result != NULL || PyErr_ExceptionMatches(PyExc_FloatingPointError)
        || !was_refused(); /* the exception came after the result was written */
    int failed = is_written ? wrote(array, (PyObject *)target) : 0;
    failed |= is_written && result == NULL;
    Py_DECREF(other);
    Py_XDECREF(result);
    return failed ? -1 : is_written;
}

/* Write the result of an operator to its left operand, of which it may be the next value. */
static inline PyObject *
written_in_place(int k, PyObject *left, PyObject *right)
{
    Py_ssize_t most;
    PyObject *pair[2] = {left, right};
    if (is_array(left) && compute_reduced(pair, 2) < 0) {
        return NULL;
    }
    if (is_array(left) && (most = limit_now()) > 0) {
        Array *array = (Array *)left;
        if (array->is_double || (array->memory != NULL && !PyArray_CheckExact(array->memory))) {
            PyObject *result = fast_binary(k, left, right); /* numbers do not change */
            if (result != NULL || PyErr_Occurred()) {
                return result;
            }
        }
        if (may_be_read(array) && compute_readers(array, right) < 0) {
            return NULL;
        }
        if (is_pending(right) && array->memory != NULL && PyArray_CheckExact(array->memory)
            && PyArray_SIZE((PyArrayObject *)array->memory) > most) {
            int apart = is_operand_apart(array, right, rows[k].cheap);
            if (apart < 0 || (apart && compute_pending(right) < 0)) {
                return NULL;
            }
        }
        PyArrayObject *target = writable_memory(array);
        if (target != NULL) {
            Py_INCREF(target);
            int written = operate_in_place(k, target, left, right, most);
            Py_DECREF(target);
            if (written) {
                return written < 0 ? NULL : Py_NewRef(left);
            }
        }
    }
    PyObject *result = PyErr_Occurred() ? NULL : next_value(k, left, right);
    if (result != NULL || PyErr_Occurred()) {
        return result;
    }
    /* Who keeps the value before a last write has it computed, too. */
    PyObject *before = is_pending(left) && writes_of((Array *)left) + 1 < needed.most_writes
        ? array_of(Py_NewRef(((Array *)left)->node)) : NULL;
    if (PyErr_Occurred()) {
        return NULL;
    }
    result = PyObject_Vectorcall(rows[k].in_place, pair, 2, NULL);
    if (before != NULL) {
        learn(rows[k].op, before, right, result);
        Py_DECREF(before);
    }
    return result;
}

/* Write the result of an operator to its left operand. */
static PyObject *
in_place(int k, PyObject *left, PyObject *right)
{
    int may_change = is_array(left) && PyArray_Check(right) && any_may_be_written(&right, 1, OF_STACK);
    PyObject *result = written_in_place(k, left, right);
    if (!may_change || result != left) {
        return read_at_call(result, may_change, 1);
    }
    PyObject *owner = read_at_call(Py_NewRef((PyObject *)owner_of((Array *)left)), 1, 1);
    if (owner == NULL) {
        Py_CLEAR(result);
    }
    Py_XDECREF(owner);
    return result;
}
