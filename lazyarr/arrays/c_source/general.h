/* Any function of NumPy's on arrays in memory, with whatever arguments it takes. */

/* How many elements a result may have: what native_calls.py says of each bound. */
enum {
    TOTAL, SPREAD, BOUNDED, PADDED, SQUARED, PAIRED, MULTIPLIED, FEWER, KNOWN, CLOSE, SIDED, REPEATED,
    MATRICES, THIN, COVARIANCES, DIAGONAL, SUBSCRIPTS, TAKEN, CONTRACTED, NAMED, SAMPLED, FREEDOM, KNOWN_QUANTILES
};

#define AS_IS 1   /* numbers among the results stay what NumPy gave */
#define CREATES 2 /* of numbers alone it is called too */
#define WRITES 8  /* a ufunc that may write to an output */
#define WARNS 4   /* NumPy's own code warns, of the line of its caller */
#define CHEAP 16  /* runs at once on more elements */
#define FILLS 32  /* writes to its first argument, and returns None */
#define COPIES 64 /* computes nothing of what it copies */
#define BY_LIBRARY 128 /* no kernel computes it */
#define AT_ANY_SIZE 512 /* nor anything else sooner than NumPy, of any number of elements */
#define SLOWLY_BUILT 1024 /* its expression is built by Python, which takes longer than NumPy's loop */
#define GIVES_VIEWS 2048 /* gives views of its first argument */
#define OWNS 8192 /* never gives views */
#define COPIES_MASK 16384 /* its expression has a copy of a mask that is the first argument */
#define LOOKS_UP 65536    /* it looks values up in a table, of which a kernel looks up several side by side */
#define COUNTS_TRUTHS 131072 /* it counts truth values, which no kernel does sooner, of any number of elements */
#define IS_SEVERAL 262144    /* its expression is several kernels around a product, which NumPy's takes no longer than */
#define EXTENDS 4096 /* a pending argument of one operation is computed for it */
#define MOVES 32768 /* and one of any, if it has a name: other elements are read than those that are computed */
#define QUIET 256 /* meets no floating-point exceptions, whatever its arguments are, but in casts */

#define MOST_OPERANDS 64
#define DEFAULT_SAMPLES 50 /* of linspace and its like */
#define MOST_NESTED NPY_MAXDIMS /* sequences in each other: NumPy refuses more */

/* Return on how many times as many elements as others a function runs at once, by what it computes. */
static inline Py_ssize_t
cheap_factor(const Call *call)
{
    int is_slowly_built = call->flags & SLOWLY_BUILT && !(call->flags & (COPIES | BY_LIBRARY));
    return !(call->flags & CHEAP) ? 1 : is_slowly_built ? state.built : state.cheaper;
}

/* The arrays and numbers among the arguments of a call. */
typedef struct {
    PyObject *lazy[MOST_OPERANDS];   /* borrowed: lazyarr's array; NULL: NumPy's was passed */
    PyObject *memory[MOST_OPERANDS]; /* borrowed: ndarrays */
    int count, any;
    int infinite; /* whether a number is not finite */
    int nested;   /* sequences around the argument in hand */
    int numbers;  /* that are no arrays */
    int empty;    /* whether a sequence has no items */
    int alone;    /* whether the call has one argument */
    int denied;   /* whether an argument is False */
    int texts;    /* among the arguments */
    PyObject *text; /* borrowed: the last one */
    PyObject *axis;  /* borrowed: the argument of that name */
    PyObject *second; /* borrowed: the second argument, if it has no name */
    PyObject *third; /* borrowed: the third argument, or the one named as such; see third_argument */
    int by_bytes; /* whether elements of less than 8 bytes count less */
    int quiet;    /* whether the function meets no exceptions: then there may be no elements, too */
    int blank;    /* whether None is among the items of a sequence */
    double total, product, integers, largest;
    Py_ssize_t most, past;
} Operands;

static int
include_integer(Operands *operands, PyObject *x)
{
    double value = PyLong_AsDouble(x);
    if (value == -1 && PyErr_Occurred()) {
        PyErr_Clear();
        return 0;
    }
    value = fabs(value);
    operands->integers *= value > 1 ? value : 1;
    operands->largest = value > operands->largest ? value : operands->largest;
    return 1;
}

