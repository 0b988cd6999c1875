/* Squares, and reductions with what is computed before and behind them, whose like was built before. */

/* Squares: which operation a power is depends on its exponent, so that they are remembered on their own: as
   another operation of one operand, or as one of the exponent's node. */

/* Return the square of an expression whose like was built before; NULL without an error: Python has
   to see to it. */
static PyObject *
built_square(PyObject *op, PyObject *x)
{
    Py_ssize_t most;
    if (!may_build(&most) || !is_waited_for(x, most)) {
        return NULL;
    }
    Node *operand = expression_of(x);
    PyObject *result = NULL;
    const Form *form = operand == NULL ? NULL : form_of(op, operand->dtype, integer_two);
    if (form != NULL && is_form(form, op, operand->dtype, integer_two)
        && size_of(operand) > most) {
        PyObject *square = Py_NewRef(form->constant), *dtype = Py_NewRef(form->dtype);
        PyObject *line = current_line();
        int has_exponent = Py_TYPE(square) == state.nodes->type;
        Node *operands[2] = {operand, has_exponent ? (Node *)square : NULL};
        result = PyErr_Occurred() ? NULL
            : array_of(state.nodes->build(has_exponent ? op : square, operands, 1 + has_exponent, dtype,
                                          operand->shape, NULL, line));
        Py_XDECREF(line);
        Py_DECREF(square);
        Py_DECREF(dtype);
    }
    Py_XDECREF(operand);
    return result;
}

/* Remember what Python's form has made of a square. */
static void
learn_square(PyObject *op, PyObject *x, PyObject *Py_UNUSED(two), PyObject *result)
{
    Node *node = result == NULL || !is_array(result) ? NULL : (Node *)((Array *)result)->node;
    if (node == NULL || state.nodes == NULL || Py_TYPE(node) != state.nodes->type
        || !PyTuple_GET_SIZE(node->src) || node->attr != NULL || !is_array(x)) {
        return;
    }
    Node *source = (Node *)PyTuple_GET_ITEM(node->src, 0);
    PyObject *operation = node->op;
    if (PyTuple_GET_SIZE(node->src) > 1) {
        operation = PyTuple_GET_ITEM(node->src, 1);
        if (node->op != op || ((Node *)operation)->op != state.constant_op) {
            return;
        }
    }
    if (is_expression(x, source) && PyObject_RichCompareBool(source->shape, node->shape, Py_EQ) == 1) {
        PyObject *keys[2] = {source->dtype, integer_two}, *casts[2] = {NULL};
        set_form(op, keys, node->dtype, operation, casts);
    }
    PyErr_Clear();
}

/* Reductions, and what is computed before and behind them: a cast, a division by the number of
   elements. */

/* Return the key of a call in its table; NULL without an error: it is none that is remembered. */
static PyObject *
key_of_call(Node *operand, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    Py_ssize_t total = count + (names == NULL ? 0 : PyTuple_GET_SIZE(names));
    for (Py_ssize_t i = 1; i < total; i++) {
        int keeps = i >= count && PyBool_Check(args[i])
            && PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(names, i - count), "keepdims") == 0;
        if (args[i] != Py_None && !PyLong_CheckExact(args[i]) && !keeps) {
            return NULL;
        }
    }
    PyObject *key = PyTuple_New(total + 2);
    if (key != NULL) {
        PyTuple_SET_ITEM(key, 0, Py_NewRef(operand->dtype));
        PyTuple_SET_ITEM(key, 1, Py_NewRef(operand->shape));
        PyTuple_SET_ITEM(key, 2, Py_NewRef(names == NULL ? Py_None : names));
        for (Py_ssize_t i = 1; i < total; i++) {
            PyTuple_SET_ITEM(key, i + 2, Py_NewRef(args[i]));
        }
    }
    return key;
}

/* Nodes of a reduction that a callable remembers. */
#define MOST_STEPS 4

/* Return the steps from an operand to a reduction, as op, dtype, shape, attribute and a constant that
   is the second operand; NULL without an error: there are others. */
