/* numpy.where of three operands in memory, without a branch for each element: NumPy's loop has one, which is mispredicted
   for every other element of a condition without a pattern. */

typedef struct {
    PyArrayObject *array; /* NULL: a number */
    Pair number;
    const char *start;
    npy_intp stride[MOST_AXES];
} Choosable;

#define DEFINE_CHOOSE(type)                                                                                      \
    static void choose_##type(char *to, const char *mask, npy_intp mask_stride, const char *yes, npy_intp yes_stride, \
                              const char *no, npy_intp no_stride, npy_intp count)                                \
    {                                                                                                            \
        type *out = (type *)to;                                                                                  \
        npy_intp item = (npy_intp)sizeof(type);                                                                  \
        if (mask_stride == 1 && yes_stride == item && no_stride == item) {                                       \
            const type *a = (const type *)yes, *b = (const type *)no;                                            \
            for (npy_intp i = 0; i < count; i++) {                                                               \
                out[i] = chosen_##type(mask[i] != 0, b[i], a[i]);                                                \
            }                                                                                                    \
        }                                                                                                        \
        else if (mask_stride == 1 && yes_stride == item && no_stride == 0) {                                     \
            const type *a = (const type *)yes, b = *(const type *)no;                                            \
            for (npy_intp i = 0; i < count; i++) {                                                               \
                out[i] = chosen_##type(mask[i] != 0, b, a[i]);                                                   \
            }                                                                                                    \
        }                                                                                                        \
        else if (mask_stride == 1 && yes_stride == 0 && no_stride == item) {                                     \
            const type a = *(const type *)yes, *b = (const type *)no;                                            \
            for (npy_intp i = 0; i < count; i++) {                                                               \
                out[i] = chosen_##type(mask[i] != 0, b[i], a);                                                   \
            }                                                                                                    \
        }                                                                                                        \
        else {                                                                                                   \
            for (npy_intp i = 0; i < count; i++) {                                                               \
                out[i] = chosen_##type(mask[i * mask_stride] != 0, *(const type *)(no + i * no_stride),          \
                                       *(const type *)(yes + i * yes_stride));                                   \
            }                                                                                                    \
        }                                                                                                        \
    }

DEFINE_CHOOSE(npy_uint8)
DEFINE_CHOOSE(npy_uint16)
DEFINE_CHOOSE(npy_uint32)
DEFINE_CHOOSE(npy_uint64)
DEFINE_CHOOSE(Pair)

/* Return whether a value is a number of a dtype, or one of Python's that takes the dtype of an array beside it. */
static int
takes_dtype(PyObject *value, PyArrayObject *beside)
{
    int code = PyArray_TYPE(beside);
    return is_weaker(value, (PyObject *)beside) || (PyBool_Check(value) && code == NPY_BOOL)
        || (Py_TYPE(value) == &PyDoubleArrType_Type && code == NPY_DOUBLE)
        || (Py_TYPE(value) == &PyLongArrType_Type && code == NPY_LONG);
}

/* Fill in the operands and the lengths to which they broadcast; return the number of axes, -1 where NumPy has to see to
   it: dtypes are to be found, or the result may not lie in C order. */
static int
choosable(PyObject *const *values, Choosable *operands, npy_intp *shape)
{
    PyArrayObject *first = NULL;
    int axes = 0;
    for (int k = 0; k < 3; k++) {
        operands[k].array = PyArray_CheckExact(values[k]) ? (PyArrayObject *)values[k] : NULL;
        if (operands[k].array != NULL) {
            axes = PyArray_NDIM(operands[k].array) > axes ? PyArray_NDIM(operands[k].array) : axes;
            first = k && first == NULL ? operands[k].array : first;
        }
    }
    if (operands[0].array == NULL || PyArray_TYPE(operands[0].array) != NPY_BOOL || first == NULL || !axes
        || axes > MOST_AXES || !is_known(PyArray_DESCR(first))) {
        return -1;
    }
    for (int axis = 0; axis < axes; axis++) {
        shape[axis] = 1;
    }
    for (int k = 0; k < 3; k++) {
        PyArrayObject *array = operands[k].array;
        memset(operands[k].stride, 0, sizeof(operands[k].stride));
        if (array == NULL) {
            if (!takes_dtype(values[k], first) || !put_number((char *)&operands[k].number, PyArray_TYPE(first), values[k])) {
                return -1;
            }
            operands[k].start = (const char *)&operands[k].number;
            continue;
        }
        if (k && (PyArray_TYPE(array) != PyArray_TYPE(first) || !PyArray_ISBEHAVED_RO(array))) {
            return -1;
        }
        operands[k].start = PyArray_BYTES(array);
        npy_intp behind = 0;
        for (int axis = axes - 1, own = PyArray_NDIM(array) - 1; own >= 0; axis--, own--) {
            npy_intp length = PyArray_DIM(array, own), stride = PyArray_STRIDE(array, own);
            if (length == 1) {
                continue;
            }
            if ((shape[axis] != 1 && shape[axis] != length) || stride < behind || stride <= 0) {
                return -1;
            }
            shape[axis] = length;
            operands[k].stride[axis] = behind = stride;
        }
    }
    return axes;
}