/* Note whether a number is finite. */
static void
include_number(Operands *operands, PyObject *x)
{
    operands->numbers += is_number(x) || is_scalar(x);
    if (PyComplex_CheckExact(x) || PyArray_IsScalar(x, ComplexFloating)) {
        Py_complex value = PyComplex_AsCComplex(x);
        operands->infinite |= !isfinite(value.real) || !isfinite(value.imag);
        PyErr_Clear();
    }
    if (PyFloat_Check(x) || PyArray_IsScalar(x, Floating)) {
        operands->infinite |= !isfinite(PyFloat_AsDouble(x));
        PyErr_Clear();
    }
}

static int
include_index(Operands *operands, PyObject *x)
{
    PyObject *integer = PyNumber_Index(x);
    int counted = integer != NULL && include_integer(operands, integer);
    Py_XDECREF(integer);
    PyErr_Clear();
    return counted;
}

/* Put memory in the place of the arrays of an argument; a new reference, NULL if that cannot be. */
static PyObject *
in_memory(PyObject *x, Operands *operands)
{
    if (is_array(x) || PyArray_CheckExact(x)) {
        Py_ssize_t most = operands->by_bytes ? most_of(operands->most, x, x, 1) : operands->most;
        PyObject *memory = read_operand(x, most, &operands->past);
        if (memory == NULL) {
            return NULL;
        }
        operands->any |= holds_values(x);
        if (PyArray_CheckExact(memory)) {
            npy_intp size = PyArray_SIZE((PyArrayObject *)memory);
            if ((!size && !operands->quiet) || operands->count == MOST_OPERANDS) {
                Py_DECREF(memory);
                return NULL;
            }
            operands->total += (double)size * (double)operands->most / (double)most;
            operands->product *= (double)size;
            operands->memory[operands->count] = memory;
            operands->lazy[operands->count++] = is_array(x) ? x : NULL;
        }
        if (PyArray_CheckExact(memory)
                ? !PyArray_NDIM((PyArrayObject *)memory)
                    && PyTypeNum_ISINTEGER(PyArray_TYPE((PyArrayObject *)memory))
                : PyArray_IsScalar(memory, Integer)) {
            if (!include_index(operands, memory)) {
                Py_DECREF(memory);
                return NULL;
            }
        }
        else if (!PyArray_CheckExact(memory)) {
            include_number(operands, memory);
        }
        return memory;
    }
    if (PyTuple_CheckExact(x) || PyList_CheckExact(x)) {
        if (operands->nested == MOST_NESTED) {
            return NULL;
        }
        operands->nested++;
        Py_ssize_t length = PySequence_Fast_GET_SIZE(x);
        PyObject *items = PyTuple_New(length);
        int same = 1;
        for (Py_ssize_t i = 0; items != NULL && i < length; i++) {
            PyObject *item = PySequence_Fast_GET_ITEM(x, i);
            PyObject *value = in_memory(item, operands);
            if (value == NULL) {
                Py_CLEAR(items);
                return NULL;
            }
            same &= value == item;
            PyTuple_SET_ITEM(items, i, value);
        }
        operands->nested--;
        operands->empty |= !length;
        operands->total += (double)length;
        if (items != NULL && same) {
            Py_DECREF(items);
            Py_INCREF(x);
            return x;
        }
        if (items != NULL && PyList_CheckExact(x)) {
            PyObject *list = PySequence_List(items);
            Py_DECREF(items);
            return list;
        }
        return items;
    }
    operands->denied |= x == Py_False;
    operands->blank |= x == Py_None && operands->nested;
    if (PyUnicode_CheckExact(x)) {
        operands->texts++;
        operands->text = x;
    }
    if (PyLong_CheckExact(x)) {
        if (!include_integer(operands, x)) {
            return NULL;
        }
    }
    else if (!is_simple(x) && !PyComplex_CheckExact(x) && x != Py_Ellipsis && !PySlice_Check(x)) {
        if (!is_scalar(x)) {
            return NULL;
        }
        if (PyArray_IsScalar(x, Integer) && !include_index(operands, x)) {
            return NULL;
        }
    }
    include_number(operands, x);
    Py_INCREF(x);
    return x;
}

