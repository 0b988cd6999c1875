/* The compiled form of operations on arrays in memory.

   What is frequent, small and in memory is computed here by NumPy's functions, without a frame of
   Python's: NumPy's own warnings then name the user's line, and np.errstate applies by itself.
   Whatever is unusual goes to the function of Python that `install` was given. The Python form
   (native.py, native_items.py, operators.py) is the reference, and runs where nothing is compiled. */

#include "tuning.h"

#include "array.h"
#include "blocks.h"
#include "operands.h"
#include "results.h"
#include "recent.h"
#include "fields.h"
#include "building.h"
#include "values.h"
#include "pending.h"
#include "read_first.h"
#include "readers.h"
#include "plain_operands.h"
#include "operators.h"
#include "indices.h"
#include "masks.h"
#include "positions.h"
#include "items.h"
#include "calls.h"
#include "arguments.h"
#include "general.h"
#include "writes_at.h"
#include "outputs.h"
#include "wrapping.h"
#include "choices.h"
#include "functions.h"
#include "interface.h"
#include "buffers.h"
#include "drawing.h"
#include "numpy_draws.h"
#include "host_draws.h"
#include "call_types.h"

#ifndef LAZYARR_SOURCE
#define LAZYARR_SOURCE "unknown"
#endif

/* NumPy's protocols. */

static PyObject *call_by_protocol(Call *call, PyObject *args, PyObject *keywords);

/* Return the result of a ufunc with keywords, or of a method of one; NULL without an error: Python
   has to see to it. */
static PyObject *
ufunc_by_protocol(PyObject *args, PyObject *keywords)
{
    PyObject *function = PyTuple_GET_ITEM(args, 0), *method = PyTuple_GET_ITEM(args, 1);
    function = PyUnicode_Compare(method, str_call) == 0 ? Py_NewRef(function)
                                                        : PyObject_GetAttr(function, method);
    PyObject *call = function == NULL ? NULL : PyDict_GetItemWithError(state.calls, function);
    Py_XDECREF(function);
    if (call == NULL) {
        return NULL;
    }
    PyObject *written = written_by_protocol((Call *)call, args, keywords);
    if (written != NULL || PyErr_Occurred()) {
        return written;
    }
    PyObject *operands = PyTuple_GetSlice(args, 2, PyTuple_GET_SIZE(args));
    PyObject *named = keywords == NULL ? PyDict_New() : Py_NewRef(keywords), *result = NULL;
    if (operands != NULL && named != NULL) {
        result = call_by_protocol((Call *)call, operands, named);
    }
    Py_XDECREF(operands);
    Py_XDECREF(named);
    if (result == NULL && !PyErr_Occurred() && PyUnicode_Compare(method, str_call) == 0) {
        result = operated_by_protocol(PyTuple_GET_ITEM(args, 0), args, keywords);
    }
    return result;
}

