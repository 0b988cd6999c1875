/* Elements under a mask, read and written without a branch for each: one that is mispredicted takes
   as long as ten elements. Of eight of which none or all are chosen, one branch is enough. */

#include <float.h>

#define MASKED 8 /* elements between two branches */
#define ALL_CHOSEN (NPY_MAX_UINT64 / NPY_MAX_UINT8) /* entries of NumPy's own making are 0 or 1 */

typedef struct {
    npy_uint64 low, high;
} Pair; /* an element of a complex128 */

static inline npy_uint64
eight_of(const npy_bool *mask)
{
    npy_uint64 word;
    memcpy(&word, mask, sizeof(word));
    return word;
}

static npy_intp
count_chosen(const npy_bool *mask, npy_intp size)
{
    npy_intp count = 0, i = 0;
    for (; i + MASKED <= size; i += MASKED) {
        npy_uint64 word = eight_of(mask + i);
        if (word & ~ALL_CHOSEN) {
            word |= word >> 4;
            word |= word >> 2;
            word = (word | word >> 1) & ALL_CHOSEN;
        }
        count += (npy_intp)((word * ALL_CHOSEN) >> 56);
    }
    for (; i < size; i++) {
        count += mask[i] != 0;
    }
    return count;
}

/* Return how many elements are chosen one after another, of eight that are, a multiple of eight. */
static npy_intp
run_of(const npy_bool *mask, npy_intp size)
{
    npy_intp run = MASKED;
    while (run + MASKED <= size && eight_of(mask + run) == ALL_CHOSEN) {
        run += MASKED;
    }
    return run;
}

/* Return the second value if a condition, 0 or 1, is 1: without a branch. */
#define DEFINE_CHOICE(type)                                                        \
    static inline type chosen_##type(npy_uint64 condition, type other, type value) \
    {                                                                              \
        type bits = (type)-(type)condition;                                        \
        return (type)((other & (type)~bits) | (value & bits));                     \
    }

DEFINE_CHOICE(npy_uint8)
DEFINE_CHOICE(npy_uint16)
DEFINE_CHOICE(npy_uint32)
DEFINE_CHOICE(npy_uint64)

static inline Pair
chosen_Pair(npy_uint64 condition, Pair other, Pair value)
{
    Pair result = {chosen_npy_uint64(condition, other.low, value.low),
                   chosen_npy_uint64(condition, other.high, value.high)};
    return result;
}

/* `take`: copy the chosen elements to `part`, `count` of them. `put`: copy `part` to the chosen
   ones. The last elements have a branch each, as a copy that is not meant may lie beyond the end of
   `part`. */
#define TAKE_RUN(type) memcpy(part + k, array + i, (size_t)run * sizeof(type))
#define TAKE_ONE(type, is_chosen) part[k] = array[i + j]
#define PUT_RUN(type) memcpy(array + i, part + k, (size_t)run * sizeof(type))
#define PUT_ONE(type, is_chosen) \
    array[i + j] = chosen_##type(is_chosen, array[i + j], part[k])

#define DEFINE_MASKED(name, type, RUN, ONE)                                                     \
    static void name##_##type(type *array, const npy_bool *mask, npy_intp size, type *part,     \
                              npy_intp count)                                                   \
    {                                                                                           \
        npy_intp i = 0, k = 0;                                                                  \
        for (; i + MASKED <= size && k + MASKED <= count; i += MASKED) {                        \
            npy_uint64 word = eight_of(mask + i);                                               \
            if (word == 0) {                                                                    \
                continue;                                                                       \
            }                                                                                   \
            if (word == ALL_CHOSEN) {                                                           \
                npy_intp run = run_of(mask + i, size - i < count - k ? size - i : count - k);   \
                RUN(type);                                                                      \
                i += run - MASKED;                                                              \
                k += run;                                                                       \
                continue;                                                                       \
            }                                                                                   \
            for (int j = 0; j < MASKED; j++) {                                                  \
                npy_uint64 is_chosen = mask[i + j] != 0;                                        \
                ONE(type, is_chosen);                                                           \
                k += (npy_intp)is_chosen;                                                       \
            }                                                                                   \
        }                                                                                       \
        for (int j = 0; i < size && k < count; i++) {                                           \
            if (mask[i]) {                                                                      \
                ONE(type, 1);                                                                   \
                k++;                                                                            \
            }                                                                                   \
        }                                                                                       \
    }

