/* Memory of large arrays that NumPy makes for those of lazyarr: blocks that were freed are used again.

   malloc hands blocks of this size back to the system as soon as a few are free, and the next array meets
   the first write to each of its pages anew. On a Xeon, a virtual machine, `y = d[places]; y + w` of 50,000
   elements takes 230 microseconds so, and 60 in pages that were used before. NumPy asks for memory by a
   handler (NEP 49), which is set while it computes for us, and which each array remembers. */

#include <stdlib.h>
#include <string.h>
#if defined(__linux__)
#include <sys/mman.h>
#endif
#if defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L && !defined(__STDC_NO_ATOMICS__)
#include <stdatomic.h>
static atomic_flag blocks_busy = ATOMIC_FLAG_INIT;
#define ENTER_BLOCKS() (!atomic_flag_test_and_set_explicit(&blocks_busy, memory_order_acquire))
#define LEAVE_BLOCKS() atomic_flag_clear_explicit(&blocks_busy, memory_order_release)
#else
#define ENTER_BLOCKS() 1 /* under the lock of the interpreter */
#define LEAVE_BLOCKS() ((void)0)
#endif

/* Blocks begin at different places of a page: where the last twelve bits of two addresses are the same, a
   load waits for a store. */
#define BLOCK_ALIGNMENT 64
#define BLOCK_SLACK (2 * BLOCK_ALIGNMENT + PLACES * PLACE_STEP)

/* Lies in the 64 bytes before the memory that NumPy gets. */
typedef struct Block {
    void *begin;        /* what malloc returned */
    struct Block *next; /* that is idle, too */
    size_t bytes;       /* of the memory */
    int size_class;     /* -1: the block is not kept */
} Block;

static Block *idle_blocks[OCTAVES * STEPS];
static size_t idle_bytes;
static unsigned int block_count;

/* Return the class of a number of bytes, and round it up to that of the class; -1: it has none. */
static int
class_of(size_t *bytes)
{
    int octave = 0;
    if (*bytes < LEAST_POOLED) {
        return -1;
    }
    while (octave < OCTAVES && (*bytes - 1) >> (FIRST_OCTAVE + octave + 1)) {
        octave++;
    }
    size_t first = LEAST_POOLED << octave, step = first / STEPS;
    size_t steps = *bytes <= first ? 0 : (*bytes - first + step - 1) / step;
    int size_class = octave * STEPS + (int)steps;
    if (size_class >= OCTAVES * STEPS) {
        return -1;
    }
    *bytes = first + steps * step;
    return size_class;
}

static inline Block *
block_of(void *memory)
{
    return (Block *)((char *)memory - BLOCK_ALIGNMENT);
}

/* Ask the system for huge pages of new memory, as NumPy's own handler does: each takes one fault, not 512. */
static void
ask_for_huge_pages(char *begin, size_t bytes)
{
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    if (bytes >= LEAST_HUGE) {
        size_t before = PAGE_BYTES - (uintptr_t)begin % PAGE_BYTES;
        madvise(begin + before, bytes - before, MADV_HUGEPAGE); /* no more than a wish */
    }
#else
    (void)begin, (void)bytes;
#endif
}

/* Return memory of at least so many bytes, all zero if `zeroed`; NULL: there is none. */
static void *
taken_block(size_t bytes, int zeroed)
{
    int size_class = class_of(&bytes);
    Block *block = NULL;
    if (size_class >= 0 && ENTER_BLOCKS()) {
        block = idle_blocks[size_class];
        if (block != NULL) {
            idle_blocks[size_class] = block->next;
            idle_bytes -= block->bytes;
        }
        LEAVE_BLOCKS();
    }
    if (block != NULL) {
        char *memory = (char *)block + BLOCK_ALIGNMENT;
        return zeroed ? memset(memory, 0, bytes) : memory;
    }
    if (bytes > SIZE_MAX - BLOCK_SLACK) {
        return NULL;
    }
    char *begin = zeroed ? calloc(1, bytes + BLOCK_SLACK) : malloc(bytes + BLOCK_SLACK);
    if (begin == NULL) {
        return NULL;
    }
    ask_for_huge_pages(begin, bytes);
    size_t place = size_class < 0 ? 0 : (size_t)(block_count++ % PLACES) * PLACE_STEP;
    uintptr_t memory = ((uintptr_t)begin + BLOCK_ALIGNMENT + place + BLOCK_ALIGNMENT - 1)
        & ~(uintptr_t)(BLOCK_ALIGNMENT - 1);
    block = block_of((void *)memory);
    *block = (Block){begin, NULL, bytes, size_class};
    return (void *)memory;
}

/* Hand all blocks that wait back to malloc. */
static void
drop_idle_blocks(void)
{
    for (int k = 0; k < OCTAVES * STEPS; k++) {
        while (idle_blocks[k] != NULL) {
            Block *block = idle_blocks[k];
            idle_blocks[k] = block->next;
            free(block->begin);
        }
    }
    idle_bytes = 0;
}