static PyObject *
ufunc_of_protocol(PyObject *self, PyObject *args, PyObject *keywords)
{
    PyObject *learnt = NULL;
    PyObject *result = NULL;
    if (keywords == NULL && PyTuple_GET_SIZE(args) > 2
        && PyUnicode_Compare(PyTuple_GET_ITEM(args, 1), str_call) == 0) {
        PyObject *function = PyTuple_GET_ITEM(args, 0);
        PyObject *op = PyDict_GetItemWithError(state.ops, function);
        if (op != NULL) {
            PyObject *const *operands = &PyTuple_GET_ITEM(args, 2);
            PyObject *number = PyDict_GetItemWithError(state.loops, function);
            int loop = number == NULL ? -1 : (int)PyLong_AsLong(number);
            Py_ssize_t operands_count = PyTuple_GET_SIZE(args) - 2;
            result = compute_reduced(operands, operands_count) < 0
                ? NULL : fast_ufunc(function, op, loop, operands, operands_count);
            if (result == NULL && !PyErr_Occurred() && operands_count <= 2) {
                result = built(op, operands[0], operands_count > 1 ? operands[1] : NULL);
                learnt = op;
            }
            if (result != NULL) {
                return result;
            }
        }
    }
    if (keywords != NULL && PyTuple_GET_SIZE(args) > 2 && PyUnicode_Compare(PyTuple_GET_ITEM(args, 1), str_call) == 0) {
        result = ufunc_into(PyTuple_GET_ITEM(args, 0), args, keywords);
    }
    if (result == NULL && !PyErr_Occurred() && PyTuple_GET_SIZE(args) > 2) {
        result = ufunc_by_protocol(args, keywords);
    }
    if (result != NULL) {
        return result;
    }
    if (PyErr_Occurred()) {
        return NULL;
    }
    Py_ssize_t count = PyTuple_GET_SIZE(args);
    PyObject *all = PyTuple_New(count + 1);
    if (all == NULL) {
        return NULL;
    }
    Py_INCREF(self);
    PyTuple_SET_ITEM(all, 0, self);
    for (Py_ssize_t i = 0; i < count; i++) {
        Py_INCREF(PyTuple_GET_ITEM(args, i));
        PyTuple_SET_ITEM(all, i + 1, PyTuple_GET_ITEM(args, i));
    }
    result = PyObject_Call(state.slow_ufunc, all, keywords);
    if (learnt != NULL) {
        learn(learnt, PyTuple_GET_ITEM(args, 2), count > 3 ? PyTuple_GET_ITEM(args, 3) : NULL,
              result);
    }
    Py_DECREF(all);
    return result;
}

/* Return a ufunc of operands that it is passed with ndarrays of the program, if NumPy computes it sooner than a plan;
   NULL without an error: it does not. */
static PyObject *
handed_ufunc(PyObject *args)
{
    PyObject *function = PyTuple_GET_ITEM(args, 0), *op = PyDict_GetItemWithError(state.ops, function);
    if (op == NULL || PySet_Contains(state.handed_ufuncs, function) != 1
        || PyUnicode_Compare(PyTuple_GET_ITEM(args, 1), str_call) != 0) {
        return NULL;
    }
    PyObject *number = PyDict_GetItemWithError(state.loops, function);
    int loop = number == NULL ? -1 : (int)PyLong_AsLong(number);
    PyObject *const *operands = &PyTuple_GET_ITEM(args, 2);
    Py_ssize_t count = PyTuple_GET_SIZE(args) - 2;
    PyObject *result = begin_handing(operands, count) > 0 ? fast_ufunc(function, op, loop, operands, count) : NULL;
    end_handing();
    return result;
}

static PyObject *
array_ufunc(PyObject *self, PyObject *args, PyObject *keywords)
{
    Py_ssize_t count = PyTuple_GET_SIZE(args);
    int may_change = (count > 2 && any_may_be_written(&PyTuple_GET_ITEM(args, 2), count - 2, OF_UFUNC))
        || any_value_may_be_written(keywords, OF_UFUNC);
    PyObject *result = may_change && keywords == NULL ? handed_ufunc(args) : NULL;
    if (result != NULL || PyErr_Occurred()) {
        return result;
    }
    PyObject *named = may_change ? named_expressions(&PyTuple_GET_ITEM(args, 2), count - 2, OF_UFUNC) : NULL;
    return PyErr_Occurred() ? NULL : read_with(ufunc_of_protocol(self, args, keywords), may_change, 1, named);
}

