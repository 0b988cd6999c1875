/* Elements of memory that integers choose, of which loops in Python read and write one after another. */

/* Return where the element lies that integers choose, one for each axis; NULL if they do not. */
static inline char *
element_at(PyArrayObject *memory, PyObject *key)
{
    PyObject *const *items = &key;
    Py_ssize_t count = 1;
    if (PyTuple_CheckExact(key)) {
        items = &PyTuple_GET_ITEM(key, 0);
        count = PyTuple_GET_SIZE(key);
    }
    if (count != PyArray_NDIM(memory)) {
        return NULL;
    }
    char *place = PyArray_BYTES(memory);
    for (Py_ssize_t axis = 0; axis < count; axis++) {
        int overflow;
        if (!PyLong_CheckExact(items[axis])) {
            return NULL;
        }
        npy_intp length = PyArray_DIM(memory, (int)axis);
        long index = PyLong_AsLongAndOverflow(items[axis], &overflow);
        if (index < 0) {
            index += length;
        }
        if (overflow || index < 0 || index >= length) {
            return NULL; /* whoever sees to it raises */
        }
        place += index * PyArray_STRIDE(memory, (int)axis);
    }
    return place;
}

/* Note on the owner of a large array that it is written to. */
static void
note_written(Array *array)
{
    Array *owner = owner_of(array);
    PyObject *one = PyLong_FromLong(1);
    if (one != NULL) {
        Py_XSETREF(owner->writes, one);
    }
}

/* Return whether an array owns memory of double precision, in which elements are read where they lie. */
static inline int
owns_doubles(PyObject *x)
{
    Array *array = (Array *)x;
    return is_array(x) && array->owner == NULL && array->memory != NULL && PyArray_CheckExact(array->memory)
        && PyArray_TYPE((PyArrayObject *)array->memory) == NPY_DOUBLE
        && PyArray_ISBEHAVED_RO((PyArrayObject *)array->memory);
}

/* Return an element of double precision of memory that an array owns; NULL without an error: whoever takes any key
   has to see to it. */
static inline PyObject *
number_of_memory(PyObject *x, PyObject *key)
{
    if (!(PyLong_CheckExact(key) || PyTuple_CheckExact(key)) || !owns_doubles(x) || PyDict_GET_SIZE(state.donated)
        || limit_now() <= 0) {
        return NULL;
    }
    Array *array = (Array *)x;
    const char *place = element_at((PyArrayObject *)array->memory, key);
    return place == NULL ? NULL : computed_number(*(const double *)place, state.item, x, key, array->past);
}

/* Write a number to an element of double precision of memory that an array owns and no expression has seen; return 1
   if that was done, 0 if whoever takes any key has to see to it, -1 with an error. */
static inline int
write_number(PyObject *x, PyObject *key, PyObject *value)
{
    Array *array = (Array *)x;
    double number;
    if (!(PyLong_CheckExact(key) || PyTuple_CheckExact(key)) || !owns_doubles(x) || array->node != NULL
        || array->view_nodes != NULL || array->locked != NULL || array->history == state.borrowed
        || !PyArray_ISWRITEABLE((PyArrayObject *)array->memory) || !as_double(value, &number)) {
        return 0;
    }
    PyArrayObject *target = (PyArrayObject *)array->memory;
    Py_ssize_t most = limit_now();
    char *place = most > 0 ? element_at(target, key) : NULL;
    if (place == NULL) {
        return most < 0 ? -1 : 0;
    }
    Py_ssize_t size = PyArray_NDIM(target) == 1 ? PyArray_DIM(target, 0) : PyArray_SIZE(target);
    if (size > most) {
        note_written(array);
    }
    *(double *)place = number;
    array->past = size >> PAST_BITS;
    forget(array);
    return 1;
}
