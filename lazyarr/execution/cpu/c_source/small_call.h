/* What a small call is: layouts of arrays, bases of addresses, kernels. */

#ifndef LAZYARR_SMALL_CALL_H
#define LAZYARR_SMALL_CALL_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <structmember.h>

#define NPY_NO_DEPRECATED_API NPY_2_0_API_VERSION
#include <numpy/arrayobject.h>

#include "kernel_calls.h"
#include "pool_jobs.h"

/* Where a base that addresses are relative to lies. */
enum {
    ARGUMENT, /* the memory of an argument */
    ADDRESS,  /* an address that is always the same */
    RESULT,   /* the memory of a result */
    MEMORY,   /* memory of the call, at an offset */
    STATUS,   /* the words in which kernels report */
    BASES
};

#define MOST_ARGUMENTS 256
#define MOST_BASES 1024
#define MOST_WORDS 512

typedef struct {
    PyArray_Descr *dtype;
    int ndim;
    npy_intp dims[MOST_AXES];
    npy_intp strides[MOST_AXES];
    npy_uintp unaligned; /* bits of the address that must be 0 */
    PyObject *pooled;    /* of a result of many bytes: (bytes, shape, dtype), else NULL */
    int is_library;      /* a result that a library allocates */
    int is_donor;        /* an argument whose memory a result takes */
    Py_ssize_t copy;     /* offset of a copy of its memory, as it is if a library raises an error */
} Layout;

typedef struct {
    int kind;
    npy_uintp value;
} Base;

/* Bytes of the memory of an array. */
typedef struct {
    npy_uintp start, stop;
    int is_donor;
} Span;

/* A value that lies at a base and an offset. */
typedef struct {
    Py_ssize_t base;
    npy_intp offset;
    Layout layout;
} Operand;

#define MOST_STEP_RESULTS 256 /* of the calls of training steps */
#define MOST_STEP_STATUS 512
#define MOST_VALUES 64
#define MOST_LIBRARIES 256

/* A call of a library. */
typedef struct {
    PyObject *function;
    PyObject *values;     /* arguments, those by keyword last; any object in the place of an operand */
    PyObject *names;      /* of keywords; NULL: there are none */
    Py_ssize_t slots;
    Py_ssize_t *position; /* of each operand among the values */
    Operand *operand;
    int writes;           /* to the last operand, which is out= */
    int shares;           /* whether the result may be a part of an operand */
    Py_ssize_t base;      /* else the base that its result is */
    int reshapes;         /* its elements are copied to memory of the call, or a result of another shape */
    struct Step *entry;   /* calls that compute it without Python, unless one returns faults; may be none */
    Py_ssize_t entries;
    Layout result;
} Library;

/* A base that begins within another. */
typedef struct {
    Py_ssize_t base, of;
    npy_intp offset;
} Part;

typedef struct Step {
    Library *library; /* NULL: a kernel */
    Part *part;       /* of a step that is nothing but a name of memory; else NULL */
    Entry entry;
    npy_int64 count;
    Py_ssize_t words;
    npy_uint64 *block;
    Py_ssize_t places;
    Place *place;
    PyObject *descriptor; /* of a job of the pool; NULL: the calling thread runs the kernel */
} Step;

typedef struct {
    PyObject_HEAD
    Py_ssize_t arguments, results, bases, steps, libraries;
    Layout *argument, *result;
    Base *base;
    Py_ssize_t *donor; /* of each result the argument whose memory it takes, or -1; NULL: none */
    Span *protected;   /* memory that such an argument must not share */
    Py_ssize_t protected_spans;
    int restores;      /* whether donated arguments are copied to the memory of the steps */
    Step *step;
    Py_ssize_t memory_bytes, status_words;
    npy_uint64 *loud; /* the bits of reports that NumPy's usual state does not ignore; NULL: all */
    Pool pool;
    Py_ssize_t helpers; /* workers that the kernels take */
    PyObject *sequence, *code; /* the launches, and their code when this was made */
    PyObject *next;     /* the call with other code; NULL: it was not needed yet */
    PyObject *renew;    /* makes it */
    PyObject *ran;      /* called with arguments and seconds where those are counted */
    PyObject *report; /* called with arguments and bytes if kernels report anything */
    PyObject *finish; /* makes the value of the list of results; None: it is the only one */
    PyObject *owner;  /* of the machine code and of arrays at fixed addresses */
} SmallCall;

/* Functions of Python's: see small_calls.py. */
static struct {
    PyObject *allocate;       /* (bytes, shape, dtype) -> an array of the pool of memory */
    PyObject *allocate_block; /* (bytes) -> a block of it, with its address */
    PyObject *pool;           /* () -> the threads' pool, or None */
    PyObject *clock;          /* () -> seconds */
    PyObject *error_state;    /* NumPy's, of a context; NULL: no call has libraries */
    PyObject *strict;         /* () -> that in which NumPy raises all but what it ignores now, and quiet bits */
    PyObject *usual;          /* NumPy's, where no program has set it */
    PyObject *usual_strict;   /* for that: NumPy raises all but what it ignores there */
    npy_int64 usual_quiet;    /* bits of the faults that it ignores there, as entries of libraries return them */
    PyObject *taken;          /* type of what keeps memory of donated arrays; NULL: none is */
    PyObject *donated;        /* {identity: (reference, call, line)} of arrays that were donated */
    PyObject *status_error;   /* of a kernel that returns a status */
} state;
static PyObject *str_code, *str_meter, *str_owner;

#endif
