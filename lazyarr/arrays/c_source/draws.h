/* The draws of one of lazyarr's generators, and the memory that they fill. */

#include "philox.h"

/* The draws of one generator: a key, and numbers that count on. Nothing comes between two of them under the lock of
   the interpreter. */
typedef struct {
    PyObject_HEAD
    npy_uint64 key, next;
} Numbers;

static PyTypeObject Numbers_Type;

/* What `install_draws` enters. */
static struct {
    PyObject *local;    /* has the scope that this thread is in */
    PyObject *finished; /* returns the array of what NumPy drew, if that is of other kinds */
    Py_ssize_t most;    /* elements of a draw */
} drawing;

static PyObject *str_numbers, *str_scope, *str_stream;

static PyObject *
numbers_new(PyTypeObject *type, PyObject *args, PyObject *Py_UNUSED(keywords))
{
    unsigned long long key, next;
    if (!PyArg_ParseTuple(args, "KK", &key, &next)) {
        return NULL;
    }
    Numbers *self = (Numbers *)type->tp_alloc(type, 0);
    if (self != NULL) {
        self->key = key;
        self->next = next;
    }
    return (PyObject *)self;
}

/* take(count): the number of the first of so many draws, and the key. */
static PyObject *
numbers_take(Numbers *self, PyObject *count)
{
    unsigned long long many = PyLong_AsUnsignedLongLongMask(count), number = self->next;
    if (PyErr_Occurred()) {
        return NULL;
    }
    self->next += many;
    return Py_BuildValue("KK", number, (unsigned long long)self->key);
}

/* take_if(number): whether that is the next draw, which then is taken. */
static PyObject *
numbers_take_if(Numbers *self, PyObject *number)
{
    unsigned long long expected = PyLong_AsUnsignedLongLongMask(number);
    if (PyErr_Occurred()) {
        return NULL;
    }
    int is_next = self->next == expected;
    self->next += (npy_uint64)is_next;
    return PyBool_FromLong(is_next);
}

/* state(): the key, and the number of the next draw. */
static PyObject *
numbers_state(Numbers *self, PyObject *Py_UNUSED(none))
{
    return Py_BuildValue("KK", (unsigned long long)self->key, (unsigned long long)self->next);
}

static PyMethodDef numbers_methods[] = {
    {"take", (PyCFunction)numbers_take, METH_O, "The number of the first of some draws, and the key."},
    {"take_if", (PyCFunction)numbers_take_if, METH_O, "Whether a number is that of the next draw, which is taken then."},
    {"state", (PyCFunction)numbers_state, METH_NOARGS, "The key, and the number of the next draw."},
    {NULL},
};

static PyTypeObject Numbers_Type = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "lazyarr.arrays._compiled.Numbers",
    .tp_basicsize = sizeof(Numbers),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = numbers_new,
    .tp_methods = numbers_methods,
};

/* The functions of a generator that draw here; as enumerated in random/early_draws.py. */
enum {
    RANDOM, STANDARD_NORMAL, STANDARD_EXPONENTIAL, NORMAL, UNIFORM, EXPONENTIAL, INTEGERS, PERMUTATION, SHUFFLE,
    CHOICE, BITS, DISTRIBUTIONS
};

#define MOST_PARAMETERS 5
static const char *const parameters_of[DISTRIBUTIONS][MOST_PARAMETERS] = {
    [RANDOM] = {"size"},
    [STANDARD_NORMAL] = {"size"},
    [STANDARD_EXPONENTIAL] = {"size"},
    [NORMAL] = {"loc", "scale", "size"},
    [UNIFORM] = {"low", "high", "size"},
    [EXPONENTIAL] = {"scale", "size"},
    [INTEGERS] = {"low", "high", "size", "dtype", "endpoint"},
    [PERMUTATION] = {"x"},
    [SHUFFLE] = {"x"},
    [CHOICE] = {"a", "size", "replace", "p"},
};

/* What is drawn, from the stream of which generator. */
typedef struct {
    int distribution, ndim;
    npy_intp shape[NPY_MAXDIMS], size;
    double start, factor;       /* of what the distribution gives */
    npy_uint64 first, span;     /* of integers; a span of 0 is all of them */
} Draw;

/* Return whether arguments are among those that are known here, and put them in their order; NULL where there is
   none. */
