/* Evaluations of expressions whose plan is known, without a frame of Python's.

   An expression is written down as words: the operation, dtype, lengths and attribute of each node,
   and which nodes are its operands; of leaves their strides; of constants that are parameters their
   dtype. Equal words have one plan. What words point to is kept with the plan, so that pointers stay
   what they are. A plan is entered when its words come a second time. Whatever is unusual returns an
   integer, and Python's form (compiler/pipeline.py) evaluates: that is the reference. */

#include "node.h"
#include <structmember.h>

#define NPY_NO_DEPRECATED_API NPY_2_0_API_VERSION
#include <numpy/arrayobject.h>

#include "pool_jobs.h"

#ifndef LAZYARR_SOURCE
#define LAZYARR_SOURCE "unknown"
#endif

#define MOST_NODES 256
#define MOST_KEY 4096 /* words */
#define MOST_LEAVES 64
#define MOST_RESULTS 16
#define MOST_BASES 128
#define MOST_WORDS 160 /* of a kernel's arguments */
#define MOST_STATUS 32
#define MOST_AXES 32
#define ALIGNMENT 64
#define FAILED (1 << 15) /* see calling_convention.py */

static struct {
    NodeFunctions *nodes;
    PyObject *leaf, *constant;         /* operations */
    PyObject *allowed;                 /* kinds of operations that have operands */
    PyObject *view, *generate;         /* kinds */
    PyObject *elsewhere;               /* types of leaves that are not in the host's memory */
    PyObject *is_special;              /* whether a constant stays in the code */
    PyObject *computed;                /* the memo of what was evaluated */
    PyObject *allocate;                /* (nbytes, shape, dtype) -> array */
    PyObject *allocate_block;          /* nbytes -> memory with an address */
    PyObject *pool;                    /* () -> the threads' pool, or None */
    PyObject *launch;                  /* a launch in Python's form */
    PyObject *clock;                   /* () -> seconds */
    PyObject *ran;                     /* (roots, sequence, began): counts the time of a run */
    PyObject *report;                  /* (roots, sequence, bytes) -> warnings and errors */
} state;

static PyObject *str_kind, *str_strides, *str_address, *str_code, *str_meter;
static PyObject *str_by_address, *attributes;
static unsigned int walks;

/* Kinds of operations, which stay as they are. */

#define OPERATIONS 512
enum { UNKNOWN, REFUSED, COMPUTES, VIEWS };
static struct {
    PyObject *op;
    int kind;
} operations[OPERATIONS];

static int
kind_of(PyObject *op, int has_operands)
{
    size_t at = (((size_t)op >> 4) ^ ((size_t)op >> 13)) % OPERATIONS;
    if (operations[at].op == op) {
        return operations[at].kind;
    }
    PyObject *kind = PyObject_GetAttr(op, str_kind);
    int allowed = kind == NULL ? -1 : PySet_Contains(state.allowed, kind);
    if (allowed < 0) {
        Py_XDECREF(kind);
        PyErr_Clear();
        return REFUSED;
    }
    int result = !allowed || (!has_operands && kind != state.generate) ? REFUSED
        : kind == state.view ? VIEWS : COMPUTES;
    Py_DECREF(kind);
    Py_XSETREF(operations[at].op, Py_NewRef(op));
    operations[at].kind = result;
    return result;
}

/* One walk over an expression. */

typedef struct {
    size_t key[MOST_KEY];
    Py_ssize_t words;
    Node *order[MOST_NODES];
    Py_ssize_t nodes;
    Node *leaves[MOST_LEAVES];
    npy_uintp address[MOST_LEAVES];
    Py_ssize_t leaf_count;
    Node *scalars[MOST_LEAVES];
    Py_ssize_t scalar_count;
    PyObject *attributes[MOST_NODES]; /* borrowed, of the table */
    unsigned int number;
    size_t hash;
} Walk;

static inline int
add(Walk *walk, size_t word)
{
    if (walk->words >= MOST_KEY) {
        return -1;
    }
    walk->key[walk->words++] = word;
    return 0;
}

static inline int
add_integers(Walk *walk, PyObject *tuple)
{
    if (!PyTuple_CheckExact(tuple)) {
        return -1;
    }
    for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(tuple); k++) {
        PyObject *item = PyTuple_GET_ITEM(tuple, k);
        if (!PyLong_CheckExact(item) || add(walk, (size_t)PyLong_AsSsize_t(item)) < 0) {
            return -1;
        }
    }
    return 0;
}

/* Attributes that are kept at most; beyond that all are forgotten, and plans are entered again. */
#define MOST_ATTRIBUTES 8192

