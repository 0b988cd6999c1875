/* Evaluations of expressions whose plan is known, without a frame of Python's.

   An expression is written down as words: the operation, dtype, lengths and attribute of each node,
   and which nodes are its operands; of leaves their strides; of constants that are parameters their
   dtype. Equal words have one plan. What words point to is kept with the plan, so that pointers stay
   what they are. Where values may have to be stored for later evaluations, the words say what decides
   that. A plan is entered when its words come a second time. Whatever is unusual returns None, and
   Python's form (compiler/pipeline.py) evaluates: that is the reference. */

#include "expression_walk.h"
#include "known_form.h"
#include "plan_building.h"
#include "plan_runs.h"
#include "plan_table.h"

#ifndef LAZYARR_SOURCE
#define LAZYARR_SOURCE "unknown"
#endif

static PyObject *
clear(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(none))
{
    for (size_t k = 0; k < SETS * WAYS; k++) {
        Py_CLEAR(plans[k / WAYS][k % WAYS]);
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
    {"call", &state.call},
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
    {"may_change", &state.may_change},
    {"store", &state.store},
    {"run", &state.run},
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
    PyObject *large = keywords == NULL ? NULL : PyDict_GetItemString(keywords, "large");
    state.large = large == NULL ? -1 : PyLong_AsSsize_t(large);
    if (state.large < 0) {
        return PyErr_Occurred() ? NULL : PyErr_Format(PyExc_TypeError, "large is missing");
    }
    state.nodes = PyCapsule_GetPointer(functions, NODE_FUNCTIONS);
    if (state.nodes == NULL) {
        return NULL;
    }
    Py_RETURN_NONE;
}

static PyMethodDef functions[] = {
    {"evaluate", (PyCFunction)(void (*)(void))evaluate, METH_FASTCALL,
     "Return an evaluation and its results, a form if the expression is not known, or None."},
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
    str_array = PyUnicode_InternFromString("array");
    str_strides = PyUnicode_InternFromString("strides");
    str_address = PyUnicode_InternFromString("address");
    str_code = PyUnicode_InternFromString("code");
    str_meter = PyUnicode_InternFromString("meter");
    str_by_address = PyUnicode_InternFromString("by_address");
    attributes = PyDict_New();
    if (str_array == NULL || str_kind == NULL || str_strides == NULL || str_address == NULL || str_code == NULL
        || str_meter == NULL || str_by_address == NULL || attributes == NULL
        || PyType_Ready(&Plan_Type) < 0 || PyType_Ready(&Form_Type) < 0) {
        return NULL;
    }
    PyObject *module = PyModule_Create(&definition);
    if (module != NULL && PyModule_AddStringConstant(module, "SOURCE", LAZYARR_SOURCE) < 0) {
        Py_CLEAR(module);
    }
    return module;
}
