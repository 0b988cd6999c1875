/* Expressions of numpy.where with three operands: their like was built before by Python's form, see building.h. */

typedef struct {
    PyObject *keys[3];      /* the dtypes of arrays, and the types of numbers of Python's */
    PyObject *op, *dtype;   /* of the result */
    PyObject *constants[3]; /* dtypes that the numbers take */
} Choice;

static Choice choices[CHOICES];

static Choice *
choice_of(PyObject *const *keys)
{
    size_t hash = 0;
    for (int k = 0; k < 3; k++) {
        hash = (hash ^ ((size_t)keys[k] >> 4)) * (SIZE_MAX / 1618 * 1000 | 1);
    }
    return &choices[(hash >> 40) % CHOICES];
}

/* Fill in the nodes of arrays, and what the operands are known by; return whether one is an expression and none
   is anything else than an array or a number, -1 with an error. */
static int
choice_operands(PyObject *const *args, Node **operands, PyObject **keys)
{
    int any = 0;
    for (int k = 0; k < 3; k++) {
        if (k && is_number(args[k])) {
            keys[k] = (PyObject *)Py_TYPE(args[k]);
            continue;
        }
        Array *array = (Array *)args[k];
        any |= is_array(args[k]) && array->memory == NULL && !array->is_double;
        if ((operands[k] = expression_of(args[k])) == NULL) {
            return PyErr_Occurred() ? -1 : 0;
        }
        keys[k] = operands[k]->dtype;
    }
    return any;
}

/* Return the lengths that the operands broadcast to, a new reference; NULL without an error: Python has to see to it. */
static PyObject *
choice_shape(Node **operands, Py_ssize_t most)
{
    PyObject *shape = Py_NewRef(operands[0]->shape);
    for (int k = 1; k < 3 && shape != NULL; k++) {
        int equal = operands[k] == NULL ? 1 : PyObject_RichCompareBool(shape, operands[k]->shape, Py_EQ);
        if (equal <= 0) {
            Py_SETREF(shape, equal < 0 ? NULL : broadcast_shape(shape, operands[k]->shape, 0));
        }
    }
    double size = 1;
    for (Py_ssize_t axis = 0; shape != NULL && axis < PyTuple_GET_SIZE(shape); axis++) {
        PyObject *length = PyTuple_GET_ITEM(shape, axis);
        size *= PyLong_CheckExact(length) ? (double)PyLong_AsSsize_t(length) : 0;
    }
    if (shape != NULL && size <= (double)most) {
        Py_CLEAR(shape); /* which may be computed now */
    }
    return shape;
}

/* Return a choice whose like was built before; NULL without an error: Python has to see to it. */
static PyObject *
built_choice(PyObject *const *args)
{
    Py_ssize_t most;
    Node *operands[3] = {NULL};
    PyObject *keys[3] = {NULL}, *shape = NULL, *line = NULL, *result = NULL;
    if (!may_build(&most) || choice_operands(args, operands, keys) <= 0) {
        goto done;
    }
    Choice known = *choice_of(keys);
    if (known.op == NULL || memcmp(known.keys, keys, sizeof(keys)) != 0) {
        goto done;
    }
    /* Another thread may have another one there later. */
    Py_INCREF(known.op);
    Py_INCREF(known.dtype);
    for (int k = 0; k < 3; k++) {
        Py_XINCREF(known.constants[k]);
    }
    shape = choice_shape(operands, most);
    for (int k = 1; k < 3 && shape != NULL; k++) {
        if (operands[k] != NULL) {
            continue;
        }
        int overflow = 0;
        long number = PyLong_CheckExact(args[k]) ? PyLong_AsLongAndOverflow(args[k], &overflow) : 0;
        /* Of other integers the dtype may not have them. */
        operands[k] = overflow || number < 0 || number > 127 ? NULL : (Node *)constant_node(args[k], known.constants[k]);
        if (operands[k] == NULL) {
            Py_CLEAR(shape);
        }
    }
    line = shape == NULL ? NULL : current_line();
    if (shape != NULL && !PyErr_Occurred()) {
        result = array_of(state.nodes->build(known.op, operands, 3, known.dtype, shape, NULL, line));
    }
    Py_DECREF(known.op);
    Py_DECREF(known.dtype);
    for (int k = 0; k < 3; k++) {
        Py_XDECREF(known.constants[k]);
    }
done:
    Py_XDECREF(shape);
    Py_XDECREF(line);
    for (int k = 0; k < 3; k++) {
        Py_XDECREF(operands[k]);
    }
    return result;
}

/* Remember what Python's form has made of a choice, if that is the operation itself on its operands. */
static void
learn_choice(PyObject *const *args, PyObject *result)
{
    Node *node = state.nodes != NULL && result != NULL && is_array(result) ? (Node *)((Array *)result)->node : NULL;
    if (node == NULL || Py_TYPE(node) != state.nodes->type || node->attr != NULL || PyTuple_GET_SIZE(node->src) != 3) {
        return;
    }
    Node *operands[3] = {NULL};
    PyObject *keys[3] = {NULL}, *constants[3] = {NULL};
    int same = choice_operands(args, operands, keys) > 0;
    for (int k = 0; k < 3; k++) {
        Node *source = (Node *)PyTuple_GET_ITEM(node->src, k);
        same = same && (operands[k] == NULL ? source->op == state.constant_op : source == operands[k]);
        constants[k] = operands[k] == NULL ? source->dtype : NULL;
    }
    if (same) {
        Choice *place = choice_of(keys), before = *place;
        place->op = Py_NewRef(node->op);
        place->dtype = Py_NewRef(node->dtype);
        for (int k = 0; k < 3; k++) {
            place->keys[k] = Py_NewRef(keys[k]);
            place->constants[k] = Py_XNewRef(constants[k]);
        }
        Py_XDECREF(before.op);
        Py_XDECREF(before.dtype);
        for (int k = 0; k < 3; k++) {
            Py_XDECREF(before.keys[k]);
            Py_XDECREF(before.constants[k]);
        }
    }
    PyErr_Clear();
    for (int k = 0; k < 3; k++) {
        Py_XDECREF(operands[k]);
    }
}

/* Return whether a call is numpy.where of three operands. */
static inline int
is_choice(Call *call, Py_ssize_t count, PyObject *names)
{
    return count == 3 && names == NULL
        && PyDict_GetItemWithError(state.calls, PyTuple_GET_ITEM(state.places, 0)) == (PyObject *)call;
}

/* Return the result of a call that Python's form answers, unless it is a choice whose like was built before. */
static PyObject *
slow_call(Call *call, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    int chooses = is_choice(call, count, names);
    PyObject *result = chooses ? built_choice(args) : NULL;
    if (result == NULL && !PyErr_Occurred()) {
        result = PyObject_Vectorcall(call->slow, args, count, names);
        if (chooses) {
            learn_choice(args, result);
        }
    }
    return result;
}
