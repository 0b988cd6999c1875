/* Operators of arrays: NumPy's where all operands are small and in memory. */

enum {
    ADD, SUBTRACT, MULTIPLY, DIVIDE, FLOOR_DIVIDE, REMAINDER, POWER, AND, OR, XOR, LEFT_SHIFT,
    RIGHT_SHIFT, LESS, LESS_EQUAL, EQUAL, NOT_EQUAL, GREATER, GREATER_EQUAL, NEGATIVE, POSITIVE,
    ABSOLUTE, INVERT, MATMUL, DIVMOD, OPERATORS,
    SQRT = OPERATORS, /* no operator, and for numbers alone; */
    MINIMUM, MAXIMUM, LOGICAL_AND, LOGICAL_OR, LOGICAL_NOT, /* nor are these, which are for arrays, */
    OUTER, CROSS, DOT, /* nor these, for pairs of vectors, */
    LEAST_PLACE, LARGEST_PLACE, NORM /* nor these, for places of extremes and a norm */
};

/* The ops that results remember, and the operators of Python. */
static struct {
    PyObject *op;
    PyObject *ufunc; /* NULL: there is none */
    int cheap; /* runs at once on more elements */
    PyObject *slow;
    PyObject *reflected;
    PyObject *in_place;
} rows[OPERATORS];

#include "numbers.h"
#include "loops.h"
#include "ufunc_loops.h"

static PyObject *
apply_binary(int k, PyObject *a, PyObject *b)
{
    switch (k) {
    case ADD: return PyNumber_Add(a, b);
    case SUBTRACT: return PyNumber_Subtract(a, b);
    case MULTIPLY: return PyNumber_Multiply(a, b);
    case DIVIDE: return PyNumber_TrueDivide(a, b);
    case FLOOR_DIVIDE: return PyNumber_FloorDivide(a, b);
    case REMAINDER: return PyNumber_Remainder(a, b);
    case POWER: return PyNumber_Power(a, b, Py_None);
    case AND: return PyNumber_And(a, b);
    case OR: return PyNumber_Or(a, b);
    case XOR: return PyNumber_Xor(a, b);
    case LEFT_SHIFT: return PyNumber_Lshift(a, b);
    case RIGHT_SHIFT: return PyNumber_Rshift(a, b);
    case LESS: return PyObject_RichCompare(a, b, Py_LT);
    case LESS_EQUAL: return PyObject_RichCompare(a, b, Py_LE);
    case EQUAL: return PyObject_RichCompare(a, b, Py_EQ);
    case NOT_EQUAL: return PyObject_RichCompare(a, b, Py_NE);
    case GREATER: return PyObject_RichCompare(a, b, Py_GT);
    case GREATER_EQUAL: return PyObject_RichCompare(a, b, Py_GE);
    default: Py_UNREACHABLE();
    }
}

static PyObject *
apply_in_place(int k, PyObject *a, PyObject *b)
{
    switch (k) {
    case ADD: return PyNumber_InPlaceAdd(a, b);
    case SUBTRACT: return PyNumber_InPlaceSubtract(a, b);
    case MULTIPLY: return PyNumber_InPlaceMultiply(a, b);
    case DIVIDE: return PyNumber_InPlaceTrueDivide(a, b);
    case FLOOR_DIVIDE: return PyNumber_InPlaceFloorDivide(a, b);
    case REMAINDER: return PyNumber_InPlaceRemainder(a, b);
    case POWER: return PyNumber_InPlacePower(a, b, Py_None);
    case AND: return PyNumber_InPlaceAnd(a, b);
    case OR: return PyNumber_InPlaceOr(a, b);
    case XOR: return PyNumber_InPlaceXor(a, b);
    case LEFT_SHIFT: return PyNumber_InPlaceLshift(a, b);
    case RIGHT_SHIFT: return PyNumber_InPlaceRshift(a, b);
    default: Py_UNREACHABLE();
    }
}

/* Return whether an operand is an array of at least one axis, in memory. */
static inline int
has_axes(PyObject *x)
{
    PyObject *memory = is_array(x) ? ((Array *)x)->memory : x;
    return memory != NULL && PyArray_CheckExact(memory) && PyArray_NDIM((PyArrayObject *)memory);
}

