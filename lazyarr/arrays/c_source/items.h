/* Elements, views and writes of arrays in memory. */

#include "basic_views.h"
#include "gathers.h"
#include "pending_views.h"
#include "elements.h"

/* Return the array of an element of memory. NULL without an error: the key does not choose one. */
static inline PyObject *
element(Array *x, PyArrayObject *memory, PyObject *key)
{
    char *place = element_at(memory, key);
    if (place == NULL) {
        return NULL;
    }
    if (PyArray_TYPE(memory) == NPY_DOUBLE && PyArray_ISBEHAVED_RO(memory)) {
        return computed_number(*(double *)place, state.item, (PyObject *)x, key, x->past);
    }
    PyObject *value = number_at(place, PyArray_ISBEHAVED_RO(memory) ? PyArray_TYPE(memory) : NPY_OBJECT, memory);
    return value == NULL ? NULL : computed(value, state.item, (PyObject *)x, key, x->past);
}

/* Return ``x[key]`` of an array that has memory; see `fast_item`. */
static PyObject *
item_of_memory(Array *x, PyObject *memory, PyObject *key, Py_ssize_t most)
{
    if (PyArray_CheckExact(memory)) {
        if (PyArray_SIZE((PyArrayObject *)memory) > most && PyDict_GET_SIZE(state.donated)) {
            return NULL;
        }
        PyObject *number = element(x, (PyArrayObject *)memory, key);
        if (number != NULL || PyErr_Occurred()) {
            return number;
        }
    }
    int basic = is_basic(key);
    PyObject *view = basic && PyArray_CheckExact(memory) ? basic_view((PyArrayObject *)memory, key) : NULL;
    if (view != NULL || PyErr_Occurred()) {
        return view == NULL ? NULL : view_of(x, view, state.item, key);
    }
    PyObject *index = key;
    double bytes = 0;
    PyArrayObject *mask = basic || !PyArray_CheckExact(memory)
        ? NULL : mask_of(key, (PyArrayObject *)memory, most * state.written);
    if (mask != NULL) {
        PyObject *elements = taken((PyArrayObject *)memory, mask);
        Py_DECREF(mask);
        return elements == NULL
            ? NULL : computed(elements, state.item, (PyObject *)x, key, x->past);
    }
    if (basic) {
        Py_INCREF(index);
    }
    else if ((index = index_in_memory(key, most * state.written)) == NULL) {
        return NULL;
    }
    else if (!is_basic(index)) {
        most *= MOST_GATHERED;
        double chosen = PyArray_CheckExact(memory)
            ? most_chosen(index, (PyArrayObject *)memory) : (double)most;
        bytes = chosen * (double)element_size((PyObject *)x);
        if (chosen > (double)most
            && (isfinite(chosen) || PyArray_SIZE((PyArrayObject *)memory) > most)) {
            Py_DECREF(index);
            return NULL;
        }
    }
    int is_view = basic || is_basic(index);
    PyObject *part = is_view || !PyArray_CheckExact(memory) ? NULL : gathered((PyArrayObject *)memory, index), *result = NULL;
    if (part == NULL && !PyErr_Occurred()) {
        PyObject *before = begin_blocks(bytes);
        part = PyObject_GetItem(memory, index);
        end_blocks(before);
    }
    PyObject *chosen = is_view || has_list(key) ? index : key; /* what the array is at these indices, later too */
    if (part == NULL) {
        was_refused();
    }
    else if (!is_view && PyArray_CheckExact(part) && PyArray_SIZE((PyArrayObject *)part) > most) {
        Py_DECREF(part);
    }
    else if (part == memory) { /* an index of nothing into a number gives that number */
        result = computed(part, state.item, (PyObject *)x, chosen, x->past);
    }
    else {
        result = wrapped(part, x, memory, state.item, chosen, x->past);
    }
    Py_DECREF(index);
    return result;
}

/* Return ``x[key]`` of an array in memory; NULL without an error: it is to be built.
   What basic indices choose is a view, whatever its size. */
static inline PyObject *
fast_item(Array *x, PyObject *key)
{
    PyObject *memory;
    Py_ssize_t most;
    if (!is_array((PyObject *)x) || (most = limit_now()) <= 0 || (memory = memory_of(x)) == NULL) {
        return NULL;
    }
    Py_INCREF(memory);
    PyObject *item = item_of_memory(x, memory, key, most);
    Py_DECREF(memory);
    return item;
}

/* Let a pending mask of as many elements as an array in memory has, at most so many, have memory, where the elements
   under it are read or written to; return -1 with an error. */
