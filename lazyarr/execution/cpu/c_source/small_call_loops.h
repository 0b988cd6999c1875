/* Loops of small calls: the states that one returns are the first arguments of the next. */

#ifndef LAZYARR_SMALL_CALL_LOOPS_H
#define LAZYARR_SMALL_CALL_LOOPS_H

#include "small_call_runs.h"

/* A loop. Results lie in two sets of arrays in turn, so that an iteration allocates nothing. */
typedef struct {
    SmallCall *call;
    PyObject *operands; /* states, invariants, and last the index; of this loop alone */
    PyObject *stacks;   /* of (array, place): where values are recorded, along the first axis */
    Py_ssize_t width;   /* how many states there are */
    Py_ssize_t count;   /* of iterations */
    int is_backward;    /* the first iteration is recorded last */
    int is_conditional; /* the last result is whether there is another iteration */
    PyArrayObject *sets[2][MOST_STEP_RESULTS];
} Loop;

/* Copy an array to a row of a stack. */
static void
record(PyArrayObject *stack, Py_ssize_t row, PyArrayObject *value)
{
    memcpy(PyArray_BYTES(stack) + row * PyArray_STRIDE(stack, 0), PyArray_DATA(value),
           PyArray_NBYTES(value));
}

/* Return whether rows of a stack are like the elements of an array, in C order. */
static int
is_row(PyObject *stack, Py_ssize_t count, PyArrayObject *value)
{
    if (!PyArray_CheckExact(stack)) {
        return 0;
    }
    PyArrayObject *array = (PyArrayObject *)stack;
    int flags = NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_WRITEABLE;
    return PyArray_CHKFLAGS(array, flags) && PyArray_IS_C_CONTIGUOUS(value)
        && PyArray_DESCR(array) == PyArray_DESCR(value) && PyArray_NDIM(array) > 0
        && PyArray_DIM(array, 0) == count
        && PyArray_NBYTES(array) == count * PyArray_NBYTES(value);
}

/* Record the states (of_results: what else the body returned); return 0 if a stack has other rows. */
static int
record_all(const Loop *loop, Py_ssize_t number, PyArrayObject **results)
{
    Py_ssize_t row = loop->is_backward ? loop->count - 1 - number : number, next = loop->width;
    for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(loop->stacks); k++) {
        PyObject *pair = PyTuple_GET_ITEM(loop->stacks, k);
        PyObject *stack = PyTuple_GET_ITEM(pair, 0);
        Py_ssize_t place = PyLong_AsSsize_t(PyTuple_GET_ITEM(pair, 1));
        PyArrayObject *value;
        if ((results == NULL) != (place >= 0)) {
            continue;
        }
        if (place >= 0) {
            value = (PyArrayObject *)PyTuple_GET_ITEM(loop->operands, place);
        }
        else if (next < loop->call->results) {
            value = results[next++];
        }
        else {
            return 0;
        }
        if (!is_row(stack, loop->count, value)) {
            return 0;
        }
        record((PyArrayObject *)stack, row, value);
    }
    return 1;
}

/* Return a tuple of the same elements, which nobody else has. */
static PyObject *
own_tuple(PyObject *tuple)
{
    PyObject *list = PySequence_List(tuple);
    PyObject *copy = list == NULL ? NULL : PyList_AsTuple(list);
    Py_XDECREF(list);
    return copy;
}

/* Raise errors and issue warnings of what the kernels of an iteration report. */
static int
report_status(const Loop *loop, const npy_uint64 *status)
{
    PyObject *operands = own_tuple(loop->operands);
    PyObject *none = operands == NULL ? NULL
                                      : PyObject_CallFunction(loop->call->report, "Oy#", operands,
                                                              (const char *)status,
                                                              8 * loop->call->status_words);
    Py_XDECREF(operands);
    Py_XDECREF(none);
    return none == NULL ? -1 : 0;
}

/* Run an iteration; return 1 if it ran, 0 if Python's form has to run it, -1 for an error. */
static int
iterate_once(Loop *loop, Py_ssize_t number, const Memory *memory)
{
    SmallCall *self = loop->call;
    PyArrayObject **results = loop->sets[number & 1];
    npy_uint64 status[MOST_STEP_STATUS];
    memset(status, 0, 8 * self->status_words);
    PyArrayObject *index =
        (PyArrayObject *)PyTuple_GET_ITEM(loop->operands, self->arguments - 1);
    *(npy_int64 *)PyArray_DATA(index) = number;
    for (Py_ssize_t k = 0; k < self->arguments; k++) {
        if (!is_laid_out(&self->argument[k], PyTuple_GET_ITEM(loop->operands, k))) {
            return 0;
        }
    }
    if (!record_all(loop, number, NULL)) {
        return 0;
    }
    for (Py_ssize_t k = 0; k < self->results; k++) {
        if (results[k] != NULL && (self->result[k].is_library || Py_REFCNT(results[k]) > 1)) {
            Py_CLEAR(results[k]); /* it is allocated by a library, or somebody else has it */
        }
        if (self->result[k].is_library) {
            continue;
        }
        if (results[k] == NULL && (results[k] = new_result(&self->result[k])) == NULL) {
            return -1;
        }
    }
    npy_int64 bits =
        self->libraries ? run_strictly(self, loop->operands, results, memory->start, status)
                        : run(self, loop->operands, results, NULL, memory->start, status, 0);
    if (bits < 0 && self->libraries && PyErr_ExceptionMatches(PyExc_Exception)) {
        PyErr_Clear(); /* Python's form raises it, or warns */
        return 0;
    }
    if (bits < 0 || bits & FAILED) {
        return bits < 0 ? -1 : 0;
    }
    int reported = is_reported(self, status);
    if (reported < 0 || (reported && report_status(loop, status) < 0)) {
        return -1;
    }
    return record_all(loop, number, results);
}

