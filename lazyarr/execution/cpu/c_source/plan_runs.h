/* Evaluations by plans that are known. */

#ifndef LAZYARR_PLAN_RUNS_H
#define LAZYARR_PLAN_RUNS_H

#include "plan_table.h"

/* Return whether a plan is still what runs. */
static int
is_current(Plan *plan)
{
    int same = attribute_is(plan->executor, str_by_address, plan->sequence);
    return same > 0 && plan->sequence != Py_None
        ? attribute_is(plan->sequence, str_code, plan->code) : same;
}

static PyArrayObject *
new_result(PyObject *row)
{
    PyObject *shape = PyTuple_GET_ITEM(row, 0), *dtype = PyTuple_GET_ITEM(row, 1);
    PyObject *pooled = PyTuple_GET_ITEM(row, 2);
    if (pooled != Py_None) {
        PyObject *array = PyObject_CallFunctionObjArgs(state.allocate, pooled, shape, dtype, NULL);
        if (array != NULL && !PyArray_CheckExact(array)) {
            PyErr_SetString(PyExc_TypeError, "the allocator returned no array");
            Py_CLEAR(array);
        }
        return (PyArrayObject *)array;
    }
    npy_intp dims[MOST_AXES];
    int ndim = (int)PyTuple_GET_SIZE(shape);
    for (int axis = 0; axis < ndim; axis++) {
        dims[axis] = PyLong_AsSsize_t(PyTuple_GET_ITEM(shape, axis));
    }
    return (PyArrayObject *)PyArray_NewFromDescr(
        &PyArray_Type, (PyArray_Descr *)Py_NewRef(dtype), ndim, dims, NULL, NULL, 0, NULL);
}

/* Launch a step in Python's form. */
static npy_int64
launch_slowly(const Step *step, const npy_uint64 *block)
{
    PyObject *result = PyObject_CallFunction(
        state.launch, "Oy#LLLO", step->function, (const char *)block, 8 * step->words,
        (long long)step->count, (long long)step->threads, (long long)step->chunk, step->scratch);
    npy_int64 bits = result == NULL ? -1 : PyLong_AsLongLong(result);
    Py_XDECREF(result);
    return bits;
}

/* Run the kernels; return the bits that they returned, -1 for an error. */
static npy_int64
run_steps(Plan *plan, const Walk *walk, PyArrayObject **results, char *memory,
          npy_uint64 *status, int pooled)
{
    npy_uintp bases[MOST_BASES];
    npy_uint64 block[MOST_WORDS];
    npy_int64 bits = 0;
    for (Py_ssize_t k = 0; k < plan->bases; k++) {
        const Base *base = &plan->base[k];
        switch (base->kind) {
        case LEAF_BASE: bases[k] = walk->address[base->number]; break;
        case RESULT_BASE: bases[k] = (npy_uintp)PyArray_DATA(results[base->number]); break;
        case MEMORY_BASE: bases[k] = (npy_uintp)memory; break;
        default: bases[k] = (npy_uintp)status;
        }
        bases[k] += (npy_uintp)base->offset;
    }
    for (Py_ssize_t k = 0; k < plan->steps; k++) {
        const Step *step = &plan->step[k];
        memcpy(block, step->block, 8 * step->words);
        for (Py_ssize_t i = 0; i < step->places; i++) {
            const Place *place = &step->place[i];
            block[place->word] = bases[place->base] + (npy_uintp)place->offset;
        }
        for (Py_ssize_t i = 0; i < step->scalars; i++) {
            const Scalar *scalar = &step->scalar[i];
            const char *value = PyBytes_AS_STRING(walk->scalars[scalar->scalar]->attr);
            memcpy(&block[scalar->word], value + scalar->begin, scalar->size);
        }
        npy_int64 own;
        if (step->count <= step->chunk) {
            Py_BEGIN_ALLOW_THREADS
            own = step->entry(0, step->count, block);
            Py_END_ALLOW_THREADS
        }
        else {
            own = pooled ? run_job(&plan->pool, step->descriptor, block)
                         : launch_slowly(step, block);
        }
        if (own == -1 && PyErr_Occurred()) {
            return -1;
        }
        bits |= own;
    }
    return bits;
}

/* Return the leaves of an expression as the walk found them: other threads may store values since. */
static PyObject *
all_leaves(const Walk *walk)
{
    PyObject *list = PyList_New(walk->leaf_count);
    for (Py_ssize_t k = 0; list != NULL && k < walk->leaf_count; k++) {
        PyList_SET_ITEM(list, k, Py_NewRef((PyObject *)walk->leaves[k]));
    }
    return list;
}

/* Return the results of a plan that is nothing but kernels, as a list. */
static PyObject *
run_kernels(Plan *plan, Walk *walk, PyObject *roots)
{
    PyArrayObject *results[MOST_RESULTS] = {NULL};
    npy_uint64 status[MOST_STATUS] = {0};
    PyObject *answer = NULL;
    Memory memory = {NULL, NULL, NULL};
    int pooled = plan->helpers >= 0 ? has_workers(&plan->pool, state.pool, plan->helpers) : 0;
    double began = pooled < 0 ? -1 : started(plan->sequence, str_meter, state.clock);
    if (began < 0) {
        return NULL;
    }
    for (Py_ssize_t k = 0; k < plan->results; k++) {
        if ((results[k] = new_result(PyTuple_GET_ITEM(plan->shapes, k))) == NULL) {
            goto done;
        }
    }
    if (take_memory(&memory, plan->memory_bytes, state.allocate_block) < 0) {
        goto done;
    }
    npy_int64 bits = run_steps(plan, walk, results, memory.start, status, pooled);
    if (bits < 0) {
        goto done;
    }
    if (bits & FAILED) {
        PyErr_SetString(PyExc_RuntimeError, "a kernel reported a failure");
        goto done;
    }
    npy_uint64 any = 0;
    for (Py_ssize_t k = 0; k < plan->status_words; k++) {
        any |= status[k];
    }
    if (any) {
        PyObject *none = PyObject_CallFunction(state.report, "ONOy#", roots, all_leaves(walk), plan->sequence,
                                               (char *)status, 8 * plan->status_words);
        Py_XDECREF(none);
        if (none == NULL) {
            goto done;
        }
    }
    if (began > 0) {
        PyObject *none = PyObject_CallFunction(state.ran, "ONOd", roots, all_leaves(walk), plan->sequence, began);
        Py_XDECREF(none);
        if (none == NULL) {
            goto done;
        }
    }
    answer = PyList_New(plan->results);
    for (Py_ssize_t k = 0; answer != NULL && k < plan->results; k++) {
        PyList_SET_ITEM(answer, k, Py_NewRef(results[k]));
    }
done:
    free_memory(&memory);
    for (Py_ssize_t k = 0; k < plan->results; k++) {
        Py_XDECREF(results[k]);
    }
    return answer;
}

