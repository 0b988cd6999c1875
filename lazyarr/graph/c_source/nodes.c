/* The compiled form of nodes and of their table, which is in node_table.h. interning.py is the
   reference. */

#include "node.h"
#include "node_attributes.h"
#include "node_table.h"

#ifndef LAZYARR_SOURCE
#define LAZYARR_SOURCE "unknown"
#endif

static PyTypeObject Node_Type;

#include "node_walk.h"

static struct {
    PyObject *leaf_kind; /* Kind.LEAF */
    PyObject *pressure;  /* what counts the bytes of leaves */
    PyObject *crowded;   /* crowded(nodes): there are as many; returns how many there may be */
} state;

static PyObject *str_kind, *str_itemsize, *str_nbytes, *str_most_bytes, *str_nodes, *str_high;

/* Nodes that were freed, linked by `op`; at most those of a few expressions. */
#define MOST_FREED 256
static Node *freed;
static int freed_count;

static Node *
new_node(PyObject *op, PyObject *src, PyObject *dtype, PyObject *shape, PyObject *attr,
         PyObject *origin)
{
    Node *node = freed;
    if (node != NULL) {
        freed = (Node *)node->op;
        freed_count--;
        (void)PyObject_Init((PyObject *)node, &Node_Type);
    }
    else {
        node = PyObject_GC_New(Node, &Node_Type);
        if (node == NULL) {
            return NULL;
        }
        node->weakrefs = NULL;
    }
    node->op = Py_NewRef(op);
    node->src = Py_NewRef(src);
    node->dtype = Py_NewRef(dtype);
    node->shape = Py_NewRef(shape);
    node->attr = Py_XNewRef(attr);
    node->origin = Py_XNewRef(origin);
    node->memo = node->stored = NULL;
    node->hash = 0;
    node->entered = node->is_leaf = node->special = node->finalized = 0;
    node->walk = node->place = 0;
    PyObject_GC_Track(node);
    return node;
}

/* Return the bytes of an array. */
static PyObject *
bytes_of(PyObject *dtype, PyObject *shape)
{
    PyObject *size = PyObject_GetAttr(dtype, str_itemsize);
    for (Py_ssize_t k = 0; size != NULL && k < PyTuple_GET_SIZE(shape); k++) {
        Py_SETREF(size, PyNumber_Multiply(size, PyTuple_GET_ITEM(shape, k)));
    }
    return size;
}

/* Count the bytes of a leaf that is new or gone, as `count` of pressure.py does. None of this runs
   code of Python's, which a signal could interrupt while a node is freed. */
static int
count_bytes(PyObject *dtype, PyObject *shape, int sign)
{
    PyObject *size = bytes_of(dtype, shape), *before = NULL, *now = NULL, *most = NULL;
    PyObject *nodes = NULL;
    int high = -1;
    if (size != NULL && (before = PyObject_GetAttr(state.pressure, str_nbytes)) != NULL
        && (now = sign > 0 ? PyNumber_Add(before, size) : PyNumber_Subtract(before, size)) != NULL
        && PyObject_SetAttr(state.pressure, str_nbytes, now) == 0
        && (most = PyObject_GetAttr(state.pressure, str_most_bytes)) != NULL
        && (nodes = PyObject_GetAttr(state.pressure, str_nodes)) != NULL
        && (high = nodes == Py_True ? 1 : PyObject_RichCompareBool(now, most, Py_GT)) >= 0
        && PyObject_SetAttr(state.pressure, str_high, high ? Py_True : Py_False) < 0) {
        high = -1;
    }
    Py_XDECREF(size);
    Py_XDECREF(before);
    Py_XDECREF(now);
    Py_XDECREF(most);
    Py_XDECREF(nodes);
    return high < 0 ? -1 : 0;
}

static int
is_leaf_op(PyObject *op)
{
    PyObject *kind = PyObject_GetAttr(op, str_kind);
    Py_XDECREF(kind);
    return kind == NULL ? -1 : kind == state.leaf_kind;
}

