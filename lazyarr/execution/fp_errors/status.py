"""The status of a run: conditions that kernels report, and the errors or warnings for them."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextvars import Context
from typing import TYPE_CHECKING, Any, TypeAlias

from lazyarr.codegen.launch import Bounds, Status
from lazyarr.core.source_location import Origin
from lazyarr.errors import IndexingError
from lazyarr.execution.fp_errors.policy import FAULTS, Fault, element_error, report, reported_kinds
from lazyarr.graph.node import Node
from lazyarr.ops.gather import Gathered
from lazyarr.passes.canonicalize import Bindings
from lazyarr.runtime import run_log
from lazyarr.runtime.cpu import fp_flags

if TYPE_CHECKING:
    from lazyarr.execution.fp_errors.diagnosis import Diagnosis

__all__ = ["DeferredReports", "Follow", "Reports"]

#: Makes errors and warnings of what the kernels of a run have reported.
Follow: TypeAlias = Callable[[Bindings, fp_flags.Signals], None]


class Reports:
    """The positions of a plan's reports, from which errors and warnings are derived.

    A report is a word of floating-point flags a step, then a byte for each fault that kernels
    check themselves and eight for each index that may be out of bounds.

    Parameters
    ----------
    steps : int
        How many steps the plan has.
    origin : callable
        From the arrays and scalars of an evaluation and a node to the user's line.

    Attributes
    ----------
    nbytes : int
        The length of a report.
    bounds : dict of Bounds to int
        Where kernels report the farthest index, in bytes.
    certain : bool
        Whether a run is followed up whatever its report says.
    """

    def __init__(self, steps: int, origin: Callable[[Bindings, Node], Origin | None]) -> None:
        self.steps = steps
        self.origin = origin
        self.faults: dict[Status, int] = {}
        self.bounds: dict[Bounds, int] = {}
        self.nbytes = 4 * steps
        self.certain = False
        self._flagged = False
        self._library: dict[int, tuple[Node, str]] = {}
        self._diagnosis: Diagnosis | None = None
        self._masks: dict[frozenset[str], int] = {}

    @property
    def any(self) -> bool:
        """Whether kernels report anything."""
        return bool(self._flagged or self.faults or self.bounds)

    def place(self, argument: Status | Bounds) -> int:
        """Return the offset in bytes at which a kernel reports a fault or an index."""
        if isinstance(argument, Status):
            return self._place(self.faults, argument, 1)
        return self._place(self.bounds, argument, 8)

    def place_of_flags(self, step: int) -> int:
        """Return the offset in bytes at which a step's kernels collect the processor's flags."""
        self._flagged = True
        return 4 * step

    def watch_library(self, step: int, node: Node, name: str = "") -> None:
        """Take the flags of a step for faults that NumPy warns of by the name of one operation.

        Parameters
        ----------
        step : int
            A library step that is called as kernels are.
        node : Node
            What it computes.
        name : str, optional
            By which NumPy calls the operation. Default: that of the node's.
        """
        self._library[step] = node, name or node.op.name

    def _place(self, places: dict[Any, int], argument: Status | Bounds, nbytes: int) -> int:
        if argument not in places:
            start = -(-self.nbytes // nbytes) * nbytes
            places[argument] = start
            self.nbytes = start + nbytes
        return places[argument]

    def diagnose_by(self, diagnosis: Diagnosis) -> None:
        """Set the diagnosis by which reports of kernels become errors and warnings."""
        self._diagnosis = diagnosis
        self.certain = bool(diagnosis.certain)

    def is_silent(self, data: bytes | bytearray) -> bool:
        """Return whether nothing that was reported is an error or a warning in this thread now.

        Steps of training raise the flag of underflow, which ``np.errstate`` ignores by default,
        in most runs: they need no more than this.

        Parameters
        ----------
        data : bytes or bytearray
            The status block after the run.
        """
        asked = reported_kinds()
        if self.certain and asked:
            return False
        mask = self._masks.get(asked)
        if mask is None:
            mask = int.from_bytes(self._mask(asked, len(data)), sys.byteorder)
            self._masks[asked] = mask
        return not int.from_bytes(data, sys.byteorder) & mask

    def loud(self, length: int, nbytes: int) -> bytes:
        """Return the bits of a report that NumPy does not ignore by default.

        Parameters
        ----------
        length : int
            Bytes of a report.
        nbytes : int
            How many bytes are returned: those behind a report are zeros. There are none if a run is
            followed up whatever its report says.
        """
        if self.certain or not length:
            return b""
        return self._mask(Context().run(reported_kinds), length).ljust(nbytes, b"\0")

    def _mask(self, asked: frozenset[str], length: int) -> bytes:
        """Return the bits of a report that say more than what is ignored."""
        bits = fp_flags.bits()
        moot = {} if self._diagnosis is None else self._diagnosis.moot
        nothing: frozenset[str] = frozenset()
        words = [
            sum(bits.get(kind, 0) for kind in asked - moot.get(step, nothing))
            for step in range(self.steps)
        ]
        flags = b"".join([word.to_bytes(4, sys.byteorder) for word in words])
        mask = bytearray(flags + b"\xff" * (length - 4 * self.steps))
        for status, place in self.faults.items():
            if place < length and not _is_said(status, asked):
                mask[place] = 0
        return bytes(mask)

    def check_bounds(self, data: bytes | bytearray, bindings: Bindings) -> None:
        """Raise for an index that lies outside its axis, as NumPy does.

        Parameters
        ----------
        data : bytes or bytearray
            The status block after the run.
        bindings : Bindings
            The leaves and scalars of the run.

        Raises
        ------
        IndexingError
            With the user's line, and the farthest index.
        """
        for bounds, place in self.bounds.items():
            seen = int.from_bytes(data[place : place + 8], sys.byteorder)
            if not seen:
                continue
            size = bounds.node.src[0].shape[bounds.axis]
            # One that counts from the end too far was seen as a number without a sign.
            attr = bounds.node.attr
            from_end = not isinstance(attr, Gathered) or attr.from_end
            wrapped = size if from_end else 0
            index = seen if seen < 1 << 63 else seen - (1 << 64) - wrapped
            raise IndexingError(
                f"index {index} is out of bounds for axis {bounds.axis} with size {size}",
                origin=self.origin(bindings, bounds.node),
            )

    def follow(self, bindings: Bindings, signals: fp_flags.Signals) -> None:
        """Warn of the faults that kernels reported, as NumPy would.

        Memory that overlaps an `out` is not written yet. An index that is out of bounds is an
        error, and warnings of what was computed with it are not given.

        Parameters
        ----------
        bindings : Bindings
            The leaves and scalars of the run.
        signals : Signals
            The status block of the run; it is cleared.

        Raises
        ------
        IndexingError
            An index lies outside its axis.
        FunctionError
            A Python function raised an exception for some element.
        ZeroDivisionError
            The weights of an average sum to zero.
        FloatingPointError
            Where ``np.errstate`` says "raise".
        """
        data = bytes(signals.data)
        signals.data[:] = bytes(len(data))
        self.check_bounds(data, bindings)
        noticed = [status for status, place in self.faults.items() if data[place]]
        for status in noticed:
            if status.fault == Status.RAISED:
                raise element_error(status.op)
        asked = reported_kinds()
        is_warned = any(status.fault == Status.WARNING for status in noticed)
        report(self._faults_of_library(data, bindings))
        if self._diagnosis is None or not (asked or is_warned):
            return
        flagged = {step: frozenset(fp_flags.bits()) for step in self._diagnosis.certain}
        for step in range(self.steps):
            met = _met(data, step)
            if met and step not in self._library:
                flagged[step] = met | flagged.get(step, frozenset())
        if not noticed and all(asked.isdisjoint(met) for met in flagged.values()):
            return
        moot = dict(self._diagnosis.moot)
        with run_log.suspended():
            faults = self._diagnosis.faults(bindings, flagged, noticed, asked)
        if moot != self._diagnosis.moot:
            self._masks.clear()
        report(faults)

    def _faults_of_library(self, data: bytes, bindings: Bindings) -> list[Fault]:
        """Return the faults of library steps: the flags are all that there is to know of them."""
        return [
            Fault(kind, name, self.origin(bindings, node))
            for step, (node, name) in self._library.items()
            for kind in FAULTS
            if kind in _met(data, step)
        ]


def _is_said(status: Status, asked: frozenset[str]) -> bool:
    """Return whether a report of kernels leads to an error or a warning where some faults do."""
    if status.fault in (Status.RAISED, Status.WARNING):
        return True
    return bool(asked) if status.fault == Status.SUSPECT else status.fault in asked


def _met(data: bytes, step: int) -> frozenset[str]:
    """Return the faults whose flags a step has set."""
    word = int.from_bytes(data[4 * step : 4 * step + 4], sys.byteorder)
    return frozenset(kind for kind, bit in fp_flags.bits().items() if word & bit)


class DeferredReports(Reports):
    """The reports of a plan whose diagnosis is made by another plan of the same expression.

    Parameters
    ----------
    reports : Reports
        The places.
    follow : callable
        Makes errors and warnings of a report.
    """

    def __init__(self, reports: Reports, follow: Follow) -> None:
        super().__init__(reports.steps, reports.origin)
        self.faults = reports.faults
        self.bounds = reports.bounds
        self.nbytes = reports.nbytes
        self._flagged = reports._flagged
        self._follow = follow

    def follow(self, bindings: Bindings, signals: fp_flags.Signals) -> None:
        """Warn of the faults that kernels reported, as NumPy would.

        Parameters
        ----------
        bindings : Bindings
            The leaves and scalars of the run.
        signals : Signals
            The status block of the run; it is cleared.
        """
        if self.is_silent(signals.data):
            signals.data[:] = bytes(len(signals.data))
        else:
            self._follow(bindings, signals)
