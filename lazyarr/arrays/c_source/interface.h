/* ``__array_interface__`` and ``__array_struct__`` of small arrays in memory: a copy that never changes,
   as exports.py gives. */

enum { INTERFACE_FIELDS = 7 };
static PyObject *interface_names[INTERFACE_FIELDS];

static int
intern_interface_names(void)
{
    static const char *const names[INTERFACE_FIELDS] = {
        "version", "typestr", "descr", "shape", "strides", "data", "offset",
    };
    for (int k = 0; k < INTERFACE_FIELDS; k++) {
        interface_names[k] = PyUnicode_InternFromString(names[k]);
        if (interface_names[k] == NULL) {
            return -1;
        }
    }
    return 0;
}

/* What the interface says of each dtype. */
static struct {
    PyObject *text, *fields;
} interface_of[NPY_NTYPES_LEGACY];

static int
learn_interface(PyArray_Descr *dtype)
{
    int code = dtype->type_num;
    if (interface_of[code].fields == NULL) {
        Py_XSETREF(interface_of[code].text, PyObject_GetAttrString((PyObject *)dtype, "str"));
        PyObject *fields = PyObject_GetAttrString((PyObject *)dtype, "descr");
        if (interface_of[code].text == NULL || fields == NULL || !PyList_CheckExact(fields)) {
            Py_XDECREF(fields);
            return -1;
        }
        interface_of[code].fields = fields;
    }
    return 0;
}

/* Return a copy of an owner's memory of C order that nothing writes to; NULL without an error: it is of
   another order, large, or the user's. */
static PyArrayObject *
frozen_copy(Array *owner, PyObject *memory, Py_ssize_t most)
{
    PyObject *copy = NULL;
    if (!PyArray_CheckExact(memory)) {
        copy = PyArray_FromScalar(memory, NULL);
    }
    else if (owner->history != state.borrowed && PyArray_SIZE((PyArrayObject *)memory) <= most
             && PyArray_IS_C_CONTIGUOUS((PyArrayObject *)memory)) {
        copy = PyArray_NewCopy((PyArrayObject *)memory, NPY_CORDER);
    }
    if (copy != NULL) {
        PyArray_CLEARFLAGS((PyArrayObject *)copy, NPY_ARRAY_WRITEABLE);
    }
    return (PyArrayObject *)copy;
}

/* Return an ndarray of the memory of a shared leaf, a new reference, which whoever reads the memory keeps: once it is gone,
   the array may be written to in place. NULL with an error. As `lease` of shared_memory.py does. */
static PyObject *
leased(PyObject *attr)
{
    PyObject *known = PyObject_GetAttr(attr, str_lease);
    if (known == NULL) {
        return NULL;
    }
    PyObject *lent = known == Py_None ? Py_None : PyWeakref_GetObject(known);
    Py_XINCREF(lent);
    Py_DECREF(known);
    if (lent == NULL || (lent != Py_None && PyArray_CheckExact(lent))) {
        return lent;
    }
    Py_DECREF(lent);
    lent = NULL;
    PyObject *shown = PyObject_GetAttr(attr, str_array), *keeper = NULL, *reference = NULL;
    if (shown != NULL && PyArray_CheckExact(shown) && (keeper = PyTuple_Pack(1, shown)) != NULL) {
        PyArrayObject *memory = (PyArrayObject *)shown;
        Py_INCREF(PyArray_DESCR(memory));
        lent = PyArray_NewFromDescr(&PyArray_Type, PyArray_DESCR(memory), PyArray_NDIM(memory), PyArray_DIMS(memory),
                                    PyArray_STRIDES(memory), PyArray_DATA(memory), 0, NULL);
        /* By a tuple: of an ndarray that has another one for its base, NumPy lets views refer to the latter. */
        if (lent == NULL || PyArray_SetBaseObject((PyArrayObject *)lent, Py_NewRef(keeper)) < 0
            || (reference = PyWeakref_NewRef(lent, NULL)) == NULL
            || PyObject_SetAttr(attr, str_lease, reference) < 0) {
            Py_CLEAR(lent);
        }
    }
    Py_XDECREF(reference);
    Py_XDECREF(keeper);
    Py_XDECREF(shown);
    return lent;
}

/* Return the memory of a large array that owns its elements for others to read, a new reference; NULL without an
   error: Python has to see to it. */
