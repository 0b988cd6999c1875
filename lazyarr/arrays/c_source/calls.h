/* Methods, functions and ufuncs of arrays in memory: callables that ask NumPy first. */

/* What a call does where all is small and in memory. */
enum {
    REDUCE,    /* a reduction by a ufunc: axis, keepdims */
    MEAN,
    METHOD,    /* a method of NumPy's of the same name */
    FUNCTION,  /* a function of NumPy's of arguments among which are arrays */
    ELEMENTWISE, /* a ufunc */
    CALLS,     /* nothing: Python's form answers */
    DRAWS, NUMPYS_DRAWS, HOST_DRAWS /* random numbers of lazyarr's and of NumPy's generators: see drawing.h */
};

/* Functions that are looked at before NumPy's is called: new arrays, joined ones, and sums of what precedes. */
enum { NO_CREATION, EMPTY_ARRAY, ZEROS_ARRAY, ONES_ARRAY, RANGE_ARRAY, JOINED_ARRAYS, ACCUMULATED };

/* How large a function's result may get, and which of its arguments are arrays. */
enum {
    NO_LARGER, /* than the first argument, an array */
    BROADCAST, /* of up to three arrays */
    TOGETHER,  /* arrays in a sequence, which are joined */
    PRODUCT,   /* of two matrices or vectors */
    INNER,     /* of the rows of two matrices, or of vectors */
    PAIRS,     /* of the elements of two arrays */
    SHAPED,    /* a new array of the shape that is the first argument */
    COUNTED,   /* a new array of as many elements as integers count */
    COPIED,    /* a copy of the first argument */
    LISTED     /* an array of the numbers in the first argument, a list or a tuple */
};

typedef struct {
    PyObject_HEAD
    vectorcallfunc vectorcall;
    int kind;
    int fits;            /* of a draw: the distribution, or whether one of NumPy's writes to its argument */
    int warns;           /* whether exceptions have to be noted */
    int times;           /* as many times as many elements as others it runs at once on */
    int loop;            /* the operator that a ufunc is, or by which others accumulate; -1: none has a loop */
    PyObject *slow;      /* the function of Python */
    PyObject *name;      /* of the method; of a function: ndarray's method that does the same, or None */
    PyObject *theirs;    /* NumPy's function; the ``reduce`` of a ufunc; a ufunc */
    PyObject *rebuild;   /* what a history names */
    PyObject *op;        /* of a ufunc */
    PyObject *reductions; /* of expressions, by their dtypes, shapes and the arguments */
    PyObject *keywords;  /* set of keywords that mean in NumPy what they mean in lazyarr */
    PyObject *whole;     /* NumPy's function for arguments of all kinds; NULL: there is none */
    PyObject *refused;   /* set of keywords with which that is not called, */
    int places;          /* and so many arguments without a name are; operands of a ufunc */
    int bound;           /* and so large its result may get; see general.h */
    int flags;
    int own;             /* of a method: which of own_methods.h it is; of a reduction: its operator, or -1 */
    PyObject *dict;
    PyObject *weakrefs;
} Call;

/* Return what to call in the place of a function of NumPy's: ndarray's method, if there is one for the
   first argument, which a function in Python would look up. */
static inline PyObject *
method_or(PyObject *function, Call *call, PyObject *first)
{
    return (call->kind == FUNCTION || call->kind == CALLS) && call->name != Py_None && first != NULL
        && PyArray_CheckExact(first) ? call->name : function;
}

#define MOST_ARGUMENTS 8
#define VIEWS_TIMES (1 << 20) /* of what gives views of arrays in C order, whatever their size */

/* Return whether what has other axes than an array is a view of it, however large it is. */
static inline int
may_view(PyObject *x)
{
    PyObject *memory = is_array(x) ? memory_of((Array *)x) : x;
    return !PyDict_GET_SIZE(state.donated)
        && (memory == NULL || !PyArray_CheckExact(memory)
            || PyArray_IS_C_CONTIGUOUS((PyArrayObject *)memory));
}

