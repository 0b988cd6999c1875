/* Elements of vectors, and rows of matrices, at places that an array of integers says. */

/* Return the least and the largest of some integers, and of nothing. */
VECTORIZED static void
set_range(const npy_intp *index, npy_intp count, npy_intp *least, npy_intp *most)
{
    npy_intp low = 0, high = -1;
    for (npy_intp i = 0; i < count; i++) {
        low = index[i] < low ? index[i] : low;
        high = index[i] > high ? index[i] : high;
    }
    *least = low;
    *most = high;
}

/* Return 2 if all indices are of elements of a vector, none from its end, 1 if some are, 0 if not all are. */
static int
are_places(PyObject *indices, npy_intp length)
{
    PyArrayObject *array = (PyArrayObject *)indices;
    if (!PyArray_CheckExact(indices) || PyArray_TYPE(array) != NPY_INTP || PyArray_NDIM(array) != 1
        || !PyArray_IS_C_CONTIGUOUS(array) || !PyArray_ISBEHAVED_RO(array)) {
        return 0;
    }
    npy_intp least, most;
    set_range(PyArray_DATA(array), PyArray_SIZE(array), &least, &most);
    return most >= length || least < -length ? 0 : least < 0 ? 1 : 2;
}

#define GATHER(type)                                                            \
    if (stride == sizeof(type) && from_start) {                                 \
        for (npy_intp i = 0; i < count; i++) {                                  \
            ((type *)out)[i] = ((const type *)data)[index[i]];                  \
        }                                                                       \
        return;                                                                 \
    }                                                                           \
    for (npy_intp i = 0; i < count; i++) {                                      \
        npy_intp place = index[i] + (index[i] < 0 ? length : 0);                \
        ((type *)out)[i] = *(const type *)(data + place * stride);              \
    }                                                                           \
    return

/* Write the elements, or rows of them, at places of memory. */
static void
gather(char *out, const char *data, npy_intp stride, npy_intp length, npy_intp item, const npy_intp *index,
       npy_intp count, int from_start)
{
    switch (item) {
    case 1: GATHER(npy_uint8);
    case 4: GATHER(npy_uint32);
    case 8: GATHER(npy_uint64);
    default:
        for (npy_intp i = 0; i < count; i++) {
            npy_intp place = index[i] + (index[i] < 0 ? length : 0);
            memcpy(out + i * item, data + place * stride, (size_t)item);
        }
    }
}

#define WIDENED(type)                               \
    for (npy_intp i = 0; i < count; i++) {          \
        to[i] = (npy_intp)((const type *)from)[i];  \
    }                                               \
    return 1

/* Return whether integers of fewer bits were written as those that addresses have. */
static int
widened(npy_intp *restrict to, const void *from, npy_intp count, int code)
{
    switch (code) {
    case NPY_BYTE: WIDENED(npy_byte);
    case NPY_UBYTE: WIDENED(npy_ubyte);
    case NPY_SHORT: WIDENED(npy_short);
    case NPY_USHORT: WIDENED(npy_ushort);
    case NPY_INT: WIDENED(npy_int);
    case NPY_UINT: WIDENED(npy_uint);
    default: return 0;
    }
}

/* Return what an array of places chooses along the first axis; NULL without an error: NumPy has to see to it. */
static PyObject *
gathered(PyArrayObject *memory, PyObject *indices)
{
    int axes = PyArray_NDIM(memory);
    npy_intp item = PyArray_ITEMSIZE(memory), length = axes ? PyArray_DIM(memory, 0) : 0;
    PyArrayObject *index = (PyArrayObject *)indices;
    if ((axes != 1 && axes != 2) || !PyArray_ISBEHAVED_RO(memory)
        || (axes == 2 && PyArray_STRIDE(memory, 1) != item) || !PyArray_CheckExact(indices)
        || !PyArray_IS_C_CONTIGUOUS(index) || !PyArray_ISBEHAVED_RO(index)) {
        return NULL;
    }
    int code = PyArray_TYPE(index), ndim = PyArray_NDIM(index);
    npy_intp shape[NPY_MAXDIMS], wide[MOST_WIDENED], count = PyArray_SIZE(index), columns = axes == 2 ? PyArray_DIM(memory, 1) : 1;
    if (!ndim || ndim + axes > NPY_MAXDIMS || (code != NPY_INTP && !widened(wide, NULL, 0, code))) {
        return NULL;
    }
    memcpy(shape, PyArray_DIMS(index), (size_t)ndim * sizeof(npy_intp));
    shape[ndim] = columns;
    PyObject *result = new_memory(ndim + axes - 1, shape, PyArray_TYPE(memory));
    item *= columns;
    for (npy_intp first = 0; result != NULL && first < count; first += MOST_WIDENED) {
        npy_intp some = count - first < MOST_WIDENED ? count - first : MOST_WIDENED, least, most;
        const void *from = PyArray_BYTES(index) + first * PyArray_ITEMSIZE(index);
        const npy_intp *places = widened(wide, from, some, code) ? wide : from;
        set_range(places, some, &least, &most);
        if (least < -length || most >= length) {
            Py_CLEAR(result);
            break;
        }
        gather(PyArray_BYTES((PyArrayObject *)result) + first * item, PyArray_BYTES(memory), PyArray_STRIDE(memory, 0),
               length, item, places, some, least >= 0);
    }
    return result;
}