static PyArrayObject *
lent_memory(Array *x, Py_ssize_t most)
{
    PyArrayObject *memory = (PyArrayObject *)x->memory;
    if (memory == NULL || !PyArray_CheckExact(memory)
        || x->history == state.borrowed || PyArray_SIZE(memory) <= most
        || !PyArray_IS_C_CONTIGUOUS(memory) || !is_known(PyArray_DESCR(memory))) {
        return NULL;
    }
    for (int axis = 0; axis < PyArray_NDIM(memory); axis++) {
        if (PyArray_DIM(memory, axis) == 1) {
            return NULL; /* of which the strides may be others */
        }
    }
    PyObject *leaf = x->node == NULL ? shared_leaf(x) : x->node, *lent = NULL;
    PyObject *attr = leaf == NULL || Py_TYPE(leaf) != state.nodes->type ? NULL : ((Node *)leaf)->attr;
    if (attr != NULL && (PyObject *)Py_TYPE(attr) == state.shared_leaf) {
        Py_INCREF(attr);
        lent = leased(attr);
        Py_DECREF(attr);
    }
    return (PyArrayObject *)lent;
}

/* Return the user's memory that an array which owns its elements stands for, a new reference; NULL without an error: Python has
   to see to it. */
static PyArrayObject *
borrowed_memory(Array *x)
{
    PyObject *node = x->node, *memory = x->memory, *borrowed = NULL;
    if (x->history != state.borrowed || node == NULL || memory == NULL
        || !PyArray_CheckExact(memory) || state.nodes == NULL || Py_TYPE(node) != state.nodes->type
        || PyDict_GET_SIZE(state.donated)) {
        return NULL;
    }
    for (int axis = 0; axis < PyArray_NDIM((PyArrayObject *)memory); axis++) {
        if (PyArray_DIM((PyArrayObject *)memory, axis) == 1) {
            return NULL; /* of which the strides may be others */
        }
    }
    PyObject *attr = ((Node *)node)->attr, *kind = attr == NULL ? NULL : (PyObject *)Py_TYPE(attr);
    if (kind != NULL && kind != state.shared_leaf && PySet_Contains(state.hosted, kind) == 1) {
        Py_INCREF(attr);
        borrowed = PyObject_GetAttr(attr, str_array);
        Py_DECREF(attr);
    }
    if (borrowed != NULL && (!PyArray_CheckExact(borrowed)
                             || !PyArray_IS_C_CONTIGUOUS((PyArrayObject *)borrowed))) {
        Py_CLEAR(borrowed);
    }
    return (PyArrayObject *)borrowed;
}

static PyObject *
integers(const npy_intp *values, int count)
{
    PyObject *tuple = PyTuple_New(count);
    for (int axis = 0; tuple != NULL && axis < count; axis++) {
        PyObject *value = PyLong_FromSsize_t(values[axis]);
        if (value == NULL) {
            Py_CLEAR(tuple);
            break;
        }
        PyTuple_SET_ITEM(tuple, axis, value);
    }
    return tuple;
}

/* What others may read of an array: references to both. */
typedef struct {
    PyArrayObject *copy;  /* memory that nothing writes to */
    PyArrayObject *shown; /* has the shape, strides and dtype */
    npy_intp offset;      /* of its first element in the copy */
} Exported;

/* Fill in what others may read of memory of an array, which is a part of what its owner has; see
   `export_memory`. */
static int
export_part(Array *x, PyObject *memory, PyObject *owned, Py_ssize_t most, Exported *exported)
{
    Array *owner = owner_of(x);
    PyArrayObject *copy = frozen_copy(owner, owned, most);
    if (copy == NULL && !PyErr_Occurred() && owner->memory == owned) {
        /* A view is lent by Python, which notes when nobody has it any more. */
        copy = owner == x ? lent_memory(x, most) : NULL;
        copy = copy == NULL && !PyErr_Occurred() ? borrowed_memory(owner) : copy;
        if (copy != NULL && owner != x
            && (PyArray_BYTES(copy) != PyArray_BYTES((PyArrayObject *)owned)
                || !PyArray_IS_C_CONTIGUOUS((PyArrayObject *)owned))) {
            Py_CLEAR(copy); /* in which the view does not lie */
        }
    }
    if (copy == NULL) {
        return 0;
    }
    PyArrayObject *shown = x->owner == NULL ? copy : (PyArrayObject *)memory;
    int ndim = PyArray_NDIM(shown);
    if (!is_known(PyArray_DESCR(shown))
        || (x->owner == NULL && PyArray_CheckExact(memory)
            && (PyArray_NDIM((PyArrayObject *)memory) != ndim /* another thread has written */
                || !PyArray_CompareLists(PyArray_STRIDES(shown),
                                         PyArray_STRIDES((PyArrayObject *)memory), ndim)))) {
        Py_DECREF(copy);
        return 0;
    }
    exported->copy = copy;
    exported->shown = (PyArrayObject *)Py_NewRef((PyObject *)shown);
    exported->offset = x->owner == NULL
        ? 0 : PyArray_BYTES(shown) - PyArray_BYTES((PyArrayObject *)owned);
    return 1;
}

