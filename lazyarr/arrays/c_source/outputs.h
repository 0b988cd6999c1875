/* Ufuncs that write to ``out=``. */

static inline int
is_named(PyObject *name, const char *text)
{
    return PyUnicode_CompareWithASCIIString(name, text) == 0;
}

/* Return an output's memory, a new reference; NULL if Python has to see to it. */
static PyObject *
output_memory(PyObject *out, Py_ssize_t most)
{
    PyArrayObject *memory = NULL;
    if (is_array(out)) {
        memory = writable_memory((Array *)out);
        if (memory == NULL && !((Array *)out)->is_double) { /* Python's form may let it have some */
            PyObject *own = PyObject_CallOneArg(state.to_write, out);
            if (own == NULL) {
                return NULL;
            }
            memory = own == Py_None ? NULL : writable_memory((Array *)out);
            Py_DECREF(own);
        }
    }
    else if (PyArray_CheckExact(out) && PyArray_ISWRITEABLE((PyArrayObject *)out)) {
        memory = (PyArrayObject *)out;
    }
    if (memory == NULL || !is_known(PyArray_DESCR(memory)) || PyArray_SIZE(memory) > most) {
        return NULL;
    }
    return Py_NewRef((PyObject *)memory);
}

/* Return how many times as many elements as of four bytes NumPy computes at once, of arrays in memory with narrower
   elements; 1 beside expressions, which a kernel joins. */
static Py_ssize_t
narrow_factor(PyObject *const *operands, Py_ssize_t count, PyObject *target)
{
    npy_intp widest = 1;
    for (Py_ssize_t i = 0; i <= count; i++) {
        PyObject *memory = i < count ? operands[i] : target;
        if (is_array(memory) && (memory = memory_of((Array *)memory)) == NULL) {
            PyErr_Clear();
            return 1;
        }
        if (PyArray_CheckExact(memory) && PyArray_NDIM((PyArrayObject *)memory)) {
            npy_intp item = PyArray_ITEMSIZE((PyArrayObject *)memory);
            widest = item > widest ? item : widest;
        }
    }
    return widest < 4 ? 4 / widest : 1;
}

/* Let the operands that are small expressions have their values in memory, where the output is small
   too; return -1 with an error. */
static int
compute_small(PyObject *const *operands, Py_ssize_t count, PyObject *target, Py_ssize_t most)
{
    int is_small = 0;
    for (Py_ssize_t i = 0; i < count; i++) {
        Array *array = (Array *)operands[i];
        if (!is_pending(operands[i]) || size_of((Node *)array->node) > most) {
            continue;
        }
        if (!is_small) { /* else a kernel computes it with what reads it */
            PyObject *size = PyObject_GetAttr(target, str_size);
            Py_ssize_t elements = size == NULL ? -1 : PyLong_AsSsize_t(size);
            Py_XDECREF(size);
            if (elements < 0 || elements > most) {
                PyErr_Clear(); /* it is no array */
                return 0;
            }
            is_small = 1;
        }
        if (compute_pending(operands[i]) < 0) {
            return -1;
        }
    }
    return 0;
}

/* Return whether a ufunc may raise an error of some element after it has written to a target: then nothing can
   be computed again of what it was written over. */
static inline int
raises_late(PyObject *ufunc, PyObject *target)
{
    return ufunc == state.power && PyTypeNum_ISINTEGER(PyArray_TYPE((PyArrayObject *)target));
}

/* Return whether NumPy warns of an output without a name: of extrema, it may be meant as an operand. */
static inline int
warns_of_third(PyObject *ufunc)
{
    PyObject *number = PyDict_GetItemWithError(state.loops, ufunc);
    long k = number == NULL ? -1 : PyLong_AsLong(number);
    return k == MINIMUM || k == MAXIMUM;
}

/* Return the output of a ufunc of one, after it was written to; NULL without an error: Python has
   to see to it. The keywords are ``out`` and ``where``. */
