/* Plans that are known, and their table. */

#ifndef LAZYARR_PLAN_TABLE_H
#define LAZYARR_PLAN_TABLE_H

#include "known_form.h"

enum { LEAF_BASE, RESULT_BASE, MEMORY_BASE, STATUS_BASE, BASES };

typedef struct {
    int kind;
    Py_ssize_t number; /* of a leaf or a result */
    npy_intp offset;
} Base;

typedef struct {
    Py_ssize_t word, scalar, begin, size; /* bytes of a constant */
} Scalar;

typedef struct {
    PyObject *function, *scratch; /* for a launch of Python's */
    Entry entry;
    npy_int64 count, chunk, threads;
    npy_uint64 block[MOST_WORDS];
    Py_ssize_t words, places, scalars;
    Place *place;
    Scalar *scalar;
    char *descriptor;
} Step;

/* A plan without shapes of results has no launches: its executor runs it. */
typedef struct {
    PyObject_HEAD
    size_t hash;
    Py_ssize_t words;
    size_t *key;
    PyObject *references;     /* what the key points to */
    PyObject *settings, *generation, *rows, *evaluation, *executor, *sequence, *code;
    PyObject *shapes;   /* (shape, dtype, nbytes) of the results */
    Pool pool;
    Py_ssize_t stored;  /* results behind those that are asked for: */
    Py_ssize_t *place;  /* values of the nodes at these places */
    Py_ssize_t leaves, scalars; /* of an executor's bindings: */
    Py_ssize_t *leaf, *scalar;  /* which of those of the walk each is */
    Py_ssize_t helpers; /* workers that the launches take; -1: none of them enters the pool */
    Py_ssize_t results, bases, steps, memory_bytes, status_words;
    Base *base;
    Step *step;
} Plan;

static int
plan_traverse(Plan *self, visitproc visit, void *arg)
{
    PyObject *fields[] = {self->references, self->settings, self->generation, self->rows, self->evaluation,
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
    PyObject *fields[] = {self->references, self->settings, self->generation, self->rows, self->evaluation,
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
    PyMem_Free(self->place);
    PyMem_Free(self->leaf);
    PyMem_Free(self->scalar);
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

/* The table: in sets, whose members are in the order of their last use, so that forms whose hashes
   choose the same set do not drive each other out. The plans, and the hashes that came once. */

static Plan *plans[SETS][WAYS];
static size_t seen[SETS][2 * WAYS];

static inline size_t
set_of(size_t hash)
{
    return (hash ^ (hash >> 32)) % SETS;
}

static inline int
is_known(const Plan *plan, const Walk *walk, PyObject *const *context)
{
    return plan->hash == walk->hash && plan->words == walk->words
        && plan->settings == context[0] && plan->generation == context[1] && plan->rows == context[2]
        && memcmp(plan->key, walk->key, walk->words * sizeof(size_t)) == 0;
}

/* Return the plan of an expression, borrowed; NULL: there is none. The context is settings, generation
   and rows. */
static inline Plan *
find_plan(const Walk *walk, PyObject *const *context)
{
    Plan **set = plans[set_of(walk->hash)];
    for (size_t k = 0; k < WAYS && set[k] != NULL; k++) {
        Plan *plan = set[k];
        if (is_known(plan, walk, context)) {
            memmove(set + 1, set, k * sizeof(*set));
            return set[0] = plan;
        }
    }
    return NULL;
}

/* Put a plan, whose reference is taken, in place of an older one of the same expression, else of the
   one that was not used for longest. */
static inline void
put_plan(Plan *plan)
{
    Plan **set = plans[set_of(plan->hash)], *last;
    size_t k = 0;
    while (k < WAYS - 1 && set[k] != NULL
           && (set[k]->hash != plan->hash || set[k]->settings != plan->settings)) {
        k++;
    }
    last = set[k];
    memmove(set + 1, set, k * sizeof(*set));
    set[0] = plan;
    Py_XDECREF(last);
}

/* Note that an expression came, and return whether it had come before. */
static inline int
was_seen(size_t hash)
{
    size_t *set = seen[set_of(hash)], k = 0;
    while (k < Py_ARRAY_LENGTH(seen[0]) - 1 && set[k] != hash && set[k] != 0) {
        k++;
    }
    int before = set[k] == hash;
    memmove(set + 1, set, k * sizeof(*set));
    set[0] = hash;
    return before;
}

#endif
