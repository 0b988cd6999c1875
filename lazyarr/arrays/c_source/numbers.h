/* Numbers of double precision, which are computed here as the processor does.

   IEEE 754 says what the bits are. What NumPy would warn of (a result of finite numbers that is not
   finite, or too small) goes to NumPy, as do operands that are no numbers. Infinities are what searches for
   a least value begin with. */

#include <float.h>
#include <math.h>

/* Integers up to here are numbers of double precision too. */
#define MOST_EXACT ((long long)1 << 53)
#define MOST_EXACT_SINGLE (1 << FLT_MANT_DIG)

/* Return whether a number stands for one of double precision next to one, and which. */
static inline int
as_double(PyObject *x, double *value)
{
    if (is_array(x)) {
        Array *array = (Array *)x;
        if (array->is_double) {
            *value = array->number;
            return 1;
        }
        x = array->memory;
        if (x == NULL || array->owner != NULL) {
            return 0;
        }
    }
    else if (PyFloat_CheckExact(x)) {
        *value = PyFloat_AS_DOUBLE(x);
        return 1;
    }
    else if (PyLong_CheckExact(x)) {
        int overflow;
        long long integer = PyLong_AsLongLongAndOverflow(x, &overflow);
        *value = (double)integer;
        return !overflow && integer <= MOST_EXACT && integer >= -MOST_EXACT;
    }
    if (Py_TYPE(x) == &PyDoubleArrType_Type) {
        *value = PyArrayScalar_VAL(x, Double);
        return 1;
    }
    return 0;
}

/* Return the operands of an operator if one of them is lazyarr's and both are numbers. */
static inline int
as_doubles(PyObject *left, PyObject *right, double *a, double *b)
{
    return as_double(left, a) && as_double(right, b) && !isnan(*a) && !isnan(*b);
}

/* Return whether two numbers, of which one may be infinite, have a result that NumPy warns of under no error
   state: an infinity that one of them is, or the zero that is left of a division by it, is exact. */
static inline int
arithmetic(int k, double a, double b, double *result)
{
    int finite = isfinite(a) && isfinite(b);
    switch (k) {
    case ADD: *result = a + b; return finite ? isfinite(*result) : isinf(*result);
    case SUBTRACT: *result = a - b; return finite ? isfinite(*result) : isinf(*result);
    case MULTIPLY: *result = a * b; return finite ? isnormal(*result) || a == 0 || b == 0 : isinf(*result);
    case DIVIDE:
        *result = a / b;
        return finite ? isnormal(*result) || (a == 0 && b != 0) : b != 0 && !isnan(*result);
    case POWER: *result = pow(a, b); return finite && isnormal(*result); /* as NumPy's numbers do */
    default: return 0;
    }
}

/* Whether a comparison holds of two numbers; -1: it is another operator. */
#define COMPARISON(name, type)          \
static inline int                       \
name(int k, type a, type b)             \
{                                       \
    switch (k) {                        \
    case LESS: return a < b;            \
    case LESS_EQUAL: return a <= b;     \
    case EQUAL: return a == b;          \
    case NOT_EQUAL: return a != b;      \
    case GREATER: return a > b;         \
    case GREATER_EQUAL: return a >= b;  \
    default: return -1;                 \
    }                                   \
}

COMPARISON(comparison, double)
COMPARISON(integer_comparison, npy_long)
COMPARISON(wide_comparison, long long)

static inline Py_ssize_t
past_of(PyObject *x)
{
    return is_array(x) ? ((Array *)x)->past : 0;
}

/* Return an operator of the values of two operands; NULL without an error: NumPy has to see to it. */
static inline PyObject *
operator_of_doubles(int k, double a, double b, PyObject *left, PyObject *right)
{
    double result;
    if (arithmetic(k, a, b, &result)) {
        return computed_number(result, rows[k].op, left, right, past_of(left) + past_of(right));
    }
    int truth = comparison(k, a, b);
    if (truth < 0) {
        return NULL;
    }
    PyObject *value = truth ? PyArrayScalar_True : PyArrayScalar_False;
    Py_INCREF(value);
    return computed_scalar(value, rows[k].op, left, right, past_of(left) + past_of(right));
}

/* Return an operator of two numbers; NULL without an error: NumPy has to see to it. */
static PyObject *
binary_of_numbers(int k, PyObject *left, PyObject *right)
{
    double a, b;
    return as_doubles(left, right, &a, &b) ? operator_of_doubles(k, a, b, left, right) : NULL;
}

/* Return whether an object is a number of NumPy's or of lazyarr's of 64 bits, or an integer of Python's that
   one holds, and which. `own`: 1 if it is no number of Python's, 2 if it is a truth value. */