static PyObject *
build(PyObject *op, Node **src, Py_ssize_t count, PyObject *dtype, PyObject *shape,
      PyObject *attr, PyObject *origin)
{
    Node *few[8], **current = few;
    Py_hash_t hash;
    PyObject *operands = NULL;
    Node *node = NULL;
    if (count > 8 && (current = PyMem_Malloc(count * sizeof(Node *))) == NULL) {
        return PyErr_NoMemory();
    }
    /* An operand that was stored is the leaf that holds it; references of their own, as what is
       compared may be of Python's. */
    for (Py_ssize_t k = 0; k < count; k++) {
        current[k] = src[k]->stored != NULL ? (Node *)src[k]->stored : src[k];
        Py_INCREF(current[k]);
    }
    if (hash_of(op, current, count, dtype, shape, attr, &hash) < 0) {
        goto done;
    }
    node = find(hash, op, current, count, dtype, shape, attr);
    size_t changes = table.changes;
    if (node != NULL || PyErr_Occurred() || (operands = PyTuple_New(count)) == NULL) {
        goto done;
    }
    for (Py_ssize_t k = 0; k < count; k++) {
        PyTuple_SET_ITEM(operands, k, Py_NewRef(current[k]));
    }
    int is_leaf = count ? 0 : is_leaf_op(op);
    if (is_leaf < 0) {
        goto done;
    }
    node = new_node(op, operands, dtype, shape, attr, origin);
    if (node == NULL) {
        goto done;
    }
    if (table.changes != changes) { /* garbage was collected, whose finalisers may build nodes */
        Node *other = find(hash, op, current, count, dtype, shape, attr);
        if (other != NULL || PyErr_Occurred()) {
            Py_DECREF(node);
            node = other;
            goto done;
        }
    }
    node->hash = hash;
    if (enter(node) < 0) {
        Py_CLEAR(node);
        goto done;
    }
    if (is_leaf) {
        node->is_leaf = 1;
        if (count_bytes(dtype, shape, 1) < 0) {
            node->is_leaf = 0;
            Py_CLEAR(node);
        }
    }
    else if (--table.room < 0) {
        PyObject *most = PyObject_CallFunction(state.crowded, "n", table.used);
        table.room = most == NULL ? 0 : PyLong_AsSsize_t(most) - table.used;
        Py_XDECREF(most);
        if (PyErr_Occurred()) {
            Py_CLEAR(node);
        }
    }
done:
    Py_XDECREF(operands);
    for (Py_ssize_t k = 0; k < count; k++) {
        Py_DECREF(current[k]);
    }
    if (current != few) {
        PyMem_Free(current);
    }
    return (PyObject *)node;
}

/* The type of nodes. */

static int
node_traverse(Node *self, visitproc visit, void *arg)
{
    Py_VISIT(self->op);
    Py_VISIT(self->src);
    Py_VISIT(self->attr);
    Py_VISIT(self->origin);
    Py_VISIT(self->memo);
    Py_VISIT(self->stored);
    return 0;
}

/* Take a node out of the table, if it is there, and its bytes out of the count of leaves. */
static void
forget(Node *self)
{
    if (!self->entered) {
        return;
    }
    leave(self);
    if (self->is_leaf) {
        PyObject *kind, *value, *trace;
        PyErr_Fetch(&kind, &value, &trace);
        if (count_bytes(self->dtype, self->shape, -1) < 0) {
            PyErr_WriteUnraisable(NULL);
        }
        PyErr_Restore(kind, value, trace);
    }
}

/* The collector calls this for all garbage before it clears any. Afterwards a lookup, by another
   thread or by a finaliser, would compare attributes that have been cleared. */
static void
node_finalize(Node *self)
{
    self->finalized = 1;
    forget(self);
}

/* What a node is stays: a finaliser may have made it reachable again. */
static int
node_clear(Node *self)
{
    Py_CLEAR(self->memo);
    Py_CLEAR(self->stored);
    return 0;
}

static void
node_dealloc(Node *self)
{
    PyObject_GC_UnTrack(self);
    forget(self);
    Py_TRASHCAN_BEGIN(self, node_dealloc) /* expressions are long chains */
    if (self->weakrefs != NULL) {
        PyObject_ClearWeakRefs((PyObject *)self);
    }
    node_clear(self);
    Py_CLEAR(self->src);
    Py_CLEAR(self->dtype);
    Py_CLEAR(self->shape);
    Py_CLEAR(self->attr);
    Py_CLEAR(self->origin);
    Py_CLEAR(self->op);
    if (freed_count < MOST_FREED && !self->finalized) { /* an object is finalised once */
        self->op = (PyObject *)freed;
        freed = self;
        freed_count++;
    }
    else {
        PyObject_GC_Del(self);
    }
    Py_TRASHCAN_END
}

