/* Products of arrays in memory. */

/* Return the number of elements of a product of two arrays; -1 if they have none, or too many. */
static npy_intp
product_size(PyArrayObject *x, PyArrayObject *y, npy_intp most)
{
    int left = PyArray_NDIM(x), right = PyArray_NDIM(y);
    if (left < 1 || right < 1) {
        return -1;
    }
    npy_intp size = 1;
    if (left > 1) {
        size *= PyArray_DIM(x, left - 2);
    }
    if (right > 1) {
        size *= PyArray_DIM(y, right - 1);
    }
    for (int axis = 3; axis <= left || axis <= right; axis++) { /* counted from the last one */
        npy_intp length = axis <= left ? PyArray_DIM(x, left - axis) : 1;
        npy_intp other = axis <= right ? PyArray_DIM(y, right - axis) : 1;
        size *= length == 1 ? other : length;
        if (size > most) {
            return -1;
        }
    }
    return size <= most ? size : -1;
}

/* Return an operand of a product or a reduction as memory of at most so many elements, a new
   reference: also of an array that was wrapped. NULL without an error: it has none. */
static PyObject *
factor(PyObject *x, Py_ssize_t largest, Py_ssize_t *past)
{
    PyObject *memory = operand(x, largest, past);
    if (memory != NULL || !is_array(x) || ((Array *)x)->node == NULL || state.nodes == NULL
        || ((Array *)x)->owner != NULL || Py_TYPE(((Array *)x)->node) != state.nodes->type) {
        return memory;
    }
    PyObject *leaf = ((Node *)((Array *)x)->node)->attr;
    if (leaf == NULL || PySet_Contains(state.hosted, (PyObject *)Py_TYPE(leaf)) != 1) {
        PyErr_Clear();
        return NULL;
    }
    memory = PyObject_GetAttr(leaf, str_array);
    if (memory != NULL && PyArray_CheckExact(memory)
        && (PyArray_SIZE((PyArrayObject *)memory) > largest
            || !is_known(PyArray_DESCR((PyArrayObject *)memory)))) {
        Py_CLEAR(memory);
    }
    return memory;
}

/* Return the product of two vectors of double precision, a number, by the function that NumPy's products call; 0:
   they are others, or the operator, which NumPy looks at for exceptions, has met one. Other products copy vectors that
   go backwards. */
static int
dot_of_vectors(PyArrayObject *x, PyArrayObject *y, int checks, double *number)
{
    npy_intp length = PyArray_NDIM(x) == 1 ? PyArray_DIM(x, 0) : 0;
    if (!length || PyArray_NDIM(y) != 1 || PyArray_DIM(y, 0) != length || PyArray_TYPE(x) != NPY_DOUBLE
        || PyArray_TYPE(y) != NPY_DOUBLE || !PyArray_ISBEHAVED_RO(x) || !PyArray_ISBEHAVED_RO(y)
        || (!checks && (PyArray_STRIDE(x, 0) < 0 || PyArray_STRIDE(y, 0) < 0))) {
        return 0;
    }
    clear_exceptions();
    PyDataType_GetArrFuncs(PyArray_DESCR(x))->dotfunc(PyArray_DATA(x), PyArray_STRIDE(x, 0), PyArray_DATA(y),
                                                      PyArray_STRIDE(y, 0), number, length, NULL);
    return !checks || !met_exceptions();
}

/* Return the product of matrices, or of one and a vector, of double precision, by the function behind numpy.dot: BLAS
   gives matmul the same, which takes longer to begin. NULL without an error: they are others, or the operator, which
   NumPy looks at for exceptions, has met one. */
static PyObject *
product_of_matrices(PyArrayObject *x, PyArrayObject *y, int checks)
{
    int rows = PyArray_NDIM(x), columns = PyArray_NDIM(y);
    if (rows > 2 || columns > 2 || rows + columns < 3 || PyArray_TYPE(x) != NPY_DOUBLE || PyArray_TYPE(y) != NPY_DOUBLE
        || !PyArray_ISBEHAVED_RO(x) || !PyArray_ISBEHAVED_RO(y) || !PyArray_SIZE(x) || !PyArray_SIZE(y)
        || PyArray_DIM(x, rows - 1) != PyArray_DIM(y, 0) || !(PyArray_FLAGS(x) & PyArray_FLAGS(y) & NPY_ARRAY_ALIGNED)
        || !(PyArray_IS_C_CONTIGUOUS(x) || PyArray_IS_F_CONTIGUOUS(x))
        || !(PyArray_IS_C_CONTIGUOUS(y) || PyArray_IS_F_CONTIGUOUS(y))) {
        return NULL;
    }
    clear_exceptions();
    PyObject *value = PyArray_MatrixProduct2((PyObject *)x, (PyObject *)y, NULL);
    if (value != NULL && checks && met_exceptions()) {
        Py_CLEAR(value);
    }
    return value;
}