/* `fill`: copy one element to the chosen ones. */
#define DEFINE_FILL(type)                                                                       \
    static void fill_##type(type *array, const npy_bool *mask, npy_intp size, const type *part) \
    {                                                                                           \
        type value = *part;                                                                     \
        npy_intp i = 0;                                                                         \
        for (; i + MASKED <= size; i += MASKED) {                                               \
            npy_uint64 word = eight_of(mask + i);                                               \
            if (word == 0) {                                                                    \
                continue;                                                                       \
            }                                                                                   \
            if (word == ALL_CHOSEN) {                                                           \
                npy_intp run = run_of(mask + i, size - i);                                      \
                for (npy_intp j = 0; j < run; j++) {                                            \
                    array[i + j] = value;                                                       \
                }                                                                               \
                i += run - MASKED;                                                              \
                continue;                                                                       \
            }                                                                                   \
            for (int j = 0; j < MASKED; j++) {                                                  \
                array[i + j] = chosen_##type(mask[i + j] != 0, array[i + j], value);            \
            }                                                                                   \
        }                                                                                       \
        for (; i < size; i++) {                                                                 \
            if (mask[i]) {                                                                      \
                array[i] = value;                                                               \
            }                                                                                   \
        }                                                                                       \
    }

DEFINE_MASKED(take, npy_uint8, TAKE_RUN, TAKE_ONE)
DEFINE_MASKED(put, npy_uint8, PUT_RUN, PUT_ONE)
DEFINE_MASKED(take, npy_uint16, TAKE_RUN, TAKE_ONE)
DEFINE_MASKED(put, npy_uint16, PUT_RUN, PUT_ONE)
DEFINE_MASKED(take, npy_uint32, TAKE_RUN, TAKE_ONE)
DEFINE_MASKED(put, npy_uint32, PUT_RUN, PUT_ONE)
DEFINE_MASKED(take, npy_uint64, TAKE_RUN, TAKE_ONE)
DEFINE_MASKED(put, npy_uint64, PUT_RUN, PUT_ONE)
DEFINE_MASKED(take, Pair, TAKE_RUN, TAKE_ONE)
DEFINE_MASKED(put, Pair, PUT_RUN, PUT_ONE)
DEFINE_FILL(npy_uint8)
DEFINE_FILL(npy_uint16)
DEFINE_FILL(npy_uint32)
DEFINE_FILL(npy_uint64)
DEFINE_FILL(Pair)

#define BY_SIZE(itemsize, call)                \
    switch (itemsize) {                        \
    case 1: call(npy_uint8); break;            \
    case 2: call(npy_uint16); break;           \
    case 4: call(npy_uint32); break;           \
    case 8: call(npy_uint64); break;           \
    default: call(Pair); break;                \
    }

/* Return a mask in memory of one entry an element, borrowed; NULL if an index is none, or elements
   do not lie one after another. */
static PyArrayObject *
mask_of(PyObject *key, PyArrayObject *memory, Py_ssize_t most)
{
    Py_ssize_t past = 0;
    if (!is_array(key) && !PyArray_CheckExact(key)) {
        return NULL;
    }
    PyArrayObject *mask = (PyArrayObject *)operand(key, most, &past);
    if (mask == NULL || !PyArray_CheckExact(mask) || PyArray_TYPE(mask) != NPY_BOOL
        || PyArray_NDIM(mask) == 0 || !PyArray_SAMESHAPE(mask, memory)
        || !PyArray_IS_C_CONTIGUOUS(mask) || !PyArray_IS_C_CONTIGUOUS(memory)
        || !PyArray_ISALIGNED(memory) || !is_known(PyArray_DESCR(memory))) {
        return NULL;
    }
    return mask;
}

