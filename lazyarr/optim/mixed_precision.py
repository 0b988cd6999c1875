"""Mixed precision: losses scaled so that small gradients of float16 do not vanish.

bfloat16 has the exponents of float32 and needs no scale; what is scaled updates as well.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from lazyarr.arrays.lazy_array import LazyArray, as_lazy
from lazyarr.core.frozen import dataclass
from lazyarr.core.source_location import origin
from lazyarr.errors import ArgumentError
from lazyarr.numpy_api.elementwise import FUNCTIONS
from lazyarr.numpy_api.selection import where
from lazyarr.optim.clipping import all_finite
from lazyarr.optim.rules import Optimizer, State
from lazyarr.optim.trees import Tree, parameters_of, rebuild, widened
from lazyarr.tracing import recorded
from lazyarr.tracing.pytree import flatten, is_array

__all__ = ["LossScaling", "loss_scaling"]


@dataclass(frozen=True, slots=True)
class LossScaling:
    """An optimiser for the gradients of a scaled loss; see :func:`loss_scaling`.

    Attributes
    ----------
    optimizer : Optimizer
        What updates where all gradients are finite.
    initial : float
        The first scale.
    growth : float
        Factor after `interval` updates that were all finite.
    backoff : float
        Factor after one that was not.
    interval : int
        Updates until the scale grows.
    """

    optimizer: Optimizer
    initial: float
    growth: float
    backoff: float
    interval: int

    def init(self, parameters: Tree) -> State:
        """Return the state before the first update."""
        return {
            "scale": np.asarray(self.initial, np.float32),
            "finite": np.zeros((), np.int64),
            "inner": self.optimizer.init(parameters),
        }

    def scale(self, loss: Any, state: Mapping[str, Any]) -> LazyArray:
        """Return the scaled loss, whose gradients :meth:`update` takes.

        Parameters
        ----------
        loss : array_like
            The loss, a real number without axes.
        state : mapping
            From :meth:`init` or the last update; its entry "scale" is the factor.

        Returns
        -------
        LazyArray
            ``loss * state["scale"]`` in float32.
        """
        return as_lazy(as_lazy(loss).astype(np.float32) * state["scale"])

    def update(
        self, gradients: Tree, state: Mapping[str, Any], parameters: Tree
    ) -> tuple[Tree, State]:
        """Return the next parameters and state; the same parameters if a gradient is not finite.

        Parameters
        ----------
        gradients : container of array_like
            Gradients of the scaled loss, of the structure and shapes of `parameters`.
        state : mapping
            From :meth:`init` or the last update.
        parameters : container of array_like
            Floating-point arrays.

        Returns
        -------
        parameters : container of LazyArray
            After the optimiser's update by ``gradients / scale``; unchanged if an element of a
            gradient is not finite.
        state : dict
            Of the same structure as `state`. The scale grows after `interval` finite updates and
            shrinks after one that is not finite; it stays between 1 and 2**126.
        """
        return _update(self, gradients, state, parameters)


def loss_scaling(
    optimizer: Optimizer,
    *,
    initial: float = 2.0**15,
    growth: float = 2.0,
    backoff: float = 0.5,
    interval: int = 2000,
) -> LossScaling:
    """Return an optimiser for gradients of ``scaling.scale(loss, state)``.

    It divides them by the scale, leaves out updates whose gradients are not finite, and adapts
    the scale: smaller after those, larger after many that were.

    Parameters
    ----------
    optimizer : Optimizer
        What updates.
    initial, growth, backoff : float
        The first scale, and the factors that it is multiplied with; powers of two scale exactly.
    interval : int
        Updates in a row, all finite, until the scale grows.

    Returns
    -------
    LossScaling
        With `init`, `scale` and `update`.

    Raises
    ------
    ArgumentError
        If a number makes no sense.

    References
    ----------
    Micikevicius et al.: Mixed precision training, 2018, section 3.2.

    Examples
    --------
    >>> import numpy as np
    >>> import lazyarr as la
    >>> scaling = la.optim.loss_scaling(la.optim.sgd(1.0), initial=4.0)
    >>> w = np.array([1.0], np.float16)
    >>> state = scaling.init(w)
    >>> w, state = la.jit(scaling.update)(np.array([2.0], np.float16), state, w)
    >>> w
    array([0.5], dtype=float16)
    """
    if not (initial > 0 and growth >= 1 and 0 < backoff <= 1 and interval >= 1):
        raise ArgumentError(
            "loss scaling needs initial > 0, growth >= 1, 0 < backoff <= 1 and interval >= 1, got "
            f"initial={initial}, growth={growth}, backoff={backoff}, interval={interval}",
            origin=origin(),
        )
    return LossScaling(optimizer, initial, growth, backoff, interval)


@recorded
def _update(
    scaling: LossScaling, gradients: Tree, state: Mapping[str, Any], parameters: Tree
) -> tuple[Tree, State]:
    scale = as_lazy(state["scale"])
    arrays, structure = parameters_of(gradients, "gradients")
    slopes = map(widened, arrays)
    plain = rebuild(structure, [x / scale.astype(x.dtype) for x in slopes])
    finite = all_finite(plain)
    following, inner = scaling.optimizer.update(plain, state["inner"], parameters)
    count = as_lazy(where(finite, as_lazy(state["finite"]) + 1, 0))
    grown = count >= scaling.interval
    least, most = np.float32(1.0), np.float32(2.0**126)
    proposed = where(grown, scale * scaling.growth, scale)
    proposed = where(finite, proposed, scale * scaling.backoff)
    return _chosen(finite, following, parameters), {
        "scale": FUNCTIONS["minimum"](FUNCTIONS["maximum"](proposed, least), most),
        "finite": where(grown, 0, count),
        "inner": _chosen(finite, inner, dict(state["inner"])),
    }


def _chosen(condition: LazyArray, new: Tree, old: Tree) -> Tree:
    """Return a tree's arrays where a condition holds, and those of another like it elsewhere."""
    after: list[Any] = []
    before: list[Any] = []
    structure = flatten(new, is_array, after)
    flatten({name: old[name] for name in new} if isinstance(new, dict) else old, is_array, before)
    return rebuild(structure, [where(condition, x, y) for x, y in zip(after, before, strict=True)])