/* Return the object that stands for all that equal an attribute, borrowed; NULL: there is none. */
static PyObject *
canonical(PyObject *attr)
{
    PyObject *known = PyDict_GetItemWithError(attributes, attr);
    if (known != NULL || PyErr_Occurred()) {
        PyErr_Clear();
        return known;
    }
    if (PyDict_SetItem(attributes, attr, attr) < 0) {
        PyErr_Clear();
        return NULL;
    }
    return attr;
}

static int
add_leaf(Walk *walk, Node *node)
{
    if (node->attr == NULL || walk->leaf_count >= MOST_LEAVES
        || PySequence_Contains(state.elsewhere, (PyObject *)Py_TYPE(node->attr)) != 0
        || add(walk, 1) < 0 || add(walk, (size_t)node->dtype) < 0
        || add(walk, (size_t)PyTuple_GET_SIZE(node->shape)) < 0
        || add_integers(walk, node->shape) < 0) {
        return -1;
    }
    PyObject *strides = PyObject_GetAttr(node->attr, str_strides);
    PyObject *address = strides == NULL ? NULL : PyObject_GetAttr(node->attr, str_address);
    int failed = address == NULL || !PyLong_CheckExact(address)
        || add_integers(walk, strides) < 0;
    if (!failed) {
        walk->address[walk->leaf_count] = (npy_uintp)PyLong_AsUnsignedLongLongMask(address);
        walk->leaves[walk->leaf_count++] = (Node *)Py_NewRef(node);
    }
    Py_XDECREF(strides);
    Py_XDECREF(address);
    return failed ? -1 : 0;
}

static int
add_constant(Walk *walk, Node *node)
{
    if (!node->special) {
        PyObject *special = PyObject_CallOneArg(state.is_special, (PyObject *)node);
        if (special == NULL) {
            return -1;
        }
        node->special = special == Py_True ? 2 : 1;
        Py_DECREF(special);
    }
    if (node->special == 2) {
        return add(walk, 3) < 0 || add(walk, (size_t)node) < 0 ? -1 : 0;
    }
    if (walk->scalar_count >= MOST_LEAVES || node->attr == NULL || !PyBytes_CheckExact(node->attr)
        || add(walk, 2) < 0 || add(walk, (size_t)node->dtype) < 0) {
        return -1;
    }
    walk->scalars[walk->scalar_count++] = node;
    return 0;
}

static int
add_node(Walk *walk, Node *node, int fresh)
{
    Py_ssize_t count = PyTuple_GET_SIZE(node->src);
    if (!count && node->op == state.leaf) {
        return add_leaf(walk, node);
    }
    if (!count && node->op == state.constant) {
        return add_constant(walk, node);
    }
    int kind = kind_of(node->op, count > 0);
    if (kind == REFUSED) {
        return -1;
    }
    if (count && fresh && node->memo != NULL
        && (kind != VIEWS || PyTuple_GET_SIZE(((Node *)PyTuple_GET_ITEM(node->src, 0))->src))) {
        return -1; /* it was computed before: Python's form sees to what is stored */
    }
    PyObject *attr = node->attr == NULL ? NULL : canonical(node->attr);
    if ((attr == NULL && node->attr != NULL) || add(walk, (size_t)node->op) < 0
        || add(walk, (size_t)node->dtype) < 0 || add(walk, (size_t)attr) < 0
        || add(walk, (size_t)PyTuple_GET_SIZE(node->shape) << 32 | (size_t)count) < 0
        || add_integers(walk, node->shape) < 0) {
        return -1;
    }
    for (Py_ssize_t k = 0; k < count; k++) {
        Node *source = (Node *)PyTuple_GET_ITEM(node->src, k);
        source = source->stored != NULL ? (Node *)source->stored : source;
        /* Another thread may have come by where the hash of an attribute was Python's. */
        if (source->walk != walk->number || add(walk, source->place) < 0) {
            return -1;
        }
    }
    walk->attributes[walk->nodes] = attr;
    return 0;
}