/* Make one axis of two where the elements of each operand follow each other across them; return the axes left. */
static int
join_axes(Choosable *operands, npy_intp *shape, int axes)
{
    int last = 0;
    for (int axis = 1; axis < axes; axis++) {
        int joined = 1;
        for (int k = 0; k < 3 && joined; k++) {
            joined = shape[last] == 1 || operands[k].stride[last] == operands[k].stride[axis] * shape[axis];
        }
        last += !joined;
        for (int k = 0; k < 3; k++) {
            operands[k].stride[last] = operands[k].stride[axis];
        }
        shape[last] = joined ? shape[last] * shape[axis] : shape[axis];
    }
    return last + 1;
}

/* Write the chosen elements, row after row. */
static void
choose_rows(char *out, npy_intp item, const Choosable *operands, const npy_intp *shape, int axes)
{
    npy_intp index[MOST_AXES] = {0}, count = shape[axes - 1];
    const char *at[3] = {operands[0].start, operands[1].start, operands[2].start};
    for (;;) {
#define CHOOSE(type)                                                                                      \
    choose_##type(out, at[0], operands[0].stride[axes - 1], at[1], operands[1].stride[axes - 1], at[2],   \
                  operands[2].stride[axes - 1], count)
        BY_SIZE(item, CHOOSE)
#undef CHOOSE
        out += count * item;
        int axis = axes - 2;
        for (; axis >= 0; axis--) {
            int begins = ++index[axis] == shape[axis];
            for (int k = 0; k < 3; k++) {
                at[k] += begins ? -operands[k].stride[axis] * (shape[axis] - 1) : operands[k].stride[axis];
            }
            if (!begins) {
                break;
            }
            index[axis] = 0;
        }
        if (axis < 0) {
            return;
        }
    }
}

/* Return the elements that a condition chooses of two operands in memory; NULL without an error: NumPy, or Python, has
   to see to it. */
static PyObject *
chosen_elements(Call *call, PyObject *const *args)
{
    PyObject *values[3] = {NULL}, *result = NULL;
    Py_ssize_t most = limit_now() * state.written, past = 0;
    Choosable operands[3];
    npy_intp shape[MOST_AXES], lengths[MOST_AXES], size = 1;
    int known = most > 0, any = 0, axes = -1;
    for (int k = 0; k < 3 && known; k++) {
        any |= is_array(args[k]);
        known = (values[k] = read_operand(args[k], most, &past)) != NULL;
    }
    if (known && any) {
        axes = choosable(values, operands, shape);
    }
    for (int axis = 0; axis < axes; axis++) {
        lengths[axis] = shape[axis];
        size = shape[axis] > most ? most + 1 : size * shape[axis];
    }
    if (axes > 0 && size > 0 && size <= most) {
        PyArray_Descr *dtype = PyArray_DESCR(operands[1].array == NULL ? operands[2].array : operands[1].array);
        npy_intp item = PyDataType_ELSIZE(dtype);
        Py_INCREF(dtype);
        PyObject *before = begin_blocks((double)size * (double)item);
        result = PyArray_NewFromDescr(&PyArray_Type, dtype, axes, lengths, NULL, NULL, 0, NULL);
        end_blocks(before);
        if (result != NULL) {
            choose_rows(PyArray_BYTES((PyArrayObject *)result), item, operands, shape, join_axes(operands, shape, axes));
            result = remembered_call(call, result, args, 3, NULL, past);
        }
    }
    for (int k = 0; k < 3; k++) {
        Py_XDECREF(values[k]);
    }
    return result;
}
