/* Operations on expressions: the node of the result is built here where its like was built before.

   What a node of some operation on some dtypes becomes, Python's form says (build.py): casts,
   another operation, a dtype. If it is the operation itself on the operands as they are, or cast, that
   is remembered by operation and dtypes, and lengths that are equal need no more thought. A number of
   Python's becomes a constant of the dtype that it took then; the nodes of constants are kept. */

/* The user's lines. */

typedef struct {
    PyObject *code;
    int instruction;
    PyObject *line;
} Line;

static Line lines[LINES];

/* Return the user's file and line, as origin() of source_location.py does; NULL: none, or an error. */
static PyObject *
current_line(void)
{
    if (PyDict_GET_SIZE(state.attributed)) {
        PyObject *line = PyObject_CallNoArgs(state.origin);
        if (line == Py_None) {
            Py_CLEAR(line);
        }
        return line;
    }
    PyFrameObject *frame = PyThreadState_GetFrame(PyThreadState_Get());
    while (frame != NULL) {
        PyCodeObject *code = PyFrame_GetCode(frame);
        int users = code->co_filename == users_file;
        if (!users) {
            PyObject *ours = PyObject_CallOneArg(state.is_ours, code->co_filename);
            if (ours == NULL) {
                Py_DECREF(code);
                Py_DECREF(frame);
                return NULL;
            }
            if (ours == Py_False) {
                users = 1;
                Py_XSETREF(users_file, Py_NewRef(code->co_filename));
            }
            Py_DECREF(ours);
        }
        if (users) {
            int instruction = PyFrame_GetLasti(frame);
            Line *place = &lines[(((size_t)code >> 5) + (size_t)instruction * 31) % LINES];
            if (place->code != (PyObject *)code || place->instruction != instruction) {
                PyObject *line =
                    Py_BuildValue("(Oi)", code->co_filename, PyFrame_GetLineNumber(frame));
                if (line != NULL) {
                    Py_XSETREF(place->code, Py_NewRef(code));
                    place->instruction = instruction;
                    Py_XSETREF(place->line, line);
                }
            }
            PyObject *line = PyErr_Occurred() ? NULL : Py_XNewRef(place->line);
            Py_DECREF(code);
            Py_DECREF(frame);
            return line;
        }
        Py_DECREF(code);
        PyFrameObject *back = PyFrame_GetBack(frame);
        Py_DECREF(frame);
        frame = back;
    }
    return NULL;
}

#include "leaves.h"
#include "views.h"

/* What operations were before. */

typedef struct {
    PyObject *op;
    PyObject *left;     /* the dtype of an operand, or the type of a number of Python's */
    PyObject *right;    /* NULL: there is one operand */
    PyObject *dtype;    /* of the result */
    PyObject *constant; /* that the number takes */
    PyObject *casts[2]; /* that arrays are cast to; NULL: they stay as they are */
} Form;

static Form forms[FORMS];

static inline Form *
form_of(PyObject *op, PyObject *left, PyObject *right)
{
    const size_t golden = SIZE_MAX / 1618 * 1000 | 1; /* its products spread bits */
    size_t hash = ((size_t)op >> 4) * golden;
    hash = (hash ^ ((size_t)left >> 4)) * golden;
    hash = (hash ^ ((size_t)right >> 4)) * golden;
    return &forms[(hash >> 40) % FORMS];
}

static inline int
is_form(const Form *form, PyObject *op, PyObject *left, PyObject *right)
{
    return form->op == op && form->left == left && form->right == right && op != NULL;
}

static void
set_form(PyObject *op, PyObject *const *keys, PyObject *dtype, PyObject *constant, PyObject *const *casts)
{
    PyObject *left = keys[0], *right = keys[1];
    Form *form = form_of(op, left, right);
    Py_XSETREF(form->op, Py_NewRef(op));
    Py_XSETREF(form->left, Py_NewRef(left));
    Py_XSETREF(form->right, Py_XNewRef(right));
    Py_XSETREF(form->dtype, Py_NewRef(dtype));
    Py_XSETREF(form->constant, Py_XNewRef(constant));
    for (int k = 0; k < 2; k++) {
        Py_XSETREF(form->casts[k], Py_XNewRef(casts[k]));
    }
}