/* Write an expression down. `fresh`: nothing of it may have been evaluated before. */
static int
take_walk(Walk *walk, PyObject *roots, int fresh)
{
    Node *stack[2 * MOST_NODES];
    Py_ssize_t depth = 0, count = PyTuple_GET_SIZE(roots);
    walks += walks + 1 == 0 ? 2 : 1; /* nodes begin with 0 */
    unsigned int own = walk->number = walks;
    if (PyDict_GET_SIZE(attributes) > MOST_ATTRIBUTES) {
        PyDict_Clear(attributes);
    }
    walk->words = walk->nodes = walk->leaf_count = walk->scalar_count = 0;
    if (count > MOST_RESULTS) {
        return -1;
    }
    for (Py_ssize_t k = count - 1; k >= 0; k--) {
        Node *root = (Node *)PyTuple_GET_ITEM(roots, k);
        if (Py_TYPE(root) != state.nodes->type || root->stored != NULL
            || !PyTuple_GET_SIZE(root->src) || (fresh && root->memo != NULL)) {
            return -1;
        }
        stack[depth++] = root;
    }
    while (depth) {
        Node *node = stack[depth - 1];
        if (node->stored != NULL) {
            node = stack[depth - 1] = (Node *)node->stored;
        }
        if (node->walk == own) {
            depth--;
            continue;
        }
        Py_ssize_t operands = PyTuple_GET_SIZE(node->src), before = depth;
        if (depth + operands >= 2 * MOST_NODES) {
            return -1;
        }
        for (Py_ssize_t k = operands - 1; k >= 0; k--) {
            Node *source = (Node *)PyTuple_GET_ITEM(node->src, k);
            source = source->stored != NULL ? (Node *)source->stored : source;
            if (source->walk != own) {
                stack[depth++] = source;
            }
        }
        if (depth > before) {
            continue;
        }
        depth--;
        if (walk->nodes >= MOST_NODES) {
            return -1;
        }
        walk->attributes[walk->nodes] = NULL;
        if (add_node(walk, node, fresh) < 0) {
            return -1;
        }
        node->walk = own;
        node->place = (unsigned int)walk->nodes;
        walk->order[walk->nodes++] = node;
    }
    for (Py_ssize_t k = 0; k < count; k++) {
        Node *root = (Node *)PyTuple_GET_ITEM(roots, k);
        if (root->walk != own || add(walk, root->place) < 0) {
            return -1;
        }
    }
    const size_t golden = SIZE_MAX / 1618 * 1000 | 1; /* its products spread bits */
    size_t hash = (size_t)count;
    for (Py_ssize_t k = 0; k < walk->words; k++) {
        hash = (hash ^ walk->key[k]) * golden;
        hash ^= hash >> 29;
    }
    walk->hash = hash;
    return 0;
}

static void
end_walk(Walk *walk)
{
    for (Py_ssize_t k = 0; k < walk->leaf_count; k++) {
        Py_DECREF(walk->leaves[k]);
    }
}

/* Plans. */

enum { LEAF_BASE, RESULT_BASE, MEMORY_BASE, STATUS_BASE, BASES };

typedef struct {
    int kind;
    Py_ssize_t number; /* of a leaf or a result */
    npy_intp offset;
} Base;

typedef struct {
    Py_ssize_t word, base;
    npy_intp offset;
} Place;

typedef struct {
    Py_ssize_t word, scalar, begin, size; /* bytes of a constant */
} Scalar;

typedef npy_int32 (*Entry)(npy_int64, npy_int64, const void *);

typedef struct {
    PyObject *function, *scratch; /* for a launch of Python's */
    Entry entry;
    npy_int64 count, chunk, threads;
    npy_uint64 block[MOST_WORDS];
    Py_ssize_t words, places, scalars, descriptor_bytes;
    Place *place;
    Scalar *scalar;
    char *descriptor;
} Step;

typedef struct {
    PyObject_HEAD
    size_t hash;
    Py_ssize_t words;
    size_t *key;
    PyObject *kept;     /* what the key points to */
    PyObject *settings, *generation, *rows, *plan, *executor, *sequence, *code;
    PyObject *shapes;   /* (shape, dtype, nbytes) of the results */
    Pool pool;
    Py_ssize_t helpers; /* workers that the launches take */
    Py_ssize_t results, bases, steps, memory_bytes, status_words;
    Base *base;
    Step *step;
} Plan;

static int
plan_traverse(Plan *self, visitproc visit, void *arg)
{
    PyObject *fields[] = {self->kept, self->settings, self->generation, self->rows, self->plan,
                          self->executor, self->sequence, self->code, self->shapes,
                          self->pool.object, self->pool.numbers, self->pool.abandon};
    for (size_t k = 0; k < Py_ARRAY_LENGTH(fields); k++) {
        Py_VISIT(fields[k]);
    }
    return 0;
}

