"""LLVM IR that packs rows of images in blocks of channels, with zeros around them."""

from __future__ import annotations

from lazyarr.core.frozen import dataclass
from lazyarr.runtime.cpu import tuning
from lazyarr.runtime.cpu.llvm_text_builder import TextBuilder

__all__ = ["BLOCK", "Lanes", "Steps", "note_taps", "pack"]

#: Channels of a block.
BLOCK = tuning.row().convolution_block


@dataclass(frozen=True, slots=True)
class Lanes:
    """Vectors of a processor.

    Attributes
    ----------
    scalar : str
        LLVM's type of an element.
    size : int
        Its bytes.
    count : int
        Elements of a vector register.
    fused : bool
        Whether a product is added in one rounding.
    vectors : int
        Registers of a row of the widest tile.
    """

    scalar: str
    size: int
    count: int
    fused: bool
    vectors: int

    @property
    def vector(self) -> str:
        """LLVM's type of a vector."""
        return f"<{self.count} x {self.scalar}>"

    @property
    def suffix(self) -> str:
        """Of LLVM's intrinsics on such vectors."""
        return f"v{self.count}f{8 * self.size}"


@dataclass(frozen=True, slots=True)
class Steps:
    """Distances in the patch, in elements; `width` is that of neighbouring columns."""

    block: str
    phase: str
    row: str
    width: int = BLOCK

    @classmethod
    def of(cls, t: TextBuilder, width: int = BLOCK) -> Steps:
        """Compute them.

        Parameters
        ----------
        t : TextBuilder
            Takes the code.
        width : int
            Channels of a block, a power of two.
        """
        block = t.multiply("%phase_width", str(width))
        phase = t.multiply(block, "%blocks")
        return cls(block, phase, t.multiply(phase, "%stride_across"), width)


def note_taps(t: TextBuilder, steps: Steps) -> None:
    """Write where in a row of the patch each tap across begins.

    Parameters
    ----------
    t : TextBuilder
        Takes the code.
    steps : Steps
        Distances in the patch.
    """
    with t.loop("0", "%taps_across") as q:
        reach = t.multiply(q, "%gap_across")
        phase, column = t.remainder(reach, "%stride_across"), t.divide(reach, "%stride_across")
        place = t.add(t.multiply(phase, steps.phase), t.multiply(column, str(steps.width)))
        t.store("i64", place, t.element("%taps", "i64", q), 8)


def pack(t: TextBuilder, lanes: Lanes, steps: Steps, image: str, first: str) -> None:
    """Copy rows of an image with the zeros around them.

    Parameters
    ----------
    t : TextBuilder
        Takes the code.
    lanes : Lanes
        Vectors of the processor.
    steps : Steps
        Distances in the patch.
    image, first : str
        The number of the image, and the first row, counted as the windows do.
    """
    source_image = t.element("%x", lanes.scalar, t.multiply(image, "%x_image"))
    top = t.subtract(first, "%low_down")
    has_one = t.compare("eq", "%packed_taps", "1")
    # Whole blocks of a dense row.
    is_dense = t.both(t.compare("eq", "%x_channel", "1"), has_one)
    fast = t.choose(is_dense, t.divide("%channels", str(steps.width)), "0")
    is_whole = t.compare("eq", t.multiply(fast, str(steps.width)), "%channels")
    is_plain = t.both(is_whole, t.compare("eq", "%spread_across", "1"))
    columns = t.choose(is_plain, "0", "%patch_width")
    with t.loop("0", "%patch_rows") as r:
        has_row, row = _inside(t, t.add(top, r), "%spread_down", "%height")
        source = t.element(source_image, lanes.scalar, t.multiply(row, "%x_row"))
        target = t.element("%patch", lanes.scalar, t.multiply(r, steps.row))
        nbytes = t.multiply(steps.row, str(lanes.size))
        t.line(f"call void @llvm.memset.p0.i64(ptr {target}, i8 0, i64 {nbytes}, i1 false)")
        with t.when(has_row):
            with t.when(is_plain):
                _pack_blocks(t, lanes, steps, (source, target), fast)
            with t.loop("0", columns) as c:
                phase = t.remainder(c, "%stride_across")
                column = t.multiply(t.divide(c, "%stride_across"), str(steps.width))
                place = t.add(t.multiply(phase, steps.phase), column)
                to = t.element(target, lanes.scalar, place)
                _pack_column(t, lanes, steps, (source, to), c, fast)


