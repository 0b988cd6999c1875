/* Functions of NumPy's on arrays in memory. */

/* Return whether two arrays have a product of few enough elements. */
static int
product_fits(int fits, PyObject *left, PyObject *right, Py_ssize_t most)
{
    if (!PyArray_CheckExact(left) || !PyArray_CheckExact(right)) {
        return 0;
    }
    PyArrayObject *a = (PyArrayObject *)left, *b = (PyArrayObject *)right;
    if (fits == INNER) {
        double rows = PyArray_NDIM(a) == 2 ? (double)PyArray_DIM(a, 0) : 1;
        rows *= PyArray_NDIM(b) == 2 ? (double)PyArray_DIM(b, 0) : 1;
        return PyArray_NDIM(a) <= 2 && PyArray_NDIM(b) <= 2 && rows <= (double)most;
    }
    if (fits == PRODUCT) {
        return PyArray_NDIM(a) <= 2 && PyArray_NDIM(b) <= 2
            && product_size(a, b, PyArray_NDIM(b) == 2 || PyArray_NDIM(a) == 2 ? most : 1) >= 0;
    }
    return PyArray_SIZE(a) * PyArray_SIZE(b) <= most;
}

/* Return whether a value is numbers in few sequences; what else there is, Python looks at. */
static int
lists_numbers(PyObject *x, Py_ssize_t most, int nested)
{
    if (!PyList_CheckExact(x) && !PyTuple_CheckExact(x)) {
        return is_number(x) || is_scalar(x);
    }
    Py_ssize_t length = PySequence_Fast_GET_SIZE(x);
    if (nested == 3 || length > most) {
        return 0;
    }
    for (Py_ssize_t i = 0; i < length; i++) {
        if (!lists_numbers(PySequence_Fast_GET_ITEM(x, i), most / length, nested + 1)) {
            return 0;
        }
    }
    return 1;
}

/* Put memory in the place of arrays in a list or tuple; a new reference. */
static PyObject *
sequence_in_memory(PyObject *x, Py_ssize_t most, Py_ssize_t *past, Py_ssize_t *elements, int *any)
{
    Py_ssize_t count = PySequence_Fast_GET_SIZE(x);
    PyObject *items = PyTuple_New(count);
    if (items == NULL) {
        return NULL;
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *item = PySequence_Fast_GET_ITEM(x, i);
        PyObject *value = operand(item, most, past);
        if (value == NULL) {
            Py_DECREF(items);
            return NULL;
        }
        *any |= holds_values(item);
        *elements += PyArray_CheckExact(value) ? PyArray_SIZE((PyArrayObject *)value) : 1;
        PyTuple_SET_ITEM(items, i, value);
    }
    return items;
}

/* Return the array of what a function gave (its reference is taken), which remembers all arguments. */
static PyObject *
remembered_call(Call *call, PyObject *value, PyObject *const *args, Py_ssize_t total, PyObject *names, Py_ssize_t past)
{
    PyObject *known = arguments(args, total, names), *result = NULL;
    if (known == NULL) {
        Py_DECREF(value);
        return NULL;
    }
    result = computed(value, (PyObject *)call, Py_None, known, past);
    Py_DECREF(known);
    return result;
}

/* Return the array of a list, or of an array; NULL without an error: NumPy, or Python, has to see to it. */
static PyObject *
array_of_any(Call *call, PyObject *const *args, Py_ssize_t count, PyObject *names, Py_ssize_t most)
{
    return PyList_CheckExact(args[0]) || PyTuple_CheckExact(args[0])
        ? array_of_list(call, args, count, names, most) : array_of_array(call, args, count, names, most);
}

typedef PyObject *(*Caller)(Call *call, PyObject *const *args, Py_ssize_t count, PyObject *names);

static PyObject *fast_function(Call *call, PyObject *const *args, Py_ssize_t count, PyObject *names);

/* Return a view of an ndarray, which is one of the array that wraps it; NULL without an error: Python has to see
   to it. */
static PyObject *
view_of_wrapped(Caller caller, Call *call, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    Py_ssize_t total = count + (names == NULL ? 0 : PyTuple_GET_SIZE(names));
    PyObject *all[MOST_ARGUMENTS] = {NULL};
    if (total > MOST_ARGUMENTS || (all[0] = wrapped_memory(args, 1, NULL, limit_now() * state.written)) == NULL) {
        return NULL;
    }
    memcpy(all + 1, args + 1, (size_t)(total - 1) * sizeof(PyObject *));
    PyObject *result = caller(call, all, count, names);
    Py_DECREF(all[0]);
    return result;
}