#include "constants.h"

/* Arrays. */

/* Return the number of elements of a node; -1: that is no number. */
static inline Py_ssize_t
size_of(const Node *node)
{
    Py_ssize_t size = 1;
    for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(node->shape); k++) {
        PyObject *length = PyTuple_GET_ITEM(node->shape, k);
        if (!PyLong_CheckExact(length)) {
            return -1;
        }
        size *= PyLong_AsSsize_t(length);
    }
    return size;
}

/* Return whether an operation waits for an operand: it is an expression, or so large that nothing
   is computed at once. */
static inline int
is_waited_for(PyObject *x, Py_ssize_t most)
{
    Array *array = (Array *)x;
    if (!is_array(x) || array->is_double) {
        return 0;
    }
    return array->memory == NULL || (PyArray_CheckExact(array->memory)
        && PyArray_SIZE((PyArrayObject *)array->memory) > most * state.cheaper);
}

/* Return the node of an array, a new reference; NULL without an error: Python has to see to it. */
static Node *
expression_of(PyObject *x)
{
    Array *array = (Array *)x;
    if (!is_array(x)) {
        return NULL;
    }
    PyObject *node = NULL;
    if (array->owner != NULL) {
        node = shows_expression(array) ? Py_NewRef(array->node) : node_of_view(array);
    }
    else if (array->node != NULL) {
        node = Py_NewRef(array->node);
    }
    else if ((node = Py_XNewRef(shared_leaf(array))) == NULL && !PyErr_Occurred() && (node = number_leaf(array)) == NULL
             && !PyErr_Occurred()
             && (array->memory != NULL || array->is_double)) {
        node = get_node(x, NULL);
    }
    if (node != NULL && Py_TYPE(node) != state.nodes->type) {
        Py_CLEAR(node);
    }
    return (Node *)node;
}

/* Return the array of an expression (whose reference is taken). */
static PyObject *
array_of(PyObject *node)
{
    if (node == NULL) {
        return NULL;
    }
    Array *array = new_fields(state.array_type);
    if (array == NULL) {
        Py_DECREF(node);
        return NULL;
    }
    array->node = node;
    note_recent(array);
    PyObject *high = PyObject_GetAttr(state.pressure, str_high);
    if (high == Py_True) {
        PyObject *none = PyObject_CallOneArg(state.relieve, (PyObject *)array);
        Py_XDECREF(none);
        if (none == NULL) {
            Py_CLEAR(array);
        }
    }
    Py_XDECREF(high);
    if (high == NULL) {
        Py_CLEAR(array);
    }
    return (PyObject *)array;
}

/* Return whether nothing but expressions is built now, and of at least how many elements. */
static inline int
may_build(Py_ssize_t *most)
{
    return state.nodes != NULL && !PyList_GET_SIZE(state.running) && (*most = limit_now()) >= 0;
}

/* Return the lengths that two arrays broadcast to, a new reference; NULL without an error: Python has to
   see to it. */
static PyObject *
broadcast_shape(PyObject *a, PyObject *b, Py_ssize_t least)
{
    Py_ssize_t left = PyTuple_GET_SIZE(a), right = PyTuple_GET_SIZE(b);
    Py_ssize_t axes = left > right ? left : right;
    double size = 1;
    PyObject *shape = PyTuple_New(axes);
    for (Py_ssize_t axis = 1; shape != NULL && axis <= axes; axis++) {
        PyObject *length = axis <= left ? PyTuple_GET_ITEM(a, left - axis) : NULL;
        PyObject *other = axis <= right ? PyTuple_GET_ITEM(b, right - axis) : NULL;
        length = length == NULL ? other : length;
        other = other == NULL ? length : other;
        Py_ssize_t n = PyLong_CheckExact(length) ? PyLong_AsSsize_t(length) : -1;
        Py_ssize_t m = PyLong_CheckExact(other) ? PyLong_AsSsize_t(other) : -1;
        if (n < 0 || m < 0 || (n != m && n != 1 && m != 1)) {
            Py_CLEAR(shape);
            break;
        }
        PyTuple_SET_ITEM(shape, axes - axis, Py_NewRef(n == 1 ? other : length));
        size *= (double)(n == 1 ? m : n);
    }
    if (shape != NULL && (size <= (double)least || size > (double)PY_SSIZE_T_MAX / 16)) {
        Py_CLEAR(shape);
    }
    return shape;
}