/* Return the history of a result: what rebuilds it, arguments and keywords. */
static PyObject *
call_history(Array *array)
{
    Call *call = (Call *)array->operation;
    if (array->right == NULL) {
        return Py_BuildValue("O(O){}", call->rebuild, array->left);
    }
    /* The arguments, then the names of the last of them. */
    PyObject *args = PyTuple_GET_ITEM(array->right, 0);
    PyObject *names = PyTuple_GET_ITEM(array->right, 1);
    PyObject *rebuild = call->rebuild;
    if (PyTuple_GET_SIZE(array->right) > 2) { /* one of several results */
        PyObject *path = PyTuple_GET_ITEM(array->right, 2);
        rebuild = PyObject_CallFunctionObjArgs(state.part, rebuild, path, NULL);
        if (rebuild == NULL) {
            return NULL;
        }
    }
    else {
        Py_INCREF(rebuild);
    }
    Py_ssize_t named = names == Py_None ? 0 : PyTuple_GET_SIZE(names);
    Py_ssize_t count = PyTuple_GET_SIZE(args) - named;
    PyObject *keywords = PyDict_New();
    PyObject *plain = PyTuple_GetSlice(args, 0, count);
    for (Py_ssize_t i = 0; keywords != NULL && plain != NULL && i < named; i++) {
        if (PyDict_SetItem(keywords, PyTuple_GET_ITEM(names, i),
                           PyTuple_GET_ITEM(args, count + i)) < 0) {
            Py_CLEAR(keywords);
        }
    }
    PyObject *history = NULL;
    if (keywords != NULL && plain != NULL) {
        history = PyTuple_Pack(3, rebuild, plain, keywords);
    }
    Py_DECREF(rebuild);
    Py_XDECREF(keywords);
    Py_XDECREF(plain);
    return history;
}

/* Return an argument as it is remembered, a new reference: of a list a copy, as the caller may change it. */
static PyObject *
remembered_argument(PyObject *x)
{
    if (!PyList_CheckExact(x)) {
        return Py_NewRef(x);
    }
    PyObject *copy = PyList_GetSlice(x, 0, PY_SSIZE_T_MAX);
    for (Py_ssize_t i = 0; copy != NULL && i < PyList_GET_SIZE(copy); i++) {
        if (PyList_CheckExact(PyList_GET_ITEM(copy, i))) {
            PyObject *item = Py_EnterRecursiveCall(" while a list is remembered")
                ? NULL : remembered_argument(PyList_GET_ITEM(copy, i));
            if (item == NULL) {
                Py_CLEAR(copy);
                break;
            }
            Py_LeaveRecursiveCall();
            PyList_SetItem(copy, i, item);
        }
    }
    return copy;
}

/* Return what a result remembers of a call's arguments, a new reference. */
static PyObject *
arguments(PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    PyObject *all = PyTuple_New(count);
    if (all == NULL) {
        return NULL;
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *argument = remembered_argument(args[i]);
        if (argument == NULL) {
            Py_DECREF(all);
            return NULL;
        }
        PyTuple_SET_ITEM(all, i, argument);
    }
    PyObject *pair = PyTuple_Pack(2, all, names == NULL ? Py_None : names);
    Py_DECREF(all);
    return pair;
}

/* Forget the exceptions that this thread has noted; return how many there were. */
static Py_ssize_t
forget_exceptions(void)
{
    unsigned long thread = PyThread_get_thread_ident();
    Py_ssize_t count = 0;
    for (Py_ssize_t i = PyList_GET_SIZE(state.exceptions); i-- > 0;) {
        PyObject *entry = PyList_GET_ITEM(state.exceptions, i); /* the thread, and the kind of exception */
        if (PyLong_AsUnsignedLong(PyTuple_GET_ITEM(entry, 0)) == thread) {
            PyList_SetSlice(state.exceptions, i, i + 1, NULL);
            count++;
        }
    }
    return count;
}

/* Set NumPy's error state to one that notes exceptions, of which it ignores underflows unless the user's state is
   another one; NULL with an error if that fails. */
static inline PyObject *
begin_noting(void)
{
    PyObject *now;
    forget_exceptions(); /* of a call that failed */
    if (PyContextVar_Get(state.error_state, NULL, &now) < 0) {
        return NULL;
    }
    PyObject *noted = PyTuple_GET_ITEM(state.noted, now == PyTuple_GET_ITEM(state.noted, 2));
    Py_XDECREF(now);
    return PyContextVar_Set(state.error_state, noted);
}

/* Return 1 if nothing was noted, 0 if something was, which is forgotten, -1 with an error. */
static inline int
end_noting(PyObject *token)
{
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    int failed = PyContextVar_Reset(state.error_state, token);
    Py_DECREF(token);
    if (failed) {
        Py_XDECREF(type);
        Py_XDECREF(value);
        Py_XDECREF(traceback);
        return -1;
    }
    PyErr_Restore(type, value, traceback);
    return forget_exceptions() == 0;
}