static void
plan_dealloc(Plan *self)
{
    PyObject_GC_UnTrack(self);
    PyObject *fields[] = {self->kept, self->settings, self->generation, self->rows, self->plan,
                          self->executor, self->sequence, self->code, self->shapes,
                          self->pool.object, self->pool.numbers, self->pool.abandon};
    for (size_t k = 0; k < Py_ARRAY_LENGTH(fields); k++) {
        Py_XDECREF(fields[k]);
    }
    for (Py_ssize_t k = 0; k < self->steps && self->step != NULL; k++) {
        Py_XDECREF(self->step[k].function);
        Py_XDECREF(self->step[k].scratch);
        PyMem_Free(self->step[k].place);
        PyMem_Free(self->step[k].scalar);
        PyMem_Free(self->step[k].descriptor);
    }
    PyMem_Free(self->key);
    PyMem_Free(self->base);
    PyMem_Free(self->step);
    Py_TYPE(self)->tp_free((PyObject *)self);
}

static PyTypeObject Plan_Type = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "lazyarr.execution.cpu._known_plans.Plan",
    .tp_basicsize = sizeof(Plan),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_dealloc = (destructor)plan_dealloc,
    .tp_traverse = (traverseproc)plan_traverse,
};

/* The table: a place for each hash, and hashes that came once. */

#define PLANS 2048
#define SEEN 4096
static Plan *plans[PLANS];
static size_t seen[SEEN];

static inline Plan **
place_in_table(size_t hash)
{
    return &plans[(hash ^ (hash >> 32)) % PLANS];
}

static inline int
is_known(const Plan *plan, const Walk *walk)
{
    return plan != NULL && plan->hash == walk->hash && plan->words == walk->words
        && memcmp(plan->key, walk->key, walk->words * sizeof(size_t)) == 0;
}

/* Return whether an attribute of an object is another. */
static int
attribute_is(PyObject *object, PyObject *name, PyObject *value)
{
    PyObject *now = PyObject_GetAttr(object, name);
    Py_XDECREF(now);
    return now == NULL ? -1 : now == value;
}

/* Return whether a plan is still what runs. */
static int
is_current(Plan *plan)
{
    int same = attribute_is(plan->executor, str_by_address, plan->sequence);
    return same > 0 ? attribute_is(plan->sequence, str_code, plan->code) : same;
}

/* Return the time in seconds if a plan's is counted, 0 if not; -1: an error. */
static double
started(Plan *plan)
{
    int is_free = attribute_is(plan->sequence, str_meter, Py_None);
    if (is_free) {
        return is_free < 0 ? -1 : 0;
    }
    PyObject *now = PyObject_CallNoArgs(state.clock);
    double seconds = now == NULL ? -1 : PyFloat_AsDouble(now);
    Py_XDECREF(now);
    return seconds;
}

static PyArrayObject *
new_result(PyObject *row)
{
    PyObject *shape = PyTuple_GET_ITEM(row, 0), *dtype = PyTuple_GET_ITEM(row, 1);
    PyObject *pooled = PyTuple_GET_ITEM(row, 2);
    if (pooled != Py_None) {
        PyObject *array = PyObject_CallFunctionObjArgs(state.allocate, pooled, shape, dtype, NULL);
        if (array != NULL && !PyArray_CheckExact(array)) {
            PyErr_SetString(PyExc_TypeError, "no array was allocated");
            Py_CLEAR(array);
        }
        return (PyArrayObject *)array;
    }
    npy_intp dims[MOST_AXES];
    int ndim = (int)PyTuple_GET_SIZE(shape);
    for (int axis = 0; axis < ndim; axis++) {
        dims[axis] = PyLong_AsSsize_t(PyTuple_GET_ITEM(shape, axis));
    }
    return (PyArrayObject *)PyArray_NewFromDescr(
        &PyArray_Type, (PyArray_Descr *)Py_NewRef(dtype), ndim, dims, NULL, NULL, 0, NULL);
}

/* Launch a step in Python's form. */
static npy_int64
launch_slowly(const Step *step, const npy_uint64 *block)
{
    PyObject *result = PyObject_CallFunction(
        state.launch, "Oy#LLLO", step->function, (const char *)block, 8 * step->words,
        (long long)step->count, (long long)step->threads, (long long)step->chunk, step->scratch);
    npy_int64 bits = result == NULL ? -1 : PyLong_AsLongLong(result);
    Py_XDECREF(result);
    return bits;
}

