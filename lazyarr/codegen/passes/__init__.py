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
from lazyarr.codegen.passes.dead_code import eliminate_dead_code
from lazyarr.codegen.passes.vectorization import vectorize
from lazyarr.errors import ConfigError
from lazyarr.loop_ir.kernel import Kernel

__all__ = ["PASSES", "pass_named", "run_passes"]

K = TypeVar("K", bound=Kernel)

#: The names of the passes, in the order in which they are run.
PASSES = (
    "dead_code",
    "common_subexpressions",
    "searches",
    "hoisting",
    "strength_reduction",
    "fission",
    "vectorization",
)
#: Those that change kernels of a GPU alone.
_OF_GPU = frozenset(("searches", "hoisting", "strength_reduction", "fission"))
#: Those for processors alone: checks for faults leave much unread, and a GPU makes none.
_OF_PROCESSORS = frozenset(("dead_code",))


def pass_named(name: str) -> Callable[..., Kernel]:
    """Return a pass by its name."""
    # Imported here: processors have three of them.
    match name:
        case "dead_code":
            return eliminate_dead_code
        case "common_subexpressions":
            return eliminate_common_subexpressions
        case "searches":
            from lazyarr.codegen.passes.searches import join_searches

            return join_searches
        case "hoisting":
            from lazyarr.codegen.passes.hoisting import hoist_divisors

            return hoist_divisors
        case "strength_reduction":
            from lazyarr.codegen.passes.strength_reduction import reduce_strength

            return reduce_strength
        case "fission":
            from lazyarr.codegen.passes.fission import split_rare_branches

            return split_rare_branches
        case "vectorization":
            return vectorize
    raise _unknown(name)


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
            raise _unknown(name)
    for name in PASSES:
        if name not in names and _is_due(name, kernel):
            result = pass_named(name)(kernel)
            assert isinstance(result, type(kernel))
            kernel = result
    return kernel


def _is_due(name: str, kernel: Kernel) -> bool:
    """Whether a pass may change a kernel."""
    if not kernel.of_gpu:
        return name not in _OF_GPU
    return name not in _OF_PROCESSORS and (name != "searches" or getattr(kernel, "searches", 0) > 1)


def _unknown(name: str) -> ConfigError:
    names = ", ".join(PASSES)
    return ConfigError(f"there is no pass {name!r}", hint=f"LAZYARR_SKIP_PASSES takes {names}")


def _skipped() -> list[str]:
    text = os.environ.get("LAZYARR_SKIP_PASSES", "")
    return [name.strip() for name in text.split(",") if name.strip()]
