/* The types of callables and of attributes that ask NumPy first. */

/* Return the result of a call on ndarrays of the program that NumPy computes sooner than a plan; NULL without an
   error: there is none. */
static PyObject *
handed_call(Call *call, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    Py_ssize_t total = count + (names == NULL ? 0 : PyTuple_GET_SIZE(names));
    int reduces = call->kind == REDUCE || call->kind == MEAN;
    int fits = call->kind == ELEMENTWISE ? names == NULL && PySet_Contains(state.handed_ufuncs, call->theirs) == 1
        : reduces ? call->own != MULTIPLY
        : call->flags & (COPIES | EXTENDS) && !(call->flags & FILLS) && !(call->flags & WRITES && names != NULL)
            && (call->loop < LEAST_PLACE || total == 1);
    PyObject *result = !fits || begin_handing(args, total) <= 0 ? NULL
        : reduces ? fast_reduction(call, args, count, names) : fast_call(call, args, count, names);
    end_handing();
    return result;
}

static PyObject *
call_vectorcall(PyObject *self, PyObject *const *args, size_t flags, PyObject *names)
{
    Call *call = (Call *)self;
    Py_ssize_t count = PyVectorcall_NARGS(flags), total = count + (names == NULL ? 0 : PyTuple_GET_SIZE(names));
    int skips = call->flags & COPIES_MASK && count && is_plain_mask(args[0]);
    int may_change = any_may_be_written(args + skips, total - skips, OF_STACK);
    if (may_change) {
        PyObject *result = handed_call(call, args, count, names);
        if (result != NULL || PyErr_Occurred()) {
            return result;
        }
    }
    return read_at_call(called(call, args, count, names), may_change, call->flags & OWNS);
}

static void
call_dealloc(Call *self)
{
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    if (self->weakrefs != NULL) {
        PyObject_ClearWeakRefs((PyObject *)self);
    }
    Py_XDECREF(self->slow);
    Py_XDECREF(self->name);
    Py_XDECREF(self->theirs);
    Py_XDECREF(self->rebuild);
    Py_XDECREF(self->op);
    Py_XDECREF(self->keywords);
    Py_XDECREF(self->reductions);
    Py_XDECREF(self->whole);
    Py_XDECREF(self->refused);
    Py_XDECREF(self->dict);
    type->tp_free((PyObject *)self);
}

static int
call_traverse(Call *self, visitproc visit, void *arg)
{
    Py_VISIT(self->slow);
    Py_VISIT(self->theirs);
    Py_VISIT(self->rebuild);
    Py_VISIT(self->op);
    Py_VISIT(self->keywords);
    Py_VISIT(self->reductions);
    Py_VISIT(self->whole);
    Py_VISIT(self->refused);
    Py_VISIT(self->dict);
    return 0;
}

static PyObject *
call_bound(PyObject *self, PyObject *object, PyObject *Py_UNUSED(type))
{
    if (object == NULL || object == Py_None) {
        Py_INCREF(self);
        return self;
    }
    return PyMethod_New(self, object);
}

/* Return how a callable is pickled: by name, or as a method of the object that has it. */
static PyObject *
call_reduce(PyObject *self, PyObject *Py_UNUSED(ignored))
{
    PyObject *slow = ((Call *)self)->slow;
    if (PyMethod_Check(slow)) {
        return PyObject_CallMethod(slow, "__reduce__", NULL);
    }
    return PyObject_GetAttrString(self, "__qualname__");
}

/* _allow(whole, refused, places, bound, flags): enter NumPy's function for all arguments. */
static PyObject *
call_allow(Call *self, PyObject *args)
{
    PyObject *whole, *refused;
    int places, bound, flags;
    if (!PyArg_ParseTuple(args, "OO!iii", &whole, &PyFrozenSet_Type, &refused, &places, &bound,
                          &flags)) {
        return NULL;
    }
    Py_INCREF(refused);
    Py_XSETREF(self->refused, refused);
    Py_INCREF(whole);
    Py_XSETREF(self->whole, whole);
    self->places = places;
    self->bound = bound;
    self->flags = flags;
    self->own = flags & FILLS ? writing_function_of(whole) : self->kind == CALLS ? creation_of(whole) : self->own;
    Py_RETURN_NONE;
}

