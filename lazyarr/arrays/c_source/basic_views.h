/* Views of memory by integers, slices, new axes and an ellipsis, as NumPy gives them. */

static inline int
is_plain_bound(PyObject *bound)
{
    return bound == Py_None || PyLong_CheckExact(bound);
}

/* Return how many axes the items of a key choose from; -1: some item is none of the plain ones. */
static inline Py_ssize_t
chosen_axes(PyObject *const *items, Py_ssize_t count)
{
    Py_ssize_t axes = 0;
    int ellipses = 0;
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *item = items[i];
        if (PySlice_Check(item)) {
            PySliceObject *slice = (PySliceObject *)item;
            if (!is_plain_bound(slice->start) || !is_plain_bound(slice->stop) || !is_plain_bound(slice->step)) {
                return -1;
            }
            axes++;
        }
        else if (PyLong_CheckExact(item)) {
            axes++;
        }
        else if (item == Py_Ellipsis) {
            ellipses++;
        }
        else if (item != Py_None) {
            return -1;
        }
    }
    return ellipses > 1 ? -1 : axes;
}

/* Where the elements lie that a key chooses. */
typedef struct {
    char *data;
    int axes;
    npy_intp shape[NPY_MAXDIMS], strides[NPY_MAXDIMS];
} Chosen;

/* Fill in what a key chooses of memory; return whether it has axes, and NumPy would not raise. */
static int
choose_elements(Chosen *chosen, PyArrayObject *memory, PyObject *key)
{
    PyObject *const *items = PyTuple_CheckExact(key) ? &PyTuple_GET_ITEM(key, 0) : &key;
    Py_ssize_t count = PyTuple_CheckExact(key) ? PyTuple_GET_SIZE(key) : 1;
    Py_ssize_t left = PyArray_NDIM(memory) - chosen_axes(items, count);
    int axis = 0, axes = 0;
    if (left < 0 || left > PyArray_NDIM(memory) || PyArray_NDIM(memory) + count > NPY_MAXDIMS) {
        return 0;
    }
    chosen->data = PyArray_BYTES(memory);
    for (Py_ssize_t i = 0; i <= count; i++) {
        PyObject *item = i < count ? items[i] : Py_Ellipsis; /* what is left is behind the last one */
        if (item == Py_Ellipsis) {
            for (; left > 0; left--, axis++, axes++) {
                chosen->shape[axes] = PyArray_DIM(memory, axis);
                chosen->strides[axes] = PyArray_STRIDE(memory, axis);
            }
        }
        else if (item == Py_None) {
            chosen->shape[axes] = 1;
            chosen->strides[axes++] = 0;
        }
        else if (PyLong_CheckExact(item)) {
            int overflow;
            npy_intp length = PyArray_DIM(memory, axis);
            long index = PyLong_AsLongAndOverflow(item, &overflow);
            index += index < 0 ? length : 0;
            if (overflow || index < 0 || index >= length) {
                return 0;
            }
            chosen->data += index * PyArray_STRIDE(memory, axis++);
        }
        else {
            Py_ssize_t start, stop, step;
            if (PySlice_Unpack(item, &start, &stop, &step) < 0) {
                PyErr_Clear();
                return 0;
            }
            npy_intp length = PySlice_AdjustIndices(PyArray_DIM(memory, axis), &start, &stop, step);
            npy_intp stride = PyArray_STRIDE(memory, axis++);
            chosen->data += length ? start * stride : 0;
            chosen->shape[axes] = length;
            chosen->strides[axes++] = length ? stride * step : stride;
        }
    }
    chosen->axes = axes;
    return axes > 0;
}

