/* Tuning constants of the compiled form, with what was measured or why they bound something.

   Times are of one thread of an EPYC with two processors where no other machine is named. The numbers that differ
   between machines are in arrays/tuning.py, and reach this code with the settings. */

/* Masks. */

/* Elements of a mask from which on positions are found here. Those of 512 elements, of which a tenth is true, take
   0.70 microseconds and NumPy 0.63, of 2,000 0.92 and 0.96; as many without a pattern a third of NumPy's time. */
#define FEW_TRUTHS 256

/* Reductions: docs/notes_on_speed.md, "Small arrays and host overhead". */

/* Elements of a row whose product is computed here, as that of more is likely to underflow, so that NumPy computes it
   again. 62 rows of 64 float64 take 2.1 microseconds, and NumPy 4.9. As many have their minimum here. */
#define FEW_FACTORS 64
/* Elements of a row whose minimum, or whether all are true, is found here: of 15 rows of 256 int64 in 1.1
   microseconds, and in 2.1 by NumPy. */
#define FEW_ORDERED 256
/* Elements of a row, and of all rows, of which NumPy's vectors find extremes and truth values no sooner: the minimum of
   1,000 float64 takes 1.5 microseconds, as in NumPy, of 4,000 in rows of 64 4.8 and 4.9, of 128 4.8 and 3.6. */
#define SHORT_ROW 32
#define FEW_IN_ROWS 1024
/* Elements along an axis whose least has its place found here: of 16 in 2.8 microseconds, of 32 in 1.9, as in
   NumPy, to which the call adds 0.1. */
#define FEW_PLACES 24

/* Sums of ndarrays of the program, and reductions along axes, run at once on so many times as many elements as other
   operations. On a Xeon, one thread, a sum of 200,000 elements takes 30 microseconds and 46 by a plan, of a million 142
   and 109; minima of as many along the first axis 600 and 190, of 100,000 62 and 75. */
#define MOST_SUMMED 128
#define MOST_ALONG_AXES 32

/* Lookups in tables run at once on so many times as many elements as other operations. Of 4,000 float64 in 20 NumPy looks
   up in 72 microseconds and a plan in 140, in 400 in 188 and 200; of 6,000 in 119 and 138, 371 and 200; of 10,000 in
   1,000 in 630 and 210. */
#define LOOKED_UP 2

/* Expressions are computed when they are shown in another shape, or transposed, if all that they are made of has at most
   MOST_SHOWN elements, and they have LEAST_SHOWN or more. Of 100,000 float64 the sum `(x * 2).ravel() + y` takes 170
   microseconds so, and 290 with an index map that Python works out, `(x * w).T @ x` of 12,500 x 8 98 and 327, and NumPy
   193. The least is not measured: of a few elements a plan of what is made of them takes as long as one of them. */
#define LEAST_SHOWN ((Py_ssize_t)1 << 13)
#define MOST_SHOWN ((Py_ssize_t)1 << 17)

/* Operations in place: docs/notes_on_speed.md, "Small arrays and host overhead". */

/* Up to this many elements, fresh memory and a copy take less than NumPy does to begin with elements
   that lie one after another: 0.15 microseconds and twice the loop against 0.35. */
#define MOST_COPIED 512
/* The same of elements along one axis that do not: NumPy's loop passes over them once. 400 take it 0.43
   microseconds and a copy 0.52, 8,000 take 2.9 and 7.1. Of rows that lie apart, NumPy begins with each anew. */
#define MOST_COPIED_APART 256
/* Elements that arrays of integers choose at once, as a multiple of the setting: a kernel checks more indices where it
   reads them, and computes what follows. On a Xeon, one thread, of 300,000 elements `z[i]` runs at 0.98 of NumPy's speed
   in a kernel and at 0.67 at once, `z[i] * w` at 1.37 and 0.87, `table[image]` at 3.7 and 0.8, `((z[i] - z[j]) ** 2).sum()`
   at 4.2 and 2.3; of 100,000, whose indices are checked when the expression is built, at 0.66 and 0.95, 0.66 and 0.90,
   2.6 and 0.87, 2.2 and 2.6. */