/* Run the kernels; return the bits that they returned, -1 for an error. */
static npy_int64
run_steps(Plan *plan, const Walk *walk, PyArrayObject **results, char *memory,
          npy_uint64 *status, int pooled)
{
    npy_uintp bases[MOST_BASES];
    npy_uint64 block[MOST_WORDS];
    npy_int64 bits = 0;
    for (Py_ssize_t k = 0; k < plan->bases; k++) {
        const Base *base = &plan->base[k];
        switch (base->kind) {
        case LEAF_BASE: bases[k] = walk->address[base->number]; break;
        case RESULT_BASE: bases[k] = (npy_uintp)PyArray_DATA(results[base->number]); break;
        case MEMORY_BASE: bases[k] = (npy_uintp)memory; break;
        default: bases[k] = (npy_uintp)status;
        }
        bases[k] += (npy_uintp)base->offset;
    }
    for (Py_ssize_t k = 0; k < plan->steps; k++) {
        const Step *step = &plan->step[k];
        memcpy(block, step->block, 8 * step->words);
        for (Py_ssize_t i = 0; i < step->places; i++) {
            const Place *place = &step->place[i];
            block[place->word] = bases[place->base] + (npy_uintp)place->offset;
        }
        for (Py_ssize_t i = 0; i < step->scalars; i++) {
            const Scalar *scalar = &step->scalar[i];
            const char *value = PyBytes_AS_STRING(walk->scalars[scalar->scalar]->attr);
            memcpy(&block[scalar->word], value + scalar->begin, scalar->size);
        }
        npy_int64 own;
        if (step->count <= step->chunk) {
            Py_BEGIN_ALLOW_THREADS
            own = step->entry(0, step->count, block);
            Py_END_ALLOW_THREADS
        }
        else {
            own = pooled ? run_job(&plan->pool, step->descriptor, block)
                         : launch_slowly(step, block);
        }
        if (own == -1 && PyErr_Occurred()) {
            return -1;
        }
        bits |= own;
    }
    return bits;
}

static PyObject *
run_plan(Plan *plan, Walk *walk, PyObject *roots)
{
    PyArrayObject *results[MOST_RESULTS] = {NULL};
    npy_uint64 status[MOST_STATUS] = {0};
    PyObject *answer = NULL, *block = NULL;
    char *memory = NULL, *raw = NULL;
    int pooled = plan->helpers ? has_workers(&plan->pool, state.pool, plan->helpers) : 0;
    double began = pooled < 0 ? -1 : started(plan);
    if (began < 0) {
        return NULL;
    }
    for (Py_ssize_t k = 0; k < plan->results; k++) {
        if ((results[k] = new_result(PyTuple_GET_ITEM(plan->shapes, k))) == NULL) {
            goto done;
        }
    }
    if (plan->memory_bytes > (1 << 16)) {
        PyObject *size = PyLong_FromSsize_t(plan->memory_bytes);
        block = size == NULL ? NULL : PyObject_CallOneArg(state.allocate_block, size);
        PyObject *address = block == NULL ? NULL : PyObject_GetAttr(block, str_address);
        Py_XDECREF(size);
        if (address == NULL) {
            goto done;
        }
        memory = (char *)(npy_uintp)PyLong_AsUnsignedLongLongMask(address);
        Py_DECREF(address);
    }
    else if (plan->memory_bytes) {
        if ((raw = PyMem_RawMalloc(plan->memory_bytes + ALIGNMENT)) == NULL) {
            PyErr_NoMemory();
            goto done;
        }
        memory = raw + (-(npy_uintp)raw & (ALIGNMENT - 1));
    }
    npy_int64 bits = run_steps(plan, walk, results, memory, status, pooled);
    if (bits < 0) {
        goto done;
    }
    if (bits & FAILED) {
        PyErr_SetString(PyExc_RuntimeError, "a kernel returned a status");
        goto done;
    }
    npy_uint64 any = 0;
    for (Py_ssize_t k = 0; k < plan->status_words; k++) {
        any |= status[k];
    }
    if (any) {
        PyObject *none = PyObject_CallFunction(state.report, "OOy#", roots, plan->sequence,
                                               (char *)status, 8 * plan->status_words);
        Py_XDECREF(none);
        if (none == NULL) {
            goto done;
        }
    }
    if (began > 0) {
        PyObject *none = PyObject_CallFunction(state.ran, "OOd", roots, plan->sequence, began);
        Py_XDECREF(none);
        if (none == NULL) {
            goto done;
        }
    }
    PyObject *list = PyList_New(plan->results);
    for (Py_ssize_t k = 0; list != NULL && k < plan->results; k++) {
        PyList_SET_ITEM(list, k, Py_NewRef(results[k]));
    }
    answer = list == NULL ? NULL : PyTuple_Pack(2, plan->plan, list);
    Py_XDECREF(list);
done:
    PyMem_RawFree(raw);
    Py_XDECREF(block);
    for (Py_ssize_t k = 0; k < plan->results; k++) {
        Py_XDECREF(results[k]);
    }
    return answer;
}