#include "reducing.h"

static int
are_known(Call *call, PyObject *names)
{
    for (Py_ssize_t i = 0; names != NULL && i < PyTuple_GET_SIZE(names); i++) {
        if (PySequence_Contains(call->keywords, PyTuple_GET_ITEM(names, i)) != 1) {
            PyErr_Clear();
            return 0;
        }
    }
    return 1;
}

/* Return the array or arrays of what NumPy gave for one array in memory; see `wrapped`. */
static PyObject *
wrapped_call(Call *call, PyObject *value, PyObject *const *args, PyObject *shown, Py_ssize_t total,
             PyObject *names, Py_ssize_t past)
{
    Array *source = (Array *)args[0];
    if (PyTuple_CheckExact(value) || PyList_CheckExact(value)) {
        int is_list = PyList_CheckExact(value);
        Py_ssize_t length = PySequence_Fast_GET_SIZE(value);
        PyObject *results = is_list ? PyList_New(length) : PyTuple_New(length);
        for (Py_ssize_t i = 0; results != NULL && i < length; i++) {
            PyObject *item = PySequence_Fast_GET_ITEM(value, i);
            Py_INCREF(item);
            PyObject *array = wrapped(item, source, shown, (PyObject *)call, NULL, past);
            if (array == NULL) {
                Py_CLEAR(results);
                break;
            }
            forget((Array *)array);
            if (is_list) {
                PyList_SET_ITEM(results, i, array);
            }
            else {
                PyTuple_SET_ITEM(results, i, array);
            }
        }
        Py_DECREF(value);
        return results;
    }
    if (total == 1) {
        return wrapped(value, source, shown, (PyObject *)call, NULL, past);
    }
    PyObject *known = arguments(args, total, names);
    if (known == NULL) {
        Py_DECREF(value);
        return NULL;
    }
    PyObject *result = wrapped(value, source, shown, (PyObject *)call, known, past);
    Py_DECREF(known);
    return result;
}

#include "own_methods.h"

/* Return the result of NumPy's method; NULL without an error: Python has to see to it. */
static PyObject *
fast_method(Call *call, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    Py_ssize_t most, past = 0, total = count + (names == NULL ? 0 : PyTuple_GET_SIZE(names));
    if (count < 1 || total > MOST_ARGUMENTS || !is_array(args[0]) || (most = limit_now()) <= 0) {
        return NULL;
    }
    most *= call->times;
    most = call->times > 1 ? most_of(most, args[0], args[0], 1) : most;
    if (call->times == VIEWS_TIMES && !may_view(args[0])) {
        most = limit_now() * state.cheaper;
    }
    /* The only argument of a sort may have a name. */
    int sorts = call->own == SORT_METHOD && count == 1 && total == 2
        && !PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(names, 0), "axis");
    PyObject *own = call->own && (names == NULL || sorts) ? own_method(call, args, sorts ? total : count, most) : NULL;
    if (own != NULL || PyErr_Occurred() || !may_be_numpys(call, args, count)) {
        return own;
    }
    PyObject *values[MOST_ARGUMENTS + 1] = {NULL};
    for (Py_ssize_t i = 1; i < total; i++) {
        if (!is_simple(args[i])) {
            return NULL;
        }
        values[i + 1] = args[i];
    }
    PyObject *memory = operand(args[0], most, &past), *token = NULL;
    if (memory == NULL || (PyArray_CheckExact(memory) && !PyArray_SIZE((PyArrayObject *)memory))
        || !are_known(call, names) || (call->warns && (token = begin_noting()) == NULL)) {
        Py_XDECREF(memory);
        return NULL;
    }
    values[1] = memory;
    PyObject *before = begin_blocks(call->times == VIEWS_TIMES ? 0 : memory_bytes(memory));
    PyObject *value = PyObject_VectorcallMethod(
        call->name, values + 1, count | PY_VECTORCALL_ARGUMENTS_OFFSET, names);
    end_blocks(before);
    int clean = token == NULL ? 1 : end_noting(token);
    PyObject *result = NULL;
    if (value == NULL || clean < 0) {
        Py_XDECREF(value);
        was_refused();
    }
    else if (!clean) {
        Py_DECREF(value); /* Python's form computes it again, notes it, and builds it to warn */
    }
    else {
        result = wrapped_call(call, value, args, memory, total, names, past);
    }
    Py_DECREF(memory);
    return result;
}

