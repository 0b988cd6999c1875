/* The fields of an array, and what all operations ask of them. */

#ifndef LAZYARR_ARRAY_H
#define LAZYARR_ARRAY_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <structmember.h>

#define NPY_NO_DEPRECATED_API NPY_2_0_API_VERSION
#include <numpy/arrayobject.h>
#include <numpy/arrayscalars.h>

/* See ArrayBase in base.py for what each field is. NULL stands for None. */
typedef struct {
    PyObject_HEAD
    PyObject *weakrefs;
    PyObject *memory;    /* _array */
    PyObject *node;      /* _current; NULL: unset */
    PyObject *alias;     /* _alias */
    PyObject *kept;      /* _kept */
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

/* What the module was told by `install`; all are borrowed from modules that live as long. */
static struct {
    PyTypeObject *array_type; /* LazyArray; NULL before `install` */
    PyObject *running;        /* the list of traces */
    PyObject *suspended;      /* threads in which all stays an expression */
    PyObject *attributed;     /* threads that attribute what they build to a line */
    PyObject *override;       /* the context variable of the settings */
    PyObject *settings;       /* the globals of the settings' module */
    PyObject *limit;          /* limit() of immediate.py */
    PyObject *is_ours;        /* whether a file is lazyarr's or NumPy's */
    PyObject *snapshot;       /* the node of an array in memory */
    PyObject *item;           /* the marker ITEM */
    PyObject *borrowed;       /* the marker BORROWED */
    PyObject *refused;        /* exceptions after which an expression is built */
    PyObject *error_state;    /* NumPy's context variable, */
    PyObject *noted;          /* and its value in which exceptions are noted */
    PyObject *exceptions;     /* in this list */
    PyObject *ops;            /* ufunc -> op */
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
    PyObject *matmul;         /* numpy.matmul, which histories name */
    PyObject *donated;        /* arrays whose memory was given away */
    Py_ssize_t most_past;     /* how much arrays remember */
} state;

static PyObject *str_base, *str_call;

/* Elements that count in what an array remembers like one operation, as a power of two. */
#define PAST_BITS 4

/* Settings that were asked for last, and the elements up to which operations run at once there. */
static PyObject *known_override, *known_base;
static Py_ssize_t known_most;

/* Return the elements up to which operations run at once here; 0: none does; -1: an error. */
static Py_ssize_t
limit_now(void)
{
    if (PyList_GET_SIZE(state.running) || PyDict_GET_SIZE(state.suspended)) {
        return 0;
    }
    PyObject *override;
    if (PyContextVar_Get(state.override, NULL, &override) < 0) {
        return -1;
    }
    PyObject *base = PyDict_GetItemWithError(state.settings, str_base);
    if (override == known_override && base == known_base && base != NULL) {
        Py_XDECREF(override);
        return known_most;
    }
    PyObject *result = PyObject_CallNoArgs(state.limit);
    Py_ssize_t most = result == NULL ? -1 : PyLong_AsSsize_t(result);
    Py_XDECREF(result);
    if (most < 0 || base == NULL) {
        Py_XDECREF(override);
        return most;
    }
    Py_XSETREF(known_override, override);
    Py_INCREF(base);
    Py_XSETREF(known_base, base);
    known_most = most;
    return most;
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

/* Return an array's memory, borrowed; NULL if it is an expression, or out of date. */
static inline PyObject *
memory_of(Array *x)
{
    if (x->memory != NULL && x->alias != NULL) {
        Array *owner = (Array *)PyTuple_GET_ITEM(x->alias, 0);
        if (owner->memory != PyTuple_GET_ITEM(x->alias, 1)) {
            return NULL;
        }
    }
    return x->memory;
}

static inline int
is_array(PyObject *x)
{
    return Py_TYPE(x) == state.array_type;
}

static inline int
is_number(PyObject *x)
{
    return PyFloat_CheckExact(x) || PyLong_CheckExact(x) || PyBool_Check(x)
        || PyComplex_CheckExact(x);
}

/* Return whether lazyarr has a dtype. */
static inline int
is_known(PyArray_Descr *dtype)
{
    int code = dtype->type_num;
    return (code <= NPY_CDOUBLE && code != NPY_LONGDOUBLE && PyDataType_ISNOTSWAPPED(dtype))
        || (code == NPY_HALF && PyDataType_ISNOTSWAPPED(dtype));
}

/* Return whether an object is a number of NumPy's of a dtype that lazyarr has. */
static inline int
is_scalar(PyObject *x)
{
    PyTypeObject *type = Py_TYPE(x);
    return type == &PyDoubleArrType_Type || type == &PyLongArrType_Type
        || type == &PyBoolArrType_Type || type == &PyFloatArrType_Type
        || type == &PyIntArrType_Type || type == &PyCDoubleArrType_Type
        || type == &PyCFloatArrType_Type || type == &PyHalfArrType_Type
        || type == &PyByteArrType_Type || type == &PyUByteArrType_Type
        || type == &PyShortArrType_Type || type == &PyUShortArrType_Type
        || type == &PyUIntArrType_Type || type == &PyULongArrType_Type
        || type == &PyLongLongArrType_Type || type == &PyULongLongArrType_Type;
}

/* Return what NumPy takes for an operand, borrowed; NULL if there is no such thing. */
static inline PyObject *
operand(PyObject *x, Py_ssize_t most, Py_ssize_t *past)
{
    if (is_array(x)) {
        PyObject *memory = memory_of((Array *)x);
        if (memory == NULL) {
            return NULL;
        }
        *past += ((Array *)x)->past;
        if (PyArray_CheckExact(memory) && PyArray_SIZE((PyArrayObject *)memory) > most) {
            return NULL;
        }
        return memory;
    }
    if (is_number(x) || is_scalar(x)) {
        return x;
    }
    if (PyArray_CheckExact(x) && is_known(PyArray_DESCR((PyArrayObject *)x))
        && PyArray_SIZE((PyArrayObject *)x) <= most) {
        return x;
    }
    return NULL;
}

/* Return whether operands broadcast to few enough elements. */
static int
broadcast_fits(PyObject *const *operands, Py_ssize_t count, Py_ssize_t most)
{
    PyArrayObject *first = NULL;
    int same = 1, ndim = 0;
    for (Py_ssize_t i = 0; i < count; i++) {
        if (!PyArray_CheckExact(operands[i])) {
            continue;
        }
        PyArrayObject *array = (PyArrayObject *)operands[i];
        if (first == NULL) {
            first = array;
            ndim = PyArray_NDIM(array);
        }
        else if (PyArray_NDIM(array) != ndim
                 || !PyArray_CompareLists(PyArray_DIMS(array), PyArray_DIMS(first), ndim)) {
            same = 0;
            ndim = PyArray_NDIM(array) > ndim ? PyArray_NDIM(array) : ndim;
        }
    }
    if (same) {
        return 1; /* each was small */
    }
    npy_intp size = 1;
    for (int axis = 1; axis <= ndim; axis++) {
        npy_intp length = 1;
        for (Py_ssize_t i = 0; i < count; i++) {
            if (!PyArray_CheckExact(operands[i])) {
                continue;
            }
            PyArrayObject *array = (PyArrayObject *)operands[i];
            int place = PyArray_NDIM(array) - axis;
            npy_intp here = place < 0 ? 1 : PyArray_DIM(array, place);
            if (here != 1) {
                if (length != 1 && length != here) {
                    return 0;
                }
                length = here;
            }
        }
        size *= length;
        if (size > most) {
            return 0;
        }
    }
    return 1;
}

/* Return whether NumPy refused an operation, so that an expression is built, which says why. */
static int
was_refused(void)
{
    if (!PyErr_ExceptionMatches(state.refused)) {
        return 0;
    }
    PyErr_Clear();
    return 1;
}

/* Return a new array of memory (whose reference is taken) without a history. */
static Array *
new_array(PyObject *memory)
{
    Array *array = (Array *)state.array_type->tp_alloc(state.array_type, 0);
    if (array == NULL) {
        Py_DECREF(memory);
        return NULL;
    }
    array->memory = memory;
    return array;
}

/* Let an array remember the operation that gave it. Its operands are borrowed; right may be NULL. */
static inline void
remember(Array *array, PyObject *operation, PyObject *left, PyObject *right, Py_ssize_t past)
{
    if (past > state.most_past) {
        return;
    }
    array->past = past;
    Py_INCREF(operation);
    array->operation = operation;
    Py_INCREF(left);
    array->left = left;
    Py_XINCREF(right);
    array->right = right;
}

/* Return the array of a result of NumPy's (whose reference is taken). */
static PyObject *
computed(PyObject *value, PyObject *operation, PyObject *left, PyObject *right, Py_ssize_t past)
{
    Py_ssize_t size = PyArray_CheckExact(value) ? PyArray_SIZE((PyArrayObject *)value) : 1;
    Array *array = new_array(value);
    if (array != NULL) {
        remember(array, operation, left, right, past + 1 + (size >> PAST_BITS));
    }
    return (PyObject *)array;
}

/* Return an array of a view (whose reference is taken) of another's memory. */
static PyObject *
view_of(Array *source, PyObject *memory, PyObject *operation, PyObject *argument)
{
    Array *view = new_array(memory);
    if (view == NULL) {
        return NULL;
    }
    if (source->alias != NULL) {
        Py_INCREF(source->alias);
        view->alias = source->alias;
    }
    else {
        view->alias = PyTuple_Pack(3, (PyObject *)source, source->memory, Py_None);
        if (view->alias == NULL) {
            Py_DECREF(view);
            return NULL;
        }
    }
    remember(view, operation, (PyObject *)source, argument, source->past + 1);
    view->past = source->past + 1; /* what is too much for it is so for what is made of it */
    return (PyObject *)view;
}

/* Return an array of what NumPy made of one array (its reference is taken): perhaps a view.
   NULL without an error: the value is of no kind that arrays have. */
static PyObject *
wrapped(PyObject *value, Array *source, PyObject *operation, PyObject *argument, Py_ssize_t past)
{
    if (!PyArray_CheckExact(value)) {
        if (is_scalar(value)) {
            return computed(value, operation, (PyObject *)source, argument, past);
        }
        Py_DECREF(value);
        return NULL;
    }
    PyArrayObject *array = (PyArrayObject *)value;
    PyObject *memory = source->memory, *base = PyArray_BASE(array);
    if (value == memory) {
        Py_DECREF(value);
        Py_INCREF(source);
        return (PyObject *)source;
    }
    if (!is_known(PyArray_DESCR(array))) {
        Py_DECREF(value);
        return NULL;
    }
    if (base != NULL) {
        if (PyArray_CheckExact(memory)
            && (base == memory || base == PyArray_BASE((PyArrayObject *)memory))) {
            return view_of(source, value, operation, argument);
        }
        PyObject *copy = PyArray_NewCopy(array, NPY_KEEPORDER);
        Py_DECREF(value);
        if (copy == NULL) {
            return NULL;
        }
        value = copy;
    }
    return computed(value, operation, (PyObject *)source, argument, past);
}

/* Forget the operation that gave an array. */
static inline void
forget(Array *array)
{
    Py_CLEAR(array->operation);
    Py_CLEAR(array->left);
    Py_CLEAR(array->right);
    Py_CLEAR(array->history);
}

/* Note that the memory of an array was written to. */
static void
wrote(Array *array)
{
    Array *owner = array->alias == NULL ? array : (Array *)PyTuple_GET_ITEM(array->alias, 0);
    forget(array);
    forget(owner);
    array->past = owner->past = PyArray_CheckExact(owner->memory)
        ? PyArray_SIZE((PyArrayObject *)owner->memory) >> PAST_BITS : 0;
    Py_CLEAR(owner->kept);
}

/* Return an array's memory to write to, borrowed; NULL if Python has to see to it. */
static inline PyArrayObject *
writable_memory(Array *array)
{
    PyObject *memory = memory_of(array);
    if (memory == NULL || !PyArray_CheckExact(memory) || array->locked != NULL) {
        return NULL;
    }
    Array *owner = array->alias == NULL ? array : (Array *)PyTuple_GET_ITEM(array->alias, 0);
    if (owner->history == state.borrowed || owner->locked != NULL
        || (owner->kept != NULL && owner->node != NULL) /* an expression may see it */
        || !PyArray_ISWRITEABLE((PyArrayObject *)memory)) {
        return NULL;
    }
    return (PyArrayObject *)memory;
}

#endif