/* Return the result of NumPy's function; NULL without an error: Python has to see to it. */
static PyObject *
fast_function(Call *call, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    Py_ssize_t most, past = 0, total = count + (names == NULL ? 0 : PyTuple_GET_SIZE(names));
    Py_ssize_t elements = 0;
    if (count < 1 || total > MOST_ARGUMENTS || (most = limit_now()) <= 0
        || !are_known(call, names)) {
        return NULL;
    }
    if (call->fits == BROADCAST && count == 1) {
        return NULL; /* the places of true elements, which are several arrays */
    }
    if (call->times == VIEWS_TIMES && call->fits == NO_LARGER && PyArray_CheckExact(args[0])) {
        return view_of_wrapped(fast_function, call, args, count, names);
    }
    PyObject *values[MOST_ARGUMENTS + 1] = {NULL}, *result = NULL;
    int joins = call->fits == TOGETHER;
    if (call->fits == LISTED
        && ((result = wrapped_memory(args, count, names, most * state.written)) != NULL
            || PyErr_Occurred())) {
        return result;
    }
    if ((call->fits == COPIED || call->fits == LISTED) && !PyDict_GET_SIZE(state.donated)
        && ((result = array_of_any(call, args, count, names, most * state.written)) != NULL || PyErr_Occurred())) {
        return result;
    }
    most *= call->times;
    if (call->times > 1 && call->fits == NO_LARGER) {
        most = most_of(most, args[0], args[0], 1);
    }
    if (call->times == VIEWS_TIMES && !may_view(args[0])) {
        most = limit_now() * state.cheaper;
    }
    Py_ssize_t arrays = call->fits == BROADCAST ? 3 : 1, i = 0;
    int any = 0, creates = call->fits >= SHAPED;
    if (call->fits == PRODUCT || call->fits == INNER || call->fits == PAIRS) {
        arrays = 2;
    }
    if (creates && call->fits != COPIED && call->fits != LISTED) {
        if (!creation_fits(call->fits, args, count, most)
            && (call->fits != SHAPED || !creation_fits(SHAPED, args, count, most_created(args, total, most)))) {
            return NULL;
        }
        arrays = 0;
        if (call->own && ((result = created_memory(call, args, count, names)) != NULL || PyErr_Occurred())) {
            return result == NULL ? NULL : (PyObject *)new_array(result);
        }
    }
    if (joins) {
        if (!PyList_CheckExact(args[0]) && !PyTuple_CheckExact(args[0])) {
            return NULL;
        }
        values[1] = sequence_in_memory(args[0], most, &past, &elements, &any);
        if (values[1] == NULL || elements > most || !elements) {
            goto done;
        }
        i = 1;
    }
    for (; i < total; i++) {
        if (i < count && i < arrays) {
            any |= holds_values(args[i]);
            if ((call->fits == COPIED || call->fits == LISTED)
                && (PyList_CheckExact(args[i]) || PyTuple_CheckExact(args[i]))) {
                if (!lists_numbers(args[i], most, 0)) {
                    goto done;
                }
                values[i + 1] = Py_NewRef(args[i]);
                continue;
            }
            if (call->fits == LISTED) {
                goto done;
            }
            values[i + 1] = operand(args[i], most, &past);
            if (values[i + 1] == NULL && args[i] == Py_None && call->fits == BROADCAST) {
                values[i + 1] = Py_NewRef(args[i]);
            }
            if (values[i + 1] == NULL
                || (call->fits != PRODUCT && call->fits != INNER && PyArray_CheckExact(values[i + 1])
                    && !PyArray_SIZE((PyArrayObject *)values[i + 1]))) {
                goto done; /* of no elements, functions warn */
            }
        }
        else if (is_simple(args[i]) || (call->fits == SHAPED && is_scalar(args[i]))) {
            values[i + 1] = Py_NewRef(args[i]);
        }
        else {
            goto done;
        }
    }
    if ((!any && !creates) || (call->fits == NO_LARGER && !is_array(args[0]))
        || (call->fits == BROADCAST && (count > 3 || !broadcast_fits(values + 1, count, most)))
        || (arrays == 2
            && (total != 2 || !product_fits(call->fits, values[1], values[2], most)))) {
        goto done;
    }
    PyObject *token = NULL;
    int in_c = call->fits == PRODUCT || call->fits == INNER; /* then NumPy itself warns of the user's line */
    if (call->warns && !(in_c && in_users_code()) && (token = begin_noting()) == NULL) {
        goto done;
    }
    PyObject *before = begin_blocks(
        call->times == VIEWS_TIMES ? 0 : joins ? (double)elements * 8 : largest_bytes(values + 1, total));
    PyObject *value = PyObject_Vectorcall(
        method_or(call->theirs, call, values[1]), values + 1, count | PY_VECTORCALL_ARGUMENTS_OFFSET, names);
    end_blocks(before);
    int clean = token == NULL ? 1 : end_noting(token);
    if (value == NULL || clean < 0) {
        Py_XDECREF(value);
        was_refused();
        goto done;
    }
    if (!clean) {
        Py_DECREF(value);
        goto done;
    }
    if (call->fits == NO_LARGER) {
        if (is_array(args[0])) {
            result = wrapped_call(call, value, args, values[1], total, names, past);
        }
        else {
            Py_DECREF(value);
        }
        goto done;
    }
    if (PyArray_CheckExact(value)
            ? (PyArray_BASE((PyArrayObject *)value) != NULL
               || !is_known(PyArray_DESCR((PyArrayObject *)value)))
            : !is_scalar(value)) {
        Py_DECREF(value);
        goto done;
    }
    if (creates) {
        Py_ssize_t size = PyArray_CheckExact(value) ? PyArray_SIZE((PyArrayObject *)value) : 1;
        result = (PyObject *)new_array(value);
        if (result != NULL && size > limit_now() * state.cheaper) {
            ((Array *)result)->past = size >> PAST_BITS; /* who remembers it keeps its memory */
        }
        goto done;
    }
    if (PyArray_CheckExact(value) && PyArray_NDIM((PyArrayObject *)value) == 0) {
        value = PyArray_Return((PyArrayObject *)value);
    }
    result = remembered_call(call, value, args, total, names, past);
done:
    for (i = 0; i < total; i++) {
        Py_XDECREF(values[i + 1]);
    }
    return result;
}

