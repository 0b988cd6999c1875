"""Device choice for expressions on host arrays: the device with the shorter predicted time.

Only under ``device="auto"`` on a machine with a GPU that was calibrated. The expression is fused
once without a thought to a device; the calibration says how long each group takes on either, and
each array to cross the bus; a minimum cut says which groups run where.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain

from lazyarr.compiler import targets
from lazyarr.compiler.plan_cache import forget_plans
from lazyarr.core import tuning
from lazyarr.core.config import CPU, CUDA, MIXED, NAN, Config
from lazyarr.core.frozen import dataclass, replace
from lazyarr.graph.node import Kind, Node
from lazyarr.graph.streamed_leaf import StreamedLeaf
from lazyarr.passes.canonicalize import Bindings, Canonical, Signature, canonicalize
from lazyarr.passes.own_results import own_results
from lazyarr.passes.simplify import simplify
from lazyarr.placement.calibration import Calibration
from lazyarr.placement.dataflow import operands_of, owner_of
from lazyarr.placement.partition import Value, cheapest_devices, cost_of, runs_of
from lazyarr.placement.prediction import seconds_of
from lazyarr.placement.work import GroupWork, arithmetic_of, unknown_count
from lazyarr.schedule.cost import is_scalar_argument
from lazyarr.schedule.fusion import fuse
from lazyarr.schedule.groups import Fusion, Group

__all__ = ["Copy", "PlacedGroup", "Placement", "forget_placements", "fused", "place"]


@dataclass(frozen=True, eq=False, slots=True)
class PlacedGroup:
    """A group, and the seconds that it is predicted to take.

    Attributes
    ----------
    name : str
        As in the plan that knows no device yet.
    processor : float
        On the processor.
    gpu : float, optional
        On the GPU; None: it does not run there, or was not measured there.
    on_gpu : bool
        Whether it runs there.
    members : tuple of Node
        What it computes.
    """

    name: str
    processor: float
    gpu: float | None
    on_gpu: bool
    members: tuple[Node, ...]


@dataclass(frozen=True, eq=False, slots=True)
class Copy:
    """A value that crosses the bus.

    Attributes
    ----------
    value : Node
        What is copied.
    to_gpu : bool
        In which direction.
    nbytes : int
        Its bytes.
    seconds : float
        That the copy takes.
    """

    value: Node
    to_gpu: bool
    nbytes: int
    seconds: float


@dataclass(frozen=True, eq=False, slots=True)
class Placement:
    """The device of each group of an expression, and the reason.

    Attributes
    ----------
    device : str
        "cpu", "cuda" or :data:`~lazyarr.core.config.MIXED`.
    seconds : float
        Predicted for this.
    processor, gpu : float
        Predicted for all groups on the processor, and for as many as can be on the GPU.
    groups : tuple of PlacedGroup
        In the order in which they run on one device.
    copies : tuple of Copy
        What crosses the bus.
    """

    device: str
    seconds: float
    processor: float
    gpu: float
    groups: tuple[PlacedGroup, ...]
    copies: tuple[Copy, ...]

    @property
    def whole_on_gpu(self) -> bool:
        """Whether all groups run on the GPU."""
        return all(group.on_gpu for group in self.groups)

    @property
    def parts(self) -> tuple[bool, ...] | None:
        """The groups that run on the GPU, if the plan uses both devices: part of the plan's key."""
        parts = tuple([group.on_gpu for group in self.groups])
        return parts if any(parts) and not all(parts) else None


_UNDECIDED = Placement("", 0.0, 0.0, 0.0, (), ())
_placements: dict[object, Placement | None] = {}


def forget_placements() -> None:
    """Drop all decisions, as after another calibration, and the plans that follow from them."""
    _placements.clear()
    forget_plans()


