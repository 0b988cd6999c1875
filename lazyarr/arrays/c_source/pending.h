/* Pending arrays whose values are needed now: they come to lie in memory. */

/* Return whether an array owns its elements and is an expression that has no value in memory yet. */
static inline int
is_pending(PyObject *x)
{
    Array *array = (Array *)x;
    return is_array(x) && array->memory == NULL && !array->is_double && array->owner == NULL
        && array->node != NULL && state.nodes != NULL && Py_TYPE(array->node) == state.nodes->type
        && PyTuple_GET_SIZE(((Node *)array->node)->src);
}

/* Let an array stand for memory (whose reference is taken) instead of its node. `leaf` and `view_nodes`, whose
   references are taken, too, are NULL, or the leaf of the memory and the nodes of its views. */
static void
hold(Array *array, PyObject *memory, PyObject *leaf, PyObject *view_nodes)
{
    PyObject *before[] = {array->node, array->view_nodes, array->operation, array->left, array->right,
                          array->history};
    array->operation = array->left = array->right = array->history = NULL;
    array->node = leaf;
    array->view_nodes = view_nodes;
    array->past = (PyArray_CheckExact(memory) ? PyArray_SIZE((PyArrayObject *)memory) : 1) >> PAST_BITS;
    array->memory = memory;
    for (size_t k = 0; k < Py_ARRAY_LENGTH(before); k++) {
        Py_XDECREF(before[k]);
    }
}

/* Return whether a view of an array in C order has its axes in the order of their strides, as
   _keeps_order of storage.py does. */
static int
keeps_order(PyObject *map)
{
    PyObject *rows = PyTuple_Check(map) && PyTuple_GET_SIZE(map) == 2 ? PyTuple_GET_ITEM(map, 1) : NULL;
    Py_ssize_t last = -1;
    for (Py_ssize_t k = 0; rows != NULL && PyTuple_CheckExact(rows) && k < PyTuple_GET_SIZE(rows); k++) {
        PyObject *row = PyTuple_GET_ITEM(rows, k);
        Py_ssize_t along = -1;
        for (Py_ssize_t axis = 0; PyTuple_CheckExact(row) && axis < PyTuple_GET_SIZE(row); axis++) {
            Py_ssize_t factor = PyLong_AsSsize_t(PyTuple_GET_ITEM(row, axis));
            if (factor && (along >= 0 || axis <= last || factor < 0)) {
                PyErr_Clear();
                return 0;
            }
            along = factor ? axis : along;
        }
        last = along >= 0 ? along : last;
    }
    return rows != NULL && PyTuple_CheckExact(rows);
}

/* Add a node to a list of at most MOST_VALUES that lacks it; return 0 if there is no room. */
static inline int
add_once(Node **order, Py_ssize_t *count, Node *node)
{
    Py_ssize_t place = 0;
    while (place < *count && order[place] != node) {
        place++;
    }
    if (place == MOST_VALUES) {
        return 0;
    }
    if (place == *count) {
        order[(*count)++] = node;
    }
    return 1;
}

/* Return whether an order was noted for an early result, whose memory need not show that of NumPy's array. */
static int
has_noted_order(PyObject *leaf)
{
    PyObject *order = PyObject_GetAttrString(leaf, "order");
    Py_XDECREF(order);
    return order != Py_None;
}

/* Return whether a value of two axes and more lies as NumPy's array would: in C order, as
   _all_in_c_order of storage.py says, or because NumPy has computed it of what lies so. 0 also where
   Python has to see to it. `known`: a source that lies so, or NULL. */