/* Return a product of two arrays in memory, or of such that are computed for it; NULL without an error: the
   call is of something else, or Python has to see to it. */
static PyObject *
product_call(Call *call, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    int multiplies = call->kind == CALLS && call->whole == state.matmul; /* as the operator, stacks too */
    PyObject *function = call->kind == FUNCTION && call->fits == PRODUCT ? call->theirs
        : call->kind == METHOD && call->own == DOT_METHOD ? call->name
        : NULL;
    if ((function == NULL && !multiplies) || count != 2 || names != NULL
        || (!holds_values(args[0]) && !holds_values(args[1]))) {
        return NULL;
    }
    return compute_factors(args[0], args[1]) < 0 ? NULL : fast_product(args[0], args[1], function);
}

/* Return whether the arguments of a ufunc are its operands; what follows these is an output. */
static int
takes_operands(Call *call, Py_ssize_t count, PyObject *names)
{
    return names == NULL && count == call->places;
}

#include "joined.h"
#include "chosen.h"

/* Return the result of a call of few kinds of arguments; NULL without an error: there is none. */
static PyObject *
special_call(Call *call, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    PyObject *result;
    switch (call->kind) {
    case REDUCE:
    case MEAN: return fast_reduction(call, args, count, names);
    case METHOD: return call->own == DOT_METHOD ? NULL : fast_method(call, args, count, names);
    case FUNCTION:
        result = is_choice(call, count, names) ? chosen_elements(call, args) : NULL;
        return result == NULL && !PyErr_Occurred() ? fast_function(call, args, count, names) : result;
    case ELEMENTWISE:
        return takes_operands(call, count, names)
            ? fast_ufunc(call->theirs, call->op, call->loop, args, count) : NULL;
    default: return call->own == JOINED_ARRAYS ? joined_call(call, args, count, names) : NULL;
    }
}

#include "scans.h"
#include "vectors.h"
#include "norms.h"

