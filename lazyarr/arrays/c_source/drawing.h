/* Draws of few random numbers, which are computed when they are called for. */

#include "draws.h"

/* Return places in random order, as `_order` of permutations.py. */
static PyObject *
drawn_order(npy_intp count, Numbers *numbers)
{
    Draw draw = {.distribution = BITS, .ndim = 1, .shape = {count}, .size = count};
    npy_uint64 lowest = 0;
    while (count > 1 && lowest < (npy_uint64)(count - 1)) {
        lowest = 2 * lowest + 1;
    }
    PyObject *words = drawn_memory(&draw, numbers), *order = NULL;
    npy_uint64 *word = words == NULL ? NULL : PyArray_DATA((PyArrayObject *)words);
    for (npy_intp k = 0; words != NULL && k < count; k++) {
        word[k] = (word[k] & ~lowest) | (npy_uint64)k;
    }
    if (words != NULL && PyArray_Sort((PyArrayObject *)words, 0, NPY_QUICKSORT) == 0
        && (order = new_memory(1, draw.shape, NPY_INT64)) != NULL) {
        npy_int64 *place = PyArray_DATA((PyArrayObject *)order);
        for (npy_intp k = 0; k < count; k++) {
            place[k] = (npy_int64)(word[k] & lowest);
        }
    }
    Py_XDECREF(words);
    return order;
}

/* Return the memory of a small array with axes, a new reference; NULL without an error: it is none. */
static PyArrayObject *
ordered_memory(PyObject *x, Py_ssize_t most)
{
    PyObject *memory = is_array(x) && !PyDict_GET_SIZE(state.donated) ? memory_of((Array *)x) : NULL;
    if (memory == NULL || !PyArray_CheckExact(memory) || !PyArray_NDIM((PyArrayObject *)memory)
        || PyArray_SIZE((PyArrayObject *)memory) > most || !PyArray_SIZE((PyArrayObject *)memory)
        || !is_known(PyArray_DESCR((PyArrayObject *)memory))) {
        return NULL;
    }
    return (PyArrayObject *)Py_NewRef(memory);
}

/* Return the slices of an array in random order. */
static PyObject *
reordered(PyArrayObject *memory, Numbers *numbers)
{
    PyObject *order = drawn_order(PyArray_DIM(memory, 0), numbers);
    PyObject *result = order == NULL ? NULL : PyArray_TakeFrom(memory, order, 0, NULL, NPY_RAISE);
    Py_XDECREF(order);
    return result;
}

static PyObject *
permuted(PyObject *x, Numbers *numbers, Py_ssize_t most)
{
    long long count;
    if (set_integer(x, &count)) {
        return count < 0 || count > most ? NULL : drawn_array(drawn_order((npy_intp)count, numbers));
    }
    PyArrayObject *memory = x == NULL ? NULL : ordered_memory(x, most);
    PyObject *result = memory == NULL ? NULL : drawn_array(reordered(memory, numbers));
    Py_XDECREF((PyObject *)memory);
    return result;
}

/* Put the slices of a small array in memory into random order; see permuted. */
static PyObject *
shuffled(PyObject *x, Numbers *numbers, Py_ssize_t most)
{
    PyArrayObject *memory = x != NULL && is_array(x) ? writable_memory((Array *)x) : NULL;
    if (memory == NULL || PyDict_GET_SIZE(state.donated) || !PyArray_NDIM(memory) || PyArray_SIZE(memory) > most) {
        return NULL;
    }
    Py_INCREF(memory);
    PyObject *other = reordered(memory, numbers), *result = NULL;
    if (other != NULL && PyArray_CopyInto(memory, (PyArrayObject *)other) == 0
        && wrote((Array *)x, (PyObject *)memory) == 0) {
        result = Py_NewRef(Py_None);
    }
    Py_XDECREF(other);
    Py_DECREF((PyObject *)memory);
    return result;
}

