/* Donated arguments of a small call: results in their memory, and arrays that are refused then. */

#ifndef LAZYARR_SMALL_CALL_DONATIONS_H
#define LAZYARR_SMALL_CALL_DONATIONS_H

#include "small_call.h"

static int
refuse(void)
{
    PyErr_SetString(PyExc_ValueError, "a limit of small calls is exceeded");
    return -1;
}

/* Read for each result the argument whose memory it takes, -1 for none, and the bytes that no
   such argument may have a part in. */
static int
read_donors(SmallCall *self, PyObject *donors, PyObject *spans)
{
    Py_ssize_t count = PyTuple_GET_SIZE(donors), protected = PyTuple_GET_SIZE(spans);
    if (!count) {
        return 0;
    }
    if (count != self->results || protected > MOST_BASES || state.taken == NULL) {
        return refuse();
    }
    if ((self->donor = zeroed(count, sizeof(Py_ssize_t))) == NULL
        || (self->protected = zeroed(protected, sizeof(Span))) == NULL) {
        return -1;
    }
    self->protected_spans = protected;
    for (Py_ssize_t k = 0; k < count; k++) {
        Py_ssize_t donor = self->donor[k] = PyLong_AsSsize_t(PyTuple_GET_ITEM(donors, k));
        if (PyErr_Occurred()) {
            return -1;
        }
        if (donor < 0) {
            continue;
        }
        if (donor >= self->arguments || self->argument[donor].ndim != self->result[k].ndim
            || self->argument[donor].is_donor
            || !PyArray_CompareLists(self->argument[donor].dims, self->result[k].dims,
                                     self->result[k].ndim)) {
            return refuse();
        }
        self->argument[donor].is_donor = 1;
    }
    for (Py_ssize_t k = 0; k < protected; k++) {
        unsigned long long start, stop;
        if (!PyArg_ParseTuple(PyTuple_GET_ITEM(spans, k), "KK", &start, &stop)) {
            return -1;
        }
        self->protected[k].start = (npy_uintp)start;
        self->protected[k].stop = (npy_uintp)stop;
    }
    return 0;
}

/* Read the results in whose memory donated arguments lie that are copied beforehand, and where. */
static int
read_restored(SmallCall *self, PyObject *copies)
{
    for (Py_ssize_t k = 0; k < self->results; k++) {
        self->result[k].copy = -1;
    }
    self->restores = PyTuple_GET_SIZE(copies) > 0;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(copies); i++) {
        PyObject *pair = PyTuple_GET_ITEM(copies, i);
        Py_ssize_t k, offset;
        if (!PyTuple_Check(pair)) {
            return refuse();
        }
        if (!PyArg_ParseTuple(pair, "nn", &k, &offset)) {
            return -1;
        }
        if (self->donor == NULL || k < 0 || k >= self->results || self->donor[k] < 0) {
            return refuse();
        }
        Layout *layout = &self->result[k];
        Py_ssize_t nbytes = PyArray_MultiplyList(layout->dims, layout->ndim)
                          * PyDataType_ELSIZE(layout->dtype);
        if (layout->copy >= 0 || offset < 0 || nbytes > self->memory_bytes - offset) {
            return refuse();
        }
        layout->copy = offset;
    }
    return 0;
}

/* Copy what donated arguments are before a run, which may fail and be run again. */
static void
copy_donated(const SmallCall *self, PyArrayObject **results, char *memory)
{
    for (Py_ssize_t k = 0; self->restores && k < self->results; k++) {
        if (self->result[k].copy >= 0) {
            memcpy(memory + self->result[k].copy, PyArray_DATA(results[k]),
                   PyArray_NBYTES(results[k]));
        }
    }
}

/* Copy that back. */
static void
restore_donated(const SmallCall *self, PyArrayObject **results, const char *memory)
{
    for (Py_ssize_t k = 0; self->restores && k < self->results; k++) {
        if (self->result[k].copy >= 0) {
            memcpy(PyArray_DATA(results[k]), memory + self->result[k].copy,
                   PyArray_NBYTES(results[k]));
        }
    }
}