static void *
allocate_block(void *Py_UNUSED(context), size_t bytes)
{
    return taken_block(bytes, 0);
}

static void *
allocate_zeros(void *Py_UNUSED(context), size_t count, size_t each)
{
    return each && count > SIZE_MAX / each ? NULL : taken_block(count * each, 1);
}

static void
free_block(void *Py_UNUSED(context), void *memory, size_t Py_UNUSED(bytes))
{
    if (memory == NULL) {
        return;
    }
    Block *block = block_of(memory);
    if (block->size_class < 0 || !ENTER_BLOCKS()) {
        free(block->begin);
        return;
    }
    if (idle_bytes + block->bytes > MOST_IDLE) {
        drop_idle_blocks();
    }
    block->next = idle_blocks[block->size_class];
    idle_blocks[block->size_class] = block;
    idle_bytes += block->bytes;
    LEAVE_BLOCKS();
}

static void *
reallocate_block(void *context, void *memory, size_t bytes)
{
    if (memory == NULL) {
        return taken_block(bytes, 0);
    }
    size_t before = block_of(memory)->bytes;
    void *moved = taken_block(bytes, 0);
    if (moved != NULL) {
        memcpy(moved, memory, before < bytes ? before : bytes);
        free_block(context, memory, before);
    }
    return moved;
}

static PyDataMem_Handler blocks_handler = {
    "lazyarr", 1, {NULL, allocate_block, allocate_zeros, reallocate_block, free_block},
};

static PyObject *blocks_capsule;

/* Let NumPy take blocks for what it computes of an operand, if that is large; return the handler before,
   for `end_blocks`; NULL: it stays. */
static PyObject *
begin_blocks(double bytes)
{
    if (bytes < (double)LEAST_POOLED) {
        return NULL;
    }
    if (blocks_capsule == NULL) {
        blocks_capsule = PyCapsule_New(&blocks_handler, "mem_handler", NULL);
    }
    PyObject *before = blocks_capsule == NULL ? NULL : PyDataMem_SetHandler(blocks_capsule);
    if (before == NULL) {
        PyErr_Clear(); /* then it takes memory from malloc */
    }
    return before;
}

/* Let NumPy take memory as before `begin_blocks`, whatever the error is that is under way. */
static void
end_blocks(PyObject *before)
{
    if (before == NULL) {
        return;
    }
    PyObject *type, *error, *traceback;
    PyErr_Fetch(&type, &error, &traceback);
    PyObject *own = PyDataMem_SetHandler(before);
    Py_XDECREF(own);
    Py_DECREF(before);
    PyErr_Restore(type, error, traceback);
}

/* Return the bytes of an ndarray; 0 of anything else. */
static inline double
memory_bytes(PyObject *memory)
{
    return memory != NULL && PyArray_Check(memory) ? (double)PyArray_NBYTES((PyArrayObject *)memory) : 0;
}

static inline double
largest_bytes(PyObject *const *operands, Py_ssize_t count)
{
    double most = 0;
    for (Py_ssize_t k = 0; k < count; k++) {
        double own = memory_bytes(operands[k]);
        most = own > most ? own : most;
    }
    return most;
}

/* Orders of elements. */
#define IN_C 1
#define IN_FORTRAN 2

/* Return a new array whose elements are not set, in a block if it is large, in C's order if that is one of the orders. */
static PyObject *
new_memory_in(int ndim, npy_intp *shape, int code, int orders)
{
    int flags = orders & IN_C ? NPY_ARRAY_CARRAY : NPY_ARRAY_FARRAY;
    npy_intp count = PyArray_MultiplyList(shape, ndim);
    PyArray_Descr *dtype = PyArray_DescrFromType(code);
    size_t bytes = dtype == NULL ? 0 : (size_t)count * (size_t)PyDataType_ELSIZE(dtype);
    if (bytes >= LEAST_POOLED && blocks_capsule == NULL) {
        blocks_capsule = PyCapsule_New(&blocks_handler, "mem_handler", NULL);
        PyErr_Clear(); /* then malloc has memory */
    }
    void *block = bytes >= LEAST_POOLED && blocks_capsule != NULL ? taken_block(bytes, 0) : NULL;
    if (dtype == NULL) {
        return NULL;
    }
    PyObject *array = PyArray_NewFromDescr(&PyArray_Type, dtype, ndim, shape, NULL, block,
                                           block == NULL ? flags & NPY_ARRAY_F_CONTIGUOUS : flags, NULL);
    if (block != NULL && array == NULL) {
        free_block(NULL, block, bytes);
    }
    else if (block != NULL) {
        PyArrayObject_fields *fields = (PyArrayObject_fields *)array;
        fields->mem_handler = Py_NewRef(blocks_capsule);
        PyArray_ENABLEFLAGS((PyArrayObject *)array, NPY_ARRAY_OWNDATA);
    }
    return array;
}

/* Return a new array in C's order whose elements are not set, in a block if it is large. */
static PyObject *
new_memory(int ndim, npy_intp *shape, int code)
{
    return new_memory_in(ndim, shape, code, IN_C);
}
