/* Ufuncs of arrays in memory by NumPy's own loops, called without what a ufunc does first.

   NumPy takes longer to look at the arguments of a ufunc, to choose a loop and to ask for the error state
   than the loop takes for some hundred elements. A loop is called here exactly as NumPy calls it where
   nothing is to be cast or to be iterated over: of whole arrays in C's order, of one axis with any stride,
   and of numbers. Operands of other dtypes are cast first, as NumPy does it. */

#include <numpy/ufuncobject.h>

#include "casts.h"

/* Loops that were looked for, by ufunc and the dtype of all operands. */

typedef struct {
    PyObject *ufunc;
    int code;
    int place;  /* of the loop among those of the ufunc; -1: it has none */
    int result; /* the code of the dtype that it gives */
} KnownLoop;

static KnownLoop known_loops[KNOWN_LOOPS];

/* Return whether NumPy's namespace has a ufunc: those of others may do more in their loops. */
static int
is_ufunc_of_numpy(PyUFuncObject *ufunc)
{
    PyObject *numpy = PyImport_ImportModule("numpy");
    PyObject *own = numpy == NULL || ufunc->name == NULL ? NULL : PyObject_GetAttrString(numpy, ufunc->name);
    int is_own = own == (PyObject *)ufunc;
    Py_XDECREF(numpy);
    Py_XDECREF(own);
    PyErr_Clear();
    return is_own;
}

/* Fill in the loop of operands of one dtype that gives one result. */
static void
find_loop(KnownLoop *known, PyObject *function, int code)
{
    PyUFuncObject *ufunc = (PyUFuncObject *)function;
    known->place = -1;
    if (ufunc->nout != 1 || ufunc->nin < 1 || ufunc->nin > 2 || ufunc->core_enabled
        || !is_ufunc_of_numpy(ufunc)) {
        return;
    }
    for (int place = 0; place < ufunc->ntypes; place++) {
        const char *types = ufunc->types + place * ufunc->nargs;
        int result = types[ufunc->nin];
        if (types[0] == code && types[ufunc->nin - 1] == code) {
            int is_plain = (result <= NPY_CDOUBLE && result != NPY_LONGDOUBLE) || result == NPY_HALF;
            known->place = is_plain && ufunc->functions[place] != NULL ? place : -1;
            known->result = result;
            return;
        }
    }
}

/* Return the loop of operands of one dtype; NULL: there is none. */
static inline const KnownLoop *
known_loop(PyObject *function, int code, Py_ssize_t count)
{
    size_t hash = ((size_t)function >> 4) * 31 + (size_t)code;
    KnownLoop *known = &known_loops[hash % KNOWN_LOOPS];
    if (known->ufunc != function || known->code != code) {
        if (Py_TYPE(function) != Py_TYPE(state.power)) {
            return NULL;
        }
        KnownLoop entry = {.ufunc = Py_NewRef(function), .code = code};
        find_loop(&entry, function, code);
        PyObject *before = known->ufunc;
        *known = entry;
        Py_XDECREF(before);
    }
    return known->place >= 0 && ((PyUFuncObject *)function)->nin == count ? known : NULL;
}

/* An operand of a loop: its elements, or one number. */
typedef struct {
    PyArrayObject *array; /* a reference; NULL: a number */
    char *data;
    void *cast; /* memory of its elements in another dtype */
    npy_intp stride;
    double number;
    long long integer;
    int orders; /* those in which the elements of an array lie one after another: IN_C, IN_FORTRAN or both */
    int is_weak, is_integer, code; /* of a number: whether it is one of Python's */
    union {
        double reals[2];
        float narrow;
        npy_long wide;
    } value; /* of a number in the dtype of the loop */
} LoopOperand;

/* Return the orders in which a loop passes over all elements of an array, one stride after another. */
static inline int
orders_of(PyArrayObject *array)
{
    if (PyArray_NDIM(array) == 1) {
        return PyArray_STRIDE(array, 0) > 0 ? IN_C | IN_FORTRAN : 0;
    }
    return (PyArray_IS_C_CONTIGUOUS(array) ? IN_C : 0) | (PyArray_IS_F_CONTIGUOUS(array) ? IN_FORTRAN : 0);
}