#define MOST_GATHERED 32
/* Indices of fewer bits than addresses have that are widened at a time, on the stack; not measured alone. Images of
   100,000 bytes choose among 256 float64 in 70 microseconds so, in NumPy's way in 290. */
#define MOST_WIDENED 512
/* Bytes of a result that is written beside its target, on the stack, and copied if no exception was met; not measured
   alone: a page. */
#define MOST_APART 4096

/* Bytes of the widest vector, which loops over bytes fill; the last ones are computed again where they do not fill one. On
   a Xeon, one thread, `a & b` of 316 rows of 316 truth values, of a view, takes 5.0 microseconds so, NumPy 7.3; an erosion
   of as many runs at 1.14 of NumPy's speed, and at 0.63 with the last ones one by one. */
#define BYTES_OF_VECTOR 64

/* Bytes that an array of the user's in steps spans at most, as a multiple of its own, or at all; not measured alone: as in
   arrays/tuning.py. */
#define STEPPED_SPAN 16
#define STEPPED_BYTES ((npy_intp)1 << 20)

/* Memory of large arrays. */

/* Sizes are rounded up to one of eight an octave, from 64 KB (2 to the 16th) to 32 MB; of smaller blocks
   malloc takes care, and larger ones are those of plans. On a Xeon, a virtual machine, `y = d[places]; y + w` of
   50,000 elements takes 230 microseconds in new pages, and 60 in pages that were used before. */
#define FIRST_OCTAVE 16
#define OCTAVES 9
#define STEPS 8
#define LEAST_POOLED ((size_t)1 << FIRST_OCTAVE)
#define LARGEST_BLOCK (LEAST_POOLED << OCTAVES)
/* Bytes that wait at most to be used again; not measured: those of a program's temporaries. */
#define MOST_IDLE ((size_t)128 << 20)
/* Bytes from which on huge pages are asked for, as NumPy does, and those of a page of usual size. A median of nine rows
   of a million float64 takes 105 milliseconds so, and 131 in usual pages. */
#define LEAST_HUGE ((size_t)1 << 22)
#define PAGE_BYTES 4096
/* The places of a page at which blocks begin in turn, and the bytes from one to the next; not measured alone: three
   lines of a cache, so that a few operands share no last twelve bits. */
#define PLACES 16
#define PLACE_STEP 192

/* What is looked at, and what is remembered; not measured: these bound work and memory. */

#define PAST_BITS 7         /* elements that count in what an array remembers like one operation, as a power of 2 */
#define RECENT 128          /* expressions that were built last */
#define LOOKED_AT 4         /* places for which a new one looks, before it takes that of an older one */
#define MOST_READ 256       /* nodes that are looked at before memory is written to */
#define MOST_READ_DEEP 64   /* and those one behind another */
#define MOST_VALUES 96      /* nodes of an expression that is computed at once */
#define MOST_FREED 64       /* arrays that were freed: allocation takes longer than a small operation */
#define MOST_SPARE 16       /* numbers of 64 bits that were freed; as many as a loop over elements has at once */
#define MOST_REDUCTIONS 256 /* forms that a callable remembers */
#define KNOWN_OPERATIONS 256 /* and what they are */
#define KNOWN_LOOPS 1024 /* by ufunc and dtype */
#define LINES 1024       /* of the user */
#define LINE_BYTES 64    /* of a line of the cache: `line_bytes` of tuning.py */
#define FORMS 1024       /* of operations that were built */
#define VIEWS 512        /* of memory, and of expressions, and their index maps */
#define MOST_STEPS_OF_VIEWS 7 /* from an owner, beyond which their maps become one: as in make_alias of aliasing.py */
#define CONSTANTS 512    /* nodes of numbers next to expressions */
#define CHOICES 64       /* of operands of numpy.where */