/* Return whether an operator divides integers by one number, for which NumPy has vectors. */
static inline int
divides_integers(int k, PyObject *left, PyObject *right)
{
    PyObject *memory = k == FLOOR_DIVIDE && is_array(left) ? ((Array *)left)->memory : NULL;
    return memory != NULL && PyArray_CheckExact(memory) && PyLong_CheckExact(right)
        && PyTypeNum_ISINTEGER(PyArray_TYPE((PyArrayObject *)memory));
}

/* Return an operator by the loop of its ufunc; NULL without an error: there is none. To the power of a number
   operators choose other ufuncs. */
static inline PyObject *
operated_by_loop(int k, PyObject *left, PyObject *right, Py_ssize_t most)
{
    PyObject *const pair[2] = {left, right};
    return rows[k].ufunc == NULL || (k == POWER && !has_axes(right))
        ? NULL : looped_by_numpy(rows[k].ufunc, pair, 2, most);
}

/* Return an operator of small values in memory; NULL without an error: it is to be built. */
static PyObject *
fast_binary(int k, PyObject *left, PyObject *right)
{
    if (!is_array(left) && !is_array(right)) {
        return NULL;
    }
    Py_ssize_t most = limit_now(), past = 0;
    PyObject *pair[2] = {NULL, NULL}, *result, *value = NULL;
    if (most <= 0) {
        return NULL;
    }
    if ((result = operator_of_scalars(k, left, right)) != NULL || PyErr_Occurred()) {
        return result;
    }
    /* Truth values are what programs index with; beside an ndarray an expression is built by Python. */
    Py_ssize_t times = k >= LESS && k <= GREATER_EQUAL ? state.written
        : PyArray_CheckExact(left) || PyArray_CheckExact(right) ? state.created : state.cheaper;
    Py_ssize_t largest = most_of(most * times, left, right, 1);
    Py_ssize_t a = copied_elements(left), b = copied_elements(right);
    largest = Py_MAX(largest, Py_MAX(a, b)); /* a loop takes no longer than the copy */
    if (!PyErr_Occurred() && (result = looped(k, left, right, largest)) != NULL) {
        return computed(result, rows[k].op, left, right, past_of(left) + past_of(right));
    }
    if (rows[k].cheap || (k == POWER && is_two(right)) || divides_integers(k, left, right)) {
        most *= times;
        /* Whether the result's elements are no longer than theirs. */
        int same = k >= AND
            || ((k <= MULTIPLY || (k == DIVIDE && is_of_floats(left)))
                && (element_size(left) == element_size(right) || is_weaker(left, right)
                    || is_weaker(right, left)));
        most = most_of(most, left, right, same);
    }
    if (!PyErr_Occurred() && (result = operated_by_loop(k, left, right, most)) != NULL) {
        return computed(result, rows[k].op, left, right, past_of(left) + past_of(right));
    }
    if (PyErr_Occurred() || (pair[0] = read_operand(left, most, &past)) == NULL
        || (pair[1] = read_operand(right, most, &past)) == NULL || !broadcast_fits(pair, 2, most)
        || (k < AND && !in_users_code())) {
        goto done;
    }
    PyObject *before = begin_blocks(largest_bytes(pair, 2));
    value = apply_binary(k, pair[0], pair[1]); /* of which it takes none for the result: others have it */
    end_blocks(before);
    if (value == NULL) {
        was_refused();
    }
done:
    Py_XDECREF(pair[0]);
    Py_XDECREF(pair[1]);
    if (value == NULL) {
        return NULL;
    }
    if (!PyArray_CheckExact(value) && !is_scalar(value)) {
        Py_DECREF(value);
        return NULL;
    }
    return computed(value, rows[k].op, left, right, past);
}

static PyObject *
slow_binary(int k, PyObject *left, PyObject *right)
{
    PyObject *pair[2] = {left, right};
    if (PyObject_TypeCheck(left, &Fields_Type)) {
        PyObject *result = PyObject_Vectorcall(rows[k].slow, pair, 2, NULL);
        if (result != Py_NotImplemented || Py_TYPE(left) == Py_TYPE(right)
            || !PyObject_TypeCheck(right, &Fields_Type)) {
            return result;
        }
        Py_DECREF(result);
    }
    pair[0] = right;
    pair[1] = left;
    return PyObject_Vectorcall(rows[k].reflected, pair, 2, NULL);
}

/* Return whether an operand is a number of double precision that an operation gave. */
static inline int
is_computed_number(PyObject *x)
{
    return is_array(x) && ((Array *)x)->is_double;
}

