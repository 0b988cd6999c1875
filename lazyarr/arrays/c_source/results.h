/* Arrays that operations give, what they remember, and writes to their memory. */

/* Return whether NumPy refused an operation, so that an expression is built, which says why. */
static int
was_refused(void)
{
    if (!PyErr_ExceptionMatches(state.refused)) {
        return 0;
    }
    PyErr_Clear();
    return 1;
}

/* Arrays that were freed, linked by `node`: allocation takes longer than a small operation. */
static Array *freed;
static int freed_count;

/* Numbers of 64 bits that nothing refers to any more, for the same reason. */
static PyObject *spare_integers[MOST_SPARE];
static int spare_count;

/* Return the number of a value of 64 bits, a new reference. */
static inline PyObject *
integer_scalar(npy_long value)
{
    PyObject *scalar = spare_count ? spare_integers[--spare_count] : PyArrayScalar_New(Long);
    if (scalar != NULL) {
        PyArrayScalar_ASSIGN(scalar, Long, value);
    }
    return scalar;
}

/* Give back the number that an array has for memory. */
static inline void
drop_number(Array *array)
{
    PyObject *number = array->memory;
    array->memory = NULL;
    if (number != NULL && Py_TYPE(number) == &PyLongArrType_Type && Py_REFCNT(number) == 1 && spare_count < MOST_SPARE) {
        spare_integers[spare_count++] = number;
    }
    else {
        Py_XDECREF(number);
    }
}

/* Return a new array whose fields are all unset. */
static inline Array *
new_fields(PyTypeObject *type)
{
    if (type != state.array_type || freed == NULL) {
        return (Array *)type->tp_alloc(type, 0);
    }
    Array *array = freed;
    freed = (Array *)array->node;
    freed_count--;
    array->node = NULL;
    (void)PyObject_Init((PyObject *)array, type);
    PyObject_GC_Track(array);
    return array;
}

/* The same for a number, which the collector of cycles need not look at: it refers to what was before it. */
static inline Array *
new_number(void)
{
    if (freed == NULL) {
        Array *array = new_fields(state.array_type);
        if (array != NULL) {
            PyObject_GC_UnTrack(array);
        }
        return array;
    }
    Array *array = freed;
    freed = (Array *)array->node;
    freed_count--;
    array->node = NULL;
    (void)PyObject_Init((PyObject *)array, state.array_type);
    return array;
}

/* Return a new array of memory (whose reference is taken) without a history. */
static Array *
new_array(PyObject *memory)
{
    Array *array = new_fields(state.array_type);
    if (array == NULL) {
        Py_DECREF(memory);
        return NULL;
    }
    array->memory = memory;
    return array;
}

/* Let an array remember the operation that gave it. Its operands are borrowed; right may be NULL. */
static inline void
remember(Array *array, PyObject *operation, PyObject *left, PyObject *right, Py_ssize_t past)
{
    if (past > state.most_past || hands_over()) {
        return;
    }
    array->past = past;
    Py_INCREF(operation);
    array->operation = operation;
    Py_INCREF(left);
    array->left = left;
    Py_XINCREF(right);
    array->right = right;
}

/* Return the array of a number of NumPy's (whose reference is taken). */
static inline PyObject *
computed_scalar(PyObject *value, PyObject *operation, PyObject *left, PyObject *right, Py_ssize_t past)
{
    Array *array = new_number();
    if (array == NULL) {
        Py_DECREF(value);
        return NULL;
    }
    array->memory = value;
    remember(array, operation, left, right, past + 1);
    return (PyObject *)array;
}

/* Return the array of a result of NumPy's (whose reference is taken). */
static PyObject *
computed(PyObject *value, PyObject *operation, PyObject *left, PyObject *right, Py_ssize_t past)
{
    if (!PyArray_CheckExact(value)) {
        return computed_scalar(value, operation, left, right, past);
    }
    Array *array = new_array(value);
    if (array != NULL) {
        array->past = PyArray_SIZE((PyArrayObject *)value) >> PAST_BITS; /* who remembers it keeps its memory */
        remember(array, operation, left, right, past + 1 + array->past);
    }
    return (PyObject *)array;
}

/* Return the array of a number of double precision. Its operands are borrowed; right may be NULL. */
static inline PyObject *
computed_number(double number, PyObject *operation, PyObject *left, PyObject *right,
                Py_ssize_t past)
{
    Array *array = new_number();
    if (array != NULL) {
        array->is_double = 1;
        array->number = number;
        remember(array, operation, left, right, past + 1);
    }
    return (PyObject *)array;
}

/* Let a new array be a view of an owner's elements. All are borrowed; steps may be NULL. */
static inline void
set_alias(Array *view, Array *owner, PyObject *seen, PyObject *steps)
{
    Py_INCREF(owner);
    view->owner = owner;
    Py_INCREF(seen);
    view->seen = seen;
    Py_XINCREF(steps);
    view->steps = steps;
}

