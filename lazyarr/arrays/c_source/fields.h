/* The type of an array's fields: the base class of lazyarr's arrays. */

static int
fields_traverse(Array *self, visitproc visit, void *arg)
{
    Py_VISIT(self->memory);
    Py_VISIT(self->owner);
    Py_VISIT(self->seen);
    Py_VISIT(self->steps);
    Py_VISIT(self->node);
    Py_VISIT(self->view_nodes);
    Py_VISIT(self->operation);
    Py_VISIT(self->left);
    Py_VISIT(self->right);
    Py_VISIT(self->history);
    Py_VISIT(self->layout);
    return 0;
}

/* Return whether no field is set but those of a number that an operation gave. */
static inline int
has_number_alone(const Array *self)
{
    return !((uintptr_t)self->owner | (uintptr_t)self->seen | (uintptr_t)self->steps | (uintptr_t)self->node
             | (uintptr_t)self->view_nodes | (uintptr_t)self->layout | (uintptr_t)self->locked | (uintptr_t)self->writes);
}

static int
fields_clear(Array *self)
{
    self->is_double = 0;
    forget_recent(self);
    Py_CLEAR(self->memory);
    Py_CLEAR(self->owner);
    Py_CLEAR(self->seen);
    Py_CLEAR(self->steps);
    Py_CLEAR(self->node);
    Py_CLEAR(self->view_nodes);
    forget(self);
    Py_CLEAR(self->layout);
    Py_CLEAR(self->locked);
    Py_CLEAR(self->writes);
    return 0;
}

static void
fields_dealloc(Array *self)
{
    PyObject_GC_UnTrack(self);
    forget_recent(self); /* callbacks of weak references may write to what it reads */
    if (self->weakrefs != NULL) {
        PyObject_ClearWeakRefs((PyObject *)self);
    }
    fields_clear(self);
    Py_TYPE(self)->tp_free((PyObject *)self);
}

/* The same of LazyArray itself, in place of what Python's classes have: it looks for no __del__,
   keeps the memory for the next array, and is in turn what subclasses call. */
static void
array_dealloc(Array *self)
{
    PyTypeObject *type = Py_TYPE(self);
    forget_recent(self); /* callbacks of weak references, and what else runs before it is freed, may write */
    if ((self->is_double || !PyObject_GC_IsTracked((PyObject *)self)) && type == state.array_type && self->weakrefs == NULL && freed_count < MOST_FREED) {
        PyObject_GC_UnTrack(self);
        if (has_number_alone(self)) {
            self->is_double = 0;
            drop_number(self);
            forget(self); /* it remembers few operations */
        }
        else {
            fields_clear(self);
        }
        self->past = 0;
        self->node = (PyObject *)freed;
        freed = self;
        freed_count++;
        Py_DECREF(type);
        return;
    }
    PyObject_GC_UnTrack(self);
    Py_TRASHCAN_BEGIN(self, array_dealloc) /* histories are long chains */
    if (self->weakrefs != NULL) {
        PyObject_ClearWeakRefs((PyObject *)self);
    }
    fields_clear(self);
    if (type == state.array_type && freed_count < MOST_FREED) {
        self->past = 0;
        self->node = (PyObject *)freed;
        freed = self;
        freed_count++;
    }
    else {
        type->tp_free((PyObject *)self);
    }
    Py_DECREF(type);
    Py_TRASHCAN_END
}

/* Return a field that stands for None where it is NULL. */
static PyObject *
get_optional(PyObject *self, void *offset)
{
    PyObject *value = *(PyObject **)((char *)self + (size_t)offset);
    if (value == NULL) {
        Py_RETURN_NONE;
    }
    Py_INCREF(value);
    return value;
}

static int
set_optional(PyObject *self, PyObject *value, void *offset)
{
    PyObject **field = (PyObject **)((char *)self + (size_t)offset);
    if (value == Py_None) {
        value = NULL;
    }
    Py_XINCREF(value);
    Py_XSETREF(*field, value);
    return 0;
}

/* Return the memory; an array of a number gets its object now. */
static PyObject *
get_memory(PyObject *self, void *Py_UNUSED(closure))
{
    PyObject *memory = own_memory((Array *)self);
    if (memory == NULL && PyErr_Occurred()) {
        return NULL;
    }
    memory = memory == NULL ? Py_None : memory;
    Py_INCREF(memory);
    return memory;
}

static int
set_memory(PyObject *self, PyObject *value, void *offset)
{
    ((Array *)self)->is_double = 0;
    return set_optional(self, value, offset);
}