/* Fill in what others may read of an array; return whether that is possible here. A view is lent as a
   region of a copy of its owner's memory. */
static int
export_memory(Array *x, Exported *exported)
{
    Py_ssize_t most = limit_now();
    if (most > 0 && is_pending((PyObject *)x) && !is_kept_small((PyObject *)x)
        && compute_pending((PyObject *)x) < 0) {
        return 0;
    }
    PyObject *memory = most > 0 ? memory_of(x) : NULL;
    if (memory == NULL) {
        return 0;
    }
    PyObject *owned = Py_NewRef(x->owner == NULL ? memory : x->seen);
    Py_INCREF(memory);
    int done = export_part(x, memory, owned, most, exported);
    Py_DECREF(memory);
    Py_DECREF(owned);
    return done;
}

/* Return memory that others may read as that of an array, a new reference; NULL without an error: Python
   has to see to it. */
static PyArrayObject *
exported_region(Array *x)
{
    Exported exported;
    if (!export_memory(x, &exported)) {
        return NULL;
    }
    PyArrayObject *region = exported.copy, *shown = exported.shown;
    if (shown != region) {
        Py_INCREF(PyArray_DESCR(shown));
        region = (PyArrayObject *)PyArray_NewFromDescr(
            &PyArray_Type, PyArray_DESCR(shown), PyArray_NDIM(shown), PyArray_DIMS(shown),
            PyArray_STRIDES(shown), PyArray_BYTES(exported.copy) + exported.offset, 0, NULL);
        if (region == NULL) {
            Py_DECREF(exported.copy);
        }
        else if (PyArray_SetBaseObject(region, (PyObject *)exported.copy) < 0) {
            Py_CLEAR(region); /* the base's reference was taken */
        }
    }
    Py_DECREF(shown);
    return region;
}

/* Return the interface of an array that NumPy asks for before the dictionary, a capsule; NULL without an
   error: Python has to see to it. */
static PyObject *
array_struct(Array *x)
{
    PyArrayObject *region = exported_region(x);
    PyObject *result = region == NULL ? NULL : PyObject_GetAttr((PyObject *)region, str_array_struct);
    Py_XDECREF(region);
    return result;
}

/* Return memory as the interface of an array has it, whose first element lies at an offset, a new reference: the
   function of array_interface.py makes it. */
static PyObject *
lent_data(PyArrayObject *memory, npy_intp offset)
{
    static PyObject *lent = NULL;
    if (lent == NULL) {
        PyObject *module = PyImport_ImportModule("lazyarr.interop.array_interface");
        lent = module == NULL ? NULL : PyObject_GetAttrString(module, "lent");
        Py_XDECREF(module);
    }
    return lent == NULL ? NULL : PyObject_CallFunction(lent, "On", memory, (Py_ssize_t)offset);
}

/* Return the interface of an array, a dictionary; NULL without an error: Python has to see to it. */
static PyObject *
array_interface(Array *x)
{
    Exported exported;
    if (!export_memory(x, &exported)) {
        return NULL;
    }
    PyArrayObject *copy = exported.copy, *shown = exported.shown;
    PyArray_Descr *dtype = PyArray_DESCR(shown);
    int ndim = PyArray_NDIM(shown);
    int failed = learn_interface(dtype);
    PyObject *fields = failed ? NULL : interface_of[dtype->type_num].fields;
    PyObject *values[INTERFACE_FIELDS] = {
        PyLong_FromLong(3),
        Py_XNewRef(interface_of[dtype->type_num].text),
        fields == NULL ? NULL : PyList_GetSlice(fields, 0, PyList_GET_SIZE(fields)),
        integers(PyArray_DIMS(shown), ndim),
        integers(PyArray_STRIDES(shown), ndim),
        lent_data(copy, exported.offset),
        PyLong_FromSsize_t(exported.offset),
    };
    Py_DECREF(copy);
    PyObject *result = PyDict_New();
    failed = failed || result == NULL;
    for (int k = 0; k < INTERFACE_FIELDS; k++) {
        failed = failed || values[k] == NULL
            || PyDict_SetItem(result, interface_names[k], values[k]) < 0;
        Py_XDECREF(values[k]);
    }
    Py_DECREF(shown);
    if (failed) {
        Py_CLEAR(result);
    }
    return result;
}