/* Return an index without arrays in what is written to, beside which NumPy 2.0 writes then: with copies of them.
   The reference to the index passes to this function. NULL without an error: there is no memory for a copy. */
static PyObject *
index_apart(PyArrayObject *target, PyObject *index)
{
    if (PyArray_CheckExact(index) && overlaps(target, (PyArrayObject *)index)) {
        Py_SETREF(index, PyArray_NewCopy((PyArrayObject *)index, NPY_CORDER));
    }
    else if (PyTuple_CheckExact(index)) {
        for (Py_ssize_t i = 0; index != NULL && i < PyTuple_GET_SIZE(index); i++) {
            PyObject *item = PyTuple_GET_ITEM(index, i);
            if (PyArray_CheckExact(item) && overlaps(target, (PyArrayObject *)item)) {
                PyObject *items = PySequence_List(index);
                PyObject *copy = items == NULL ? NULL : PyArray_NewCopy((PyArrayObject *)item, NPY_CORDER);
                if (copy == NULL || PyList_SetItem(items, i, copy) < 0) {
                    Py_CLEAR(index);
                }
                else {
                    Py_SETREF(index, PyList_AsTuple(items));
                }
                Py_XDECREF(items);
            }
        }
    }
    if (index == NULL) {
        PyErr_Clear();
    }
    return index;
}

/* Return whether numbers of double precision, or one, or integers of 64 bits, were written to the elements of a
   vector at the places that an array says: at one place, the last one. */
static int
scattered(PyArrayObject *target, PyObject *indices, PyObject *value)
{
    int code = PyArray_TYPE(target), own;
    union {
        double real;
        npy_long whole;
    } number;
    const char *data = (char *)&number;
    npy_intp from = 0, count, length;
    if (PyArray_NDIM(target) != 1 || (code != NPY_DOUBLE && code != NPY_LONG) || sizeof(number) != 8
        || !PyArray_ISBEHAVED(target)) {
        return 0;
    }
    length = PyArray_DIM(target, 0);
    int places = are_places(indices, length);
    if (!places) {
        return 0;
    }
    count = PyArray_SIZE((PyArrayObject *)indices);
    if (PyArray_CheckExact(value)) {
        PyArrayObject *source = (PyArrayObject *)value;
        if (PyArray_DESCR(source) != PyArray_DESCR(target) || PyArray_NDIM(source) != 1 || !count
            || PyArray_DIM(source, 0) != count || !PyArray_ISBEHAVED_RO(source)) {
            return 0;
        }
        if (overlaps(target, source)) {
            PyObject *copy = PyArray_NewCopy(source, NPY_CORDER); /* of the elements as they were */
            int done = copy != NULL && scattered(target, indices, copy);
            Py_XDECREF(copy);
            PyErr_Clear();
            return done;
        }
        data = PyArray_BYTES(source);
        from = PyArray_STRIDE(source, 0);
    }
    else if (code == NPY_DOUBLE ? !as_double(value, &number.real) : !as_integer(value, &number.whole, &own)) {
        return 0;
    }
    const npy_intp *index = PyArray_DATA((PyArrayObject *)indices);
    npy_intp stride = PyArray_STRIDE(target, 0);
    char *out = PyArray_BYTES(target);
    if (places == 2 && stride == 8) {
        for (npy_intp i = 0; i < count; i++) {
            ((npy_uint64 *)out)[index[i]] = *(const npy_uint64 *)(data + i * from);
        }
        return 1;
    }
    for (npy_intp i = 0; i < count; i++) {
        npy_intp place = index[i] + (index[i] < 0 ? length : 0);
        *(npy_uint64 *)(out + place * stride) = *(const npy_uint64 *)(data + i * from);
    }
    return 1;
}