/* Return an operation whose like was built before; NULL without an error: Python has to see to it. */
static PyObject *
built(PyObject *op, PyObject *left, PyObject *right)
{
    Py_ssize_t most, least;
    PyObject *result = NULL, *line = NULL, *node, *shape = NULL, *dtype = NULL, *constant = NULL;
    PyObject *casts[2] = {NULL};
    Node *operands[2] = {NULL};
    if (!may_build(&most)) {
        return NULL;
    }
    /* Small arrays may broadcast to what does not run at once. */
    int is_waiting = is_waited_for(left, most) || (right != NULL && is_waited_for(right, most));
    if (!is_waiting && (right == NULL || !is_array(left) || !is_array(right))) {
        return NULL;
    }
    int count = right == NULL ? 1 : 2, array = -1;
    PyObject *keys[2] = {NULL}, *values[2] = {left, right}, *integer = NULL;
    for (int k = 0; k < count; k++) {
        if (is_number(values[k])) {
            keys[k] = (PyObject *)Py_TYPE(values[k]);
            integer = PyLong_CheckExact(values[k]) ? values[k] : integer;
        }
        else if ((operands[k] = expression_of(values[k])) != NULL) {
            keys[k] = operands[k]->dtype;
            array = array < 0 || PyTuple_GET_SIZE(operands[k]->shape) ? k : array;
        }
        else if (!PyErr_Occurred() && is_double_scalar(op, values[k])
                 && (operands[k] = constant_of_scalar(values[k])) != NULL) {
            keys[k] = operands[k]->dtype;
            array = array < 0 ? k : array;
        }
        else if (!PyErr_Occurred() && PyArray_CheckExact(values[k])) {
            keys[k] = (PyObject *)PyArray_DESCR((PyArrayObject *)values[k]);
        }
        else {
            goto done;
        }
    }
    if (array < 0) {
        goto done;
    }
    const Form *form = form_of(op, keys[0], keys[1]);
    if (!is_form(form, op, keys[0], keys[1])) {
        goto done;
    }
    /* Another thread may have another form there later. */
    dtype = Py_NewRef(form->dtype);
    constant = Py_XNewRef(form->constant);
    casts[0] = Py_XNewRef(form->casts[0]);
    casts[1] = Py_XNewRef(form->casts[1]);
    if (integer != NULL && !fits_in(integer, constant)) {
        goto done;
    }
    for (int k = 0; k < count; k++) {
        if (operands[k] == NULL && PyArray_CheckExact(values[k])) {
            PyObject *leaf = PyObject_CallOneArg(state.leaf, values[k]);
            if (leaf == NULL || Py_TYPE(leaf) != state.nodes->type || ((Node *)leaf)->dtype != keys[k]) {
                Py_XDECREF(leaf);
                goto done;
            }
            operands[k] = (Node *)leaf;
            array = PyTuple_GET_SIZE(operands[k]->shape) ? k : array;
        }
    }
    shape = Py_NewRef(operands[array]->shape);
    least = most;
    if (!is_waiting) {
        least = ((PyArray_Descr *)dtype)->type_num == NPY_BOOL
            ? most * state.written : most_of(most * state.cheaper, left, right, 1);
    }
    if (count == 2 && operands[0] != NULL && operands[1] != NULL) {
        PyObject *a = operands[0]->shape, *b = operands[1]->shape;
        int equal = a == b || !PyTuple_GET_SIZE(a) || !PyTuple_GET_SIZE(b) ? 1
            : PyObject_RichCompareBool(a, b, Py_EQ);
        if (equal < 0) {
            goto done;
        }
        if (!equal) {
            Py_SETREF(shape, broadcast_shape(a, b, least));
        }
        is_waiting |= !equal;
    }
    if (shape == NULL || !is_waiting || (shape == operands[array]->shape && size_of(operands[array]) <= most)) {
        goto done;
    }
    for (int k = 0; k < count; k++) {
        if (operands[k] == NULL
            && (operands[k] = (Node *)constant_node(values[k], constant)) == NULL) {
            goto done;
        }
    }
    line = current_line();
    for (int k = 0; k < count && !PyErr_Occurred(); k++) {
        if (casts[k] != NULL) {
            if (operands[k]->op == state.constant_op) {
                goto done; /* which Python casts now */
            }
            PyObject *cast = state.nodes->build(state.cast_op, &operands[k], 1, casts[k],
                                                operands[k]->shape, NULL, line);
            Py_SETREF(operands[k], (Node *)cast);
        }
    }
    node = PyErr_Occurred() ? NULL
        : state.nodes->build(op, operands, count, dtype, shape, NULL, line);
    result = array_of(node);
done:
    Py_XDECREF(dtype);
    Py_XDECREF(constant);
    Py_XDECREF(casts[0]);
    Py_XDECREF(casts[1]);
    Py_XDECREF(shape);
    Py_XDECREF(line);
    Py_XDECREF(operands[0]);
    Py_XDECREF(operands[1]);
    return result;
}