#include "bounds.h"

/* What results remember of a call: its arguments, and the way to one of several results. */
typedef struct {
    Call *call;
    PyObject *const *args; /* those without a name, and with one */
    Py_ssize_t count;
    PyObject *names; /* tuple or NULL */
    PyObject *path;  /* list of places; NULL: there is one result */
} Remembered;

static PyObject *
memorandum(Remembered *remembered)
{
    PyObject *known = arguments(remembered->args, remembered->count, remembered->names);
    if (known == NULL || remembered->path == NULL || PyList_GET_SIZE(remembered->path) == 0) {
        return known;
    }
    PyObject *path = PySequence_Tuple(remembered->path);
    PyObject *all = path == NULL ? NULL
        : PyTuple_Pack(3, PyTuple_GET_ITEM(known, 0), PyTuple_GET_ITEM(known, 1), path);
    Py_XDECREF(path);
    Py_DECREF(known);
    return all;
}

/* Return the array of one result (its reference is taken); NULL, perhaps without an error. */
static PyObject *
array_result(PyObject *value, Operands *operands, Remembered *remembered)
{
    PyArrayObject *array = PyArray_CheckExact(value) ? (PyArrayObject *)value : NULL;
    PyObject *base = array == NULL ? NULL : PyArray_BASE(array), *result = NULL, *known = NULL;
    Array *source = NULL;
    for (int i = 0; array != NULL && i < operands->count; i++) {
        PyObject *memory = operands->memory[i];
        int same = value == memory;
        if (!same && (base == NULL
                      || (base != memory && base != PyArray_BASE((PyArrayObject *)memory)))) {
            continue;
        }
        if (operands->lazy[i] == NULL
            || (!same && ((Array *)operands->lazy[i])->memory != memory)) {
            goto done; /* a view of an ndarray of the user's, of a leaf, or of what another thread let go */
        }
        source = (Array *)operands->lazy[i];
        if (same) {
            Py_INCREF(source);
            result = (PyObject *)source;
            goto done;
        }
        break;
    }
    if (array != NULL
        && (!is_known(PyArray_DESCR(array)) || (!operands->any && base != NULL && !PyArray_ISWRITEABLE(array)))) {
        goto done; /* a view of numbers that is locked */
    }
    if (source == NULL && base != NULL) {
        value = without_base(array);
        if (value == NULL) {
            return NULL;
        }
        array = (PyArrayObject *)value;
    }
    if (!operands->any) {
        return (PyObject *)new_array(value);
    }
    Py_ssize_t size = array == NULL ? 1 : PyArray_SIZE(array);
    if (source == NULL && operands->past + (size >> PAST_BITS) >= state.most_past) {
        result = (PyObject *)new_array(Py_NewRef(value)); /* which does not keep what is that large */
        if (result != NULL) {
            ((Array *)result)->past = size >> PAST_BITS;
        }
        goto done;
    }
    if ((known = memorandum(remembered)) == NULL) {
        goto done;
    }
    PyObject *operation = (PyObject *)remembered->call;
    Py_INCREF(value);
    result = source != NULL ? view_of(source, value, operation, known)
                            : computed(value, operation, Py_None, known, operands->past);
done:
    Py_XDECREF(known);
    Py_DECREF(value);
    return result;
}

