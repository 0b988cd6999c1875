/* Values of expressions of few bytes, which are needed now and which NumPy computes: as cheap_value of
   needed_values.py does, whose form is the reference.

   Nodes are looked at by their places in a list; an expression that is computed in this way has few. */

/* What is asked of an expression; `install_values` says. */
static struct {
    double most_bytes, number_bytes; /* that NumPy reads and writes at most */
    Py_ssize_t short_rows;           /* below so many elements operands that repeat count */
    double repeated_factor;          /* so many times */
    Py_ssize_t terms, terms_apart;   /* of a stack of products that kernels compute, at most, */
    Py_ssize_t terms_matrix;         /* and the elements of a matrix */
    double straight_bytes;           /* from which on a kernel may write to a part of an array, */
    double operated_bytes;           /* the same of an operator in place, */
    double alone_bytes;              /* and of one whose other operand is a single operation, */
    double exchanged_bytes;          /* and to other memory in its place */
    double written_bytes;            /* of what is computed before it is written to */
    Py_ssize_t factors, scaled;      /* elements of what is computed for a product */
    Py_ssize_t most_writes;          /* to an expression, before it is computed */
    Py_ssize_t most_nodes;           /* that are computed */
    Py_ssize_t read_part;            /* of an expression that is computed for reads of as small parts, */
    Py_ssize_t least_columns;        /* or for one of this part of it */
    long free_cost;                  /* of an operation that takes no longer than to read and write */
    PyObject *kinds;                 /* kind of an operation -> one of the enumeration below */
    PyObject *ufuncs;                /* operation -> the ufunc that is all of it */
    PyObject *exact;                 /* ufuncs that give the same bits wherever they write them */
    PyObject *raising;               /* NumPy's error state in which exceptions are raised */
    PyObject *caught;                /* exceptions after which the value stays an expression */
    PyObject *computed;              /* what the memo of a computed node is */
    PyObject *allowed;               /* whether memory may stand for nodes in this thread */
    PyObject *evaluated;             /* the value of a node by its plan */
    PyObject *laid; /* kinds of leaves whose memory lies as NumPy's array would; False: if in C order */
    PyObject *keep_value;            /* lets expressions begin with the value of a node */
    PyObject *forget;                /* lets expressions like one that is stored be computed anew */
    PyObject *may_raise;             /* whether a floating-point exception may raise, so that nothing is to be written */
    PyObject *in_order;              /* a value in the order in which the elements of an array lie */
} needed;

static PyObject *str_cost, *str_evaluate, *str_emits_warning;

/* Kinds of operations; NumPy computes those before CALL_KIND in the place of a plan. Those of JOIN_KIND copy
   their operands side by side. */
enum {
    REFUSED_KIND, LEAF_KIND, CONSTANT_KIND, VIEW_KIND, ELEMENTWISE_KIND, OTHER_KIND, JOIN_KIND, CALL_KIND
};

/* Operations that were seen, which stay as they are. */

typedef struct {
    PyObject *op;
    PyObject *ufunc; /* borrowed; NULL: the operation has a function of its own */
    int kind, exact, warns;
    double cost; /* in readings of an element */
} Operation;

static Operation known_operations[KNOWN_OPERATIONS];

static long
integer_of(PyObject *object, PyObject *name)
{
    PyObject *value = PyObject_GetAttr(object, name);
    long result = value == NULL ? -1 : PyLong_AsLong(value);
    Py_XDECREF(value);
    return result;
}

/* Return what is known of an operation; NULL with an error. */
static const Operation *
operation_of(PyObject *op)
{
    Operation *known = &known_operations[(((size_t)op >> 4) ^ ((size_t)op >> 12)) % KNOWN_OPERATIONS];
    if (known->op == op) {
        return known;
    }
    PyObject *kind = PyObject_GetAttr(op, str_kind);
    PyObject *number = kind == NULL ? NULL : PyDict_GetItemWithError(needed.kinds, kind);
    Operation operation = {.op = op, .kind = number == NULL ? REFUSED_KIND : (int)PyLong_AsLong(number)};
    Py_XDECREF(kind);
    long cost = PyErr_Occurred() ? -1 : integer_of(op, str_cost);
    operation.cost = cost > needed.free_cost ? (double)cost / (double)needed.free_cost : 1;
    if (operation.kind == OTHER_KIND && cost > 1) {
        operation.cost = 2 * (double)cost; /* each operation of a reduction has arrays of its own */
    }
    operation.warns = PyErr_Occurred() ? -1 : (int)integer_of(op, str_emits_warning);
    operation.ufunc = PyErr_Occurred() ? NULL : PyDict_GetItemWithError(needed.ufuncs, op);
    operation.exact = operation.ufunc == NULL ? 0 : PySet_Contains(needed.exact, operation.ufunc);
    if (PyErr_Occurred()) {
        return NULL;
    }
    PyObject *before = known->op;
    *known = operation;
    Py_INCREF(op);
    Py_XDECREF(before);
    return known;
}