static PyObject *
fast_into(Call *call, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    Py_ssize_t named = names == NULL ? 0 : PyTuple_GET_SIZE(names), total = count + named, i;
    Py_ssize_t operands = count > call->places ? call->places : count;
    Operands taken = {.product = 1, .integers = 1};
    PyObject *out = count > call->places ? args[call->places] : NULL, *result = NULL;
    if (total > MOST_ARGUMENTS || operands < call->places || count > call->places + 1
        || (taken.most = limit_now()) <= 0 || !in_users_code()) {
        return NULL;
    }
    taken.most *= call->flags & CHEAP ? state.written : 1; /* as operators in place */
    for (i = 0; i < named; i++) {
        if (is_named(PyTuple_GET_ITEM(names, i), "out") && out == NULL) {
            out = args[count + i];
        }
        else if (!is_named(PyTuple_GET_ITEM(names, i), "where")) {
            return NULL;
        }
    }
    PyObject *target = out;
    if (target != NULL && PyTuple_CheckExact(target) && PyTuple_GET_SIZE(target) == 1) {
        target = PyTuple_GET_ITEM(target, 0);
    }
    if (target != NULL && call->flags & CHEAP) {
        taken.most *= narrow_factor(args, operands, target);
    }
    if (target != NULL && compute_small(args, operands, target, taken.most) < 0) {
        return NULL;
    }
    PyObject *memory = target == NULL ? NULL : output_memory(target, taken.most);
    if (memory == NULL) {
        return NULL;
    }
    PyObject *values[MOST_ARGUMENTS + 1] = {NULL};
    if (raises_late(call->whole, memory)) {
        goto done;
    }
    int is_written = named + (count > call->places) == 1 && PyArray_CheckExact(memory)
            && (named || !warns_of_third(call->whole))
        ? looped_into(call->whole, args, operands, (PyArrayObject *)memory, taken.most) : 0;
    if (is_written) {
        int failed = is_array(target) ? wrote((Array *)target, memory) : 0;
        result = failed || is_written < 0 ? NULL : Py_NewRef(target);
        goto done;
    }
    for (i = 0; i < total; i++) {
        values[i + 1] = args[i] == out ? Py_NewRef(memory) : in_memory(args[i], &taken);
        if (values[i + 1] == NULL) {
            goto done;
        }
    }
    PyObject *value = PyObject_Vectorcall(call->whole, values + 1,
                                          count | PY_VECTORCALL_ARGUMENTS_OFFSET, names);
    if (value == NULL) {
        if (PyErr_ExceptionMatches(PyExc_FloatingPointError)) {
            if (is_array(target)) {
                wrote((Array *)target, memory); /* the exception came after the result was written */
            }
        }
        else {
            was_refused();
        }
        goto done;
    }
    Py_DECREF(value);
    if (!is_array(target) || !wrote((Array *)target, memory)) {
        result = Py_NewRef(target);
    }
done:
    for (i = 0; i < total; i++) {
        Py_XDECREF(values[i + 1]);
    }
    Py_DECREF(memory);
    return result;
}

/* References to an operand of NumPy's protocol that has no name: of the statement, and of NumPy's tuples. */
#define UNNAMED 7

/* Return whether a ufunc writes over an ndarray that is an operand, too: NumPy writes there as fast as a kernel,
   or a kernel has done so, and `*is_done` says that. The pending operands that it needs have their values in memory
   before. -1 with an error. */
static int
writes_over(PyObject *ufunc, PyObject *const *operands, Py_ssize_t count, PyObject *target, int *is_done)
{
    int is_operand = 0, is_pending_alone = 0;
    for (Py_ssize_t i = 0; i < count; i++) {
        is_operand |= operands[i] == target;
        is_pending_alone |= is_pending(operands[i]) && Py_REFCNT(operands[i]) <= UNNAMED && !is_lent(operands[i]);
    }
    if (!is_operand || PySet_Contains(state.cheap, ufunc) != 1 || PyDict_GET_SIZE(state.donated)) {
        return PyErr_Occurred() ? -1 : 0;
    }
    if (is_pending_alone && count == 2) {
        PyObject *written = PyObject_CallFunctionObjArgs(state.write_over, ufunc, operands[0], operands[1], target, NULL);
        if (written == NULL) {
            return -1;
        }
        *is_done = written == Py_True;
        Py_DECREF(written);
        if (*is_done) {
            return 1;
        }
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        if (is_pending(operands[i]) && compute_pending(operands[i]) < 0) {
            return -1;
        }
    }
    return 1;
}

