/* The loops of operators, on arrays of a dtype: those whose results IEEE 754 says to the bit, and those of
   integers and truth values.

   NumPy takes longer to choose a loop, and to iterate over parts of small arrays, than to compute
   them. A loop writes to fresh memory, so that all can be computed again by NumPy where it would
   warn, or where the processor is free to choose which of two results it is. */

#if defined(__x86_64__) || defined(_M_X64)
#include <immintrin.h>
/* Invalid, division by zero, overflow and underflow; exceptions are bits 0 to 5. */
#define NOTHING_MET() _mm_setcsr(_mm_getcsr() & ~0x3fu)
#define WAS_MET() (_mm_getcsr() & 0x1du)
#else
#include <fenv.h>
#define NOTHING_MET() feclearexcept(FE_ALL_EXCEPT)
#define WAS_MET() fetestexcept(FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW | FE_UNDERFLOW)
#endif

/* Functions that are compiled for processors with longer vectors too. */
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__)
#define VECTORIZED __attribute__((target_clones("default", "avx2", "arch=x86-64-v4")))
#else
#define VECTORIZED
#endif

/* Compute n elements of `out`, which lie one after another; strides are in bytes. Return whether
   it was left open which of two NaNs, or of two zeros, a result is. */
typedef int (*Loop)(char *out, const char *a, const char *b, npy_intp n, npy_intp a_stride,
                    npy_intp b_stride);

/* Return how many of n elements fill vectors: of bytes, as many as a vector has are left to a second pass, over the last
   ones again. Compilers compute those one by one. */
static inline npy_intp
whole_vectors(npy_intp n, npy_intp size)
{
    return size == 1 && n >= BYTES_OF_VECTOR ? n - n % BYTES_OF_VECTOR : n;
}

/* A loop over the elements that fill vectors, and over the last ones. */
#define TWICE(...)                                        \
    {                                                     \
        npy_intp i = 0, end = whole;                      \
        __VA_ARGS__                                       \
        i = n - BYTES_OF_VECTOR;                          \
        end = whole < n ? n : i;                          \
        __VA_ARGS__                                       \
    }

/* `count` is an integer as wide as an element: then comparisons of vectors need no conversion. What is left
   open is said of two arrays (`open`), of an array and a number (`open_one`), and of the number alone. */
#define LOOP_OF(name, type, result, count, expression, open, open_one, open_left, open_right)\
    VECTORIZED static int name(char *restrict out, const char *a, const char *b, npy_intp n, \
                               npy_intp a_stride, npy_intp b_stride)                         \
    {                                                                                        \
        result *restrict to = (result *)out;                                                 \
        const npy_intp size = sizeof(type), whole = whole_vectors(n, size);                  \
        count both = 0;                                                                      \
        if (a_stride == size && b_stride == size) {                                          \
            const type *left = (const type *)a, *right = (const type *)b;                    \
            TWICE(for (; i < end; i++) {                                                     \
                const type x = left[i], y = right[i];                                        \
                to[i] = expression;                                                          \
                both |= open;                                                                \
            })                                                                               \
        }                                                                                    \
        else if (a_stride == size && b_stride == 0) {                                        \
            const type *left = (const type *)a, y = *(const type *)b;                        \
            both = open_right;                                                               \
            TWICE(for (; i < end; i++) {                                                     \
                const type x = left[i];                                                      \
                to[i] = expression;                                                          \
                both |= open_one;                                                            \
            })                                                                               \
        }                                                                                    \
        else if (a_stride == 0 && b_stride == size) {                                        \
            const type x = *(const type *)a, *right = (const type *)b;                       \
            both = open_left;                                                                \
            TWICE(for (; i < end; i++) {                                                     \
                const type y = right[i];                                                     \
                (void)y;                                                                     \
                to[i] = expression;                                                          \
                both |= open_one;                                                            \
            })                                                                               \
        }                                                                                    \
        else {                                                                               \
            for (npy_intp i = 0; i < n; i++, a += a_stride, b += b_stride) {                 \
                const type x = *(const type *)a, y = *(const type *)b;                       \
                (void)y;                                                                     \
                to[i] = expression;                                                          \
                both |= open;                                                                \
            }                                                                                \
        }                                                                                    \
        return both != 0;                                                                    \
    }

/* Of sums and products of two NaNs, the processor takes the one that its compiler put first. */
#define LOOP(name, type, result, count, expression, commutes)                              \
    LOOP_OF(name, type, result, count, expression, (commutes) & (x != x) & (y != y), 0, \
            (commutes) & (x != x), (commutes) & (y != y))
/* Of extrema of two zeros, NumPy's loops take the one or the other. */
#define EXTREMUM(name, type, count, expression)                                            \
    LOOP_OF(name, type, type, count, expression, OPEN(count), OPEN(count), 0, 0)
