/* Running a small call: its arrays are compared, results allocated, kernels run. */

#ifndef LAZYARR_SMALL_CALL_RUNS_H
#define LAZYARR_SMALL_CALL_RUNS_H

#include "small_call_donations.h"
#include "small_call_libraries.h"

static PyArrayObject *
new_result(const Layout *layout)
{
    if (layout->pooled != NULL) {
        PyObject *array = PyObject_CallObject(state.allocate, layout->pooled);
        if (array != NULL && !PyArray_CheckExact(array)) {
            PyErr_SetString(PyExc_TypeError, "the allocator returned no array");
            Py_CLEAR(array);
        }
        return (PyArrayObject *)array;
    }
    Py_INCREF(layout->dtype); /* which is taken */
    return (PyArrayObject *)PyArray_NewFromDescr(&PyArray_Type, layout->dtype, layout->ndim,
                                                 layout->dims, NULL, NULL, 0, NULL);
}

enum { RAISED_BY_LIBRARY = -2 };

/* Run the steps; return what the kernels returned, as bits, less than 0 for an error. Of faults that library calls
   meet those of `quiet` are ignored. */
static npy_int64
run(const SmallCall *self, PyObject *args, PyArrayObject **results, PyArrayObject **own,
    char *memory, npy_uint64 *status, npy_int64 quiet)
{
    npy_uintp bases[MOST_BASES];
    npy_uint64 block[MOST_WORDS];
    npy_int64 bits = 0, returned;
    for (Py_ssize_t k = 0; k < self->bases; k++) {
        npy_uintp value = self->base[k].value;
        switch (self->base[k].kind) {
        case ARGUMENT:
            bases[k] = (npy_uintp)PyArray_DATA((PyArrayObject *)PyTuple_GET_ITEM(args, value));
            break;
        case RESULT:
            bases[k] = results[value] == NULL ? 0 : (npy_uintp)PyArray_DATA(results[value]);
            break;
        case MEMORY: bases[k] = (npy_uintp)memory + value; break;
        case STATUS: bases[k] = (npy_uintp)status; break;
        default: bases[k] = value;
        }
    }
    PyThreadState *thread = PyEval_SaveThread();
    for (Py_ssize_t k = 0; k < self->steps && bits >= 0; k++) {
        const Step *step = &self->step[k];
        if (step->part != NULL) {
            bases[step->part->base] = bases[step->part->of] + (npy_uintp)step->part->offset;
            continue;
        }
        if (step->library != NULL) {
            if (run_entries(step->library, bases, quiet)) {
                continue;
            }
            PyEval_RestoreThread(thread);
            if (run_library(self, step->library, args, bases, results, own) < 0) {
                return RAISED_BY_LIBRARY;
            }
            own += *own != NULL;
            thread = PyEval_SaveThread();
            continue;
        }
        fill_block(step, bases, block);
        if (step->descriptor == NULL) {
            bits |= step->entry(0, step->count, block);
            continue;
        }
        PyEval_RestoreThread(thread);
        returned = run_job(&self->pool, PyByteArray_AS_STRING(step->descriptor), block);
        thread = PyEval_SaveThread();
        bits = returned < 0 ? -1 : bits | returned;
    }
    PyEval_RestoreThread(thread);
    return bits;
}

/* Return what the call with the sequence's present code returns: None if there is none. */
static PyObject *
call_next(SmallCall *self, PyObject *args)
{
    if (self->next == NULL && (self->next = PyObject_CallNoArgs(self->renew)) == NULL) {
        return NULL;
    }
    if (self->next == Py_None) {
        Py_RETURN_NONE;
    }
    return PyObject_Call(self->next, args, NULL);
}

/* Return whether a report asks for Python's form: NumPy does not ignore all that kernels met. */
static int
is_reported(const SmallCall *self, const npy_uint64 *status)
{
    npy_uint64 any = 0, loud = 0;
    for (Py_ssize_t k = 0; k < self->status_words; k++) {
        any |= status[k];
        loud |= self->loud == NULL ? status[k] : status[k] & self->loud[k];
    }
    if (!any || loud || state.error_state == NULL) {
        return any != 0;
    }
    PyObject *now;
    if (PyContextVar_Get(state.error_state, NULL, &now) < 0) {
        return -1;
    }
    int is_usual = now == state.usual || now == state.usual_strict;
    Py_XDECREF(now);
    return !is_usual;
}

/* Return the state in which NumPy raises all but what it ignores now, and bits of that; NULL for an error. */
static PyObject *
strict_state(npy_int64 *quiet)
{
    PyObject *now, *strict = NULL;
    if (PyContextVar_Get(state.error_state, NULL, &now) < 0) {
        return NULL;
    }
    if (now == state.usual || now == state.usual_strict) {
        *quiet = state.usual_quiet;
        strict = Py_NewRef(state.usual_strict);
    }
    else {
        PyObject *pair = PyObject_CallNoArgs(state.strict);
        long long bits;
        if (pair != NULL && PyArg_ParseTuple(pair, "OL", &strict, &bits)) {
            *quiet = bits;
            Py_INCREF(strict);
        }
        Py_XDECREF(pair);
    }
    Py_DECREF(now);
    return strict;
}