/* Return an ndarray after a ufunc of values in memory has written to it; NULL without an error: the only
   keyword is not ``out``, or Python has to see to it. */
static PyObject *
ufunc_into(PyObject *ufunc, PyObject *args, PyObject *keywords)
{
    static PyObject *names;
    Py_ssize_t count = PyTuple_GET_SIZE(args) - 2, past = 0, most = limit_now() * state.written;
    PyObject *out = PyDict_GET_SIZE(keywords) != 1 || count < 1 || count > 2
        ? NULL : PyDict_GetItemString(keywords, "out");
    if (out == NULL || most <= 0 || !PyTuple_CheckExact(out) || PyTuple_GET_SIZE(out) != 1
        || !PyArray_CheckExact(PyTuple_GET_ITEM(out, 0)) || (names == NULL && (names = Py_BuildValue("(s)", "out")) == NULL)) {
        return NULL;
    }
    PyObject *target = PyTuple_GET_ITEM(out, 0), *values[4] = {NULL}, *result = NULL;
    int known = is_known(PyArray_DESCR((PyArrayObject *)target)) && !raises_late(ufunc, target) && in_users_code();
    if (known && PyArray_SIZE((PyArrayObject *)target) > most) {
        int is_done = 0;
        known = writes_over(ufunc, &PyTuple_GET_ITEM(args, 2), count, target, &is_done);
        if (known < 0 || is_done) {
            return known < 0 ? NULL : Py_NewRef(target);
        }
        most = ANY_NUMBER;
    }
    for (Py_ssize_t i = 0; known && i < count; i++) {
        values[i + 1] = read_operand(PyTuple_GET_ITEM(args, i + 2), most, &past);
        known = values[i + 1] != NULL;
    }
    if (known) {
        values[count + 1] = target;
        result = PyObject_Vectorcall(ufunc, values + 1, (size_t)count | PY_VECTORCALL_ARGUMENTS_OFFSET, names);
        if (result == NULL && !PyErr_ExceptionMatches(PyExc_FloatingPointError)) {
            was_refused(); /* else it was written to */
        }
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        Py_XDECREF(values[i + 1]);
    }
    return result;
}

/* Return the output of a ufunc, the only keyword, after it was written to; NULL without an error: Python
   has to see to it. */
static PyObject *
written_by_protocol(Call *call, PyObject *args, PyObject *keywords)
{
    static PyObject *names;
    Py_ssize_t count = PyTuple_GET_SIZE(args) - 2;
    PyObject *all[MOST_ARGUMENTS + 1];
    if (!(call->flags & WRITES) || keywords == NULL || PyDict_GET_SIZE(keywords) != 1 || count != call->places
        || count > MOST_ARGUMENTS || (names == NULL && (names = Py_BuildValue("(s)", "out")) == NULL)
        || (all[count] = PyDict_GetItemWithError(keywords, PyTuple_GET_ITEM(names, 0))) == NULL) {
        return NULL;
    }
    memcpy(all, &PyTuple_GET_ITEM(args, 2), (size_t)count * sizeof(PyObject *));
    return fast_into(call, all, count, names);
}

/* Put back what an array held, whatever the error is that led to that. */
static void
restore_memory(PyArrayObject *memory, PyArrayObject *before)
{
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    if (PyArray_CopyInto(memory, before) < 0) {
        PyErr_WriteUnraisable((PyObject *)memory);
    }
    PyErr_Restore(type, value, traceback);
}

/* Return whether a number is one of an array's elements without an exception, or NumPy refuses it before it writes:
   an integer that does not fit. */
static int
is_element(PyObject *number, PyArrayObject *memory)
{
    int code = PyArray_TYPE(memory);
    return code == NPY_DOUBLE ? PyFloat_CheckExact(number) || PyLong_CheckExact(number)
        : PyTypeNum_ISINTEGER(code) && PyLong_CheckExact(number);
}

/* Return whether NumPy writes all that a call says, or refuses it before it writes: its arguments fit, and of
   exceptions in arithmetic it warns in the user's line, or raises when it has written. 2: no place counts from the end. */