/* Return the bytes between which the elements of an array lie. */
static Span
span_of(PyArrayObject *array, int is_donor)
{
    npy_uintp start = (npy_uintp)PyArray_DATA(array);
    Span span = {start, start, is_donor};
    for (int axis = 0; axis < PyArray_NDIM(array); axis++) {
        npy_intp length = PyArray_DIM(array, axis);
        if (length == 0) {
            return (Span){start, start, is_donor};
        }
        npy_intp reach = (length - 1) * PyArray_STRIDE(array, axis);
        *(reach < 0 ? &span.start : &span.stop) += (npy_uintp)reach;
    }
    span.stop += (npy_uintp)PyArray_ITEMSIZE(array);
    return span;
}

static int
compare_spans(const void *first, const void *second)
{
    const Span *one = first, *other = second;
    if (one->start != other->start) {
        return one->start < other->start ? -1 : 1;
    }
    if (one->stop != other->stop) {
        return one->stop < other->stop ? -1 : 1;
    }
    return one->is_donor - other->is_donor;
}

static int
is_taken(PyObject *base)
{
    return base != NULL && (PyObject *)Py_TYPE(base) == state.taken;
}

/* Return whether results may take the memory of the donated arguments: it is writable, and shared
   with no other array of the call. Else Python's form raises the error. */
static int
may_donate(const SmallCall *self, PyObject *args)
{
    Span spans[MOST_ARGUMENTS + MOST_BASES];
    Py_ssize_t count = 0;
    if (self->donor == NULL) {
        return 1;
    }
    for (; count < self->arguments; count++) {
        PyArrayObject *array = (PyArrayObject *)PyTuple_GET_ITEM(args, count);
        int is_donor = self->argument[count].is_donor;
        PyObject *base = PyArray_BASE(array);
        if (is_donor && !PyArray_ISWRITEABLE(array) && !is_taken(base)
            && !(base != NULL && PyArray_Check(base) && PyArray_ISWRITEABLE((PyArrayObject *)base))) {
            return 0;
        }
        spans[count] = span_of(array, is_donor);
    }
    if (self->protected_spans) {
        memcpy(spans + count, self->protected, self->protected_spans * sizeof(Span));
        count += self->protected_spans;
    }
    qsort(spans, count, sizeof(Span), compare_spans);
    npy_uintp end = 0, end_of_donors = 0;
    for (const Span *span = spans; span < spans + count; span++) {
        if (span->start < end_of_donors || (span->is_donor && span->start < end)) {
            return 0;
        }
        if (span->stop > span->start) {
            end = span->stop > end ? span->stop : end;
            end_of_donors = span->is_donor && span->stop > end_of_donors ? span->stop : end_of_donors;
        }
    }
    return 1;
}

/* Return what keeps the memory of a donated array for another: not the array itself if it was
   donated memory before, else each step's result would keep that of the step before. */
static PyObject *
keeper_of(PyArrayObject *array)
{
    PyObject *base = PyArray_BASE(array);
    if (base != NULL && PyArray_Check(base) && is_taken(PyArray_BASE((PyArrayObject *)base))) {
        base = PyArray_BASE((PyArrayObject *)base);
    }
    if (is_taken(base)) {
        return Py_NewRef(base);
    }
    /* Its constructor describes the memory for NumPy, which reads no more than the base here. */
    PyTypeObject *taken = (PyTypeObject *)state.taken;
    PyObject *keeper = taken->tp_alloc(taken, 0);
    if (keeper != NULL
        && PyObject_SetAttr(keeper, str_owner, base == NULL ? (PyObject *)array : base) < 0) {
        Py_CLEAR(keeper);
    }
    return keeper;
}

/* Return an array in the memory of a donated argument. */
static PyArrayObject *
result_over(PyArrayObject *donor, const Layout *layout)
{
    PyArray_Descr *dtype = PyArray_DESCR(donor);
    PyObject *keeper = keeper_of(donor);
    if (keeper == NULL) {
        return NULL;
    }
    Py_INCREF(dtype); /* which is taken */
    PyObject *array = PyArray_NewFromDescr(&PyArray_Type, dtype, layout->ndim, layout->dims, NULL,
                                           PyArray_DATA(donor), NPY_ARRAY_CARRAY, NULL);
    if (array == NULL) {
        Py_DECREF(keeper);
        return NULL;
    }
    if (PyArray_SetBaseObject((PyArrayObject *)array, keeper) < 0) { /* which takes the keeper */
        Py_CLEAR(array);
    }
    return (PyArrayObject *)array;
}