static PyTypeObject Node_Type = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "lazyarr.graph._nodes.Node",
    .tp_doc = "One value in the expression DAG. It is frozen, and equal nodes are one object.",
    .tp_basicsize = sizeof(Node),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_finalize = (destructor)node_finalize,
    .tp_weaklistoffset = offsetof(Node, weakrefs),
    .tp_dealloc = (destructor)node_dealloc,
    .tp_traverse = (traverseproc)node_traverse,
    .tp_clear = (inquiry)node_clear,
    .tp_repr = (reprfunc)node_repr,
    .tp_setattro = node_setattr,
    .tp_getset = getters,
    .tp_members = members,
};

/* The functions of the module. */

static PyObject *
optional(PyObject *value)
{
    return value == Py_None ? NULL : value;
}

/* Take the arguments of `node` and `unique_node` apart; what is left out is NULL. */
static int
take_arguments(PyObject *const *args, Py_ssize_t count, PyObject *names, PyObject **values)
{
    static const char *const known[] = {"op", "src", "dtype", "shape", "attr", "origin"};
    if (count > 6) {
        PyErr_SetString(PyExc_TypeError, "a node has at most six fields");
        return -1;
    }
    for (Py_ssize_t k = 0; k < count; k++) {
        values[k] = args[k];
    }
    for (Py_ssize_t k = 0; names != NULL && k < PyTuple_GET_SIZE(names); k++) {
        int place = 0;
        PyObject *name = PyTuple_GET_ITEM(names, k);
        while (place < 6 && PyUnicode_CompareWithASCIIString(name, known[place]) != 0) {
            place++;
        }
        if (place == 6 || values[place] != NULL) {
            PyErr_Format(PyExc_TypeError, "unexpected argument %R", name);
            return -1;
        }
        values[place] = args[count + k];
    }
    if (values[0] == NULL || values[1] == NULL || values[2] == NULL || values[3] == NULL
        || !PyTuple_Check(values[1]) || !PyTuple_Check(values[3])) {
        PyErr_SetString(PyExc_TypeError, "a node needs op, src, dtype and shape; src and shape are tuples");
        return -1;
    }
    for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(values[1]); k++) {
        if (Py_TYPE(PyTuple_GET_ITEM(values[1], k)) != &Node_Type) {
            PyErr_SetString(PyExc_TypeError, "operands of a node must be nodes");
            return -1;
        }
    }
    values[4] = values[4] == NULL ? NULL : optional(values[4]);
    values[5] = values[5] == NULL ? NULL : optional(values[5]);
    return 0;
}

static PyObject *
node_function(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t count,
              PyObject *names)
{
    PyObject *values[6] = {NULL};
    if (take_arguments(args, count, names, values) < 0) {
        return NULL;
    }
    return build(values[0], (Node **)&PyTuple_GET_ITEM(values[1], 0), PyTuple_GET_SIZE(values[1]),
                 values[2], values[3], values[4], values[5]);
}

static PyObject *
unique_function(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t count,
                PyObject *names)
{
    PyObject *values[6] = {NULL};
    if (take_arguments(args, count, names, values) < 0) {
        return NULL;
    }
    return (PyObject *)new_node(values[0], values[1], values[2], values[3], values[4], values[5]);
}

/* Set a field that is a cache: the node, then the value. */
static PyObject *
set_cache(PyObject *const *args, Py_ssize_t count, size_t offset)
{
    if (count != 2 || Py_TYPE(args[0]) != &Node_Type) {
        PyErr_SetString(PyExc_TypeError, "expected a node and a value");
        return NULL;
    }
    PyObject **field = (PyObject **)((char *)args[0] + offset);
    PyObject *value = Py_XNewRef(optional(args[1]));
    Py_XSETREF(*field, value);
    Py_RETURN_NONE;
}

static PyObject *
set_origin(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t count)
{
    return set_cache(args, count, offsetof(Node, origin));
}

static PyObject *
set_memo(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t count)
{
    return set_cache(args, count, offsetof(Node, memo));
}

static PyObject *
set_stored(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t count)
{
    if (count == 2 && Py_TYPE(args[1]) != &Node_Type) {
        PyErr_SetString(PyExc_TypeError, "the stored value must be a node");
        return NULL;
    }
    if (count == 2 && Py_TYPE(args[0]) == &Node_Type && ((Node *)args[0])->stored != NULL) {
        Py_RETURN_NONE; /* another thread may be planning with that leaf */
    }
    return set_cache(args, count, offsetof(Node, stored));
}