/* Fill in the fields that all callables have. */
static int
call_init(Call *self, PyObject *args, PyObject *keywords)
{
    static char *names[] = {"kind", "slow", "theirs", "name", "rebuild", "op", "keywords",
                            "fits", "warns", "times", "loop", NULL};
    PyObject *slow, *theirs = Py_None, *name = Py_None, *rebuild = Py_None, *op = Py_None;
    PyObject *known = Py_None;
    int kind, fits = NO_LARGER, warns = 1, times = 1, loop = -1;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "iO|OOOOOipii", names, &kind, &slow, &theirs,
                                     &name, &rebuild, &op, &known, &fits, &warns, &times, &loop)) {
        return -1;
    }
    if (kind < 0 || kind > HOST_DRAWS) {
        PyErr_SetString(PyExc_ValueError, "unknown kind of call");
        return -1;
    }
    self->kind = kind;
    self->fits = fits;
    self->warns = warns;
    self->times = times;
    self->vectorcall = kind == DRAWS ? draw_vectorcall
        : kind == NUMPYS_DRAWS ? numpys_draw_vectorcall
        : kind == HOST_DRAWS ? host_draw_vectorcall : call_vectorcall;
#if PY_VERSION_HEX < 0x030C0000
    /* Classes written in Python inherit the way of a call, but not the flag that says so. */
    PyTypeObject *type = Py_TYPE(self);
    if (type->tp_call == PyVectorcall_Call && type->tp_vectorcall_offset > 0) {
        type->tp_flags |= Py_TPFLAGS_HAVE_VECTORCALL;
    }
#endif
#define SET(field, value) \
    Py_INCREF(value);     \
    Py_XSETREF(self->field, value);
    self->own = kind == METHOD && PyUnicode_Check(name) ? own_method_of(PyUnicode_AsUTF8(name))
        : kind == FUNCTION ? creation_of(theirs) : kind == REDUCE || kind == MEAN ? loop : NO_OWN;
    self->loop = kind == REDUCE || kind == MEAN ? -1 : loop;
    SET(slow, slow)
    SET(theirs, theirs)
    SET(name, name)
    SET(rebuild, rebuild)
    SET(op, op)
    SET(keywords, known)
#undef SET
    return 0;
}

static PyObject *
call_new(PyTypeObject *type, PyObject *Py_UNUSED(args), PyObject *Py_UNUSED(keywords))
{
    Call *self = (Call *)type->tp_alloc(type, 0);
    if (self != NULL) {
        self->vectorcall = call_vectorcall;
        self->kind = CALLS; /* until __init__: nothing is tried */
        Py_INCREF(Py_None);
        self->slow = Py_None;
    }
    return (PyObject *)self;
}

static PyMethodDef call_methods[] = {
    {"__reduce__", call_reduce, METH_NOARGS, NULL},
    {"_allow", (PyCFunction)call_allow, METH_VARARGS,
     "Enter NumPy's function for arguments of all kinds."},
    {NULL},
};

static PyGetSetDef call_getters[] = {
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, NULL, NULL},
    {NULL},
};

/* Functions and methods. */
static PyTypeObject Call_Type = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "lazyarr.arrays._compiled.Call",
    .tp_basicsize = sizeof(Call),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL
        | Py_TPFLAGS_METHOD_DESCRIPTOR,
    .tp_vectorcall_offset = offsetof(Call, vectorcall),
    .tp_dictoffset = offsetof(Call, dict),
    .tp_weaklistoffset = offsetof(Call, weakrefs),
    .tp_call = PyVectorcall_Call,
    .tp_descr_get = call_bound,
    .tp_new = call_new,
    .tp_init = (initproc)call_init,
    .tp_dealloc = (destructor)call_dealloc,
    .tp_traverse = (traverseproc)call_traverse,
    .tp_methods = call_methods,
    .tp_getset = call_getters,
};

