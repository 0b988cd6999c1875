/* The fields of an array, and what all operations ask of them. */

#ifndef LAZYARR_ARRAY_H
#define LAZYARR_ARRAY_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <structmember.h>

#define NPY_NO_DEPRECATED_API NPY_2_0_API_VERSION
#define NPY_TARGET_VERSION NPY_2_0_API_VERSION
#include <numpy/arrayobject.h>
#include <numpy/arrayscalars.h>

#include "node.h"

/* See ArrayBase in base.py for what each field is. NULL stands for None.

   A number of double precision has no object of NumPy's until one is asked for: `memory` is NULL,
   `is_double` 1 and `number` the value. `memory_of` and `own_memory` make the object. */
typedef struct Array {
    PyObject_HEAD
    PyObject *weakrefs;
    PyObject *memory;    /* _array; see above */
    double number;
    int is_double;
    int place;           /* among the recent ones, from 1 on; 0: none */
    struct Array *owner; /* _alias: whose elements it shows, */
    PyObject *seen;      /* the owner's memory or node when it did, */
    PyObject *steps;     /* and the way from there */
    PyObject *node;      /* _current; NULL: unset */
    PyObject *view_nodes; /* _view_nodes */
    PyObject *operation; /* _history, as an operation and its operands ... */
    PyObject *left;
    PyObject *right;
    PyObject *history;   /* ... or as it was set */
    Py_ssize_t past;     /* _past */
    PyObject *layout;    /* _layout; NULL: unset */
    PyObject *locked;    /* _locked; NULL: unset */
    PyObject *writes;    /* _writes; NULL: unset */
} Array;

static PyTypeObject Fields_Type;
static PyTypeObject Call_Type;
static PyTypeObject Function_Type;

#define IS_CALL(object) (Py_TYPE(object) == &Call_Type || Py_TYPE(object) == &Function_Type)

/* What `install` enters; all are borrowed from modules that live as long. */
static struct {
    PyTypeObject *array_type; /* LazyArray; NULL before `install` */
    PyObject *running;        /* the list of traces */
    PyObject *suspended;      /* threads in which all stays an expression */
    PyObject *attributed;     /* threads that attribute what they build to a line */
    PyObject *override;       /* the context variable of the settings of a `with` block */
    PyObject *overridden;     /* a list that is empty until there was such a block */
    PyObject *base;           /* the settings of the whole process, in a list */
    PyObject *limit;          /* limit() of immediate.py */
    PyObject *is_ours;        /* whether a file is lazyarr's or NumPy's */
    PyObject *snapshot;       /* the node of an array in memory */
    PyObject *item;           /* the marker ITEM */
    PyObject *borrowed;       /* the marker BORROWED */
    PyObject *keep_written;   /* of aliasing.py */
    PyObject *refused;        /* exceptions after which an expression is built */
    PyObject *error_state;    /* NumPy's context variable, */
    PyObject *noted;          /* and its values in which exceptions are noted, all and but underflows; the default */
    PyObject *exceptions;     /* in this list */
    PyObject *ops;            /* ufunc -> op */
    PyObject *loops;          /* ufunc -> operator of which there is a loop */
    PyObject *cheap;          /* ufuncs that run at once on more elements */
    PyObject *attributes; /* of NumPy's functions that read one: its name */
    PyObject *calls;          /* function of NumPy's -> Call */
    PyObject *slow_ufunc;     /* __array_ufunc__ and __array_function__ of Python */
    PyObject *slow_function;
    PyObject *slow_getitem;
    PyObject *slow_setitem;
    PyObject *slow_iter;
    PyObject *slow_len;
    PyObject *slow_bool;
    PyObject *slow_int;
    PyObject *slow_float;
    PyObject *slow_index;
    PyObject *part;           /* returns what gives one of several results of a function */
    PyObject *divmod;         /* numpy.divmod */
    PyObject *power;          /* numpy.power */
    PyObject *matmul;         /* numpy.matmul, which histories name */
    PyObject *places;         /* numpy.where, and numpy.nonzero, which it is of a condition alone */
    PyObject *hosted;         /* the kinds of leaves that are arrays in the host's memory */
    PyObject *to_write;       /* lets a small array have memory that is written to */
    PyObject *write_over;     /* lets a kernel write over an ndarray that is an operand */
    PyObject *compute_results; /* computes what depends on an ndarray that may be written to */
    PyObject *leaf;           /* the leaf of an ndarray, */
    PyObject *leaf_op;        /* the operation of leaves */
    PyObject *immediate;      /* the kind of leaves of copies of values in memory */
    PyObject *shared_leaf;    /* the kind of those that are the memory of one array */
    PyObject *handed;         /* on how many times as many elements operations of ndarrays run at once, */
    PyObject *handed_ufuncs;  /* and which ufuncs */
    PyObject *donated;        /* arrays whose memory was given away */
    PyObject *canonical;      /* dtype -> the one of those that are equal which nodes have */
    PyObject *origin;         /* the user's line */
    PyObject *constant;       /* the node of a number in a dtype */
    PyObject *constant_op;    /* and its operation */
    PyObject *view_op;        /* the operation of views */
    PyObject *cast_op;        /* and that of casts */
    PyObject *varying;        /* operations of which an operator may be another */
    PyObject *reduce;         /* Kind.REDUCE */
    PyObject *pressure;       /* says whether much is pending, */
    PyObject *relieve;        /* which is to be called then */
    PyObject *functions;      /* the capsule of the compiled nodes, */
    NodeFunctions *nodes;     /* and what it has; NULL: there are none */
    Py_ssize_t most_past;     /* how much arrays remember */
    Py_ssize_t viewed_part;   /* a view of less than this part of what was written to is copied */
    Py_ssize_t larger;        /* results may have as many times as many elements as arguments */
    Py_ssize_t cheaper;       /* cheap operations run at once on as many times as many elements, */
    Py_ssize_t built;         /* on these, if Python builds the expression, */
    Py_ssize_t created;       /* on these what makes arrays or truth values, */
    Py_ssize_t written;       /* and on these what writes to memory */
} state;

