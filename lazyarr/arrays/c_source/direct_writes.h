/* Writes of one operation that NumPy computes straight in its place.

   `y[1:] = a[1:] - a[:-1]` is computed by NumPy in memory of its own, which is then copied. The operation is known
   here when its value is written, and its ufunc takes the place as its output. An exception that is met there may not
   become an error, as the place is written by then; a warning comes from the value as an expression, which is then
   written again. So operands lie elsewhere. */

/* Return whether a node has the lengths and the dtype of an array, and as many bytes as pay. */
static int
fits_place(const Node *root, PyArrayObject *part)
{
    int axes = PyArray_NDIM(part);
    int fits = PyArray_ISBEHAVED(part) && axes == PyTuple_GET_SIZE(root->shape)
        && PyArray_EquivTypes(PyArray_DESCR(part), (PyArray_Descr *)root->dtype)
        && (size_t)PyArray_NBYTES(part) >= LEAST_POOLED;
    for (int axis = 0; fits && axis < axes; axis++) {
        fits = PyArray_DIM(part, axis) == PyLong_AsSsize_t(PyTuple_GET_ITEM(root->shape, axis));
    }
    return fits && !PyErr_Occurred();
}

/* Return whether a function of Python's says so of a node, or of nothing; -1 with an error. */
static int
is_said(PyObject *function, PyObject *node)
{
    PyObject *answer = node == NULL ? PyObject_CallNoArgs(function) : PyObject_CallOneArg(function, node);
    Py_XDECREF(answer);
    return answer == NULL ? -1 : answer == Py_True;
}

/* Let the ufunc of a node write its value to an array; return whether it did, -1 with an error. */
static int
compute_into(Node *root, PyObject *ufunc, PyArrayObject *part)
{
    static PyObject *out_name;
    PyObject *all[MOST_SOURCES + 2] = {NULL};
    Py_ssize_t count = PyTuple_GET_SIZE(root->src), known = 0;
    Values values;
    int few = count > MOST_SOURCES ? 0 : is_of_few_bytes(&values, root), apart = 1;
    if (out_name == NULL && (out_name = Py_BuildValue("(s)", "out")) == NULL) {
        return -1;
    }
    PyObject *token = few > 0 ? PyContextVar_Set(state.error_state, needed.raising) : NULL;
    if (token == NULL) {
        return PyErr_Occurred() ? -1 : 0;
    }
    while (known < count && apart) {
        PyObject *operand = value_at(&values, place_among(&values, (Node *)PyTuple_GET_ITEM(root->src, known)));
        if (operand == NULL) {
            break;
        }
        apart = PyArray_CheckExact(operand) && !overlaps((PyArrayObject *)operand, part);
        all[++known] = operand;
    }
    PyObject *result = NULL;
    if (known == count && apart) {
        all[count + 1] = (PyObject *)part;
        result = PyObject_Vectorcall(ufunc, all + 1, (size_t)count | PY_VECTORCALL_ARGUMENTS_OFFSET, out_name);
    }
    for (Py_ssize_t k = 0; k < values.count; k++) {
        Py_XDECREF(values.value[k]);
    }
    for (Py_ssize_t k = 1; k <= known; k++) {
        Py_DECREF(all[k]);
    }
    PyObject *type, *error, *traceback;
    PyErr_Fetch(&type, &error, &traceback);
    int failed = PyContextVar_Reset(state.error_state, token);
    Py_DECREF(token);
    if (failed) {
        Py_XDECREF(type);
        Py_XDECREF(error);
        Py_XDECREF(traceback);
        Py_XDECREF(result);
        return -1;
    }
    PyErr_Restore(type, error, traceback);
    int written = result != NULL;
    Py_XDECREF(result);
    if (!written && PyErr_Occurred()) {
        if (!PyErr_ExceptionMatches(needed.caught)) {
            return -1;
        }
        PyErr_Clear(); /* as an expression it warns */
    }
    return written;
}

/* Let NumPy write the value of one operation that nothing else refers to straight to what a basic index chooses;
   return 1 if it did, 0 if not, -1 with an error. */
static int
write_one_pass(Array *array, PyObject *key, PyObject *value, Py_ssize_t most)
{
    if (!is_pending(value) || Py_REFCNT(value) > 1 || !is_basic(key) || is_lent(value)) {
        return 0;
    }
    Node *root = (Node *)((Array *)value)->node;
    const Operation *operation = operation_of(root->op);
    char kind = ((PyArray_Descr *)root->dtype)->kind;
    if (operation == NULL || operation->kind != ELEMENTWISE_KIND || operation->ufunc == NULL || !operation->exact
        || root->stored != NULL || kind == 'c') {
        return operation == NULL ? -1 : 0;
    }
    PyObject *ufunc = operation->ufunc;
    PyArrayObject *target = writable_memory(array);
    int passes = target == NULL || PyArray_SIZE(target) <= most ? 0 : is_one_pass(root);
    if (passes <= 0 || (!writes_part(array, key, value) && size_of(root) > most * state.built)) {
        return passes < 0 ? -1 : 0;
    }
    Py_INCREF(target);
    PyObject *part = PyObject_GetItem((PyObject *)target, key);
    int written = part != NULL && PyArray_CheckExact(part) && fits_place(root, (PyArrayObject *)part);
    if (part == NULL) {
        PyErr_Clear(); /* what is wrong with the index is said when the value is written */
    }
    if (written > 0) {
        written = is_said(needed.allowed, (PyObject *)root);
    }
    if (written > 0 && kind == 'f') {
        int raises = is_said(needed.may_raise, NULL);
        written = raises < 0 ? -1 : !raises;
    }
    if (written > 0) {
        written = compute_into(root, ufunc, (PyArrayObject *)part);
    }
    if (written > 0) {
        note_written(array);
        written = wrote(array, (PyObject *)target) < 0 ? -1 : 1;
    }
    Py_XDECREF(part);
    Py_DECREF(target);
    return written;
}

/* reads_others(node, array): whether few nodes show that an expression reads memory in other places than an array's. */
static PyObject *
reads_others(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t passed)
{
    if (passed != 2 || state.nodes == NULL || Py_TYPE(args[0]) != state.nodes->type || !PyArray_CheckExact(args[1])) {
        return PyErr_Format(PyExc_TypeError, "expected a node and an ndarray");
    }
    Node *order[MOST_VALUES] = {(Node *)args[0]};
    Py_ssize_t count = 1;
    int others = 1;
    for (Py_ssize_t k = 0; k < count && others > 0; k++) {
        Node *node = order[k]->stored == NULL ? order[k] : (Node *)order[k]->stored;
        if (node->op == state.leaf_op) {
            others = node->attr == NULL ? 0 : PySet_Contains(state.hosted, (PyObject *)Py_TYPE(node->attr));
            PyObject *memory = others > 0 ? leaf_value(node) : NULL;
            others = memory != NULL && !overlaps((PyArrayObject *)memory, (PyArrayObject *)args[1]);
            Py_XDECREF(memory);
        }
        for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(node->src) && others > 0; i++) {
            others = add_once(order, &count, (Node *)PyTuple_GET_ITEM(node->src, i));
        }
    }
    return PyErr_Occurred() ? NULL : PyBool_FromLong(others);
}