static int
lies_as_in_numpy(Node *root, int in_order, int by_numpy, Node *known)
{
    Node *order[MOST_VALUES] = {root};
    Py_ssize_t count = 1;
    for (Py_ssize_t k = 0; k < count; k++) {
        Node *node = order[k];
        const Operation *operation = operation_of(node->op);
        if (operation == NULL || (k == 0 && operation->kind == VIEW_KIND)) {
            PyErr_Clear();
            return 0;
        }
        if (node->attr != NULL && node->op == state.leaf_op) {
            PyObject *may_be_any = PyDict_GetItemWithError(needed.laid, (PyObject *)Py_TYPE(node->attr));
            PyObject *memory = may_be_any == NULL ? NULL : PyObject_GetAttr(node->attr, str_array);
            int plain = memory != NULL && PyArray_CheckExact(memory);
            int in_c_order = plain && PyArray_IS_C_CONTIGUOUS((PyArrayObject *)memory);
            Py_XDECREF(memory);
            if (!plain || (may_be_any != Py_True && !in_c_order)
                || (may_be_any == Py_None && has_noted_order(node->attr))) {
                PyErr_Clear();
                return 0;
            }
            in_order &= in_c_order;
        }
        int computes = operation->kind == ELEMENTWISE_KIND;
        if (PyTuple_GET_SIZE(node->src) && operation->kind != VIEW_KIND && !computes) {
            return 0;
        }
        in_order = in_order && (operation->kind != VIEW_KIND || keeps_order(node->attr));
        by_numpy = by_numpy && node->stored == NULL && (!computes || operation->ufunc != NULL);
        if (!in_order && !by_numpy) {
            return 0;
        }
        for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(node->src); i++) {
            Node *source = (Node *)PyTuple_GET_ITEM(node->src, i);
            if (source != known && !add_once(order, &count, source)) {
                return 0;
            }
        }
    }
    return 1;
}

/* Return whether a value is made of memory, as far as few nodes show: plans refer to the nodes of what
   is made of constants alone. */
static int
begins_in_memory(Node *root)
{
    Node *order[MOST_VALUES] = {root};
    Py_ssize_t count = 1;
    for (Py_ssize_t k = 0; k < count; k++) {
        if (order[k]->op == state.leaf_op) {
            return 1;
        }
        for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(order[k]->src) && count < MOST_VALUES; i++) {
            order[count++] = (Node *)PyTuple_GET_ITEM(order[k]->src, i);
        }
    }
    return 0;
}

/* Let an array stand for the value (whose reference is taken) of its node, and what is made of the node begin
   with that memory. The leaf, if it is not NULL, is made before: another thread may write to memory. */
static void
hold_for_others(Array *array, Node *node, PyObject *value, PyObject *leaf)
{
    PyObject *view_nodes = leaf == NULL ? NULL : PyDict_New();
    if (view_nodes == NULL) {
        PyErr_Clear(); /* what is made of the node computes it again */
        hold(array, value, NULL, NULL);
        return;
    }
    if (node->stored == NULL) {
        node->stored = Py_NewRef(leaf);
    }
    hold(array, value, Py_NewRef(leaf), view_nodes);
}

/* Return whether the value of a pending array is for others, too, and too small to be shared with them:
   Python keeps it with its node then. */
static inline int
is_kept_small(PyObject *x)
{
    Node *node = (Node *)((Array *)x)->node;
    Py_ssize_t size = size_of(node); /* what a limit runs may let another thread compute it */
    return Py_REFCNT(node) > 1 && size <= limit_now();
}

/* Return whether an array has one axis, along which its elements lie side by side. */
static inline int
is_vector(PyObject *value)
{
    PyArrayObject *array = (PyArrayObject *)value;
    return PyArray_NDIM(array) == 1 && PyArray_IS_C_CONTIGUOUS(array);
}

static int is_in_c_order(Array *array, Node *node);