/* evaluate(roots, settings, generation, rows): the plan and the results; 0: the expression is none
   of those that are known; 1: it is not, but came before. */
static PyObject *
evaluate(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t count)
{
    if (count != 4 || !PyTuple_CheckExact(args[0]) || state.nodes == NULL) {
        PyErr_SetString(PyExc_TypeError, "takes roots, settings, generation and rows");
        return NULL;
    }
    Walk walk;
    PyObject *answer = NULL;
    if (take_walk(&walk, args[0], 1) < 0) {
        end_walk(&walk);
        return PyErr_Occurred() ? NULL : PyLong_FromLong(0);
    }
    Plan **place = place_in_table(walk.hash), *plan = *place;
    int known = is_known(plan, &walk) && plan->settings == args[1] && plan->generation == args[2]
        && plan->rows == args[3];
    if (known) {
        Py_INCREF(plan);
        known = is_current(plan);
        if (known > 0) {
            for (Py_ssize_t k = 0; k < walk.nodes; k++) {
                Node *node = walk.order[k];
                if (PyTuple_GET_SIZE(node->src) && node->memo == NULL
                    && (PyTuple_GET_SIZE(((Node *)PyTuple_GET_ITEM(node->src, 0))->src)
                        || kind_of(node->op, 1) != VIEWS)) {
                    node->memo = Py_NewRef(state.computed);
                }
            }
            for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(args[0]); k++) {
                Node *root = (Node *)PyTuple_GET_ITEM(args[0], k);
                if (root->memo == NULL) {
                    root->memo = Py_NewRef(state.computed);
                }
            }
            answer = run_plan(plan, &walk, args[0]);
        }
        Py_DECREF(plan);
    }
    end_walk(&walk);
    if (known) {
        return known < 0 ? NULL : answer;
    }
    size_t *before = &seen[(walk.hash >> 7) % SEEN];
    int came = *before == walk.hash;
    *before = walk.hash;
    return PyLong_FromLong(came);
}

/* Building a plan. */

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
refuse(void)
{
    PyErr_SetString(PyExc_ValueError, "more than a known plan has");
    return -1;
}

static int
number_of(Node *const *nodes, Py_ssize_t count, PyObject *node)
{
    for (Py_ssize_t k = 0; k < count; k++) {
        if ((PyObject *)nodes[k] == node) {
            return (int)k;
        }
    }
    PyErr_SetString(PyExc_ValueError, "no node of the expression");
    return -1;
}

static int
read_bases(Plan *plan, const Walk *walk, PyObject *rows)
{
    Py_ssize_t count = PyTuple_GET_SIZE(rows);
    if (count > MOST_BASES) {
        return refuse();
    }
    if ((plan->base = zeroed(count, sizeof(Base))) == NULL) {
        return -1;
    }
    plan->bases = count;
    for (Py_ssize_t k = 0; k < count; k++) {
        Base *base = &plan->base[k];
        PyObject *owner;
        if (!PyArg_ParseTuple(PyTuple_GET_ITEM(rows, k), "iOn", &base->kind, &owner,
                              &base->offset)) {
            return -1;
        }
        if (base->kind < 0 || base->kind >= BASES) {
            return refuse();
        }
        if (base->kind == LEAF_BASE) {
            int number = number_of(walk->leaves, walk->leaf_count, owner);
            if (number < 0) {
                return -1;
            }
            base->number = number;
        }
        else if (base->kind == RESULT_BASE) {
            base->number = PyLong_AsSsize_t(owner);
            if (base->number < 0 || base->number >= plan->results) {
                return refuse();
            }
        }
    }
    return 0;
}