/* Return an array of a view (whose reference is taken) of another's memory. */
static PyObject *
view_of(Array *source, PyObject *memory, PyObject *operation, PyObject *argument)
{
    Array *view = new_array(memory);
    if (view == NULL) {
        return NULL;
    }
    if (source->owner != NULL) {
        set_alias(view, source->owner, source->seen, source->steps);
    }
    else {
        set_alias(view, source, source->memory, NULL);
    }
    remember(view, operation, (PyObject *)source, argument, source->past + 1);
    view->past = source->past + 1; /* what is too much for it is so for what is made of it */
    return (PyObject *)view;
}

/* Return whether a view shows all elements of an array, in their order, that nothing but the view refers to. */
static inline int
is_all_of(PyArrayObject *view, PyArrayObject *base)
{
    return PyArray_CheckExact(base) && Py_REFCNT(base) == 1 && Py_REFCNT(view) == 1
        && PyArray_BASE(base) == NULL && PyArray_CHKFLAGS(base, NPY_ARRAY_OWNDATA | NPY_ARRAY_CARRAY)
        && PyArray_IS_C_CONTIGUOUS(view) && PyArray_DATA(view) == PyArray_DATA(base)
        && PyArray_DESCR(view) == PyArray_DESCR(base) && PyArray_SIZE(view) == PyArray_SIZE(base)
        && PyArray_SIZE(view) > 0 && PyArray_NDIM(view) > 0;
}

/* Return a result of NumPy's (whose reference is taken), a view of what it has made, in memory of its own: what
   was made, with the lengths of the view, if that is all of it; else a copy. NULL with an error. */
static PyObject *
without_base(PyArrayObject *view)
{
    PyArrayObject *base = (PyArrayObject *)PyArray_BASE(view);
    if (!is_all_of(view, base)) {
        PyObject *copy = PyArray_NewCopy(view, NPY_KEEPORDER);
        Py_DECREF(view);
        return copy;
    }
    npy_intp lengths[NPY_MAXDIMS];
    PyArray_Dims shape = {lengths, PyArray_NDIM(view)};
    memcpy(lengths, PyArray_DIMS(view), (size_t)shape.len * sizeof(npy_intp));
    Py_INCREF(base);
    Py_DECREF(view);
    PyObject *none = PyArray_Resize(base, &shape, 0, NPY_CORDER); /* as many: no memory moves */
    if (none == NULL) {
        Py_CLEAR(base);
    }
    Py_XDECREF(none);
    return (PyObject *)base;
}

/* Return whether what NumPy made is a view of memory that an array had: that, or of the same owner. */
static inline int
is_view_of(PyArrayObject *value, PyObject *memory)
{
    PyObject *base = PyArray_BASE(value);
    return memory != NULL && PyArray_CheckExact(memory)
        && (base == memory || base == PyArray_BASE((PyArrayObject *)memory));
}

/* Return an array of what NumPy made of one array (its reference is taken): perhaps a view. `shown` is the memory
   that the array had, to which the caller has a reference. NULL without an error: the value is of no kind that
   arrays have, or is a view of an array to which another thread has meanwhile given another value. */
static PyObject *
wrapped(PyObject *value, Array *source, PyObject *shown, PyObject *operation, PyObject *argument, Py_ssize_t past)
{
    if (!PyArray_CheckExact(value)) {
        if (is_scalar(value)) {
            return computed(value, operation, (PyObject *)source, argument, past);
        }
        Py_DECREF(value);
        return NULL;
    }
    PyArrayObject *array = (PyArrayObject *)value;
    if (value == shown) {
        Py_DECREF(value);
        Py_INCREF(source);
        return (PyObject *)source;
    }
    if (!is_known(PyArray_DESCR(array))) {
        Py_DECREF(value);
        return NULL;
    }
    if (PyArray_BASE(array) != NULL) {
        if (is_view_of(array, shown)) {
            if (source->memory == shown) {
                return view_of(source, value, operation, argument);
            }
            Py_DECREF(value);
            return NULL;
        }
        value = without_base(array);
        if (value == NULL) {
            return NULL;
        }
    }
    return computed(value, operation, (PyObject *)source, argument, past);
}

/* Forget the operation that gave an array. */
static inline void
forget(Array *array)
{
    Py_CLEAR(array->operation);
    Py_CLEAR(array->left);
    Py_CLEAR(array->right);
    Py_CLEAR(array->history);
}

/* Return the array whose elements an array shows: itself, if it is no view. */
static inline Array *
owner_of(Array *array)
{
    return array->owner == NULL ? array : array->owner;
}

/* Return whether nodes of an array's views are kept, or about to be. */
static inline int
has_copies(PyObject *view_nodes)
{
    return view_nodes != NULL && PyDict_CheckExact(view_nodes)
        && PyDict_GET_SIZE(view_nodes) > (PyDict_GetItem(view_nodes, integer_zero) != NULL);
}