/* Return the output of a ufunc that writes it in place of a large operand, as its operator does; NULL without
   an error: it has none, or another output. */
static PyObject *
operated_in_place(Call *call, PyObject *const *args, Py_ssize_t count)
{
    int k = call->loop;
    if (k < 0 || k > RIGHT_SHIFT || count != 2 || args[2] != args[0] || !is_array(args[0])) {
        return NULL;
    }
    PyObject *memory = owner_of((Array *)args[0])->memory; /* a view may be out of date */
    return memory != NULL && PyArray_CheckExact(memory) ? in_place(k, args[0], args[1]) : NULL;
}

/* Return the output that NumPy's protocol passes for a ufunc, as operated_in_place does. */
static PyObject *
operated_by_protocol(PyObject *ufunc, PyObject *args, PyObject *keywords)
{
    PyObject *out = keywords == NULL || PyDict_GET_SIZE(keywords) != 1 || PyTuple_GET_SIZE(args) != 4
        ? NULL : PyDict_GetItemString(keywords, "out");
    PyObject *number = out == NULL || !PyTuple_CheckExact(out) || PyTuple_GET_SIZE(out) != 1
        ? NULL : PyDict_GetItemWithError(state.loops, ufunc);
    if (number == NULL) {
        return NULL;
    }
    Call call = {.loop = (int)PyLong_AsLong(number)};
    PyObject *const operands[3] = {
        PyTuple_GET_ITEM(args, 2), PyTuple_GET_ITEM(args, 3), PyTuple_GET_ITEM(out, 0)};
    return operated_in_place(&call, operands, 2);
}

/* Return the result of a call; NULL without an error: Python has to see to it. */
static PyObject *
fast_call(Call *call, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    if (call->kind == ELEMENTWISE && names != NULL && call->whole != NULL && IS_CALL(call->whole)
        && PyTuple_GET_SIZE(names) == 1 && is_named(PyTuple_GET_ITEM(names, 0), "out")) {
        PyObject *written = general_call((Call *)call->whole, args, count, names);
        return written == NULL && !PyErr_Occurred() ? operated_in_place(call, args, count) : written;
    }
    if (call->kind == FUNCTION && call->fits == BROADCAST && count == 1 && names == NULL) {
        PyObject *where = PyDict_GetItemWithError(state.calls, PyTuple_GET_ITEM(state.places, 0));
        PyObject *places = PyDict_GetItemWithError(state.calls, PyTuple_GET_ITEM(state.places, 1));
        return where != (PyObject *)call || places == NULL ? NULL : fast_call((Call *)places, args, count, names);
    }
    PyObject *result = call->loop == NORM ? norm_of_array(call, args, count, names)
        : call->loop >= LEAST_PLACE ? places_of_extremes(call, args, count, names)
        : call->kind == METHOD || call->fits == PRODUCT ? product_call(call, args, count, names) : NULL;
    if (result == NULL && !PyErr_Occurred() && call->kind != ELEMENTWISE) {
        result = scanned(call, args, count, names);
    }
    if (result == NULL && !PyErr_Occurred()) {
        result = product_of_vectors(call, args, count, names);
    }
    if (result == NULL && !PyErr_Occurred()) {
        result = special_call(call, args, count, names);
    }
    if (result == NULL && !PyErr_Occurred()) {
        result = product_call(call, args, count, names);
    }
    if (result == NULL && call->whole != NULL && !PyErr_Occurred()) {
        /* A ufunc has a call of its own for this, which its results remember. */
        Call *general = IS_CALL(call->whole) ? (Call *)call->whole : call;
        int views = general->flags & GIVES_VIEWS && count && PyArray_CheckExact(args[0]);
        result = views ? view_of_wrapped(general_call, general, args, count, names)
            : general_call(general, args, count, names);
    }
    return result;
}

/* Let the pending arguments of a call have memory, where all arrays among the arguments are so few elements
   that NumPy's function then runs at once: to build it as an expression takes longer. Reductions and
   ufuncs, which are built here, wait with their operands, unless these are reduced from more. Return -1
   with an error. */