/* Fill in an operand; return whether a loop can read it. */
static inline int
set_loop_operand(LoopOperand *operand, PyObject *x)
{
    operand->array = NULL;
    operand->cast = NULL;
    operand->stride = 0;
    operand->is_weak = operand->is_integer = 0;
    PyObject *memory = x;
    if (is_array(x)) {
        if (((Array *)x)->is_double) {
            operand->number = ((Array *)x)->number;
            operand->code = NPY_DOUBLE;
            return 1;
        }
        memory = memory_of((Array *)x);
        if (memory == NULL) {
            operand->array = (PyArrayObject *)leaf_memory((Array *)x);
            memory = (PyObject *)operand->array;
        }
    }
    if (memory == NULL) {
        return 0;
    }
    if (PyArray_CheckExact(memory)) {
        PyArrayObject *array = (PyArrayObject *)memory;
        if (operand->array == NULL) {
            operand->array = (PyArrayObject *)Py_NewRef(memory);
        }
        operand->code = PyArray_TYPE(array);
        operand->data = PyArray_BYTES(array);
        int ndim = PyArray_NDIM(array);
        operand->stride = ndim == 1 ? PyArray_STRIDE(array, 0) : PyArray_ITEMSIZE(array);
        operand->orders = orders_of(array);
        return ndim > 0 && is_known(PyArray_DESCR(array)) && PyArray_ISALIGNED(array) && operand->orders;
    }
    if (PyFloat_CheckExact(memory)) {
        operand->is_weak = 1;
        operand->number = PyFloat_AS_DOUBLE(memory);
        operand->code = NPY_DOUBLE;
        return 1;
    }
    if (PyLong_CheckExact(memory)) {
        int overflow;
        operand->is_weak = operand->is_integer = 1;
        operand->integer = PyLong_AsLongLongAndOverflow(memory, &overflow);
        operand->code = NPY_LONG;
        return !overflow;
    }
    PyTypeObject *type = Py_TYPE(memory);
    operand->code = type == &PyDoubleArrType_Type ? NPY_DOUBLE : type == &PyFloatArrType_Type ? NPY_FLOAT
        : type == &PyLongArrType_Type ? NPY_LONG : -1;
    if (operand->code == NPY_LONG) {
        operand->integer = PyArrayScalar_VAL(memory, Long);
        operand->is_integer = 1;
    }
    else if (operand->code >= 0) {
        operand->number = operand->code == NPY_DOUBLE ? PyArrayScalar_VAL(memory, Double)
                                                      : (double)PyArrayScalar_VAL(memory, Float);
    }
    return operand->code >= 0;
}

#define PUT_INTEGER(type, least, most)                                          \
    {                                                                           \
        const type narrowed = (type)operand->integer;                           \
        memcpy(&operand->value, &narrowed, sizeof narrowed);                    \
        return operand->is_weak && operand->integer >= (least) && operand->integer <= (most); \
    }

/* Let a number be data of the dtype that NumPy computes in beside an array of it; return whether it
   does, and the number is one of that dtype without an exception. */
static int
set_loop_number(LoopOperand *operand, int code)
{
    double number = operand->is_integer ? (double)operand->integer : operand->number;
    int is_exact = !operand->is_integer || (operand->integer <= MOST_EXACT && operand->integer >= -MOST_EXACT);
    int is_float = operand->is_weak || operand->code == NPY_FLOAT;
    operand->data = (char *)&operand->value;
    if (!operand->is_integer && !PyTypeNum_ISFLOAT(code) && !PyTypeNum_ISCOMPLEX(code)) {
        return 0;
    }
    switch (code) {
    case NPY_DOUBLE:
        operand->value.reals[0] = number;
        return is_exact;
    case NPY_CDOUBLE:
        operand->value.reals[0] = number;
        operand->value.reals[1] = 0;
        return is_exact;
    case NPY_FLOAT: {
        float narrow = (float)number;
        operand->value.narrow = narrow;
        return is_float && is_exact && (isnormal(narrow) || number == 0 || !isfinite(number));
    }
    case NPY_LONG:
        operand->value.wide = (npy_long)operand->integer;
        return operand->integer >= NPY_MIN_LONG && operand->integer <= NPY_MAX_LONG;
    case NPY_BYTE: PUT_INTEGER(npy_byte, NPY_MIN_BYTE, NPY_MAX_BYTE)
    case NPY_SHORT: PUT_INTEGER(npy_short, NPY_MIN_SHORT, NPY_MAX_SHORT)
    case NPY_INT: PUT_INTEGER(npy_int, NPY_MIN_INT, NPY_MAX_INT)
    case NPY_UBYTE: PUT_INTEGER(npy_ubyte, 0, NPY_MAX_UBYTE)
    case NPY_USHORT: PUT_INTEGER(npy_ushort, 0, NPY_MAX_USHORT)
    case NPY_UINT: PUT_INTEGER(npy_uint, 0, NPY_MAX_UINT)
    default: return 0;
    }
}

