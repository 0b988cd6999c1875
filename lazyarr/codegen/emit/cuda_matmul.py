"""CUDA C of products of float64 matrices on tensor cores, and of their epilogues.

A block of 256 threads computes a tile of 128 rows and columns. Slices of both matrices, 16 deep,
come to shared memory while those before them are multiplied, four at a time; they lie so that
neither writing nor reading meets a bank twice. Sums are taken in the order of the summed axis,
eight products in one instruction, as cuBLAS does: its bits.

A warp has 32 rows and 64 columns. Of an instruction's 16 x 8 results, 16 are neighbouring columns,
for a thread then finds its two columns of the right matrix side by side.
"""

from __future__ import annotations

from lazyarr.core.text_files import filled_in, sections
from lazyarr.loop_ir.cuda_kernel import WARP

__all__ = [
    "PRODUCT_HELPERS",
    "WITH_RARE",
]

PRODUCT_HELPERS = {
    name: filled_in(text, {"warp": WARP})
    for name, text in sections("lazyarr.codegen.emit", "matmul.cuh").items()
}

#: Primitives of float64 of which there is code without branches.
WITH_RARE = tuple(name.removesuffix("_or") for name in PRODUCT_HELPERS if name.endswith("_or"))