def place(
    signature: Signature,
    bindings: Bindings,
    settings: Config,
    calibration: Calibration,
    counts: tuple[tuple[int, int], ...],
) -> Placement | None:
    """Return the placement of an expression; None: it runs where it would without a calibration.

    Parameters
    ----------
    signature : tuple
        Its form.
    bindings : Bindings
        Its nodes, none of whose leaves is on a GPU.
    settings : Config
        Those in force.
    calibration : Calibration
        Of this machine with as many threads.
    counts : tuple of (int, int)
        Integers among the scalars, behind their numbers.
    """
    if any(type(leaf.attr) is StreamedLeaf for leaf in bindings.leaves):
        return None
    key = (signature, settings.numerics, settings.debug, calibration, counts)
    placement = _placements.get(key, _UNDECIDED)
    if placement is _UNDECIDED:
        if len(_placements) >= tuning.row().placements:
            _placements.clear()
        placement = _decide(bindings, settings, calibration, dict(counts))
        _placements[key] = placement
    return placement


def _decide(
    bindings: Bindings,
    settings: Config,
    calibration: Calibration,
    counts: Mapping[int, int],
) -> Placement | None:
    if not _may_pay(bindings, calibration, counts):
        return None
    fusion = fused(canonicalize(bindings))
    if not fusion.groups:
        return None
    parameters = _parameters(fusion, counts)
    if unknown_count(chain.from_iterable(group.nodes for group in fusion.groups), parameters):
        return None
    plan = _Weighed(fusion, calibration, parameters)
    return plan.placement(settings)


def fused(canonical: Canonical) -> Fusion:
    """Return the groups of an expression before any device has changed its operations."""
    simplified = own_results(simplify(canonical.roots, {}))
    fusion = fuse(tuple(dict.fromkeys(simplified)), targets.CPU)
    return replace(fusion, roots=simplified)


def _may_pay(bindings: Bindings, calibration: Calibration, counts: Mapping[int, int]) -> bool:
    """Return whether a GPU could be faster: without fusion the processor takes longer than a copy.

    Most expressions of small arrays are decided here, by one walk.
    """
    rates = calibration.processor
    least = calibration.gpu.run + calibration.upload.at(1) + calibration.download.at(1)
    by_node = {bindings.scalars[number]: count for number, count in counts.items()}
    total = 0.0
    for value in bindings.order:
        if not value.src:
            continue
        if value.op.kind is Kind.LIBRARY or unknown_count((value,), by_node):
            return True
        moved = value.nbytes + sum(source.nbytes for source in value.src)
        elements = max(value.size, *(source.size for source in value.src), 1)
        total += rates.memory.at(max(1, moved))
        for name, units in arithmetic_of((value,), by_node).items():
            total += units / elements * rates.arithmetic[name].at(elements)
        if total > least:
            return True
    return False


def _parameters(fusion: Fusion, counts: Mapping[int, int]) -> dict[Node, int]:
    """Return the numbers of iterations by the parameters that say them."""
    iterations: dict[Node, int] = {}
    for group in fusion.groups:
        for value in group.nodes:
            for source in value.src:
                attr = source.attr
                if source.op.kind is Kind.PARAMETER and isinstance(attr, tuple):
                    if attr[0] == "scalar" and attr[1] in counts:
                        iterations[source] = counts[attr[1]]
    return iterations


