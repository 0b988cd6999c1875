/* Calls of a traced function whose kernels are so short that the way to them is what they cost.

   A SmallCall is made for arrays of certain dtypes, shapes and strides. It compares those of a
   call, allocates the results, fills in addresses, and runs the kernels, long ones on the threads'
   pool. For any other call it returns None, and Python's form answers: that is the reference. */

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <structmember.h>

#define NPY_NO_DEPRECATED_API NPY_2_0_API_VERSION
#include <numpy/arrayobject.h>

#include "pool_jobs.h"

#ifndef LAZYARR_SOURCE
#define LAZYARR_SOURCE "unknown"
#endif

/* Where a base that addresses are relative to lies. */
enum {
    ARGUMENT, /* the memory of an argument */
    ADDRESS,  /* an address that is always the same */
    RESULT,   /* the memory of a result */
    MEMORY,   /* memory of the call, at an offset */
    STATUS,   /* the words in which kernels report */
    BASES
};

#define MOST_ARGUMENTS 32
#define MOST_RESULTS 16
#define MOST_BASES 64
#define MOST_WORDS 128
#define MOST_AXES 32
#define MOST_STATUS 32 /* words */
#define MOST_RAW (1 << 16) /* bytes of memory that the C library gives, the pool more */
#define ALIGNMENT 64
/* In what a kernel returns: see calling_convention.py. */
#define FAILED (1 << 15)

typedef struct {
    PyArray_Descr *dtype;
    int ndim;
    npy_intp dims[MOST_AXES];
    npy_intp strides[MOST_AXES];
    npy_uintp unaligned; /* bits of the address that must be 0 */
    PyObject *pooled;    /* of a result of many bytes: (bytes, shape, dtype), else NULL */
} Layout;

typedef struct {
    int kind;
    npy_uintp value;
} Base;

typedef struct {
    Py_ssize_t word;
    Py_ssize_t base;
    npy_intp offset;
} Place;

typedef npy_int32 (*Entry)(npy_int64, npy_int64, const void *);

typedef struct {
    Entry entry;
    npy_int64 count;
    Py_ssize_t words;
    npy_uint64 block[MOST_WORDS];
    Py_ssize_t places;
    Place *place;
    PyObject *descriptor; /* of a job of the pool; NULL: the calling thread runs the kernel */
} Step;

typedef struct {
    PyObject_HEAD
    Py_ssize_t arguments, results, bases, steps;
    Layout *argument, *result;
    Base *base;
    Step *step;
    Py_ssize_t memory_bytes, status_words;
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
} state;
static PyObject *str_code, *str_meter, *str_address;

static int
matches(const Layout *layout, PyObject *object)
{
    if (!PyArray_CheckExact(object)) {
        return 0;
    }
    PyArrayObject *array = (PyArrayObject *)object;
    if (PyArray_DESCR(array) != layout->dtype || PyArray_NDIM(array) != layout->ndim
        || ((npy_uintp)PyArray_DATA(array) & layout->unaligned)) {
        return 0;
    }
    const npy_intp *dims = PyArray_DIMS(array), *strides = PyArray_STRIDES(array);
    for (int axis = 0; axis < layout->ndim; axis++) {
        if (dims[axis] != layout->dims[axis] || strides[axis] != layout->strides[axis]) {
            return 0;
        }
    }
    return 1;
}

static PyArrayObject *
new_result(const Layout *layout)
{
    if (layout->pooled != NULL) {
        PyObject *array = PyObject_CallObject(state.allocate, layout->pooled);
        if (array != NULL && !PyArray_CheckExact(array)) {
            PyErr_SetString(PyExc_TypeError, "no array was allocated");
            Py_CLEAR(array);
        }
        return (PyArrayObject *)array;
    }
    Py_INCREF(layout->dtype); /* which is taken */
    return (PyArrayObject *)PyArray_NewFromDescr(&PyArray_Type, layout->dtype, layout->ndim,
                                                 layout->dims, NULL, NULL, 0, NULL);
}