/* Return whether an operand is a number in memory: of double precision, which an operation gave, or one of NumPy's. */
static inline int
is_number_in_memory(PyObject *x)
{
    Array *array = (Array *)x;
    return is_array(x)
        && (array->is_double || (array->memory != NULL && array->owner == NULL && !PyArray_CheckExact(array->memory)));
}

/* Return an operator of two operands, which may be an expression. */
static inline PyObject *
operated(int k, PyObject *left, PyObject *right)
{
    PyObject *pair[2] = {left, right}, *result = NULL;
    int doubles = is_computed_number(left) || is_computed_number(right);
    if ((doubles || is_number_in_memory(left) || is_number_in_memory(right)) && limit_now() > 0
        && (result = doubles ? binary_of_numbers(k, left, right) : operator_of_scalars(k, left, right)) != NULL) {
        return result;
    }
    if (PyErr_Occurred() || compute_reduced(pair, 2) < 0) {
        return NULL;
    }
    result = fast_binary(k, left, right);
    if (result != NULL || PyErr_Occurred() || rows[k].op == NULL || rows[k].op == Py_None) {
        return result != NULL || PyErr_Occurred() ? result : slow_binary(k, left, right);
    }
    int squares = k == POWER && is_array(left) && is_two(right);
    result = squares ? built_square(rows[k].op, left) : built(rows[k].op, left, right);
    if (result == NULL && !PyErr_Occurred()) {
        result = slow_binary(k, left, right);
        (squares ? learn_square : learn)(rows[k].op, left, right, result);
    }
    return result;
}

static inline PyObject *
binary(int k, PyObject *left, PyObject *right)
{
    PyObject *other = is_array(left) ? right : left;
    /* That of a class asks each of its bases. */
    int is_plain_type = is_array(other) || PyFloat_CheckExact(other) || PyLong_CheckExact(other);
    int may_change = !is_plain_type && PyArray_Check(other) && any_may_be_written(&other, 1, OF_STACK);
    PyObject *named = NULL;
    if (may_change) {
        PyObject *pair[2] = {left, right}, *ufunc = rows[k].ufunc;
        int fits = ufunc != NULL && PySet_Contains(state.handed_ufuncs, ufunc) == 1;
        PyObject *result = fits && begin_handing(pair, 2) > 0 ? fast_binary(k, left, right) : NULL;
        end_handing();
        if (result != NULL || PyErr_Occurred()) {
            return result;
        }
        named = named_expressions(pair, 2, OF_STACK);
    }
    return PyErr_Occurred() ? NULL : read_with(operated(k, left, right), may_change, 1, named);
}

/* Return an operator of a small value in memory; NULL without an error: it is to be built. */
static PyObject *
fast_unary(int k, PyObject *x)
{
    Py_ssize_t most = is_array(x) ? limit_now() : 0, past = 0;
    PyObject *memory = NULL, *value;
    double number;
    if (most <= 0) {
        return NULL;
    }
    if (k != INVERT && as_double(x, &number)) {
        number = k == NEGATIVE ? -number : k == ABSOLUTE ? fabs(number) : number;
        return computed_number(number, rows[k].op, x, NULL, past_of(x));
    }
    if (k != POSITIVE) { /* next to a number of Python's, an array keeps its dtype */
        if ((value = looped(k, x, integer_zero, most * state.cheaper)) != NULL) {
            return computed(value, rows[k].op, x, NULL, past_of(x));
        }
        if (PyErr_Occurred()) {
            return NULL;
        }
    }
    most = rows[k].cheap ? most_of(most * state.cheaper, x, x, 1) : most;
    if (rows[k].ufunc != NULL && (value = looped_by_numpy(rows[k].ufunc, &x, 1, most)) != NULL) {
        return computed(value, rows[k].op, x, NULL, past_of(x));
    }
    if (PyErr_Occurred() || (memory = read_operand(x, most, &past)) == NULL || (k == ABSOLUTE && !in_users_code())) {
        Py_XDECREF(memory);
        return NULL;
    }
    PyObject *before = begin_blocks(memory_bytes(memory));
    value = k == NEGATIVE ? PyNumber_Negative(memory)
        : k == POSITIVE ? PyNumber_Positive(memory)
        : k == ABSOLUTE ? PyNumber_Absolute(memory) : PyNumber_Invert(memory);
    end_blocks(before);
    Py_DECREF(memory);
    if (value == NULL) {
        was_refused();
        return NULL;
    }
    return computed(value, rows[k].op, x, NULL, past);
}

