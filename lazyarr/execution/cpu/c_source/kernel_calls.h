/* What both forms of calls share that run kernels: their memory, clock and bounds. */

#ifndef LAZYARR_KERNEL_CALLS_H
#define LAZYARR_KERNEL_CALLS_H

#include <Python.h>

#include <numpy/npy_common.h>

#include "tuning.h"

#define MOST_RESULTS 16
#define MOST_AXES 32
#define MOST_STATUS 32 /* words */
#define ALIGNMENT 64
#define FAILED (1 << 15) /* in what a kernel returns: see calling_convention.py */

/* A word of a kernel's arguments that is an address: a base and an offset. */
typedef struct {
    Py_ssize_t word, base;
    npy_intp offset;
} Place;

typedef npy_int32 (*Entry)(npy_int64, npy_int64, const void *);

/* Memory of a call, at a multiple of ALIGNMENT. */
typedef struct {
    char *start, *raw;
    PyObject *block;
} Memory;

/* Allocate a call's bytes, many of them by a function of Python's: of the pool of memory. */
static int
take_memory(Memory *memory, Py_ssize_t nbytes, PyObject *allocate_block)
{
    if (nbytes >= MOST_RAW) {
        memory->block = PyObject_CallFunction(allocate_block, "n", nbytes);
        PyObject *address =
            memory->block == NULL ? NULL : PyObject_GetAttrString(memory->block, "address");
        if (address == NULL) {
            return -1;
        }
        memory->start = (char *)(npy_uintp)PyLong_AsUnsignedLongLongMask(address);
        Py_DECREF(address);
    }
    else if (nbytes) {
        if ((memory->raw = PyMem_RawMalloc(nbytes + ALIGNMENT)) == NULL) {
            PyErr_NoMemory();
            return -1;
        }
        memory->start = memory->raw + (-(npy_uintp)memory->raw & (ALIGNMENT - 1));
    }
    return 0;
}

static void
free_memory(Memory *memory)
{
    PyMem_RawFree(memory->raw);
    Py_XDECREF(memory->block);
}

/* Return whether an attribute of an object is another object; -1: an error. */
static int
attribute_is(PyObject *object, PyObject *name, PyObject *value)
{
    PyObject *now = PyObject_GetAttr(object, name);
    Py_XDECREF(now);
    return now == NULL ? -1 : now == value;
}

/* Return the seconds of the clock if a sequence of launches counts time, 0 if not; -1: an error. */
static double
started(PyObject *sequence, PyObject *str_meter, PyObject *clock)
{
    int is_free = attribute_is(sequence, str_meter, Py_None);
    if (is_free) {
        return is_free < 0 ? -1 : 0;
    }
    PyObject *now = PyObject_CallNoArgs(clock);
    double seconds = now == NULL ? -1 : PyFloat_AsDouble(now);
    Py_XDECREF(now);
    return seconds;
}

static void *
zeroed(Py_ssize_t count, size_t each)
{
    void *memory = PyMem_Calloc(count ? count : 1, each);
    if (memory == NULL) {
        PyErr_NoMemory();
    }
    return memory;
}

#endif