#define MOST_SOURCES 32

/* The nodes of an expression, with what is left to do with the value of each. The root keeps them. */
typedef struct {
    Node *node[MOST_VALUES];
    PyObject *value[MOST_VALUES]; /* kept until it is used for the last time; NULL: not computed */
    int uses[MOST_VALUES];
    int edges[MOST_VALUES]; /* uses before any was served */
    Py_ssize_t count;
    double largest; /* bytes of the largest one */
} Values;

static Py_ssize_t
place_among(const Values *values, const Node *node)
{
    Py_ssize_t k = 0;
    while (k < values->count && values->node[k] != node) {
        k++;
    }
    return k;
}

/* Return the bytes of the elements of a node; a negative number: a length is none. */
static inline double
bytes_of(const Node *node)
{
    double bytes = (double)PyDataType_ELSIZE((PyArray_Descr *)node->dtype);
    for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(node->shape); k++) {
        PyObject *length = PyTuple_GET_ITEM(node->shape, k);
        if (!PyLong_CheckExact(length)) {
            return -1;
        }
        bytes *= (double)PyLong_AsSsize_t(length);
    }
    return bytes;
}

#include "one_pass.h"

/* Write down the nodes of an expression; return 1 if it is of few bytes, 0 if not, -1 with an error. */
static int
is_of_few_bytes(Values *values, Node *root)
{
    double most = PyTuple_GET_SIZE(root->shape) ? needed.most_bytes : needed.number_bytes, bytes = 0;
    Py_ssize_t computed = 0;
    if (root->stored != NULL) {
        return 0;
    }
    values->count = 1;
    values->largest = 0;
    values->node[0] = root;
    values->uses[0] = 1;
    for (Py_ssize_t k = 0; k < values->count; k++) {
        Node *node = values->node[k];
        if (node->stored != NULL) {
            int hosted = ((Node *)node->stored)->attr == NULL ? 0
                : PySet_Contains(state.hosted, (PyObject *)Py_TYPE(((Node *)node->stored)->attr));
            if (hosted <= 0) {
                return hosted;
            }
            continue;
        }
        const Operation *operation = operation_of(node->op);
        if (operation == NULL) {
            return -1;
        }
        int kind = operation->kind;
        if (kind == REFUSED_KIND || kind == CALL_KIND) {
            return 0;
        }
        Py_ssize_t count = PyTuple_GET_SIZE(node->src);
        if (!count) {
            int hosted = node->op != state.leaf_op ? 1 : node->attr == NULL ? 0
                : PySet_Contains(state.hosted, (PyObject *)Py_TYPE(node->attr));
            if (hosted <= 0) {
                return hosted;
            }
            continue;
        }
        if (kind != VIEW_KIND) {
            if (node->memo != NULL && node != root) {
                return 0; /* computed before: now it is stored for the next time */
            }
            double moved = bytes_of(node);
            int odd = moved < 0;
            values->largest = moved > values->largest ? moved : values->largest;
            for (Py_ssize_t i = 0; i < count; i++) {
                double own = bytes_of((Node *)PyTuple_GET_ITEM(node->src, i));
                odd |= own < 0;
                moved += own;
            }
            bytes += moved * operation->cost * (kind == ELEMENTWISE_KIND && repeats_in_rows(node) ? needed.repeated_factor : 1);
            int is_much = bytes > most;
            if (is_much && node == root && !odd) {
                int alone = is_one_pass(root);
                if (alone < 0) {
                    return -1;
                }
                is_much = !alone;
            }
            if (odd || is_much || ++computed > needed.most_nodes) {
                return 0;
            }
        }
        for (Py_ssize_t i = 0; i < count; i++) {
            Node *source = (Node *)PyTuple_GET_ITEM(node->src, i);
            Py_ssize_t place = place_among(values, source);
            if (place == MOST_VALUES) {
                return 0;
            }
            if (place == values->count) {
                values->node[place] = source;
                values->uses[place] = 0;
                values->count++;
            }
            values->uses[place]++;
        }
    }
    memset(values->value, 0, sizeof(PyObject *) * (size_t)values->count);
    memcpy(values->edges, values->uses, sizeof(int) * (size_t)values->count);
    return 1;
}