/* Return the dtype in which NumPy computes with arrays of two; -1: it is not known here. */
static int
common_code(int a, int b)
{
    if (a == b) {
        return a;
    }
    int low = a < b ? a : b, high = a < b ? b : a;
    int is_small = low == NPY_BOOL || low == NPY_UBYTE, is_integer = low == NPY_INT || low == NPY_LONG;
    switch (high) {
    case NPY_DOUBLE: return is_small || is_integer || low == NPY_FLOAT ? NPY_DOUBLE : -1;
    case NPY_FLOAT: return is_small ? NPY_FLOAT : is_integer ? NPY_DOUBLE : -1;
    case NPY_LONG: return is_small || low == NPY_INT ? NPY_LONG : -1;
    case NPY_INT: return is_small ? NPY_INT : -1;
    default: return -1;
    }
}

/* Elements that are cast at most: then NumPy, too, casts them in one piece. */
#define MOST_CAST 8192

/* Let operands be data of one dtype; return its loop; NULL: there is none. */
static const KnownLoop *
loop_of_operands(PyObject *ufunc, LoopOperand *operands, Py_ssize_t count, npy_intp size)
{
    int code = -1;
    for (Py_ssize_t k = 0; k < count; k++) {
        if (operands[k].array != NULL) {
            code = code < 0 ? operands[k].code : common_code(code, operands[k].code);
            if (code < 0) {
                return NULL;
            }
        }
    }
    for (Py_ssize_t k = 0; k < count; k++) { /* a real number beside integers */
        if (operands[k].array == NULL && operands[k].code == NPY_DOUBLE
            && (code == NPY_INT || code == NPY_LONG || (code == NPY_FLOAT && !operands[k].is_weak))) {
            code = NPY_DOUBLE;
        }
    }
    const KnownLoop *loop = known_loop(ufunc, code, count);
    if (loop == NULL && (code == NPY_INT || code == NPY_LONG)) {
        code = NPY_DOUBLE;
        loop = known_loop(ufunc, code, count);
    }
    for (Py_ssize_t k = 0; loop != NULL && k < count; k++) {
        LoopOperand *operand = &operands[k];
        if (operand->array == NULL) {
            loop = set_loop_number(operand, code) ? loop : NULL;
        }
        else if (operand->code != code) {
            npy_intp item = code == NPY_DOUBLE || code == NPY_LONG ? 8 : 4;
            operand->cast = size <= MOST_CAST ? PyMem_Malloc((size_t)(size * item)) : NULL;
            if (operand->cast == NULL
                || !cast_elements(operand->cast, code, operand->data, operand->code, size, operand->stride)) {
                return NULL;
            }
            operand->data = operand->cast;
            operand->stride = item;
        }
    }
    return loop;
}

static inline void
release_operands(LoopOperand *operands, Py_ssize_t count)
{
    for (Py_ssize_t k = 0; k < count; k++) {
        Py_XDECREF(operands[k].array);
        PyMem_Free(operands[k].cast);
    }
}

/* Fill in the operands of a ufunc; return the first array among them, all of whose lengths the others have,
   too, and let only those orders be set in which all lie; NULL: a loop cannot read them. */
