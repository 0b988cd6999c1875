/* Views of expressions by integers, slices, new axes and an ellipsis, as getitem of indexing.py builds them.

   What a key chooses of some lengths, behind the index map that the expression may already be, Python's form
   says; it is kept by the numbers of the key. Left to Python is all that may be computed instead: an array of
   few elements, and a part that is small by itself or beside the array. */

/* What a key chooses; what is not used is zero. */
typedef struct {
    PyObject *inner; /* the index map of the expression that is read; NULL: it is none */
    npy_intp axes, parts;
    npy_intp shape[MOST_AXES];
    npy_intp chosen[2 * MOST_AXES][4]; /* kind, start, step and length of each part */
} PartKey;

typedef struct {
    PartKey key;
    PyObject *index_map; /* from the source of the node; NULL: there is none here */
    PyObject *step;      /* from the array that is read: see steps.py */
} KnownPart;

static KnownPart known_parts[VIEWS];

enum { NO_PART, CHOSEN_AXIS, SLICED_AXIS, NEW_AXIS };

/* Add the axes that an ellipsis stands for. */
static void
add_whole_axes(PartKey *part, Py_ssize_t *axis, Py_ssize_t end)
{
    for (; *axis < end; (*axis)++) {
        npy_intp *chosen = part->chosen[part->parts++];
        chosen[0] = SLICED_AXIS;
        chosen[2] = 1;
        chosen[3] = part->shape[*axis];
    }
}

/* Fill in what a key chooses, and of how many elements; return whether it is a plain one in bounds. */
static int
part_of_key(PartKey *part, PyObject *shape, PyObject *key, Py_ssize_t *elements)
{
    PyObject *const *items = PyTuple_CheckExact(key) ? &PyTuple_GET_ITEM(key, 0) : &key;
    Py_ssize_t count = PyTuple_CheckExact(key) ? PyTuple_GET_SIZE(key) : 1;
    Py_ssize_t axes = PyTuple_GET_SIZE(shape), left = axes - chosen_axes(items, count), axis = 0;
    if (axes > MOST_AXES || left < 0 || left > axes || count > MOST_AXES) {
        return 0;
    }
    part->axes = axes;
    for (Py_ssize_t k = 0; k < axes; k++) {
        PyObject *length = PyTuple_GET_ITEM(shape, k);
        if (!PyLong_CheckExact(length)) {
            return 0;
        }
        part->shape[k] = PyLong_AsSsize_t(length);
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *item = items[i];
        if (item == Py_Ellipsis) {
            add_whole_axes(part, &axis, axis + left);
            left = 0;
            continue;
        }
        npy_intp *chosen = part->chosen[part->parts++];
        if (item == Py_None) {
            chosen[0] = NEW_AXIS;
            chosen[3] = 1;
        }
        else if (PyLong_CheckExact(item)) {
            int overflow;
            long index = PyLong_AsLongAndOverflow(item, &overflow);
            index += index < 0 ? part->shape[axis] : 0;
            if (overflow || index < 0 || index >= part->shape[axis]) {
                return 0;
            }
            chosen[0] = CHOSEN_AXIS;
            chosen[1] = index;
            chosen[3] = 1;
            axis++;
        }
        else {
            Py_ssize_t start, stop, step;
            if (PySlice_Unpack(item, &start, &stop, &step) < 0) {
                PyErr_Clear();
                return 0;
            }
            chosen[0] = SLICED_AXIS;
            chosen[3] = PySlice_AdjustIndices(part->shape[axis++], &start, &stop, step);
            chosen[1] = start;
            chosen[2] = step;
        }
    }
    add_whole_axes(part, &axis, axes);
    *elements = 1;
    for (npy_intp k = 0; k < part->parts; k++) {
        *elements *= part->chosen[k][3];
    }
    return 1;
}

