/* How many elements the result of a function may have, by what its arguments are. */

/* Return the third argument, or the one whose name is that of a third on which bounds depend; NULL: there is none. */
static PyObject *
third_argument(PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    for (Py_ssize_t i = 0; count < 3 && names != NULL && i < PyTuple_GET_SIZE(names); i++) {
        PyObject *name = PyTuple_GET_ITEM(names, i);
        if (!PyUnicode_CompareWithASCIIString(name, "axes") || !PyUnicode_CompareWithASCIIString(name, "num")) {
            return args[count + i];
        }
    }
    return count > 2 ? args[2] : NULL;
}

/* Return the argument that is named as an axis; NULL: there is none. */
static PyObject *
named_axis(PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    for (Py_ssize_t i = 0; names != NULL && i < PyTuple_GET_SIZE(names); i++) {
        if (!PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(names, i), "axis")) {
            return args[count + i];
        }
    }
    return NULL;
}

/* Return whether no axis is as short as an integer among the arguments says. */
static int
has_more(Operands *operands)
{
    double most = operands->largest > 1 ? operands->largest : 1;
    for (int i = 0; i < operands->count; i++) {
        PyArrayObject *array = (PyArrayObject *)operands->memory[i];
        for (int axis = 0; axis < PyArray_NDIM(array); axis++) {
            if ((double)PyArray_DIM(array, axis) <= most) {
                return 0;
            }
        }
        if (!PyArray_NDIM(array)) {
            return 0;
        }
    }
    return operands->count && operands->total <= (double)operands->most;
}

/* Return the number of an axis that an argument names, -1 for all together; -2: it names others. */
static int
axis_of_argument(PyArrayObject *array, PyObject *axis)
{
    int ndim = PyArray_NDIM(array), overflow = 0;
    if (axis == NULL || axis == Py_None) {
        return -1;
    }
    long number = PyLong_CheckExact(axis) ? PyLong_AsLongAndOverflow(axis, &overflow) : ndim;
    number += number < 0 ? ndim : 0;
    return overflow || number < 0 || number >= ndim ? -2 : (int)number;
}

/* Return the elements along the axes that an argument names; 0: it names others, or one of them twice. */
static npy_intp
length_along(PyArrayObject *array, PyObject *named)
{
    int several = named != NULL && PyTuple_CheckExact(named);
    unsigned long long seen = 0;
    npy_intp length = 1;
    for (Py_ssize_t k = 0; k < (several ? PyTuple_GET_SIZE(named) : 1); k++) {
        int axis = axis_of_argument(array, several ? PyTuple_GET_ITEM(named, k) : named);
        if (axis == -2 || (several && (axis == -1 || seen & 1ULL << axis))) {
            return 0;
        }
        length *= axis == -1 ? PyArray_SIZE(array) : PyArray_DIM(array, axis);
        seen |= axis == -1 ? 0 : 1ULL << axis;
    }
    return length;
}

/* Return whether the elements over which a spread is taken are more than the degrees of freedom that are subtracted. */
static int
has_freedom(Operands *operands)
{
    PyArrayObject *array = operands->count == 1 ? (PyArrayObject *)operands->memory[0] : NULL;
    PyObject *named = operands->axis != NULL ? operands->axis : operands->second;
    npy_intp length = array == NULL ? 0 : length_along(array, named);
    return (double)length > (operands->largest > 1 ? operands->largest : 1) && operands->total <= (double)operands->most;
}

/* Return whether each line along an axis has a number that is no NaN; of -1 all elements are one line. */
static int
has_number_in_lines(PyArrayObject *array, int axis)
{
    const double *elements = PyArray_DATA(array);
    npy_intp before = 1, behind = 1, length = axis < 0 ? PyArray_SIZE(array) : PyArray_DIM(array, axis);
    for (int k = 0; axis >= 0 && k < PyArray_NDIM(array); k++) {
        before *= k < axis ? PyArray_DIM(array, k) : 1;
        behind *= k > axis ? PyArray_DIM(array, k) : 1;
    }
    for (npy_intp line = 0; line < before * behind; line++) {
        const double *first = elements + line / behind * length * behind + line % behind;
        npy_intp k = 0;
        while (k < length && isnan(first[k * behind])) {
            k++;
        }
        if (k == length) {
            return 0;
        }
    }
    return 1;
}