/* Note that the memory of an array was written to; return whether it is the array's still. See
   storing.py. */
static int
mark_written(Array *array, PyObject *memory)
{
    Array *owner = owner_of(array);
    if (array->memory != memory || owner->memory != (owner == array ? memory : array->seen)
        || owner->history == state.borrowed) {
        return 0;
    }
    forget(array);
    forget(owner);
    array->past = owner->past = owner->memory != NULL && PyArray_CheckExact(owner->memory)
        ? PyArray_SIZE((PyArrayObject *)owner->memory) >> PAST_BITS : 0;
    if (owner->node == NULL) {
        Py_CLEAR(owner->view_nodes);
    }
    else if (has_copies(owner->view_nodes)) { /* another thread may be about to enter an old one */
        PyObject *before = owner->view_nodes, *none = PyDict_New();
        if (none == NULL || PyDict_SetItem(none, integer_zero, Py_None) < 0) {
            PyErr_Clear();
            Py_XDECREF(none);
            return 0; /* it is written again */
        }
        owner->view_nodes = none;
        Py_DECREF(before);
    }
    return 1;
}

/* Note that all of the memory of an array was written to, and keep that if it has other memory
   now: another thread may have let it have a copy. Errors are left as they are. */
static int
wrote(Array *array, PyObject *memory)
{
    if (mark_written(array, memory)) {
        return 0;
    }
    PyObject *type, *value, *traceback, *pair[2] = {(PyObject *)array, memory};
    PyErr_Fetch(&type, &value, &traceback);
    PyObject *done = PyObject_Vectorcall(state.keep_written, pair, 2, NULL);
    if (done == NULL) {
        Py_XDECREF(type);
        Py_XDECREF(value);
        Py_XDECREF(traceback);
        return -1;
    }
    Py_DECREF(done);
    PyErr_Restore(type, value, traceback);
    return 0;
}

/* Note on an array that a node of its memory may be seen; return -1 with an error. */
static int
note_seen(Array *owner)
{
    if (owner->view_nodes == NULL && (owner->view_nodes = PyDict_New()) == NULL) {
        return -1;
    }
    return PyDict_GET_SIZE(owner->view_nodes) ? 0
        : PyDict_SetItem(owner->view_nodes, integer_zero, Py_None); /* the address of no memory */
}

/* Return whether nothing refers to the leaf of an array's memory any more but the array: as
   shared_memory.py does. 0 also where Python has to see to it. */
static int
is_unseen(Array *owner)
{
    PyObject *leaf = owner->node, *attr;
    if (state.nodes == NULL || Py_TYPE(leaf) != state.nodes->type
        || (attr = ((Node *)leaf)->attr) == NULL || (PyObject *)Py_TYPE(attr) != state.shared_leaf) {
        return 0;
    }
    PyObject *exported = PyObject_GetAttr(attr, str_exported);
    PyObject *lease = exported == NULL ? NULL : PyObject_GetAttr(attr, str_lease);
    int free = exported == Py_False && lease != NULL
        && (lease == Py_None || (PyWeakref_Check(lease) && PyWeakref_GetObject(lease) == Py_None));
    Py_XDECREF(exported);
    Py_XDECREF(lease);
    PyErr_Clear();
    PyObject *view_nodes = owner->view_nodes;
    int was_used = PyDict_CheckExact(view_nodes) && PyDict_GET_SIZE(view_nodes);
    if (!free || (was_used && (owner->view_nodes = PyDict_New()) == NULL)) {
        owner->view_nodes = view_nodes;
        PyErr_Clear();
        return 0;
    }
    if (was_used) {
        Py_DECREF(view_nodes); /* and so the nodes of its views */
    }
    if (owner->node != leaf || owner->history == state.borrowed || Py_REFCNT(leaf) > 1) {
        if (was_used && note_seen(owner) < 0) {
            PyErr_Clear();
        }
        return 0;
    }
    if (!was_used) {
        Py_CLEAR(owner->node); /* the leaf stays where the next turn of a loop uses it */
    }
    return 1;
}

/* Return an array's memory to write to, borrowed; NULL if Python has to see to it. */
static inline PyArrayObject *
writable_memory(Array *array)
{
    Array *owner = owner_of(array);
    if (owner->memory == NULL || array->locked != NULL || owner->locked != NULL
        || owner->history == state.borrowed
        || (owner->view_nodes != NULL && owner->node != NULL && !is_unseen(owner))) {
        return NULL; /* an expression may see it */
    }
    PyObject *memory = memory_of(array);
    return memory != NULL && PyArray_CheckExact(memory)
        && PyArray_ISWRITEABLE((PyArrayObject *)memory) ? (PyArrayObject *)memory : NULL;
}