static KnownPart *
known_part(const PartKey *key)
{
    const npy_intp *words = (const npy_intp *)key;
    size_t hash = 0;
    for (size_t i = 0; i < offsetof(PartKey, chosen) / sizeof(npy_intp) + 4 * (size_t)key->parts; i++) {
        hash = (hash ^ (size_t)words[i]) * (SIZE_MAX / 1618 * 1000 | 1);
        hash ^= hash >> 29;
    }
    return &known_parts[hash % VIEWS];
}

/* Return whether a value may be made of few nodes of few elements, as _is_of_few of residence.py looks at them. */
static int
may_be_of_few(Node *root, Py_ssize_t most)
{
    Node *stack[MOST_VALUES] = {root}, *seen[MOST_VALUES] = {root};
    Py_ssize_t depth = 1, count = 1;
    while (depth) {
        Node *node = stack[--depth];
        if (node->stored != NULL || !PyTuple_GET_SIZE(node->src)) {
            continue;
        }
        if (size_of(node) > most || count > needed.most_nodes) {
            return 0;
        }
        for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(node->src); i++) {
            Py_ssize_t before = count;
            if (!add_once(seen, &count, (Node *)PyTuple_GET_ITEM(node->src, i))) {
                return 1;
            }
            if (count > before) {
                stack[depth++] = seen[before];
            }
        }
    }
    return 1;
}

/* Return whether an array is an expression of many elements, by itself or as a view, which shows its owner's
   present value. */
static int
is_large_expression(Array *x, Py_ssize_t most)
{
    Array *owner = x->owner == NULL ? x : x->owner;
    if (!is_pending((PyObject *)owner) || ((Node *)owner->node)->stored != NULL) {
        return 0;
    }
    if (x->owner != NULL) {
        if (!shows_expression(x) || x->steps == NULL || Py_TYPE(x->node) != state.nodes->type
            || !PyTuple_GET_SIZE(((Node *)x->node)->src) || !PyTuple_CheckExact(x->steps)) {
            return 0;
        }
        Py_ssize_t count = PyTuple_GET_SIZE(x->steps);
        if (!count || count > MOST_STEPS_OF_VIEWS || !PyTuple_CheckExact(PyTuple_GET_ITEM(x->steps, count - 1))) {
            return 0;
        }
    }
    return !may_be_of_few((Node *)owner->node, most * state.cheaper);
}

/* Return whether a part of so many elements is not computed with the whole, nor at once: see computed_for_part
   and computed_for_reads of residence.py. */
static int
stays_expression(Node *whole, Py_ssize_t elements, Py_ssize_t most)
{
    Py_ssize_t size = size_of(whole), medium = most * state.cheaper;
    if (elements <= most || elements * needed.read_part <= size) {
        return 0;
    }
    return elements > medium || elements > size / needed.least_columns || !may_be_of_few(whole, most * state.created);
}

/* Let an expression of medium size that is no view have memory for a part on which operations run at once, as
   computed_for_part does; return -1 with an error. */
static int
compute_for_part(Array *x, Py_ssize_t elements, Py_ssize_t most)
{
    Node *whole = (Node *)x->node;
    Py_ssize_t medium = most * state.cheaper, column = size_of(whole) / needed.least_columns;
    int computes = x->owner == NULL && x->locked == NULL && elements > 0 && elements <= (medium < column ? medium : column)
        && may_be_of_few(whole, most * state.created);
    return computes ? compute_pending((PyObject *)x) : 0;
}

/* Return the steps from an owner to a part of a view of it; `steps`, to the view, may be NULL. */
static PyObject *
with_step(PyObject *steps, PyObject *step)
{
    Py_ssize_t count = steps == NULL ? 0 : PyTuple_GET_SIZE(steps);
    PyObject *way = PyTuple_New(count + 1);
    for (Py_ssize_t k = 0; way != NULL && k <= count; k++) {
        PyTuple_SET_ITEM(way, k, Py_NewRef(k < count ? PyTuple_GET_ITEM(steps, k) : step));
    }
    return way;
}

