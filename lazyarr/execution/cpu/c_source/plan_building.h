/* Plans that become known, of the rows that known_plans.py writes. */

#ifndef LAZYARR_PLAN_BUILDING_H
#define LAZYARR_PLAN_BUILDING_H

#include "plan_table.h"

static int
refuse(void)
{
    PyErr_SetString(PyExc_ValueError, "a limit of known plans is exceeded");
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
    PyErr_SetString(PyExc_ValueError, "the node is not part of the expression");
    return -1;
}

static int
read_bases(Plan *plan, const Form *form, PyObject *rows)
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
            int number = number_of(form->leaf, form->leaves, owner);
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
read_step(Plan *plan, const Form *form, Step *step, PyObject *row)
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
        int number = number_of(form->scalar, form->scalars, node);
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

/* Return the numbers of nodes among others, and how many there are. */
static Py_ssize_t *
numbers_of(Node *const *nodes, Py_ssize_t count, PyObject *among, Py_ssize_t *size)
{
    Py_ssize_t *numbers = zeroed(PyTuple_GET_SIZE(among), sizeof(Py_ssize_t));
    for (Py_ssize_t k = 0; numbers != NULL && k < PyTuple_GET_SIZE(among); k++) {
        if ((numbers[k] = number_of(nodes, count, PyTuple_GET_ITEM(among, k))) < 0) {
            PyMem_Free(numbers);
            return NULL;
        }
    }
    *size = PyTuple_GET_SIZE(among);
    return numbers;
}

/* Return a plan under a form; stored: the nodes of the results behind those that are asked for. */
static Plan *
new_plan(Form *form, PyObject *stored)
{
    Plan *plan = (Plan *)Plan_Type.tp_alloc(&Plan_Type, 0);
    if (plan == NULL) {
        return NULL;
    }
    plan->place = numbers_of(form->order, form->nodes, stored, &plan->stored);
    if (plan->place == NULL) {
        Py_DECREF(plan);
        return NULL;
    }
    plan->hash = form->hash;
    plan->words = form->words;
    return plan;
}

static int
read_bindings(Plan *plan, const Form *form, PyObject *leaves, PyObject *scalars)
{
    plan->leaf = numbers_of(form->leaf, form->leaves, leaves, &plan->leaves);
    plan->scalar = numbers_of(form->scalar, form->scalars, scalars, &plan->scalars);
    return plan->leaf == NULL || plan->scalar == NULL ? -1 : 0;
}

/* Let a plan have the key of its form. */
static void
take_key(Plan *plan, Form *form)
{
    plan->key = form->key;
    plan->references = form->references;
    form->key = NULL;
    form->references = NULL;
    form->words = 0;
}

static int
read_head(Plan *plan, PyObject *head)
{
    PyObject **fields[] = {&plan->settings, &plan->generation, &plan->rows, &plan->evaluation,
                           &plan->executor, &plan->sequence, &plan->code};
    if (PyTuple_GET_SIZE(head) != Py_ARRAY_LENGTH(fields)) {
        return refuse();
    }
    for (size_t k = 0; k < Py_ARRAY_LENGTH(fields); k++) {
        *fields[k] = Py_NewRef(PyTuple_GET_ITEM(head, k));
    }
    return 0;
}

static int
read_launches(Plan *plan, const Form *form, PyObject *launches)
{
    PyObject *results, *bases, *steps, *entrance;
    if (!PyArg_ParseTuple(launches, "O!O!O!nnnO!", &PyTuple_Type, &results, &PyTuple_Type, &bases,
                          &PyTuple_Type, &steps, &plan->memory_bytes, &plan->status_words,
                          &plan->helpers, &PyTuple_Type, &entrance)) {
        return -1;
    }
    if (PyTuple_GET_SIZE(results) > MOST_RESULTS || PyTuple_GET_SIZE(results) < plan->stored
        || plan->status_words > MOST_STATUS) {
        return refuse();
    }
    plan->shapes = Py_NewRef(results);
    plan->results = PyTuple_GET_SIZE(results);
    if (read_pool(&plan->pool, entrance) < 0 || read_bases(plan, form, bases) < 0
        || (plan->step = zeroed(PyTuple_GET_SIZE(steps), sizeof(Step))) == NULL) {
        return -1;
    }
    plan->steps = PyTuple_GET_SIZE(steps);
    for (Py_ssize_t k = 0; k < plan->steps; k++) {
        if (read_step(plan, form, &plan->step[k], PyTuple_GET_ITEM(steps, k)) < 0) {
            return -1;
        }
    }
    return 0;
}

/* enter(form, head, stored, leaves, scalars, launches): let an expression be known.

   The head is settings, generation, rows, evaluation, executor, and its sequence and that one's code, or None.
   Launches are results, bases, steps, bytes of memory, words of reports, helpers and the entrance of the threads'
   pool; without any the executor runs the plan, with leaves and scalars in this order. */
static PyObject *
enter(PyObject *Py_UNUSED(module), PyObject *args)
{
    PyObject *head, *stored, *leaves, *scalars, *launches;
    Form *form;
    if (!PyArg_ParseTuple(args, "O!O!O!O!O!O", &Form_Type, &form, &PyTuple_Type, &head,
                          &PyTuple_Type, &stored, &PyTuple_Type, &leaves, &PyTuple_Type, &scalars,
                          &launches)) {
        return NULL;
    }
    if (form->key == NULL) {
        refuse();
        return NULL;
    }
    Plan *plan = new_plan(form, stored);
    if (plan == NULL || read_head(plan, head) < 0
        || (launches == Py_None ? read_bindings(plan, form, leaves, scalars)
                                : read_launches(plan, form, launches)) < 0) {
        Py_XDECREF(plan);
        return NULL;
    }
    take_key(plan, form);
    put_plan(plan);
    Py_RETURN_NONE;
}

#endif
