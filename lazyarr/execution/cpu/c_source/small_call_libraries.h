/* Library calls of a small call: their operands are views of its memory. */

#ifndef LAZYARR_SMALL_CALL_LIBRARIES_H
#define LAZYARR_SMALL_CALL_LIBRARIES_H

#include "small_call.h"

static int
is_laid_out(const Layout *layout, PyObject *object)
{
    if (!PyArray_CheckExact(object)) {
        return 0;
    }
    PyArrayObject *array = (PyArrayObject *)object;
    if (PyArray_DESCR(array) != layout->dtype || PyArray_NDIM(array) != layout->ndim
        || ((npy_uintp)PyArray_DATA(array) & layout->unaligned)) {
        return 0;
    }
    const npy_intp *dims = PyArray_DIMS(array), *strides = PyArray_STRIDES(array);
    for (int axis = 0; axis < layout->ndim; axis++) {
        if (dims[axis] != layout->dims[axis] || strides[axis] != layout->strides[axis]) {
            return 0;
        }
    }
    return 1;
}

/* Return an operand: an argument itself, or a view of what lies at an address. */
static PyObject *
view_of(const SmallCall *self, const Operand *operand, PyObject *args, const npy_uintp *bases)
{
    const Base *base = &self->base[operand->base];
    const Layout *layout = &operand->layout;
    if (base->kind == ARGUMENT && operand->offset == 0
        && is_laid_out(layout, PyTuple_GET_ITEM(args, base->value))) {
        return Py_NewRef(PyTuple_GET_ITEM(args, base->value));
    }
    Py_INCREF(layout->dtype); /* which is taken */
    return PyArray_NewFromDescr(&PyArray_Type, layout->dtype, layout->ndim, layout->dims, layout->strides,
                                (char *)bases[operand->base] + operand->offset,
                                NPY_ARRAY_WRITEABLE | NPY_ARRAY_ALIGNED, NULL);
}

static int
has_shape(PyArrayObject *array, const Layout *layout)
{
    return PyArray_NDIM(array) == layout->ndim
        && PyArray_CompareLists(PyArray_DIMS(array), layout->dims, layout->ndim);
}

/* Return whether two arrays in C order share memory. */
static int
overlap(PyArrayObject *one, PyArrayObject *other)
{
    const char *first = PyArray_DATA(one), *second = PyArray_DATA(other);
    return first < second + PyArray_NBYTES(other) && second < first + PyArray_NBYTES(one);
}

/* Return whether the memory of what a function returned is its own, or may be a part of an operand's. */
static int
is_own(const SmallCall *self, const Library *library, PyArrayObject *array, PyObject *const *views,
       Py_ssize_t count)
{
    int flags = NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_WRITEABLE | NPY_ARRAY_ALIGNED;
    if (!PyArray_CHKFLAGS(array, flags) || PyArray_DESCR(array) != library->result.dtype) {
        return 0;
    }
    if (library->shares) {
        return 1;
    }
    int is_owner = PyArray_CHKFLAGS(array, NPY_ARRAY_OWNDATA);
    if (!is_owner && self->base[library->base].kind == RESULT) {
        return 0;
    }
    for (Py_ssize_t k = 0; k < count; k++) {
        PyArrayObject *view = (PyArrayObject *)views[k];
        if (array == view
            || (!is_owner && (!PyArray_CHKFLAGS(view, NPY_ARRAY_C_CONTIGUOUS) || overlap(array, view)))) {
            return 0;
        }
    }
    return 1;
}

/* Return what a function returned as an array of its own, in C order. */
static PyArrayObject *
owned(const SmallCall *self, const Library *library, PyArrayObject *array, PyObject *const *views,
      Py_ssize_t count)
{
    if (is_own(self, library, array, views, count)) {
        return (PyArrayObject *)Py_NewRef(array);
    }
    Py_INCREF(library->result.dtype); /* which is taken */
    return (PyArrayObject *)PyArray_FromArray(
        array, library->result.dtype, NPY_ARRAY_CARRAY | NPY_ARRAY_ENSURECOPY | NPY_ARRAY_FORCECAST);
}

/* Copy what a function returned to memory, in C order. */
static int
copy_to(const Library *library, PyArrayObject *array, char *memory)
{
    const Layout *layout = &library->result;
    Py_INCREF(layout->dtype); /* which is taken */
    PyObject *target = PyArray_NewFromDescr(&PyArray_Type, layout->dtype, layout->ndim, layout->dims,
                                            NULL, memory, NPY_ARRAY_CARRAY, NULL);
    int status = target == NULL ? -1 : PyArray_CopyInto((PyArrayObject *)target, array);
    Py_XDECREF(target);
    return status;
}

