/* Elements under a mask, read and written without a branch for each: one that is mispredicted takes
   as long as ten elements. Of eight of which none or all are chosen, one branch is enough. */


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

/* Return whether the elements along the last axis lie one after another. */
static int
has_whole_rows(PyArrayObject *array)
{
    int last = PyArray_NDIM(array) - 1;
    return PyArray_IS_C_CONTIGUOUS(array)
        || (last >= 0 && PyArray_STRIDE(array, last) == PyArray_ITEMSIZE(array));
}

/* Return a mask in memory of one entry an element, a new reference; NULL if an index is none, or elements
   do not lie in rows one after another. */
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
        || !has_whole_rows(mask) || !has_whole_rows(memory)
        || !PyArray_ISALIGNED(memory) || !is_known(PyArray_DESCR(memory))) {
        Py_CLEAR(mask);
    }
    return mask;
}

/* Rows of an array and of its mask: stretches of elements that lie one after another in both. */
typedef struct {
    char *row;
    const npy_bool *chosen;
    npy_intp size, left;
    npy_intp index[NPY_MAXDIMS];
} Rows;

static void
begin_rows(Rows *rows, PyArrayObject *memory, PyArrayObject *mask)
{
    rows->row = PyArray_BYTES(memory);
    rows->chosen = PyArray_DATA(mask);
    rows->size = PyArray_SIZE(memory);
    rows->left = 1;
    if (!PyArray_IS_C_CONTIGUOUS(memory) || !PyArray_IS_C_CONTIGUOUS(mask)) {
        int last = PyArray_NDIM(memory) - 1;
        rows->left = rows->size ? rows->size / PyArray_DIM(memory, last) : 0;
        rows->size = PyArray_DIM(memory, last);
        memset(rows->index, 0, sizeof(npy_intp) * (size_t)(last + 1));
    }
}

/* Go to the next row; return whether there is one. */
static int
next_row(Rows *rows, PyArrayObject *memory, PyArrayObject *mask)
{
    if (--rows->left <= 0) {
        return 0;
    }
    for (int axis = PyArray_NDIM(memory) - 2; axis >= 0; axis--) {
        npy_intp length = PyArray_DIM(memory, axis);
        rows->row += PyArray_STRIDE(memory, axis);
        rows->chosen += PyArray_STRIDE(mask, axis);
        if (++rows->index[axis] < length) {
            break;
        }
        rows->index[axis] = 0;
        rows->row -= length * PyArray_STRIDE(memory, axis);
        rows->chosen -= length * PyArray_STRIDE(mask, axis);
    }
    return 1;
}

/* Return the number of elements that a mask chooses. */
static npy_intp
count_under(PyArrayObject *memory, PyArrayObject *mask)
{
    Rows rows;
    npy_intp count = 0;
    begin_rows(&rows, memory, mask);
    do {
        count += rows.left ? count_chosen(rows.chosen, rows.size) : 0;
    } while (next_row(&rows, memory, mask));
    return count;
}

/* Return the elements under a mask as a new array. */
static PyObject *
taken(PyArrayObject *memory, PyArrayObject *mask)
{
    npy_intp count = count_under(memory, mask), size = PyArray_ITEMSIZE(memory);
    PyArray_Descr *dtype = PyArray_DESCR(memory);
    Py_INCREF(dtype);
    PyObject *before = begin_blocks((double)count * (double)size);
    PyObject *part = PyArray_NewFromDescr(&PyArray_Type, dtype, 1, &count, NULL, NULL, 0, NULL);
    end_blocks(before);
    if (part == NULL || !count) {
        return part;
    }
    char *to = PyArray_DATA((PyArrayObject *)part);
    Rows rows;
    begin_rows(&rows, memory, mask);
    do {
        npy_intp own = rows.size < PyArray_SIZE(memory) ? count_chosen(rows.chosen, rows.size) : count;
#define TAKE(type) take_##type((void *)rows.row, rows.chosen, rows.size, (void *)to, own)
        BY_SIZE(size, TAKE)
#undef TAKE
        to += own * size;
    } while (next_row(&rows, memory, mask));
    return part;
}

/* Return whether the bytes from the first to the last of an array lie among those of another. */
static int
overlaps(PyArrayObject *array, PyArrayObject *other)
{
    PyArrayObject *pair[2] = {array, other};
    char *low[2], *high[2];
    for (int k = 0; k < 2; k++) {
        low[k] = PyArray_BYTES(pair[k]);
        high[k] = low[k] + PyArray_ITEMSIZE(pair[k]);
        for (int axis = 0; axis < PyArray_NDIM(pair[k]); axis++) {
            npy_intp reach = PyArray_STRIDE(pair[k], axis) * (PyArray_DIM(pair[k], axis) - 1);
            low[k] += reach < 0 ? reach : 0;
            high[k] += reach > 0 ? reach : 0;
        }
    }
    return low[0] < high[1] && low[1] < high[0];
}

/* Write a value to the elements under a mask; return 0 where NumPy has to. */
static int
put_under(PyArrayObject *memory, PyArrayObject *mask, PyObject *value)
{
    Rows rows;
    npy_intp size = PyArray_ITEMSIZE(memory);
    if (!PyArray_ISWRITEABLE(memory) || overlaps(memory, mask)) {
        return 0;
    }
    if (!PyArray_CheckExact(value)) {
        Pair number;
        if (!put_number((char *)&number, PyArray_TYPE(memory), value)) {
            return 0;
        }
        begin_rows(&rows, memory, mask);
        do {
#define FILL(type) fill_##type((void *)rows.row, rows.chosen, rows.left ? rows.size : 0, (const void *)&number)
            BY_SIZE(size, FILL)
#undef FILL
        } while (next_row(&rows, memory, mask));
        return 1;
    }
    PyArrayObject *part = (PyArrayObject *)value;
    npy_intp count = count_under(memory, mask);
    if (PyArray_TYPE(part) != PyArray_TYPE(memory) || !is_known(PyArray_DESCR(part))
        || PyArray_NDIM(part) != 1 || PyArray_DIM(part, 0) != count || !PyArray_ISALIGNED(part)
        || !PyArray_IS_C_CONTIGUOUS(part) || overlaps(memory, part)) {
        return 0;
    }
    char *from = PyArray_DATA(part);
    begin_rows(&rows, memory, mask);
    do {
        npy_intp own = rows.left ? count_chosen(rows.chosen, rows.size) : 0;
#define PUT(type) put_##type((void *)rows.row, rows.chosen, rows.size, (void *)from, own)
        BY_SIZE(size, PUT)
#undef PUT
        from += own * size;
    } while (next_row(&rows, memory, mask));
    return 1;
}