static inline int
as_integer(PyObject *x, npy_long *value, int *own)
{
    if (PyLong_CheckExact(x)) {
        int overflow;
        *value = PyLong_AsLongAndOverflow(x, &overflow);
        *own = 0;
        return !overflow && sizeof(long) == sizeof(npy_long);
    }
    if (is_array(x)) {
        x = ((Array *)x)->owner == NULL ? ((Array *)x)->memory : NULL;
    }
    *own = x != NULL && Py_TYPE(x) == &PyLongArrType_Type;
    if (*own) {
        *value = PyArrayScalar_VAL(x, Long);
    }
    else if (x == PyArrayScalar_True || x == PyArrayScalar_False) {
        *value = x == PyArrayScalar_True;
        *own = 2;
    }
    return *own;
}

#define STORE_INTEGER(code, type, fits)                                         \
    case code:                                                                  \
        *(type *)place = (type)integer;                                         \
        return fits;

/* Write a number to an element of a dtype; return 0 where NumPy has to: one that does not fit, or a dtype of others. */
static inline int
put_number(char *place, int code, PyObject *value)
{
    npy_long integer = 0;
    double number = 0;
    int own;
    int is_integer = PyBool_Check(value) || as_integer(value, &integer, &own);
    if (PyBool_Check(value)) {
        integer = value == Py_True;
    }
    else if (!is_integer && PyTypeNum_ISINTEGER(code) && as_double(value, &number) && fabs(number) <= MOST_EXACT) {
        integer = (npy_long)number;
        is_integer = 1;
    }
    if (is_integer) {
        switch (code) {
            STORE_INTEGER(NPY_BOOL, npy_bool, integer == 0 || integer == 1)
            STORE_INTEGER(NPY_BYTE, npy_byte, integer >= NPY_MIN_BYTE && integer <= NPY_MAX_BYTE)
            STORE_INTEGER(NPY_UBYTE, npy_ubyte, integer >= 0 && integer <= NPY_MAX_UBYTE)
            STORE_INTEGER(NPY_SHORT, npy_short, integer >= NPY_MIN_SHORT && integer <= NPY_MAX_SHORT)
            STORE_INTEGER(NPY_USHORT, npy_ushort, integer >= 0 && integer <= NPY_MAX_USHORT)
            STORE_INTEGER(NPY_INT, npy_int, integer >= NPY_MIN_INT && integer <= NPY_MAX_INT)
            STORE_INTEGER(NPY_UINT, npy_uint, integer >= 0 && integer <= NPY_MAX_UINT)
            STORE_INTEGER(NPY_LONG, npy_long, 1)
            STORE_INTEGER(NPY_ULONG, npy_ulong, integer >= 0)
            STORE_INTEGER(NPY_FLOAT, float, integer >= -MOST_EXACT_SINGLE && integer <= MOST_EXACT_SINGLE)
            STORE_INTEGER(NPY_DOUBLE, double, integer >= -MOST_EXACT && integer <= MOST_EXACT)
        default: break;
        }
    }
    if ((code != NPY_DOUBLE && code != NPY_FLOAT && code != NPY_CDOUBLE) || !as_double(value, &number)) {
        return 0;
    }
    if (code != NPY_FLOAT) {
        *(double *)place = number;
        if (code == NPY_CDOUBLE) {
            ((double *)place)[1] = 0;
        }
        return 1;
    }
    double size = fabs(number);
    int fits = !isfinite(number) || number == 0 || (size >= FLT_MIN && size <= FLT_MAX);
    *(float *)place = fits ? (float)number : 0;
    return fits; /* others overflow or underflow, of which NumPy may warn */
}

/* Return whether two integers have a result that NumPy does not warn of, and which. */
static inline int
integer_arithmetic(int k, npy_long a, npy_long b, npy_long *result)
{
    switch (k) {
#if defined(__GNUC__)
    case ADD: return !__builtin_add_overflow(a, b, result);
    case SUBTRACT: return !__builtin_sub_overflow(a, b, result);
    case MULTIPLY: return !__builtin_mul_overflow(a, b, result);
#endif
    case FLOOR_DIVIDE:
    case REMAINDER:
        if (b == 0 || b == -1) {
            return 0;
        }
        *result = k == REMAINDER ? a % b : a / b;
        if (a % b && (a < 0) != (b < 0)) {
            *result += k == REMAINDER ? b : -1;
        }
        return 1;
    case AND: *result = a & b; return 1;
    case OR: *result = a | b; return 1;
    case XOR: *result = a ^ b; return 1;
    default: return 0;
    }
}

/* Return whether a number of NumPy's is an integer that 64 bits with a sign hold, and which. */
static inline int
integer_of_any_width(PyObject *x, long long *value)
{
    PyTypeObject *type = Py_TYPE(x);
#define OF_WIDTH(name)                                          \
    if (type == &Py##name##ArrType_Type) {                      \
        *value = (long long)PyArrayScalar_VAL(x, name);         \
        return 1;                                               \
    }
    OF_WIDTH(UByte)
    OF_WIDTH(Int)
    OF_WIDTH(Long)
    OF_WIDTH(UInt)
    OF_WIDTH(Byte)
    OF_WIDTH(Short)
    OF_WIDTH(UShort)
    OF_WIDTH(LongLong)
#undef OF_WIDTH
    return 0;
}

/* Return a comparison of integers of any width, of which one is lazyarr's: it is exact. NULL without an error: NumPy
   has to see to it. */