/* Functions that are no methods of classes that have them as attributes, as NumPy's in C. */
static PyTypeObject Function_Type = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "lazyarr.arrays._compiled.Function",
    .tp_basicsize = sizeof(Call),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL,
    .tp_vectorcall_offset = offsetof(Call, vectorcall),
    .tp_dictoffset = offsetof(Call, dict),
    .tp_weaklistoffset = offsetof(Call, weakrefs),
    .tp_call = PyVectorcall_Call,
    .tp_new = call_new,
    .tp_init = (initproc)call_init,
    .tp_dealloc = (destructor)call_dealloc,
    .tp_traverse = (traverseproc)call_traverse,
    .tp_methods = call_methods,
    .tp_getset = call_getters,
};

static PyMethodDef elementwise_methods[] = {
    {"_allow", (PyCFunction)call_allow, METH_VARARGS,
     "Enter what is called with arguments of all kinds."},
    {NULL},
};

/* The base class of lazyarr.ufunc. */
static PyTypeObject Elementwise_Type = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "lazyarr.arrays._compiled.Elementwise",
    .tp_basicsize = sizeof(Call),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE
        | Py_TPFLAGS_HAVE_VECTORCALL,
    .tp_vectorcall_offset = offsetof(Call, vectorcall),
    .tp_dictoffset = offsetof(Call, dict),
    .tp_weaklistoffset = offsetof(Call, weakrefs),
    .tp_call = PyVectorcall_Call,
    .tp_new = call_new,
    .tp_init = (initproc)call_init,
    .tp_dealloc = (destructor)call_dealloc,
    .tp_traverse = (traverseproc)call_traverse,
    .tp_methods = elementwise_methods,
    .tp_getset = call_getters,
};

/* Attributes. */

enum {
    SHAPE, DTYPE, NDIM, SIZE, TRANSPOSED, INTERFACE, STRUCT, NBYTES, ITEMSIZE, REAL_PART, IMAGINARY_PART
};

typedef struct {
    PyObject_HEAD
    int kind;
    PyObject *slow; /* the property of Python */
    PyObject *get;  /* its function */
    PyObject *rebuild;
    PyObject *doc;
} Attribute;

static void
attribute_dealloc(Attribute *self)
{
    PyObject_GC_UnTrack(self);
    Py_XDECREF(self->slow);
    Py_XDECREF(self->get);
    Py_XDECREF(self->rebuild);
    Py_XDECREF(self->doc);
    Py_TYPE(self)->tp_free((PyObject *)self);
}

static int
attribute_traverse(Attribute *self, visitproc visit, void *arg)
{
    Py_VISIT(self->slow);
    Py_VISIT(self->get);
    Py_VISIT(self->rebuild);
    return 0;
}

static PyObject *
attribute_new(PyTypeObject *type, PyObject *args, PyObject *Py_UNUSED(keywords))
{
    int kind;
    PyObject *slow, *rebuild;
    if (!PyArg_ParseTuple(args, "iOO", &kind, &slow, &rebuild)) {
        return NULL;
    }
    Attribute *self = (Attribute *)type->tp_alloc(type, 0);
    if (self == NULL) {
        return NULL;
    }
    self->kind = kind;
    Py_INCREF(slow);
    self->slow = slow;
    Py_INCREF(rebuild);
    self->rebuild = rebuild;
    self->get = PyObject_GetAttrString(slow, "fget");
    self->doc = PyObject_GetAttrString(slow, "__doc__");
    if (self->get == NULL || self->doc == NULL) {
        Py_DECREF(self);
        return NULL;
    }
    return (PyObject *)self;
}

