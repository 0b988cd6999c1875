"""The tiling of stacks of small matrix products on a GPU: a frozen value.

It is chosen beside the template that it is for, and the code is written by it.
"""

from __future__ import annotations

from lazyarr.core.frozen import dataclass

__all__ = ["SmallProductTiling"]


@dataclass(frozen=True, slots=True)
class SmallProductTiling:
    """Small matrix products that a GPU's block computes out of shared memory.

    Attributes
    ----------
    matrices, rows : int
        Products of a block, and rows of each: all of them where there are several products.
    columns : int
        Of a product.
    terms : int
        Of a sum.
    width : int
        Neighbouring columns that a thread stores at once.
    high, vectors : int
        Rows and vectors of columns of a thread's results.
    threads : int
        Of a block.
    left_pitch, right_pitch : int
        Elements from one row to the next of the left and of the right matrices in shared memory.
    itemsize : int
        Bytes of an element.
    """

    matrices: int
    rows: int
    columns: int
    terms: int
    width: int
    high: int
    vectors: int
    threads: int
    left_pitch: int
    right_pitch: int
    itemsize: int

    @property
    def down(self) -> int:
        """Threads of a product, one below the other."""
        return -(-self.rows // self.high)

    @property
    def across(self) -> int:
        """Threads of a product, side by side."""
        return -(-self.columns // (self.width * self.vectors))

    @property
    def left_bytes(self) -> int:
        """Bytes of left matrices in shared memory; a thread may read rows behind the last."""
        rows = (self.matrices - 1) * self.rows + self.down * self.high
        return self.itemsize * rows * self.left_pitch

    @property
    def shared_bytes(self) -> int:
        """Bytes of shared memory of a block."""
        # A thread may read columns behind the last, of the next row or behind all.
        behind = self.across * self.vectors * self.width - self.columns
        right = self.matrices * self.terms * self.right_pitch + behind
        return self.left_bytes + self.itemsize * right

    def __str__(self) -> str:
        many = "1 product" if self.matrices == 1 else f"{self.matrices} products"
        return (
            f"{many} of {self.rows} x {self.columns} a block, "
            f"{self.high} x {self.width * self.vectors} a thread, {self.threads} threads a block"
        )
