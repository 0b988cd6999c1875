/* NumPy's own loops over parts of their lines: what threads without the GIL run. */

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#define NPY_NO_DEPRECATED_API NPY_2_0_API_VERSION
#define NPY_TARGET_VERSION NPY_2_0_API_VERSION
#include <numpy/arrayobject.h>
#include <numpy/ufuncobject.h>

#include "line_sorts.h"
#include "line_transforms.h"
#include "loop_calls.h"
#include "medians.h"

#ifndef LAZYARR_SOURCE
#define LAZYARR_SOURCE "unknown"
#endif

/* loop_of(ufunc, types): return the addresses of a loop and of its data, or None without such a loop. */
static PyObject *
loop_of(PyObject *Py_UNUSED(module), PyObject *args)
{
    PyObject *object;
    const char *types;
    Py_ssize_t count;
    if (!PyArg_ParseTuple(args, "O!y#", &PyUFunc_Type, &object, &types, &count)) {
        return NULL;
    }
    PyUFuncObject *ufunc = (PyUFuncObject *)object;
    for (int k = 0; count == ufunc->nargs && k < ufunc->ntypes; k++) {
        if (memcmp(ufunc->types + (Py_ssize_t)k * count, types, count) == 0) {
            void *data = ufunc->data == NULL ? NULL : ufunc->data[k];
            return Py_BuildValue("KK", (unsigned long long)(npy_uintp)ufunc->functions[k],
                                 (unsigned long long)(npy_uintp)data);
        }
    }
    Py_RETURN_NONE;
}

/* sort_of(dtype, kind): return the addresses of the sort of a type's elements and of one of their positions;
   0 where there is none. */
static PyObject *
sort_of(PyObject *Py_UNUSED(module), PyObject *args)
{
    PyObject *dtype;
    int kind;
    if (!PyArg_ParseTuple(args, "O!i", &PyArrayDescr_Type, &dtype, &kind)) {
        return NULL;
    }
    if (kind < 0 || kind >= NPY_NSORTS) {
        PyErr_SetString(PyExc_ValueError, "unknown kind of sort");
        return NULL;
    }
    PyArray_ArrFuncs *functions = PyDataType_GetArrFuncs((PyArray_Descr *)dtype);
    return Py_BuildValue("KK", (unsigned long long)(npy_uintp)functions->sort[kind],
                         (unsigned long long)(npy_uintp)functions->argsort[kind]);
}

static PyMethodDef methods[] = {
    {"loop_of", loop_of, METH_VARARGS, "Return the addresses of a ufunc's loop and of its data."},
    {"row_medians", row_medians, METH_O, "Return the medians of rows, or None where NumPy has to compute them."},
    {"sort_of", sort_of, METH_VARARGS, "Return the addresses of a type's sort and of that of positions."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "lazyarr.runtime.cpu._numpy_loops",
    .m_doc = "NumPy's own loops over parts of their lines.",
    .m_size = -1,
    .m_methods = methods,
};

static int
add_address(PyObject *module, const char *name, void *address)
{
    PyObject *number = PyLong_FromVoidPtr(address);
    int status = number == NULL ? -1 : PyModule_AddObjectRef(module, name, number);
    Py_XDECREF(number);
    return status;
}

PyMODINIT_FUNC
PyInit__numpy_loops(void)
{
    import_array();
    import_umath();
    PyObject *module = PyModule_Create(&definition);
    if (module == NULL) {
        return NULL;
    }
    if (add_address(module, "TRANSFORM", (void *)transform_lines) < 0
        || add_address(module, "SORT", (void *)sort_lines) < 0
        || add_address(module, "CALL_LOOP", (void *)call_loop) < 0
        || add_address(module, "CALL_ROUTINE", (void *)call_routine) < 0
        || add_address(module, "COPY", (void *)copy_array) < 0
        || add_address(module, "ADD_AT", (void *)add_at) < 0
        || PyModule_AddStringConstant(module, "SOURCE", LAZYARR_SOURCE) < 0) {
        Py_DECREF(module);
        return NULL;
    }
    return module;
}
