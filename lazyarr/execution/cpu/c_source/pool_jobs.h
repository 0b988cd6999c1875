/* Jobs of the threads' pool, as C hands them in: see native_pool.py. */

#ifndef LAZYARR_POOL_JOBS_H
#define LAZYARR_POOL_JOBS_H

#include <Python.h>

#include <numpy/npy_common.h>

typedef npy_int64 (*PoolRun)(npy_int64, void *, const void *, npy_int64, npy_int64);

/* The pool of threads that was there when launches were described. */
typedef struct {
    PyObject *object; /* None: there was none */
    npy_int64 address, result_bits;
    PoolRun run;
    PyObject *numbers, *abandon;
} Pool;

/* Take a pool's entrance: itself, its address, that of its function, the bits of a result, its
   numbers and how jobs are abandoned. */
static int
read_pool(Pool *pool, PyObject *entrance)
{
    PyObject *object, *numbers, *abandon;
    long long address, run, result_bits;
    if (!PyArg_ParseTuple(entrance, "OLLLOO", &object, &address, &run, &result_bits, &numbers,
                          &abandon)) {
        return -1;
    }
    pool->object = Py_NewRef(object);
    pool->address = address;
    pool->run = (PoolRun)(npy_uintp)run;
    pool->result_bits = result_bits;
    pool->numbers = Py_NewRef(numbers);
    pool->abandon = Py_NewRef(abandon);
    return 0;
}

/* Return whether the pool that a function returns is still this one, with so many workers. */
static int
has_workers(const Pool *pool, PyObject *current, Py_ssize_t helpers)
{
    if (pool->object == Py_None) {
        return 0;
    }
    PyObject *object = PyObject_CallNoArgs(current);
    PyObject *size = object == pool->object ? PyObject_GetAttrString(object, "size") : NULL;
    int result = size != NULL && PyLong_AsSsize_t(size) >= helpers;
    Py_XDECREF(size);
    Py_XDECREF(object);
    return PyErr_Occurred() ? -1 : result;
}

/* Run a job; return what its kernels returned, as bits, or -1 for an error. */
static npy_int64
run_job(const Pool *pool, char *descriptor, const npy_uint64 *block)
{
    PyObject *number = PyIter_Next(pool->numbers);
    if (number == NULL) {
        return -1;
    }
    npy_int64 job = PyLong_AsLongLong(number), answer = 0, bits = 0;
    npy_int64 mask = ((npy_int64)1 << pool->result_bits) - 1;
    int interrupted = 0;
    do {
        npy_int64 from = answer >> pool->result_bits;
        Py_BEGIN_ALLOW_THREADS
        answer = pool->run(pool->address, descriptor, block, from, job);
        Py_END_ALLOW_THREADS
        bits |= answer & mask;
        /* Nobody works on the job meanwhile. */
        interrupted = (answer >> pool->result_bits) && PyErr_CheckSignals() < 0;
    } while (!interrupted && (answer >> pool->result_bits));
    if (interrupted) {
        PyObject *kind, *value, *trace;
        PyErr_Fetch(&kind, &value, &trace);
        PyObject *none = PyObject_CallFunction(pool->abandon, "LO", (long long)pool->address,
                                               number);
        Py_XDECREF(none);
        PyErr_Clear();
        PyErr_Restore(kind, value, trace);
        bits = -1;
    }
    Py_DECREF(number);
    return bits;
}

#endif