static PyArrayObject *
loop_operands(LoopOperand *operands, PyObject *const *args, Py_ssize_t count, Py_ssize_t most, int *orders)
{
    PyArrayObject *first = NULL;
    for (Py_ssize_t k = 0; k < count; k++) {
        if (!set_loop_operand(&operands[k], args[k])) {
            return NULL;
        }
        PyArrayObject *array = operands[k].array;
        if (array == NULL) {
            continue;
        }
        *orders &= operands[k].orders;
        if (!*orders) {
            return NULL;
        }
        if (first == NULL) {
            first = array;
            if (PyArray_SIZE(array) > most || !PyArray_SIZE(array)) {
                return NULL;
            }
        }
        else if (PyArray_NDIM(array) != PyArray_NDIM(first)
                 || !PyArray_CompareLists(PyArray_DIMS(array), PyArray_DIMS(first), PyArray_NDIM(first))) {
            return NULL;
        }
    }
    return first;
}

/* Run a loop; return the exceptions that it met, -1 with an error of Python's. */
static int
run_ufunc_loop(PyObject *function, const KnownLoop *loop, LoopOperand *operands, Py_ssize_t count,
               npy_intp size, char *out, npy_intp stride)
{
    PyUFuncObject *ufunc = (PyUFuncObject *)function;
    char *data[3] = {operands[0].data, count > 1 ? operands[1].data : out, out};
    npy_intp strides[3] = {operands[0].stride, count > 1 ? operands[1].stride : stride, stride};
    clear_exceptions();
    ufunc->functions[loop->place](data, &size, strides, ufunc->data == NULL ? NULL : ufunc->data[loop->place]);
    return PyErr_Occurred() ? -1 : met_exceptions();
}

/* Operands of the ufuncs whose loops are run here: numpy.clip, which has three, is left to NumPy. */
#define MOST_LOOPED 2

/* Return a ufunc of operands in memory as fresh memory; NULL without an error: NumPy has to see to it. */
static PyObject *
looped_by_numpy(PyObject *ufunc, PyObject *const *args, Py_ssize_t count, Py_ssize_t most)
{
    LoopOperand operands[MOST_LOOPED];
    PyObject *result = NULL;
    if (count > MOST_LOOPED) {
        return NULL;
    }
    operands[0].array = operands[1].array = NULL;
    operands[0].cast = operands[1].cast = NULL;
    int orders = IN_C | IN_FORTRAN;
    PyArrayObject *first = loop_operands(operands, args, count, most, &orders);
    npy_intp size = first == NULL ? 0 : PyArray_SIZE(first);
    const KnownLoop *loop = first == NULL ? NULL : loop_of_operands(ufunc, operands, count, size);
    if (loop != NULL) {
        result = new_memory_in(PyArray_NDIM(first), PyArray_DIMS(first), loop->result, orders);
    }
    if (result != NULL
        && run_ufunc_loop(ufunc, loop, operands, count, size, PyArray_BYTES((PyArrayObject *)result),
                          PyArray_ITEMSIZE((PyArrayObject *)result)) != 0) {
        Py_CLEAR(result); /* NumPy computes it again, and warns */
        PyErr_Clear();
    }
    release_operands(operands, count);
    return result;
}

/* Return whether an operand may be read while a target is written: it is apart from it, or the same. */
static inline int
may_be_written_over(const LoopOperand *operand, PyArrayObject *target, npy_intp size, npy_intp stride)
{
    if (operand->array == NULL || operand->cast != NULL) {
        return 1;
    }
    const char *data = PyArray_BYTES(target), *end = data + (size - 1) * stride + PyArray_ITEMSIZE(target);
    const char *own = operand->data + (size - 1) * operand->stride + PyArray_ITEMSIZE(operand->array);
    return operand->data >= end || own <= data || (operand->data == data && operand->stride == stride);
}

/* Write a ufunc of operands in memory to a target; return 1 if it was, 0 if NumPy has to see to it, -1 after
   it was written with an error. */