/* Return the results of a call (whose reference is taken); NULL, perhaps without an error. */
static PyObject *
general_result(PyObject *value, Operands *operands, Remembered *remembered)
{
    if (PyArray_CheckExact(value)) {
        return array_result(value, operands, remembered);
    }
    int as_is = remembered->call->flags & AS_IS;
    if (PyBool_Check(value) && !as_is) {
        PyObject *truth = value == Py_True ? PyArrayScalar_True : PyArrayScalar_False;
        Py_DECREF(value);
        Py_INCREF(truth);
        return array_result(truth, operands, remembered);
    }
    if (is_scalar(value) && !as_is) {
        return array_result(value, operands, remembered);
    }
    if (PyTuple_Check(value) || PyList_CheckExact(value)) {
        Py_ssize_t length = PySequence_Fast_GET_SIZE(value);
        PyObject *items = PyTuple_New(length), *results = NULL;
        if (remembered->path == NULL && (remembered->path = PyList_New(0)) == NULL) {
            Py_CLEAR(items);
        }
        for (Py_ssize_t i = 0; items != NULL && i < length; i++) {
            PyObject *place = PyLong_FromSsize_t(i), *item = PySequence_Fast_GET_ITEM(value, i);
            if (place == NULL || PyList_Append(remembered->path, place) < 0) {
                Py_XDECREF(place);
                Py_CLEAR(items);
                break;
            }
            Py_DECREF(place);
            if (PyTuple_CheckExact(value) && Py_REFCNT(value) == 1) {
                PyTuple_SET_ITEM(value, i, Py_NewRef(Py_None)); /* so that nothing else refers to the item */
            }
            else {
                Py_INCREF(item);
            }
            PyObject *result = general_result(item, operands, remembered);
            Py_ssize_t depth = PyList_GET_SIZE(remembered->path);
            if (result == NULL
                || PyList_SetSlice(remembered->path, depth - 1, depth, NULL) < 0) {
                Py_XDECREF(result);
                Py_CLEAR(items);
                break;
            }
            PyTuple_SET_ITEM(items, i, result);
        }
        if (items != NULL) {
            if (PyTuple_CheckExact(value)) {
                results = items;
                Py_INCREF(results);
            }
            else if (PyList_CheckExact(value)) {
                results = PySequence_List(items);
            }
            else {
                results = PyObject_Call((PyObject *)Py_TYPE(value), items, NULL);
            }
        }
        Py_XDECREF(items);
        Py_DECREF(value);
        return results;
    }
    if (as_is && (is_number(value) || is_scalar(value) || value == Py_None)) {
        return value;
    }
    Py_DECREF(value);
    return NULL;
}

/* Return whether keywords may cast arguments, which may meet an exception. */
static int
casts(PyObject *names)
{
    for (Py_ssize_t i = 0; names != NULL && i < PyTuple_GET_SIZE(names); i++) {
        if (PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(names, i), "dtype") == 0) {
            return 1;
        }
    }
    return 0;
}

/* Return of how many elements a function runs at once where an operation does of `most`. */
static inline Py_ssize_t
most_at_once(Call *call, Py_ssize_t most)
{
    if (call->flags & AT_ANY_SIZE && !known_sparing && !PyDict_GET_SIZE(state.donated)) {
        return ANY_NUMBER;
    }
    if (call->flags & LOOKS_UP) {
        return most * LOOKED_UP;
    }
    if (call->flags & IS_SEVERAL) {
        return most * state.written;
    }
    return most * (call->flags & (COPIES | BY_LIBRARY) ? state.created : cheap_factor(call));
}

/* Return whether an argument is an array of truth values in memory. */
static int
holds_truths(PyObject *x)
{
    PyObject *memory = !is_array(x) ? Py_NewRef(x) : Py_XNewRef(memory_of((Array *)x));
    memory = memory == NULL ? leaf_memory((Array *)x) : memory;
    int truths = memory != NULL && PyArray_CheckExact(memory) && PyArray_TYPE((PyArrayObject *)memory) == NPY_BOOL;
    Py_XDECREF(memory);
    return truths;
}

/* Return whether NumPy computes what a call gives, however large it is: where it copies each element as
   often as an array says, the places of all of them would be computed, which takes as long. What is many
   times as large as the elements is left to kernels, which read these from a cache. -1 with an error. */
static int
has_no_other_form(Call *call, PyObject *const *args, Py_ssize_t count)
{
    if (call->flags & (AS_IS | COUNTS_TRUTHS) || call->bound != REPEATED || count < 2) {
        return call->flags & AS_IS || (call->flags & COUNTS_TRUTHS && count && holds_truths(args[0]));
    }
    PyObject *counts = args[1];
    int pending = 0;
    double elements = elements_of(args[0], &pending, ANY_ARGUMENT);
    if (elements < 0 || (is_pending(counts) && size_of((Node *)((Array *)counts)->node) < 2)) {
        return 0;
    }
    if (is_pending(counts) && compute_pending(counts) < 0) {
        return -1; /* without them the shape is not known */
    }
    double most = (double)limit_now() * (double)state.created, many = elements * (double)state.larger;
    PyObject *memory = is_array(counts) ? memory_of((Array *)counts) : counts;
    memory = memory == NULL ? leaf_memory((Array *)counts) : Py_NewRef(memory);
    int are_few = memory != NULL && PyArray_CheckExact(memory) && PyArray_SIZE((PyArrayObject *)memory) > 1
        && repeated_elements(elements, (PyArrayObject *)memory) <= (many > most ? many : most);
    Py_XDECREF(memory);
    return are_few;
}

