"""Passes over kernels: each makes another of one that computes the same, bit for bit.

Lowering appends statements and says what it means; a pass finds how that is done well. Each changes
nothing the second time, and may be left out: ``LAZYARR_SKIP_PASSES`` names those to skip, separated
by commas, so that one that is suspected of an error can be ruled out.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection
from typing import TypeVar

from lazyarr.codegen.passes.common_subexpressions import eliminate_common_subexpressions
from lazyarr.codegen.passes.fission import split_rare_branches
from lazyarr.codegen.passes.hoisting import hoist_divisors
from lazyarr.codegen.passes.strength_reduction import reduce_strength
from lazyarr.codegen.passes.vectorization import vectorize
from lazyarr.errors import ConfigError
from lazyarr.loop_ir.kernel import Kernel

__all__ = ["PASSES", "run_passes"]

K = TypeVar("K", bound=Kernel)

#: The passes by their names, in the order in which they are run.
PASSES: dict[str, Callable[..., Kernel]] = {
    "common_subexpressions": eliminate_common_subexpressions,
    "hoisting": hoist_divisors,
    "strength_reduction": reduce_strength,
    "fission": split_rare_branches,
    "vectorization": vectorize,
}


def run_passes(kernel: K, skip: Collection[str] | None = None) -> K:
    """Return a kernel after all passes.

    Parameters
    ----------
    kernel : Kernel
        As it was lowered.
    skip : collection of str, optional
        Names of passes to leave out; default: those in the variable ``LAZYARR_SKIP_PASSES``.

    Raises
    ------
    ConfigError
        If there is no pass of such a name.
    """
    names = _skipped() if skip is None else skip
    for name in names:
        if name not in PASSES:
            raise ConfigError(
                f"there is no pass {name!r}", hint=f"LAZYARR_SKIP_PASSES takes {', '.join(PASSES)}"
            )
    for name, function in PASSES.items():
        if name not in names:
            result = function(kernel)
            assert isinstance(result, type(kernel))
            kernel = result
    return kernel


def _skipped() -> list[str]:
    text = os.environ.get("LAZYARR_SKIP_PASSES", "")
    return [name.strip() for name in text.split(",") if name.strip()]