static PyObject *
attribute_get(PyObject *descriptor, PyObject *object, PyObject *Py_UNUSED(type))
{
    Attribute *self = (Attribute *)descriptor;
    if (object == NULL || object == Py_None) {
        Py_INCREF(self->slow);
        return self->slow;
    }
    if (self->kind == INTERFACE || self->kind == STRUCT) {
        PyObject *interface = !is_array(object) ? NULL
            : self->kind == STRUCT ? array_struct((Array *)object) : array_interface((Array *)object);
        if (interface != NULL || PyErr_Occurred()) {
            return interface;
        }
    }
    else if (PyObject_TypeCheck(object, &Fields_Type) && !PyList_GET_SIZE(state.running)) {
        if (is_pending(object)) {
            Node *node = (Node *)((Array *)object)->node;
            switch (self->kind) {
            case SHAPE: return Py_NewRef(node->shape);
            case NDIM: return PyLong_FromSsize_t(PyTuple_GET_SIZE(node->shape));
            case DTYPE: return Py_NewRef(node->dtype);
            case TRANSPOSED:
                if (compute_read(object) < 0 || compute_shown(object) < 0) {
                    return NULL;
                }
            default: break;
            }
        }
        PyObject *memory = own_memory((Array *)object);
        if (memory != NULL && PyArray_CheckExact(memory)) {
            PyArrayObject *array = (PyArrayObject *)memory;
            switch (self->kind) {
            case SHAPE: return integers(PyArray_DIMS(array), PyArray_NDIM(array));
            case NDIM: return PyLong_FromLong(PyArray_NDIM(array));
            case SIZE: return PyLong_FromSsize_t(PyArray_SIZE(array));
            case DTYPE:
                Py_INCREF(PyArray_DESCR(array));
                return (PyObject *)PyArray_DESCR(array);
            case NBYTES: return PyLong_FromSsize_t(PyArray_NBYTES(array));
            case ITEMSIZE: return PyLong_FromSsize_t(PyArray_ITEMSIZE(array));
            case REAL_PART:
            case IMAGINARY_PART:
                if (!PyArray_ISCOMPLEX(array)) {
                    return PyObject_CallOneArg(self->get, object);
                }
            default: break;
            }
            Py_ssize_t most = is_array(object) ? limit_now() : 0;
            if (most < 0) {
                return NULL;
            }
            if (most) {
                memory = memory_of((Array *)object);
                if (memory != NULL && PyArray_CheckExact(memory)) {
                    Py_INCREF(memory);
                    PyObject *view = self->kind == TRANSPOSED
                        ? PyArray_Transpose((PyArrayObject *)memory, NULL)
                        : PyObject_GetAttrString(memory, self->kind == REAL_PART ? "real" : "imag");
                    PyObject *result = view == NULL ? NULL
                        : wrapped(view, (Array *)object, memory, self->rebuild, NULL,
                                  ((Array *)object)->past);
                    Py_DECREF(memory);
                    if (result != NULL || PyErr_Occurred()) {
                        return result;
                    }
                }
            }
        }
        else if (memory != NULL) {
            switch (self->kind) {
            case SHAPE: return PyTuple_New(0);
            case NDIM: return PyLong_FromLong(0);
            case SIZE: return PyLong_FromLong(1);
            case DTYPE: return (PyObject *)PyArray_DescrFromScalar(memory);
            default: break;
            }
        }
    }
    return PyObject_CallOneArg(self->get, object);
}

static int
attribute_set(PyObject *descriptor, PyObject *object, PyObject *value)
{
    Attribute *self = (Attribute *)descriptor;
    return Py_TYPE(self->slow)->tp_descr_set(self->slow, object, value);
}

static PyMemberDef attribute_members[] = {
    {"__doc__", T_OBJECT, offsetof(Attribute, doc), READONLY, NULL},
    {"fget", T_OBJECT, offsetof(Attribute, get), READONLY, NULL},
    {NULL},
};

static PyTypeObject Attribute_Type = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "lazyarr.arrays._compiled.Attribute",
    .tp_basicsize = sizeof(Attribute),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_new = attribute_new,
    .tp_dealloc = (destructor)attribute_dealloc,
    .tp_traverse = (traverseproc)attribute_traverse,
    .tp_descr_get = attribute_get,
    .tp_descr_set = attribute_set,
    .tp_members = attribute_members,
};
