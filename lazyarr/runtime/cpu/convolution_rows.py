"""Rows of vectors in the LLVM IR of convolutions, and the loops over them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from lazyarr.core.frozen import dataclass
from lazyarr.runtime.cpu.convolution_packing import Lanes, Steps, pack
from lazyarr.runtime.cpu.llvm_text_builder import TextBuilder

__all__ = ["Body", "Row", "broadcast", "product_added", "rows_of_images", "vectors_of"]


@dataclass(frozen=True, slots=True)
class Row:
    """A row of vectors of a tile: how many, and which elements of the last one count."""

    lanes: Lanes
    vectors: int
    mask: str | None = None

    def load(self, t: TextBuilder, pointer: str) -> list[str]:
        """Return the vectors from an address on.

        Parameters
        ----------
        t : TextBuilder
            Takes the code.
        pointer : str
            The address.
        """
        lanes = self.lanes
        values = []
        for k in range(self.vectors):
            at = t.element(pointer, lanes.scalar, str(k * lanes.count))
            if self.mask is None:
                values.append(t.load(lanes.vector, at, lanes.size))
            else:
                values.append(
                    t.value(
                        f"call {lanes.vector} @llvm.masked.load.{lanes.suffix}.p0(ptr {at}, "
                        f"i32 {lanes.size}, <{lanes.count} x i1> {self.mask}, "
                        f"{lanes.vector} zeroinitializer)"
                    )
                )
        return values

    def store(self, t: TextBuilder, values: list[str], pointer: str) -> None:
        """Write the vectors from an address on.

        Parameters
        ----------
        t : TextBuilder
            Takes the code.
        values : list of str
            The vectors.
        pointer : str
            The address.
        """
        lanes = self.lanes
        for k, value in enumerate(values):
            at = t.element(pointer, lanes.scalar, str(k * lanes.count))
            if self.mask is None:
                t.store(lanes.vector, value, at, lanes.size)
            else:
                t.line(
                    f"call void @llvm.masked.store.{lanes.suffix}.p0({lanes.vector} {value}, "
                    f"ptr {at}, i32 {lanes.size}, <{lanes.count} x i1> {self.mask})"
                )


#: Writes the tiles of a row of vectors, from an output on.
Body = Callable[[Row, str], None]


def broadcast(t: TextBuilder, scalar: str, count: int, value: str) -> str:
    """Return a vector of equal elements.

    Parameters
    ----------
    t : TextBuilder
        Takes the code.
    scalar : str
        The type of an element.
    count : int
        How many.
    value : str
        The element.
    """
    kind = f"<{count} x {scalar}>"
    first = t.value(f"insertelement {kind} poison, {scalar} {value}, i32 0")
    return t.value(f"shufflevector {kind} {first}, {kind} poison, <{count} x i32> zeroinitializer")


def product_added(t: TextBuilder, lanes: Lanes, total: str, factors: tuple[str, str]) -> str:
    """Return a vector of sums with the products of two vectors added.

    Parameters
    ----------
    t : TextBuilder
        Takes the code.
    lanes : Lanes
        Vectors of the processor.
    total : str
        The sums.
    factors : tuple of str
        The two vectors.
    """
    kind = lanes.vector
    if lanes.fused:
        operands = ", ".join(f"{kind} {value}" for value in (*factors, total))
        return t.value(f"call {kind} @llvm.fma.{lanes.suffix}({operands})")
    product = t.value(f"fmul {kind} {factors[0]}, {factors[1]}")
    return t.value(f"fadd {kind} {total}, {product}")


def vectors_of(t: TextBuilder, lanes: Lanes, ends: tuple[str, str], body: Body) -> None:
    """Write a body for single vectors from one number to another; of the last, some lanes count.

    Parameters
    ----------
    t : TextBuilder
        Takes the code.
    lanes : Lanes
        Vectors of the processor.
    ends : tuple of str
        The first number, and the one behind the last.
    body : callable
        Takes the row and its first number.
    """
    first, stop = ends
    numbers = ", ".join(f"i64 {k}" for k in range(lanes.count))
    with t.loop(first, stop, str(lanes.count)) as o:
        rest = broadcast(t, "i64", lanes.count, t.subtract(stop, o))
        mask = t.value(f"icmp slt <{lanes.count} x i64> <{numbers}>, {rest}")
        body(Row(lanes, 1, mask), o)


@contextmanager
def rows_of_images(t: TextBuilder, lanes: Lanes, steps: Steps) -> Iterator[tuple[str, str]]:
    """Repeat the instructions within for each work item, whose images are packed.

    Parameters
    ----------
    t : TextBuilder
        Takes the code.
    lanes : Lanes
        Vectors of the processor.
    steps : Steps
        Distances in the patch.

    Yields
    ------
    tuple of str
        The address of the item's first row of the result, and how many rows it has.
    """
    with t.loop("%begin", "%end") as item:
        image = t.divide(item, "%row_blocks")
        first = t.multiply(t.remainder(item, "%row_blocks"), "%item_rows")
        count = t.least("%item_rows", t.subtract("%rows", first))
        pack(t, lanes, steps, image, t.multiply(first, "%stride_down"))
        place = t.add(t.multiply(image, "%y_image"), t.multiply(first, "%y_row"))
        yield t.element("%y", lanes.scalar, place), count