/* Write the arguments of a step with the addresses of a call. */
static void
fill_block(const Step *step, const npy_uintp *bases, npy_uint64 *block)
{
    memcpy(block, step->block, 8 * step->words);
    for (Py_ssize_t i = 0; i < step->places; i++) {
        const Place *place = &step->place[i];
        block[place->word] = bases[place->base] + (npy_uintp)place->offset;
    }
}

/* Compute a library call without Python; return whether there is a form of it, and it met no faults but `quiet`. */
static int
run_entries(const Library *library, const npy_uintp *bases, npy_int64 quiet)
{
    npy_uint64 block[MOST_WORDS];
    for (Py_ssize_t k = 0; k < library->entries; k++) {
        const Step *step = &library->entry[k];
        fill_block(step, bases, block);
        if (step->entry(0, step->count, block) & ~quiet) {
            return 0;
        }
    }
    return library->entries > 0;
}

/* Call a library; its result lies in the memory of the plan, or is owned by the run. */
static int
run_library(const SmallCall *self, const Library *library, PyObject *args, npy_uintp *bases,
            PyArrayObject **results, PyArrayObject **own)
{
    PyObject *stack[MOST_VALUES], *views[MOST_VALUES], *returned = NULL;
    PyArrayObject *array = NULL, *value;
    Py_ssize_t count = PyTuple_GET_SIZE(library->values), taken = 0;
    int status = -1;
    for (Py_ssize_t k = 0; k < count; k++) {
        stack[k] = PyTuple_GET_ITEM(library->values, k);
    }
    while (taken < library->slots) {
        if ((views[taken] = view_of(self, &library->operand[taken], args, bases)) == NULL) {
            goto done;
        }
        stack[library->position[taken]] = views[taken];
        taken++;
    }
    Py_ssize_t names = library->names == NULL ? 0 : PyTuple_GET_SIZE(library->names);
    returned = PyObject_Vectorcall(library->function, stack, count - names, library->names);
    if (returned == NULL) {
        goto done;
    }
    if (library->writes && returned == views[taken - 1]) {
        status = 0;
        goto done;
    }
    array = (PyArrayObject *)PyArray_FromAny(returned, NULL, 0, 0, 0, NULL);
    if (array == NULL) {
        goto done;
    }
    if (!has_shape(array, &library->result)) {
        PyErr_SetString(PyExc_ValueError, "a library call returned an unexpected shape");
        goto done;
    }
    if (library->writes) {
        status = PyArray_CopyInto((PyArrayObject *)views[taken - 1], array);
        goto done;
    }
    if (library->reshapes) {
        status = copy_to(library, array, (char *)bases[library->base]);
        goto done;
    }
    if ((value = owned(self, library, array, views, taken)) == NULL) {
        goto done;
    }
    if (self->base[library->base].kind == RESULT) {
        Py_XSETREF(results[self->base[library->base].value], value);
    }
    else {
        *own = value;
    }
    bases[library->base] = (npy_uintp)PyArray_DATA(value);
    status = 0;
done:
    Py_XDECREF(returned);
    Py_XDECREF(array);
    for (Py_ssize_t k = 0; k < taken; k++) {
        Py_DECREF(views[k]);
    }
    return status;
}

static void free_steps(Step *steps, Py_ssize_t count);

static void
free_library(Library *library)
{
    if (library == NULL) {
        return;
    }
    Py_XDECREF(library->function);
    Py_XDECREF(library->values);
    Py_XDECREF(library->names);
    Py_XDECREF(library->result.dtype);
    for (Py_ssize_t k = 0; k < library->slots; k++) {
        Py_XDECREF(library->operand[k].layout.dtype);
    }
    free_steps(library->entry, library->entries);
    PyMem_Free(library->position);
    PyMem_Free(library->operand);
    PyMem_Free(library);
}

static void
free_steps(Step *steps, Py_ssize_t count)
{
    for (Py_ssize_t k = 0; steps != NULL && k < count; k++) {
        free_library(steps[k].library);
        PyMem_Free(steps[k].part);
        PyMem_Free(steps[k].place);
        PyMem_Free(steps[k].block);
        Py_XDECREF(steps[k].descriptor);
    }
    PyMem_Free(steps);
}

#endif