/* Return a view of memory of at least one axis; NULL without an error: NumPy has to see to it, or raises. */
static PyObject *
basic_view(PyArrayObject *memory, PyObject *key)
{
    Chosen chosen;
    if (!choose_elements(&chosen, memory, key)) {
        return NULL;
    }
    PyArray_Descr *dtype = PyArray_DESCR(memory);
    Py_INCREF(dtype);
    PyObject *view = PyArray_NewFromDescr(&PyArray_Type, dtype, chosen.axes, chosen.shape, chosen.strides,
                                          chosen.data, PyArray_FLAGS(memory), NULL);
    if (view != NULL && PyArray_SetBaseObject((PyArrayObject *)view, Py_NewRef((PyObject *)memory)) < 0) {
        Py_CLEAR(view);
    }
    return view;
}

#define COPY_ROW(type)                                                          \
    for (npy_intp i = 0; i < length; i++) {                                     \
        *(type *)(out + i * to) = *(const type *)(in + i * from);               \
    }                                                                           \
    return

#define FILL_ROW(type)                                                          \
    for (npy_intp i = 0; i < length; i++) {                                     \
        ((type *)out)[i] = *(const type *)in;                                   \
    }                                                                           \
    return

/* Copy elements along one axis. */
static inline void
copy_row(char *out, npy_intp to, const char *in, npy_intp from, npy_intp length, npy_intp item)
{
    if (to == item && from == item) {
        memmove(out, in, (size_t)(length * item));
        return;
    }
    if (to == item && from == 0) {
        switch (item) {
        case 1: memset(out, *(const unsigned char *)in, (size_t)length); return;
        case 2: FILL_ROW(npy_uint16);
        case 4: FILL_ROW(npy_uint32);
        case 8: FILL_ROW(npy_uint64);
        default: break;
        }
    }
    switch (item) {
    case 1: COPY_ROW(npy_uint8);
    case 2: COPY_ROW(npy_uint16);
    case 4: COPY_ROW(npy_uint32);
    case 8: COPY_ROW(npy_uint64);
    default:
        for (npy_intp i = 0; i < length; i++) {
            memcpy(out + i * to, in + i * from, (size_t)item);
        }
    }
}

/* Fill in the first byte and the one behind the last one of elements. */
static void
set_extent(const char *data, int axes, const npy_intp *shape, const npy_intp *strides, npy_intp item,
           const char **first, const char **behind)
{
    *first = data;
    *behind = data + item;
    for (int axis = 0; axis < axes; axis++) {
        npy_intp reach = (shape[axis] - 1) * strides[axis];
        *(reach < 0 ? first : behind) += reach;
    }
}

/* Copy elements of the same shape, or one number again and again (`strides` are all nothing). */
static void
copy_chosen(const Chosen *chosen, const char *in, const npy_intp *strides, npy_intp item)
{
    npy_intp index[NPY_MAXDIMS] = {0};
    int last = chosen->axes - 1;
    char *out = chosen->data;
    for (;;) {
        copy_row(out, chosen->strides[last], in, strides[last], chosen->shape[last], item);
        int axis = last - 1;
        for (; axis >= 0; axis--) {
            out += chosen->strides[axis];
            in += strides[axis];
            if (++index[axis] < chosen->shape[axis]) {
                break;
            }
            out -= chosen->strides[axis] * chosen->shape[axis];
            in -= strides[axis] * chosen->shape[axis];
            index[axis] = 0;
        }
        if (axis < 0) {
            return;
        }
    }
}

/* Return whether elements of the same stride lie between each other, as those of two columns. */
static inline int
are_between(const char *a, const char *b, npy_intp stride, npy_intp item)
{
    npy_intp length = stride < 0 ? -stride : stride, apart = length ? (a - b) % length : 0;
    apart += apart < 0 ? length : 0;
    return length && apart >= item && length - apart >= item;
}

