/* Plans that become known, of the rows that known_plans.py writes. */

#ifndef LAZYARR_PLAN_BUILDING_H
#define LAZYARR_PLAN_BUILDING_H

#include "plan_table.h"

static int
refuse(void)
{
    PyErr_SetString(PyExc_ValueError, "more than a known plan has");
    return -1;
}

static int
number_of(Node *const *nodes, Py_ssize_t count, PyObject *node)
{
    for (Py_ssize_t k = 0; k < count; k++) {
        if ((PyObject *)nodes[k] == node) {
            return (int)k;
        }
    }
    PyErr_SetString(PyExc_ValueError, "no node of the expression");
    return -1;
}

static int
read_bases(Plan *plan, const Walk *walk, PyObject *rows)
{
    Py_ssize_t count = PyTuple_GET_SIZE(rows);
    if (count > MOST_BASES) {
        return refuse();
    }
    if ((plan->base = zeroed(count, sizeof(Base))) == NULL) {
        return -1;
    }
    plan->bases = count;
    for (Py_ssize_t k = 0; k < count; k++) {
        Base *base = &plan->base[k];
        PyObject *owner;
        if (!PyArg_ParseTuple(PyTuple_GET_ITEM(rows, k), "iOn", &base->kind, &owner,
                              &base->offset)) {
            return -1;
        }
        if (base->kind < 0 || base->kind >= BASES) {
            return refuse();
        }
        if (base->kind == LEAF_BASE) {
            int number = number_of(walk->leaves, walk->leaf_count, owner);
            if (number < 0) {
                return -1;
            }
            base->number = number;
        }
        else if (base->kind == RESULT_BASE) {
            base->number = PyLong_AsSsize_t(owner);
            if (base->number < 0 || base->number >= plan->results) {
                return refuse();
            }
        }
    }
    return 0;
}

static int
read_step(Plan *plan, const Walk *walk, Step *step, PyObject *row)
{
    unsigned long long address;
    const char *block;
    Py_ssize_t nbytes;
    PyObject *function, *scratch, *places, *scalars, *descriptor;
    if (!PyArg_ParseTuple(row, "OKLLLy#OO!O!O!", &function, &address, &step->count, &step->chunk,
                          &step->threads, &block, &nbytes, &scratch, &PyTuple_Type, &places,
                          &PyTuple_Type, &scalars, &PyByteArray_Type, &descriptor)) {
        return -1;
    }
    if (nbytes % 8 || nbytes > 8 * MOST_WORDS) {
        return refuse();
    }
    step->function = Py_NewRef(function);
    step->scratch = Py_NewRef(scratch);
    step->entry = (Entry)(npy_uintp)address;
    step->words = nbytes / 8;
    memcpy(step->block, block, nbytes);
    step->place = zeroed(PyTuple_GET_SIZE(places), sizeof(Place));
    step->scalar = zeroed(PyTuple_GET_SIZE(scalars), sizeof(Scalar));
    step->descriptor = zeroed(PyByteArray_GET_SIZE(descriptor), 1);
    if (step->place == NULL || step->scalar == NULL || step->descriptor == NULL) {
        return -1;
    }
    memcpy(step->descriptor, PyByteArray_AS_STRING(descriptor), PyByteArray_GET_SIZE(descriptor));
    step->places = PyTuple_GET_SIZE(places);
    for (Py_ssize_t k = 0; k < step->places; k++) {
        Place *place = &step->place[k];
        if (!PyArg_ParseTuple(PyTuple_GET_ITEM(places, k), "nnn", &place->word, &place->base,
                              &place->offset)) {
            return -1;
        }
        if (place->word < 0 || place->word >= step->words || place->base < 0
            || place->base >= plan->bases) {
            return refuse();
        }
    }
    for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(scalars); k++) {
        Scalar *scalar = &step->scalar[k];
        PyObject *node;
        if (!PyArg_ParseTuple(PyTuple_GET_ITEM(scalars, k), "nOnn", &scalar->word, &node,
                              &scalar->begin, &scalar->size)) {
            return -1;
        }
        int number = number_of(walk->scalars, walk->scalar_count, node);
        if (number < 0) {
            return -1;
        }
        scalar->scalar = number;
        if (scalar->word < 0 || scalar->word >= step->words || scalar->size > 8
            || scalar->begin < 0
            || scalar->begin + scalar->size > PyBytes_GET_SIZE(((Node *)node)->attr)) {
            return refuse();
        }
    }
    step->scalars = PyTuple_GET_SIZE(scalars);
    return 0;
}