/* Run the steps with NumPy in that state. */
static npy_int64
run_strictly(const SmallCall *self, PyObject *args, PyArrayObject **results, char *memory,
             npy_uint64 *status)
{
    PyArrayObject *own[MOST_LIBRARIES + 1] = {NULL};
    npy_int64 quiet = 0;
    PyObject *strict = strict_state(&quiet);
    PyObject *token = strict == NULL ? NULL : PyContextVar_Set(state.error_state, strict);
    Py_XDECREF(strict);
    if (token == NULL) {
        return -1;
    }
    npy_int64 bits = run(self, args, results, own, memory, status, quiet);
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    int reset = PyContextVar_Reset(state.error_state, token);
    Py_DECREF(token);
    for (size_t k = 0; k < Py_ARRAY_LENGTH(own); k++) {
        Py_XDECREF(own[k]);
    }
    if (type != NULL) {
        PyErr_Restore(type, value, traceback);
    }
    return reset < 0 ? -1 : bits;
}

static PyObject *
result_of(const SmallCall *self, PyArrayObject **results)
{
    if (self->finish == Py_None) {
        Py_INCREF(results[0]);
        return (PyObject *)results[0];
    }
    PyObject *list = PyList_New(self->results);
    for (Py_ssize_t k = 0; list != NULL && k < self->results; k++) {
        Py_INCREF(results[k]);
        PyList_SET_ITEM(list, k, (PyObject *)results[k]);
    }
    PyObject *value = list == NULL ? NULL : PyObject_CallOneArg(self->finish, list);
    Py_XDECREF(list);
    return value;
}

static PyObject *
small_call(PyObject *object, PyObject *args, PyObject *keywords)
{
    SmallCall *self = (SmallCall *)object;
    if (PyTuple_GET_SIZE(args) != self->arguments
        || (keywords != NULL && PyDict_GET_SIZE(keywords))) {
        Py_RETURN_NONE;
    }
    for (Py_ssize_t k = 0; k < self->arguments; k++) {
        if (!is_laid_out(&self->argument[k], PyTuple_GET_ITEM(args, k))) {
            Py_RETURN_NONE;
        }
    }
    if (self->sequence != Py_None) {
        int is_present = attribute_is(self->sequence, str_code, self->code);
        if (is_present <= 0) {
            return is_present < 0 ? NULL : call_next(self, args);
        }
    }
    if (self->pool.object != Py_None) {
        int pooled = has_workers(&self->pool, state.pool, self->helpers);
        if (pooled <= 0) {
            if (pooled < 0) {
                return NULL;
            }
            Py_RETURN_NONE;
        }
    }
    if (!may_donate(self, args)) {
        Py_RETURN_NONE;
    }
    PyArrayObject *results[MOST_STEP_RESULTS] = {NULL};
    npy_uint64 status[MOST_STEP_STATUS];
    memset(status, 0, 8 * self->status_words);
    PyObject *value = NULL;
    Memory memory = {NULL, NULL, NULL};
    /* Calls that overwrite arguments are not counted: trials run them again. */
    double began = self->sequence == Py_None || self->donor != NULL
                       ? 0
                       : started(self->sequence, str_meter, state.clock);
    if (began < 0) {
        return NULL;
    }
    for (Py_ssize_t k = 0; k < self->results; k++) {
        if (self->donor != NULL && self->donor[k] >= 0) {
            PyObject *donor = PyTuple_GET_ITEM(args, self->donor[k]);
            results[k] = result_over((PyArrayObject *)donor, &self->result[k]);
        }
        else if (!self->result[k].is_library) {
            results[k] = new_result(&self->result[k]);
        }
        if (results[k] == NULL && !self->result[k].is_library) {
            goto done;
        }
    }
    if (take_memory(&memory, self->memory_bytes, state.allocate_block) < 0) {
        goto done;
    }
    copy_donated(self, results, memory.start);
    npy_int64 bits = self->libraries ? run_strictly(self, args, results, memory.start, status)
                                     : run(self, args, results, NULL, memory.start, status, 0);
    if (bits < 0) {
        /* No library call follows where other arguments than those restored are overwritten. */
        if (self->libraries && (self->donor == NULL || bits == RAISED_BY_LIBRARY)
            && PyErr_ExceptionMatches(PyExc_Exception)) {
            PyErr_Clear(); /* Python's form raises it, or warns */
            restore_donated(self, results, memory.start);
            value = Py_NewRef(Py_None);
        }
        goto done;
    }
    if (bits & FAILED && self->donor != NULL) {
        PyErr_SetString(state.status_error, "a kernel returned a status");
        goto done;
    }
    if (bits & FAILED) {
        Py_INCREF(Py_None); /* Python's form raises the error */
        value = Py_None;
        goto done;
    }
    int reported = is_reported(self, status);
    if (reported < 0) {
        goto done;
    }
    if (reported) {
        PyObject *none = PyObject_CallFunction(self->report, "Oy#", args, (char *)status,
                                               8 * self->status_words);
        if (none == NULL) {
            goto done;
        }
        Py_DECREF(none);
    }
    if (began > 0) {
        PyObject *none = PyObject_CallFunction(self->ran, "Od", args, began);
        if (none == NULL) {
            goto done;
        }
        Py_DECREF(none);
    }
    value = result_of(self, results);
done:
    free_memory(&memory);
    for (Py_ssize_t k = 0; k < self->results; k++) {
        Py_XDECREF(results[k]);
    }
    return value;
}

#endif