static PyObject *
comparison_of_integers(int k, PyObject *left, PyObject *right)
{
    PyObject *pair[2] = {left, right};
    long long values[2];
    for (int i = 0; i < 2; i++) {
        PyObject *x = pair[i];
        int overflow = 0;
        if (PyLong_CheckExact(x)) {
            values[i] = PyLong_AsLongLongAndOverflow(x, &overflow);
        }
        else {
            x = !is_array(x) ? x : ((Array *)x)->owner == NULL ? ((Array *)x)->memory : NULL;
            overflow = x == NULL || !integer_of_any_width(x, &values[i]);
        }
        if (overflow) {
            return NULL;
        }
    }
    int truth = wide_comparison(k, values[0], values[1]);
    return truth < 0 ? NULL
        : computed_scalar(Py_NewRef(truth ? PyArrayScalar_True : PyArrayScalar_False), rows[k].op, left, right,
                          past_of(left) + past_of(right));
}

/* Return an operator of two integers of 64 bits, of which one is lazyarr's; NULL without an error: NumPy has to
   see to it. */
static PyObject *
binary_of_integers(int k, PyObject *left, PyObject *right)
{
    npy_long a, b, result;
    int own_left, own_right;
    if (!as_integer(left, &a, &own_left) || !as_integer(right, &b, &own_right) || !(own_left | own_right)
        || (own_left == 2 && own_right == 2)) {
        return NULL; /* of two truth values NumPy has other operators */
    }
    Py_ssize_t past = past_of(left) + past_of(right);
    PyObject *value = NULL;
    if (integer_arithmetic(k, a, b, &result)) {
        value = integer_scalar(result);
    }
    else if (k == DIVIDE && b != 0) {
        return computed_number((double)a / (double)b, rows[k].op, left, right, past);
    }
    else {
        int truth = integer_comparison(k, a, b);
        value = truth < 0 ? NULL : Py_NewRef(truth ? PyArrayScalar_True : PyArrayScalar_False);
    }
    return value == NULL ? NULL : computed_scalar(value, rows[k].op, left, right, past);
}

/* Return an operator of a number of double precision and an integer or a truth value, of which one is lazyarr's; see
   binary_of_integers. */
static PyObject *
binary_of_both(int k, PyObject *left, PyObject *right)
{
    double a, b;
    npy_long integer;
    int own;
    if (!PyLong_CheckExact(left) && as_double(left, &a) && as_integer(right, &integer, &own) && own) {
        b = (double)integer;
    }
    else if (!PyLong_CheckExact(right) && as_double(right, &b) && as_integer(left, &integer, &own) && own) {
        a = (double)integer;
    }
    else {
        return NULL;
    }
    return integer > MOST_EXACT || integer < -MOST_EXACT || isnan(a) || isnan(b) || k == POWER
        ? NULL : operator_of_doubles(k, a, b, left, right);
}

/* Return whether an operand is lazyarr's number of 64 bits. */
static inline int
is_integer_in_memory(PyObject *x)
{
    return is_array(x) && ((Array *)x)->memory != NULL && Py_TYPE(((Array *)x)->memory) == &PyLongArrType_Type;
}

/* Return an operator of two numbers or of two integers; NULL without an error: NumPy has to see to it. */
static inline PyObject *
operator_of_scalars(int k, PyObject *left, PyObject *right)
{
    int integers = is_integer_in_memory(left) || is_integer_in_memory(right);
    PyObject *result = integers ? binary_of_integers(k, left, right) : binary_of_numbers(k, left, right);
    if (result == NULL && !PyErr_Occurred()) {
        result = integers ? binary_of_numbers(k, left, right) : binary_of_integers(k, left, right);
    }
    if (result == NULL && k >= LESS && k <= GREATER_EQUAL && !PyErr_Occurred()) {
        result = comparison_of_integers(k, left, right);
    }
    return result == NULL && !PyErr_Occurred() ? binary_of_both(k, left, right) : result;
}

/* Return the number of NumPy's that lies at a place, of a type by its code; others are NumPy's to make. */
static inline PyObject *
number_at(const char *place, int code, PyArrayObject *memory)
{
#define NUMBER(code, name, type)                                                \
    case code: {                                                                \
        PyObject *number = PyArrayScalar_New(name);                             \
        if (number != NULL) {                                                   \
            PyArrayScalar_ASSIGN(number, name, *(const type *)place);           \
        }                                                                       \
        return number;                                                          \
    }
    switch (code) {
    case NPY_LONG: return integer_scalar(*(const npy_long *)place);
    case NPY_BOOL: return Py_NewRef(*place ? PyArrayScalar_True : PyArrayScalar_False);
    NUMBER(NPY_UBYTE, UByte, npy_ubyte)
    NUMBER(NPY_INT, Int, npy_int)
    NUMBER(NPY_FLOAT, Float, npy_float)
    default: return PyArray_Scalar((void *)place, PyArray_DESCR(memory), (PyObject *)memory);
    }
#undef NUMBER
}
