"""LLVM IR of products of few columns, whose operands are read where they lie.

To pack them, as libraries do, would take about as long as the product. Where there are few rows,
too, and the sums are long, a work item is a block along the sums, of which each operand is read
once; the sums of all blocks are added after that. Where the sums are short, it is some rows.
Numbers of rows and columns are arguments: the code is that of as many vectors, and of strips of as
many rows.
"""

from __future__ import annotations

from collections.abc import Iterator

from lazyarr.core.frozen import dataclass
from lazyarr.runtime.cpu.llvm_text_builder import Carried, TextBuilder

__all__ = [
    "COPY_NUMBERS",
    "ROW_NUMBERS",
    "SUM_NUMBERS",
    "Form",
    "block_numbers",
    "blocks_text",
    "copy_text",
    "rows_text",
    "sums_text",
]

#: The numbers of the kernels: columns and elements of the product; the length of the sums and of a
#: block, and the elements from one row and one column of the first operand to the next, and from
#: one row of the second; the number of blocks; and in the place of a block the number of rows,
#: those of a work item and the work items; and of a copy the columns, and the elements from one row
#: and one column of the second operand to the next.
BLOCK_NUMBERS = ("columns", "elements", "inner", "deep", "left_row", "left_column", "right_row")
SUM_NUMBERS = ("elements", "blocks")
ROW_NUMBERS = ("columns", "inner", "left_row", "left_column", "right_row", "rows", "each", "items")
COPY_NUMBERS = ("columns", "right_row", "right_column")