/* value_of_one_pass(array): the value of an expression that NumPy computes in one pass over memory; else None. */
static PyObject *
value_of_one_pass(PyObject *Py_UNUSED(module), PyObject *x)
{
    if (!is_pending(x) || ((Array *)x)->owner != NULL || limit_of_settings() <= 0) {
        return PyErr_Occurred() ? NULL : Py_NewRef(Py_None);
    }
    Node *root = (Node *)Py_NewRef(((Array *)x)->node);
    int passes = PyTuple_GET_SIZE(root->src) && PyTuple_GET_SIZE(root->shape) && root->stored == NULL && root->memo == NULL
        ? is_one_pass(root) : 0;
    passes = passes > 0 ? is_said(needed.allowed, (PyObject *)root) : passes;
    PyObject *value = passes > 0 ? cheap_value(root) : NULL;
    Py_DECREF(root);
    if (value != NULL && !(PyArray_CheckExact(value) && PyArray_IS_C_CONTIGUOUS((PyArrayObject *)value))) {
        Py_SETREF(value, Py_NewRef(Py_None));
    }
    return value != NULL || PyErr_Occurred() ? value : Py_NewRef(Py_None);
}

/* Return whether nobody but the caller has an array, nor its memory: it may be given away. By a weak
   reference others may have it, as long as the caller does. */
static int
is_unshared(PyObject *x, PyObject *memory)
{
    if (Py_REFCNT(x) != 1 || Py_REFCNT(memory) != 1 || !PyArray_CheckExact(memory)) {
        return 0;
    }
    Array *array = (Array *)x;
    int flags = NPY_ARRAY_OWNDATA | NPY_ARRAY_WRITEABLE;
    return array->owner == NULL && array->memory == memory && array->history != state.borrowed
        && array->weakrefs == NULL && PyArray_CHKFLAGS((PyArrayObject *)memory, flags);
}

/* copies(arrays, most): fresh ndarrays of arrays in memory of at most so many bytes; None: one is no such.
   Of an array that only the tuple has it is its memory itself. */
static PyObject *
copies_of(PyObject *Py_UNUSED(module), PyObject *args)
{
    PyObject *arrays;
    Py_ssize_t most;
    if (!PyArg_ParseTuple(args, "O!n", &PyTuple_Type, &arrays, &most)) {
        return NULL;
    }
    Py_ssize_t count = PyTuple_GET_SIZE(arrays);
    PyObject *copies = PyTuple_New(count);
    for (Py_ssize_t i = 0; copies != NULL && i < count; i++) {
        PyObject *x = PyTuple_GET_ITEM(arrays, i), *memory = is_array(x) ? memory_of((Array *)x) : NULL;
        PyObject *copy = NULL;
        if (memory != NULL && is_unshared(x, memory)) {
            copy = Py_NewRef(memory);
        }
        else if (memory != NULL && !PyArray_CheckExact(memory)) {
            copy = PyArray_FromScalar(memory, NULL);
        }
        else if (memory != NULL && PyArray_NBYTES((PyArrayObject *)memory) <= most) {
            Py_INCREF(memory); /* copying lets other threads run, which may let the array have other memory */
            PyObject *before = begin_blocks(memory_bytes(memory));
            copy = PyArray_NewCopy((PyArrayObject *)memory, NPY_KEEPORDER);
            end_blocks(before);
            Py_DECREF(memory);
        }
        if (copy == NULL) {
            Py_SETREF(copies, PyErr_Occurred() ? NULL : Py_NewRef(Py_None));
            break;
        }
        PyTuple_SET_ITEM(copies, i, copy);
    }
    return copies;
}