/* Return an operator of two numbers, or of values of which NumPy has made one an array without axes, as it
   does of its numbers; NULL without an error: there is no such, or it is to be built. */
static PyObject *
operator_of_numbers(int k, PyObject *const *args)
{
    PyObject *pair[2] = {args[0], args[1]}, *number = NULL;
    for (int i = 0; i < 2 && number == NULL; i++) {
        if (PyArray_CheckExact(args[i]) && !PyArray_NDIM((PyArrayObject *)args[i])
            && is_known(PyArray_DESCR((PyArrayObject *)args[i]))) {
            pair[i] = number = PyArray_ToScalar(PyArray_DATA((PyArrayObject *)args[i]), (PyArrayObject *)args[i]);
        }
    }
    PyObject *result = (number == NULL ? operator_of_scalars : fast_binary)(k, pair[0], pair[1]);
    Py_XDECREF(number);
    return result;
}

/* Return a ufunc of values in memory by its loop; NULL without an error: there is none. */
static inline PyObject *
called_loop(PyObject *function, PyObject *op, PyObject *const *args, Py_ssize_t count, Py_ssize_t most)
{
    PyObject *value = looped_by_numpy(function, args, count, most), *right = count > 1 ? args[1] : NULL;
    Py_ssize_t past = past_of(args[0]) + (right == NULL ? 0 : past_of(right));
    return value == NULL ? NULL : computed(value, op, args[0], right, past);
}

/* Return a ufunc of values in memory; NULL without an error: Python has to see to it. */
static PyObject *
fast_ufunc(PyObject *function, PyObject *op, int loop, PyObject *const *args, Py_ssize_t count)
{
    Py_ssize_t most, past = 0;
    int any = 0, apart = 0;
    PyObject *values[4] = {NULL}, *value = NULL;
    if (count < 1 || count > 2) {
        return NULL;
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        any |= holds_values(args[i]);
        apart |= PyArray_CheckExact(args[i]); /* beside which an expression is built by Python */
    }
    if ((most = limit_now()) <= 0
        || (value = number_of_ufunc(function, op, args, count, any)) != NULL || PyErr_Occurred() || !any) {
        return value;
    }
    if (loop >= 0 && loop < OPERATORS && count == 2
        && ((value = operator_of_numbers(loop, args)) != NULL || PyErr_Occurred())) {
        return value;
    }
    if (loop >= 0 && (count == 2) == takes_two(loop)) {
        PyObject *left = args[0], *right = count > 1 ? args[1] : NULL, *result;
        double number;
        for (Py_ssize_t i = 0; i < count; i++) {
            past += past_of(args[i]);
        }
        if (loop == SQRT && as_double(left, &number) && isnormal(number) && number > 0) {
            return computed_number(sqrt(number), op, left, NULL, past);
        }
        result = looped(loop, left, count > 1 ? right : integer_zero,
                        most * (apart ? state.created : state.cheaper));
        if (result != NULL) {
            return computed(result, op, left, right, past);
        }
        if (PyErr_Occurred()) {
            return NULL;
        }
        past = 0;
    }
    if ((value = called_loop(function, op, args, count, most)) != NULL || PyErr_Occurred()) {
        return value;
    }
    if (PySet_Contains(state.cheap, function) == 1) {
        most = most_of(most * (apart ? state.created : state.cheaper), args[0], args[count - 1], 1);
        if ((value = called_loop(function, op, args, count, most)) != NULL || PyErr_Occurred()) {
            return value;
        }
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        if ((values[i + 1] = read_operand(args[i], most, &past)) == NULL) {
            goto done;
        }
    }
    if (!broadcast_fits(values + 1, count, most) || !in_users_code()) {
        goto done;
    }
    PyObject *before = begin_blocks(largest_bytes(values + 1, count));
    value = PyObject_Vectorcall(
        function, values + 1, count | PY_VECTORCALL_ARGUMENTS_OFFSET, NULL);
    end_blocks(before);
    if (value == NULL) {
        was_refused();
    }
done:
    Py_XDECREF(values[1]);
    Py_XDECREF(values[2]);
    if (value == NULL) {
        return NULL;
    }
    if (!PyArray_CheckExact(value) && !is_scalar(value)) {
        Py_DECREF(value);
        return NULL;
    }
    return computed(value, op, args[0], count > 1 ? args[1] : NULL, past);
}