/* Return whether no line along the axis that an argument names has NaNs alone; of several axes, whether there is none. */
static int
are_numbers(Operands *operands, PyObject *argument)
{
    PyObject *named = operands->axis != NULL ? operands->axis : argument;
    for (int i = 0; i < operands->count; i++) {
        PyArrayObject *array = (PyArrayObject *)operands->memory[i];
        if (PyArray_TYPE(array) != NPY_DOUBLE || !PyArray_IS_C_CONTIGUOUS(array)) {
            return 0;
        }
        int axis = axis_of_argument(array, named);
        const double *elements = PyArray_DATA(array);
        npy_intp unknown = 0, size = PyArray_SIZE(array);
        for (npy_intp k = 0; axis == -2 && k < size; k++) {
            unknown += isnan(elements[k]) != 0;
        }
        if (unknown || (axis > -2 && !has_number_in_lines(array, axis))) {
            return 0;
        }
    }
    return 1;
}

/* Return the elements of square matrices with the sides of all arrays, as many as there are. */
static double
squares_of(Operands *operands)
{
    double sides = 0, stacks = 1;
    for (int i = 0; i < operands->count; i++) {
        PyArrayObject *array = (PyArrayObject *)operands->memory[i];
        double longest = 1, second = 1;
        for (int axis = 0; PyArray_NDIM(array) > 1 && axis < PyArray_NDIM(array); axis++) {
            double length = (double)PyArray_DIM(array, axis);
            if (length > longest) {
                second = longest;
                longest = length;
            }
            else if (length > second) {
                second = length;
            }
        }
        sides += longest;
        stacks *= PyArray_NDIM(array) > 1
            ? (double)PyArray_SIZE(array) / (longest * second) : 1;
    }
    return sides * sides * stacks;
}

/* Return the elements of an array with as many around it as an integer says. */
static double
padded_size(PyArrayObject *array, double width)
{
    double size = 1;
    for (int axis = 0; axis < PyArray_NDIM(array); axis++) {
        size *= (double)PyArray_DIM(array, axis) + 2 * width;
    }
    return size;
}

/* Return how many variables all arrays together have, squared: a vector is one, and a matrix has one in each row;
   `columns`: in each column. */
static double
variables_of(Operands *operands, int columns)
{
    double sides = 0;
    for (int i = 0; i < operands->count; i++) {
        PyArrayObject *array = (PyArrayObject *)operands->memory[i];
        int axes = PyArray_NDIM(array);
        sides += axes > 1 ? (double)PyArray_DIM(array, columns ? axes - 1 : 0) : 1;
    }
    return sides * sides;
}

/* Return whether no axis has fewer than two observations: of these, NumPy's code warns before it divides by zero, which
   the expression warns of, too. */
static int
are_observed(Operands *operands)
{
    for (int i = 0; i < operands->count; i++) {
        PyArrayObject *array = (PyArrayObject *)operands->memory[i];
        for (int axis = 0; axis < PyArray_NDIM(array); axis++) {
            if (PyArray_DIM(array, axis) < 2) {
                return 0;
            }
        }
        if (!PyArray_NDIM(array)) {
            return 0;
        }
    }
    return 1;
}

/* Return how many products a sum of products has that subscripts name; infinity where others than plain
   letters do. */
static double
terms_of(Operands *operands)
{
    npy_intp lengths[128] = {0};
    double terms = 1;
    int operand = 0, axis = 0;
    Py_ssize_t length;
    const char *text = operands->texts == 1 ? PyUnicode_AsUTF8AndSize(operands->text, &length) : NULL;
    if (text == NULL || !operands->count) {
        PyErr_Clear();
        return INFINITY;
    }
    for (;; text++) {
        PyArrayObject *array = (PyArrayObject *)operands->memory[operand];
        if (*text == ',' || *text == '-' || *text == 0) {
            if (axis != PyArray_NDIM(array) || (*text == ',') != (operand + 1 < operands->count)) {
                return INFINITY;
            }
            if (*text != ',') {
                return terms;
            }
            operand++;
            axis = 0;
        }
        else if ((*text >= 'a' && *text <= 'z') || (*text >= 'A' && *text <= 'Z')) {
            if (axis == PyArray_NDIM(array)) {
                return INFINITY;
            }
            npy_intp *known = &lengths[(int)*text], own = PyArray_DIM(array, axis++);
            terms *= *known < own ? (double)own / (double)(*known ? *known : 1) : 1;
            *known = *known < own ? own : *known;
        }
        else if (*text != ' ') {
            return INFINITY;
        }
    }
}