static int
sort_arguments(int distribution, PyObject *const *args, Py_ssize_t count, PyObject *names, PyObject **values)
{
    const char *const *known = parameters_of[distribution];
    if (count > MOST_PARAMETERS || (count && known[count - 1] == NULL)) {
        return 0;
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        values[i] = args[i];
    }
    for (Py_ssize_t i = 0; names != NULL && i < PyTuple_GET_SIZE(names); i++) {
        int place = 0;
        while (place < MOST_PARAMETERS && known[place] != NULL
               && PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(names, i), known[place])) {
            place++;
        }
        if (place == MOST_PARAMETERS || known[place] == NULL || values[place] != NULL) {
            return 0;
        }
        values[place] = args[count + i];
    }
    return 1;
}

/* Fill in the shape of a draw; return whether that is of few elements. */
static int
set_shape(Draw *draw, PyObject *size, Py_ssize_t most)
{
    draw->ndim = 0;
    draw->size = 1;
    if (size == NULL || size == Py_None) {
        return 1;
    }
    int is_tuple = PyTuple_CheckExact(size);
    Py_ssize_t axes = is_tuple ? PyTuple_GET_SIZE(size) : 1;
    if ((!is_tuple && !PyLong_CheckExact(size)) || axes > NPY_MAXDIMS) {
        return 0;
    }
    for (Py_ssize_t axis = 0; axis < axes; axis++) {
        PyObject *item = is_tuple ? PyTuple_GET_ITEM(size, axis) : size;
        int overflow = 0;
        long long length = PyLong_CheckExact(item) ? PyLong_AsLongLongAndOverflow(item, &overflow) : -1;
        if (overflow || length < 0 || (draw->size && length > most / draw->size)) {
            return 0;
        }
        draw->shape[axis] = (npy_intp)length;
        draw->size *= (npy_intp)length;
    }
    draw->ndim = (int)axes;
    return 1;
}

/* Return whether a parameter is a number of a magnitude with which no step meets an exception. */
static int
set_parameter(PyObject *x, double otherwise, double *number)
{
    if (x == NULL) {
        *number = otherwise;
        return 1;
    }
    return as_double(x, number) && (*number == 0 || (fabs(*number) <= 0x1p900 && fabs(*number) >= 0x1p-900));
}

static int
set_integer(PyObject *x, long long *integer)
{
    int overflow = 0;
    if (x == NULL || !PyLong_CheckExact(x)) {
        return 0;
    }
    *integer = PyLong_AsLongLongAndOverflow(x, &overflow);
    return !overflow;
}

/* Fill in the interval of integers; return whether it is one of int64. */
static int
set_interval(Draw *draw, PyObject *const *values)
{
    PyObject *low = values[0], *high = values[1], *dtype = values[3], *endpoint = values[4];
    long long first = 0, last;
    int single = high == NULL || high == Py_None;
    if ((dtype != NULL && dtype != (PyObject *)&PyLong_Type && dtype != (PyObject *)&PyLongArrType_Type)
        || (endpoint != NULL && !PyBool_Check(endpoint)) || !set_integer(single ? low : high, &last)
        || (!single && !set_integer(low, &first))) {
        return 0;
    }
    if (endpoint != Py_True) {
        if (last == NPY_MIN_INT64) {
            return 0;
        }
        last--;
    }
    draw->first = (npy_uint64)first;
    draw->span = (npy_uint64)last - (npy_uint64)first + 1;
    return first <= last;
}

/* Fill in what is drawn; return whether it is drawn here. */
static int
set_draw(Draw *draw, PyObject *const *values, Py_ssize_t most)
{
    double high;
    draw->start = 0;
    draw->factor = 1;
    switch (draw->distribution) {
    case RANDOM:
    case STANDARD_NORMAL:
    case STANDARD_EXPONENTIAL: return set_shape(draw, values[0], most);
    case NORMAL:
        return set_shape(draw, values[2], most) && set_parameter(values[0], 0, &draw->start)
            && set_parameter(values[1], 1, &draw->factor) && !signbit(draw->factor);
    case UNIFORM:
        if (!set_shape(draw, values[2], most) || !set_parameter(values[0], 0, &draw->start)
            || !set_parameter(values[1], 1, &high)) {
            return 0;
        }
        draw->factor = high - draw->start;
        return !signbit(draw->factor);
    case EXPONENTIAL:
        return set_shape(draw, values[1], most) && set_parameter(values[0], 1, &draw->factor)
            && !signbit(draw->factor);
    case INTEGERS: return set_shape(draw, values[2], most) && set_interval(draw, values);
    default: return 0;
    }
}