/* Run the kernels; return what they returned, as bits, -1 for an error. */
static npy_int64
run(const SmallCall *self, PyObject *args, PyArrayObject **results, char *memory,
    npy_uint64 *status)
{
    npy_uintp bases[MOST_BASES];
    npy_uint64 block[MOST_WORDS];
    npy_int64 bits = 0, own;
    for (Py_ssize_t k = 0; k < self->bases; k++) {
        npy_uintp value = self->base[k].value;
        switch (self->base[k].kind) {
        case ARGUMENT:
            bases[k] = (npy_uintp)PyArray_DATA((PyArrayObject *)PyTuple_GET_ITEM(args, value));
            break;
        case RESULT: bases[k] = (npy_uintp)PyArray_DATA(results[value]); break;
        case MEMORY: bases[k] = (npy_uintp)memory + value; break;
        case STATUS: bases[k] = (npy_uintp)status; break;
        default: bases[k] = value;
        }
    }
    PyThreadState *thread = PyEval_SaveThread();
    for (Py_ssize_t k = 0; k < self->steps && bits >= 0; k++) {
        const Step *step = &self->step[k];
        memcpy(block, step->block, 8 * step->words);
        for (Py_ssize_t i = 0; i < step->places; i++) {
            const Place *place = &step->place[i];
            block[place->word] = bases[place->base] + (npy_uintp)place->offset;
        }
        if (step->descriptor == NULL) {
            bits |= step->entry(0, step->count, block);
            continue;
        }
        PyEval_RestoreThread(thread);
        own = run_job(&self->pool, PyBytes_AS_STRING(step->descriptor), block);
        thread = PyEval_SaveThread();
        bits = own < 0 ? -1 : bits | own;
    }
    PyEval_RestoreThread(thread);
    return bits;
}

/* Memory of a call, at a multiple of ALIGNMENT. */
typedef struct {
    char *start, *raw;
    PyObject *block;
} Memory;