static int
read_step(Plan *plan, const Walk *walk, Step *step, PyObject *row)
{
    unsigned long long address;
    const char *block, *descriptor;
    Py_ssize_t nbytes, descriptor_bytes;
    PyObject *function, *scratch, *places, *scalars;
    if (!PyArg_ParseTuple(row, "OKLLLy#OO!O!y#", &function, &address, &step->count, &step->chunk,
                          &step->threads, &block, &nbytes, &scratch, &PyTuple_Type, &places,
                          &PyTuple_Type, &scalars, &descriptor, &descriptor_bytes)) {
        return -1;
    }
    if (nbytes % 8 || nbytes > 8 * MOST_WORDS) {
        return refuse();
    }
    step->function = Py_NewRef(function);
    step->scratch = Py_NewRef(scratch);
    step->entry = (Entry)(npy_uintp)address;
    step->words = nbytes / 8;
    memcpy(step->block, block, nbytes);
    step->place = zeroed(PyTuple_GET_SIZE(places), sizeof(Place));
    step->scalar = zeroed(PyTuple_GET_SIZE(scalars), sizeof(Scalar));
    step->descriptor = zeroed(descriptor_bytes, 1);
    if (step->place == NULL || step->scalar == NULL || step->descriptor == NULL) {
        return -1;
    }
    memcpy(step->descriptor, descriptor, descriptor_bytes);
    step->places = PyTuple_GET_SIZE(places);
    for (Py_ssize_t k = 0; k < step->places; k++) {
        Place *place = &step->place[k];
        if (!PyArg_ParseTuple(PyTuple_GET_ITEM(places, k), "nnn", &place->word, &place->base,
                              &place->offset)) {
            return -1;
        }
        if (place->word < 0 || place->word >= step->words || place->base < 0
            || place->base >= plan->bases) {
            return refuse();
        }
    }
    for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(scalars); k++) {
        Scalar *scalar = &step->scalar[k];
        PyObject *node;
        if (!PyArg_ParseTuple(PyTuple_GET_ITEM(scalars, k), "nOnn", &scalar->word, &node,
                              &scalar->begin, &scalar->size)) {
            return -1;
        }
        int number = number_of(walk->scalars, walk->scalar_count, node);
        if (number < 0) {
            return -1;
        }
        scalar->scalar = number;
        if (scalar->word < 0 || scalar->word >= step->words || scalar->size > 8
            || scalar->begin < 0
            || scalar->begin + scalar->size > PyBytes_GET_SIZE(((Node *)node)->attr)) {
            return refuse();
        }
    }
    step->scalars = PyTuple_GET_SIZE(scalars);
    return 0;
}

/* Keep what the key of a plan points to. */
static int
keep(Plan *plan, const Walk *walk)
{
    plan->kept = PyList_New(0);
    for (Py_ssize_t k = 0; plan->kept != NULL && k < walk->nodes; k++) {
        Node *node = walk->order[k];
        PyObject *attr = walk->attributes[k];
        if (PyList_Append(plan->kept, node->op) < 0 || PyList_Append(plan->kept, node->dtype) < 0
            || (attr != NULL && PyList_Append(plan->kept, attr) < 0)
            || (node->op == state.constant && node->special == 2
                && PyList_Append(plan->kept, (PyObject *)node) < 0)) {
            return -1;
        }
    }
    return plan->kept == NULL ? -1 : 0;
}

/* enter(roots, settings, generation, rows, plan, executor, sequence, code, results, bases, steps,
   memory_bytes, status_words, helpers, entrance): let an expression be known. The entrance is that of
   the threads' pool. */
static PyObject *
enter(PyObject *Py_UNUSED(module), PyObject *args)
{
    PyObject *roots, *settings, *generation, *rows, *of, *executor, *sequence, *code, *results;
    PyObject *bases, *steps, *entrance;
    Py_ssize_t memory_bytes, status_words, helpers;
    if (!PyArg_ParseTuple(args, "O!OOOOOOOO!O!O!nnnO!", &PyTuple_Type, &roots, &settings,
                          &generation, &rows, &of, &executor, &sequence, &code, &PyTuple_Type,
                          &results, &PyTuple_Type, &bases, &PyTuple_Type, &steps, &memory_bytes,
                          &status_words, &helpers, &PyTuple_Type, &entrance)) {
        return NULL;
    }
    Walk walk;
    Plan *plan = NULL;
    if (take_walk(&walk, roots, 0) < 0) {
        end_walk(&walk);
        if (!PyErr_Occurred()) {
            PyErr_SetString(PyExc_ValueError, "the expression cannot be known");
        }
        return NULL;
    }
    plan = (Plan *)Plan_Type.tp_alloc(&Plan_Type, 0);
    if (plan == NULL || PyTuple_GET_SIZE(results) > MOST_RESULTS || status_words > MOST_STATUS) {
        if (plan != NULL) {
            refuse();
        }
        goto failed;
    }
    plan->settings = Py_NewRef(settings);
    plan->generation = Py_NewRef(generation);
    plan->rows = Py_NewRef(rows);
    plan->plan = Py_NewRef(of);
    plan->executor = Py_NewRef(executor);
    plan->sequence = Py_NewRef(sequence);
    plan->code = Py_NewRef(code);
    plan->shapes = Py_NewRef(results);
    plan->results = PyTuple_GET_SIZE(results);
    plan->memory_bytes = memory_bytes;
    plan->status_words = status_words;
    plan->helpers = helpers;
    plan->hash = walk.hash;
    plan->words = walk.words;
    if ((plan->key = zeroed(walk.words, sizeof(size_t))) == NULL
        || read_pool(&plan->pool, entrance) < 0 || keep(plan, &walk) < 0
        || read_bases(plan, &walk, bases) < 0
        || (plan->step = zeroed(PyTuple_GET_SIZE(steps), sizeof(Step))) == NULL) {
        goto failed;
    }
    memcpy(plan->key, walk.key, walk.words * sizeof(size_t));
    plan->steps = PyTuple_GET_SIZE(steps);
    for (Py_ssize_t k = 0; k < plan->steps; k++) {
        if (read_step(plan, &walk, &plan->step[k], PyTuple_GET_ITEM(steps, k)) < 0) {
            goto failed;
        }
    }
    end_walk(&walk);
    Plan **place = place_in_table(plan->hash);
    Py_XSETREF(*place, plan);
    Py_RETURN_NONE;
failed:
    end_walk(&walk);
    Py_XDECREF(plan);
    return NULL;
}

