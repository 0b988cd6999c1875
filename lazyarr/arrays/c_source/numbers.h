/* Numbers of double precision, which are computed here as the processor does.

   IEEE 754 says what the bits are. What NumPy would warn of (a result that is not finite, or too
   small) goes to NumPy, as do operands that are not finite. */

#include <math.h>

/* Integers up to here are numbers of double precision too. */
#define MOST_EXACT ((long long)1 << 53)

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

/* Return the operands of an operator if one of them is lazyarr's and both are finite. */
static inline int
as_doubles(PyObject *left, PyObject *right, double *a, double *b)
{
    return as_double(left, a) && as_double(right, b) && isfinite(*a) && isfinite(*b);
}

/* Return whether two finite numbers have a result that NumPy warns of under no error state. */
static inline int
arithmetic(int k, double a, double b, double *result)
{
    switch (k) {
    case ADD: *result = a + b; return isfinite(*result);
    case SUBTRACT: *result = a - b; return isfinite(*result);
    case MULTIPLY: *result = a * b; return isnormal(*result) || a == 0 || b == 0;
    case DIVIDE: *result = a / b; return isnormal(*result) || (a == 0 && b != 0);
    case POWER: *result = pow(a, b); return isnormal(*result); /* as NumPy's numbers do */
    default: return 0;
    }
}

static inline int
comparison(int k, double a, double b)
{
    switch (k) {
    case LESS: return a < b;
    case LESS_EQUAL: return a <= b;
    case EQUAL: return a == b;
    case NOT_EQUAL: return a != b;
    case GREATER: return a > b;
    case GREATER_EQUAL: return a >= b;
    default: return -1;
    }
}

static inline Py_ssize_t
past_of(PyObject *x)
{
    return is_array(x) ? ((Array *)x)->past : 0;
}

/* Return an operator of two numbers; NULL without an error: NumPy has to see to it. */
static PyObject *
binary_of_numbers(int k, PyObject *left, PyObject *right)
{
    double a, b, result;
    if (!as_doubles(left, right, &a, &b)) {
        return NULL;
    }
    if (arithmetic(k, a, b, &result)) {
        return computed_number(result, rows[k].op, left, right, past_of(left) + past_of(right));
    }
    int truth = comparison(k, a, b);
    if (truth < 0) {
        return NULL;
    }
    PyObject *value = truth ? PyArrayScalar_True : PyArrayScalar_False;
    Py_INCREF(value);
    return computed(value, rows[k].op, left, right, past_of(left) + past_of(right));
}
