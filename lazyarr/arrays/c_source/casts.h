/* Casts of elements between the commonest dtypes. */

#define CAST_EACH(from, to, expression, step)                                   \
    for (npy_intp i = 0; i < count; i++) {                                      \
        const from x = *(const from *)(data + i * (step));                      \
        ((to *)out)[i] = (to)(expression);                                      \
    }
/* Of elements that lie side by side the compiler makes vectors. */
#define CAST_LOOP(code, from, to, expression)                                   \
    case code:                                                                  \
        if (stride == (npy_intp)sizeof(from)) {                                 \
            CAST_EACH(from, to, expression, (npy_intp)sizeof(from))             \
        }                                                                       \
        else {                                                                  \
            CAST_EACH(from, to, expression, stride)                             \
        }                                                                       \
        return 1;
#define CASTS_OF_INTEGERS(to)                                                   \
    CAST_LOOP(NPY_BOOL, npy_bool, to, x != 0)                                   \
    CAST_LOOP(NPY_UBYTE, npy_ubyte, to, x)                                      \
    CAST_LOOP(NPY_INT, npy_int, to, x)                                          \
    CAST_LOOP(NPY_LONG, npy_long, to, x)
#define CASTS_OF_FLOATS(to)                                                     \
    CAST_LOOP(NPY_FLOAT, npy_float, to, x)                                      \
    CAST_LOOP(NPY_DOUBLE, npy_double, to, x)

/* Write elements of a dtype in another one; return whether there is a loop for it. Whoever asks for one that
   may meet an exception looks for it. Of truth values any byte but zero is true. */
VECTORIZED static int
cast_elements(char *out, int to_code, const char *data, int from_code, npy_intp count, npy_intp stride)
{
    switch (to_code) {
    case NPY_DOUBLE:
        switch (from_code) { CASTS_OF_INTEGERS(double) CASTS_OF_FLOATS(double) default: return 0; }
    case NPY_FLOAT:
        switch (from_code) { CASTS_OF_INTEGERS(float) CASTS_OF_FLOATS(float) default: return 0; }
    case NPY_LONG:
        switch (from_code) { CASTS_OF_INTEGERS(npy_long) CASTS_OF_FLOATS(npy_long) default: return 0; }
    case NPY_INT:
        switch (from_code) { CASTS_OF_INTEGERS(npy_int) CASTS_OF_FLOATS(npy_int) default: return 0; }
    case NPY_UBYTE:
        switch (from_code) { CASTS_OF_INTEGERS(npy_ubyte) default: return 0; }
    case NPY_BOOL:
        switch (from_code) {
            CAST_LOOP(NPY_UBYTE, npy_ubyte, npy_bool, x != 0)
            CAST_LOOP(NPY_INT, npy_int, npy_bool, x != 0)
            CAST_LOOP(NPY_LONG, npy_long, npy_bool, x != 0)
            CAST_LOOP(NPY_FLOAT, npy_float, npy_bool, x != 0)
            CAST_LOOP(NPY_DOUBLE, npy_double, npy_bool, x != 0)
        default: return 0;
        }
    default: return 0;
    }
}

/* Exceptions of the processor and, which a loop raises by the C library, of its unit for numbers of 80 bits. */
#if defined(__x86_64__) && defined(__GNUC__)
static inline unsigned int
coprocessor_exceptions(void)
{
    unsigned short status;
    __asm__ volatile("fnstsw %0" : "=am"(status));
    return status & 0x1du;
}

static inline void
clear_exceptions(void)
{
    NOTHING_MET();
    if (coprocessor_exceptions()) {
        __asm__ volatile("fnclex");
    }
}

/* Return the exceptions that were met, as NumPy numbers them. */
static inline int
met_exceptions(void)
{
    unsigned int met = WAS_MET() | coprocessor_exceptions();
    return (met & 1 ? NPY_FPE_INVALID : 0) | (met & 4 ? NPY_FPE_DIVIDEBYZERO : 0)
        | (met & 8 ? NPY_FPE_OVERFLOW : 0) | (met & 16 ? NPY_FPE_UNDERFLOW : 0);
}
#else
#include <fenv.h>
static inline void
clear_exceptions(void)
{
    feclearexcept(FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW | FE_UNDERFLOW);
}

static inline int
met_exceptions(void)
{
    int met = fetestexcept(FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW | FE_UNDERFLOW);
    return (met & FE_INVALID ? NPY_FPE_INVALID : 0) | (met & FE_DIVBYZERO ? NPY_FPE_DIVIDEBYZERO : 0)
        | (met & FE_OVERFLOW ? NPY_FPE_OVERFLOW : 0) | (met & FE_UNDERFLOW ? NPY_FPE_UNDERFLOW : 0);
}
#endif
