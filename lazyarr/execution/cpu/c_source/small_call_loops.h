/* Loops of small calls: the states that one returns are the first arguments of the next. */

#ifndef LAZYARR_SMALL_CALL_LOOPS_H
#define LAZYARR_SMALL_CALL_LOOPS_H

#include "small_call_runs.h"

/* Where a value of each iteration is recorded, along a first axis. */
typedef struct {
    PyObject *array;  /* NULL: rows of so many bytes from an address on */
    char *start;
    npy_intp nbytes;
    Py_ssize_t place; /* of the state; -1: the next result behind the states */
} Stack;

/* A loop. Results lie in two sets of arrays in turn, so that an iteration allocates nothing. */
typedef struct {
    SmallCall *call;
    PyObject *operands; /* states, invariants, and last the index; of this loop alone */
    Stack stack[MOST_STEP_RESULTS];
    Py_ssize_t stacks;
    Py_ssize_t width;   /* how many states there are */
    Py_ssize_t count;   /* of iterations */
    int is_backward;    /* the first iteration is recorded last */
    int is_conditional; /* the last result is whether there is another iteration */
    PyArrayObject *sets[2][MOST_STEP_RESULTS];
} Loop;

/* Return whether rows of a stack are like the elements of an array, in C order. */
static int
is_row(const Stack *of, Py_ssize_t count, PyArrayObject *value)
{
    PyObject *stack = of->array;
    if (stack == NULL) {
        return PyArray_IS_C_CONTIGUOUS(value) && PyArray_NBYTES(value) == of->nbytes;
    }
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
    for (Py_ssize_t k = 0; k < loop->stacks; k++) {
        const Stack *stack = &loop->stack[k];
        PyArrayObject *value;
        if ((results == NULL) != (stack->place >= 0)) {
            continue;
        }
        if (stack->place >= 0) {
            value = (PyArrayObject *)PyTuple_GET_ITEM(loop->operands, stack->place);
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
        char *start = stack->array == NULL ? stack->start : PyArray_BYTES((PyArrayObject *)stack->array);
        memcpy(start + row * PyArray_NBYTES(value), PyArray_DATA(value), PyArray_NBYTES(value));
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
    Py_ssize_t places = 0;
    for (Py_ssize_t k = 0; k < loop->stacks; k++) {
        if (loop->stack[k].place >= loop->width) {
            return 0;
        }
        places += loop->stack[k].place < 0;
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

/* Run the iterations of a loop as far as possible, which `number` counts; return -1 for an error. */
static int
run_loop(Loop *loop, Py_ssize_t *number, int *going)
{
    SmallCall *self = loop->call;
    Memory memory = {NULL, NULL, NULL};
    int ran = fits(loop) ? is_ready(self) : 0;
    if (ran > 0 && take_memory(&memory, self->memory_bytes, state.allocate_block) < 0) {
        ran = -1;
    }
    while (ran > 0 && *going && *number < loop->count) {
        if ((ran = iterate_once(loop, *number, &memory)) <= 0) {
            break;
        }
        go_on(loop, *number);
        *going = !loop->is_conditional || is_going(loop, *number);
        ++*number;
        if (PyErr_CheckSignals() < 0) {
            ran = -1;
        }
    }
    free_memory(&memory);
    return ran;
}

/* Release the operands and results of a loop. */
static void
free_loop(Loop *loop)
{
    for (Py_ssize_t k = 0; k < loop->call->results; k++) {
        Py_XDECREF(loop->sets[0][k]);
        Py_XDECREF(loop->sets[1][k]);
    }
    Py_XDECREF(loop->operands);
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
    Loop loop = {.call = (SmallCall *)object};
    Py_ssize_t number;
    PyObject *operands, *stacks, *states, *value = NULL;
    int going = 1;
    if (!PyArg_ParseTuple(args, "nnO!nO!pp", &number, &loop.count, &PyTuple_Type, &operands,
                          &loop.width, &PyTuple_Type, &stacks, &loop.is_backward,
                          &loop.is_conditional)) {
        return NULL;
    }
    if (loop.width < 0 || loop.width > PyTuple_GET_SIZE(operands)
        || PyTuple_GET_SIZE(stacks) > MOST_STEP_RESULTS) {
        refuse();
        return NULL;
    }
    for (; loop.stacks < PyTuple_GET_SIZE(stacks); loop.stacks++) {
        Stack *stack = &loop.stack[loop.stacks];
        if (!PyArg_ParseTuple(PyTuple_GET_ITEM(stacks, loop.stacks), "On", &stack->array, &stack->place)) {
            return NULL;
        }
    }
    if ((loop.operands = own_tuple(operands)) == NULL) {
        return NULL;
    }
    if (run_loop(&loop, &number, &going) >= 0
        && (states = PyTuple_GetSlice(loop.operands, 0, loop.width)) != NULL) {
        value = Py_BuildValue("nNO", number, states, going ? Py_True : Py_False);
    }
    free_loop(&loop);
    return value;
}

/* Return the operands of a loop with its index behind them; states lie in C order, as those of later
   iterations do. */
static PyObject *
with_index(PyObject *operands, Py_ssize_t width)
{
    Py_ssize_t count = PyTuple_GET_SIZE(operands);
    PyObject *all = PyTuple_New(count + 1);
    PyObject *index = all == NULL ? NULL : PyArray_SimpleNew(0, NULL, NPY_INT64);
    if (index == NULL) {
        Py_XDECREF(all);
        return NULL;
    }
    for (Py_ssize_t k = 0; k < count; k++) {
        PyObject *operand = PyTuple_GET_ITEM(operands, k);
        if (k < width && PyArray_CheckExact(operand)) {
            operand = (PyObject *)PyArray_GETCONTIGUOUS((PyArrayObject *)operand);
            if (operand == NULL) {
                Py_DECREF(index);
                Py_DECREF(all);
                return NULL;
            }
        }
        else {
            Py_INCREF(operand);
        }
        PyTuple_SET_ITEM(all, k, operand);
    }
    PyTuple_SET_ITEM(all, count, index);
    return all;
}

/* Read where in a block of bytes values are recorded: tuples of start, bytes of a row and place. */
static int
read_stacks(Loop *loop, PyObject *rows, const Py_buffer *block)
{
    if (PyTuple_GET_SIZE(rows) > MOST_STEP_RESULTS) {
        return refuse();
    }
    for (; loop->stacks < PyTuple_GET_SIZE(rows); loop->stacks++) {
        Stack *stack = &loop->stack[loop->stacks];
        Py_ssize_t start;
        if (!PyArg_ParseTuple(PyTuple_GET_ITEM(rows, loop->stacks), "nnn", &start, &stack->nbytes,
                              &stack->place)) {
            return -1;
        }
        if (start < 0 || stack->nbytes < 0 || start + loop->count * stack->nbytes > block->len) {
            return refuse();
        }
        stack->array = NULL;
        stack->start = (char *)block->buf + start;
    }
    return 0;
}

/* Copy the states to a block of bytes, each from its start on. */
static int
write_states(const Loop *loop, PyObject *starts, const Py_buffer *block)
{
    for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(starts); k++) {
        PyArrayObject *value = (PyArrayObject *)PyTuple_GET_ITEM(loop->operands, k);
        Py_ssize_t start = PyLong_AsSsize_t(PyTuple_GET_ITEM(starts, k));
        if (start < 0 || start + PyArray_NBYTES(value) > block->len) {
            return PyErr_Occurred() ? -1 : refuse();
        }
        memcpy((char *)block->buf + start, PyArray_DATA(value), PyArray_NBYTES(value));
    }
    return 0;
}

/* pack(count, operands, width, block, starts, stacks, is_backward): run a loop from its beginning,
   whose operands are without the index; the last states and recorded values are written to a block
   of bytes. Return the number of the iteration that Python's form has to run, or the count, and its
   states. */
static PyObject *
small_pack(PyObject *object, PyObject *args)
{
    Loop loop = {.call = (SmallCall *)object};
    Py_ssize_t number = 0;
    PyObject *operands, *starts, *stacks, *states, *value = NULL;
    Py_buffer block;
    int going = 1, ran;
    if (!PyArg_ParseTuple(args, "nO!nw*O!O!p", &loop.count, &PyTuple_Type, &operands, &loop.width, &block,
                          &PyTuple_Type, &starts, &PyTuple_Type, &stacks, &loop.is_backward)) {
        return NULL;
    }
    if (loop.width < 0 || loop.width > PyTuple_GET_SIZE(operands)
        || PyTuple_GET_SIZE(starts) > loop.width) {
        refuse();
        goto done;
    }
    if (read_stacks(&loop, stacks, &block) < 0 || (loop.operands = with_index(operands, loop.width)) == NULL) {
        goto done;
    }
    ran = run_loop(&loop, &number, &going);
    if (ran >= 0 && number == loop.count) {
        ran = write_states(&loop, starts, &block);
    }
    if (ran >= 0 && (states = PyTuple_GetSlice(loop.operands, 0, loop.width)) != NULL) {
        value = Py_BuildValue("nN", number, states);
    }
done:
    free_loop(&loop);
    PyBuffer_Release(&block);
    return value;
}

#endif