static PyObject *
leaf_value(const Node *node)
{
    PyObject *memory = node->attr == NULL ? NULL : PyObject_GetAttr(node->attr, str_array);
    if (memory != NULL && !PyArray_CheckExact(memory)) {
        Py_CLEAR(memory);
    }
    if (memory == NULL && !PyErr_Occurred()) {
        PyErr_SetString(PyExc_TypeError, "the leaf has no array");
    }
    return memory;
}

static PyObject *
constant_value(const Node *node)
{
    PyArray_Descr *dtype = (PyArray_Descr *)node->dtype;
    if (node->attr == NULL || !PyBytes_CheckExact(node->attr) || PyTuple_GET_SIZE(node->shape)
        || PyBytes_GET_SIZE(node->attr) != PyDataType_ELSIZE(dtype)) {
        PyErr_SetString(PyExc_TypeError, "the constant is not a number");
        return NULL;
    }
    Py_INCREF(dtype);
    PyObject *number =
        PyArray_NewFromDescr(&PyArray_Type, dtype, 0, NULL, NULL, NULL, 0, NULL);
    if (number != NULL) {
        memcpy(PyArray_DATA((PyArrayObject *)number), PyBytes_AS_STRING(node->attr),
               (size_t)PyBytes_GET_SIZE(node->attr));
    }
    return number;
}

/* Return the elements of an array that an index map chooses, as view_by_map of steps.py does. */
static PyObject *
view_value(const Node *node, PyArrayObject *source)
{
    npy_intp shape[NPY_MAXDIMS] = {0}, strides[NPY_MAXDIMS] = {0}, start = 0;
    Py_ssize_t axes = PyTuple_GET_SIZE(node->shape), owned = PyArray_NDIM(source);
    PyObject *map = node->attr;
    int fits = axes <= NPY_MAXDIMS && map != NULL && PyTuple_Check(map) && PyTuple_GET_SIZE(map) == 2
        && PyTuple_CheckExact(PyTuple_GET_ITEM(map, 0)) && PyTuple_CheckExact(PyTuple_GET_ITEM(map, 1))
        && PyTuple_GET_SIZE(PyTuple_GET_ITEM(map, 0)) == owned
        && PyTuple_GET_SIZE(PyTuple_GET_ITEM(map, 1)) == owned;
    for (Py_ssize_t k = 0; fits && k < axes; k++) {
        shape[k] = PyLong_AsSsize_t(PyTuple_GET_ITEM(node->shape, k));
    }
    for (Py_ssize_t axis = 0; fits && axis < owned; axis++) {
        npy_intp stride = PyArray_STRIDE(source, (int)axis);
        PyObject *row = PyTuple_GET_ITEM(PyTuple_GET_ITEM(map, 1), axis);
        start += stride * PyLong_AsSsize_t(PyTuple_GET_ITEM(PyTuple_GET_ITEM(map, 0), axis));
        fits = PyTuple_CheckExact(row) && PyTuple_GET_SIZE(row) == axes;
        for (Py_ssize_t k = 0; fits && k < axes; k++) {
            strides[k] += stride * PyLong_AsSsize_t(PyTuple_GET_ITEM(row, k));
        }
    }
    if (!fits || PyErr_Occurred()) {
        PyErr_Clear();
        PyErr_SetString(PyExc_TypeError, "unsupported form of index map");
        return NULL;
    }
    PyArray_Descr *dtype = PyArray_DESCR(source);
    Py_INCREF(dtype);
    PyObject *view = PyArray_NewFromDescr(&PyArray_Type, dtype, (int)axes, shape, strides,
                                          PyArray_BYTES(source) + start, 0, NULL);
    if (view != NULL && PyArray_SetBaseObject((PyArrayObject *)view, Py_NewRef(source)) < 0) {
        Py_CLEAR(view);
    }
    return view;
}