/* Return the alias, as Python's form has it. */
static PyObject *
get_alias(PyObject *self, void *Py_UNUSED(closure))
{
    Array *array = (Array *)self;
    if (array->owner == NULL) {
        Py_RETURN_NONE;
    }
    return PyTuple_Pack(3, (PyObject *)array->owner, array->seen,
                        array->steps == NULL ? Py_None : array->steps);
}

static int
set_alias_of(PyObject *self, PyObject *value, void *Py_UNUSED(closure))
{
    Array *array = (Array *)self;
    PyObject *owner = NULL, *seen = NULL, *steps = NULL;
    if (value != NULL && value != Py_None) {
        if (!PyTuple_CheckExact(value) || PyTuple_GET_SIZE(value) != 3
            || !PyObject_TypeCheck(PyTuple_GET_ITEM(value, 0), &Fields_Type)) {
            PyErr_SetString(PyExc_TypeError, "an alias is a tuple (owner, seen value, steps)");
            return -1;
        }
        owner = PyTuple_GET_ITEM(value, 0);
        seen = PyTuple_GET_ITEM(value, 1);
        steps = PyTuple_GET_ITEM(value, 2);
    }
    Py_XINCREF(owner);
    Py_XINCREF(seen);
    Py_XINCREF(steps);
    Py_XSETREF(array->owner, (Array *)owner);
    Py_XSETREF(array->seen, seen);
    Py_XSETREF(array->steps, steps);
    return 0;
}

/* Return the node; of an array in memory, that of its present value. */
static PyObject *
get_node(PyObject *self, void *Py_UNUSED(closure))
{
    Array *array = (Array *)self;
    if (array->node == NULL) {
        if ((array->memory == NULL && !array->is_double) || state.snapshot == NULL) {
            PyErr_SetString(PyExc_AttributeError, "this array has no value yet");
            return NULL;
        }
        return PyObject_CallOneArg(state.snapshot, self);
    }
    Py_INCREF(array->node);
    return array->node;
}

static int
set_node(PyObject *self, PyObject *value, void *Py_UNUSED(closure))
{
    Array *array = (Array *)self;
    if (value == NULL && array->node == NULL) {
        PyErr_SetString(PyExc_AttributeError, "_current");
        return -1;
    }
    Py_XINCREF(value);
    Py_XSETREF(array->node, value);
    if (value != NULL && state.nodes != NULL && Py_TYPE(value) == state.nodes->type
        && PyTuple_GET_SIZE(((Node *)value)->src)) {
        note_recent(array);
    }
    return 0;
}

/* Return the node that an array has, without making one; None if there is none. */
static PyObject *
get_known(PyObject *self, void *Py_UNUSED(closure))
{
    return get_optional(self, (void *)offsetof(Array, node));
}

static PyObject *call_history(Array *array);

/* Return the operation that gave an array, as Python's form has it. */
static PyObject *
get_history(PyObject *self, void *Py_UNUSED(closure))
{
    Array *array = (Array *)self;
    PyObject *operation = array->operation;
    if (operation == NULL) {
        PyObject *history = array->history == NULL ? Py_None : array->history;
        Py_INCREF(history);
        return history;
    }
    if (IS_CALL(operation)) {
        return call_history(array);
    }
    if (PyCallable_Check(operation)) {
        return array->right == NULL
            ? Py_BuildValue("O(O){}", operation, array->left)
            : Py_BuildValue("O(OO){}", operation, array->left, array->right);
    }
    if (array->right == NULL) {
        return PyTuple_Pack(2, operation, array->left);
    }
    return PyTuple_Pack(3, operation, array->left, array->right);
}

static int
set_history(PyObject *self, PyObject *value, void *Py_UNUSED(closure))
{
    Array *array = (Array *)self;
    if (value == Py_None) {
        value = NULL;
    }
    Py_XINCREF(value);
    forget(array);
    array->history = value;
    return 0;
}

static PyObject *
fields_new(PyTypeObject *type, PyObject *Py_UNUSED(args), PyObject *Py_UNUSED(keywords))
{
    return (PyObject *)new_fields(type);
}

/* change(array, (memory, alias, history, node, view_nodes), expected): let an array have another state, of which
   no other thread sees a part; whether it was the expression of the node that is expected, where that is no
   None. See `change` in storing.py. */
