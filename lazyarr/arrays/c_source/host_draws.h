/* Draws of distributions that NumPy computes, of few numbers with parameters in memory. NumPy's generator asks for the
   words: those of numpy.random.Philox(key=[key, number]), Philox4x64-10 (J. Salmon et al.), from the first on. */

#include <numpy/random/bitgen.h>

#define WORDS_OF_BLOCK 4
#define LONG_PHILOX_FIRST 0xd2e7470ee14c6c93u /* multipliers of a round, */
#define LONG_PHILOX_SECOND 0xca5a826395121157u
#define LONG_PHILOX_FIRST_STEP 0x9e3779b97f4a7c15u /* and what the halves of the key grow by from round to round */
#define LONG_PHILOX_SECOND_STEP 0xbb67ae8584caa73bu
#define UNIT_OF_DOUBLES 0x1p-53

/* A bit generator of NumPy's: its Generator takes the capsule, and holds the lock while it draws. */
typedef struct {
    PyObject_HEAD
    bitgen_t calls;
    npy_uint64 key[2], block, words[WORDS_OF_BLOCK];
    int place, has_half;
    npy_uint32 half;
    PyObject *capsule, *lock;
} Words;

static npy_uint64
next_word(void *state)
{
    Words *self = state;
    if (self->place < WORDS_OF_BLOCK) {
        return self->words[self->place++];
    }
    npy_uint64 k0 = self->key[0], k1 = self->key[1], *c = self->words;
    c[0] = ++self->block;
    c[1] = c[2] = c[3] = 0;
    for (int round = 0; round < PHILOX_ROUNDS; round++) {
        npy_uint64 high0 = multiplied_high(c[0], LONG_PHILOX_FIRST), low0 = c[0] * LONG_PHILOX_FIRST;
        npy_uint64 high1 = multiplied_high(c[2], LONG_PHILOX_SECOND), low1 = c[2] * LONG_PHILOX_SECOND;
        c[0] = high1 ^ c[1] ^ k0;
        c[2] = high0 ^ c[3] ^ k1;
        c[1] = low1;
        c[3] = low0;
        k0 += LONG_PHILOX_FIRST_STEP;
        k1 += LONG_PHILOX_SECOND_STEP;
    }
    self->place = 1;
    return c[0];
}

static npy_uint32
next_half(void *state)
{
    Words *self = state;
    if (self->has_half) {
        self->has_half = 0;
        return self->half;
    }
    npy_uint64 word = next_word(state);
    self->has_half = 1;
    self->half = (npy_uint32)(word >> 32);
    return (npy_uint32)word;
}

static double
next_double(void *state)
{
    return (double)(next_word(state) >> 11) * UNIT_OF_DOUBLES;
}

/* Begin with the first word of a draw. */
static void
begin_words(Words *self, npy_uint64 key, npy_uint64 number)
{
    self->key[0] = key;
    self->key[1] = number;
    self->block = 0;
    self->place = WORDS_OF_BLOCK;
    self->has_half = 0;
}

static PyTypeObject Words_Type;

/* Words(lock): a bit generator with that lock. */
static PyObject *
words_new(PyTypeObject *type, PyObject *args, PyObject *Py_UNUSED(keywords))
{
    PyObject *lock;
    if (!PyArg_ParseTuple(args, "O", &lock)) {
        return NULL;
    }
    Words *self = (Words *)type->tp_alloc(type, 0);
    if (self == NULL) {
        return NULL;
    }
    self->calls = (bitgen_t){self, next_word, next_half, next_double, next_word};
    self->lock = Py_NewRef(lock);
    begin_words(self, 0, 0);
    if ((self->capsule = PyCapsule_New(&self->calls, "BitGenerator", NULL)) == NULL) {
        Py_DECREF((PyObject *)self);
        return NULL;
    }
    return (PyObject *)self;
}

static void
words_dealloc(Words *self)
{
    Py_XDECREF(self->capsule);
    Py_XDECREF(self->lock);
    Py_TYPE(self)->tp_free((PyObject *)self);
}

/* begin(key, number): the next word is the first one of that draw. */
static PyObject *
words_begin(Words *self, PyObject *args)
{
    unsigned long long key, number;
    if (!PyArg_ParseTuple(args, "KK", &key, &number)) {
        return NULL;
    }
    begin_words(self, key, number);
    Py_RETURN_NONE;
}

static PyMethodDef words_methods[] = {
    {"begin", (PyCFunction)words_begin, METH_VARARGS, "Begin with the first word of a draw, by key and number."},
    {NULL},
};

static PyMemberDef words_members[] = {
    {"capsule", T_OBJECT, offsetof(Words, capsule), READONLY, "The functions that give words."},
    {"lock", T_OBJECT, offsetof(Words, lock), READONLY, "Held while words are drawn."},
    {NULL},
};

static PyTypeObject Words_Type = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "lazyarr.arrays._compiled.Words",
    .tp_basicsize = sizeof(Words),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = words_new,
    .tp_dealloc = (destructor)words_dealloc,
    .tp_methods = words_methods,
    .tp_members = words_members,
};

/* What this thread's words are in, with NumPy's functions of them by their names; NULL until `install_source`. */
static PyObject *source_of_words;
static PyObject *str_words;

/* Return the words of this thread and NumPy's functions of them, by their names, borrowed; NULL with an error. A later
   thread in the place of one that has ended goes on with its words. */
