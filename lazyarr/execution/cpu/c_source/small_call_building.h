/* Building a small call of the rows that small_calls.py writes. */

#ifndef LAZYARR_SMALL_CALL_BUILDING_H
#define LAZYARR_SMALL_CALL_BUILDING_H

#include "small_call_donations.h"

static int
read_lengths(PyObject *tuple, int ndim, npy_intp *into)
{
    for (int axis = 0; axis < ndim; axis++) {
        into[axis] = PyLong_AsSsize_t(PyTuple_GET_ITEM(tuple, axis));
    }
    return PyErr_Occurred() ? -1 : 0;
}

static int
read_layout(PyObject *row, Layout *layout)
{
    PyObject *shape, *strides, *pooled = NULL;
    Py_ssize_t unaligned;
    if (!PyArg_ParseTuple(row, "O!O!O!n|O!", &PyArrayDescr_Type, &layout->dtype, &PyTuple_Type, &shape,
                          &PyTuple_Type, &strides, &unaligned, &PyTuple_Type, &pooled)) {
        layout->dtype = NULL;
        return -1;
    }
    Py_INCREF(layout->dtype);
    layout->pooled = Py_XNewRef(pooled);
    layout->unaligned = (npy_uintp)unaligned;
    if (PyTuple_GET_SIZE(shape) != PyTuple_GET_SIZE(strides) || PyTuple_GET_SIZE(shape) > MOST_AXES) {
        return refuse();
    }
    layout->ndim = (int)PyTuple_GET_SIZE(shape);
    return read_lengths(shape, layout->ndim, layout->dims) < 0
        || read_lengths(strides, layout->ndim, layout->strides) < 0 ? -1 : 0;
}

static int
read_layouts(PyObject *rows, Py_ssize_t most, Py_ssize_t *count, Layout **layouts)
{
    *count = PyTuple_GET_SIZE(rows);
    if (*count > most) {
        *count = 0;
        return refuse();
    }
    if ((*layouts = zeroed(*count, sizeof(Layout))) == NULL) {
        return -1;
    }
    for (Py_ssize_t k = 0; k < *count; k++) {
        if (read_layout(PyTuple_GET_ITEM(rows, k), &(*layouts)[k]) < 0) {
            return -1;
        }
    }
    return 0;
}

static int
read_bases(SmallCall *self, PyObject *rows)
{
    Py_ssize_t count = PyTuple_GET_SIZE(rows);
    if (count > MOST_BASES) {
        return refuse();
    }
    if ((self->base = zeroed(count, sizeof(Base))) == NULL) {
        return -1;
    }
    self->bases = count;
    for (Py_ssize_t k = 0; k < count; k++) {
        unsigned long long value;
        if (!PyArg_ParseTuple(PyTuple_GET_ITEM(rows, k), "iK", &self->base[k].kind, &value)) {
            return -1;
        }
        self->base[k].value = (npy_uintp)value;
        int kind = self->base[k].kind;
        if (kind < 0 || kind >= BASES
            || (kind == ARGUMENT && value >= (unsigned long long)self->arguments)
            || (kind == RESULT && value >= (unsigned long long)self->results)) {
            return refuse();
        }
    }
    return 0;
}

static int
is_base(const SmallCall *self, Py_ssize_t base)
{
    return base >= 0 && base < self->bases;
}

static int read_kernel(SmallCall *self, Step *step, PyObject *row);

/* Read a library call: function, values, names, operands, whether it writes to the last of these,
   whether its result may be a part of one of them, base and layout of the result, and kernels that
   compute it without Python, into that memory. An operand is its place among the values, base, offset
   and layout. */