/* Let a pending array have its value in memory, where nothing speaks against it; -1 with an error. */
static int
compute_pending(PyObject *x)
{
    Array *array = (Array *)x;
    Py_ssize_t most = limit_now();
    Node *node = (Node *)array->node;
    if (most <= 0 || !is_pending(x) || node->stored != NULL || !is_known((PyArray_Descr *)node->dtype)) {
        return PyErr_Occurred() ? -1 : 0;
    }
    Py_INCREF(node); /* another thread may compute it meanwhile */
    PyObject *allowed = PyObject_CallOneArg(needed.allowed, (PyObject *)node);
    Py_XDECREF(allowed);
    if (allowed != Py_True || array->node != (PyObject *)node) {
        Py_DECREF(node);
        return allowed == NULL ? -1 : 0;
    }
    PyObject *value = cheap_value(node);
    int is_cheap = value != NULL, has_its_layout = 1, is_noted = 0;
    if (array->layout != NULL && !PyErr_Occurred()) { /* it was written to, and lies as it did then */
        is_noted = is_in_c_order(array, node) <= 0;
        PyErr_Clear(); /* in_order looks at it again */
    }
    if (value == NULL && !PyErr_Occurred()) {
        PyObject *pair[2] = {Py_None, x};
        has_its_layout = !is_noted && (PyTuple_GET_SIZE(node->shape) < 2 || lies_as_in_numpy(node, 1, 0, NULL));
        value = has_its_layout ? PyObject_CallOneArg(needed.evaluated, (PyObject *)node)
                        : PyObject_Vectorcall(needed.in_order, pair, 2, NULL);
        if (value != NULL && PyArray_CheckExact(value) && !PyArray_NDIM((PyArrayObject *)value)) {
            value = PyArray_Return((PyArrayObject *)value);
        }
    }
    if (has_its_layout && value != NULL && PyArray_CheckExact(value) && (is_noted || (!is_vector(value)
        && !lies_as_in_numpy(node, PyArray_IS_C_CONTIGUOUS((PyArrayObject *)value), is_cheap, NULL)))) {
        PyObject *pair[2] = {value, x};
        PyObject *ordered = PyObject_Vectorcall(needed.in_order, pair, 2, NULL);
        Py_SETREF(value, ordered);
    }
    /* Others refer to it beside the array and this function. */
    int is_shared = value != NULL && Py_REFCNT(node) > 2 && node->stored == NULL && begins_in_memory(node);
    PyObject *leaf = is_shared ? leaf_of_memory(value) : NULL;
    PyObject *none = leaf == NULL ? NULL : PyObject_CallOneArg(needed.forget, (PyObject *)node);
    int failed = value == NULL || (none == NULL && PyErr_Occurred());
    Py_XDECREF(none);
    /* Another thread may have computed it, or written to it. */
    if (!failed && array->node == (PyObject *)node && is_pending(x)) {
        hold_for_others(array, node, Py_NewRef(value), leaf);
    }
    Py_XDECREF(leaf);
    Py_DECREF(node);
    Py_XDECREF(value);
    return failed ? -1 : 1;
}

/* Return the number of references within an expression to the leaf of an array's memory; -1 with an
   error, or if the expression is long. */
static Py_ssize_t
uses_of(Node *root, PyObject *leaf)
{
    Node *order[MOST_VALUES] = {root};
    PyObject *tuples[MOST_VALUES];
    Py_ssize_t count = 1, seen = 0, uses = 0;
    for (Py_ssize_t k = 0; k < count; k++) {
        PyObject *src = order[k]->src;
        Py_ssize_t known = 0;
        while (known < seen && tuples[known] != src) {
            known++;
        }
        if (known < seen) { /* a node with a value refers to its sources, too */
            continue;
        }
        tuples[seen++] = src;
        for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(src); i++) {
            PyObject *source = PyTuple_GET_ITEM(src, i);
            uses += source == leaf;
            if (!add_once(order, &count, (Node *)source)) {
                return -1;
            }
        }
    }
    return uses;
}

/* Return whether neighbours along the last axis of what a basic index chooses lie apart; `key`: NULL for all. */
static int
chooses_apart(PyObject *memory, PyObject *key)
{
    PyArrayObject *array = (PyArrayObject *)memory;
    int axes = PyArray_NDIM(array);
    if (axes && PyArray_STRIDE(array, axes - 1) != PyArray_ITEMSIZE(array)) {
        return 1;
    }
    PyObject *const *items = key == NULL || PyTuple_CheckExact(key) ? NULL : &key;
    Py_ssize_t count = items != NULL;
    if (key != NULL && items == NULL) {
        items = &PyTuple_GET_ITEM(key, 0);
        count = PyTuple_GET_SIZE(key);
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        if (PySlice_Check(items[i]) ? ((PySliceObject *)items[i])->step != Py_None
                                    : i && i == axes - 1 && PyLong_CheckExact(items[i])) {
            return 1;
        }
    }
    return 0;
}

/* Return whether a pending value is computed on its own before it is written to a part of a large array;
   else a kernel may write it straight there, or to other memory (slice_writes.py). What has a name may
   be asked for again; what reads the array is written straight only to elements that it does not read, which
   lie between those (apart_writes.py), and other memory is for what something else sees. */
