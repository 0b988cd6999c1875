/* Calls of a traced function whose kernels are so short that the way to them is what they cost.

   A SmallCall is made for arrays of certain dtypes, shapes and strides. It compares those of a
   call, allocates the results, fills in addresses, and runs the kernels, long ones on the threads'
   pool. For any other call it returns None, and Python's form answers: that is the reference. */

#include "small_call.h"
#include "small_call_building.h"
#include "small_call_loops.h"
#include "small_call_runs.h"

#ifndef LAZYARR_SOURCE
#define LAZYARR_SOURCE "unknown"
#endif

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
    free_steps(self->step, self->steps);
    PyMem_Free(self->argument);
    PyMem_Free(self->result);
    PyMem_Free(self->donor);
    PyMem_Free(self->protected);
    PyMem_Free(self->loud);
    PyMem_Free(self->base);
    Py_TYPE(self)->tp_free((PyObject *)self);
}

static PyMethodDef small_methods[] = {
    {"iterate", small_iterate, METH_VARARGS, "Run iterations of a loop."},
    {"pack", small_pack, METH_VARARGS, "Run a loop; write its states and recorded values to bytes."},
    {"takes", small_takes, METH_O, "Return whether arrays are laid out as those of a call."},
    {NULL, NULL, 0, NULL},
};

static PyTypeObject SmallCall_Type = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "lazyarr.execution.cpu._small_calls.SmallCall",
    .tp_doc = "The launches of a traced function for arrays of certain layouts.",
    .tp_basicsize = sizeof(SmallCall),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_new = small_new,
    .tp_call = small_call,
    .tp_methods = small_methods,
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

/* install_state(variable, strict, usual, usual_strict, quiet): enter NumPy's error state, a function that returns the
   one in which libraries run and the bits of what is ignored there, and for the usual state these. */
static PyObject *
install_state(PyObject *Py_UNUSED(module), PyObject *args)
{
    PyObject *variable, *strict, *usual, *usual_strict;
    long long quiet;
    if (!PyArg_ParseTuple(args, "O!OOOL", &PyContextVar_Type, &variable, &strict, &usual, &usual_strict, &quiet)) {
        return NULL;
    }
    state.usual_quiet = quiet;
    Py_XSETREF(state.error_state, Py_NewRef(variable));
    Py_XSETREF(state.strict, Py_NewRef(strict));
    Py_XSETREF(state.usual, Py_NewRef(usual));
    Py_XSETREF(state.usual_strict, Py_NewRef(usual_strict));
    Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
    {"install", install, METH_VARARGS, "Enter what calls need of Python's form."},
    {"install_donation", install_donation, METH_VARARGS, "Enter what donated arrays need."},
    {"consume_all", consume_all, METH_VARARGS, "Invalidate arrays that were donated."},
    {"is_disjoint", is_disjoint, METH_O, "Return whether none of a list's values was donated."},
    {"install_state", install_state, METH_VARARGS, "Enter NumPy's error state, and strict ones."},
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
    str_owner = PyUnicode_InternFromString("owner");
    if (str_code == NULL || str_meter == NULL || str_owner == NULL) {
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