/* Return the result of NumPy's function; NULL without an error: Python has to see to it. If `output` is the number of a
   keyword and not -1, its value is an ndarray that NumPy writes to, and the result is NumPy's. */
static PyObject *
general_value(Call *call, PyObject *const *args, Py_ssize_t count, PyObject *names, Py_ssize_t output)
{
    Py_ssize_t total = count + (names == NULL ? 0 : PyTuple_GET_SIZE(names)), i;
    Operands operands = {.product = 1, .integers = 1};
    if (total > MOST_ARGUMENTS || count > call->places || (operands.most = limit_now()) <= 0
        || !none_refused(call, names, output)) {
        return NULL;
    }
    operands.most = most_at_once(call, operands.most);
    int is_sequence = total > 0 && (PyList_CheckExact(args[0]) || PyTuple_CheckExact(args[0])), joins = 0;
    if (call->flags & (COPIES | EXTENDS)) {
        int any_number = has_no_other_form(call, args, count);
        if (any_number < 0) {
            return NULL;
        }
        if (any_number && !PyDict_GET_SIZE(state.donated)) {
            operands.most = ANY_NUMBER;
        }
        joins = !any_number && total > 0 && (call->flags & EXTENDS || is_sequence);
        int which = any_number ? ANY_ARGUMENT : call->flags & MOVES ? NAMED_TOO : ONE_OPERATION;
        if ((joins || any_number) && compute_arguments(args, total, (double)operands.most, which) < 0) {
            return NULL;
        }
    }
    if ((joins && call->flags & COPIES) || (is_sequence && cheap_factor(call) == state.built)) {
        operands.most = limit_now() * state.written; /* NumPy joins arrays in memory sooner than a kernel */
    }
    operands.by_bytes = call->flags & CHEAP && call->bound != BOUNDED && call->bound != MATRICES;
    operands.quiet = call->flags & QUIET && !casts(names);
    operands.alone = total == 1;
    PyObject *values[MOST_ARGUMENTS + 1] = {NULL}, *token = NULL, *value, *result = NULL;
    Remembered remembered = {.call = call, .args = args, .count = total, .names = names};
    operands.axis = named_axis(args, count, names);
    operands.second = count > 1 ? args[1] : NULL;
    operands.third = third_argument(args, count, names);
    for (i = 0; i < total; i++) {
        if ((values[i + 1] = in_memory(args[i], &operands)) == NULL) {
            goto done;
        }
    }
    int creates = call->flags & CREATES && !operands.count;
    int is_small = (operands.any || creates ? is_bounded : takes_numbers)(call, &operands)
        || (operands.any && !operands.count && !creates && takes_numbers(call, &operands)); /* lists of lazy numbers */
    if (!is_small || (call->flags & WARNS && !in_users_code())
        || (!operands.quiet && (token = begin_noting()) == NULL)) {
        goto done;
    }
    PyObject *before = begin_blocks(operands.total * sizeof(double));
    PyObject *function = method_or(call->whole, call, count ? values[1] : NULL);
    value = PyObject_Vectorcall(function, values + 1, count | PY_VECTORCALL_ARGUMENTS_OFFSET, names);
    end_blocks(before);
    int clean = token == NULL ? 1 : end_noting(token);
    if (value == NULL || clean <= 0) {
        if (value == NULL || clean < 0) {
            was_refused();
        }
        Py_XDECREF(value);
        goto done;
    }
    result = output < 0 ? general_result(value, &operands, &remembered) : value;
done:
    Py_XDECREF(remembered.path);
    for (i = 0; i < total; i++) {
        Py_XDECREF(values[i + 1]);
    }
    return result;
}

/* Return the result of NumPy's function; NULL without an error: Python has to see to it. */
static PyObject *
fast_general(Call *call, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    return general_value(call, args, count, names, -1);
}