/* Return the most terms of sums of a stack of products that kernels compute sooner than NumPy, by its second matrices. */
static npy_intp
most_terms(PyArrayObject *second, Py_ssize_t most)
{
    int last = PyArray_NDIM(second) - 1;
    int apart = PyArray_DIM(second, last) > 1 && PyArray_STRIDE(second, last) != PyArray_ITEMSIZE(second);
    return !apart ? needed.terms : PyArray_SIZE(second) > most ? 0 : needed.terms_apart;
}

/* Return whether kernels compute a stack of products sooner than NumPy: of few terms and small matrices, as
   write_out_stacks of the compiler takes them, and of dtypes that NumPy has no library for. */
static int
has_kernel(const int codes[2], int few_terms, npy_intp elements)
{
    int library = codes[0] == codes[1] && (codes[0] == NPY_DOUBLE || codes[0] == NPY_FLOAT);
    return !library || (few_terms && elements <= needed.terms_matrix);
}

/* Return a product of arrays in memory by a function of NumPy's, or the operator if that is NULL; NULL
   without an error: it is to be built. Large operands are not remembered, and BLAS takes the threads that it
   likes for them. */
static PyObject *
fast_product(PyObject *left, PyObject *right, PyObject *function)
{
    Py_ssize_t most = limit_now(), past = 0;
    if (most <= 0) {
        return NULL;
    }
    Py_ssize_t largest = !is_within_threads() || PyDict_GET_SIZE(state.donated) ? most : PY_SSIZE_T_MAX;
    PyObject *a = factor(left, largest, &past), *result = NULL;
    PyObject *b = a == NULL ? NULL : factor(right, largest, &past);
    if (b == NULL || !PyArray_CheckExact(a) || !PyArray_CheckExact(b)) {
        goto done;
    }
    PyArrayObject *x = (PyArrayObject *)a, *y = (PyArrayObject *)b;
    double number;
    if (dot_of_vectors(x, y, function == NULL, &number)) {
        int remembers = PyArray_SIZE(x) <= most;
        result = remembers ? computed_number(number, state.matmul, left, right, past) : (PyObject *)new_number();
        if (!remembers && result != NULL) {
            ((Array *)result)->is_double = 1;
            ((Array *)result)->number = number;
        }
        goto done;
    }
    npy_intp size = product_size(x, y, most * state.created);
    int large = PyArray_SIZE(x) > most || PyArray_SIZE(y) > most || size > most;
    Py_ssize_t cheaper = most * state.cheaper;
    int stacked = PyArray_NDIM(x) > 2 || PyArray_NDIM(y) > 2;
    int long_stack = PyArray_SIZE(x) > cheaper || PyArray_SIZE(y) > cheaper || size > cheaper;
    if (long_stack && PyArray_NDIM(x) > 1 && PyArray_NDIM(y) > 1) {
        npy_intp rows = PyArray_DIM(x, PyArray_NDIM(x) - 2), columns = PyArray_DIM(y, PyArray_NDIM(y) - 1);
        int few_terms = PyArray_DIM(x, PyArray_NDIM(x) - 1) <= most_terms(y, most);
        long_stack = has_kernel((int[]){PyArray_TYPE(x), PyArray_TYPE(y)}, few_terms, rows * columns);
    }
    PyObject *value = size < 0 ? NULL : product_of_matrices(x, y, function == NULL);
    if (size < 0 || PyErr_Occurred()
        || (value == NULL && (!in_users_code() || (stacked && (long_stack || function != NULL))))) {
        goto done;
    }
    value = value != NULL ? value : function == NULL ? PyNumber_MatrixMultiply(a, b)
        : PyUnicode_Check(function) ? PyObject_CallMethodObjArgs(a, function, b, NULL)
        : PyObject_CallFunctionObjArgs(function, a, b, NULL);
    if (value == NULL) {
        was_refused();
    }
    else {
        result = large ? (PyObject *)new_array(value)
                       : computed(value, state.matmul, left, right, past);
    }
done:
    Py_XDECREF(a);
    Py_XDECREF(b);
    return result;
}

/* Return the lengths of an operand of a product, which are at most two; their number, or 0. */
static int
lengths_of(PyObject *x, Py_ssize_t lengths[2])
{
    Array *array = (Array *)x;
    PyObject *memory = is_array(x) ? array->memory : x;
    if (memory != NULL && PyArray_CheckExact(memory)) {
        int axes = PyArray_NDIM((PyArrayObject *)memory);
        for (int axis = 0; axis < axes && axis < 2; axis++) {
            lengths[axis] = PyArray_DIM((PyArrayObject *)memory, axis);
        }
        return axes > 2 ? 0 : axes;
    }
    if (!is_array(x) || array->owner != NULL || array->node == NULL
        || Py_TYPE(array->node) != state.nodes->type) {
        return 0;
    }
    PyObject *shape = ((Node *)array->node)->shape;
    Py_ssize_t axes = PyTuple_GET_SIZE(shape);
    for (Py_ssize_t axis = 0; axis < axes && axis < 2; axis++) {
        lengths[axis] = PyLong_AsSsize_t(PyTuple_GET_ITEM(shape, axis));
    }
    return axes > 2 ? 0 : (int)axes;
}

