/* Iteration over the first axis. */

typedef struct {
    PyObject_HEAD
    PyObject *array;
    Py_ssize_t next, count;
} Iteration;

static void
iteration_dealloc(Iteration *self)
{
    PyObject_GC_UnTrack(self);
    Py_XDECREF(self->array);
    PyObject_GC_Del(self);
}

static int
iteration_traverse(Iteration *self, visitproc visit, void *arg)
{
    Py_VISIT(self->array);
    return 0;
}

/* Return a row of an array in memory, a view; NULL without an error: whoever indexes has to see to it. */
static PyObject *
row_of_memory(Array *x, PyObject *index)
{
    PyObject *memory = is_array((PyObject *)x) && limit_now() > 0 ? memory_of(x) : NULL;
    PyArrayObject *array = (PyArrayObject *)memory;
    if (memory == NULL || !PyArray_CheckExact(memory) || PyArray_NDIM(array) < 2
        || PyDict_GET_SIZE(state.donated)) {
        return NULL;
    }
    PyObject *view = basic_view(array, index);
    return view == NULL ? NULL : view_of(x, view, state.item, index);
}

static PyObject *
iteration_next(Iteration *self)
{
    if (self->next >= self->count) {
        return NULL;
    }
    PyObject *index = PyLong_FromSsize_t(self->next++);
    if (index == NULL) {
        return NULL;
    }
    PyObject *part = row_of_memory((Array *)self->array, index);
    if (part == NULL && !PyErr_Occurred()) {
        part = PyObject_GetItem(self->array, index);
    }
    Py_DECREF(index);
    return part;
}

static PyTypeObject Iteration_Type = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "lazyarr.arrays._compiled.Iteration",
    .tp_basicsize = sizeof(Iteration),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_dealloc = (destructor)iteration_dealloc,
    .tp_traverse = (traverseproc)iteration_traverse,
    .tp_iter = PyObject_SelfIter,
    .tp_iternext = (iternextfunc)iteration_next,
};

static PyObject *
iterate(PyObject *x)
{
    PyObject *memory = memory_of((Array *)x);
    if (memory == NULL || !PyArray_CheckExact(memory) || !PyArray_NDIM((PyArrayObject *)memory)
        || PyList_GET_SIZE(state.running)) {
        return PyObject_CallOneArg(state.slow_iter, x);
    }
    if (PyArray_NDIM((PyArrayObject *)memory) == 1) {
        return PyObject_GetIter(memory); /* numbers, as in NumPy */
    }
    Iteration *iteration = PyObject_GC_New(Iteration, &Iteration_Type);
    if (iteration == NULL) {
        return NULL;
    }
    Py_INCREF(x);
    iteration->array = x;
    iteration->next = 0;
    iteration->count = PyArray_DIM((PyArrayObject *)memory, 0);
    PyObject_GC_Track(iteration);
    return (PyObject *)iteration;
}
