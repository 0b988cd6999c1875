"""A complex number in a kernel."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from lazyarr.loop_ir.kernel import Operand

__all__ = ["Pair"]


class Pair(NamedTuple):
    """A complex number in a kernel: its two parts, of one dtype."""

    real: Operand
    imag: Operand

    @property
    def dtype(self) -> np.dtype[Any]:
        """Of the complex number."""
        return np.result_type(self.real.dtype, np.complex64)
