/* Nodes of views of large arrays in memory: index maps of the leaf of the array whose elements they
   show. Python's form works an index map out (shared_memory.py); it is kept by where a view lies. */

/* Where a view lies in the memory of its owner; what is not used is zero. */
typedef struct {
    npy_intp start; /* in bytes */
    npy_intp axes, owned_axes, code;
    npy_intp shape[MOST_AXES], strides[MOST_AXES];
    npy_intp owned_shape[MOST_AXES], owned_strides[MOST_AXES];
} Place;

typedef struct {
    Place place;
    PyObject *index_map; /* NULL: there is none here */
    PyObject *shape;
} KnownView;

static KnownView known_views[VIEWS];

/* Fill in where a view lies; return whether both have few enough axes and one dtype. */
static int
place_of(PyArrayObject *memory, PyArrayObject *owned, Place *place)
{
    int axes = PyArray_NDIM(memory), owned_axes = PyArray_NDIM(owned);
    if (axes > MOST_AXES || owned_axes > MOST_AXES || PyArray_TYPE(memory) != PyArray_TYPE(owned)) {
        return 0;
    }
    memset(place, 0, sizeof(Place));
    place->start = PyArray_BYTES(memory) - PyArray_BYTES(owned);
    place->axes = axes;
    place->owned_axes = owned_axes;
    place->code = PyArray_TYPE(memory);
    for (int axis = 0; axis < axes; axis++) {
        place->shape[axis] = PyArray_DIM(memory, axis);
        place->strides[axis] = PyArray_STRIDE(memory, axis);
    }
    for (int axis = 0; axis < owned_axes; axis++) {
        place->owned_shape[axis] = PyArray_DIM(owned, axis);
        place->owned_strides[axis] = PyArray_STRIDE(owned, axis);
    }
    return 1;
}

static KnownView *
known_view(const Place *place)
{
    const npy_intp *words = (const npy_intp *)place;
    size_t hash = 0;
    for (size_t i = 0; i < sizeof(Place) / sizeof(npy_intp); i++) {
        hash = (hash ^ (size_t)words[i]) * (SIZE_MAX / 1618 * 1000 | 1);
        hash ^= hash >> 29;
    }
    return &known_views[hash % VIEWS];
}

/* Return the elements of a view of which an expression takes a copy, as it shows little of an array
   that is written to; 0 of anything else. */
static inline Py_ssize_t
copied_elements(PyObject *x)
{
    Array *view = (Array *)x, *owner = is_array(x) ? view->owner : NULL;
    if (owner == NULL || owner->writes == NULL || owner->history == state.borrowed
        || owner->memory != view->seen || !PyArray_CheckExact(owner->memory)
        || view->memory == NULL || !PyArray_CheckExact(view->memory)) {
        return 0;
    }
    npy_intp size = PyArray_SIZE((PyArrayObject *)view->memory);
    return size * state.viewed_part < PyArray_SIZE((PyArrayObject *)owner->memory) ? size : 0;
}

/* Return the leaf of the array whose elements a view shows, borrowed, if the view's node is an index
   map of it: both are large, and the next write would not copy much more than the view. */
static Node *
leaf_shown(Array *view)
{
    Array *owner = view->owner;
    Py_ssize_t most = limit_now();
    PyObject *memory = memory_of(view);
    if (memory == NULL || !PyArray_CheckExact(memory) || owner->memory == NULL
        || !PyArray_CheckExact(owner->memory) || owner->node == NULL || most <= 0
        || Py_TYPE(owner->node) != state.nodes->type) {
        return NULL;
    }
    Node *leaf = (Node *)owner->node;
    return PyArray_SIZE((PyArrayObject *)memory) > most
        && PyArray_SIZE((PyArrayObject *)owner->memory) > most && !copied_elements((PyObject *)view)
        && leaf->attr != NULL && !PyTuple_GET_SIZE(leaf->src) ? leaf : NULL;
}

/* Keep the index map of a view's node, if it is one of a leaf. */
static void
keep_view(KnownView *known, const Place *place, Node *node, Node *leaf)
{
    if (node->op != state.view_op || PyTuple_GET_ITEM(node->src, 0) != (PyObject *)leaf
        || node->dtype != leaf->dtype) {
        return;
    }
    PyObject *index_map = known->index_map, *shape = known->shape;
    known->place = *place;
    known->index_map = Py_NewRef(node->attr);
    known->shape = Py_NewRef(node->shape);
    Py_XDECREF(index_map);
    Py_XDECREF(shape);
}

/* Return whether a view is an expression, of the present one of its owner. */
static inline int
shows_expression(const Array *view)
{
    const Array *owner = view->owner;
    return view->memory == NULL && !view->is_double && view->node != NULL && owner->memory == NULL
        && !owner->is_double && owner->node != NULL && owner->node == view->seen;
}

/* Return the node of a view in memory, a new reference; NULL, perhaps without an error. */
static PyObject *
node_of_view(Array *view)
{
    Place place;
    PyObject *memory = memory_of(view);
    if (memory == NULL || !PyArray_CheckExact(memory)
        || (view->owner->node == NULL && shared_leaf(view->owner) == NULL && PyErr_Occurred())) {
        return NULL;
    }
    Node *leaf = leaf_shown(view); /* NULL if another thread has changed the view meanwhile */
    if (leaf == NULL || !place_of((PyArrayObject *)view->memory,
                                  (PyArrayObject *)view->owner->memory, &place)) {
        return PyObject_CallOneArg(state.snapshot, (PyObject *)view);
    }
    Py_INCREF(leaf);
    KnownView *known = known_view(&place);
    PyObject *node = NULL;
    if (known->index_map != NULL && !memcmp(&known->place, &place, sizeof(Place))) {
        /* Another thread may come in between, and keep another view there. */
        PyObject *index_map = Py_NewRef(known->index_map), *shape = Py_NewRef(known->shape);
        PyObject *line = current_line();
        if (!PyErr_Occurred() && note_seen(view->owner) == 0) {
            node = state.nodes->build(state.view_op, &leaf, 1, leaf->dtype, shape, index_map, line);
        }
        Py_XDECREF(line);
        Py_DECREF(shape);
        Py_DECREF(index_map);
        Py_DECREF(leaf);
        return node;
    }
    node = PyObject_CallOneArg(state.snapshot, (PyObject *)view);
    if (node != NULL && Py_TYPE(node) == state.nodes->type) {
        keep_view(known, &place, (Node *)node, leaf);
    }
    Py_DECREF(leaf);
    return node;
}