static int
compute_mask(PyObject *x, PyObject *key, Py_ssize_t most)
{
    if (!is_pending(key) || !is_array(x)) {
        return 0;
    }
    Node *node = (Node *)((Array *)key)->node;
    PyObject *memory = memory_of((Array *)x);
    if (memory == NULL || !PyArray_CheckExact(memory)
        || ((PyArray_Descr *)node->dtype)->type_num != NPY_BOOL
        || PyTuple_GET_SIZE(node->shape) != PyArray_NDIM((PyArrayObject *)memory)
        || !PyArray_NDIM((PyArrayObject *)memory) || size_of(node) > most
        || size_of(node) != PyArray_SIZE((PyArrayObject *)memory)) {
        return PyErr_Occurred() ? -1 : 0;
    }
    return compute_pending(key);
}

/* Return ``x[key]``, which may be an expression. */
static inline PyObject *
item_or_expression(PyObject *x, PyObject *key)
{
    if (compute_indices(key) < 0 || compute_gathered(x, key) < 0
        || (is_pending(key) && compute_mask(x, key, limit_now() * state.written) < 0)
        || (is_pending(x) && is_basic(key) && compute_read(x) < 0)) {
        return NULL;
    }
    PyObject *part = fast_item((Array *)x, key);
    if (part != NULL || PyErr_Occurred()) {
        return part;
    }
    return part_of_expression(x, key);
}

static PyObject *
subscript(PyObject *x, PyObject *key)
{
    PyObject *number = number_of_memory(x, key);
    if (number != NULL || PyErr_Occurred()) {
        return number;
    }
    int may_change = !is_plain_mask(key) && any_may_be_written(&key, 1, OF_STACK); /* a mask is copied */
    return read_at_call(item_or_expression(x, key), may_change, 1);
}

/* Return whether elements of a dtype go into those of another one without an exception, or as NumPy warns. */
static int
is_cast_quietly(PyArray_Descr *from, int code)
{
    if (from->type_num == code || PyArray_CanCastSafely(from->type_num, code)) {
        return 1;
    }
    if (!is_known(from) || (PyTypeNum_ISCOMPLEX(from->type_num) && !PyTypeNum_ISCOMPLEX(code))) {
        return 0;
    }
    return ((PyTypeNum_ISINTEGER(from->type_num) || PyTypeNum_ISBOOL(from->type_num)) && code != NPY_HALF)
        || in_users_code();
}

/* Return whether a value goes into elements of a dtype without an exception, or as NumPy warns. */
static int
goes_into(PyObject *value, PyArray_Descr *dtype)
{
    int code = dtype->type_num;
    if (PyFloat_CheckExact(value)) {
        return code == NPY_DOUBLE || code == NPY_CDOUBLE || in_users_code();
    }
    if (PyBool_Check(value)) {
        return 1;
    }
    if (PyLong_CheckExact(value)) {
        return code == NPY_DOUBLE || PyTypeNum_ISINTEGER(code) || PyTypeNum_ISBOOL(code)
            || in_users_code();
    }
    if (PyComplex_CheckExact(value)) {
        return code == NPY_CDOUBLE || (code == NPY_CFLOAT && in_users_code());
    }
    if (PyArray_CheckExact(value)) {
        return is_cast_quietly(PyArray_DESCR((PyArrayObject *)value), code);
    }
    PyArray_Descr *from = PyArray_DescrFromScalar(value);
    if (from == NULL) {
        PyErr_Clear();
        return 0;
    }
    int quiet = is_cast_quietly(from, code);
    Py_DECREF(from);
    return quiet;
}

/* Return whether a write to a large array is one to a part of it by a basic index, or by numbers: the whole of an array
   has an expression as its next value, but one of few bytes, which is computed sooner. */
static int
writes_part(Array *array, PyObject *key, PyObject *value)
{
    if (!is_basic(key)) {
        return 0;
    }
    if (array->owner != NULL || !is_array(value)) {
        return 1;
    }
    PyObject *const *items = PyTuple_CheckExact(key) ? &PyTuple_GET_ITEM(key, 0) : &key;
    Py_ssize_t count = PyTuple_CheckExact(key) ? PyTuple_GET_SIZE(key) : 1;
    for (Py_ssize_t i = 0; i < count; i++) {
        if (PyLong_CheckExact(items[i])) {
            return 1;
        }
        if (PySlice_Check(items[i])) {
            PySliceObject *slice = (PySliceObject *)items[i];
            if (slice->start != Py_None || slice->stop != Py_None || slice->step != Py_None) {
                return 1;
            }
        }
    }
    return is_pending(value) && bytes_of((Node *)((Array *)value)->node) < needed.straight_bytes;
}