/* Return the result of a call of NumPy's function; NULL without an error: Python has to see to it. */
static PyObject *
call_by_protocol(Call *call, PyObject *args, PyObject *keywords)
{
    PyObject *all[MOST_ARGUMENTS], *names = NULL, *name, *value, *result;
    Py_ssize_t count = PyTuple_GET_SIZE(args), total = count, place = 0;
    if (count + PyDict_GET_SIZE(keywords) > MOST_ARGUMENTS) {
        return NULL;
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        all[i] = PyTuple_GET_ITEM(args, i);
    }
    if (PyDict_GET_SIZE(keywords)) {
        names = PyTuple_New(PyDict_GET_SIZE(keywords));
        if (names == NULL) {
            return NULL;
        }
        while (PyDict_Next(keywords, &place, &name, &value)) {
            Py_INCREF(name);
            PyTuple_SET_ITEM(names, total - count, name);
            all[total++] = value;
        }
    }
    result = compute_for_call(call, all, count, names) < 0 ? NULL : fast_or_stored(call, all, count, names);
    if (result == NULL && !PyErr_Occurred() && call->kind <= MEAN) {
        result = reduced(&call->reductions, call->slow, all, count, names);
    }
    if (result == NULL && !PyErr_Occurred() && is_choice(call, count, names)) {
        result = built_choice(all);
    }
    Py_XDECREF(names);
    return result;
}

static PyObject *
function_of_protocol(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    PyObject *call = NULL, *attribute = NULL;
    if (count == 4 && names == NULL && PyTuple_CheckExact(args[2]) && PyDict_CheckExact(args[3])) {
        if (PyTuple_GET_SIZE(args[2]) == 1 && !PyDict_GET_SIZE(args[3]) && is_array(PyTuple_GET_ITEM(args[2], 0))) {
            attribute = PyDict_GetItemWithError(state.attributes, args[0]);
        }
        if (attribute != NULL) {
            return PyObject_GetAttr(PyTuple_GET_ITEM(args[2], 0), attribute);
        }
        call = PyDict_GetItemWithError(state.calls, args[0]);
    }
    if (call != NULL) {
        PyObject *result = call_by_protocol((Call *)call, args[2], args[3]);
        if (result != NULL) {
            return result;
        }
    }
    if (PyErr_Occurred()) {
        return NULL;
    }
    PyObject *all[5] = {self};
    Py_ssize_t passed = count + (names == NULL ? 0 : PyTuple_GET_SIZE(names));
    if (passed != 4) {
        PyErr_SetString(PyExc_TypeError, "__array_function__ takes 4 arguments");
        return NULL;
    }
    for (Py_ssize_t i = 0; i < passed; i++) {
        all[i + 1] = args[i];
    }
    PyObject *result = PyObject_Vectorcall(state.slow_function, all, count + 1, names);
    if (call != NULL && is_choice((Call *)call, PyTuple_GET_SIZE(args[2]), NULL) && !PyDict_GET_SIZE(args[3])) {
        learn_choice(&PyTuple_GET_ITEM(args[2], 0), result);
    }
    return result;
}

/* Return the result of a call of NumPy's function without keywords, as handed_call does. */
static inline PyObject *
handed_by_protocol(Call *call, PyObject *args, PyObject *keywords)
{
    Py_ssize_t count = PyTuple_GET_SIZE(args);
    return PyDict_GET_SIZE(keywords) || count > MOST_ARGUMENTS ? NULL
        : handed_call(call, &PyTuple_GET_ITEM(args, 0), count, NULL);
}

static PyObject *
array_function(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    PyObject *call = NULL;
    int may_change = 0, owns = 0;
    if (count == 4 && names == NULL && PyTuple_CheckExact(args[2]) && PyDict_CheckExact(args[3])) {
        call = PyDict_GetItemWithError(state.calls, args[0]);
        int flags = call == NULL ? 0 : ((Call *)call)->flags;
        Py_ssize_t passed = PyTuple_GET_SIZE(args[2]);
        int skips = flags & COPIES_MASK && passed && is_plain_mask(PyTuple_GET_ITEM(args[2], 0));
        owns = flags & OWNS;
        may_change = any_may_be_written(&PyTuple_GET_ITEM(args[2], 0) + skips, passed - skips, OF_FUNCTION)
            || any_value_may_be_written(args[3], OF_FUNCTION);
    }
    PyObject *handed = may_change && call != NULL ? handed_by_protocol((Call *)call, args[2], args[3]) : NULL;
    if (handed != NULL || PyErr_Occurred()) {
        return handed;
    }
    return read_at_call(function_of_protocol(self, args, count, names), may_change, owns);
}