/* Return the length of the shortest axis of an array, at least one. */
static double
shortest_axis(PyArrayObject *array)
{
    npy_intp shortest = PyArray_NDIM(array) ? PyArray_DIM(array, 0) : 1;
    for (int axis = 1; axis < PyArray_NDIM(array); axis++) {
        shortest = Py_MIN(shortest, PyArray_DIM(array, axis));
    }
    return (double)Py_MAX(shortest, 1);
}

/* Elements of which NumPy computes what has no other form. */
#define ANY_NUMBER ((Py_ssize_t)1 << 40)

/* Return how many elements there are, each as often as an array of integers says; infinite if it is of others. */
static double
repeated_elements(double elements, PyArrayObject *counts)
{
    if (PyArray_TYPE(counts) != NPY_INT64 || !PyArray_IS_C_CONTIGUOUS(counts)) {
        return INFINITY;
    }
    const npy_uint64 *count = PyArray_DATA(counts); /* one below zero, which is refused, is very many */
    npy_uint64 low = 0, high = 0;
    npy_intp size = PyArray_SIZE(counts);
    for (npy_intp i = 0; i < size; i++) {
        low += count[i] & NPY_MAX_UINT32;
        high += count[i] >> 32;
    }
    return elements / (double)size * ((double)low + ldexp((double)high, 32));
}

/* Return whether elements, as often as an array of integers says, are few. */
static int
few_repeats(Operands *operands, double most)
{
    double elements = (double)PyArray_SIZE((PyArrayObject *)operands->memory[0]);
    return repeated_elements(elements, (PyArrayObject *)operands->memory[1]) <= most;
}

/* Return how many elements the last axes of an array have, or those that a list or one integer names; 0: they are no
   such, or NumPy refuses them. */
static npy_intp
contracted_size(PyArrayObject *array, PyObject *axes)
{
    int ndim = PyArray_NDIM(array), lists = axes != NULL && !PyLong_CheckExact(axes);
    PyObject *first = lists && (PyTuple_CheckExact(axes) || PyList_CheckExact(axes)) && PySequence_Fast_GET_SIZE(axes)
        ? PySequence_Fast_GET_ITEM(axes, 0) : NULL;
    int many = first != NULL && (PyTuple_CheckExact(first) || PyList_CheckExact(first)), overflow = 0;
    long count = lists ? 0 : axes == NULL ? 2 : PyLong_AsLongAndOverflow(axes, &overflow);
    npy_intp size = 1;
    if ((lists && first == NULL) || overflow || count < 0 || count > ndim) {
        return 0;
    }
    for (long k = 0; k < count; k++) {
        size *= PyArray_DIM(array, ndim - 1 - (int)k);
    }
    for (Py_ssize_t k = 0; first != NULL && k < (many ? PySequence_Fast_GET_SIZE(first) : 1); k++) {
        PyObject *item = many ? PySequence_Fast_GET_ITEM(first, k) : first;
        long axis = PyLong_CheckExact(item) ? PyLong_AsLongAndOverflow(item, &overflow) : ndim;
        if (overflow || axis >= ndim || axis < -ndim) {
            return 0;
        }
        size *= PyArray_DIM(array, (int)(axis < 0 ? axis + ndim : axis));
    }
    return size;
}

/* Return how many elements a product summed over axes of two arrays has; infinity where its axes are not known. */
static double
contracted_elements(Operands *operands)
{
    npy_intp size = operands->count == 2 ? contracted_size((PyArrayObject *)operands->memory[0], operands->third) : 0;
    return size ? operands->product / (double)size / (double)size : INFINITY;
}

/* Return how many samples lie between numbers, or between the elements of arrays, NumPy's default if no argument says
   that; infinity where NumPy has to look at it. */