static PyObject *
clear(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(none))
{
    for (size_t k = 0; k < PLANS; k++) {
        Py_CLEAR(plans[k]);
    }
    memset(seen, 0, sizeof(seen));
    PyDict_Clear(attributes);
    Py_RETURN_NONE;
}

static const struct {
    const char *name;
    PyObject **field;
} fields[] = {
    {"leaf", &state.leaf},
    {"constant", &state.constant},
    {"allowed", &state.allowed},
    {"view", &state.view},
    {"generate", &state.generate},
    {"elsewhere", &state.elsewhere},
    {"is_special", &state.is_special},
    {"computed", &state.computed},
    {"allocate", &state.allocate},
    {"allocate_block", &state.allocate_block},
    {"pool", &state.pool},
    {"launch", &state.launch},
    {"report", &state.report},
    {"clock", &state.clock},
    {"ran", &state.ran},
};

static PyObject *
install(PyObject *Py_UNUSED(module), PyObject *args, PyObject *keywords)
{
    PyObject *functions;
    if (!PyArg_ParseTuple(args, "O", &functions)) {
        return NULL;
    }
    for (size_t k = 0; k < Py_ARRAY_LENGTH(fields); k++) {
        PyObject *value =
            keywords == NULL ? NULL : PyDict_GetItemString(keywords, fields[k].name);
        if (value == NULL) {
            return PyErr_Format(PyExc_TypeError, "%s is missing", fields[k].name);
        }
        Py_XSETREF(*fields[k].field, Py_NewRef(value));
    }
    state.nodes = PyCapsule_GetPointer(functions, NODE_FUNCTIONS);
    if (state.nodes == NULL) {
        return NULL;
    }
    Py_RETURN_NONE;
}

static PyMethodDef functions[] = {
    {"evaluate", (PyCFunction)(void (*)(void))evaluate, METH_FASTCALL,
     "Return a plan and its results; an integer if the expression is not known."},
    {"enter", enter, METH_VARARGS, "Let an expression be known."},
    {"clear", clear, METH_NOARGS, "Forget all plans."},
    {"install", (PyCFunction)(void (*)(void))install, METH_VARARGS | METH_KEYWORDS,
     "Enter what is of Python's."},
    {NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "lazyarr.execution.cpu._known_plans",
    .m_doc = "Evaluations of expressions whose plan is known.",
    .m_size = -1,
    .m_methods = functions,
};

PyMODINIT_FUNC
PyInit__known_plans(void)
{
    import_array();
    str_kind = PyUnicode_InternFromString("kind");
    str_strides = PyUnicode_InternFromString("strides");
    str_address = PyUnicode_InternFromString("address");
    str_code = PyUnicode_InternFromString("code");
    str_meter = PyUnicode_InternFromString("meter");
    str_by_address = PyUnicode_InternFromString("by_address");
    attributes = PyDict_New();
    if (str_kind == NULL || str_strides == NULL || str_address == NULL || str_code == NULL
        || str_meter == NULL || str_by_address == NULL || attributes == NULL
        || PyType_Ready(&Plan_Type) < 0) {
        return NULL;
    }
    PyObject *module = PyModule_Create(&definition);
    if (module != NULL && PyModule_AddStringConstant(module, "SOURCE", LAZYARR_SOURCE) < 0) {
        Py_CLEAR(module);
    }
    return module;
}
