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
            PyErr_SetString(PyExc_BufferError, "the value is in no memory of the host");
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

static int
get_buffer(PyObject *x, Py_buffer *view, int flags)
{
    if (is_array(x) && ((Array *)x)->is_double && flags == PyBUF_FULL_RO && limit_now() > 0) {
        return number_buffer((Array *)x, view);
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

static PyBufferProcs as_buffer = {.bf_getbuffer = get_buffer};