static int
take_memory(Memory *memory, Py_ssize_t nbytes)
{
    if (nbytes >= MOST_RAW) {
        memory->block = PyObject_CallFunction(state.allocate_block, "n", nbytes);
        PyObject *address =
            memory->block == NULL ? NULL : PyObject_GetAttr(memory->block, str_address);
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

/* Return whether an attribute of the sequence is an object; -1: an error. */
static int
attribute_is(const SmallCall *self, PyObject *name, PyObject *object)
{
    PyObject *value = PyObject_GetAttr(self->sequence, name);
    int result = value == NULL ? -1 : value == object;
    Py_XDECREF(value);
    return result;
}

/* Return the seconds of the clock if the time of calls is counted, 0 if not; -1: an error. */
static double
started(const SmallCall *self)
{
    if (self->sequence == Py_None) {
        return 0;
    }
    int is_free = attribute_is(self, str_meter, Py_None);
    if (is_free) {
        return is_free < 0 ? -1 : 0;
    }
    PyObject *now = PyObject_CallNoArgs(state.clock);
    double seconds = now == NULL ? -1 : PyFloat_AsDouble(now);
    Py_XDECREF(now);
    return seconds;
}

/* Return what the call with the sequence's present code returns: None if there is none. */
static PyObject *
call_next(SmallCall *self, PyObject *args)
{
    if (self->next == NULL && (self->next = PyObject_CallNoArgs(self->renew)) == NULL) {
        return NULL;
    }
    if (self->next == Py_None) {
        Py_RETURN_NONE;
    }
    return PyObject_Call(self->next, args, NULL);
}

static PyObject *
result_of(const SmallCall *self, PyArrayObject **results)
{
    if (self->finish == Py_None) {
        Py_INCREF(results[0]);
        return (PyObject *)results[0];
    }
    PyObject *list = PyList_New(self->results);
    for (Py_ssize_t k = 0; list != NULL && k < self->results; k++) {
        Py_INCREF(results[k]);
        PyList_SET_ITEM(list, k, (PyObject *)results[k]);
    }
    PyObject *value = list == NULL ? NULL : PyObject_CallOneArg(self->finish, list);
    Py_XDECREF(list);
    return value;
}

static PyObject *
small_call(PyObject *object, PyObject *args, PyObject *keywords)
{
    SmallCall *self = (SmallCall *)object;
    if (PyTuple_GET_SIZE(args) != self->arguments
        || (keywords != NULL && PyDict_GET_SIZE(keywords))) {
        Py_RETURN_NONE;
    }
    for (Py_ssize_t k = 0; k < self->arguments; k++) {
        if (!matches(&self->argument[k], PyTuple_GET_ITEM(args, k))) {
            Py_RETURN_NONE;
        }
    }
    if (self->sequence != Py_None) {
        int is_present = attribute_is(self, str_code, self->code);
        if (is_present <= 0) {
            return is_present < 0 ? NULL : call_next(self, args);
        }
    }
    if (self->pool.object != Py_None) {
        int pooled = has_workers(&self->pool, state.pool, self->helpers);
        if (pooled <= 0) {
            if (pooled < 0) {
                return NULL;
            }
            Py_RETURN_NONE;
        }
    }
    PyArrayObject *results[MOST_RESULTS] = {NULL};
    npy_uint64 status[MOST_STATUS] = {0};
    PyObject *value = NULL;
    Memory memory = {NULL, NULL, NULL};
    double began = started(self);
    if (began < 0) {
        return NULL;
    }
    for (Py_ssize_t k = 0; k < self->results; k++) {
        if ((results[k] = new_result(&self->result[k])) == NULL) {
            goto done;
        }
    }
    if (take_memory(&memory, self->memory_bytes) < 0) {
        goto done;
    }
    npy_int64 bits = run(self, args, results, memory.start, status);
    if (bits < 0) {
        goto done;
    }
    if (bits & FAILED) {
        Py_INCREF(Py_None); /* Python's form raises the error */
        value = Py_None;
        goto done;
    }
    npy_uint64 any = 0;
    for (Py_ssize_t k = 0; k < self->status_words; k++) {
        any |= status[k];
    }
    if (any) {
        PyObject *told = PyObject_CallFunction(self->report, "Oy#", args, (char *)status,
                                               8 * self->status_words);
        if (told == NULL) {
            goto done;
        }
        Py_DECREF(told);
    }
    if (began > 0) {
        PyObject *none = PyObject_CallFunction(self->ran, "Od", args, began);
        if (none == NULL) {
            goto done;
        }
        Py_DECREF(none);
    }
    value = result_of(self, results);
done:
    PyMem_RawFree(memory.raw);
    Py_XDECREF(memory.block);
    for (Py_ssize_t k = 0; k < self->results; k++) {
        Py_XDECREF(results[k]);
    }
    return value;
}

/* Building one. */

static void *
zeroed(Py_ssize_t count, size_t each)
{
    void *memory = PyMem_Calloc(count ? count : 1, each);
    if (memory == NULL) {
        PyErr_NoMemory();
    }
    return memory;
}

static int
read_lengths(PyObject *tuple, int ndim, npy_intp *into)
{
    for (int axis = 0; axis < ndim; axis++) {
        into[axis] = PyLong_AsSsize_t(PyTuple_GET_ITEM(tuple, axis));
    }
    return PyErr_Occurred() ? -1 : 0;
}

static int
refuse(void)
{
    PyErr_SetString(PyExc_ValueError, "more than a small call has");
    return -1;
}

static int
read_layouts(PyObject *rows, Py_ssize_t most, Py_ssize_t *count, Layout **layouts)
{
    *count = PyTuple_GET_SIZE(rows);
    if (*count > most) {
        *count = 0;
        return refuse();
    }
    if ((*layouts = zeroed(*count, sizeof(Layout))) == NULL) {
        return -1;
    }
    for (Py_ssize_t k = 0; k < *count; k++) {
        Layout *layout = &(*layouts)[k];
        PyObject *shape, *strides, *pooled = NULL;
        Py_ssize_t unaligned;
        if (!PyArg_ParseTuple(PyTuple_GET_ITEM(rows, k), "O!O!O!n|O!", &PyArrayDescr_Type,
                              &layout->dtype, &PyTuple_Type, &shape, &PyTuple_Type, &strides,
                              &unaligned, &PyTuple_Type, &pooled)) {
            layout->dtype = NULL;
            return -1;
        }
        Py_INCREF(layout->dtype);
        layout->pooled = Py_XNewRef(pooled);
        layout->unaligned = (npy_uintp)unaligned;
        if (PyTuple_GET_SIZE(shape) != PyTuple_GET_SIZE(strides)
            || PyTuple_GET_SIZE(shape) > MOST_AXES) {
            return refuse();
        }
        layout->ndim = (int)PyTuple_GET_SIZE(shape);
        if (read_lengths(shape, layout->ndim, layout->dims) < 0
            || read_lengths(strides, layout->ndim, layout->strides) < 0) {
            return -1;
        }
    }
    return 0;
}

static int
read_bases(SmallCall *self, PyObject *rows)
{
    Py_ssize_t count = PyTuple_GET_SIZE(rows);
    if (count > MOST_BASES) {
        return refuse();
    }
    if ((self->base = zeroed(count, sizeof(Base))) == NULL) {
        return -1;
    }
    self->bases = count;
    for (Py_ssize_t k = 0; k < count; k++) {
        unsigned long long value;
        if (!PyArg_ParseTuple(PyTuple_GET_ITEM(rows, k), "iK", &self->base[k].kind, &value)) {
            return -1;
        }
        self->base[k].value = (npy_uintp)value;
        int kind = self->base[k].kind;
        if (kind < 0 || kind >= BASES
            || (kind == ARGUMENT && value >= (unsigned long long)self->arguments)
            || (kind == RESULT && value >= (unsigned long long)self->results)) {
            return refuse();
        }
    }
    return 0;
}

static int
read_step(SmallCall *self, Step *step, PyObject *row)
{
    unsigned long long address;
    long long count;
    const char *block;
    Py_ssize_t nbytes;
    PyObject *places, *descriptor;
    if (!PyArg_ParseTuple(row, "KLy#O!O!", &address, &count, &block, &nbytes, &PyTuple_Type,
                          &places, &PyBytes_Type, &descriptor)) {
        return -1;
    }
    if (nbytes % 8 || nbytes > 8 * MOST_WORDS) {
        return refuse();
    }
    step->entry = (Entry)(npy_uintp)address;
    step->count = count;
    step->words = nbytes / 8;
    step->descriptor = PyBytes_GET_SIZE(descriptor) ? Py_NewRef(descriptor) : NULL;
    if (step->descriptor != NULL && self->pool.object == Py_None) {
        return refuse();
    }
    memcpy(step->block, block, nbytes);
    if ((step->place = zeroed(PyTuple_GET_SIZE(places), sizeof(Place))) == NULL) {
        return -1;
    }
    step->places = PyTuple_GET_SIZE(places);
    for (Py_ssize_t i = 0; i < step->places; i++) {
        Place *place = &step->place[i];
        if (!PyArg_ParseTuple(PyTuple_GET_ITEM(places, i), "nnn", &place->word, &place->base,
                              &place->offset)) {
            return -1;
        }
        if (place->word < 0 || place->word >= step->words || place->base < 0
            || place->base >= self->bases) {
            return refuse();
        }
    }
    return 0;
}

static PyObject *
small_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    static char *names[] = {"arguments", "results", "bases", "steps", "memory_bytes",
                            "status_words", "helpers", "entrance", "sequence", "code",
                            "renew", "ran", "report", "finish", "owner", NULL};
    PyObject *arguments, *results, *bases, *steps, *entrance, *sequence, *code, *renew, *ran;
    PyObject *report, *finish, *owner;
    Py_ssize_t memory_bytes, status_words, helpers;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "O!O!O!O!nnnO!OOOOOOO", names, &PyTuple_Type,
                                     &arguments, &PyTuple_Type, &results, &PyTuple_Type, &bases,
                                     &PyTuple_Type, &steps, &memory_bytes, &status_words, &helpers,
                                     &PyTuple_Type, &entrance, &sequence, &code, &renew, &ran,
                                     &report, &finish, &owner)) {
        return NULL;
    }
    SmallCall *self = (SmallCall *)type->tp_alloc(type, 0);
    if (self == NULL) {
        return NULL;
    }
    self->sequence = Py_NewRef(sequence);
    self->code = Py_NewRef(code);
    self->renew = Py_NewRef(renew);
    self->ran = Py_NewRef(ran);
    self->helpers = helpers;
    if (read_pool(&self->pool, entrance) < 0) {
        goto failed;
    }
    self->report = Py_NewRef(report);
    self->finish = Py_NewRef(finish);
    self->owner = Py_NewRef(owner);
    self->memory_bytes = memory_bytes;
    self->status_words = status_words;
    if (memory_bytes < 0 || status_words < 0 || status_words > MOST_STATUS
        || (finish == Py_None && PyTuple_GET_SIZE(results) != 1)) {
        refuse();
        goto failed;
    }
    if (read_layouts(arguments, MOST_ARGUMENTS, &self->arguments, &self->argument) < 0
        || read_layouts(results, MOST_RESULTS, &self->results, &self->result) < 0
        || read_bases(self, bases) < 0) {
        goto failed;
    }
    Py_ssize_t count = PyTuple_GET_SIZE(steps);
    if ((self->step = zeroed(count, sizeof(Step))) == NULL) {
        goto failed;
    }
    self->steps = count;
    for (Py_ssize_t k = 0; k < count; k++) {
        if (read_step(self, &self->step[k], PyTuple_GET_ITEM(steps, k)) < 0) {
            goto failed;
        }
    }
    return (PyObject *)self;
