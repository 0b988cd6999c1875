/* The buffer of an array (PEP 3118), for which NumPy asks each object in a list before anything else: memory
   that never changes, as the interface gives. */

/* The names of the dtypes that lazyarr has. */
static char *
format_of(int code)
{
    switch (code) {
    case NPY_BOOL: return "?";
    case NPY_BYTE: return "b";
    case NPY_UBYTE: return "B";
    case NPY_SHORT: return "h";
    case NPY_USHORT: return "H";
    case NPY_INT: return "i";
    case NPY_UINT: return "I";
    case NPY_LONG: return "l";
    case NPY_ULONG: return "L";
    case NPY_LONGLONG: return "q";
    case NPY_ULONGLONG: return "Q";
    case NPY_HALF: return "e";
    case NPY_FLOAT: return "f";
    case NPY_DOUBLE: return "d";
    case NPY_CFLOAT: return "Zf";
    case NPY_CDOUBLE: return "Zd";
    default: return NULL;
    }
}

/* Return an ndarray whose memory others may read as that of an array; NULL with an error. */
static PyArrayObject *
lent_region(PyObject *x)
{
    PyArrayObject *region = is_array(x) ? exported_region((Array *)x) : NULL;
    if (region == NULL && !PyErr_Occurred()) {
        PyObject *value = PyObject_CallMethodNoArgs(x, str_array_of);
        if (value != NULL && !PyArray_Check(value)) {
            Py_CLEAR(value);
            PyErr_SetString(PyExc_BufferError, "the value is not in host memory");
        }
        region = (PyArrayObject *)value;
    }
    return region;
}

/* Let a number that is no memory of an array's yet be its own buffer: the field never changes. */
static int
number_buffer(Array *x, Py_buffer *view)
{
    *view = (Py_buffer){
        .obj = Py_NewRef((PyObject *)x),
        .buf = &x->number,
        .len = sizeof(double),
        .itemsize = sizeof(double),
        .readonly = 1,
        .format = format_of(NPY_DOUBLE),
    };
    return 0;
}

/* Return whether the elements of an array lie side by side, with the strides that a copy has. */
static int
has_plain_strides(PyArrayObject *memory)
{
    npy_intp stride = PyArray_ITEMSIZE(memory);
    for (int axis = PyArray_NDIM(memory) - 1; axis >= 0; axis--) {
        if (PyArray_STRIDE(memory, axis) != stride) {
            return 0;
        }
        stride *= PyArray_DIM(memory, axis);
    }
    return stride != 0;
}

/* Let a copy of a small array's memory be its buffer, with the lengths and strides before it; return 0 if
   it is no such array, -1 with an error. An ndarray of the copy would take as long as the copy. Of a view all that
   its owner has is copied: windows may reach beyond it. */
static int
copied_buffer(Array *x, Py_buffer *view)
{
    Py_ssize_t most = limit_now();
    PyArrayObject *memory = (PyArrayObject *)(most > 0 ? memory_of(x) : NULL);
    PyArrayObject *owned = memory == NULL || x->owner == NULL ? memory : (PyArrayObject *)x->seen;
    if (memory == NULL || !PyArray_CheckExact(memory) || !PyArray_CheckExact(owned)
        || owner_of(x)->history == state.borrowed || PyArray_SIZE(owned) > most || !PyArray_NDIM(memory)
        || !is_known(PyArray_DESCR(memory)) || !PyArray_IS_C_CONTIGUOUS(owned) || !has_plain_strides(owned)) {
        return PyErr_Occurred() ? -1 : 0;
    }
    size_t axes = (size_t)PyArray_NDIM(memory), bytes = (size_t)PyArray_NBYTES(owned);
    size_t head = 2 * axes * sizeof(npy_intp), before = (head + 15) / 16 * 16;
    char *block = PyMem_Malloc(before + bytes);
    if (block == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    memcpy(block, PyArray_DIMS(memory), head / 2);
    memcpy(block + head / 2, PyArray_STRIDES(memory), head / 2);
    memcpy(block + before, PyArray_DATA(owned), bytes);
    *view = (Py_buffer){
        .obj = Py_NewRef((PyObject *)x),
        .buf = block + before + (PyArray_BYTES(memory) - PyArray_BYTES(owned)),
        .len = PyArray_NBYTES(memory),
        .itemsize = PyArray_ITEMSIZE(memory),
        .readonly = 1,
        .ndim = (int)axes,
        .format = format_of(PyArray_TYPE(memory)),
        .shape = (Py_ssize_t *)block,
        .strides = (Py_ssize_t *)(block + head / 2),
        .internal = block,
    };
    return 1;
}

/* Let the memory of an array be its buffer, for those who ask for bytes alone: NumPy reads the `data` of an interface
   after it has released them, so that they must stay as long as the array does. Return 0 if there are none that
   follow one another, -1 with an error. */
static int
plain_buffer(Array *x, Py_buffer *view)
{
    PyArrayObject *memory = (PyArrayObject *)memory_of(x);
    if (memory == NULL || !PyArray_CheckExact(memory) || !PyArray_IS_C_CONTIGUOUS(memory)) {
        return PyErr_Occurred() ? -1 : 0;
    }
    int failed = PyBuffer_FillInfo(view, (PyObject *)memory, PyArray_DATA(memory), PyArray_NBYTES(memory), 1, PyBUF_SIMPLE);
    return failed < 0 ? -1 : 1;
}

static int
get_buffer(PyObject *x, Py_buffer *view, int flags)
{
    if (flags == PyBUF_SIMPLE && is_array(x)) {
        int is_plain = plain_buffer((Array *)x, view);
        if (is_plain) {
            return is_plain < 0 ? -1 : 0;
        }
    }
    if (is_array(x) && flags == PyBUF_FULL_RO && sizeof(npy_intp) == sizeof(Py_ssize_t)) {
        if (((Array *)x)->is_double && limit_now() > 0) {
            return number_buffer((Array *)x, view);
        }
        int copied = copied_buffer((Array *)x, view);
        if (copied) {
            return copied < 0 ? -1 : 0;
        }
    }
    PyArrayObject *region = lent_region(x);
    view->obj = NULL;
    if (region == NULL) {
        return -1;
    }
    char *format = flags == PyBUF_FULL_RO ? format_of(PyArray_TYPE(region)) : NULL;
    if (format == NULL || sizeof(npy_intp) != sizeof(Py_ssize_t)) {
        int failed = PyObject_GetBuffer((PyObject *)region, view, flags);
        Py_DECREF(region);
        return failed;
    }
    int axes = PyArray_NDIM(region);
    view->obj = (PyObject *)region; /* whose lengths and strides these are */
    view->buf = PyArray_DATA(region);
    view->len = PyArray_NBYTES(region);
    view->itemsize = PyArray_ITEMSIZE(region);
    view->readonly = !PyArray_ISWRITEABLE(region);
    view->format = format;
    view->ndim = axes;
    view->shape = axes ? (Py_ssize_t *)PyArray_DIMS(region) : NULL;
    view->strides = axes ? (Py_ssize_t *)PyArray_STRIDES(region) : NULL;
    view->suboffsets = NULL;
    view->internal = NULL;
    return 0;
}

/* Free a copy when nobody reads it any more. */
static void
release_buffer(PyObject *Py_UNUSED(x), Py_buffer *view)
{
    PyMem_Free(view->internal); /* NULL of a number */
}

static PyBufferProcs as_buffer = {.bf_getbuffer = get_buffer, .bf_releasebuffer = release_buffer};