#include "direct_writes.h"

/* Write a number to an element; return whether that was possible. */
static inline int
write_element(Array *array, PyArrayObject *target, PyObject *key, PyObject *value, int large)
{
    Pair number;
    char *place;
    if (!PyArray_ISBEHAVED(target) || !put_number((char *)&number, PyArray_TYPE(target), value)
        || (place = element_at(target, key)) == NULL) {
        return 0;
    }
    if (large) {
        note_written(array);
    }
    memcpy(place, &number, (size_t)PyArray_ITEMSIZE(target));
    mark_written(array, (PyObject *)target); /* as it was a moment ago: nothing else ran */
    return 1;
}

/* Return whether a value is what a basic index shows of an array, as behind ``x[key] += y``: nothing
   is to be written then. */
static int
shows_itself(Array *array, PyObject *key, PyObject *value)
{
    Array *part = (Array *)value;
    if (!is_array(value) || part->owner == NULL || part->owner != owner_of(array)
        || !is_basic(key) || array->locked != NULL || part->locked != NULL
        || part->owner->locked != NULL) {
        return 0;
    }
    PyObject *memory = memory_of(array), *shown = memory_of(part);
    if (memory == NULL || shown == NULL || !PyArray_CheckExact(memory) || !PyArray_CheckExact(shown)
        || !PyArray_ISWRITEABLE((PyArrayObject *)memory)) {
        return 0;
    }
    PyArrayObject *part_shown = (PyArrayObject *)shown;
    Chosen chosen;
    int axes = PyArray_NDIM(part_shown);
    int same = choose_elements(&chosen, (PyArrayObject *)memory, key)
        && PyArray_BYTES(part_shown) == chosen.data && axes == chosen.axes
        && PyArray_DESCR(part_shown) == PyArray_DESCR((PyArrayObject *)memory)
        && PyArray_CompareLists(PyArray_DIMS(part_shown), chosen.shape, axes)
        && PyArray_CompareLists(PyArray_STRIDES(part_shown), chosen.strides, axes);
    return same;
}

/* Let a pending value that is written by a basic index have memory first, where no kernel writes it
   straight to its place; return -1 with an error. */
static int
compute_to_assign(Array *array, PyObject *key, PyObject *value, Py_ssize_t most)
{
    PyObject *memory = is_pending(value) && is_basic(key) ? memory_of(array) : NULL;
    if (memory == NULL || !PyArray_CheckExact(memory)) {
        return PyErr_Occurred() ? -1 : 0;
    }
    int apart = 1;
    if (PyArray_SIZE((PyArrayObject *)memory) > most) {
        apart = writes_part(array, key, value) ? is_computed_apart(array, key, value, needed.straight_bytes) : 0;
    }
    return apart > 0 ? compute_pending(value) : apart;
}

/* Return whether a value is a list or a tuple of Python's numbers, or of such lists, which NumPy writes. */
static int
is_list_of_numbers(PyObject *value, int depth)
{
    if (!depth || !(PyList_CheckExact(value) || PyTuple_CheckExact(value))) {
        return 0;
    }
    Py_ssize_t count = PySequence_Fast_GET_SIZE(value);
    for (Py_ssize_t k = 0; k < count; k++) {
        PyObject *item = PySequence_Fast_GET_ITEM(value, k);
        if (!PyFloat_CheckExact(item) && !PyLong_CheckExact(item) && !PyBool_Check(item)
            && !is_list_of_numbers(item, depth - 1)) {
            return 0;
        }
    }
    return 1;
}