failed:
    Py_DECREF(self);
    return NULL;
}

#define FIELDS(self)                                                                         \
    {(self)->sequence,    (self)->code,         (self)->next,   (self)->renew,  (self)->ran, \
     (self)->pool.object, (self)->pool.numbers, (self)->pool.abandon, (self)->report,        \
     (self)->finish,      (self)->owner}

static int
small_traverse(SmallCall *self, visitproc visit, void *arg)
{
    PyObject *fields[] = FIELDS(self);
    for (size_t k = 0; k < Py_ARRAY_LENGTH(fields); k++) {
        Py_VISIT(fields[k]);
    }
    return 0;
}

static int
small_clear(SmallCall *self)
{
    Py_CLEAR(self->sequence);
    Py_CLEAR(self->code);
    Py_CLEAR(self->next);
    Py_CLEAR(self->renew);
    Py_CLEAR(self->ran);
    Py_CLEAR(self->pool.object);
    Py_CLEAR(self->pool.numbers);
    Py_CLEAR(self->pool.abandon);
    Py_CLEAR(self->report);
    Py_CLEAR(self->finish);
    Py_CLEAR(self->owner);
    return 0;
}

static void
small_dealloc(SmallCall *self)
{
    PyObject_GC_UnTrack(self);
    small_clear(self);
    for (Py_ssize_t k = 0; k < self->arguments && self->argument != NULL; k++) {
        Py_XDECREF(self->argument[k].dtype);
    }
    for (Py_ssize_t k = 0; k < self->results && self->result != NULL; k++) {
        Py_XDECREF(self->result[k].dtype);
        Py_XDECREF(self->result[k].pooled);
    }
    for (Py_ssize_t k = 0; k < self->steps; k++) {
        PyMem_Free(self->step[k].place);
        Py_XDECREF(self->step[k].descriptor);
    }
    PyMem_Free(self->argument);
    PyMem_Free(self->result);
    PyMem_Free(self->base);
    PyMem_Free(self->step);
    Py_TYPE(self)->tp_free((PyObject *)self);
}