/* The module. */

static const struct {
    const char *name;
    PyObject **field;
} settings[] = {
    {"running", &state.running},
    {"suspended", &state.suspended},
    {"attributed", &state.attributed},
    {"override", &state.override},
    {"overridden", &state.overridden},
    {"base", &state.base},
    {"limit", &state.limit},
    {"is_ours", &state.is_ours},
    {"snapshot", &state.snapshot},
    {"item", &state.item},
    {"borrowed", &state.borrowed},
    {"keep_written", &state.keep_written},
    {"refused", &state.refused},
    {"error_state", &state.error_state},
    {"noted", &state.noted},
    {"exceptions", &state.exceptions},
    {"ops", &state.ops},
    {"loops", &state.loops},
    {"cheap", &state.cheap},
    {"attributes", &state.attributes},
    {"calls", &state.calls},
    {"part", &state.part},
    {"divmod", &state.divmod},
    {"power", &state.power},
    {"matmul", &state.matmul},
    {"places", &state.places},
    {"hosted", &state.hosted},
    {"to_write", &state.to_write},
    {"write_over", &state.write_over},
    {"compute_results", &state.compute_results},
    {"leaf", &state.leaf},
    {"leaf_op", &state.leaf_op},
    {"shared_leaf", &state.shared_leaf},
    {"immediate", &state.immediate},
    {"handed", &state.handed},
    {"handed_ufuncs", &state.handed_ufuncs},
    {"donated", &state.donated},
    {"canonical", &state.canonical},
    {"origin", &state.origin},
    {"constant", &state.constant},
    {"constant_op", &state.constant_op},
    {"view_op", &state.view_op},
    {"cast_op", &state.cast_op},
    {"varying", &state.varying},
    {"reduce", &state.reduce},
    {"pressure", &state.pressure},
    {"relieve", &state.relieve},
    {"functions", &state.functions},
    {"array_ufunc", &state.slow_ufunc},
    {"array_function", &state.slow_function},
    {"getitem", &state.slow_getitem},
    {"setitem", &state.slow_setitem},
    {"iter", &state.slow_iter},
    {"len", &state.slow_len},
    {"bool", &state.slow_bool},
    {"int", &state.slow_int},
    {"float", &state.slow_float},
    {"index", &state.slow_index},
};