/* Keep what Python's form has built of a key. */
static void
keep_part(KnownPart *known, const PartKey *key, Node *source, const Array *owner, PyObject *result)
{
    Array *part = (Array *)result;
    if (!is_array(result) || part->memory != NULL || part->owner != owner || part->node == NULL
        || Py_TYPE(part->node) != state.nodes->type || part->steps == NULL || !PyTuple_CheckExact(part->steps)) {
        return;
    }
    Node *node = (Node *)part->node;
    Py_ssize_t count = PyTuple_GET_SIZE(part->steps);
    PyObject *step = count ? PyTuple_GET_ITEM(part->steps, count - 1) : NULL;
    PyObject *base = source->op == state.view_op ? PyTuple_GET_ITEM(source->src, 0) : (PyObject *)source;
    if (step == NULL || !PyTuple_CheckExact(step) || PyTuple_GET_SIZE(step) != 2 || node->op != state.view_op
        || PyTuple_GET_ITEM(node->src, 0) != base || node->shape == NULL) {
        return;
    }
    PyObject *before[] = {known->key.inner, known->index_map, known->step};
    known->key = *key;
    Py_XINCREF(known->key.inner);
    known->index_map = Py_NewRef(node->attr);
    known->step = Py_NewRef(step);
    for (size_t k = 0; k < Py_ARRAY_LENGTH(before); k++) {
        Py_XDECREF(before[k]);
    }
}

static inline PyObject *fast_item(Array *x, PyObject *key);

/* Return ``x[key]`` of an expression, by Python's form where its like was not built before. */
static PyObject *
part_of_expression(PyObject *x, PyObject *key)
{
    PyObject *pair[2] = {x, key}, *result = NULL;
    Array *array = (Array *)x, *owner = array->owner == NULL ? array : array->owner;
    PartKey part;
    Py_ssize_t elements, most = limit_now();
    memset(&part, 0, sizeof(part));
    if (most <= 0 || !is_array(x) || !is_basic(key) || !is_large_expression(array, most)
        || !part_of_key(&part, ((Node *)array->node)->shape, key, &elements)) {
        return PyErr_Occurred() ? NULL : PyObject_Vectorcall(state.slow_getitem, pair, 2, NULL);
    }
    if (!stays_expression((Node *)owner->node, elements, most)) {
        int computed = compute_for_part(array, elements, most);
        result = computed <= 0 ? NULL : fast_item(array, key);
        return result != NULL || PyErr_Occurred() ? result : PyObject_Vectorcall(state.slow_getitem, pair, 2, NULL);
    }
    /* Of one moment: where Python's code runs, another thread may let the array have another value. */
    Node *source = (Node *)Py_NewRef(array->node);
    PyObject *seen = Py_NewRef(array->owner == NULL ? array->node : array->seen);
    PyObject *steps = array->owner == NULL ? NULL : Py_NewRef(array->steps);
    Py_INCREF(owner);
    part.inner = source->op == state.view_op ? source->attr : NULL;
    KnownPart *known = known_part(&part);
    if (known->index_map != NULL && !memcmp(&known->key, &part, sizeof(part))) {
        PyObject *index_map = Py_NewRef(known->index_map), *step = Py_NewRef(known->step);
        PyObject *way = with_step(steps, step), *line = way == NULL ? NULL : current_line();
        Node *base = source->op == state.view_op ? (Node *)PyTuple_GET_ITEM(source->src, 0) : source;
        if (!PyErr_Occurred()) {
            result = array_of(state.nodes->build(state.view_op, &base, 1, base->dtype,
                                                 PyTuple_GET_ITEM(step, 1), index_map, line));
        }
        if (result != NULL) {
            set_alias((Array *)result, owner, seen, way);
        }
        Py_XDECREF(line);
        Py_XDECREF(way);
        Py_DECREF(step);
        Py_DECREF(index_map);
    }
    else if ((result = PyObject_Vectorcall(state.slow_getitem, pair, 2, NULL)) != NULL) {
        keep_part(known, &part, source, owner, result);
    }
    Py_XDECREF(steps);
    Py_DECREF(seen);
    Py_DECREF(owner);
    Py_DECREF(source);
    return result;
}