static int
looped_into(PyObject *ufunc, PyObject *const *args, Py_ssize_t count, PyArrayObject *target, Py_ssize_t most)
{
    LoopOperand operands[MOST_LOOPED];
    if (count > MOST_LOOPED) {
        return 0;
    }
    operands[0].array = operands[1].array = NULL;
    operands[0].cast = operands[1].cast = NULL;
    char apart[MOST_APART];
    int ndim = PyArray_NDIM(target), written = 0;
    npy_intp size = PyArray_SIZE(target), item = PyArray_ITEMSIZE(target);
    npy_intp stride = ndim == 1 ? PyArray_STRIDE(target, 0) : item;
    int orders = orders_of(target);
    if (!PyArray_ISBEHAVED(target) || !ndim || !orders) {
        return 0;
    }
    PyArrayObject *first = loop_operands(operands, args, count, most, &orders);
    const KnownLoop *loop = first == NULL || PyArray_NDIM(first) != ndim
            || !PyArray_CompareLists(PyArray_DIMS(first), PyArray_DIMS(target), ndim)
        ? NULL : loop_of_operands(ufunc, operands, count, size);
    if (loop != NULL && loop->result == PyArray_TYPE(target)) {
        int is_apart = size * item <= MOST_APART && stride == item, met = 0, may_run = is_apart || in_users_code();
        for (Py_ssize_t k = 0; k < count && !is_apart; k++) {
            may_run &= may_be_written_over(&operands[k], target, size, stride);
        }
        if (may_run) {
            char *out = is_apart ? apart : PyArray_BYTES(target);
            met = run_ufunc_loop(ufunc, loop, operands, count, size, out, stride);
            written = !is_apart || met == 0;
        }
        if (written && is_apart) {
            memcpy(PyArray_DATA(target), apart, (size_t)(size * item));
        }
        if (written && met && (met < 0 || PyUFunc_GiveFloatingpointErrors(((PyUFuncObject *)ufunc)->name, met) < 0)) {
            written = -1;
        }
        else if (!written) {
            PyErr_Clear();
        }
    }
    release_operands(operands, count);
    return written;
}

/* Return the bits of a ufunc of numbers of double precision, of which not all are integers of Python's: a number,
   or a truth value; 0 if NumPy has to see to it. NumPy reads a number again and again, with a stride of nothing. */
static int
number_by_loop(PyObject *ufunc, PyObject *const *args, Py_ssize_t count, double *number, int *code)
{
    LoopOperand operands[MOST_LOOPED];
    double values[MOST_LOOPED];
    int all_integers = 1;
    if (count > MOST_LOOPED) {
        return 0;
    }
    for (Py_ssize_t k = 0; k < count; k++) {
        if (!as_double(args[k], &values[k])) {
            return 0;
        }
        all_integers &= PyLong_CheckExact(args[k]);
        operands[k].data = (char *)&values[k];
        operands[k].stride = 0;
    }
    const KnownLoop *loop = all_integers ? NULL : known_loop(ufunc, NPY_DOUBLE, count);
    if (loop == NULL || (loop->result != NPY_DOUBLE && loop->result != NPY_BOOL)) {
        return 0;
    }
    *code = loop->result;
    if (run_ufunc_loop(ufunc, loop, operands, count, 1, (char *)number, *code == NPY_BOOL ? 1 : 8) != 0) {
        PyErr_Clear();
        return 0;
    }
    return 1;
}

/* Return a ufunc of numbers; NULL without an error: NumPy has to see to it. `any`: whether one of them is lazyarr's. */
static PyObject *
number_of_ufunc(PyObject *ufunc, PyObject *op, PyObject *const *args, Py_ssize_t count, int any)
{
    double number = 0;
    int code = -1;
    if (!number_by_loop(ufunc, args, count, &number, &code)) {
        return NULL;
    }
    Py_ssize_t past = past_of(args[0]) + (count > 1 ? past_of(args[1]) : 0);
    PyObject *right = count > 1 ? args[1] : NULL;
    if (code == NPY_DOUBLE && any) {
        return computed_number(number, op, args[0], right, past);
    }
    if (code == NPY_DOUBLE) {
        Array *array = new_number();
        if (array != NULL) {
            array->is_double = 1;
            array->number = number;
        }
        return (PyObject *)array;
    }
    PyObject *truth = Py_NewRef(*(npy_bool *)&number ? PyArrayScalar_True : PyArrayScalar_False);
    return any ? computed(truth, op, args[0], right, past) : (PyObject *)new_array(truth);
}