/* Return whether a value is a new array in C order with the lengths and the dtype of a node. */
static int
takes_result(PyObject *value, const Node *node)
{
    PyArrayObject *array = (PyArrayObject *)value;
    int axes = PyArray_NDIM(array), fits = Py_REFCNT(value) == 1 && axes > 0
        && axes == PyTuple_GET_SIZE(node->shape) && (PyObject *)PyArray_DESCR(array) == node->dtype
        && PyArray_CHKFLAGS(array, NPY_ARRAY_OWNDATA | NPY_ARRAY_CARRAY);
    for (int axis = 0; fits && axis < axes; axis++) {
        fits = PyArray_DIM(array, axis) == PyLong_AsSsize_t(PyTuple_GET_ITEM(node->shape, axis));
    }
    return fits;
}

/* Return the value of a ufunc's node. An operand that nothing else uses takes the result, as a
   temporary of NumPy's does. */
static PyObject *
ufunc_value(const Operation *operation, const Node *node, PyObject **operands, Py_ssize_t count)
{
    static PyObject *out_name;
    PyObject *all[MOST_SOURCES + 1] = {NULL};
    char kind = ((PyArray_Descr *)node->dtype)->kind;
    int taker = -1, regular = operation->exact && (kind == 'f' || kind == 'i' || kind == 'u');
    for (Py_ssize_t k = 0; k < count; k++) {
        PyArrayObject *operand = (PyArrayObject *)operands[k];
        all[k + 1] = operands[k];
        if (regular && PyArray_NDIM(operand)) {
            regular = PyArray_IS_C_CONTIGUOUS(operand);
            taker = taker < 0 && takes_result(operands[k], node) ? (int)k : taker;
        }
    }
    if (out_name == NULL && (out_name = Py_BuildValue("(s)", "out")) == NULL) {
        return NULL;
    }
    int in_place = regular && taker >= 0;
    all[count + 1] = in_place ? operands[taker] : NULL;
    PyObject *result = PyObject_Vectorcall(operation->ufunc, all + 1,
                                           (size_t)count | PY_VECTORCALL_ARGUMENTS_OFFSET,
                                           in_place ? out_name : NULL);
    if (result != NULL && !PyArray_CheckExact(result)) {
        PyObject *array = PyArray_FROM_O(result);
        Py_DECREF(result);
        result = array;
    }
    return result;
}

static PyObject *
function_value(const Node *node, PyObject **operands, Py_ssize_t count)
{
    PyObject *all[MOST_SOURCES + 2] = {NULL, (PyObject *)node};
    PyObject *evaluate = PyObject_GetAttr(node->op, str_evaluate), *result = NULL;
    memcpy(all + 2, operands, (size_t)count * sizeof(PyObject *));
    if (evaluate != NULL) {
        result = PyObject_Vectorcall(evaluate, all + 1,
                                     (size_t)(count + 1) | PY_VECTORCALL_ARGUMENTS_OFFSET, NULL);
        Py_DECREF(evaluate);
    }
    if (result != NULL && !PyArray_CheckExact(result)) {
        Py_CLEAR(result);
        PyErr_SetString(PyExc_TypeError, "the operation returned no array");
    }
    return result;
}

/* Return whether a warning is to be issued of any element: -1 with an error. */
static int
warns_of_any(PyObject *where)
{
    PyObject *any = PyArray_Any((PyArrayObject *)where, NPY_RAVEL_AXIS, NULL);
    int result = any == NULL ? -1 : PyObject_IsTrue(any);
    Py_XDECREF(any);
    return result;
}

/* Let what is made later of a node within an expression begin with its value, if anything else refers to
   it: an array of the program, or another expression. Return -1 with an error. */
static int
keep_in_use(const Values *values, Py_ssize_t place, PyObject *value)
{
    Node *node = values->node[place];
    if (!place || Py_REFCNT(node) <= values->edges[place] || !PyTuple_GET_SIZE(node->shape)
        || node->stored != NULL) {
        return 0;
    }
    PyObject *pair[2] = {(PyObject *)node, value};
    PyObject *none = PyObject_Vectorcall(needed.keep_value, pair, 2, NULL);
    Py_XDECREF(none);
    return none == NULL ? -1 : 0;
}