/* Return whether a row of elements was cast to another dtype, without an exception. */
static int
cast_row(char *out, int to_code, const char *in, int from_code, npy_intp length, npy_intp stride, npy_intp item)
{
    char apart[MOST_APART];
    if (to_code == from_code || (!PyTypeNum_ISINTEGER(from_code) && !PyTypeNum_ISBOOL(from_code))) {
        if (to_code == from_code || length > MOST_APART / item) {
            return 0;
        }
        clear_exceptions();
        if (!cast_elements(apart, to_code, in, from_code, length, stride) || met_exceptions()) {
            return 0;
        }
        memcpy(out, apart, (size_t)(length * item));
        return 1;
    }
    return cast_elements(out, to_code, in, from_code, length, stride);
}

/* Return whether as few numbers as a basic key chooses along one axis were written there from a list or a tuple. */
static int
write_list(PyArrayObject *target, PyObject *key, PyObject *value, npy_intp item)
{
    Chosen chosen;
    Pair number;
    char apart[MOST_APART];
    Py_ssize_t count = PySequence_Fast_GET_SIZE(value);
    if (count > MOST_APART / item || !choose_elements(&chosen, target, key) || chosen.axes != 1
        || chosen.shape[0] != count) {
        return 0;
    }
    for (Py_ssize_t k = 0; k < count; k++) {
        if (!put_number((char *)&number, PyArray_TYPE(target), PySequence_Fast_GET_ITEM(value, k))) {
            return 0;
        }
        memcpy(apart + k * item, &number, (size_t)item);
    }
    copy_row(chosen.data, chosen.strides[0], apart, item, count, item);
    return 1;
}

/* Return whether an array, a number, or a list of numbers, was written to what a basic key chooses. */
static int
write_chosen(PyArrayObject *target, PyObject *key, PyObject *value)
{
    Chosen chosen;
    npy_intp item = PyArray_ITEMSIZE(target), none[NPY_MAXDIMS] = {0};
    Pair number;
    if (!PyArray_ISBEHAVED(target)) {
        return 0;
    }
    if (PyList_CheckExact(value) || PyTuple_CheckExact(value)) {
        return write_list(target, key, value, item);
    }
    if (!PyArray_CheckExact(value)) {
        if (!put_number((char *)&number, PyArray_TYPE(target), value) || !choose_elements(&chosen, target, key)) {
            return 0;
        }
        for (int axis = 0; axis < chosen.axes; axis++) {
            if (!chosen.shape[axis]) {
                return 1;
            }
        }
        copy_chosen(&chosen, (char *)&number, none, item);
        return 1;
    }
    PyArrayObject *source = (PyArrayObject *)value;
    if (!PyArray_ISBEHAVED_RO(source) || !choose_elements(&chosen, target, key) || PyArray_NDIM(source) != chosen.axes
        || !PyArray_CompareLists(PyArray_DIMS(source), chosen.shape, chosen.axes)) {
        return 0;
    }
    if (!PyArray_SIZE(source)) {
        return 1;
    }
    const char *first, *behind, *own_first, *own_behind;
    set_extent(chosen.data, chosen.axes, chosen.shape, chosen.strides, item, &first, &behind);
    set_extent(PyArray_BYTES(source), chosen.axes, chosen.shape, PyArray_STRIDES(source), PyArray_ITEMSIZE(source),
               &own_first, &own_behind);
    int apart = first >= own_behind || own_first >= behind;
    if (PyArray_DESCR(source) != PyArray_DESCR(target)) {
        return apart && chosen.axes == 1 && chosen.strides[0] == item
            && cast_row(chosen.data, PyArray_TYPE(target), PyArray_BYTES(source), PyArray_TYPE(source),
                        chosen.shape[0], PyArray_STRIDE(source, 0), item);
    }
    int is_row = chosen.axes == 1 && PyArray_STRIDE(source, 0) == chosen.strides[0]
        && (chosen.strides[0] == item || are_between(chosen.data, PyArray_BYTES(source), chosen.strides[0], item));
    if (!is_row && !apart) {
        return 0; /* NumPy reads all before it writes */
    }
    copy_chosen(&chosen, PyArray_BYTES(source), PyArray_STRIDES(source), item);
    return 1;
}