/* Called as an array that was donated is freed, with its identity. */
static PyObject *
forget(PyObject *identity, PyObject *Py_UNUSED(reference))
{
    PyObject *entry = PyDict_GetItemWithError(state.donated, identity);
    if (entry == NULL ? PyErr_Occurred() != NULL : PyDict_DelItem(state.donated, identity) < 0) {
        return NULL;
    }
    Py_RETURN_NONE;
}

/* Enter an array among those that were donated, and make it read-only. */
static int
consume(PyObject *array, PyObject *call, PyObject *where)
{
    static PyMethodDef callback = {"forget", forget, METH_O, NULL};
    PyObject *entry = NULL, *identity = PyLong_FromVoidPtr(array);
    PyObject *forgets = identity == NULL ? NULL : PyCFunction_New(&callback, identity);
    PyObject *reference = forgets == NULL ? NULL : PyWeakref_NewRef(array, forgets);
    int status = -1;
    PyArray_CLEARFLAGS((PyArrayObject *)array, NPY_ARRAY_WRITEABLE);
    if (reference != NULL && (entry = PyTuple_Pack(3, reference, call, where)) != NULL) {
        status = PyDict_SetItem(state.donated, identity, entry);
    }
    Py_XDECREF(entry);
    Py_XDECREF(reference);
    Py_XDECREF(forgets);
    Py_XDECREF(identity);
    return status;
}

/* consume_all(values, call, where): what core.donation.consume does for each of some arrays; returns
   False, and does nothing, if not all are arrays. */
static PyObject *
consume_all(PyObject *Py_UNUSED(module), PyObject *args)
{
    PyObject *values, *call, *where;
    if (!PyArg_ParseTuple(args, "O!OO", &PyList_Type, &values, &call, &where)) {
        return NULL;
    }
    for (Py_ssize_t k = 0; k < PyList_GET_SIZE(values); k++) {
        if (!PyArray_CheckExact(PyList_GET_ITEM(values, k)) || state.donated == NULL) {
            Py_RETURN_FALSE;
        }
    }
    for (Py_ssize_t k = 0; k < PyList_GET_SIZE(values); k++) {
        if (consume(PyList_GET_ITEM(values, k), call, where) < 0) {
            return NULL;
        }
    }
    Py_RETURN_TRUE;
}

/* is_disjoint(values): what core.donation.is_disjoint returns for a list. */
static PyObject *
is_disjoint(PyObject *Py_UNUSED(module), PyObject *values)
{
    if (!PyList_Check(values)) {
        PyErr_SetString(PyExc_TypeError, "a list of values is compared");
        return NULL;
    }
    if (state.donated == NULL || PyDict_GET_SIZE(state.donated) == 0) {
        Py_RETURN_TRUE;
    }
    for (Py_ssize_t k = 0; k < PyList_GET_SIZE(values); k++) {
        PyObject *identity = PyLong_FromVoidPtr(PyList_GET_ITEM(values, k));
        int is_donated = identity == NULL ? -1 : PyDict_Contains(state.donated, identity);
        Py_XDECREF(identity);
        if (is_donated) {
            return is_donated < 0 ? NULL : Py_NewRef(Py_False);
        }
    }
    Py_RETURN_TRUE;
}

/* install_donation(taken, donated, error): enter the type that keeps memory of donated arrays, the
   table of these, and the error of a kernel that returns a status. */
static PyObject *
install_donation(PyObject *Py_UNUSED(module), PyObject *args)
{
    PyObject *taken, *donated, *error;
    if (!PyArg_ParseTuple(args, "O!O!O", &PyType_Type, &taken, &PyDict_Type, &donated, &error)) {
        return NULL;
    }
    Py_XSETREF(state.taken, Py_NewRef(taken));
    Py_XSETREF(state.donated, Py_NewRef(donated));
    Py_XSETREF(state.status_error, Py_NewRef(error));
    Py_RETURN_NONE;
}

#endif