static int
compute_for_call(Call *call, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    Py_ssize_t total = count + (names == NULL ? 0 : PyTuple_GET_SIZE(names));
    int pending = 0, failed = 0;
    for (Py_ssize_t i = 0; i < total; i++) {
        pending |= is_pending(args[i]);
    }
    Py_ssize_t most = pending ? limit_now() : 0;
    if (most <= 0 || call->kind == REDUCE || call->kind == MEAN) {
        return PyErr_Occurred() ? -1 : 0;
    }
    if (call->kind == ELEMENTWISE) {
        return names == NULL ? compute_reduced(args, count) : 0;
    }
    if (call->kind == CALLS) {
        int joins = count && (PyList_CheckExact(args[0]) || PyTuple_CheckExact(args[0]));
        if (call->whole == NULL || call->flags & (WRITES | FILLS | AS_IS) || joins) {
            return 0; /* see compute_arguments */
        }
        if (call->bound == REPEATED && count > 1 && is_pending(args[1])
            && is_of_few_elements(args[1], most * state.created) && compute_pending(args[1]) < 0) {
            return -1; /* without them the shape is not known */
        }
        most = call->flags & BY_LIBRARY ? most_at_once(call, most)
            : most * (call->flags & CHEAP ? state.cheaper : 1);
    }
    else if (call->flags & BY_LIBRARY) {
        most = most_at_once(call, most);
    }
    else {
        most *= call->times < state.cheaper ? call->times : state.cheaper;
    }
    /* No kernel takes in what a library computes of; others may compute it with what reads it. */
    Py_ssize_t bound = call->kind == CALLS ? needed.factors : limit_now() * state.created;
    for (Py_ssize_t i = 0; i < total; i++) {
        if (!is_of_few_elements(args[i], most)
            || (is_pending(args[i]) && !has_few_elements(args[i], bound))) {
            return 0;
        }
    }
    for (Py_ssize_t i = 0; !failed && i < total; i++) {
        failed = is_pending(args[i]) && compute_pending(args[i]) < 0 ? -1 : 0;
    }
    return failed;
}

#include "stored.h"

/* Return a copy of an array that is too large for other methods, in a block, as copies are made to be
   written to; NULL without an error: Python has to see to it. */
static PyObject *
copied_array(Call *call, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    if (call->kind != METHOD || count != 1 || names != NULL || !is_array(args[0]) || limit_now() <= 0
        || PyDict_GET_SIZE(state.donated) || PyUnicode_CompareWithASCIIString(call->name, "copy")
        || compute_written(args[0]) < 0) {
        return NULL;
    }
    Array *x = (Array *)args[0];
    PyObject *memory = Py_XNewRef(memory_of(x)), *copy = NULL, *before;
    double most = needed.written_bytes; /* of more that is nobody else's, the first write makes the copy */
    if (memory == NULL && !PyErr_Occurred()) {
        memory = leaf_memory(x);
        most = known_sparing ? most : (double)LARGEST_BLOCK;
    }
    if (memory != NULL && PyArray_CheckExact(memory) && is_known(PyArray_DESCR((PyArrayObject *)memory))
        && memory_bytes(memory) <= most) {
        before = begin_blocks(memory_bytes(memory));
        copy = PyArray_NewCopy((PyArrayObject *)memory, NPY_CORDER);
        end_blocks(before);
    }
    Py_XDECREF(memory);
    return copy == NULL ? NULL : computed(copy, (PyObject *)call, args[0], NULL, x->past);
}

/* Return the result of a call, which may be an expression. */
static inline PyObject *
called(Call *call, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    if (compute_for_call(call, args, count, names) < 0) {
        return NULL;
    }
    PyObject *result = fast_or_stored(call, args, count, names);
    if (result != NULL || PyErr_Occurred()) {
        return result;
    }
    if (call->kind <= METHOD) {
        result = copied_array(call, args, count, names);
        if (result != NULL || PyErr_Occurred()) {
            return result;
        }
        result = reduced(&call->reductions, call->slow, args, count, names);
        if (result != NULL || PyErr_Occurred()) {
            return result;
        }
    }
    int may_learn = call->kind == ELEMENTWISE && takes_operands(call, count, names);
    PyObject *left = may_learn ? args[0] : NULL, *right = may_learn && count > 1 ? args[1] : NULL;
    if (may_learn && (result = built(call->op, left, right)) != NULL) {
        return result;
    }
    if (PyErr_Occurred()) {
        return NULL;
    }
    result = slow_call(call, args, count, names);
    if (may_learn) {
        learn(call->op, left, right, result);
    }
    return result;
}