static PyObject *
unary(int k, PyObject *x)
{
    if (compute_reduced(&x, 1) < 0) {
        return NULL;
    }
    PyObject *result = fast_unary(k, x);
    if (result == NULL && !PyErr_Occurred()) {
        result = built(rows[k].op, x, NULL);
    }
    if (result == NULL && !PyErr_Occurred()) {
        result = PyObject_CallOneArg(rows[k].slow, x);
        learn(rows[k].op, x, NULL, result);
    }
    return result;
}

static inline long
writes_of(Array *array)
{
    return array->writes == NULL ? 0 : PyLong_AsLong(array->writes);
}

/* Return whether the layout that an array had when it was written to is that of a node in C order; -1 with an
   error. */
static int
is_in_c_order(Array *array, Node *node)
{
    PyObject *shape = PyObject_GetAttrString(array->layout, "shape");
    int same = shape == NULL ? -1 : PyObject_RichCompareBool(shape, node->shape, Py_EQ);
    PyObject *answer = same > 0 ? PyObject_GetAttrString(array->layout, "c_contiguous") : NULL;
    same = same > 0 ? (answer == NULL ? -1 : answer == Py_True) : same;
    Py_XDECREF(shape);
    Py_XDECREF(answer);
    return same;
}

/* Give a pending array the result of an operator as its next value, as own of pending_writes.py does; NULL
   without an error: Python has to see to it. */
static PyObject *
next_value(int k, PyObject *left, PyObject *right)
{
    Array *array = (Array *)left;
    long writes = writes_of(array);
    if (k == POWER || !is_pending(left) || !PyTuple_GET_SIZE(((Node *)array->node)->shape)
        || array->locked != NULL || writes + 1 >= needed.most_writes
        || (array->layout != NULL && is_in_c_order(array, (Node *)array->node) <= 0)) {
        return NULL;
    }
    Node *before = (Node *)Py_NewRef(array->node);
    PyObject *result = built(rows[k].op, left, right);
    Node *node = result == NULL ? NULL : (Node *)((Array *)result)->node;
    int fits = node != NULL && Py_TYPE(node) == state.nodes->type && node->dtype == before->dtype
        && PyObject_RichCompareBool(node->shape, before->shape, Py_EQ) == 1
        && (PyTuple_GET_SIZE(node->shape) < 2
            || ((array->layout != NULL || lies_as_in_numpy(before, 1, 0, NULL))
                && lies_as_in_numpy(node, 1, 0, before)));
    PyObject *count = fits ? PyLong_FromLong(writes + 1) : NULL;
    /* Another thread may have given it a value meanwhile. */
    fits = count != NULL && array->node == (PyObject *)before && is_pending(left);
    if (fits) {
        Py_INCREF(node);
        Py_SETREF(array->node, (PyObject *)node);
        Py_INCREF(count);
        Py_XSETREF(array->writes, count);
    }
    Py_DECREF(before);
    Py_XDECREF(count);
    Py_XDECREF(result);
    return fits ? Py_NewRef(left) : NULL;
}

#include "in_place.h"

#define BINARY(name, k) \
    static PyObject *name(PyObject *a, PyObject *b) { return binary(k, a, b); }
#define IN_PLACE(name, k) \
    static PyObject *name(PyObject *a, PyObject *b) { return in_place(k, a, b); }
#define UNARY(name, k) \
    static PyObject *name(PyObject *x) { return unary(k, x); }

BINARY(nb_add, ADD)
BINARY(nb_subtract, SUBTRACT)
BINARY(nb_multiply, MULTIPLY)
BINARY(nb_divide, DIVIDE)
BINARY(nb_floor_divide, FLOOR_DIVIDE)
BINARY(nb_remainder, REMAINDER)
BINARY(nb_and, AND)
BINARY(nb_or, OR)
BINARY(nb_xor, XOR)
BINARY(nb_left_shift, LEFT_SHIFT)
BINARY(nb_right_shift, RIGHT_SHIFT)

/* Python takes it for the concatenation of sequences, too, whose result is none of NotImplemented. */
static PyObject *
nb_iadd(PyObject *a, PyObject *b)
{
    PyObject *result = in_place(ADD, a, b);
    if (result != Py_NotImplemented) {
        return result;
    }
    Py_DECREF(result);
    return PyNumber_Add(a, b);
}