/* Return the value of a node, a new reference; NULL with an error. */
static PyObject *
value_at(Values *values, Py_ssize_t place)
{
    int left = --values->uses[place];
    PyObject *result = values->value[place];
    if (result != NULL) {
        values->value[place] = left ? Py_NewRef(result) : NULL;
        return result; /* so that what takes it last may write over it */
    }
    Node *node = values->node[place];
    node = node->stored == NULL ? node : (Node *)node->stored;
    const Operation *entry = operation_of(node->op);
    if (entry == NULL) {
        return NULL;
    }
    Operation operation = *entry; /* the table may have another one there later */
    Py_ssize_t count = PyTuple_GET_SIZE(node->src), known = 0;
    PyObject *operands[MOST_SOURCES];
    if (!count) {
        result = node->op == state.leaf_op ? leaf_value(node) : constant_value(node);
    }
    while (count && known < count && count <= MOST_SOURCES) {
        Py_ssize_t source = place_among(values, (Node *)PyTuple_GET_ITEM(node->src, known));
        operands[known] = source < values->count ? value_at(values, source) : NULL;
        if (operands[known] == NULL) {
            break;
        }
        known++;
    }
    if (count && known == count) {
        int warns = operation.warns && count > 1 ? warns_of_any(operands[1]) : 0;
        if (warns > 0) {
            PyErr_SetNone(PyExc_FloatingPointError);
        }
        result = warns ? NULL
            : operation.kind == VIEW_KIND ? view_value(node, (PyArrayObject *)operands[0])
            : operation.ufunc != NULL ? ufunc_value(&operation, node, operands, count)
                                      : function_value(node, operands, count);
        if (result != NULL && operation.kind != VIEW_KIND && node->memo == NULL) {
            node->memo = Py_NewRef(needed.computed); /* who computes it again stores it */
        }
        if (result != NULL && operation.ufunc != NULL && keep_in_use(values, place, result) < 0) {
            Py_CLEAR(result);
        }
    }
    for (Py_ssize_t k = 0; k < known; k++) {
        Py_DECREF(operands[k]);
    }
    if (result != NULL && left) {
        values->value[place] = Py_NewRef(result);
    }
    if (result == NULL && !PyErr_Occurred()) {
        PyErr_SetString(PyExc_TypeError, "too many operands of an operation");
    }
    return result;
}

/* Return a value in memory of its own, a number if it has no axes. Its reference is taken. */
static PyObject *
owned_value(PyObject *value)
{
    PyArrayObject *array = (PyArrayObject *)value;
    if (!PyArray_NDIM(array)) {
        return PyArray_Return(array);
    }
    if (PyArray_BASE(array) == NULL
        && PyArray_CHKFLAGS(array, NPY_ARRAY_OWNDATA | NPY_ARRAY_WRITEABLE)) {
        return value;
    }
    PyObject *base = PyArray_BASE(array);
    if (base != NULL && PyArray_CheckExact(base) && Py_REFCNT(base) == 1 && PyArray_BASE((PyArrayObject *)base) == NULL) {
        return without_base(array); /* a copy in another shape */
    }
    PyObject *copy = PyArray_NewCopy(array, NPY_KEEPORDER);
    Py_DECREF(value);
    return copy;
}

/* Return the value of an expression that has to be computed now, if NumPy is the faster way; NULL
   without an error: it is not, or meets what NumPy would warn of. */
static PyObject *
cheap_value(Node *root)
{
    Values values;
    int few = is_of_few_bytes(&values, root);
    PyObject *token = few > 0 ? PyContextVar_Set(state.error_state, needed.raising) : NULL;
    if (token == NULL) {
        return NULL;
    }
    PyObject *before = begin_blocks(values.largest);
    PyObject *result = value_at(&values, 0), *type, *error, *traceback;
    result = result == NULL ? NULL : owned_value(result);
    end_blocks(before);
    for (Py_ssize_t k = 0; k < values.count; k++) {
        Py_XDECREF(values.value[k]);
    }
    PyErr_Fetch(&type, &error, &traceback);
    int failed = PyContextVar_Reset(state.error_state, token);
    Py_DECREF(token);
    if (failed) {
        Py_CLEAR(result);
        Py_XDECREF(type);
        Py_XDECREF(error);
        Py_XDECREF(traceback);
        return NULL;
    }
    PyErr_Restore(type, error, traceback);
    if (result == NULL && PyErr_ExceptionMatches(needed.caught)) {
        PyErr_Clear(); /* as an expression it warns or raises when it is evaluated */
    }
    return result;
}
