/* Operators of small arrays by the loops of loop_code.h. */

#include "loop_code.h"

/* An operand: where it begins, and the bytes from an element to the next along each axis. */
typedef struct {
    PyArrayObject *array; /* borrowed; NULL: a number */
    PyObject *reference;  /* to it, which is to be given back; NULL: no Python code runs meanwhile */
    const char *data;
    npy_intp strides[MOST_AXES];
    double number;
    npy_long integer; /* the same number, if it is one of Python's or of int64 */
    union {
        float real;
        npy_int whole;
        npy_ubyte byte;
    } narrow;
    int is_integer;
} Operand;

/* Fill in an operand; return the code of its dtype, NPY_BOOL of a number of Python's, which takes
   that of an array, and -1 of anything else. */
static int
set_operand(Operand *operand, PyObject *x)
{
    PyObject *memory = is_array(x) && !((Array *)x)->is_double ? memory_of((Array *)x) : x;
    memory = memory == NULL ? operand->reference = leaf_memory((Array *)x) : memory;
    operand->array = NULL;
    if (memory != NULL && PyArray_CheckExact(memory)) {
        operand->array = (PyArrayObject *)memory;
        operand->data = PyArray_BYTES(operand->array);
        int ndim = PyArray_NDIM(operand->array), code = PyArray_TYPE(operand->array);
        return loop_column(code) >= 0 && ndim >= 1 && ndim <= MOST_AXES
            && PyArray_ISBEHAVED_RO(operand->array) ? code : -1;
    }
    operand->is_integer = 0;
    if (memory != NULL && Py_TYPE(memory) == &PyLongArrType_Type) {
        operand->integer = PyArrayScalar_VAL(memory, Long);
        operand->is_integer = 1;
        return NPY_LONG;
    }
    if (memory != NULL && Py_TYPE(memory) == &PyFloatArrType_Type) {
        operand->number = PyArrayScalar_VAL(memory, Float);
        return isfinite(operand->number) ? NPY_FLOAT : -1;
    }
    if (!as_double(x, &operand->number) || !isfinite(operand->number)) {
        return -1;
    }
    if (PyLong_CheckExact(x)) {
        operand->integer = (npy_long)operand->number;
        operand->is_integer = (double)operand->integer == operand->number;
        return NPY_BOOL;
    }
    return PyFloat_CheckExact(x) ? NPY_BOOL : NPY_DOUBLE;
}

/* Let a number, which has a dtype of its own, be data of another; return whether the operator has that,
   and it is one of its numbers, without an exception. */
static int
narrowed(Operand *operand, int own, int code)
{
    switch (code) {
    case NPY_DOUBLE:
        operand->data = (char *)&operand->number;
        return own != NPY_LONG;
    case NPY_FLOAT:
        operand->narrow.real = (float)operand->number;
        operand->data = (char *)&operand->narrow;
        return own != NPY_LONG && own <= code
            && (isnormal(operand->narrow.real) || operand->number == 0);
    case NPY_LONG:
        operand->data = (char *)&operand->integer;
        return operand->is_integer;
    case NPY_INT:
        operand->narrow.whole = (npy_int)operand->integer;
        operand->data = (char *)&operand->narrow;
        return operand->is_integer && own == NPY_BOOL && operand->narrow.whole == operand->integer;
    case NPY_UBYTE:
        operand->narrow.byte = (npy_ubyte)operand->integer;
        operand->data = (char *)&operand->narrow;
        return operand->is_integer && own == NPY_BOOL && operand->narrow.byte == operand->integer;
    default: return 0;
    }
}

/* Set the strides of an operand along the axes of the result, whose lengths it may widen; return
   whether it broadcasts and lies in C's order, as the result then does. */