static PyObject *str_array, *str_array_of, *str_array_struct, *str_call, *str_exported, *str_high;
static PyObject *str_kind, *str_lease;
static PyObject *str_size;
static PyObject *integer_zero, *integer_two;

/* Axes of arrays that loops and views of expressions are known for. */
#define MOST_AXES 4

/* Settings that were asked for last, the elements up to which operations run at once there, and
   whether they bound the number of threads, and memory. */
static PyObject *known_override, *known_base;
static Py_ssize_t known_most, known_handed;
static long known_threads; /* 0: as many as there are */
static int known_sparing;
/* The functions that return the number of threads of each BLAS that NumPy calls, once `install_blas` has entered them. */
#define MOST_LIBRARIES 4
static int (*blas_threads[MOST_LIBRARIES])(void);
static int blas_libraries;
/* The thread, if there is one, that calls a function of ndarrays of the program: see plain_operands.h. */
static PyThreadState *handing;

/* Return whether this thread calls such a function. */
static inline int
hands_over(void)
{
    return handing != NULL && handing == PyThreadState_Get();
}

/* Return the bound that settings have, 0: there is none; those of a block are the last of three. */
static long
bound_of(const char *name, PyObject *override, PyObject *base)
{
    PyObject *settings = base;
    if (override != NULL && override != Py_None) {
        if (!PyTuple_CheckExact(override) || PyTuple_GET_SIZE(override) != 3
            || PyTuple_GET_ITEM(override, 1) != base) {
            return 1;
        }
        settings = PyTuple_GET_ITEM(override, 2);
    }
    PyObject *bound = PyObject_GetAttrString(settings, name);
    if (bound == NULL) {
        PyErr_Clear();
        return 1;
    }
    long number = PyLong_Check(bound) ? PyLong_AsLong(bound) : PyObject_IsTrue(bound) != 0;
    Py_DECREF(bound);
    if (PyErr_Occurred()) {
        PyErr_Clear(); /* it is a large one */
        return 1;
    }
    return number;
}

/* Return whether BLAS uses no more threads than the settings allow, of which `limit_of_settings` was asked last. */
static inline int
is_within_threads(void)
{
    int within = !known_threads || blas_libraries;
    for (int k = 0; known_threads && k < blas_libraries; k++) {
        within &= blas_threads[k]() <= known_threads;
    }
    return within;
}

/* install_blas(addresses): enter the functions that return the threads of each BLAS. */
static PyObject *
install_blas(PyObject *Py_UNUSED(module), PyObject *addresses)
{
    if (!PyTuple_CheckExact(addresses) || PyTuple_GET_SIZE(addresses) > MOST_LIBRARIES) {
        PyErr_SetString(PyExc_TypeError, "expected a few addresses");
        return NULL;
    }
    blas_libraries = 0;
    for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(addresses); k++) {
        void *address = PyLong_AsVoidPtr(PyTuple_GET_ITEM(addresses, k));
        if (address == NULL) {
            return PyErr_Occurred() ? NULL : PyErr_Format(PyExc_ValueError, "an address is zero");
        }
        memcpy(&blas_threads[k], &address, sizeof(address));
    }
    blas_libraries = (int)PyTuple_GET_SIZE(addresses);
    Py_RETURN_NONE;
}