static double
samples_of(Operands *operands)
{
    int overflow = 0;
    long samples = operands->third == NULL ? DEFAULT_SAMPLES
        : PyLong_CheckExact(operands->third) ? PyLong_AsLongAndOverflow(operands->third, &overflow) : -1;
    return overflow || samples < 0 ? INFINITY : (double)samples * operands->product;
}

/* Return whether a call is of numbers alone, in sequences or not, and has a result of few enough elements. Of none,
   and of numbers that are not finite, some functions warn; integers of more than 64 bits would be objects. */
static int
takes_numbers(Call *call, Operands *operands)
{
    double most = (double)operands->most, total = operands->total > 1 ? operands->total : 1;
    if (!operands->numbers || operands->empty || operands->texts || operands->largest >= ldexp(1, 63)) {
        return 0;
    }
    if (!operands->total && (call->bound == BOUNDED || call->flags & AS_IS)) {
        return 0; /* some of these iterate over it */
    }
    switch (call->bound) {
    case TOTAL:
    case SPREAD: return total <= most;
    case CLOSE:
    case KNOWN:
    case KNOWN_QUANTILES: return !operands->infinite && total <= most;
    case FREEDOM:
    case FEWER:
    case COVARIANCES: return operands->alone && total > 1 && total == operands->numbers && total <= most;
    case BOUNDED:
    case REPEATED:
    case MULTIPLIED:
    case PADDED:
    case DIAGONAL:
    case SQUARED:
    case MATRICES:
    case PAIRED:
    case TAKEN:
    case CONTRACTED:
    case THIN: return total * operands->integers * total * operands->integers <= most * (double)state.larger;
    default: return 0;
    }
}

/* Return whether a result of a call has few enough elements. */
static int
is_bounded(Call *call, Operands *operands)
{
    double most = (double)operands->most * state.larger, size = operands->product;
    most /= (double)cheap_factor(call);
    switch (call->bound) {
    case TOTAL: return operands->total <= (double)operands->most;
    case SPREAD:
        return broadcast_fits(operands->memory, operands->count, operands->most);
    case CLOSE:
        return !operands->infinite && operands->count <= 2
            && broadcast_fits(operands->memory, operands->count, operands->most);
    case BOUNDED: return size * operands->integers <= most;
    case SQUARED: return size * size * operands->integers * operands->integers <= most;
    case MATRICES:
        return operands->denied ? operands->total <= (double)operands->most
                                : squares_of(operands) * operands->integers <= most;
    case THIN: return !operands->texts && operands->total <= (double)operands->most;
    case COVARIANCES:
        return operands->total <= (double)operands->most && are_observed(operands)
            && variables_of(operands, operands->denied) <= most;
    case DIAGONAL:
        return operands->count == 1
            && (PyArray_NDIM((PyArrayObject *)operands->memory[0]) == 2
                || size * size * operands->integers * operands->integers <= most);
    case SUBSCRIPTS: return terms_of(operands) <= (double)operands->most;
    case CONTRACTED: return contracted_elements(operands) <= (double)operands->most;
    case SAMPLED: return samples_of(operands) <= (double)operands->most;
    case NAMED: return operands->count == 1 && !operands->blank && operands->integers <= most;
    case FEWER: return has_more(operands);
    case FREEDOM: return has_freedom(operands);
    case KNOWN: return operands->total <= (double)operands->most && are_numbers(operands, operands->second);
    case KNOWN_QUANTILES: return operands->total <= (double)operands->most && are_numbers(operands, operands->third);
    case PAIRED: return size <= most;
    case TAKEN: return operands->count != 2 || size / shortest_axis((PyArrayObject *)operands->memory[0]) <= most;
    case SIDED: return size == 1 && operands->largest * operands->largest <= most;
    case REPEATED:
        most = call->flags & COPIES ? (double)operands->most : most;
        if (operands->count == 2) {
            return operands->most == ANY_NUMBER || few_repeats(operands, most);
        }
        return operands->count == 1 && size * operands->integers <= most;
    case MULTIPLIED: return operands->count == 1 && size * operands->integers <= most;
    case PADDED:
        if (operands->count != 1) {
            return 0;
        }
        size = (double)PyArray_SIZE((PyArrayObject *)operands->memory[0]);
        return padded_size((PyArrayObject *)operands->memory[0], operands->largest)
            * operands->total / size <= most;
    default: return 0;
    }
}
