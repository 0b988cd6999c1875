"""Bindings of cuDNN through its frontend: handles, and convolutions as graphs of one operation.

What works in a stream and what a plan is made for is decided elsewhere; this module only speaks the
frontend's language. The functions that other bindings have are named as nvmath-python names them.
"""

from __future__ import annotations

import importlib
from collections import OrderedDict
from collections.abc import Callable
from functools import cache
from importlib.util import find_spec
from typing import Any

from lazyarr.core.frozen import dataclass
from lazyarr.core.sliding import Pair
from lazyarr.runtime.cuda import tuning

__all__ = [
    "BY_FILTERS",
    "BY_IMAGES",
    "FORWARD",
    "Convolutions",
    "Plan",
    "Problem",
    "create",
    "destroy",
    "frontend",
    "installed",
    "plan",
    "set_stream",
]

Sizes = tuple[int, int, int, int]

#: The kinds of convolutions: of images, by images and by filters.
FORWARD, BY_IMAGES, BY_FILTERS = "forward", "by images", "by filters"


@dataclass(frozen=True, slots=True)
class Problem:
    """A convolution: everything that is known before the addresses.

    Arrays are channels last in memory: filters are (outputs, down, across, inputs).

    Attributes
    ----------
    kind : str
        ``FORWARD``, ``BY_IMAGES`` or ``BY_FILTERS``: which of the three arrays is the result.
    dtype : str
        "float16" or "float32", of all arrays; sums are float32.
    images, filters, cotangent : tuple of int
        Sizes in cuDNN's order: (images, inputs, height, width), (outputs, inputs, down, across) and
        (images, outputs, windows down, windows across).
    before, after : pair of int
        Zeros around the images.
    stride, gap : pair of int
        Steps from window to window, and from element to element of a window.
    exact : bool
        Whether factors keep all their digits: no TF32.
    """

    kind: str
    dtype: str
    images: Sizes
    filters: Sizes
    cotangent: Sizes
    before: Pair
    after: Pair
    stride: Pair
    gap: Pair
    exact: bool


class Plan:
    """A convolution that is ready to be queued.

    Parameters
    ----------
    graph : object
        The frontend's graph, built.
    tensors : tuple of object
        Its operands and its result.
    """

    def __init__(self, graph: Any, tensors: tuple[Any, Any, Any]) -> None:
        self._graph = graph
        self._tensors = tensors
        #: Bytes of work space.
        self.nbytes = int(graph.get_workspace_size())

    def execute(self, handle: Any, addresses: tuple[int, int, int], space: int) -> None:
        """Queue the convolution in the stream of the handle.

        Parameters
        ----------
        handle : object
            As :func:`create` returns it.
        addresses : tuple of int
            Of both operands and the result.
        space : int
            Address of the work space.
        """
        self._graph.execute(dict(zip(self._tensors, addresses, strict=True)), space, handle)


class Convolutions:
    """The plans of convolutions of one stream. The owner's lock is held during calls.

    Parameters
    ----------
    opened : callable
        Returns the bindings and the handle.
    """

    def __init__(self, opened: Callable[[], tuple[Any, Any]]) -> None:
        self._opened = opened
        self._plans: OrderedDict[Problem, Plan | None] = OrderedDict()

    def plan(self, problem: Problem) -> Plan | None:
        """Return the plan of a problem; None if cuDNN has none."""
        if problem not in self._plans:
            bindings, handle = self._opened()
            self._plans[problem] = bindings.plan(handle, problem)
            while len(self._plans) > tuning.row().lt_plans:
                self._plans.popitem(last=False)
        self._plans.move_to_end(problem)
        return self._plans[problem]

    def execute(self, plan: Plan, addresses: tuple[int, int, int], space: int) -> None:
        """Queue a convolution.

        Parameters
        ----------
        plan : Plan
            As :meth:`plan` returns it.
        addresses : tuple of int
            Of both operands and the result.
        space : int
            Address of the work space.
        """
        _, handle = self._opened()
        plan.execute(handle, addresses, space)

    def close(self) -> None:
        """Give all plans back."""
        self._plans.clear()


@cache
def installed() -> bool:
    """Return whether cuDNN's frontend is installed."""
    return find_spec("cudnn") is not None


@cache
def frontend() -> Any:
    """Return the frontend's module; it loads cuDNN."""
    return importlib.import_module("cudnn")


def create() -> Any:
    """Return a new handle."""
    return frontend().create_handle()


def destroy(handle: Any) -> None:
    """Give a handle back."""
    frontend().destroy_handle(handle)


def set_stream(handle: Any, stream: int) -> None:
    """Let a handle work in a stream.

    Parameters
    ----------
    handle : object
        As :func:`create` returns it.
    stream : int
        The driver's stream.
    """
    frontend().set_stream(handle=handle, stream=stream)


def plan(handle: Any, problem: Problem) -> Plan | None:
    """Return the plan of a convolution that always gives the same bits; None if there is none.

    Parameters
    ----------
    handle : object
        As :func:`create` returns it.
    problem : Problem
        The convolution.
    """
    cudnn = frontend()
    kind = {"float16": "HALF", "float32": "FLOAT"}[problem.dtype]
    stored, wide = getattr(cudnn.data_type, kind), cudnn.data_type.FLOAT
    graph = cudnn.pygraph(
        io_data_type=stored,
        intermediate_data_type=wide,
        compute_data_type=wide,
        handle=handle,
    )

    def tensor(name: str, sizes: Sizes) -> Any:
        return graph.tensor(name=name, dim=list(sizes), stride=_strides(sizes), data_type=stored)

    how = {
        "pre_padding": list(problem.before),
        "post_padding": list(problem.after),
        "stride": list(problem.stride),
        "dilation": list(problem.gap),
    }
    images, filters, cotangent = problem.images, problem.filters, problem.cotangent
    if problem.kind == FORWARD:
        first, second = tensor("images", images), tensor("filters", filters)
        result, sizes = graph.conv_fprop(image=first, weight=second, **how), cotangent
    elif problem.kind == BY_IMAGES:
        first, second = tensor("cotangent", cotangent), tensor("filters", filters)
        result, sizes = graph.conv_dgrad(loss=first, filter=second, **how), images
    else:
        first, second = tensor("images", images), tensor("cotangent", cotangent)
        result, sizes = graph.conv_wgrad(image=first, loss=second, **how), filters
    result.set_output(True).set_dim(list(sizes)).set_stride(_strides(sizes)).set_data_type(stored)
    try:
        graph.validate()
        graph.build_operation_graph()
        graph.create_execution_plans([cudnn.heur_mode.A, cudnn.heur_mode.FALLBACK])
        graph.deselect_numeric_notes(_unwanted(cudnn.numerical_note, problem))
        graph.check_support()
        graph.build_plans(cudnn.build_plan_policy.HEURISTICS_CHOICE)
    except cudnn.cudnnGraphNotSupportedError:
        return None
    return Plan(graph, (first, second, result))


def _strides(sizes: Sizes) -> list[int]:
    _, channels, down, across = sizes
    return [channels * down * across, 1, channels * across, channels]


def _unwanted(notes: Any, problem: Problem) -> list[Any]:
    """Return the notes of algorithms that are not wanted."""
    names = ["NONDETERMINISTIC", "REDUCED_PRECISION_REDUCTION"]
    if problem.exact:
        names += ["WINOGRAD_TILE_6x6", "WINOGRAD_TILE_13x13"]
        names += ["TENSOR_CORE", "DOWN_CONVERT_INPUTS"] if problem.dtype == "float32" else []
    return [getattr(notes, name) for name in names]