/* Return slices of an array, or integers, that are chosen with equal probabilities; see permuted. */
static PyObject *
chosen(PyObject *const *values, Numbers *numbers, Py_ssize_t most)
{
    PyObject *a = values[0], *replace = values[2], *index = NULL, *result = NULL;
    Draw draw = {.distribution = INTEGERS};
    long long count = 0;
    if (a == NULL || (values[3] != NULL && values[3] != Py_None) || (replace != NULL && !PyBool_Check(replace))
        || !set_shape(&draw, values[1], most)) {
        return NULL;
    }
    int whole = set_integer(a, &count);
    PyArrayObject *memory = whole ? NULL : ordered_memory(a, most);
    count = memory == NULL ? count : (long long)PyArray_DIM(memory, 0);
    draw.span = (npy_uint64)count;
    if (count < 1 || count > most || (replace == Py_False && draw.size > count)) {
        goto done;
    }
    if (replace == Py_False) {
        PyArray_Dims shape = {draw.shape, draw.ndim};
        PyObject *order = drawn_order((npy_intp)count, numbers);
        PyObject *part = order == NULL ? NULL : PySequence_GetSlice(order, 0, draw.size);
        PyObject *chosen = part == NULL ? NULL : PyArray_Newshape((PyArrayObject *)part, &shape, NPY_CORDER);
        index = chosen == NULL ? NULL : PyArray_NewCopy((PyArrayObject *)chosen, NPY_CORDER);
        Py_XDECREF(order);
        Py_XDECREF(part);
        Py_XDECREF(chosen);
    }
    else if ((index = new_memory(draw.ndim, draw.shape, NPY_INT64)) != NULL) {
        write_draw(&draw, numbers, PyArray_BYTES((PyArrayObject *)index));
    }
    if (index != NULL && memory != NULL) {
        Py_SETREF(index, PyArray_TakeFrom(memory, index, 0, NULL, NPY_RAISE));
    }
    result = index == NULL ? NULL : drawn_array(PyArray_Return((PyArrayObject *)index));
done:
    Py_XDECREF((PyObject *)memory);
    return result;
}

/* Return a parameter that is an array of a few doubles, none of a magnitude with which a step may meet an exception, or NULL. */
static PyArrayObject *
array_parameter(PyObject *x, Py_ssize_t most)
{
    Py_ssize_t past = 0;
    PyObject *memory = x != NULL && (is_array(x) || PyArray_CheckExact(x)) ? operand(x, most, &past) : NULL;
    PyArrayObject *array = (PyArrayObject *)memory;
    int fits = memory != NULL && PyArray_CheckExact(memory) && PyArray_TYPE(array) == NPY_DOUBLE && PyArray_NDIM(array)
        && PyArray_IS_C_CONTIGUOUS(array) && PyArray_ISBEHAVED_RO(array) && PyArray_SIZE(array);
    const double *elements = fits ? PyArray_DATA(array) : NULL;
    for (npy_intp k = 0; fits && k < PyArray_SIZE(array); k++) {
        fits = elements[k] == 0 || (fabs(elements[k]) <= 0x1p900 && fabs(elements[k]) >= 0x1p-900);
    }
    if (!fits) {
        Py_CLEAR(memory);
    }
    return (PyArrayObject *)memory;
}

static inline int
has_shape_of(PyArrayObject *array, int ndim, const npy_intp *shape)
{
    return PyArray_NDIM(array) == ndim && PyArray_CompareLists(PyArray_DIMS(array), shape, ndim);
}