static int
read_library(SmallCall *self, Step *step, PyObject *row)
{
    PyObject *function, *values, *names, *operands, *result, *entries;
    Library *library = step->library = zeroed(1, sizeof(Library));
    if (state.error_state == NULL) {
        return refuse();
    }
    if (library == NULL
        || !PyArg_ParseTuple(row, "OO!O!O!ppnO!O!", &function, &PyTuple_Type, &values, &PyTuple_Type, &names,
                             &PyTuple_Type, &operands, &library->writes, &library->shares, &library->base,
                             &PyTuple_Type, &result, &PyTuple_Type, &entries)) {
        return -1;
    }
    Py_ssize_t count = PyTuple_GET_SIZE(operands);
    if (PyTuple_GET_SIZE(values) > MOST_VALUES || PyTuple_GET_SIZE(names) > PyTuple_GET_SIZE(values)
        || count > PyTuple_GET_SIZE(values) || !is_base(self, library->base)
        || ++self->libraries > MOST_LIBRARIES || (library->writes && !count)) {
        return refuse();
    }
    library->function = Py_NewRef(function);
    library->values = Py_NewRef(values);
    library->names = PyTuple_GET_SIZE(names) ? Py_NewRef(names) : NULL;
    if (read_layout(result, &library->result) < 0
        || (library->position = zeroed(count, sizeof(Py_ssize_t))) == NULL
        || (library->operand = zeroed(count, sizeof(Operand))) == NULL) {
        return -1;
    }
    for (Py_ssize_t k = 0; k < count; k++) {
        Operand *operand = &library->operand[k];
        PyObject *layout;
        if (!PyArg_ParseTuple(PyTuple_GET_ITEM(operands, k), "nnnO!", &library->position[k],
                              &operand->base, &operand->offset, &PyTuple_Type, &layout)) {
            return -1;
        }
        library->slots = k + 1;
        if (read_layout(layout, &operand->layout) < 0) {
            return -1;
        }
        if (!is_base(self, operand->base) || library->position[k] < 0
            || library->position[k] >= PyTuple_GET_SIZE(values)) {
            return refuse();
        }
    }
    if ((library->entry = zeroed(PyTuple_GET_SIZE(entries), sizeof(Step))) == NULL) {
        return -1;
    }
    for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(entries); k++) {
        library->entries = k + 1;
        if (read_kernel(self, &library->entry[k], PyTuple_GET_ITEM(entries, k)) < 0) {
            return -1;
        }
    }
    const Base *base = &self->base[library->base];
    library->reshapes = !library->writes && library->entries > 0;
    if (!library->writes && base->kind == RESULT) {
        Layout *own = &self->result[base->value];
        const Layout *returned = &library->result;
        if (own->dtype->type_num != returned->dtype->type_num
            || PyArray_MultiplyList(own->dims, own->ndim)
                   != PyArray_MultiplyList(returned->dims, returned->ndim)) {
            return refuse();
        }
        library->reshapes |= own->ndim != returned->ndim
                         || !PyArray_CompareLists(own->dims, returned->dims, own->ndim);
        own->is_library = !library->reshapes;
    }
    return 0;
}

/* Read a name of memory: a base, and another with an offset at which it begins. */
static int
read_part(SmallCall *self, Step *step, PyObject *row)
{
    Part *part = step->part = zeroed(1, sizeof(Part));
    if (part == NULL || !PyArg_ParseTuple(row, "nnn", &part->base, &part->of, &part->offset)) {
        return -1;
    }
    return is_base(self, part->base) && is_base(self, part->of) ? 0 : refuse();
}

static int
read_step(SmallCall *self, Step *step, PyObject *row)
{
    if (PyTuple_GET_SIZE(row) && !PyLong_Check(PyTuple_GET_ITEM(row, 0))) {
        return read_library(self, step, row);
    }
    return PyTuple_GET_SIZE(row) == 3 ? read_part(self, step, row) : read_kernel(self, step, row);
}

/* Read a kernel: address, number of work items, arguments, the addresses among them, and a job of
   the pool. */