def _inside(t: TextBuilder, position: str, spread: str, size: str) -> tuple[str, str]:
    """Return whether an element of the image lies at a position, and its number."""
    number = t.divide(position, spread)
    exact = t.compare("eq", t.remainder(position, spread), "0")
    bounds = (t.compare("sge", position, "0"), t.compare("slt", number, size))
    return t.both(exact, *bounds), number


def _pack_blocks(
    t: TextBuilder, lanes: Lanes, steps: Steps, memory: tuple[str, str], blocks: str
) -> None:
    """Copy a row of neighbouring columns of whole blocks.

    A division takes as long as a tenth of the products of a column of 16 channels and outputs, so
    there are two for a phase, and none for a column.
    """
    block = f"<{steps.width} x {lanes.scalar}>"
    row, target = memory
    end = t.least(t.add("%low_across", "%width"), "%patch_width")
    with t.loop("0", "%stride_across") as phase:
        missing = t.subtract(t.subtract("%stride_across", "1"), phase)
        first = t.divide(t.add("%low_across", missing), "%stride_across")
        first = t.choose(t.compare("sgt", first, "0"), first, "0")
        to = t.element(target, lanes.scalar, t.multiply(phase, steps.phase))
        with t.loop(first, t.divide(t.add(end, missing), "%stride_across")) as column:
            position = t.add(t.multiply(column, "%stride_across"), phase)
            number = t.multiply(t.subtract(position, "%low_across"), "%x_column")
            source = t.element(row, lanes.scalar, number)
            with t.loop("0", blocks) as b:
                at = t.element(source, lanes.scalar, t.multiply(b, str(steps.width)))
                place = t.add(t.multiply(b, steps.block), t.multiply(column, str(steps.width)))
                value = t.load(block, at, lanes.size)
                t.store(block, value, t.element(to, lanes.scalar, place), lanes.size)


def _pack_column(
    t: TextBuilder, lanes: Lanes, steps: Steps, memory: tuple[str, str], c: str, fast: str
) -> None:
    """Copy the channels of one column, or of all that taps of it read."""
    block = f"<{steps.width} x {lanes.scalar}>"
    row, to = memory
    start = t.subtract(t.multiply(c, "%packed_stride"), "%low_across")
    with t.loop("0", "%packed_taps") as q:
        position = t.add(start, t.multiply(q, "%packed_gap"))
        valid, column = _inside(t, position, "%spread_across", "%width")
        with t.when(valid):
            source = t.element(row, lanes.scalar, t.multiply(column, "%x_column"))
            with t.loop("0", fast) as b:
                number = t.multiply(b, str(steps.width))
                value = t.load(block, t.element(source, lanes.scalar, number), lanes.size)
                place = t.element(to, lanes.scalar, t.multiply(b, steps.block))
                t.store(block, value, place, lanes.size)
            offset = t.multiply(q, "%inputs")
            with t.loop(t.multiply(fast, str(steps.width)), "%inputs") as k:
                value = t.load(
                    lanes.scalar,
                    t.element(source, lanes.scalar, t.multiply(k, "%x_channel")),
                    lanes.size,
                )
                channel = t.add(offset, k)
                place = t.add(
                    t.multiply(
                        t.value(f"lshr i64 {channel}, {steps.width.bit_length() - 1}"), steps.block
                    ),
                    t.value(f"and i64 {channel}, {steps.width - 1}"),
                )
                t.store(lanes.scalar, value, t.element(to, lanes.scalar, place), lanes.size)