static int
is_computed_apart(Array *array, PyObject *key, PyObject *value, double straight_bytes)
{
    Node *root = (Node *)((Array *)value)->node;
    const Operation *operation = operation_of(root->op);
    if (operation == NULL) {
        return -1;
    }
    double bytes = bytes_of(root);
    int apart = chooses_apart(array->memory, key);
    if (Py_REFCNT(value) > 1 || operation->kind != ELEMENTWISE_KIND || is_lent(value)
        || (apart ? LINE_BYTES * (double)size_of(root) : bytes) < straight_bytes) {
        return 1;
    }
    Array *owner = array->owner == NULL ? array : array->owner;
    PyObject *leaf = owner->node;
    if (bytes >= needed.exchanged_bytes || leaf == NULL || owner->history == state.borrowed) {
        return 0;
    }
    Py_ssize_t uses = uses_of(root, leaf);
    return uses > 0 && !apart && Py_REFCNT(leaf) <= 1 + uses;
}

/* Return whether a pending value and all that it computes are of use to one statement alone, as is_used_once
   of slice_writes.py does; 0 also if it is long. */
static int
is_used_once(PyObject *value)
{
    Node *order[MOST_VALUES] = {(Node *)((Array *)value)->node};
    PyObject *tuples[MOST_VALUES];
    Py_ssize_t uses[MOST_VALUES] = {0}, count = 1, seen = 0;
    if (Py_REFCNT(value) > 1 || is_lent(value)) {
        return 0;
    }
    for (Py_ssize_t k = 0; k < count; k++) {
        PyObject *src = order[k]->src;
        if (order[k]->stored != NULL || !PyTuple_GET_SIZE(src)) {
            continue;
        }
        int again = 0;
        for (Py_ssize_t i = 0; i < seen; i++) {
            again |= tuples[i] == src;
        }
        tuples[seen] = src;
        seen += !again;
        for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(src); i++) {
            Node *source = (Node *)PyTuple_GET_ITEM(src, i);
            if (!add_once(order, &count, source)) {
                return 0;
            }
            for (Py_ssize_t j = 0; j < count; j++) {
                uses[j] += order[j] == source && !again;
            }
        }
    }
    for (Py_ssize_t k = 1; k < count; k++) {
        PyObject *src = order[k]->src;
        int shows = order[k]->op == state.view_op
            && !PyTuple_GET_SIZE(((Node *)PyTuple_GET_ITEM(src, 0))->src);
        if (PyTuple_GET_SIZE(src) && !shows && Py_REFCNT(order[k]) > uses[k]) {
            return 0;
        }
    }
    return 1;
}

/* Return whether a pending value is computed on its own before an operator in place takes it in, whose left
   operand is large: of the elements of a view there is no next expression. */
static int
is_operand_apart(Array *array, PyObject *value, int is_cheap)
{
    Node *root = (Node *)((Array *)value)->node;
    int alone = is_one_pass(root);
    double straight_bytes = is_spread(root) ? needed.straight_bytes : alone > 0 ? needed.alone_bytes : needed.operated_bytes;
    if (alone < 0) {
        return -1;
    }
    if (array->owner != NULL) {
        return is_computed_apart(array, NULL, value, straight_bytes);
    }
    Py_ssize_t size = PyArray_SIZE((PyArrayObject *)array->memory), most = limit_now();
    return is_cheap && bytes_of(root) < straight_bytes && size <= most * state.written
        && (size <= most * state.cheaper || is_used_once(value)); /* building the next value takes as long as the write */
}

/* Let a pending array that is about to be written to, or read element by element, have memory first, if
   it is a few bytes; return -1 with an error. */
static int
compute_written(PyObject *x)
{
    Array *array = (Array *)x;
    if (!is_pending(x) || is_kept_small(x) || array->locked != NULL || !is_pending(x)) {
        return 0; /* asked again: another thread may have computed it */
    }
    const Operation *operation = operation_of(((Node *)array->node)->op);
    if (operation == NULL) {
        return -1;
    }
    return !is_pending(x) || operation->kind == VIEW_KIND || bytes_of((Node *)array->node) > needed.written_bytes
        ? 0 : compute_pending(x);
}

/* cheap_value(node): the value of an expression of few bytes in memory of its own; else None. */
static PyObject *
cheap_value_of(PyObject *Py_UNUSED(module), PyObject *node)
{
    if (state.nodes == NULL || Py_TYPE(node) != state.nodes->type || needed.kinds == NULL) {
        return PyErr_Format(PyExc_TypeError, "expected a node");
    }
    PyObject *value = cheap_value((Node *)node);
    return value != NULL || PyErr_Occurred() ? value : Py_NewRef(Py_None);
}

