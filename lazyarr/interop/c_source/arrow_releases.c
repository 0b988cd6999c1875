/* How structures of Arrow's C data interface are released, and capsules that hold one destroyed.

   A consumer may do either while an exception is pending, as one does that refuses what it was
   given. No function of Python's can be called then, and ctypes cannot keep the exception: here it
   is put aside. An interrupt cannot come between two steps either. */

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdint.h>

#ifndef LAZYARR_SOURCE
#define LAZYARR_SOURCE "unknown"
#endif

struct ArrowSchema {
    const char *format;
    const char *name;
    const char *metadata;
    int64_t flags;
    int64_t n_children;
    struct ArrowSchema **children;
    struct ArrowSchema *dictionary;
    void (*release)(struct ArrowSchema *);
    void *private_data;
};

struct ArrowArray {
    int64_t length;
    int64_t null_count;
    int64_t offset;
    int64_t n_buffers;
    int64_t n_children;
    const void **buffers;
    struct ArrowArray **children;
    struct ArrowArray *dictionary;
    void (*release)(struct ArrowArray *);
    void *private_data;
};

static PyObject *exports;  /* by the number in private_data, what a structure needs */
static PyObject *capsules; /* by its address, the structure of a capsule */

/* Take an entry out of a dictionary, where it is there. */
static void
drop(PyObject *entries, void *key)
{
    PyObject *number = PyLong_FromVoidPtr(key);
    if (number == NULL || PyDict_DelItem(entries, number) < 0) {
        if (PyErr_ExceptionMatches(PyExc_KeyError)) {
            PyErr_Clear();
        }
        else {
            PyErr_WriteUnraisable(NULL);
        }
    }
    Py_XDECREF(number);
}

/* On any thread; with its children, but for those that were moved elsewhere. */
#define RELEASE(name, type)                                                                        \
    static void name(struct type *structure)                                                       \
    {                                                                                              \
        if (!Py_IsInitialized()) {                                                                 \
            structure->release = NULL;                                                             \
            return;                                                                                \
        }                                                                                          \
        PyGILState_STATE before = PyGILState_Ensure();                                             \
        PyObject *kind, *value, *trace;                                                            \
        PyErr_Fetch(&kind, &value, &trace);                                                        \
        for (int64_t k = 0; k < structure->n_children; k++) {                                      \
            struct type *child = structure->children[k];                                           \
            if (child->release != NULL) {                                                          \
                child->release(child);                                                             \
            }                                                                                      \
        }                                                                                          \
        structure->release = NULL;                                                                 \
        drop(exports, structure->private_data);                                                    \
        PyErr_Restore(kind, value, trace);                                                         \
        PyGILState_Release(before);                                                                \
    }

/* Where nobody took the structure it is released. */
#define DESTROY(name, type, label)                                                                 \
    static void name(PyObject *capsule)                                                            \
    {                                                                                              \
        PyObject *kind, *value, *trace;                                                            \
        PyErr_Fetch(&kind, &value, &trace);                                                        \
        struct type *structure = PyCapsule_GetPointer(capsule, label);                             \
        if (structure == NULL) {                                                                   \
            PyErr_WriteUnraisable(NULL);                                                           \
        }                                                                                          \
        else {                                                                                     \
            if (structure->release != NULL) {                                                      \
                structure->release(structure);                                                     \
            }                                                                                      \
            drop(capsules, structure);                                                             \
        }                                                                                          \
        PyErr_Restore(kind, value, trace);                                                         \
    }

RELEASE(release_schema, ArrowSchema)
RELEASE(release_array, ArrowArray)
DESTROY(destroy_schema, ArrowSchema, "arrow_schema")
DESTROY(destroy_array, ArrowArray, "arrow_array")

static PyObject *
install(PyObject *module, PyObject *args)
{
    PyObject *needed, *structures;
    if (!PyArg_ParseTuple(args, "O!O!", &PyDict_Type, &needed, &PyDict_Type, &structures)) {
        return NULL;
    }
    Py_XSETREF(exports, Py_NewRef(needed));
    Py_XSETREF(capsules, Py_NewRef(structures));
    return Py_BuildValue("(NNNN)", PyLong_FromVoidPtr((void *)release_schema),
                         PyLong_FromVoidPtr((void *)release_array),
                         PyLong_FromVoidPtr((void *)destroy_schema),
                         PyLong_FromVoidPtr((void *)destroy_array));
}

static PyMethodDef functions[] = {
    {"install", install, METH_VARARGS,
     "Enter what exports need and the capsules' structures; return the addresses of the functions."},
    {NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "lazyarr.interop._arrow_releases",
    .m_doc = "The compiled form of releasing what was handed out through Arrow's C data interface.",
    .m_size = -1,
    .m_methods = functions,
};

PyMODINIT_FUNC
PyInit__arrow_releases(void)
{
    PyObject *module = PyModule_Create(&definition);
    if (module != NULL && PyModule_AddStringConstant(module, "SOURCE", LAZYARR_SOURCE) < 0) {
        Py_CLEAR(module);
    }
    return module;
}