static PyObject *
forget_node(PyObject *Py_UNUSED(module), PyObject *node)
{
    if (Py_TYPE(node) != &Node_Type) {
        PyErr_SetString(PyExc_TypeError, "expected a node");
        return NULL;
    }
    forget((Node *)node);
    Py_RETURN_NONE;
}

static PyObject *
live_nodes(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(none))
{
    PyObject *list = PyList_New(0);
    for (size_t at = 0; list != NULL && at <= table.mask; at++) {
        if (table.entries[at] != NULL
            && PyList_Append(list, (PyObject *)table.entries[at]) < 0) {
            Py_CLEAR(list);
        }
    }
    return list;
}

static PyObject *
count_nodes(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(none))
{
    return PyLong_FromSsize_t(table.used);
}

static PyObject *
set_room(PyObject *Py_UNUSED(module), PyObject *value)
{
    table.room = PyLong_AsSsize_t(value);
    if (PyErr_Occurred()) {
        return NULL;
    }
    Py_RETURN_NONE;
}

static PyObject *
install(PyObject *Py_UNUSED(module), PyObject *args)
{
    PyObject *leaf_kind, *pressure, *crowded;
    if (!PyArg_ParseTuple(args, "OOOn", &leaf_kind, &pressure, &crowded, &table.room)) {
        return NULL;
    }
    Py_XSETREF(state.leaf_kind, Py_NewRef(leaf_kind));
    Py_XSETREF(state.pressure, Py_NewRef(pressure));
    Py_XSETREF(state.crowded, Py_NewRef(crowded));
    Py_RETURN_NONE;
}

#define FAST(function) (PyCFunction)(void (*)(void))function

static PyMethodDef functions[] = {
    {"node", FAST(node_function), METH_FASTCALL | METH_KEYWORDS,
     "Return the one node with this operation, operands, dtype, shape and attribute."},
    {"unique_node", FAST(unique_function), METH_FASTCALL | METH_KEYWORDS,
     "Return a node that is not interned."},
    {"set_origin", FAST(set_origin), METH_FASTCALL, "Set the user's line of a node."},
    {"set_memo", FAST(set_memo), METH_FASTCALL, "Set what the compiler remembers of a node."},
    {"set_stored", FAST(set_stored), METH_FASTCALL, "Set the leaf that holds a node's value."},
    {"forget_node", forget_node, METH_O, "Take a node out of the table."},
    {"live_nodes", live_nodes, METH_NOARGS, "Return the nodes of the table."},
    {"nodes_of", nodes_of, METH_O, "Return nodes and all that they are made of, operands before users."},
    {"leaves_of", leaves_of, METH_O, "Return the leaves that a node is made of."},
    {"count_nodes", count_nodes, METH_NOARGS, "Return their number."},
    {"set_room", set_room, METH_O, "Set after how many more nodes somebody hears how many there are."},
    {"install", install, METH_VARARGS, "Enter what is of Python's."},
    {NULL},
};

static PyObject *
unique(PyObject *op, PyObject *src, PyObject *dtype, PyObject *shape, PyObject *attr, PyObject *origin)
{
    return (PyObject *)new_node(op, src, dtype, shape, attr, origin);
}

static NodeFunctions shared = {&Node_Type, build, unique};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "lazyarr.graph._nodes",
    .m_doc = "The compiled form of nodes and of their table.",
    .m_size = -1,
    .m_methods = functions,
};

PyMODINIT_FUNC
PyInit__nodes(void)
{
    if (!(str_kind = PyUnicode_InternFromString("kind"))
        || !(str_itemsize = PyUnicode_InternFromString("itemsize"))
        || !(str_nbytes = PyUnicode_InternFromString("nbytes"))
        || !(str_most_bytes = PyUnicode_InternFromString("most_bytes"))
        || !(str_nodes = PyUnicode_InternFromString("nodes"))
        || !(str_high = PyUnicode_InternFromString("high"))
        || PyType_Ready(&Node_Type) < 0 || grow(1 << 13) < 0) {
        return NULL;
    }
    PyObject *module = PyModule_Create(&definition);
    PyObject *capsule = PyCapsule_New(&shared, NODE_FUNCTIONS, NULL);
    if (module == NULL || capsule == NULL
        || PyModule_AddObjectRef(module, "functions", capsule) < 0
        || PyModule_AddObjectRef(module, "Node", (PyObject *)&Node_Type) < 0
        || PyModule_AddStringConstant(module, "SOURCE", LAZYARR_SOURCE) < 0) {
        Py_XDECREF(module);
        module = NULL;
    }
    Py_XDECREF(capsule);
    return module;
}