IN_PLACE(nb_isubtract, SUBTRACT)
IN_PLACE(nb_imultiply, MULTIPLY)
IN_PLACE(nb_idivide, DIVIDE)
IN_PLACE(nb_ifloor_divide, FLOOR_DIVIDE)
IN_PLACE(nb_iremainder, REMAINDER)
IN_PLACE(nb_iand, AND)
IN_PLACE(nb_ior, OR)
IN_PLACE(nb_ixor, XOR)
IN_PLACE(nb_ileft_shift, LEFT_SHIFT)
IN_PLACE(nb_iright_shift, RIGHT_SHIFT)
UNARY(nb_negative, NEGATIVE)
UNARY(nb_positive, POSITIVE)
UNARY(nb_absolute, ABSOLUTE)
UNARY(nb_invert, INVERT)

static PyObject *nb_divmod(PyObject *a, PyObject *b);

static PyObject *
nb_power(PyObject *a, PyObject *b, PyObject *modulo)
{
    if (modulo != Py_None) {
        Py_RETURN_NOTIMPLEMENTED;
    }
    return binary(POWER, a, b);
}

static PyObject *
nb_ipower(PyObject *a, PyObject *b, PyObject *modulo)
{
    if (modulo != Py_None) {
        Py_RETURN_NOTIMPLEMENTED;
    }
    return in_place(POWER, a, b);
}

/* Let an operand of a comparison that has a name have memory, if NumPy computes it in one pass: the comparison is
   NumPy's then, and what else reads the operand does not compute it again. Return -1 with an error. */
static int
compute_compared(PyObject *x)
{
    if (!is_pending(x) || !has_name(x, OF_STACK)) {
        return 0;
    }
    Node *root = (Node *)((Array *)x)->node;
    int passes = size_of(root) > limit_now() * state.written ? 0 : is_one_pass(root);
    return passes > 0 ? compute_pending(x) : passes;
}

static PyObject *
compare(PyObject *a, PyObject *b, int op)
{
    double left, right;
    if ((is_computed_number(a) || is_computed_number(b)) && as_doubles(a, b, &left, &right) && limit_now() > 0) {
        PyObject *truth = comparison(LESS + op, left, right) ? PyArrayScalar_True : PyArrayScalar_False;
        return computed_scalar(Py_NewRef(truth), rows[LESS + op].op, a, b, past_of(a) + past_of(b));
    }
    int are_numbers = is_number_in_memory(a) && (is_number_in_memory(b) || PyFloat_CheckExact(b) || PyLong_CheckExact(b));
    if (!are_numbers && (compute_compared(a) < 0 || compute_compared(b) < 0)) {
        return NULL;
    }
    return binary(LESS + op, a, b); /* in the order of Py_LT, Py_LE, ... */
}

#include "products.h"
#include "conversions.h"

static PyNumberMethods as_number = {
    .nb_add = nb_add,
    .nb_subtract = nb_subtract,
    .nb_multiply = nb_multiply,
    .nb_remainder = nb_remainder,
    .nb_divmod = nb_divmod,
    .nb_power = nb_power,
    .nb_negative = nb_negative,
    .nb_positive = nb_positive,
    .nb_absolute = nb_absolute,
    .nb_bool = nb_bool,
    .nb_invert = nb_invert,
    .nb_lshift = nb_left_shift,
    .nb_rshift = nb_right_shift,
    .nb_and = nb_and,
    .nb_xor = nb_xor,
    .nb_or = nb_or,
    .nb_int = nb_int,
    .nb_float = nb_float,
    .nb_inplace_add = nb_iadd,
    .nb_inplace_subtract = nb_isubtract,
    .nb_inplace_multiply = nb_imultiply,
    .nb_inplace_remainder = nb_iremainder,
    .nb_inplace_power = nb_ipower,
    .nb_inplace_lshift = nb_ileft_shift,
    .nb_inplace_rshift = nb_iright_shift,
    .nb_inplace_and = nb_iand,
    .nb_inplace_xor = nb_ixor,
    .nb_inplace_or = nb_ior,
    .nb_floor_divide = nb_floor_divide,
    .nb_true_divide = nb_divide,
    .nb_inplace_floor_divide = nb_ifloor_divide,
    .nb_inplace_true_divide = nb_idivide,
    .nb_index = nb_index,
    .nb_matrix_multiply = nb_matmul,
    .nb_inplace_matrix_multiply = nb_imatmul,
};
