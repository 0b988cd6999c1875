"""Tuning table of arrays: immediate execution, copies and interned forms.

What is measured is in ``benchmarks/results/epyc_2_threads`` and, with what was tried and not taken,
in ``docs/notes_on_speed.md``. Modules read their numbers when they are imported: one call on a
small array takes less than to look them up.
"""

from __future__ import annotations

import sys

from lazyarr.core.frozen import dataclass
from lazyarr.core.tuning_table import TuningTable

__all__ = ["TABLE", "ArrayTuning", "row"]


@dataclass(frozen=True, slots=True)
class ArrayTuning:
    """Tuning constants of array operations, used before planning."""

    #: For the reader.
    name: str

    # Operations that run at once: notes, "Small arrays and host overhead".
    #: No operation on more elements than this is ever tried: what is large pays nothing.
    immediate_elements: int = 1 << 16
    #: Operations that cost no more than that many additions run at once on this many times as many
    #: elements as the setting says.
    #: Measured on a Xeon with two processors, in microseconds, at once / in a kernel, each with a
    #: call of asarray that takes 6: on 16,384 elements ``a + b`` 15 / 66, five operations 27 / 90,
    #: ten 66 / 113; on 32,768 elements 24 / 68, 56 / 93 and 137 / 123; on 65,536, which fit in no
    #: cache, 62 / 76 and 840 / 108.
    cheap_cost: int = 4
    cheap_factor: int = 8
    #: So many times as many where Python builds the expression. On an EPYC, one thread, ``diff`` of
    #: 50,000 elements takes 9 us at once, 27 in a kernel, ``clip`` 10 and 37, ``nanmax`` 5 and 48.
    #: Four levels of wavelet packets of 100,000, by ``roll``, run at 1.43 of NumPy's speed so, and
    #: at 0.66 with half as many.
    built_factor: int = 32
    #: As many are multiplied as matrices at once: no kernel does so sooner.
    created_factor: int = 32
    #: Arrays of zeros and such are made at once of this many times as many elements: they are to
    #: be written to. See `written_bytes`. As many are read and written by masks and arrays of
    #: indices at once, and compared: no kernel does these sooner. On an EPYC with two processors
    #: 60,000 float64 under a mask without a pattern are read in 37 us and written in 70, NumPy
    #: takes 280 for either; beside a plan for each mask a program that drops the points that
    #: diverged, `z = z[abs(z) < 2]` twenty times, took 55 ms, and takes 10. With a quarter as many,
    #: a forest fire on 300,000 cells runs at 0.34 of NumPy's speed, one thread, and at 0.96 so;
    #: eight times as many let the colours of a million pixels run at 2.97 instead of 8.8. As many
    #: in memory are joined and padded: there two of 150,000 float64 are stacked in 74 us so,
    #: 180 by a plan, and five parts of a table of 100,000 in 190 and 660, NumPy 70 and 180.
    written_factor: int = 128
    #: Other operations that NumPy's loops compute as quickly on this machine.
    quick: str = ""
    #: Reductions run at once on this many times as many elements as cheap operations: they write
    #: nothing. Measured on that Xeon, of 100,000 elements, at once / in a kernel: sums 24 / 33 us,
    #: maxima 12 / 22, means along columns 28 / 75. On an EPYC, one thread, of as many: maxima 20 /
    #: 54, sums 23 / 34, places of maxima 23 / 39.
    reduced_factor: int = 4
    #: Results of functions that run at once have at most this many times the elements that their
    #: arguments may have: as many as `immediate_elements` with the default setting.
    larger: int = 16
    #: Nodes that one call may have built which are computed together.
    immediate_nodes: int = 24
    #: Bytes that NumPy reads and writes at most for an expression whose value is needed now, and
    #: for one whose value is a number: products take arrays as NumPy lays them. On an EPYC
    #: ``float((x * x).sum())`` of 33,000 elements takes 11 us by a known plan, 23 in NumPy's way,
    #: and NumPy 12; ``int((i % 10).sum())`` of 17,000 int32 16, 53 and 34.
    needed_bytes: int = 1 << 21
    number_bytes: int = 1 << 18
    #: Elements of a row from which on NumPy takes no longer where operands repeat, as a column
    #: beside a row does: it begins anew with each row. Of shorter ones its operations count this
    #: many times.
    #: On an EPYC, one thread, a column times a row takes NumPy 57 us and a plan 31 for 256 x 256
    #: float64, 62 and 29 for 300 x 300, 64 and 36 for 100 x 1,000, 25 and 45 for 10 x 10,000, and a
    #: matrix times a column 53 and 37, 61 and 32, 77 and 55, 29 and 43.
    short_rows: int = 1 << 11
    repeated_factor: int = 4

    #: Terms of sums, and elements of matrices, of a stack of products that kernels compute sooner
    #: than NumPy at once; fewer terms where neighbours in a row of the second matrices lie apart.
    #: On an EPYC, one thread, 10,000 products of 3 x 3 float64 take 220 us by a kernel, 271 where
    #: the second one is a transpose, and NumPy 834 and 815; 1,521 of 8 x 8 195, 462, 228 and 275,
    #: and one behind another, as of a cosine transform, 690 and 400; 1,000 of 10 x 10 by a plan
    #: 373, and NumPy 207, 30 of 60 x 60 621 and 416.
    terms: int = 6
    terms_apart: int = 4
    terms_matrix: int = 64 * 64

    #: Elements of an expression that is computed when a product takes it in: BLAS does, and plans
    #: of such products take longer to find. On that Xeon ten iterations of ``x = A @ x`` and some
    #: additions take 218 us so where ``A = B / B.sum(axis=0)`` has 300 rows and columns, and 940
    #: else, NumPy 195; of 500 rows and columns 790, 1,510 and 655.
    factor_elements: int = 1 << 20
    #: The same of an expression that is multiplied by a number: plans multiply the product. There
    #: ``2.0 * A @ x`` takes 76, 121 and 30 us with 300 rows and columns, 452, 296 and 174 with 500.
    scaled_elements: int = 1 << 17

    #: Elements of each value behind a small operand of a library's function that is computed for
    #: the call. On an EPYC with two processors a density of 1,000 points at 60 places, with its
    #: cumulative sum and an interpolation, takes 259 us so, and 310 with a plan of steps.
    operand_elements: int = 1 << 17

    #: Reads of small parts of an expression after which it is computed, and the fraction of it that
    #: such a part is at most. On an EPYC a spectrogram of 60,000 elements, in 935 frames of 128,
    #: takes 9 ms so, and 95 with an expression for each frame; not measured alone.
    part_reads: int = 8
    read_part: int = 16
    #: An expression of as many elements as are written and selected at once is computed when a part
    #: is read on which cheap operations run at once, if so many such parts or more make it up. On a
    #: Xeon, one thread, ten steps of three reactions, `y[:, 0]` to `y[:, 2]`, at 16,667 places take
    #: 5.7 ms so, 9.2 with expressions of the columns, and NumPy 5.6.
    least_columns: int = 3

    #: Small arrays in memory that are joined by NumPy: as many as a kernel takes operands.
    joined_arrays: int = 48

    #: Elements between two places of a partition that are put in order at once: vectors sort 101
    #: float64 in 4.3 ns an element on an EPYC, and find one place among them in 4.2; of 1,000, 7.7
    #: and 2.3.
    sorted_parts: int = 128
    #: Fewest elements whose places are looked for one at a time: medians of 30 rows of 255 float64
    #: take as long either way.
    parted_elements: int = 1 << 13

    #: Random numbers of a draw at most that is computed when it is called for: a kernel draws more
    #: where they are used. On an EPYC, one thread, ``rng.random(n).sum()`` of 1,000 numbers takes
    #: 3.2 us so, 27 in a kernel, and NumPy 3.1; of 4,000 9.2, 30 and 8.7.
    drawn_elements: int = 1 << 12

    #: Elements of a vector from which on its order and distinct elements are computed from numbers
    #: that hold an element and its position, and integers among as many times as many as there are
    #: elements that are in a table. On an EPYC, one thread, the stable order of 10,000 int64 takes
    #: 0.2 ms so and NumPy 0.55, of a million 18 and 120; the distinct ones of 10,000 in a tenth of
    #: as many 0.05 and 0.3, of a million 9 and 92 with the inverse; of a million in 2 to the 40th
    #: 17 and 1,080, as NumPy counts them in a table of hashes. Other ratios were not measured.
    ordered_elements: int = 1 << 12
    tabled_range: int = 2
    #: Integers that each element is compared with to see whether it is among them. Of a million
    #: int64 among two 1.4 ms so, and NumPy 13; among twelve 5.2 and 3.6.
    compared_elements: int = 4
    #: Elements from which on those in bins of equal widths are counted by blocks of so many, which
    #: lie in the second-level cache, and the part of a block that may lie next to edges. On an
    #: EPYC, one thread, in 50 bins 10,000 float64 take 0.34 ms so and NumPy 0.22, 100,000 1.7 and
    #: 3.4, a million 6.9 and 16. The part was not measured: each such element is looked up.
    binned_elements: int = 1 << 16
    binned_block: int = 1 << 15
    binned_near: int = 16
    #: Neighbours of a vector that are compared to detect that it is in order already, and elements
    #: to detect equal ones; not measured alone: they take microseconds.
    order_samples: int = 1 << 10
    #: The same of float64 whose equal elements NumPy's algorithm may put in any order: that there
    #: are none is seen afterwards. Of 100,000 3.8 ms so and 3.1, of a million 46 and 94.
    distinct_elements: int = 1 << 18

    # Operations that are computed at the call: notes, "Ndarrays as operands".
    #: They run at once on so many times as many elements as others: with one thread, and with
    #: several, which share the work of a plan. On a Xeon, one thread, ``la.add(a, b)`` of 300,000
    #: elements takes 61 us so, 90 by a plan, and NumPy 60; of a million 252, 309 and 245; the
    #: maximum of as many 71, 151 and 71. An expression of one of them, on as many elements, is
    #: computed by NumPy when its value is needed: on an EPYC, one thread, the sum of two arrays of
    #: 100,000 takes 36 us so, 57 by a known plan, and NumPy 35; of 250,000 95, 124 and 94.
    handed_alone: int = 32
    handed_beside: int = 8
    #: The ufuncs among them. Kernels compute others sooner: there the roots of 300,000 elements
    #: take 92 us by a plan, and NumPy 278, the remainders of a million integers 477 and 1,672.
    handed: str = (
        "add subtract multiply divide negative positive absolute square conjugate bitwise_and "
        "bitwise_or bitwise_xor invert left_shift right_shift minimum maximum fmin fmax less "
        "less_equal equal not_equal greater greater_equal logical_and logical_or logical_xor "
        "logical_not isnan isinf isfinite floor ceil trunc rint"
    )

    # What arrays remember of the operations behind them: notes, "Programs of few elements".
    #: Operations, and elements of each: a power of two of elements counts like an operation. What
    #: is remembered keeps its memory, so that the next operation writes to memory that is in no
    #: cache; and the collector of cycles looks at all of it. On an EPYC Black and Scholes' formula
    #: on 4,096 points takes 215 us so, 560 with four times the memory, and NumPy 200. On a Xeon
    #: 20,000 steps of a recursive filter take 10.5 ms so, 12.5 with 1,024 operations of few
    #: elements each, and NumPy 9.2; Runge and Kutta's steps of four numbers 19.4, 26.7 and 17.1.
    past: int = 32
    past_bits: int = 7

    # Writes; not measured alone: a bound of the plans that a loop of writes makes.
    #: Writes to an array after which its value is computed. A loop that writes in every iteration
    #: then computes expressions of this many iterations, which have one form and so one plan.
    writes: int = 8
    #: Operations and operands at most of a value to which as many writes more are joined, as one
    #: kernel computes it: it takes 96 and 48. On a Xeon, one thread, a filter as a loop of
    #: `out += w[i, j] * x[i : i + n, j : j + n]` of a million float64 takes 2.5 ms so for 25
    #: places, 6.3 for 49 and 19 for 121, and 11.4, 20 and 40 with each run of eight computed,
    #: NumPy 48, 87 and 192. As many operations may be behind a value of middle size that a mask
    #: selects elements of, which is computed whole: on a Xeon, one thread, pixels at 100,000 turned
    #: places that lie in the image take 1.5 ms so, 1.8 with 24 operations.
    joined_operations: int = 64
    joined_reads: int = 32
    #: Long rows at most of an expression over which a program iterates that stay expressions,
    #: with `joined_operations` for each element of a row at most. On a Xeon, one thread, ten of
    #: Runge and Kutta's steps of `x, y, z = state` of 333,333 places take 52 ms so, 125 with each
    #: state computed, NumPy 300; of 33,333 places 12, 17 and 14.
    joined_rows: int = 8
    #: A write to less than this part of an array that is an expression computes it.
    written_part: int = 4
    #: So does a write to any part of an array of at most that many bytes. On an EPYC with two
    #: processors ``z = zeros(n); z[1:] += x[:-1]; z[:-1] += x[1:]; z.sum()`` of 100,000 elements
    #: takes 62 us so, 186 as one expression, and NumPy 65.
    written_bytes: int = 1 << 20
    #: A slice of at least this part of an array in memory is written by the kernel, to other memory
    #: to which the rest is copied; a smaller one is computed and copied. Beside the computation the
    #: one reads and writes the rest, the other the slice.
    exchanged_part: int = 2
    #: Bytes from which on that is done. On an EPYC with two processors five-point stencils of
    #: 512 x 512 elements take 3.8 ms for ten iterations through other memory and 3.4 ms with a
    #: temporary, of 256 x 256 elements 2.7 and 1.8; of 1024 x 1024, beyond the caches, 10.6 and 17.
    exchanged_bytes: int = 4 << 20
    #: Bytes of a slice from which on a kernel writes an expression straight into it that reads
    #: nothing else of the array. On a Xeon, one thread, ``o[1:] = 0.5 * (x[1:] - x[:-1])`` of
    #: 36,000 elements takes 37 us so, 27 with a temporary, and NumPy 34; of 60,000 44, 42 and 59;
    #: of 100,000 65, 87 and 89; of 400,000 180, 498 and 592.
    straight_bytes: int = 1 << 19
    #: As many times as many bytes for an operator in place, whose slice NumPy reads and writes in
    #: any case. On an EPYC, one thread, ``o[1:] += 0.5 * x[1:]`` of 70,000 elements takes 44 us
    #: straight, 31 with a temporary, NumPy 28; of 100,000 51, 41 and 39; of 140,000 57, 58 and 53.
    operated_factor: int = 2
    #: The same where the other operand is a single operation: there ``o += 0.37 * x`` of 140,000
    #: elements takes 71 us with a temporary, 112 straight, NumPy 68; of 280,000 166, 183 and 153;
    #: of 360,000 229, 193 and 210.
    alone_factor: int = 5
    #: Bytes of a line of the cache: as many as an element counts that lies so far from others. On a
    #: Xeon, one thread, ten red-black iterations on a grid of 1,000 x 1,000 float64 take 24 ms with
    #: cells written straight, 30 with temporaries, NumPy 66; Gram and Schmidt's orthonormal columns
    #: of 83,333 x 12 66, 78 and 71.
    line_bytes: int = 64
    #: Steps of NumPy's search for an element that two views share, beyond which they count as
    #: sharing one; not measured: a bound of the time for it.
    searched_places: int = 1 << 10
    #: Nodes of such an expression that are looked at; not measured: a bound of the time for it.
    straight_nodes: int = 128

    # Pending expressions beyond those bounds; not measured: bounds of memory, and of the looks.
    #: A value of less than this part of the arrays that it is made of is small: of a reduction.
    pending_part: int = 64
    #: Bytes of arrays that a small value must be made of to be computed on its own, and nodes that
    #: are looked at for that.
    pending_leaf_bytes: int = 1 << 22
    pending_leaf_nodes: int = 64
    #: Arrays that are made before a large expression is looked at again, and before one of the line
    #: that is waited for.
    pending_wait: int = 16
    pending_misses: int = 1 << 14
    #: Arrays of the largest size that the operands of an expression have to fill.
    pending_leaves: int = 8
    #: Bytes by which wrapped arrays have changed before the system is asked again what is left.
    pending_ask_again: int = 64 << 20

    #: Bytes of a result in memory that is copied in a block that NumPy's arrays of lazyarr leave:
    #: blocks of the pool take Python's time. On an EPYC 100 KB take 6 us so, 13 with the pool.
    result_bytes: int = 1 << 20

    #: Bytes that an array of the user's in steps spans at most, as a multiple of those of its
    #: elements or at all, to stand for its memory: a copy that is written to lies as it does. On a
    #: Xeon, one thread, an element of a column of 1,000 x 5 is read in 0.2 us so, and in 100 by a
    #: plan, and the column doubled in 1.7 and 8.7, NumPy 1.5. The span was not measured: a bound of
    #: the memory of the copy.
    stepped_span: int = 16
    stepped_bytes: int = 1 << 20

    # Copies of what is written to; not measured alone: bounds of memory and of copies.
    #: Of an array that was written to, a view of less than this part is copied for an expression:
    #: the next write would copy the whole, or compute what waits for it. On an EPYC lattice
    #: Boltzmann's nine planes of 333 x 333, one thread, take 22 ms so, 33 with an eighth, NumPy 22.
    viewed_part: int = 16
    #: Elements of an array that is copied for an expression where no limit applies.
    copied_elements: int = 1 << 12
    #: Copies of an array's views in the cache, and maps of views, and of basic keys.
    cached_views: int = 16
    cached_maps: int = 4096

    # Refused calls; not measured: bounds of the time for an error.
    #: Elements of all arguments together, and the largest number among them, up to which NumPy is
    #: asked for its words: it may accept what lazyarr refuses, and compute. The second is of
    #: functions that take few operations an element.
    refused_elements: int = 1 << 16
    refused_fast_elements: int = 1 << 24

    # Indices that are looked at when they are used; not measured: a bound of the time for it.
    checked_indices: int = 100_000


#: NumPy has loops of AVX-512 for these. Measured on a Xeon with two processors on 16,384 elements,
#: in microseconds, at once / in a kernel: exp 10 / 27, log 15 / 34, expm1 20 / 26, tan 24 / 34,
#: tanh 26 / 43, arctan 21 / 36, cbrt 18 / 34, arctan2 36 / 52, power 42 / 67. The sine takes it
#: 117 / 27, hypot 484 / 31, logaddexp 498 / 61: those are not among them.
_AVX512 = ArrayTuning(
    "x86_64 with AVX-512",
    quick="exp exp2 expm1 log log2 log10 log1p tan tanh sinh cosh arcsin arccos arctan arcsinh "
    "arccosh arctanh cbrt arctan2 power",
)


def _family() -> str:
    """Return the family of machines for which NumPy chose its loops."""
    from numpy._core import _multiarray_umath

    features = getattr(_multiarray_umath, "__cpu_features__", {})
    return "avx512" if features.get("AVX512_SKX") and sys.platform == "linux" else ""


TABLE = TuningTable({"avx512": _AVX512}, otherwise=ArrayTuning("all machines"), machine=_family)
#: Returns the row in use.
row = TABLE.row