@dataclass(frozen=True, slots=True)
class Form:
    """The form of a product, of which its code is: how many rows and columns there are is not.

    Attributes
    ----------
    vectors : int
        Of a row of the product; the last one may begin within the one before.
    heights : tuple of int
        The rows of the highest strips by width of a tile, as :meth:`widths` has them; none: those
        that fill the registers, and no others.
    scalar : str
        LLVM's type of an element.
    size : int
        Its bytes.
    lanes : int
        Elements of a vector; there are as many columns at least.
    registers : int
        Vectors that hold sums at most.
    widest : int
        Vectors of a row of a tile at most.
    together : int
        Elements of the product whose sums are added together.
    """

    vectors: int
    heights: tuple[int, ...]
    scalar: str
    size: int
    lanes: int
    registers: int
    widest: int
    together: int

    @property
    def vector(self) -> str:
        """LLVM's type of a vector."""
        return f"<{self.lanes} x {self.scalar}>"

    @property
    def fma(self) -> str:
        """The name of the product that is added in one rounding."""
        return f"@llvm.fma.v{self.lanes}f{8 * self.size}"

    def tiles(self) -> Iterator[range]:
        """Yield the vectors of each tile."""
        tiles = -(-self.vectors // self.widest)
        for k in range(tiles):
            yield range(k * self.vectors // tiles, (k + 1) * self.vectors // tiles)

    def widths(self) -> tuple[int, ...]:
        """Return the numbers of vectors that tiles have, each once."""
        return tuple(dict.fromkeys(map(len, self.tiles())))

    def height(self, vectors: int) -> int:
        """Return the rows of a tile at most, whose sums fill the registers."""
        return max(1, self.registers // vectors)

    def strips(self, rows: int) -> Iterator[tuple[int, int, int]]:
        """Yield the height of the highest strips, their number and that of all, for each width.

        The others have a row less.

        Parameters
        ----------
        rows : int
            Of the product.
        """
        for width in self.widths():
            count = -(-rows // self.height(width))
            highest = -(-rows // count)
            yield highest, rows - count * (highest - 1), count


def numbers_of_strips(form: Form) -> Iterator[tuple[str, str]]:
    """Yield the names of the numbers of strips for each width of a tile: the highest ones and all.

    Parameters
    ----------
    form : Form
        Of the product.
    """
    for width in form.widths():
        yield f"highest{width}", f"strips{width}"


def block_numbers(form: Form) -> tuple[str, ...]:
    """Return the names of the numbers of the kernel that multiplies blocks.

    Parameters
    ----------
    form : Form
        Of the product.
    """
    strips = [name for names in numbers_of_strips(form) for name in names]
    return (*BLOCK_NUMBERS, *strips)


def blocks_text(form: Form) -> str:
    """Return the kernel that multiplies; a work item is a block along the sums.

    It takes the addresses of the blocks' sums, of the operands and of a word for flags, and
    :func:`block_numbers`.

    Parameters
    ----------
    form : Form
        Of the product.
    """
    t = TextBuilder()
    before = t.value("call i32 @watch_begin()")
    with t.loop("%begin", "%end") as item:
        first = t.multiply(item, "%deep")
        count = t.least("%deep", t.subtract("%inner", first))
        left = t.element("%left", form.scalar, t.multiply(first, "%left_column"))
        right = t.element("%right", form.scalar, t.multiply(first, "%right_row"))
        parts = t.element("%parts", form.scalar, t.multiply(item, "%elements"))
        places = (left, right, parts)
        heights = dict(zip(form.widths(), form.heights, strict=True))
        for starts in _starts(t, form):
            width = len(starts)
            height, higher = heights[width], f"%highest{width}"
            with t.loop("0", higher) as strip:
                row = t.multiply(strip, str(height))
                _write_tile(t, form, places, row, height, starts, count)
            if height == 1:
                continue
            with t.loop(higher, f"%strips{width}") as strip:
                row = t.add(t.multiply(strip, str(height - 1)), higher)
                _write_tile(t, form, places, row, height - 1, starts, count)
    t.line(f"call void @watch_end(ptr %flags, i32 {before})")
    addresses = ", ".join(f"ptr noalias %{name}" for name in ("parts", "left", "right", "flags"))
    return _function(
        form,
        "product_blocks",
        ", ".join([addresses, *(f"i64 %{number}" for number in block_numbers(form))]),
        t,
        [f"declare {form.vector} {form.fma}({form.vector}, {form.vector}, {form.vector})"],
    )


def rows_text(form: Form) -> str:
    """Return the kernel that multiplies some rows; a work item is as many, the last one has more.

    It takes the addresses of the result, of the operands and of a word for flags, and
    :data:`ROW_NUMBERS`. A work item has as many rows as a tile at least.

    Parameters
    ----------
    form : Form
        Of the product, of any number of rows.
    """
    t = TextBuilder()
    before = t.value("call i32 @watch_begin()")
    with t.loop("%begin", "%end") as item:
        first = t.multiply(item, "%each")
        after = t.add(item, "1")
        is_last = t.compare("eq", after, "%items")
        end = t.choose(is_last, "%rows", t.multiply(after, "%each"))
        for starts in _starts(t, form):
            height = form.height(len(starts))
            rest = t.add(t.subtract(end, first), str(height - 1))
            latest = t.subtract(end, str(height))
            with t.loop("0", t.divide(rest, str(height))) as strip:
                # The last strip begins so early that it is whole.
                row = t.least(t.add(first, t.multiply(strip, str(height))), latest)
                places = ("%left", "%right", "%out")
                _write_tile(t, form, places, row, height, starts, "%inner")
    t.line(f"call void @watch_end(ptr %flags, i32 {before})")
    addresses = ", ".join(f"ptr noalias %{name}" for name in ("out", "left", "right", "flags"))
    return _function(
        form,
        "product_rows",
        ", ".join([addresses, *(f"i64 %{number}" for number in ROW_NUMBERS)]),
        t,
        [f"declare {form.vector} {form.fma}({form.vector}, {form.vector}, {form.vector})"],
    )


def copy_text(form: Form) -> str:
    """Return the kernel that copies the second operand; a work item is one of its rows.

    It takes the addresses of the copy and of the operand, and :data:`COPY_NUMBERS`.

    Parameters
    ----------
    form : Form
        Of the product.
    """
    t = TextBuilder()
    with t.loop("%begin", "%end") as item, t.loop("0", "%columns") as column:
        line, target = t.multiply(item, "%right_row"), t.multiply(item, "%columns")
        source = t.add(line, t.multiply(column, "%right_column"))
        number = t.load(form.scalar, t.element("%right", form.scalar, source), form.size)
        place = t.element("%copy", form.scalar, t.add(target, column))
        t.store(form.scalar, number, place, form.size)
    addresses = "ptr noalias %copy, ptr noalias %right"
    numbers = ", ".join(f"i64 %{number}" for number in COPY_NUMBERS)
    return _function(form, "product_copy", f"{addresses}, {numbers}", t, [])


def _starts(t: TextBuilder, form: Form) -> Iterator[list[str]]:
    """Yield the first columns of the vectors of each tile."""
    last = t.subtract("%columns", str(form.lanes))
    for tile in form.tiles():
        yield [last if k == form.vectors - 1 else str(k * form.lanes) for k in tile]


def _write_tile(
    t: TextBuilder,
    form: Form,
    places: tuple[str, str, str],
    row: str,
    height: int,
    starts: list[str],
    count: str,
) -> None:
    """Write the sums of one tile over one block, each a chain of products that are added.

    Rows are those of the first operand and of the sums, at whose addresses these begin.
    """
    left, right, parts = places
    top = t.element(left, form.scalar, t.multiply(row, "%left_row"))
    lines = [t.element(top, form.scalar, t.multiply("%left_row", str(m))) for m in range(height)]
    sums = Carried(["zeroinitializer"] * (height * len(starts)))
    with t.loop("0", count, kind=form.vector, carried=sums) as k:
        line = t.element(right, form.scalar, t.multiply(k, "%right_row"))
        factors = [
            t.load(form.vector, t.element(line, form.scalar, start), form.size) for start in starts
        ]
        column = t.multiply(k, "%left_column")
        for m, own in enumerate(lines):
            number = t.load(form.scalar, t.element(own, form.scalar, column), form.size)
            lane = t.value(f"insertelement {form.vector} poison, {form.scalar} {number}, i64 0")
            every = t.value(
                f"shufflevector {form.vector} {lane}, {form.vector} poison, "
                f"<{form.lanes} x i32> zeroinitializer"
            )
            for n, factor in enumerate(factors):
                at = m * len(starts) + n
                sums.values[at] = t.value(
                    f"call {form.vector} {form.fma}({form.vector} {every}, "
                    f"{form.vector} {factor}, {form.vector} {sums.values[at]})"
                )
    target = t.element(parts, form.scalar, t.multiply(row, "%columns"))
    for m in range(height):
        own = t.element(target, form.scalar, t.multiply("%columns", str(m)))
        for n, start in enumerate(starts):
            place = t.element(own, form.scalar, start)
            t.store(form.vector, sums.values[m * len(starts) + n], place, form.size)


def sums_text(form: Form) -> str:
    """Return the kernel that adds the sums of blocks; a work item is some elements of the product.

    It takes the addresses of the result, of the blocks' sums and of a word for flags, and
    :data:`SUM_NUMBERS`. Sums of float32 are added in float64, those of float64 with what each
    addition loses.

    Parameters
    ----------
    form : Form
        Of the product.
    """
    t = TextBuilder()
    sums = _Sums(t, form)
    # What additions lose is NaN beside infinities: flags of that are no one's business.
    quiet = t.value("alloca i32, align 4")
    before = t.value("call i32 @watch_begin()")
    with t.loop("%begin", "%end") as item:
        sums.begin(item)
        if form.size == 4:
            totals = sums.plain()
            results = [t.value(f"fptrunc {sums.wide} {total} to {form.vector}") for total in totals]
        else:
            totals, results = sums.compensated()
            with t.when(sums.any_special(totals)):
                inner = t.value("call i32 @watch_begin()")
                sums.store(sums.plain(), "%parts")
                t.line(f"call void @watch_end(ptr %flags, i32 {inner})")
        sums.store(results, "%out")
    report = "%flags" if form.size == 4 else quiet
    t.line(f"call void @watch_end(ptr {report}, i32 {before})")
    addresses = ", ".join(f"ptr noalias %{name}" for name in ("out", "parts", "flags"))
    load = f"(ptr, i32, {sums.mask}, {form.vector})"
    return _function(
        form,
        "product_sums",
        ", ".join([addresses, *(f"i64 %{number}" for number in SUM_NUMBERS)]),
        t,
        [
            f"declare {form.vector} @llvm.masked.load.{sums.suffix}{load}",
            f"declare void @llvm.masked.store.{sums.suffix}({form.vector}, ptr, i32, {sums.mask})",
        ],
    )


class _Sums:
    """The sums of the blocks' sums of some elements of the product.

    Parameters
    ----------
    t : TextBuilder
        Takes the code.
    form : Form
        Of the product.
    """

    def __init__(self, t: TextBuilder, form: Form) -> None:
        self.t, self.form = t, form
        self.wide = f"<{form.lanes} x double>"
        self.mask = f"<{form.lanes} x i1>"
        self.suffix = f"v{form.lanes}f{8 * form.size}.p0"
        self.vectors = form.together // form.lanes
        self._first = ""
        self._masks: list[str] = []

    def begin(self, item: str) -> None:
        """Write where the elements of a work item begin, and which there are."""
        t, lanes = self.t, self.form.lanes
        self._first = t.multiply(item, str(self.form.together))
        self._masks = []
        numbers = ", ".join(f"i64 {lane}" for lane in range(lanes))
        for n in range(self.vectors):
            rest = t.subtract(t.subtract("%elements", str(n * lanes)), self._first)
            lane = t.value(f"insertelement <{lanes} x i64> poison, i64 {rest}, i64 0")
            every = t.value(
                f"shufflevector <{lanes} x i64> {lane}, <{lanes} x i64> poison, "
                f"<{lanes} x i32> zeroinitializer"
            )
            self._masks.append(t.value(f"icmp slt <{lanes} x i64> <{numbers}>, {every}"))

    def plain(self) -> list[str]:
        """Write additions in float64, and return the sums."""
        t = self.t
        sums = Carried(["zeroinitializer"] * self.vectors)
        with t.loop("0", "%blocks", kind=self.wide, carried=sums) as block:
            for n, part in enumerate(self._parts(block)):
                sums.values[n] = t.value(f"fadd {self.wide} {sums.values[n]}, {part}")
        return sums.values

    def compensated(self) -> tuple[list[str], list[str]]:
        """Write additions, and return the sums without and with compensation."""
        t, wide, count = self.t, self.wide, self.vectors
        sums = Carried(["zeroinitializer"] * (2 * count))
        with t.loop("0", "%blocks", kind=wide, carried=sums) as block:
            for n, part in enumerate(self._parts(block)):
                total, lost = sums.values[n], sums.values[count + n]
                after = t.value(f"fadd {wide} {total}, {part}")
                virtual = t.value(f"fsub {wide} {after}, {total}")
                kept = t.value(f"fsub {wide} {after}, {virtual}")
                of_total = t.value(f"fsub {wide} {total}, {kept}")
                of_part = t.value(f"fsub {wide} {part}, {virtual}")
                both = t.value(f"fadd {wide} {of_total}, {of_part}")
                sums.values[n] = after
                sums.values[count + n] = t.value(f"fadd {wide} {lost}, {both}")
        totals, results = sums.values[:count], []
        for total, lost in zip(totals, sums.values[count:], strict=True):
            both = t.value(f"fadd {wide} {total}, {lost}")
            # An infinite total makes the lost part NaN; the total alone is right then.
            is_number = t.value(f"fcmp oeq {wide} {lost}, {lost}")
            results.append(
                t.value(f"select {self.mask} {is_number}, {wide} {both}, {wide} {total}")
            )
        return totals, results

    def any_special(self, totals: list[str]) -> str:
        """Write whether some sum is infinite or NaN."""
        t = self.t
        special = "zeroinitializer"
        for total in totals:
            zero = t.value(f"fsub {self.wide} {total}, {total}")
            is_special = t.value(f"fcmp uno {self.wide} {zero}, zeroinitializer")
            special = t.value(f"or {self.mask} {special}, {is_special}")
        lanes = t.value(f"bitcast {self.mask} {special} to i{self.form.lanes}")
        return t.value(f"icmp ne i{self.form.lanes} {lanes}, 0")

    def store(self, values: list[str], pointer: str) -> None:
        """Write values to where the elements lie from an address on.

        Parameters
        ----------
        values : list of str
            The vectors.
        pointer : str
            The address.
        """
        t, form = self.t, self.form
        for n, value in enumerate(values):
            at = t.element(pointer, form.scalar, t.add(self._first, str(n * form.lanes)))
            t.line(
                f"call void @llvm.masked.store.{self.suffix}({form.vector} {value}, ptr {at}, "
                f"i32 {form.size}, {self.mask} {self._masks[n]})"
            )

    def _parts(self, block: str) -> Iterator[str]:
        """Write the loads of the sums of a block, as float64."""
        t, form = self.t, self.form
        line = t.add(t.multiply(block, "%elements"), self._first)
        for n in range(self.vectors):
            at = t.element("%parts", form.scalar, t.add(line, str(n * form.lanes)))
            part = t.value(
                f"call {form.vector} @llvm.masked.load.{self.suffix}(ptr {at}, i32 {form.size}, "
                f"{self.mask} {self._masks[n]}, {form.vector} zeroinitializer)"
            )
            if form.size == 4:
                part = t.value(f"fpext {form.vector} {part} to {self.wide}")
            yield part


def _function(
    form: Form, name: str, parameters: str, body: TextBuilder, declarations: list[str]
) -> str:
    """Return the text of a kernel."""
    return "\n".join(
        (
            f"; {name} of {form.vectors} x {form.lanes} columns",
            *declarations,
            f"define void @{name}(i64 %begin, i64 %end, {parameters}) #0 {{",
            "entry:",
            body.text,
            "  ret void",
            "}",
        )
    )