static int
read_kernel(SmallCall *self, Step *step, PyObject *row)
{
    unsigned long long address;
    long long count;
    const char *block;
    Py_ssize_t nbytes;
    PyObject *places, *descriptor;
    if (!PyArg_ParseTuple(row, "KLy#O!O!", &address, &count, &block, &nbytes, &PyTuple_Type,
                          &places, &PyByteArray_Type, &descriptor)) {
        return -1;
    }
    if (nbytes % 8 || nbytes > 8 * MOST_WORDS) {
        return refuse();
    }
    step->entry = (Entry)(npy_uintp)address;
    step->count = count;
    step->words = nbytes / 8;
    step->descriptor = PyByteArray_GET_SIZE(descriptor) ? Py_NewRef(descriptor) : NULL;
    if (step->descriptor != NULL && self->pool.object == Py_None) {
        return refuse();
    }
    if ((step->block = zeroed(step->words, sizeof(npy_uint64))) == NULL) {
        return -1;
    }
    memcpy(step->block, block, nbytes);
    if ((step->place = zeroed(PyTuple_GET_SIZE(places), sizeof(Place))) == NULL) {
        return -1;
    }
    step->places = PyTuple_GET_SIZE(places);
    for (Py_ssize_t i = 0; i < step->places; i++) {
        Place *place = &step->place[i];
        if (!PyArg_ParseTuple(PyTuple_GET_ITEM(places, i), "nnn", &place->word, &place->base,
                              &place->offset)) {
            return -1;
        }
        if (place->word < 0 || place->word >= step->words || place->base < 0
            || place->base >= self->bases) {
            return refuse();
        }
    }
    return 0;
}

static PyObject *
small_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    static char *names[] = {"arguments", "results", "bases", "steps", "memory_bytes",
                            "status_words", "helpers", "entrance", "sequence", "code",
                            "renew", "ran", "report", "finish", "owner", "donors", "protected",
                            "restored", "loud", NULL};
    PyObject *arguments, *results, *bases, *steps, *entrance, *sequence, *code, *renew, *ran;
    PyObject *report, *finish, *owner, *donors, *protected, *restored;
    Py_ssize_t memory_bytes, status_words, helpers, loud_bytes;
    const char *loud;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "O!O!O!O!nnnO!OOOOOOOO!O!O!y#", names, &PyTuple_Type,
                                     &arguments, &PyTuple_Type, &results, &PyTuple_Type, &bases,
                                     &PyTuple_Type, &steps, &memory_bytes, &status_words, &helpers,
                                     &PyTuple_Type, &entrance, &sequence, &code, &renew, &ran,
                                     &report, &finish, &owner, &PyTuple_Type, &donors,
                                     &PyTuple_Type, &protected, &PyTuple_Type, &restored, &loud,
                                     &loud_bytes)) {
        return NULL;
    }
    SmallCall *self = (SmallCall *)type->tp_alloc(type, 0);
    if (self == NULL) {
        return NULL;
    }
    self->sequence = Py_NewRef(sequence);
    self->code = Py_NewRef(code);
    self->renew = Py_NewRef(renew);
    self->ran = Py_NewRef(ran);
    self->helpers = helpers;
    if (read_pool(&self->pool, entrance) < 0) {
        goto failed;
    }
    self->report = Py_NewRef(report);
    self->finish = Py_NewRef(finish);
    self->owner = Py_NewRef(owner);
    self->memory_bytes = memory_bytes;
    self->status_words = status_words;
    if (memory_bytes < 0 || status_words < 0 || status_words > MOST_STEP_STATUS
        || (loud_bytes && loud_bytes != 8 * status_words)
        || (finish == Py_None && PyTuple_GET_SIZE(results) != 1)) {
        refuse();
        goto failed;
    }
    if (loud_bytes) {
        if ((self->loud = zeroed(status_words, sizeof(npy_uint64))) == NULL) {
            goto failed;
        }
        memcpy(self->loud, loud, loud_bytes);
    }
    if (read_layouts(arguments, MOST_ARGUMENTS, &self->arguments, &self->argument) < 0
        || read_layouts(results, MOST_STEP_RESULTS, &self->results, &self->result) < 0
        || read_bases(self, bases) < 0 || read_donors(self, donors, protected) < 0
        || read_restored(self, restored) < 0) {
        goto failed;
    }
    Py_ssize_t count = PyTuple_GET_SIZE(steps);
    if ((self->step = zeroed(count, sizeof(Step))) == NULL) {
        goto failed;
    }
    self->steps = count;
    for (Py_ssize_t k = 0; k < count; k++) {
        if (read_step(self, &self->step[k], PyTuple_GET_ITEM(steps, k)) < 0) {
            goto failed;
        }
    }
    return (PyObject *)self;
failed:
    Py_DECREF(self);
    return NULL;
}

#endif