/* Return normal numbers around the elements of an array, or as wide as they are; see permuted. */
static PyObject *
normals_of_arrays(PyObject *const *values, Numbers *numbers, Py_ssize_t most)
{
    Draw draw = {.distribution = STANDARD_NORMAL}, asked;
    PyArrayObject *means = array_parameter(values[0], most), *widths = array_parameter(values[1], most);
    PyArrayObject *array = means != NULL ? means : widths;
    double mean = 0, width = 1;
    PyObject *memory = NULL;
    if (array == NULL || (means == NULL && !set_parameter(values[0], 0, &mean))
        || (widths == NULL && (!set_parameter(values[1], 1, &width) || signbit(width)))) {
        goto done;
    }
    draw.ndim = PyArray_NDIM(array);
    draw.size = PyArray_SIZE(array);
    memcpy(draw.shape, PyArray_DIMS(array), (size_t)draw.ndim * sizeof(npy_intp));
    int sized = values[2] != NULL && values[2] != Py_None;
    if ((widths != NULL && !has_shape_of(widths, draw.ndim, draw.shape))
        || (sized && (!set_shape(&asked, values[2], most) || !has_shape_of(array, asked.ndim, asked.shape)))) {
        goto done;
    }
    const double *around = means == NULL ? NULL : PyArray_DATA(means), *wide = widths == NULL ? NULL : PyArray_DATA(widths);
    for (npy_intp k = 0; wide != NULL && k < draw.size; k++) {
        if (signbit(wide[k])) {
            goto done;
        }
    }
    memory = drawn_memory(&draw, numbers);
    double *out = memory == NULL ? NULL : PyArray_DATA((PyArrayObject *)memory);
    for (npy_intp k = 0; out != NULL && k < draw.size; k++) {
        double scaled = (wide == NULL ? width : wide[k]) * out[k];
        out[k] = (around == NULL ? mean : around[k]) + scaled;
    }
done:
    Py_XDECREF((PyObject *)means);
    Py_XDECREF((PyObject *)widths);
    return memory == NULL ? NULL : drawn_array(memory);
}

/* Return the result of a generator's function; NULL without an error: Python has to see to it. */
static PyObject *
fast_draw(Call *call, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    Draw draw = {.distribution = call->fits};
    PyObject *values[MOST_PARAMETERS] = {NULL}, *result;
    Py_ssize_t most = count < 1 ? 0 : limit_now();
    most = Py_MIN(most, drawing.most);
    if (most <= 0 || !sort_arguments(draw.distribution, args + 1, count - 1, names, values)) {
        return NULL;
    }
    int of_numbers = draw.distribution > INTEGERS || set_draw(&draw, values, most);
    if (!of_numbers && draw.distribution != NORMAL) {
        return NULL;
    }
    Numbers *numbers = numbers_of(args[0]);
    if (numbers == NULL) {
        return NULL;
    }
    switch (of_numbers ? draw.distribution : NORMAL) {
    case NORMAL: result = of_numbers ? drawn(&draw, numbers) : normals_of_arrays(values, numbers, most); break;
    case PERMUTATION: result = permuted(values[0], numbers, most); break;
    case SHUFFLE: result = shuffled(values[0], numbers, most); break;
    case CHOICE: result = chosen(values, numbers, most); break;
    default: result = drawn(&draw, numbers);
    }
    Py_DECREF((PyObject *)numbers);
    return result;
}

static PyObject *
draw_vectorcall(PyObject *self, PyObject *const *args, size_t flags, PyObject *names)
{
    Call *call = (Call *)self;
    PyObject *result = fast_draw(call, args, PyVectorcall_NARGS(flags), names);
    return result != NULL || PyErr_Occurred()
        ? result : PyObject_Vectorcall(call->slow, args, (size_t)PyVectorcall_NARGS(flags), names);
}

/* drawn(generator, distribution, shape): the next draw, if it is of few elements, or None. */
static PyObject *
drawn_of(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t count)
{
    Draw draw = {.factor = 1};
    Py_ssize_t most = count == 3 ? limit_now() : 0;
    most = Py_MIN(most, drawing.most);
    if (most < 0 || (draw.distribution = (int)PyLong_AsLong(args[1])) < 0) {
        return NULL;
    }
    Numbers *numbers = most > 0 && set_shape(&draw, args[2], most) ? numbers_of(args[0]) : NULL;
    PyObject *result = numbers == NULL ? Py_NewRef(Py_None) : drawn(&draw, numbers);
    Py_XDECREF((PyObject *)numbers);
    return result;
}