static int
writes_surely(Call *call, PyArrayObject *memory, PyObject *const *values, Py_ssize_t count)
{
    PyObject *last = values[count - 1];
    int is_number = is_element(last, memory);
    PyArrayObject *array = PyArray_CheckExact(last) && PyArray_DESCR((PyArrayObject *)last) == PyArray_DESCR(memory)
        ? (PyArrayObject *)last : NULL;
    if (call->own == COPYTO_FUNCTION) {
        return count == 2
            && (is_number
                || (array != NULL && PyArray_NDIM(array) == PyArray_NDIM(memory)
                    && PyArray_CompareLists(PyArray_DIMS(array), PyArray_DIMS(memory), PyArray_NDIM(array))));
    }
    int fits = (call->own == AT_FUNCTION || call->own == PUT_FUNCTION) && count == 3 && PyArray_NDIM(memory) == 1;
    int places = fits ? are_places(values[1], PyArray_SIZE(memory)) : 0;
    fits = places
        && (is_number
            || (array != NULL && PyArray_NDIM(array) == 1
                && PyArray_SIZE(array) == PyArray_SIZE((PyArrayObject *)values[1])))
        && in_users_code();
    return fits ? places : 0;
}

/* Return None after a function has written to its first argument, an array in memory; NULL without
   an error: Python has to see to it. What NumPy refuses, or meets an exception in, is not written. */
static PyObject *
fast_fill(Call *call, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    Operands taken = {.product = 1, .integers = 1};
    int is_lazy = count > 0 && is_array(args[0]);
    Py_ssize_t total = count + (names == NULL ? 0 : PyTuple_GET_SIZE(names));
    int is_masked = total == count + 1 && call->own == COPYTO_FUNCTION && is_named(PyTuple_GET_ITEM(names, 0), "where");
    if ((total > count && !is_masked) || count < 2 || total > MOST_ARGUMENTS || count > call->places
        || (!is_lazy && !PyArray_CheckExact(args[0])) || (taken.most = limit_now()) <= 0) {
        return NULL;
    }
    taken.most *= state.written;
    if ((is_lazy && compute_read(args[0]) < 0)
        || compute_arguments(args + 1, total - 1, (double)taken.most * 2, ANY_ARGUMENT) < 0) {
        return NULL;
    }
    PyObject *values[MOST_ARGUMENTS + 1] = {NULL}, *token, *value, *result = NULL;
    PyArrayObject *before = NULL, *memory = NULL;
    for (Py_ssize_t i = 1; i < total; i++) {
        if ((values[i + 1] = in_memory(args[i], &taken)) == NULL) {
            goto done;
        }
    }
    memory = is_lazy ? writable_memory((Array *)args[0]) : (PyArrayObject *)args[0];
    if (memory == NULL || !PyArray_ISWRITEABLE(memory) || !is_known(PyArray_DESCR(memory))
        || PyArray_SIZE(memory) > taken.most) {
        goto done;
    }
    values[1] = Py_NewRef((PyObject *)memory);
    int surely = call->own && !is_masked ? writes_surely(call, memory, values + 1, count) : 0;
    if (surely) {
        value = call->own == AT_FUNCTION && written_at(call->whole, memory, values[2], values[3], surely == 2) ? Py_NewRef(Py_None)
            : PyObject_Vectorcall(call->whole, values + 1, count | PY_VECTORCALL_ARGUMENTS_OFFSET, NULL);
        int refused = value == NULL && (PyErr_ExceptionMatches(PyExc_TypeError) || PyErr_ExceptionMatches(PyExc_OverflowError))
            && was_refused();
        int failed = !refused && is_lazy && wrote((Array *)args[0], (PyObject *)memory) != 0;
        result = value == NULL || failed ? NULL : Py_NewRef(Py_None);
        Py_XDECREF(value);
        goto done;
    }
    before = (PyArrayObject *)PyArray_NewCopy(memory, NPY_KEEPORDER);
    if (before == NULL || (token = begin_noting()) == NULL) {
        goto done;
    }
    value = PyObject_Vectorcall(call->whole, values + 1, count | PY_VECTORCALL_ARGUMENTS_OFFSET, names);
    int clean = end_noting(token);
    if (value == NULL || clean <= 0) {
        restore_memory(memory, before);
        if (value == NULL || clean < 0) {
            was_refused();
        }
    }
    else if (!is_lazy || wrote((Array *)args[0], (PyObject *)memory) == 0) {
        result = Py_NewRef(Py_None);
    }
    Py_XDECREF(value);
done:
    Py_XDECREF(before);
    for (Py_ssize_t i = 0; i < total; i++) {
        Py_XDECREF(values[i + 1]);
    }
    return result;
}