#define OPEN(count)                                                                        \
    (((x != x) & (y != y)) | ((x == y) & (bits_##count(x) != bits_##count(y))))

static inline npy_int64
bits_npy_int64(double x)
{
    npy_int64 bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline npy_int32
bits_npy_int32(float x)
{
    npy_int32 bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

#define fabs_double fabs
#define fabs_float fabsf

/* Loops of one operand have a number for the second. */
#define COMPARISONS(suffix, type, count)                                   \
    LOOP(less_##suffix, type, npy_bool, count, x < y, 0)                   \
    LOOP(less_equal_##suffix, type, npy_bool, count, x <= y, 0)            \
    LOOP(equal_##suffix, type, npy_bool, count, x == y, 0)                 \
    LOOP(not_equal_##suffix, type, npy_bool, count, x != y, 0)
#define FLOAT_LOOPS(suffix, type, count)                                   \
    COMPARISONS(suffix, type, count)                                       \
    LOOP(add_##suffix, type, type, count, x + y, 1)                        \
    LOOP(subtract_##suffix, type, type, count, x - y, 0)                   \
    LOOP(multiply_##suffix, type, type, count, x *y, 1)                    \
    LOOP(divide_##suffix, type, type, count, x / y, 0)                     \
    LOOP(negative_##suffix, type, type, count, -x, 0)                      \
    LOOP(absolute_##suffix, type, type, count, fabs_##suffix(x), 0)        \
    LOOP(square_##suffix, type, type, count, x *x, 0)                      \
    EXTREMUM(minimum_##suffix, type, count, (x < y) | (x != x) ? x : y)    \
    EXTREMUM(maximum_##suffix, type, count, (x > y) | (x != x) ? x : y)

FLOAT_LOOPS(double, double, npy_int64)
FLOAT_LOOPS(float, float, npy_int32)

/* Integers wrap around, which C says of unsigned ones alone. */
#define INTEGER_LOOPS(suffix, type, unsigned_type)                                        \
    COMPARISONS(suffix, type, type)                                                       \
    LOOP(add_##suffix, type, type, type, (type)((unsigned_type)x + (unsigned_type)y), 0)  \
    LOOP(subtract_##suffix, type, type, type, (type)((unsigned_type)x - (unsigned_type)y), 0) \
    LOOP(multiply_##suffix, type, type, type, (type)((unsigned_type)x *(unsigned_type)y), 0) \
    LOOP(and_##suffix, type, type, type, x &y, 0)                                         \
    LOOP(or_##suffix, type, type, type, x | y, 0)                                         \
    LOOP(xor_##suffix, type, type, type, x ^ y, 0)                                        \
    LOOP(negative_##suffix, type, type, type, (type)(0 - (unsigned_type)x), 0)            \
    LOOP(absolute_##suffix, type, type, type, x < 0 ? (type)(0 - (unsigned_type)x) : x, 0) \
    LOOP(invert_##suffix, type, type, type, (type)~x, 0)                                  \
    LOOP(square_##suffix, type, type, type, (type)((unsigned_type)x *(unsigned_type)x), 0) \
    LOOP(minimum_##suffix, type, type, type, x < y ? x : y, 0)                            \
    LOOP(maximum_##suffix, type, type, type, x > y ? x : y, 0)

INTEGER_LOOPS(long, npy_long, npy_ulong)
INTEGER_LOOPS(int, npy_int, npy_uint)
INTEGER_LOOPS(byte, npy_ubyte, npy_ubyte)

/* Truth values, which are any bytes in views of other arrays. */
LOOP(equal_bool, npy_bool, npy_bool, npy_bool, !x == !y, 0)
LOOP(not_equal_bool, npy_bool, npy_bool, npy_bool, !x != !y, 0)
LOOP(and_bool, npy_bool, npy_bool, npy_bool, (x != 0) & (y != 0), 0)
LOOP(or_bool, npy_bool, npy_bool, npy_bool, (x | y) != 0, 0)
LOOP(invert_bool, npy_bool, npy_bool, npy_bool, !x, 0)

enum { OF_DOUBLE, OF_FLOAT, OF_LONG, OF_INT, OF_BYTE, OF_BOOL, LOOP_DTYPES };

/* Return the column of a dtype in the table of loops; -1: it has none. */
static inline int
loop_column(int code)
{
    switch (code) {
    case NPY_DOUBLE: return OF_DOUBLE;
    case NPY_FLOAT: return OF_FLOAT;
    case NPY_LONG: return OF_LONG;
    case NPY_INT: return OF_INT;
    case NPY_UBYTE: return OF_BYTE;
    case NPY_BOOL: return OF_BOOL;
    default: return -1;
    }
}

#define OF_NUMBERS(name) {name##_double, name##_float, name##_long, name##_int, name##_byte}
#define OF_TRUTH(name) {NULL, NULL, name##_long, name##_int, name##_byte, name##_bool}

static const Loop loops[][LOOP_DTYPES] = {
    [ADD] = OF_NUMBERS(add),
    [SUBTRACT] = OF_NUMBERS(subtract),
    [MULTIPLY] = OF_NUMBERS(multiply),
    [DIVIDE] = {divide_double, divide_float},
    [POWER] = OF_NUMBERS(square),
    [AND] = OF_TRUTH(and),
    [OR] = OF_TRUTH(or),
    [XOR] = {NULL, NULL, xor_long, xor_int, xor_byte, not_equal_bool},
    [LESS] = OF_NUMBERS(less),
    [LESS_EQUAL] = OF_NUMBERS(less_equal),
    [EQUAL] = {equal_double, equal_float, equal_long, equal_int, equal_byte, equal_bool},
    [NOT_EQUAL] = {not_equal_double, not_equal_float, not_equal_long, not_equal_int, not_equal_byte,
                   not_equal_bool},
    [GREATER] = OF_NUMBERS(less), /* the other way round */
    [GREATER_EQUAL] = OF_NUMBERS(less_equal),
    [NEGATIVE] = OF_NUMBERS(negative),
    [ABSOLUTE] = OF_NUMBERS(absolute),
    [INVERT] = OF_TRUTH(invert),
    [MINIMUM] = OF_NUMBERS(minimum),
    [MAXIMUM] = OF_NUMBERS(maximum),
    [LOGICAL_AND] = {[OF_BOOL] = and_bool},
    [LOGICAL_OR] = {[OF_BOOL] = or_bool},
    [LOGICAL_NOT] = {[OF_BOOL] = invert_bool},
};

/* Return whether there is a loop of two operands. */
static inline int
takes_two(int k)
{
    return k <= GREATER_EQUAL || (k >= MINIMUM && k <= LOGICAL_OR);
}