static PyObject *
change_state(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t count)
{
    PyObject *state_of = count == 3 ? args[1] : NULL;
    if (state_of == NULL || !PyObject_TypeCheck(args[0], &Fields_Type) || !PyTuple_CheckExact(state_of)
        || PyTuple_GET_SIZE(state_of) != 5) {
        return PyErr_Format(PyExc_TypeError, "expected an array, five fields and a node");
    }
    Array *array = (Array *)args[0];
    PyObject *alias = PyTuple_GET_ITEM(state_of, 1), *next[7];
    if (args[2] != Py_None && (array->memory != NULL || array->is_double || array->node != args[2])) {
        Py_RETURN_FALSE;
    }
    if (alias != Py_None && (!PyTuple_CheckExact(alias) || PyTuple_GET_SIZE(alias) != 3
                             || !PyObject_TypeCheck(PyTuple_GET_ITEM(alias, 0), &Fields_Type))) {
        return PyErr_Format(PyExc_TypeError, "an alias is a tuple (owner, seen value, steps)");
    }
    next[0] = PyTuple_GET_ITEM(state_of, 0);
    for (Py_ssize_t k = 0; k < 3; k++) {
        next[k + 1] = alias == Py_None ? Py_None : PyTuple_GET_ITEM(alias, k);
        next[k + 4] = PyTuple_GET_ITEM(state_of, k + 2);
    }
    PyObject **fields[] = {&array->memory, (PyObject **)&array->owner, &array->seen, &array->steps,
                           &array->history, &array->node, &array->view_nodes};
    PyObject *before[10] = {array->operation, array->left, array->right};
    array->operation = array->left = array->right = NULL;
    array->is_double = 0;
    for (size_t k = 0; k < Py_ARRAY_LENGTH(fields); k++) {
        before[k + 3] = *fields[k];
        *fields[k] = next[k] == Py_None ? NULL : Py_NewRef(next[k]);
    }
    for (size_t k = 0; k < Py_ARRAY_LENGTH(before); k++) {
        Py_XDECREF(before[k]); /* which may run anything */
    }
    if (next[5] != Py_None && next[0] == Py_None && state.nodes != NULL && Py_TYPE(next[5]) == state.nodes->type
        && PyTuple_GET_SIZE(((Node *)next[5])->src)) {
        note_recent(array);
    }
    Py_RETURN_TRUE;
}

#define OPTIONAL(name, field, set) \
    {name, get_optional, set, NULL, (void *)offsetof(Array, field)}

static PyGetSetDef getters[] = {
    {"_array", get_memory, set_memory, NULL, (void *)offsetof(Array, memory)},
    {"_alias", get_alias, set_alias_of, NULL, NULL},
    OPTIONAL("_view_nodes", view_nodes, set_optional),
    {"_current", get_node, set_node, NULL, NULL},
    {"_known", get_known, NULL, NULL, NULL},
    {"_history", get_history, set_history, NULL, NULL},
    {NULL},
};

static PyMemberDef members[] = {
    {"_past", T_PYSSIZET, offsetof(Array, past), 0, NULL},
    {"_layout", T_OBJECT_EX, offsetof(Array, layout), 0, NULL},
    {"_locked", T_OBJECT_EX, offsetof(Array, locked), 0, NULL},
    {"_writes", T_OBJECT_EX, offsetof(Array, writes), 0, NULL},
    {NULL},
};

static PyObject *array_ufunc(PyObject *self, PyObject *args, PyObject *keywords);
static PyObject *array_function(
    PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *names);

static PyMethodDef protocol_methods[] = {
    {"__array_ufunc__", (PyCFunction)(void (*)(void))array_ufunc, METH_VARARGS | METH_KEYWORDS,
     "Return the result of a ufunc of NumPy's."},
    {"__array_function__", (PyCFunction)(void (*)(void))array_function,
     METH_FASTCALL | METH_KEYWORDS,
     "Return the result of a function of NumPy's."},
    {NULL},
};

static PyNumberMethods as_number;
static PyMappingMethods as_mapping;
static PyBufferProcs as_buffer;
static PyObject *compare(PyObject *a, PyObject *b, int op);
static PyObject *iterate(PyObject *x);

static PyTypeObject Fields_Type = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "lazyarr.arrays._compiled.Fields",
    .tp_doc = "The fields of an array, and its operators where all is small and in memory.",
    .tp_basicsize = sizeof(Array),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
    .tp_weaklistoffset = offsetof(Array, weakrefs),
    .tp_new = fields_new,
    .tp_dealloc = (destructor)fields_dealloc,
    .tp_traverse = (traverseproc)fields_traverse,
    .tp_clear = (inquiry)fields_clear,
    .tp_hash = PyObject_HashNotImplemented,
    .tp_richcompare = compare,
    .tp_iter = iterate,
    .tp_as_number = &as_number,
    .tp_as_mapping = &as_mapping,
    .tp_as_buffer = &as_buffer,
    .tp_getset = getters,
    .tp_members = members,
    .tp_methods = protocol_methods,
};
