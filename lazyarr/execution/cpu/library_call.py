"""Calls of libraries on the host: one of them, and plans that are nothing but one."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from contextvars import Context
from functools import cache
from types import BuiltinFunctionType
from typing import Any

import numpy as np
from numpy._core import umath

from lazyarr.core.source_location import Origin
from lazyarr.errors import ContractError
from lazyarr.execution.arguments import is_leaf
from lazyarr.execution.fp_errors.policy import FAULTS, reporting_faults
from lazyarr.execution.launch import RunReporter, blame
from lazyarr.execution.plan import CompiledPlan
from lazyarr.graph.node import Kind, Node, walk
from lazyarr.ops.library import ORDERS, Call, Items, Slot, thaw
from lazyarr.ops.loop_records import loop_body
from lazyarr.passes.canonicalize import Bindings
from lazyarr.runtime.cpu import blas_threads
from lazyarr.runtime.host_memory_pool import SMALL, pool

__all__ = [
    "ERROR_STATE",
    "STRICT",
    "USUAL",
    "USUAL_QUIET",
    "USUAL_STRICT",
    "SoleCall",
    "call_library",
    "is_order_statistic",
    "is_repeatable",
    "strict_now",
    "strict_state",
]

Array = np.ndarray[Any, Any]
#: From the values of a node's sources, and an output or None, to its value.
Evaluate = Callable[[Sequence[Array], Array | None], Array]

#: NumPy's error state of this thread, and that in which it raises whatever it meets; None where
#: NumPy has no such things. To set it so takes a tenth of the time that ``numpy.errstate`` takes.
ERROR_STATE: Any = getattr(umath, "_extobj_contextvar", None)
STRICT: Any = (
    umath._make_extobj(all="raise") if ERROR_STATE and hasattr(umath, "_make_extobj") else None
)
#: NumPy's error state where no program has set it, and for that the state in which NumPy raises all
#: but what it ignores there: an underflow is no reason to compute again.
USUAL: Any = Context().run(ERROR_STATE.get) if STRICT is not None else None
USUAL_STRICT: Any = umath._make_extobj(all="raise", under="ignore") if STRICT is not None else None
USUAL_QUIET = FAULTS["under"][1]
#: Modules whose functions warn of floating-point exceptions alone.
_QUIET_MODULES = frozenset(
    (
        "numpy.linalg",
        "numpy.fft",
        *(f"lazyarr.ops.{name}" for name in ("library", "lookups", "sorted_rows", "triangular")),
    )
)
#: Functions that warn of no elements, and of floating-point exceptions.
_ORDER_STATISTICS = frozenset((np.median, np.quantile, np.percentile))


def call_library(
    node: Node,
    operands: Sequence[Array],
    out: Array | None,
    threads: int,
    line: Callable[[], Origin | None],
    *,
    shares: bool = False,
) -> Array:
    """Return the value of a library node, in memory of its own.

    Parameters
    ----------
    node : Node
        A library call.
    operands : sequence of numpy.ndarray
        The values of its sources.
    out : numpy.ndarray, optional
        Where it is written, in C order.
    threads : int
        Most threads of the library.
    line : callable
        Returns the user's line, for errors and warnings.
    shares : bool
        Whether the value may be a part of an operand.
    """
    try:
        with blas_threads.limited(threads), reporting_faults(line):
            if out is not None:
                node.op.evaluate(node, *operands, out=out)
                return out
            result = np.asarray(node.op.evaluate(node, *operands))
    except Exception as error:
        blame(error, node, line())
        raise
    return _owned(result, node, () if shares else operands)


def _owned(result: Array, node: Node, operands: Sequence[Array]) -> Array:
    """Return the value of a library node in memory of its own, in C order."""
    if result.shape != node.shape:
        raise ContractError(f"{node} evaluated to shape {result.shape}")
    is_view = result.base is not None or any(result is operand for operand in operands)
    is_view = is_view and any(np.may_share_memory(result, operand) for operand in operands)
    if result.dtype != node.dtype or not result.flags.c_contiguous or is_view:
        result = np.array(result, node.dtype, order="C")
    return result if result.flags.writeable else result.copy()


class SoleCall:
    """A plan that is one library call for whole arrays: nothing is bound but these.

    Parameters
    ----------
    plan : CompiledPlan
        The plan.
    threads : int
        Threads of one evaluation.
    reporter : RunReporter
        Keeps count of runs.
    """

    __slots__ = ("_evaluate", "_node", "_places", "_plan", "_reporter", "_threads")

    def __init__(self, plan: CompiledPlan[Any], threads: int, reporter: RunReporter) -> None:
        self._plan = plan
        self._node = plan.steps[0].group.members[0]
        self._places = [plan.bases.of(source) for source in self._node.src]
        nbytes = sum([value.nbytes for value in (self._node, *self._node.src)])
        is_quick = STRICT is not None and nbytes < SMALL and is_repeatable(self._node)
        #: Of small arrays: the call without what is the same each time.
        self._evaluate = _prepared(self._node) if is_quick else None
        self._threads = threads
        self._reporter = reporter

    @classmethod
    def of(cls, plan: CompiledPlan[Any], threads: int, reporter: RunReporter) -> SoleCall | None:
        """Return the call of a plan; None of a plan that is more.

        Parameters
        ----------
        plan, threads, reporter
            As of the class.
        """
        if len(plan.steps) != 1 or len(plan.results) != 1 or plan.memory.donated:
            return None
        (step,), (result,) = plan.steps, plan.results
        if step.calls or step.group.kind != "library":
            return None
        node = step.group.members[0]
        if step.group.outputs[0].layout.owner is not node or not result.is_whole:
            return None
        if (result.root.shape, result.root.dtype) != (node.shape, node.dtype):
            return None
        return cls(plan, threads, reporter) if all(map(is_leaf, node.src)) else None

    def run(self, arrays: Sequence[Array], bindings: Callable[[], Bindings]) -> Array:
        """Return the result.

        Parameters
        ----------
        arrays : sequence of numpy.ndarray
            The leaves.
        bindings : callable
            Returns them as nodes.
        """
        node, out = self._node, None
        if node.op.supports_out:
            if node.nbytes < SMALL:
                out = np.empty(node.shape, node.dtype)
            else:
                out = pool.allocate(node.nbytes).array(node.shape, node.dtype)
        operands = [arrays[place] for place in self._places]

        def line() -> Origin | None:
            return self._plan.lines.of(bindings(), node)

        evaluate, result = self._evaluate, None
        if evaluate is not None:
            result = self._without_faults(evaluate, operands, out, line)
        if result is None:
            result = call_library(node, operands, out, self._threads, line)
        self._reporter.first_run = False
        return result

    def _without_faults(
        self,
        evaluate: Evaluate,
        operands: Sequence[Array],
        out: Array | None,
        line: Callable[[], Origin | None],
    ) -> Array | None:
        """Return the result; None if NumPy meets a floating-point exception.

        To have NumPy raise takes less time than to have it keep account of what it meets.
        """
        token = ERROR_STATE.set(strict_state())
        try:
            with blas_threads.limited(self._threads):
                result = evaluate(operands, out)
        except FloatingPointError:
            return None
        except Exception as error:
            blame(error, self._node, line())
            raise
        finally:
            ERROR_STATE.reset(token)
        return _owned(result, self._node, operands) if out is None else out


def strict_state() -> Any:
    """Return the error state that raises for each fault not ignored at present."""
    now = ERROR_STATE.get()
    return USUAL_STRICT if now is USUAL or now is USUAL_STRICT else strict_now()[0]


def strict_now() -> tuple[Any, int]:
    """Return that state, and the bits for ``np.seterrcall`` of the faults that are ignored."""
    return _strict(frozenset(kind for kind, how in np.geterr().items() if how == "ignore"))


@cache
def _strict(ignored: frozenset[str]) -> tuple[Any, int]:
    modes: dict[str, Any] = dict.fromkeys(ignored, "ignore")
    state = umath._make_extobj(all="raise", **modes)
    return state, sum(FAULTS[kind][1] for kind in ignored)


def is_repeatable(node: Node) -> bool:
    """Whether calling a node's function twice has the effects and warnings of one call.

    Parameters
    ----------
    node : Node
        A library call.

    Notes
    -----
    What NumPy has written in Python may warn of more than floating-point exceptions, as `median`
    does of no elements: it would warn twice. A loop calls the functions of its body.
    """
    body = loop_body(node)
    if body is not None:
        return all(is_repeatable(n) for n in walk(body) if n.op.kind is Kind.LIBRARY)
    function, call = node.op.calls, node.attr
    if function is None or node.op.exchanges:
        return False
    if isinstance(call, Call) and call.outputs:
        function = call.args[0]  # type: ignore[assignment]
    if isinstance(function, np.ufunc) or function in ORDERS:
        return True
    if is_order_statistic(function):
        return all(source.size for source in node.src)
    if getattr(function, "__module__", "") in _QUIET_MODULES:
        return True
    return isinstance(getattr(function, "_implementation", None), BuiltinFunctionType)


def is_order_statistic(function: Callable[..., Any] | None) -> bool:
    """Return whether a function is a median or a quantile of NumPy's, or one with its results.

    Parameters
    ----------
    function : callable or None
        Of a library call.
    """
    while function is not None and function not in _ORDER_STATISTICS:
        function = getattr(function, "__wrapped__", None)
    return function is not None


def _prepared(node: Node) -> Evaluate:
    """Return the function from the values of a library node's sources, and an output, to its value.

    Parameters
    ----------
    node : Node
        A call of a function. The value is written to the output, unless that is None.
    """

    def evaluate(arrays: Sequence[Array], out: Array | None) -> Array:
        result: Array = node.op.evaluate(node, *arrays, **({} if out is None else {"out": out}))
        return result

    call, function = node.attr, node.op.calls
    if function is None:
        return evaluate  # a loop
    assert isinstance(call, Call)
    keywords = [value for _, value in call.keywords]
    if any(map(_is_sequence_of_arrays, (*call.args, *keywords))) or Slot in map(type, keywords):
        return evaluate
    places = [(k, value.index) for k, value in enumerate(call.args) if isinstance(value, Slot)]
    arguments = [None if isinstance(value, Slot) else thaw(value, ()) for value in call.args]
    fixed = {key: thaw(value, ()) for key, value in call.keywords}

    def evaluate_directly(arrays: Sequence[Array], out: Array | None) -> Array:
        values = arguments.copy()
        for k, place in places:
            values[k] = arrays[place]
        if out is None:
            return np.asarray(function(*values, **fixed))
        return np.asarray(function(*values, **fixed, out=out))

    return evaluate_directly


def _is_sequence_of_arrays(value: Hashable) -> bool:
    """Whether a frozen argument is a sequence with arrays in it."""
    return isinstance(value, Items) and any(
        isinstance(item, Slot) or _is_sequence_of_arrays(item) for item in value.items
    )