/* Return the elements up to which operations run at once by the settings; 0: none does; -1: an error. */
static Py_ssize_t
limit_of_settings(void)
{
    if (PyList_GET_SIZE(state.running) || PyDict_GET_SIZE(state.suspended)) {
        return 0;
    }
    PyObject *base = PyList_GET_SIZE(state.base) == 1 ? PyList_GET_ITEM(state.base, 0) : NULL;
    if (!PyList_GET_SIZE(state.overridden) && base == known_base && base != NULL) {
        return known_most; /* no thread ever had others */
    }
    PyObject *override;
    if (PyContextVar_Get(state.override, NULL, &override) < 0) {
        return -1;
    }
    if (override == known_override && base == known_base && base != NULL) {
        Py_XDECREF(override);
        return known_most;
    }
    /* Python's code may set others meanwhile, which free these: nothing is remembered of settings in force before then. */
    Py_XINCREF(base);
    PyObject *result = PyObject_CallNoArgs(state.limit);
    Py_ssize_t most = result == NULL ? -1 : PyLong_AsSsize_t(result);
    Py_XDECREF(result);
    if (most < 0 || base == NULL || PyList_GET_SIZE(state.base) != 1 || PyList_GET_ITEM(state.base, 0) != base) {
        Py_XDECREF(override);
        Py_XDECREF(base);
        return most;
    }
    Py_XSETREF(known_override, override);
    Py_XSETREF(known_base, base);
    known_most = most;
    known_threads = bound_of("threads", override, base);
    known_sparing = bound_of("max_memory", override, base) != 0;
    known_handed = 0;
    return most;
}

/* Return on how many times as many elements operations of ndarrays of the program run at once, by the settings of which
   `limit_of_settings` was asked last; -1: an error. */
static Py_ssize_t
handed_factor(void)
{
    if (!known_handed) {
        PyObject *number = PyObject_CallNoArgs(state.handed);
        Py_ssize_t handed = number == NULL ? -1 : PyLong_AsSsize_t(number);
        Py_XDECREF(number);
        if (handed < 0) {
            return -1;
        }
        known_handed = handed;
    }
    return known_handed;
}

/* Return the elements up to which operations run at once here; 0: none does; -1: an error. */
static inline Py_ssize_t
limit_now(void)
{
    Py_ssize_t most = limit_of_settings();
    return most > 0 && hands_over() ? most * known_handed : most;
}

/* Return whether an object is a variable of the function that runs: from Python 3.14 on its stack borrows references of
   variables, which it does not count. Names of modules and classes are counted. */
static int
is_lent(PyObject *x)
{
#if PY_VERSION_HEX < 0x030E0000
    (void)x;
    return 0;
#else
    if (PyUnstable_Object_IsUniqueReferencedTemporary(x)) {
        return 0;
    }
    PyFrameObject *frame = PyEval_GetFrame();
    if (frame == NULL) {
        return 0;
    }
    PyCodeObject *code = PyFrame_GetCode(frame);
    int has_variables = code->co_flags & CO_OPTIMIZED, is_variable = 0;
    Py_DECREF(code);
    PyObject *variables = has_variables ? PyFrame_GetLocals(frame) : NULL;
    PyObject *values = variables == NULL ? NULL : PyMapping_Values(variables);
    Py_XDECREF(variables);
    if (values == NULL) {
        PyErr_Clear(); /* no memory: then it may have a name */
        return has_variables != 0;
    }
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(values) && !is_variable; i++) {
        is_variable = PyList_GET_ITEM(values, i) == x;
    }
    Py_DECREF(values);
    return is_variable;
#endif
}

/* The file of the user's that was seen last. */
static PyObject *users_file;

/* Return whether the code that runs is the user's: NumPy's warnings then name the right line. */
static int
in_users_code(void)
{
    if (PyDict_GET_SIZE(state.attributed)) {
        return 0;
    }
    PyFrameObject *frame = PyThreadState_GetFrame(PyThreadState_Get());
    if (frame == NULL) {
        return 0;
    }
    PyCodeObject *code = PyFrame_GetCode(frame);
    Py_DECREF(frame);
    PyObject *file = code->co_filename;
    int users = file == users_file;
    if (!users) {
        PyObject *ours = PyObject_CallOneArg(state.is_ours, file);
        if (ours == NULL) {
            PyErr_Clear();
        }
        else if (ours == Py_False) {
            users = 1;
            Py_INCREF(file);
            Py_XSETREF(users_file, file);
        }
        Py_XDECREF(ours);
    }
    Py_DECREF(code);
    return users;
}

/* Return an array's memory, borrowed, even if it is out of date; NULL if it is an expression. Wherever
   Python's code may run, another thread may let the array have other memory: then this is no more. */
static inline PyObject *
own_memory(Array *x)
{
    if (x->is_double) {
        x->memory = PyArrayScalar_New(Double);
        if (x->memory == NULL) {
            return NULL;
        }
        PyArrayScalar_ASSIGN(x->memory, Double, x->number);
        x->is_double = 0;
    }
    return x->memory;
}

/* Return an array's memory, borrowed; NULL if it is an expression, or out of date. */
static inline PyObject *
memory_of(Array *x)
{
    if (x->owner != NULL && x->owner->memory != x->seen) {
        return NULL;
    }
    return own_memory(x);
}

static inline int
is_array(PyObject *x)
{
    return Py_TYPE(x) == state.array_type;
}

/* Return whether an object is an array of lazyarr's or an ndarray: with one of them a call is of arrays. */
static inline int
holds_values(PyObject *x)
{
    return is_array(x) || PyArray_CheckExact(x);
}

#endif