static PyObject *
functions_of_thread(void)
{
    static PyThreadState *known_thread;
    static PyObject *known_functions;
    PyThreadState *thread = PyThreadState_Get();
    if (thread != known_thread || known_functions == NULL) {
        PyObject *functions = PyObject_GetAttrString(source_of_words, "__dict__");
        if (functions == NULL || !PyDict_CheckExact(functions)) {
            Py_XDECREF(functions);
            return NULL;
        }
        known_thread = thread;
        Py_XSETREF(known_functions, functions);
    }
    return known_functions;
}

/* Put the arguments of a draw in their places, with memory in the place of arrays; return whether the draw is of few
   numbers, and all its parameters are known. */
static int
parameters_of_draw(Call *call, PyObject *const *args, Py_ssize_t count, PyObject *names, Py_ssize_t most, PyObject **values)
{
    Py_ssize_t total = count + (names == NULL ? 0 : PyTuple_GET_SIZE(names)), past = 0, largest = 1;
    Draw draw = {.size = 1};
    for (Py_ssize_t i = 1; i < total; i++) {
        PyObject *x = args[i];
        if (i < count ? i - 1 == call->fits : is_named(PyTuple_GET_ITEM(names, i - count), "size")) {
            values[i] = set_shape(&draw, x, most) ? Py_NewRef(x) : NULL;
        }
        else if (PyFloat_CheckExact(x) || PyLong_CheckExact(x)) {
            values[i] = Py_NewRef(x);
        }
        else if (is_array(x) || PyArray_CheckExact(x)) {
            values[i] = operand(x, most, &past);
            Py_ssize_t size = values[i] != NULL && PyArray_CheckExact(values[i])
                ? PyArray_SIZE((PyArrayObject *)values[i]) : 1;
            largest = Py_MAX(largest, size);
        }
        else if (is_short_list(x)) {
            values[i] = Py_NewRef(x);
            largest = Py_MAX(largest, PySequence_Fast_GET_SIZE(x));
        }
        if (values[i] == NULL) {
            return 0;
        }
    }
    return draw.size <= most / largest;
}

/* Return the draw of NumPy's function of known parameters: of the next number, which is taken unless another thread
   took it meanwhile. NULL without an error: NumPy refuses the parameters. */
static PyObject *
drawn_by_numpy(PyObject *function, Words *words, Numbers *numbers, PyObject *const *values, Py_ssize_t count,
               PyObject *names)
{
    PyObject *value = NULL;
    npy_uint64 number;
    do {
        Py_XDECREF(value);
        number = numbers->next;
        begin_words(words, numbers->key, number);
        value = PyObject_Vectorcall(function, values, (size_t)count, names);
    } while (value != NULL && numbers->next != number);
    if (value != NULL) {
        numbers->next++;
    }
    else if (PyErr_ExceptionMatches(PyExc_TypeError) || PyErr_ExceptionMatches(PyExc_ValueError)) {
        PyErr_Clear();
    }
    return value;
}

/* Return the next draw of a generator; NULL without an error: Python has to see to it. */
static PyObject *
host_draw(Call *call, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    Py_ssize_t total = count + (names == NULL ? 0 : PyTuple_GET_SIZE(names));
    Py_ssize_t most = count < 1 || total > MOST_ARGUMENTS || source_of_words == NULL ? 0 : limit_now();
    PyObject *values[MOST_ARGUMENTS] = {NULL}, *functions = NULL, *result = NULL;
    most = Py_MIN(most, drawing.most);
    Numbers *numbers = most <= 0 || !parameters_of_draw(call, args, count, names, most, values) ? NULL
        : numbers_of(args[0]);
    if (numbers != NULL && (functions = functions_of_thread()) != NULL) {
        PyObject *words = Py_XNewRef(PyDict_GetItemWithError(functions, str_words));
        PyObject *function = words == NULL ? NULL : Py_XNewRef(PyDict_GetItemWithError(functions, call->name));
        if (function != NULL && Py_TYPE(words) == &Words_Type) {
            result = drawn_by_numpy(function, (Words *)words, numbers, values + 1, count - 1, names);
        }
        Py_XDECREF(function);
        Py_XDECREF(words);
    }
    if (result != NULL) {
        result = array_of_draw(call, result);
    }
    for (Py_ssize_t i = 1; i < total && i < MOST_ARGUMENTS; i++) {
        Py_XDECREF(values[i]);
    }
    Py_XDECREF((PyObject *)numbers);
    return result;
}

static PyObject *
host_draw_vectorcall(PyObject *self, PyObject *const *args, size_t flags, PyObject *names)
{
    Call *call = (Call *)self;
    PyObject *result = host_draw(call, args, PyVectorcall_NARGS(flags), names);
    return result != NULL || PyErr_Occurred()
        ? result : PyObject_Vectorcall(call->slow, args, (size_t)PyVectorcall_NARGS(flags), names);
}

/* install_source(local): enter what has the words of this thread, and NumPy's functions by their names. */
static PyObject *
install_source(PyObject *Py_UNUSED(module), PyObject *local)
{
    if (str_words == NULL && (str_words = PyUnicode_InternFromString("words")) == NULL) {
        return NULL;
    }
    Py_XSETREF(source_of_words, Py_NewRef(local));
    Py_RETURN_NONE;
}