static int
broadcast_operand(Operand *operand, int ndim, npy_intp *shape)
{
    int own = operand->array == NULL ? 0 : PyArray_NDIM(operand->array);
    npy_intp last = NPY_MAX_INTP;
    for (int axis = 0; axis < ndim; axis++) {
        operand->strides[axis] = 0;
        int place = axis - (ndim - own);
        npy_intp length = place < 0 ? 1 : PyArray_DIM(operand->array, place);
        if (length == 1) {
            continue;
        }
        if (shape[axis] != 1 && shape[axis] != length) {
            return 0;
        }
        shape[axis] = length;
        npy_intp stride = PyArray_STRIDE(operand->array, place);
        if (stride < 0 || (stride != 0 && stride > last)) {
            return 0;
        }
        last = stride == 0 ? last : stride;
        operand->strides[axis] = stride;
    }
    return 1;
}

/* Run a loop over all elements; return whether its result stands. */
static int
run_loop(Loop loop, char *out, int ndim, npy_intp *shape, Operand *a, Operand *b, int size)
{
    /* Axes along which both go on where the next one ends are one. */
    int inner = ndim - 1;
    npy_intp length = shape[inner];
    while (inner > 0 && a->strides[inner - 1] == a->strides[ndim - 1] * length
           && b->strides[inner - 1] == b->strides[ndim - 1] * length) {
        length *= shape[--inner];
    }
    npy_intp index[MOST_AXES] = {0}, a_stride = a->strides[ndim - 1];
    npy_intp b_stride = b->strides[ndim - 1];
    const char *left = a->data, *right = b->data;
    NOTHING_MET();
    for (;;) {
        if (loop(out, left, right, length, a_stride, b_stride)) {
            return 0;
        }
        out += length * size;
        int axis = inner - 1;
        for (; axis >= 0; axis--) {
            left += a->strides[axis];
            right += b->strides[axis];
            if (++index[axis] < shape[axis]) {
                break;
            }
            left -= a->strides[axis] * shape[axis];
            right -= b->strides[axis] * shape[axis];
            index[axis] = 0;
        }
        if (axis < 0) {
            return 1;
        }
    }
}

static inline int
has_one_operand(int k)
{
    return k == NEGATIVE || k == ABSOLUTE || k == INVERT || k == LOGICAL_NOT;
}

/* Return an operator of two operands, to be filled in, as fresh memory; see `looped`. */
static PyObject *
looped_pair(int k, PyObject *left, PyObject *right, Py_ssize_t most, Operand pair[2])
{
    int is_comparison = k >= LESS && k <= GREATER_EQUAL;
    int swapped = k == GREATER || k == GREATER_EQUAL, code = 0;
    PyObject *const values[2] = {swapped ? right : left, swapped ? left : right};
    npy_intp shape[MOST_AXES] = {1, 1, 1, 1}, size = 1;
    int codes[2], ndim = 0;
    for (int i = 0; i < 2; i++) {
        if ((codes[i] = set_operand(&pair[i], values[i])) < 0) {
            return NULL;
        }
        if (pair[i].array != NULL) {
            code = codes[i];
            ndim = ndim > PyArray_NDIM(pair[i].array) ? ndim : PyArray_NDIM(pair[i].array);
        }
    }
    int column = loop_column(code);
    Loop loop = ndim ? loops[k][column] : NULL;
    if (loop == NULL) {
        return NULL;
    }
    for (int i = 0; i < 2; i++) {
        if (i && has_one_operand(k)) {
            pair[i].data = pair[0].data; /* is not looked at */
        }
        else if (pair[i].array == NULL ? !narrowed(&pair[i], codes[i], code) : codes[i] != code) {
            return NULL;
        }
        if (!broadcast_operand(&pair[i], ndim, shape)) {
            return NULL;
        }
    }
    for (int axis = 0; axis < ndim; axis++) {
        size *= shape[axis];
        if (size > most || size == 0) {
            return NULL;
        }
    }
    if (!broadcast_operand(&pair[0], ndim, shape)) { /* the second one may have widened it */
        return NULL;
    }
    for (int i = 0; i < 2 && (size_t)size * 8 >= LEAST_POOLED; i++) {
        if (pair[i].array != NULL && pair[i].reference == NULL) {
            pair[i].reference = Py_NewRef(pair[i].array);
        }
    }
    PyObject *result = new_memory(ndim, shape, is_comparison ? NPY_BOOL : code);
    if (result == NULL) {
        return NULL;
    }
    char *out = PyArray_BYTES((PyArrayObject *)result);
    int item = (int)PyArray_ITEMSIZE((PyArrayObject *)result);
    int stands = run_loop(loop, out, ndim, shape, &pair[0], &pair[1], item);
    int may_warn = column <= OF_FLOAT && !is_comparison && k != MINIMUM && k != MAXIMUM;
    if (!stands || (may_warn && WAS_MET())) {
        Py_CLEAR(result);
    }
    return result;
}