/* Let a stack of matrices that is an expression have memory before a product with matrices in memory that NumPy
   computes; return -1 with an error. */
static int
compute_stack(PyObject *left, PyObject *right)
{
    Py_ssize_t most = limit_now();
    PyObject *pending = is_pending(left) ? left : right, *other = pending == left ? right : left;
    PyObject *memory = most > 0 && is_pending(pending) && is_array(other) ? memory_of((Array *)other) : NULL;
    if (memory == NULL || !PyArray_CheckExact(memory)) {
        return PyErr_Occurred() ? -1 : 0;
    }
    PyArrayObject *known = (PyArrayObject *)memory;
    Node *root = (Node *)((Array *)pending)->node;
    Py_ssize_t axes = PyTuple_GET_SIZE(root->shape), known_axes = PyArray_NDIM(known);
    if (axes < 3 || known_axes < 2 || size_of(root) > most * state.created) {
        return 0;
    }
    /* The axis of rows on the left side, and that of columns on the right. */
    int own = pending == left ? 2 : 1, others = 3 - own;
    npy_intp elements = PyLong_AsSsize_t(PyTuple_GET_ITEM(root->shape, axes - own)) * PyArray_DIM(known, known_axes - others);
    npy_intp terms = PyLong_AsSsize_t(PyTuple_GET_ITEM(root->shape, axes - others));
    int few_terms = terms <= (pending == left ? most_terms(known, most) : needed.terms);
    int kernel = has_kernel((int[]){((PyArray_Descr *)root->dtype)->type_num, PyArray_TYPE(known)}, few_terms, elements);
    return kernel ? 0 : compute_pending(pending);
}

/* Return whether a product computes an expression before it reads it: plans scale the product of one that is multiplied by a
   number, up to a smaller size. -1 with an error. */
static int
is_factor_apart(Node *root)
{
    const Operation *operation = operation_of(root->op);
    int scaled = 0;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(root->src); i++) {
        scaled |= ((Node *)PyTuple_GET_ITEM(root->src, i))->op == state.constant_op;
    }
    return operation == NULL ? -1
        : (operation->kind >= ELEMENTWISE_KIND || operation->kind == REFUSED_KIND)
            && size_of(root) <= (scaled ? needed.scaled : needed.factors);
}

/* Let an expression have memory of which a product reads a large part: each product of a part would compute that anew.
   Return -1 with an error. */
static int
compute_viewed(PyObject *x)
{
    Array *view = (Array *)x;
    PyObject *owner = is_array(x) ? (PyObject *)view->owner : NULL;
    if (owner == NULL || !is_pending(owner) || !shows_expression(view) || Py_TYPE(view->node) != state.nodes->type) {
        return 0;
    }
    Node *root = (Node *)((Array *)owner)->node;
    if (size_of((Node *)view->node) * needed.least_columns < size_of(root)) {
        return 0;
    }
    int apart = is_factor_apart(root);
    return apart > 0 ? compute_pending(owner) : apart;
}

/* Let the operands of a small product that are expressions of middle size have memory, as _computed of
   native_methods.py does; return -1 with an error. */
static int
compute_factors(PyObject *left, PyObject *right)
{
    PyObject *pair[2] = {left, right};
    if (state.nodes != NULL && (compute_viewed(left) < 0 || compute_viewed(right) < 0)) {
        return -1;
    }
    if (!is_pending(left) && !is_pending(right)) {
        return 0;
    }
    Py_ssize_t a[2], b[2], most = limit_now();
    int rows = state.nodes == NULL ? 0 : lengths_of(left, a), columns = rows ? lengths_of(right, b) : 0;
    if ((!rows || !columns) && !PyErr_Occurred()) {
        return state.nodes == NULL ? 0 : compute_stack(left, right);
    }
    if (!rows || !columns
        || (rows > 1 ? a[0] : 1) * (columns > 1 ? b[1] : 1) > most * state.created) {
        return PyErr_Occurred() ? -1 : 0;
    }
    for (int k = 0; k < 2; k++) {
        if (!is_pending(pair[k])) {
            continue;
        }
        int apart = is_factor_apart((Node *)((Array *)pair[k])->node);
        if (apart < 0 || (apart && compute_pending(pair[k]) < 0)) {
            return -1;
        }
    }
    return 0;
}

static PyObject *
nb_matmul(PyObject *a, PyObject *b)
{
    if (compute_factors(a, b) < 0) {
        return NULL;
    }
    PyObject *result = is_array(a) || is_array(b) ? fast_product(a, b, NULL) : NULL;
    return result != NULL || PyErr_Occurred() ? result : slow_binary(MATMUL, a, b);
}

static PyObject *
nb_imatmul(PyObject *a, PyObject *b)
{
    PyObject *pair[2] = {a, b};
    return PyObject_Vectorcall(rows[MATMUL].in_place, pair, 2, NULL);
}