static PyObject *
steps_of(Node *node, Node *operand)
{
    PyObject *steps = PyList_New(0);
    int reduces = 0;
    while (steps != NULL && node != operand) {
        Py_ssize_t count = PyTuple_GET_SIZE(node->src);
        Node *constant = count == 2 ? (Node *)PyTuple_GET_ITEM(node->src, 1) : NULL;
        PyObject *kind = PyObject_GetAttr(node->op, str_kind);
        reduces |= kind == state.reduce;
        Py_XDECREF(kind);
        int fits = kind != NULL && (count == 1 || count == 2) && node->stored == NULL
            && PyList_GET_SIZE(steps) < MOST_STEPS
            && (constant == NULL || constant->op == state.constant_op);
        PyObject *step = !fits ? NULL
            : PyTuple_Pack(5, node->op, node->dtype, node->shape,
                           node->attr == NULL ? Py_None : node->attr,
                           constant == NULL ? Py_None : (PyObject *)constant);
        if (step == NULL || PyList_Append(steps, step) < 0) {
            Py_CLEAR(steps);
        }
        Py_XDECREF(step);
        node = fits ? (Node *)PyTuple_GET_ITEM(node->src, 0) : operand;
    }
    if (steps == NULL || !reduces || PyList_Reverse(steps) < 0) {
        Py_XDECREF(steps);
        return NULL;
    }
    PyObject *tuple = PyList_AsTuple(steps);
    Py_DECREF(steps);
    return tuple;
}

/* Return the array of steps from an operand. */
static PyObject *
taken_steps(PyObject *steps, Node *operand)
{
    PyObject *line = current_line();
    PyObject *node = PyErr_Occurred() ? NULL : Py_NewRef((PyObject *)operand);
    for (Py_ssize_t k = 0; node != NULL && k < PyTuple_GET_SIZE(steps); k++) {
        PyObject *const *step = &PyTuple_GET_ITEM(PyTuple_GET_ITEM(steps, k), 0);
        Node *src[2] = {(Node *)node, (Node *)step[4]};
        PyObject *next = state.nodes->build(step[0], src, step[4] == Py_None ? 1 : 2, step[1],
                                            step[2], step[3] == Py_None ? NULL : step[3], line);
        Py_DECREF(node);
        node = next;
    }
    Py_XDECREF(line);
    return array_of(node);
}

/* Return a call whose result is a reduction that was built before, or build and remember it. */
static PyObject *
reduced(PyObject **table, PyObject *slow, PyObject *const *args, Py_ssize_t count,
        PyObject *names)
{
    Py_ssize_t most;
    if (count < 1 || !may_build(&most) || !is_waited_for(args[0], most)) {
        return NULL;
    }
    Node *operand = expression_of(args[0]);
    if (operand == NULL || size_of(operand) <= most) {
        Py_XDECREF(operand);
        return NULL;
    }
    PyObject *result = NULL, *key = key_of_call(operand, args, count, names);
    if (key == NULL || (*table == NULL && (*table = PyDict_New()) == NULL)) {
        goto done;
    }
    PyObject *steps = PyDict_GetItemWithError(*table, key);
    if (steps != NULL) {
        Py_INCREF(steps);
        result = taken_steps(steps, operand);
        Py_DECREF(steps);
        goto done;
    }
    if (PyErr_Occurred()) {
        goto done;
    }
    result = PyObject_Vectorcall(slow, args, count, names);
    if (result != NULL && is_array(result) && ((Array *)result)->owner == NULL
        && ((Array *)result)->memory == NULL && ((Array *)result)->node != NULL
        && Py_TYPE(((Array *)result)->node) == state.nodes->type) {
        if ((steps = steps_of((Node *)((Array *)result)->node, operand)) != NULL) {
            if (PyDict_GET_SIZE(*table) >= MOST_REDUCTIONS) {
                PyDict_Clear(*table);
            }
            if (PyDict_SetItem(*table, key, steps) < 0) {
                Py_CLEAR(result);
            }
            Py_DECREF(steps);
        }
        else if (PyErr_Occurred()) {
            Py_CLEAR(result);
        }
    }
done:
    Py_XDECREF(key);
    Py_DECREF(operand);
    return result;
}