/* compute_pending(array): whether an expression that owns its elements has its value in memory now. */
static PyObject *
compute_pending_of(PyObject *Py_UNUSED(module), PyObject *x)
{
    int computed = needed.kinds == NULL || !is_array(x) ? 0 : compute_pending(x);
    return computed < 0 ? NULL : PyBool_FromLong(computed);
}

/* lies_in_c_order(value): whether few nodes show that the value of an expression lies in C order. */
static PyObject *
lies_in_c_order(PyObject *Py_UNUSED(module), PyObject *value)
{
    int known = state.nodes != NULL && Py_TYPE(value) == state.nodes->type && needed.kinds != NULL
        && PyTuple_GET_SIZE(((Node *)value)->src);
    return PyBool_FromLong(known && lies_as_in_numpy((Node *)value, 1, 0, NULL));
}

/* install_values(most_bytes, number_bytes, (short_rows, repeated_factor), (terms, terms_apart, terms_matrix),
   (straight_bytes, operated_bytes, alone_bytes), exchanged_bytes, written_bytes, factors, scaled, most_nodes, most_writes, free_cost, kinds, ufuncs, exact, raising, caught, computed, allowed,
   evaluated, in_order, kept, laid, forget, may_raise): enter what decides on values that are needed. */
static PyObject *
install_values(PyObject *Py_UNUSED(module), PyObject *args)
{
    double most_bytes, number_bytes, straight_bytes, operated_bytes, alone_bytes, exchanged_bytes, written_bytes;
    Py_ssize_t factors, scaled, most_nodes, read_part, least_columns, most_writes, short_rows, terms, terms_apart, terms_matrix;
    double repeated_factor;
    long free_cost;
    PyObject *arguments[13];
    if (!PyArg_ParseTuple(args, "dd(nd)(nnn)(ddd)ddnn(nnn)nlO!O!OOOOOOOOO!OO", &most_bytes, &number_bytes,
                          &short_rows, &repeated_factor, &terms, &terms_apart, &terms_matrix, &straight_bytes,
                          &operated_bytes, &alone_bytes, &exchanged_bytes, &written_bytes, &factors, &scaled, &most_nodes,
                          &read_part, &least_columns, &most_writes,
                          &free_cost, &PyDict_Type, &arguments[0], &PyDict_Type, &arguments[1], &arguments[2],
                          &arguments[3], &arguments[4], &arguments[5], &arguments[6], &arguments[7], &arguments[8], &arguments[9],
                          &PyDict_Type, &arguments[10], &arguments[11], &arguments[12])) {
        return NULL;
    }
    PyObject **fields[] = {&needed.kinds, &needed.ufuncs, &needed.exact,
                           &needed.raising, &needed.caught, &needed.computed, &needed.allowed,
                           &needed.evaluated, &needed.in_order, &needed.keep_value, &needed.laid,
                           &needed.forget, &needed.may_raise};
    for (size_t k = 0; k < Py_ARRAY_LENGTH(fields); k++) {
        Py_XSETREF(*fields[k], Py_NewRef(arguments[k]));
    }
    needed.most_bytes = most_bytes;
    needed.number_bytes = number_bytes;
    needed.short_rows = short_rows;
    needed.repeated_factor = repeated_factor;
    needed.terms = terms;
    needed.terms_apart = terms_apart;
    needed.terms_matrix = terms_matrix;
    needed.straight_bytes = straight_bytes;
    needed.operated_bytes = operated_bytes;
    needed.alone_bytes = alone_bytes;
    needed.exchanged_bytes = exchanged_bytes;
    needed.written_bytes = written_bytes;
    needed.factors = factors;
    needed.scaled = scaled;
    needed.most_nodes = most_nodes;
    needed.read_part = read_part;
    needed.least_columns = least_columns;
    needed.most_writes = most_writes;
    needed.free_cost = free_cost;
    for (size_t k = 0; k < KNOWN_OPERATIONS; k++) {
        Py_CLEAR(known_operations[k].op);
    }
    Py_RETURN_NONE;
}