/* install(array_type, most_past, cheaper, built, created, written, larger, viewed_part, operators, **settings): enter what Python's form is made of. */
static PyObject *
install(PyObject *Py_UNUSED(module), PyObject *args, PyObject *keywords)
{
    PyObject *array_type, *operators;
    Py_ssize_t most_past, cheaper, built, created, written, larger, viewed_part;
    if (!PyArg_ParseTuple(args, "O!nnnnnnnO!", &PyType_Type, &array_type, &most_past, &cheaper, &built, &created,
                          &written, &larger, &viewed_part, &PyDict_Type, &operators)) {
        return NULL;
    }
    for (size_t i = 0; i < Py_ARRAY_LENGTH(settings); i++) {
        PyObject *value = keywords == NULL
            ? NULL : PyDict_GetItemString(keywords, settings[i].name);
        if (value == NULL) {
            return PyErr_Format(PyExc_TypeError, "%s is missing", settings[i].name);
        }
        Py_INCREF(value);
        Py_XSETREF(*settings[i].field, value);
    }
    if (!PyList_CheckExact(state.running) || !PyDict_CheckExact(state.suspended)
        || !PyDict_CheckExact(state.attributed) || !PyList_CheckExact(state.base)
        || !PyList_CheckExact(state.overridden) || !PyAnySet_CheckExact(state.cheap)
        || !PyAnySet_CheckExact(state.handed_ufuncs)
        || !PyList_CheckExact(state.exceptions) || !PyDict_CheckExact(state.ops)
        || !PyDict_CheckExact(state.attributes) || !PyDict_CheckExact(state.calls) || !PyDict_CheckExact(state.loops) || !PyDict_CheckExact(state.donated)) {
        PyErr_SetString(PyExc_TypeError, "a table must be a list or dict");
        return NULL;
    }
    PyObject *number, *row;
    Py_ssize_t place = 0;
    while (PyDict_Next(operators, &place, &number, &row)) {
        long k = PyLong_AsLong(number);
        if (k < 0 || k >= OPERATORS || !PyTuple_CheckExact(row) || PyTuple_GET_SIZE(row) != 6) {
            PyErr_SetString(PyExc_ValueError, "an operator row is (op, cheap, function, reflected, in place, ufunc)");
            return NULL;
        }
        Py_INCREF(row); /* and so all that it holds, for good */
        rows[k].op = PyTuple_GET_ITEM(row, 0);
        rows[k].cheap = PyTuple_GET_ITEM(row, 1) == Py_True;
        rows[k].slow = PyTuple_GET_ITEM(row, 2);
        rows[k].reflected = PyTuple_GET_ITEM(row, 3);
        rows[k].in_place = PyTuple_GET_ITEM(row, 4);
        rows[k].ufunc = PyTuple_GET_ITEM(row, 5) == Py_None ? NULL : PyTuple_GET_ITEM(row, 5);
    }
    for (int k = 0; k < OPERATORS; k++) {
        if (rows[k].slow == NULL) {
            return PyErr_Format(PyExc_TypeError, "operator %d is missing", k);
        }
    }
    if (((PyTypeObject *)array_type)->tp_basicsize != sizeof(Array) || ((PyTypeObject *)array_type)->tp_finalize != NULL) {
        PyErr_SetString(PyExc_TypeError, "the class of arrays must not define fields or __del__");
        return NULL;
    }
    state.nodes = NULL;
    if (PyCapsule_IsValid(state.functions, NODE_FUNCTIONS)) {
        state.nodes = PyCapsule_GetPointer(state.functions, NODE_FUNCTIONS);
    }
    ((PyTypeObject *)array_type)->tp_dealloc = (destructor)array_dealloc;
    state.most_past = most_past;
    state.cheaper = cheaper;
    state.built = built;
    state.created = created;
    state.written = written;
    state.larger = larger;
    state.viewed_part = viewed_part;
    Py_INCREF(array_type);
    state.array_type = (PyTypeObject *)array_type;
    Py_RETURN_NONE;
}