static PyObject *
list_of(Node *const *nodes, const Py_ssize_t *numbers, Py_ssize_t count)
{
    PyObject *list = PyList_New(count);
    for (Py_ssize_t k = 0; list != NULL && k < count; k++) {
        PyList_SET_ITEM(list, k, Py_NewRef((PyObject *)nodes[numbers[k]]));
    }
    return list;
}

/* Return the results of a plan that its executor runs, as a list. */
static PyObject *
run_executor(Plan *plan, Walk *walk, PyObject *roots)
{
    PyObject *leaves = list_of(walk->leaves, plan->leaf, plan->leaves), *results = NULL;
    PyObject *scalars = list_of(walk->scalars, plan->scalar, plan->scalars), *every = all_leaves(walk);
    if (leaves != NULL && scalars != NULL && every != NULL) {
        results = PyObject_CallFunctionObjArgs(state.run, plan->evaluation, leaves, scalars, roots, every, NULL);
    }
    Py_XDECREF(every);
    Py_XDECREF(leaves);
    Py_XDECREF(scalars);
    if (results != NULL && (!PyList_CheckExact(results)
                            || PyList_GET_SIZE(results) < plan->stored)) {
        PyErr_SetString(PyExc_TypeError, "unexpected number of results");
        Py_CLEAR(results);
    }
    return results;
}

/* Let expressions begin with the results behind those that are asked for, and drop them. */
static int
store_results(Plan *plan, const Walk *walk, PyObject *results)
{
    Py_ssize_t asked = PyList_GET_SIZE(results) - plan->stored;
    PyObject *arrays = PyList_GetSlice(results, asked, asked + plan->stored), *none = NULL;
    PyObject *nodes = list_of(walk->order, plan->place, plan->stored);
    if (arrays != NULL && nodes != NULL
        && PyList_SetSlice(results, asked, asked + plan->stored, NULL) == 0) {
        none = PyObject_CallFunctionObjArgs(state.store, nodes, arrays, NULL);
    }
    Py_XDECREF(arrays);
    Py_XDECREF(nodes);
    Py_XDECREF(none);
    return none == NULL ? -1 : 0;
}

static PyObject *
run_plan(Plan *plan, Walk *walk, PyObject *roots)
{
    PyObject *results = plan->shapes == NULL ? run_executor(plan, walk, roots) : run_kernels(plan, walk, roots);
    PyObject *answer = NULL;
    if (results != NULL && (!plan->stored || store_results(plan, walk, results) == 0)) {
        answer = PyTuple_Pack(2, plan->evaluation, results);
    }
    Py_XDECREF(results);
    return answer;
}

/* Note that the nodes of an expression are computed: as reuse.py does. */
static void
mark(const Walk *walk, PyObject *roots)
{
    for (Py_ssize_t k = 0; k < walk->nodes; k++) {
        Node *node = walk->order[k];
        if (PyTuple_GET_SIZE(node->src) && node->memo == NULL
            && (PyTuple_GET_SIZE(((Node *)PyTuple_GET_ITEM(node->src, 0))->src)
                || kind_of(node->op, 1) != VIEWS)) {
            node->memo = Py_NewRef(state.computed);
        }
    }
    for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(roots); k++) {
        Node *root = (Node *)PyTuple_GET_ITEM(roots, k);
        if (root->memo == NULL) {
            root->memo = Py_NewRef(state.computed);
        }
    }
}

/* evaluate(roots, settings, generation, rows, reuse, expensive): the evaluation and the results; the form of an
   expression that is not known, but came before; None for any other. */
static PyObject *
evaluate(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t count)
{
    if (count != 6 || !PyTuple_CheckExact(args[0]) || state.nodes == NULL) {
        PyErr_SetString(PyExc_TypeError, "expected roots, settings, generation, rows, reuse and expensive");
        return NULL;
    }
    Walk walk;
    PyObject *answer = NULL;
    if (take_walk(&walk, args[0], args[4] == Py_True, args[5] == Py_True) < 0) {
        end_walk(&walk);
        if (PyErr_Occurred()) {
            return NULL;
        }
        Py_RETURN_NONE;
    }
    Plan *plan = find_plan(&walk, args + 1);
    int known = plan != NULL;
    if (known) {
        Py_INCREF(plan);
        known = is_current(plan);
        if (known > 0) {
            mark(&walk, args[0]);
            answer = run_plan(plan, &walk, args[0]);
        }
        Py_DECREF(plan);
    }
    if (!known) {
        answer = was_seen(walk.hash) ? new_form(&walk) : Py_NewRef(Py_None);
    }
    end_walk(&walk);
    return answer;
}

#endif