static PyTypeObject SmallCall_Type = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "lazyarr.execution.cpu._small_calls.SmallCall",
    .tp_doc = "The launches of a traced function for arrays of certain layouts.",
    .tp_basicsize = sizeof(SmallCall),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_new = small_new,
    .tp_call = small_call,
    .tp_dealloc = (destructor)small_dealloc,
    .tp_traverse = (traverseproc)small_traverse,
    .tp_clear = (inquiry)small_clear,
};

/* install(allocate, allocate_block, pool, clock): enter what calls need of Python's form. */
static PyObject *
install(PyObject *Py_UNUSED(module), PyObject *args)
{
    PyObject *allocate, *allocate_block, *pool, *clock;
    if (!PyArg_ParseTuple(args, "OOOO", &allocate, &allocate_block, &pool, &clock)) {
        return NULL;
    }
    Py_XSETREF(state.allocate, Py_NewRef(allocate));
    Py_XSETREF(state.allocate_block, Py_NewRef(allocate_block));
    Py_XSETREF(state.pool, Py_NewRef(pool));
    Py_XSETREF(state.clock, Py_NewRef(clock));
    Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
    {"install", install, METH_VARARGS, "Enter what calls need of Python's form."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "lazyarr.execution.cpu._small_calls",
    .m_doc = "Short calls of traced functions, without a frame of Python's.",
    .m_size = -1,
    .m_methods = methods,
};

PyMODINIT_FUNC
PyInit__small_calls(void)
{
    import_array();
    str_code = PyUnicode_InternFromString("code");
    str_meter = PyUnicode_InternFromString("meter");
    str_address = PyUnicode_InternFromString("address");
    if (str_code == NULL || str_meter == NULL || str_address == NULL) {
        return NULL;
    }
    if (PyType_Ready(&SmallCall_Type) < 0) {
        return NULL;
    }
    PyObject *module = PyModule_Create(&definition);
    if (module == NULL) {
        return NULL;
    }
    if (PyModule_AddObjectRef(module, "SmallCall", (PyObject *)&SmallCall_Type) < 0
        || PyModule_AddStringConstant(module, "SOURCE", LAZYARR_SOURCE) < 0) {
        Py_DECREF(module);
        return NULL;
    }
    return module;
}