static PyMethodDef functions[] = {
    {"install", (PyCFunction)(void (*)(void))install, METH_VARARGS | METH_KEYWORDS,
     "Enter what Python's form is made of."},
    {"install_values", install_values, METH_VARARGS, "Enter what decides on values needed now."},
    {"install_blas", install_blas, METH_O, "Enter the functions that return the threads of BLAS."},
    {"install_source", install_source, METH_O, "Enter the words of draws that NumPy computes."},
    {"install_draws", install_draws, METH_VARARGS, "Enter what draws of random numbers need to know."},
    {"drawn", (PyCFunction)(void (*)(void))drawn_of, METH_FASTCALL,
     "The next draw of a generator, if it is of few elements, or None."},
    {"copies", copies_of, METH_VARARGS, "Fresh ndarrays of small arrays in memory, or None."},
    {"value_of_one_pass", value_of_one_pass, METH_O, "The value of an expression of one pass over memory, or None."},
    {"nonzero", nonzero_of, METH_O, "The positions of elements that are not zero, as ndarray.nonzero."},
    {"cheap_value", cheap_value_of, METH_O, "The value of an expression of few bytes, or None."},
    {"compute_pending", compute_pending_of, METH_O,
     "Whether an expression that owns its elements has its value in memory now."},
    {"reads_others", (PyCFunction)(void (*)(void))reads_others, METH_FASTCALL,
     "Whether it is plain that an expression reads memory in other places than an array's."},
    {"lies_in_c_order", lies_in_c_order, METH_O, "Whether it is plain that an expression's value lies in C order."},
    {"enter_leaf", (PyCFunction)(void (*)(void))enter_leaf, METH_FASTCALL, "Let an array have a leaf of its memory."},
    {"change", (PyCFunction)(void (*)(void))change_state, METH_FASTCALL, "Let an array have another state."},
    {NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "lazyarr.arrays._compiled",
    .m_doc = "The compiled form of operations on arrays in memory.",
    .m_size = -1,
    .m_methods = functions,
};

PyMODINIT_FUNC
PyInit__compiled(void)
{
    import_array();
    import_umath();
    enter_places();
    str_call = PyUnicode_InternFromString("__call__");
    str_exported = PyUnicode_InternFromString("exported");
    str_high = PyUnicode_InternFromString("high");
    str_lease = PyUnicode_InternFromString("lease");
    str_array = PyUnicode_InternFromString("array");
    str_array_of = PyUnicode_InternFromString("__array__");
    str_array_struct = PyUnicode_InternFromString("__array_struct__");
    str_kind = PyUnicode_InternFromString("kind");
    str_size = PyUnicode_InternFromString("size");
    str_cost = PyUnicode_InternFromString("cost");
    str_evaluate = PyUnicode_InternFromString("evaluate");
    str_emits_warning = PyUnicode_InternFromString("emits_warning");
    integer_zero = PyLong_FromLong(0);
    integer_two = PyLong_FromLong(2);
    if (str_call == NULL || str_exported == NULL || str_high == NULL || str_lease == NULL
        || str_kind == NULL || str_size == NULL || str_array == NULL
        || str_array_of == NULL || str_array_struct == NULL || str_cost == NULL
        || str_evaluate == NULL || str_emits_warning == NULL
        || integer_zero == NULL || integer_two == NULL
        || intern_interface_names() < 0 || PyType_Ready(&Fields_Type) < 0
        || PyType_Ready(&Iteration_Type) < 0 || PyType_Ready(&Call_Type) < 0
        || PyType_Ready(&Function_Type) < 0 || PyType_Ready(&Numbers_Type) < 0 || PyType_Ready(&Words_Type) < 0
        || (str_numbers = PyUnicode_InternFromString("numbers")) == NULL
        || (str_scope = PyUnicode_InternFromString("scope")) == NULL
        || (str_stream = PyUnicode_InternFromString("stream")) == NULL
        || PyType_Ready(&Elementwise_Type) < 0 || PyType_Ready(&Attribute_Type) < 0) {
        return NULL;
    }
    PyObject *module = PyModule_Create(&definition);
    if (module == NULL) {
        return NULL;
    }
    static const struct {
        const char *name;
        PyTypeObject *type;
    } types[] = {
        {"Fields", &Fields_Type},
        {"Call", &Call_Type},
        {"Function", &Function_Type},
        {"Numbers", &Numbers_Type},
        {"Words", &Words_Type},
        {"Elementwise", &Elementwise_Type},
        {"Attribute", &Attribute_Type},
    };
    for (size_t i = 0; i < Py_ARRAY_LENGTH(types); i++) {
        if (PyModule_AddObjectRef(module, types[i].name, (PyObject *)types[i].type) < 0) {
            Py_DECREF(module);
            return NULL;
        }
    }
    if (PyModule_AddStringConstant(module, "SOURCE", LAZYARR_SOURCE) < 0) {
        Py_DECREF(module);
        return NULL;
    }
    return module;
}