/* Let the results of an iteration be the states of the next one. */
static void
go_on(Loop *loop, Py_ssize_t number)
{
    for (Py_ssize_t k = 0; k < loop->width; k++) {
        PyObject *before = PyTuple_GET_ITEM(loop->operands, k);
        PyTuple_SET_ITEM(loop->operands, k, Py_NewRef(loop->sets[number & 1][k]));
        Py_DECREF(before);
    }
}

/* Return whether the last result of an iteration asks for another one. */
static int
is_going(const Loop *loop, Py_ssize_t number)
{
    return *(npy_bool *)PyArray_DATA(loop->sets[number & 1][loop->call->results - 1]);
}

/* Return whether the arrays of a loop are those that the call takes and returns. */
static int
fits(const Loop *loop)
{
    const SmallCall *self = loop->call;
    Py_ssize_t stacks = PyTuple_GET_SIZE(loop->stacks), places = 0;
    for (Py_ssize_t k = 0; k < stacks; k++) {
        PyObject *pair = PyTuple_GET_ITEM(loop->stacks, k);
        if (!PyTuple_Check(pair) || PyTuple_GET_SIZE(pair) != 2) {
            return 0;
        }
        Py_ssize_t place = PyLong_AsSsize_t(PyTuple_GET_ITEM(pair, 1));
        if (PyErr_Occurred() || place >= loop->width) {
            PyErr_Clear();
            return 0;
        }
        places += place < 0;
    }
    if (self->donor != NULL || self->arguments < 1
        || PyTuple_GET_SIZE(loop->operands) != self->arguments
        || self->results != loop->width + places + loop->is_conditional) {
        return 0;
    }
    for (Py_ssize_t k = 0; k < self->steps; k++) {
        const Library *library = self->step[k].library;
        if (library != NULL && library->shares && self->base[library->base].kind == RESULT) {
            return 0; /* it may lie in memory that is written again */
        }
    }
    const Layout *index = &self->argument[self->arguments - 1];
    const Layout *going = &self->result[self->results - 1];
    return index->ndim == 0 && index->dtype->type_num == NPY_INT64
        && (!loop->is_conditional || (going->ndim == 0 && going->dtype->type_num == NPY_BOOL));
}

/* Return whether the kernels can be run: their code is the present one, nobody counts the time
   that they take, and their workers are there; -1: an error. */
static int
is_ready(const SmallCall *self)
{
    if (self->sequence != Py_None) {
        int is_present = attribute_is(self->sequence, str_code, self->code);
        if (is_present > 0) {
            is_present = attribute_is(self->sequence, str_meter, Py_None);
        }
        if (is_present <= 0) {
            return is_present;
        }
    }
    return self->pool.object == Py_None ? 1 : has_workers(&self->pool, state.pool, self->helpers);
}

/* takes(arrays): whether arrays are laid out as the arguments of the call. */
static PyObject *
small_takes(PyObject *object, PyObject *arrays)
{
    SmallCall *self = (SmallCall *)object;
    int takes = PyTuple_CheckExact(arrays) && PyTuple_GET_SIZE(arrays) == self->arguments;
    for (Py_ssize_t k = 0; takes && k < self->arguments; k++) {
        takes = is_laid_out(&self->argument[k], PyTuple_GET_ITEM(arrays, k));
    }
    return PyBool_FromLong(takes);
}

/* iterate(first, count, operands, width, stacks, is_backward, is_conditional): run iterations from
   number `first` on; return the number of the one that Python's form has to run, or the count, its
   states, and whether the condition asks for it. */
static PyObject *
small_iterate(PyObject *object, PyObject *args)
{
    SmallCall *self = (SmallCall *)object;
    Loop loop = {.call = self};
    Memory memory = {NULL, NULL, NULL};
    Py_ssize_t number;
    PyObject *operands, *states, *value = NULL;
    int ran = 0, going = 1;
    if (!PyArg_ParseTuple(args, "nnO!nO!pp", &number, &loop.count, &PyTuple_Type, &operands,
                          &loop.width, &PyTuple_Type, &loop.stacks, &loop.is_backward,
                          &loop.is_conditional)) {
        return NULL;
    }
    if (loop.width < 0 || loop.width > PyTuple_GET_SIZE(operands)) {
        refuse();
        return NULL;
    }
    if ((loop.operands = own_tuple(operands)) == NULL) {
        return NULL;
    }
    int ready = fits(&loop) ? is_ready(self) : 0;
    if (ready < 0 || (ready && take_memory(&memory, self->memory_bytes, state.allocate_block) < 0)) {
        goto done;
    }
    while (ready && going && number < loop.count) {
        if ((ran = iterate_once(&loop, number, &memory)) <= 0) {
            break;
        }
        go_on(&loop, number);
        going = !loop.is_conditional || is_going(&loop, number);
        number++;
        if (PyErr_CheckSignals() < 0) {
            ran = -1;
            break;
        }
    }
    if (ran >= 0 && (states = PyTuple_GetSlice(loop.operands, 0, loop.width)) != NULL) {
        value = Py_BuildValue("nNO", number, states, going ? Py_True : Py_False);
    }
done:
    free_memory(&memory);
    for (Py_ssize_t k = 0; k < self->results; k++) {
        Py_XDECREF(loop.sets[0][k]);
        Py_XDECREF(loop.sets[1][k]);
    }
    Py_DECREF(loop.operands);
    return value;
}

#endif