/* Return the elements under a mask as a new array. */
static PyObject *
taken(PyArrayObject *memory, PyArrayObject *mask)
{
    const npy_bool *chosen = PyArray_DATA(mask);
    npy_intp size = PyArray_SIZE(mask), count = count_chosen(chosen, size);
    PyArray_Descr *dtype = PyArray_DESCR(memory);
    Py_INCREF(dtype);
    PyObject *part = PyArray_NewFromDescr(&PyArray_Type, dtype, 1, &count, NULL, NULL, 0, NULL);
    if (part == NULL) {
        return NULL;
    }
    void *from = PyArray_DATA(memory);
    void *to = PyArray_DATA((PyArrayObject *)part);
#define TAKE(type) take_##type(from, chosen, size, to, count)
    BY_SIZE(PyArray_ITEMSIZE(memory), TAKE)
#undef TAKE
    return part;
}

/* Return whether the elements of an array lie among those of another. */
static int
overlaps(PyArrayObject *array, PyArrayObject *other)
{
    const char *a = PyArray_BYTES(array), *b = PyArray_BYTES(other);
    return a < b + PyArray_NBYTES(other) && b < a + PyArray_NBYTES(array);
}

/* Put a number into memory for one element; return whether it is one of the dtype, unchanged. */
static int
pack_number(PyObject *value, PyArrayObject *memory, void *place)
{
    int code = PyArray_TYPE(memory);
    if (PyFloat_CheckExact(value) && code == NPY_FLOAT) {
        double number = PyFloat_AS_DOUBLE(value);
        *(float *)place = fabs(number) <= FLT_MAX || !isfinite(number) ? (float)number : 0;
        return fabs(number) <= FLT_MAX || !isfinite(number);
    }
    if (PyFloat_CheckExact(value) ? code != NPY_DOUBLE
        : PyLong_CheckExact(value) ? code != NPY_DOUBLE && code != NPY_INT64
        : PyBool_Check(value) ? code != NPY_BOOL && code != NPY_DOUBLE : 1) {
        return 0;
    }
    if (PyArray_SETITEM(memory, place, value) < 0) {
        PyErr_Clear(); /* NumPy says what is wrong with it */
        return 0;
    }
    return 1;
}

/* Write a value to the elements under a mask; return 0 where NumPy has to. */
static int
put_under(PyArrayObject *memory, PyArrayObject *mask, PyObject *value)
{
    const npy_bool *chosen = PyArray_DATA(mask);
    npy_intp size = PyArray_SIZE(mask);
    void *to = PyArray_DATA(memory);
    if (!PyArray_ISWRITEABLE(memory) || overlaps(memory, mask)) {
        return 0;
    }
    if (!PyArray_CheckExact(value)) {
        Pair number;
        if (!pack_number(value, memory, &number)) {
            return 0;
        }
#define FILL(type) fill_##type(to, chosen, size, (const void *)&number)
        BY_SIZE(PyArray_ITEMSIZE(memory), FILL)
#undef FILL
        return 1;
    }
    PyArrayObject *part = (PyArrayObject *)value;
    npy_intp count = count_chosen(chosen, size);
    if (PyArray_TYPE(part) != PyArray_TYPE(memory) || !is_known(PyArray_DESCR(part))
        || PyArray_NDIM(part) != 1 || PyArray_DIM(part, 0) != count || !PyArray_ISALIGNED(part)
        || !PyArray_IS_C_CONTIGUOUS(part) || overlaps(memory, part)) {
        return 0;
    }
    void *from = PyArray_DATA(part);
#define PUT(type) put_##type(to, chosen, size, from, count)
    BY_SIZE(PyArray_ITEMSIZE(memory), PUT)
#undef PUT
    return 1;
}