#include "general_outputs.h"

/* Return the result of a call of any arguments; NULL without an error: Python has to see to it. */
static PyObject *
general_call(Call *call, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    if (call->flags & FILLS) {
        return fast_fill(call, args, count, names);
    }
    PyObject *result = fast_general(call, args, count, names);
    if (result == NULL && call->flags & WRITES && !PyErr_Occurred()) {
        result = fast_into(call, args, count, names);
    }
    else if (result == NULL && names != NULL && !PyErr_Occurred()) {
        result = general_into(call, args, count, names);
    }
    return result;
}

/* Return quotient and remainder of two numbers as NumPy's numbers have them, of which it warns by another name than of
   arrays; NULL without an error: one is no number in memory. */
static PyObject *
divmod_of_numbers(PyObject *a, PyObject *b)
{
    PyObject *pair[2] = {a, b}, *numbers[2] = {NULL, NULL}, *value = NULL, *both = NULL;
    int are_numbers = limit_now() > 0 && in_users_code();
    for (int k = 0; k < 2 && are_numbers; k++) {
        int is_plain = PyFloat_CheckExact(pair[k]) || PyLong_CheckExact(pair[k]) || is_scalar(pair[k]);
        numbers[k] = is_plain ? pair[k] : is_number_in_memory(pair[k]) ? memory_of((Array *)pair[k]) : NULL;
        are_numbers = numbers[k] != NULL;
        Py_XINCREF(numbers[k]);
    }
    if (are_numbers && (value = PyNumber_Divmod(numbers[0], numbers[1])) == NULL) {
        was_refused();
    }
    if (value != NULL && PyTuple_CheckExact(value) && PyTuple_GET_SIZE(value) == 2
        && is_scalar(PyTuple_GET_ITEM(value, 0)) && is_scalar(PyTuple_GET_ITEM(value, 1))) {
        Py_ssize_t past = past_of(a) + past_of(b);
        PyObject *quotient = computed(Py_NewRef(PyTuple_GET_ITEM(value, 0)), rows[FLOOR_DIVIDE].op, a, b, past);
        PyObject *rest = computed(Py_NewRef(PyTuple_GET_ITEM(value, 1)), rows[REMAINDER].op, a, b, past);
        both = quotient == NULL || rest == NULL ? NULL : PyTuple_Pack(2, quotient, rest);
        Py_XDECREF(quotient);
        Py_XDECREF(rest);
    }
    Py_XDECREF(numbers[0]);
    Py_XDECREF(numbers[1]);
    Py_XDECREF(value);
    return both;
}

static PyObject *
nb_divmod(PyObject *a, PyObject *b)
{
    PyObject *quotient = limit_now() > 0 ? binary_of_integers(FLOOR_DIVIDE, a, b) : NULL;
    PyObject *rest = quotient == NULL ? NULL : binary_of_integers(REMAINDER, a, b);
    if (rest != NULL) {
        return Py_BuildValue("(NN)", quotient, rest);
    }
    Py_XDECREF(quotient);
    PyObject *both = PyErr_Occurred() ? NULL : divmod_of_numbers(a, b);
    if (both != NULL || PyErr_Occurred()) {
        return both;
    }
    PyObject *pair[2] = {a, b}, *call = PyDict_GetItemWithError(state.calls, state.divmod);
    PyObject *result = call == NULL ? NULL : fast_general((Call *)call, pair, 2, NULL);
    return result != NULL || PyErr_Occurred() ? result : slow_binary(DIVMOD, a, b);
}