/* Return whether a node is that of an array. */
static int
is_expression(PyObject *x, Node *node)
{
    Array *array = (Array *)x;
    if (array->owner == NULL && array->node != NULL) {
        return array->node == (PyObject *)node;
    }
    Node *own = expression_of(x);
    Py_XDECREF(own);
    return own == node;
}

/* Remember what Python's form has made of an operation. Nothing happens if that was more than the
   operation itself. */
static void
learn(PyObject *op, PyObject *left, PyObject *right, PyObject *result)
{
    if (state.nodes == NULL || result == NULL || !is_array(result)) {
        return;
    }
    Node *node = (Node *)((Array *)result)->node;
    if (node == NULL || Py_TYPE(node) != state.nodes->type || node->op != op
        || node->attr != NULL) {
        return;
    }
    int count = right == NULL ? 1 : 2;
    PyObject *keys[2] = {NULL}, *values[2] = {left, right}, *constant = NULL, *casts[2] = {NULL};
    if (PyTuple_GET_SIZE(node->src) != count) {
        return;
    }
    for (int k = 0; k < count; k++) {
        Node *source = (Node *)PyTuple_GET_ITEM(node->src, k);
        if (is_number(values[k])) {
            if (count == 1 || is_number(values[!k])) {
                return; /* an operation on numbers alone */
            }
            Node *other = (Node *)PyTuple_GET_ITEM(node->src, !k);
            int varies = PySet_Contains(state.varying, op);
            PyArray_Descr *dtype = (PyArray_Descr *)other->dtype;
            /* Which operation a power is depends on the number. */
            if (varies != 0 || source->op != state.constant_op
                || (PyLong_CheckExact(values[k]) && dtype->kind != 'f' && dtype->kind != 'c'
                    && !fits_in(values[k], source->dtype))) {
                PyErr_Clear();
                return;
            }
            constant = source->dtype;
            keys[k] = (PyObject *)Py_TYPE(values[k]);
        }
        else if (is_double_scalar(op, values[k])) {
            if (source->op != state.constant_op
                || ((PyArray_Descr *)source->dtype)->type_num != NPY_DOUBLE) {
                return;
            }
            keys[k] = source->dtype;
        }
        else {
            Node *own = source;
            int is_memory = PyArray_CheckExact(values[k]);
            if (source->op == state.cast_op && source->attr == NULL
                && (is_memory || (is_array(values[k]) && !is_expression(values[k], source)))) {
                own = (Node *)PyTuple_GET_ITEM(source->src, 0);
                casts[k] = source->dtype;
            }
            if (is_memory ? own->op != state.leaf_op || own->dtype != (PyObject *)PyArray_DESCR((PyArrayObject *)values[k])
                          : !is_array(values[k]) || !is_expression(values[k], own)) {
                PyErr_Clear();
                return;
            }
            keys[k] = own->dtype;
        }
    }
    set_form(op, keys, node->dtype, constant, casts);
}

#include "reductions.h"