/* Write to memory of an array; return 1 if it was, 0 if Python has to see to it, -1 with an error. */
static int
assign_to_memory(Array *array, PyArrayObject *target, PyObject *key, PyObject *value, Py_ssize_t most)
{
    Py_ssize_t past = 0;
    int large = PyArray_SIZE(target) > most;
    if (write_element(array, target, key, value, large)) {
        return 1;
    }
    PyArrayObject *mask = is_basic(key) ? NULL : mask_of(key, target, PY_SSIZE_T_MAX);
    if (mask != NULL) {
        PyObject *part = operand(value, PY_SSIZE_T_MAX, &past);
        int is_put = part != NULL && put_under(target, mask, part);
        Py_XDECREF(part);
        Py_DECREF(mask);
        if (is_put) {
            if (large) {
                note_written(array);
            }
            return wrote(array, (PyObject *)target) < 0 ? -1 : 1;
        }
    }
    /* More indices than a small array has elements may write to it. */
    int many = large || !is_basic(key);
    Py_ssize_t largest = many ? most * state.written : most; /* of indices that copy */
    if (large && (PyArray_SIZE(target) > largest || (is_basic(key) && is_pending(value)))
        && !writes_part(array, key, value) && !chooses_places(key)) {
        return 0;
    }
    int is_list = is_basic(key) && is_list_of_numbers(value, NPY_MAXDIMS) && in_users_code(), result = 0;
    PyObject *data = is_list ? Py_NewRef(value) : operand(value, many ? PY_SSIZE_T_MAX : most, &past), *index = NULL;
    if (data != NULL && (is_list || goes_into(data, PyArray_DESCR(target)))) {
        if (large) {
            note_written(array);
        }
        if (is_basic(key) && write_chosen(target, key, data)) {
            Py_DECREF(data);
            return wrote(array, (PyObject *)target) < 0 ? -1 : 1;
        }
        int code = PyArray_TYPE(target), may_overflow = code == NPY_HALF || code == NPY_FLOAT || code == NPY_CFLOAT;
        /* A list that NumPy refuses is converted again by Python's form, which would warn a second time. */
        index = is_list && may_overflow ? NULL : index_in_memory(key, largest);
        if (index != NULL && !is_basic(index)) {
            index = index_apart(target, index);
        }
    }
    if (index != NULL && scattered(target, index, data)) {
        Py_DECREF(index);
        Py_DECREF(data);
        return wrote(array, (PyObject *)target) < 0 ? -1 : 1;
    }
    if (index != NULL) {
        int failed = PyObject_SetItem((PyObject *)target, index, data);
        int refused = failed && !PyErr_ExceptionMatches(PyExc_FloatingPointError)
            && was_refused();
        int marked = refused || mark_written(array, (PyObject *)target);
        Py_DECREF(index);
        /* An exception came after the value was written. */
        result = failed && !refused ? -1 : !failed && marked;
    }
    Py_XDECREF(data);
    return result;
}

static int
assign(PyObject *x, PyObject *key, PyObject *value)
{
    if (value == NULL) {
        PyErr_SetString(PyExc_ValueError, "cannot delete array elements");
        return -1;
    }
    Array *array = (Array *)x;
    Py_ssize_t most;
    int is_number_written = write_number(x, key, value);
    if (is_number_written) {
        return is_number_written < 0 ? -1 : 0;
    }
    if (compute_indices(key) < 0
        || (is_pending(x) && is_basic(key) && writes_part(array, key, value) && compute_written(x) < 0)) {
        return -1;
    }
    if (is_array(x) && (array->memory != NULL || array->is_double) && (most = limit_now()) > 0) {
        if (shows_itself(array, key, value)) {
            return 0;
        }
        if (may_be_read(array) && (!is_basic(key) || writes_part(array, key, value))
            && compute_readers(array, value) < 0) {
            return -1;
        }
        int written = write_one_pass(array, key, value, most);
        if (written) {
            return written < 0 ? -1 : 0;
        }
        if (compute_to_assign(array, key, value, most) < 0) {
            return -1;
        }
        int is_one = is_number(value) || is_scalar(value); /* which is written wherever the mask says */
        if (compute_mask(x, key, is_one ? PY_SSIZE_T_MAX : is_pending(value) ? 0 : most * state.written) < 0) {
            return -1;
        }
        PyArrayObject *target = writable_memory(array);
        if (target != NULL) {
            Py_INCREF(target);
            int result = assign_to_memory(array, target, key, value, most);
            Py_DECREF(target);
            if (result) {
                return result < 0 ? -1 : 0;
            }
        }
    }
    if (PyErr_Occurred()) {
        return -1;
    }
    PyObject *three[3] = {x, key, value};
    PyObject *result = PyObject_Vectorcall(state.slow_setitem, three, 3, NULL);
    Py_XDECREF(result);
    return result == NULL ? -1 : 0;
}

static Py_ssize_t
length(PyObject *x)
{
    PyObject *memory = ((Array *)x)->memory;
    if (memory != NULL && PyArray_CheckExact(memory) && PyArray_NDIM((PyArrayObject *)memory)
        && !PyList_GET_SIZE(state.running)) {
        return PyArray_DIM((PyArrayObject *)memory, 0);
    }
    PyObject *result = PyObject_CallOneArg(state.slow_len, x);
    if (result == NULL) {
        return -1;
    }
    Py_ssize_t count = PyLong_AsSsize_t(result);
    Py_DECREF(result);
    return count;
}

static PyMappingMethods as_mapping = {
    .mp_length = length,
    .mp_subscript = subscript,
    .mp_ass_subscript = assign,
};

#include "iteration.h"
