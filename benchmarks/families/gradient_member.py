"""A member of a family of gradients: a function of arrays whose value is one number.

NumPy differentiates nothing, so results are compared with JAX's, see :meth:`Gradient.expected`.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.cases import Arrays
from benchmarks.families.member import Choice, Member, Shape, listed, uniform

__all__ = ["REFERENCES", "Gradient", "gradient", "normal"]

#: The environment variable with the folder in which a run keeps the results of JAX.
REFERENCES = "BENCHMARK_REFERENCES"


@dataclass(frozen=True, kw_only=True)
class Gradient(Member):
    """The gradient of a function with respect to its first arguments.

    Attributes
    ----------
    over : int
        With respect to how many arguments.
    """

    over: int = 1

    def expected(self, arrays: Arrays) -> Any:
        """Return the gradient by JAX, without its compiler for the whole.

        A run keeps it in a folder, so that only the process of JAX has to import it.
        """
        folder = os.environ.get(REFERENCES)
        path = Path(folder, self.name.replace(":", "-") + ".npz") if folder else None
        if path is None or not path.exists():
            import jax
            import jax.numpy as jnp

            jax.config.update("jax_enable_x64", True)
            parts = [np.asarray(part) for part in self.compute(jnp, *map(jnp.asarray, arrays))]
            if path is None:
                return parts
            np.savez(path, *parts)
        with np.load(path) as kept:
            return [kept[name] for name in kept]


def _differentiated(xp: Any, function: Callable[..., Any], places: tuple[int, ...]) -> Any:
    """Return the gradient of a function, by the library whose namespace is `xp`."""
    if hasattr(xp, "grad"):
        return xp.grad(function, places)
    if getattr(xp, "__name__", "") == "jax.numpy":
        import jax

        return jax.grad(function, places)
    import torch

    return torch.func.grad(function, places)


def gradient(
    family: str,
    choice: Choice,
    formula: str,
    shapes: list[Shape],
    function: Callable[..., Any],
    *,
    dtype: str = "",
    over: int = 0,
    make: Callable[[np.random.Generator, int], Arrays] | None = None,
    flops: float = 1.0,
) -> Gradient:
    """Return a member.

    Parameters
    ----------
    family : str
        The family, without ``gradient_``.
    choice : Choice
        The random choices.
    formula : str
        The name of the function that is differentiated.
    shapes : list of tuple of int
        Shapes of its inputs, which are uniform in [0.5, 1.5).
    function : callable
        ``function(xp, *arrays)``: an array, whose elements are added up.
    dtype : str, optional
        The dtype of its inputs; by default a random one.
    over : int, optional
        The number of leading arguments that are differentiated; default: all.
    make : callable, optional
        Returns other inputs.
    flops : float
        Operations of the function for each element of the largest input.
    """
    kind = dtype or choice.dtype()
    count = over or len(shapes)

    def compute(xp: Any, *arrays: Any) -> Any:
        return _differentiated(xp, lambda *x: xp.sum(function(xp, *x)), tuple(range(count)))(
            *arrays
        )

    return Gradient(
        name=f"gradient_{family}:{choice.seed}:{choice.largest}",
        formula=f"gradient of {formula}; {listed(shapes)} {kind}",
        make=make or uniform(shapes, kind),
        compute=compute,
        dtypes=(kind,),
        seed=choice.seed,
        flops=3 * flops * max(prod(shape) for shape in shapes),
        over=count,
    )


def normal(*shapes: Shape, dtype: str) -> Callable[[np.random.Generator, int], Arrays]:
    """Return the generator of inputs that are normally distributed.

    Parameters
    ----------
    *shapes : tuple of int
        Shapes of the inputs.
    dtype : str
        The dtype of all.
    """
    return lambda random, size: tuple(random.normal(size=s).astype(dtype) for s in shapes)