/* Keep what the key of a plan points to. */
static int
keep(Plan *plan, const Walk *walk)
{
    plan->kept = PyList_New(0);
    for (Py_ssize_t k = 0; plan->kept != NULL && k < walk->nodes; k++) {
        Node *node = walk->order[k];
        PyObject *attr = walk->attributes[k];
        if (PyList_Append(plan->kept, node->op) < 0 || PyList_Append(plan->kept, node->dtype) < 0
            || (attr != NULL && PyList_Append(plan->kept, attr) < 0)
            || (node->op == state.constant && node->special == 2
                && PyList_Append(plan->kept, (PyObject *)node) < 0)) {
            return -1;
        }
    }
    return plan->kept == NULL ? -1 : 0;
}

/* enter(roots, settings, generation, rows, plan, executor, sequence, code, results, bases, steps,
   memory_bytes, status_words, helpers, entrance): let an expression be known. The entrance is that of
   the threads' pool. */
static PyObject *
enter(PyObject *Py_UNUSED(module), PyObject *args)
{
    PyObject *roots, *settings, *generation, *rows, *of, *executor, *sequence, *code, *results;
    PyObject *bases, *steps, *entrance;
    Py_ssize_t memory_bytes, status_words, helpers;
    if (!PyArg_ParseTuple(args, "O!OOOOOOOO!O!O!nnnO!", &PyTuple_Type, &roots, &settings,
                          &generation, &rows, &of, &executor, &sequence, &code, &PyTuple_Type,
                          &results, &PyTuple_Type, &bases, &PyTuple_Type, &steps, &memory_bytes,
                          &status_words, &helpers, &PyTuple_Type, &entrance)) {
        return NULL;
    }
    Walk walk;
    Plan *plan = NULL;
    if (take_walk(&walk, roots, 0) < 0) {
        end_walk(&walk);
        if (!PyErr_Occurred()) {
            PyErr_SetString(PyExc_ValueError, "the expression cannot be known");
        }
        return NULL;
    }
    plan = (Plan *)Plan_Type.tp_alloc(&Plan_Type, 0);
    if (plan == NULL || PyTuple_GET_SIZE(results) > MOST_RESULTS || status_words > MOST_STATUS) {
        if (plan != NULL) {
            refuse();
        }
        goto failed;
    }
    plan->settings = Py_NewRef(settings);
    plan->generation = Py_NewRef(generation);
    plan->rows = Py_NewRef(rows);
    plan->plan = Py_NewRef(of);
    plan->executor = Py_NewRef(executor);
    plan->sequence = Py_NewRef(sequence);
    plan->code = Py_NewRef(code);
    plan->shapes = Py_NewRef(results);
    plan->results = PyTuple_GET_SIZE(results);
    plan->memory_bytes = memory_bytes;
    plan->status_words = status_words;
    plan->helpers = helpers;
    plan->hash = walk.hash;
    plan->words = walk.words;
    if ((plan->key = zeroed(walk.words, sizeof(size_t))) == NULL
        || read_pool(&plan->pool, entrance) < 0 || keep(plan, &walk) < 0
        || read_bases(plan, &walk, bases) < 0
        || (plan->step = zeroed(PyTuple_GET_SIZE(steps), sizeof(Step))) == NULL) {
        goto failed;
    }
    memcpy(plan->key, walk.key, walk.words * sizeof(size_t));
    plan->steps = PyTuple_GET_SIZE(steps);
    for (Py_ssize_t k = 0; k < plan->steps; k++) {
        if (read_step(plan, &walk, &plan->step[k], PyTuple_GET_ITEM(steps, k)) < 0) {
            goto failed;
        }
    }
    end_walk(&walk);
    Plan **place = place_in_table(plan->hash);
    Py_XSETREF(*place, plan);
    Py_RETURN_NONE;
failed:
    end_walk(&walk);
    Py_XDECREF(plan);
    return NULL;
}

#endif