class _Weighed:
    """The groups of an expression with their times on both devices.

    Parameters
    ----------
    fusion : Fusion
        The groups.
    calibration : Calibration
        Of the machine.
    counts : mapping of Node to int
        Iterations of loops.
    """

    def __init__(
        self, fusion: Fusion, calibration: Calibration, counts: Mapping[Node, int]
    ) -> None:
        self.fusion, self.calibration = fusion, calibration
        self.works = [GroupWork.of(group, counts) for group in fusion.groups]
        self.processor = [self._on_processor(work) for work in self.works]
        self.gpu = [
            seconds_of(work, calibration.gpu) if _runs_on_gpu(group) else None
            for group, work in zip(fusion.groups, self.works, strict=True)
        ]
        self.values: list[Value] = []
        self.nodes: list[Node] = []
        self._operands = operands_of(fusion)
        self._connect()

    def _on_processor(self, work: GroupWork) -> float:
        rates = self.calibration.processor
        seconds = seconds_of(work, rates)
        # What was not measured runs here anyway: its bytes say how long at least.
        return rates.memory.at(max(1, work.nbytes)) if seconds is None else seconds

    def _connect(self) -> None:
        """Note which groups write and read each value in memory."""
        producers: dict[Node, list[int]] = {}
        readers: dict[Node, list[int]] = {}
        for number, group in enumerate(self.fusion.groups):
            for output in group.outputs:
                producers.setdefault(output.layout.owner, []).append(number)
            for value in dict.fromkeys(owner_of(self.fusion, one) for one in group.inputs):
                if not is_scalar_argument(value):
                    readers.setdefault(value, []).append(number)
        results = {owner_of(self.fusion, root) for root in self.fusion.roots}
        for value in dict.fromkeys((*producers, *readers)):
            nbytes = max(1, value.nbytes)
            self.nodes.append(value)
            self.values.append(
                Value(
                    tuple(dict.fromkeys(producers.get(value, ()))),
                    tuple(readers.get(value, ())),
                    value in results,
                    self.calibration.upload.at(nbytes),
                    self.calibration.download.at(nbytes),
                )
            )

    def placement(self, settings: Config) -> Placement:
        """Return the best of all choices."""
        count = len(self.works)
        here = [False] * count
        there = [seconds is not None for seconds in self.gpu]
        processor, gpu = self._total(here), self._total(there)
        choices = [(processor, here)]
        if sum(map(_bytes, self.nodes)) <= self.calibration.gpu_bytes * tuning.row().gpu_share:
            choices.append((gpu, there))
            if settings.debug != NAN:
                cut = list(cheapest_devices(self.processor, self.gpu, self.values))
                choices.append((self._total(cut), cut))
        seconds, chosen = min(choices, key=lambda choice: choice[0])
        placed = tuple(
            PlacedGroup(group.name, on_host, on_gpu, is_there, group.members or group.nodes)
            for group, on_host, on_gpu, is_there in zip(
                self.fusion.groups, self.processor, self.gpu, chosen, strict=True
            )
        )
        device = CUDA if all(chosen) else MIXED if any(chosen) else CPU
        return Placement(device, seconds, processor, gpu, placed, tuple(self._copies(chosen)))

    def _total(self, chosen: Sequence[bool]) -> float:
        """Return the seconds of a choice, including the fixed cost of each part."""
        total = cost_of(chosen, self.processor, self.gpu, self.values)
        for part in runs_of(chosen, self._operands):
            rates = self.calibration.gpu if chosen[part[0]] else self.calibration.processor
            # The calibrated time of a run has one step in it.
            total += max(0.0, rates.run - rates.launch)
        return total

    def _copies(self, chosen: Sequence[bool]) -> list[Copy]:
        copies = []
        for node, value in zip(self.nodes, self.values, strict=True):
            is_there = bool(value.producers) and chosen[value.producers[0]]
            readers = [chosen[reader] for reader in value.readers]
            if is_there and (value.is_result or not all(readers)):
                copies.append(Copy(node, False, node.nbytes, value.download))
            if not is_there and any(readers):
                copies.append(Copy(node, True, node.nbytes, value.upload))
        return copies


def _bytes(value: Node) -> int:
    return int(value.nbytes)


def _runs_on_gpu(group: Group) -> bool:
    """Return whether kernels or libraries of the GPU compute a group."""
    if group.kind == "library":
        library = targets.CUDA.library_of(group.members[0])
        return library is not None and library[0]
    computed = (Kind.ELEMENTWISE, Kind.REDUCE, Kind.SCAN)
    return all(targets.CUDA.covers(value) for value in group.nodes if value.op.kind in computed)