/* Return the draws of a generator, a new reference; NULL without an error: it has others, or each run of the code
   that this thread is in draws anew. */
static Numbers *
numbers_of(PyObject *generator)
{
    PyObject *scope = drawing.local == NULL ? NULL : PyObject_GetAttr(drawing.local, str_scope);
    PyObject *stream = scope != Py_None ? NULL : PyObject_GetAttr(generator, str_stream);
    PyObject *numbers = stream == NULL ? NULL : PyObject_GetAttr(stream, str_numbers);
    Py_XDECREF(scope);
    Py_XDECREF(stream);
    if (numbers != NULL && Py_TYPE(numbers) != &Numbers_Type) {
        Py_CLEAR(numbers);
    }
    PyErr_Clear();
    return (Numbers *)numbers;
}

/* Write the elements of a draw that some words give. */
static void
write_numbers(const Draw *draw, double *out, const npy_uint64 *words)
{
    switch (draw->distribution) {
    case NORMAL:
    case STANDARD_NORMAL: normals_of_words(out, words); break;
    case EXPONENTIAL:
    case STANDARD_EXPONENTIAL: exponentials_of_words(out, words); break;
    default: units_of_words(out, words);
    }
    if (draw->distribution < NORMAL) {
        return;
    }
    for (int k = 0; k < WORDS_AT_ONCE; k++) {
        double scaled = draw->factor * out[k];
        out[k] = draw->distribution == EXPONENTIAL ? scaled : draw->start + scaled;
    }
}

static void
write_integers(const Draw *draw, npy_uint64 *words)
{
    for (int k = 0; draw->distribution == INTEGERS && k < WORDS_AT_ONCE; k++) {
        words[k] = draw->first + (draw->span ? multiplied_high(words[k], draw->span) : words[k]);
    }
}

/* Write all elements of the next draw. */
static void
write_draw(const Draw *draw, Numbers *numbers, char *out)
{
    npy_uint64 words[WORDS_AT_ONCE], number = numbers->next++;
    double units[WORDS_AT_ONCE];
    int whole = draw->distribution >= INTEGERS;
    for (npy_intp first = 0; first < draw->size; first += WORDS_AT_ONCE) {
        size_t count = (size_t)Py_MIN(draw->size - first, WORDS_AT_ONCE);
        philox_words(words, (npy_uint64)first / 2, number, numbers->key);
        if (whole) {
            write_integers(draw, words);
        }
        else {
            write_numbers(draw, units, words);
        }
        memcpy(out + first * 8, whole ? (void *)words : (void *)units, count * 8);
    }
}

/* Return the memory of the next draw: an ndarray, or without axes a number. */
static PyObject *
drawn_memory(const Draw *draw, Numbers *numbers)
{
    int code = draw->distribution < INTEGERS ? NPY_DOUBLE : draw->distribution == INTEGERS ? NPY_INT64 : NPY_UINT64;
    npy_intp shape[NPY_MAXDIMS];
    memcpy(shape, draw->shape, (size_t)draw->ndim * sizeof(npy_intp));
    PyObject *memory = new_memory(draw->ndim, shape, code);
    if (memory != NULL) {
        write_draw(draw, numbers, PyArray_BYTES((PyArrayObject *)memory));
    }
    return memory != NULL && !draw->ndim ? PyArray_Return((PyArrayObject *)memory) : memory;
}

/* Return the array of memory that was drawn (its reference is taken): it remembers nothing. */
static PyObject *
drawn_array(PyObject *memory)
{
    Py_ssize_t size = memory != NULL && PyArray_CheckExact(memory) ? PyArray_SIZE((PyArrayObject *)memory) : 1;
    Array *array = memory == NULL ? NULL : new_array(memory);
    if (array != NULL) {
        array->past = size >> PAST_BITS;
    }
    return (PyObject *)array;
}

/* Return the array of the next draw. */
static PyObject *
drawn(const Draw *draw, Numbers *numbers)
{
    if (draw->ndim || draw->distribution >= INTEGERS) {
        return drawn_array(drawn_memory(draw, numbers));
    }
    Array *array = new_number();
    if (array != NULL) {
        array->is_double = 1;
        write_draw(draw, numbers, (char *)&array->number);
    }
    return (PyObject *)array;
}