/* Return an operator of arrays as fresh memory; NULL without an error: NumPy has to see to it. */
static PyObject *
looped(int k, PyObject *left, PyObject *right, Py_ssize_t most)
{
    if (k >= (int)Py_ARRAY_LENGTH(loops) || hands_over() /* NumPy's loops have wider vectors */
        || (k == POWER && !(PyLong_CheckExact(right) && PyLong_AsLong(right) == 2))) {
        PyErr_Clear();
        return NULL;
    }
    Operand pair[2];
    pair[0].reference = pair[1].reference = NULL;
    PyObject *result = looped_pair(k, left, right, most, pair);
    Py_XDECREF(pair[0].reference);
    Py_XDECREF(pair[1].reference);
    return result;
}

/* Copy fresh memory to an array of the same shape and dtype. */
static void
put(PyArrayObject *target, PyArrayObject *fresh)
{
    npy_intp item = PyArray_ITEMSIZE(target), index[MOST_AXES] = {0};
    char *from = PyArray_BYTES(fresh), *to = PyArray_BYTES(target);
    if (PyArray_IS_C_CONTIGUOUS(target)) {
        memcpy(to, from, (size_t)PyArray_NBYTES(target));
        return;
    }
    int last = PyArray_NDIM(target) - 1;
    npy_intp length = PyArray_DIM(target, last), stride = PyArray_STRIDE(target, last);
    for (;;) {
        if (stride == item) {
            memcpy(to, from, (size_t)(length * item));
        }
        else if (item == sizeof(double)) {
            for (npy_intp i = 0; i < length; i++) {
                *(double *)(to + i * stride) = ((double *)from)[i];
            }
        }
        else if (item == 1) {
            for (npy_intp i = 0; i < length; i++) {
                to[i * stride] = from[i];
            }
        }
        else {
            for (npy_intp i = 0; i < length; i++) {
                *(float *)(to + i * stride) = ((float *)from)[i];
            }
        }
        from += length * item;
        int axis = last - 1;
        for (; axis >= 0; axis--) {
            to += PyArray_STRIDE(target, axis);
            if (++index[axis] < PyArray_DIM(target, axis)) {
                break;
            }
            to -= PyArray_STRIDE(target, axis) * PyArray_DIM(target, axis);
            index[axis] = 0;
        }
        if (axis < 0) {
            return;
        }
    }
}

/* Return whether NumPy writes to an array in place faster than fresh memory is copied to it. */
static inline int
is_faster_in_place(PyArrayObject *target)
{
    if (PyArray_IS_C_CONTIGUOUS(target)) {
        return PyArray_SIZE(target) > MOST_COPIED;
    }
    return PyArray_NDIM(target) == 1 && PyArray_SIZE(target) > MOST_COPIED_APART;
}

/* Write the result of an operator to its left operand, whose memory the target is; return whether
   that was possible. */
static int
looped_in_place(int k, PyArrayObject *target, PyObject *left, PyObject *right, Py_ssize_t most)
{
    PyObject *result;
    if (!PyArray_ISBEHAVED(target) || is_faster_in_place(target)
        || (result = looped(k, left, right, most)) == NULL) {
        return 0;
    }
    PyArrayObject *fresh = (PyArrayObject *)result;
    int ndim = PyArray_NDIM(target);
    int fits = PyArray_NDIM(fresh) == ndim && PyArray_TYPE(fresh) == PyArray_TYPE(target)
        && PyArray_CompareLists(PyArray_DIMS(fresh), PyArray_DIMS(target), ndim);
    if (fits) {
        put(target, fresh);
    }
    Py_DECREF(result);
    return fits;
}
