"""One evaluation: the results of a single walk over its roots."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from lazyarr.compiler.plan_cache import PLANS, CachedPlan
from lazyarr.compiler.reuse import COMPUTED, mark
from lazyarr.compiler.targets import target_named
from lazyarr.core.config import AUTO, CPU, NAN, Config
from lazyarr.core.dtypes import kind_of
from lazyarr.core.frozen import dataclass, replace
from lazyarr.core.tuning_table import chosen_rows
from lazyarr.errors import DeviceMemoryError, MemoryLimitError
from lazyarr.graph.device_leaf import placed
from lazyarr.graph.node import Node, set_memo
from lazyarr.ops.movement import WRITE
from lazyarr.passes.canonicalize import Bindings, Signature, bind
from lazyarr.runtime.cpu_count import default_threads
from lazyarr.runtime.gpu_sight import known_gpu

if TYPE_CHECKING:
    from lazyarr.compiler.device_choice import Placement
    from lazyarr.compiler.target import Target
    from lazyarr.placement.calibration import Calibration

__all__ = ["Request"]

_NO_NODES: frozenset[int] = frozenset()


@dataclass(frozen=True, eq=False, slots=True)
class Request:
    """An evaluation: roots bound to a signature by :meth:`of`, which walks the graph once.

    Attributes
    ----------
    settings : Config
        Those in force; their device may still be "auto".
    signature : tuple
        The form of the expression.
    bindings : Bindings
        What fills a plan of that form.
    device : str
        Where it runs: "cpu", a GPU's name or :data:`~lazyarr.core.config.MIXED`; "auto" until
        that is decided, which a plan for the form that is there spares.
    target : Target, optional
        Of the device; None until that is decided, and where parts run on different devices.
    threads : int
        Threads of the evaluation.
    repeated : frozenset of int
        Identities of nodes that earlier evaluations have computed.
    asked_again : bool
        Whether these very roots were evaluated before.
    windows : bool
        Whether parts of arrays are bound in place of these.
    donated : tuple of int
        Numbers of the leaves that results may overwrite.
    tiled : bool
        Whether the plan is to be run in tiles, within a bound on its memory.
    others : tuple of weakref.ref
        The roots behind the first, of a request that is kept there.
    plan : CachedPlan, optional
        What an earlier evaluation of these roots has run.
    generation : object
        The plans' generation as of then.
    choice : tuple, optional
        What decides beside the form where it runs: a calibration, and how often loops run.
    placement : Placement, optional
        Why it runs there, once that was decided.
    saved_key : str, optional
        The key of its plan on disk, once it was looked for; "" if it can have none.
    """

    settings: Config
    signature: Signature
    bindings: Bindings
    device: str
    target: Target | None
    threads: int
    repeated: frozenset[int] = _NO_NODES
    asked_again: bool = False
    windows: bool = False
    choice: _Choice | None = None
    donated: tuple[int, ...] = ()
    tiled: bool = False
    others: tuple[weakref.ref[Node], ...] = ()
    plan: CachedPlan | None = None
    generation: object = None
    placement: Placement | None = None
    saved_key: str | None = None

    @classmethod
    def of(cls, roots: tuple[Node, ...], settings: Config, *, windows: bool = True) -> Request:
        """Return the request for some roots: the one kept at the first root, or a new one.

        Parameters
        ----------
        roots : tuple of Node
            The results.
        settings : Config
            Those in force.
        windows : bool, optional
            As in :func:`~lazyarr.passes.canonicalize.bind`.
        """
        cached = roots[0].memo
        if type(cached) is Request and cached._is_for(roots, windows):
            if cached.settings is settings and cached.generation is PLANS.generation:
                return cached
            # Values may have been stored since: form and bindings are those of now.
            return cached.with_nodes(roots)._under(settings)
        asked_again = all(root.memo is not None for root in roots)
        threads = settings.threads or default_threads()
        signature, bindings = bind(roots, windows=windows)
        repeated = mark(bindings.order)
        for root in roots:  # one may be a marker, which is no node of the form, or a view
            if root.memo is None:
                set_memo(root, COMPUTED)
        device, target, choice = _place(bindings, settings, threads)
        return cls(
            settings,
            signature,
            bindings,
            device,
            target,
            threads,
            repeated,
            asked_again,
            windows,
            choice,
        )

    @classmethod
    def unmarked(cls, roots: Sequence[Node], settings: Config, *, windows: bool = False) -> Request:
        """Return a new request that leaves no mark on the nodes, so that later ones ignore it.

        Parameters
        ----------
        roots : sequence of Node
            The results.
        settings : Config
            Those in force.
        windows : bool, optional
            As in :func:`~lazyarr.passes.canonicalize.bind`.
        """
        threads = settings.threads or default_threads()
        signature, bindings = bind(roots, windows=windows)
        device, target, choice = _place(bindings, settings, threads)
        return cls(
            settings, signature, bindings, device, target, threads, _NO_NODES, False, False, choice
        )

    def _under(self, settings: Config) -> Request:
        """Return this request under other settings, or after all plans were dropped."""
        threads = settings.threads or default_threads()
        device, target, choice = _place(self.bindings, settings, threads)
        return replace(
            self,
            settings=settings,
            device=device,
            target=target,
            threads=threads,
            plan=None,
            choice=choice,
            placement=None,
        )

    def _is_for(self, roots: tuple[Node, ...], windows: bool) -> bool:
        """Return whether this request, which is kept at the first root, asks for just these."""
        if len(self.others) != len(roots) - 1 or self.windows > windows:
            return False
        if not self.others:
            return True
        pairs = zip(self.others, roots[1:], strict=True)
        return all(other() is root for other, root in pairs)

    @property
    def key(self) -> tuple[object, ...]:
        """The key of the plan."""
        settings = self.settings
        place = self.threads, self.device, settings.backend, settings.optimize
        checks = settings.debug == NAN
        rows = chosen_rows.get()
        numerics = settings.numerics, settings.tune
        parts = self.choice if self.placement is None else self.placement.parts
        return self.signature, *numerics, *place, self.donated, self.tiled, checks, rows, parts

    @property
    def placed_settings(self) -> Config:
        """The settings with the device that the expression runs on."""
        settings = self.settings
        if self.device == settings.device:
            return settings
        # Of a plan on both devices this is where its arrays are.
        return replace(settings, device=CPU if self.target is None else self.device)

    def where_arrays_are(self, roots: tuple[Node, ...]) -> Request:
        """Return a request for the same, with nodes, that no calibration places."""
        request = self.with_nodes(roots)
        if request.choice is None:
            return request
        target = target_named(CPU)
        return replace(request, device=CPU, target=target, choice=None, placement=None, plan=None)

    def decided(self, roots: tuple[Node, ...]) -> Request:
        """Return a request for the same, with nodes, on the device predicted to be fastest."""
        request = self.with_nodes(roots)
        if request.device != AUTO or request.choice is None:
            return request
        # Imported here: most machines have no GPU, or were not calibrated.
        from lazyarr.compiler.device_choice import place

        calibrated, counts = request.choice
        placement = place(request.signature, request.bindings, self.settings, calibrated, counts)
        device, choice, mixed = CPU, None, False
        if placement is not None:
            device, choice, mixed = placement.device, self.choice, placement.parts is not None
        target = None if mixed else target_named(device)
        return replace(
            request, device=device, target=target, choice=choice, placement=placement, plan=None
        )

    def with_donated(self, leaves: Sequence[Node]) -> Request:
        """Return a request for the same whose results may overwrite some leaves.

        Those of a GPU get memory of its pool, to which that of the leaves goes back. Under
        ``debug="nan"`` leaves stay as they are.
        """
        target = self.target
        if not leaves or self.settings.debug == NAN or target is None or not target.on_host:
            return self
        numbers = {leaf: k for k, leaf in enumerate(self.bindings.leaves)}
        donated = tuple([numbers[leaf] for leaf in leaves if leaf in numbers])
        return replace(self, donated=donated, plan=None)

    def placed(self, roots: tuple[Node, ...], donated: Sequence[Node]) -> Request:
        """Return a request for the same on its device.

        Parameters
        ----------
        roots : tuple of Node
            The results.
        donated : sequence of Node
            Leaves that results may overwrite: it runs where these are.
        """
        if donated:
            return self.where_arrays_are(roots).with_donated(donated)
        return self.decided(roots)

    def smaller(
        self, roots: tuple[Node, ...], error: Exception
    ) -> Callable[[tuple[Node, ...]], Request] | None:
        """Return the method that makes a request of less memory; None: this one stays.

        Parameters
        ----------
        roots : tuple of Node
            The results.
        error : MemoryLimitError or DeviceMemoryError
            What their evaluation has raised.
        """
        if isinstance(error, DeviceMemoryError):
            # If nobody asked for the GPU, of which others have the memory.
            return None if self.choice is None else self.where_arrays_are
        return None if self.tiled or roots[0].op is WRITE else self.in_tiles

    def in_tiles(self, roots: tuple[Node, ...]) -> Request:
        """Return a request for the same, where its arrays are, within a bound on its memory.

        Raises
        ------
        MemoryLimitError
            If they are on a GPU.
        """
        request = self.where_arrays_are(roots)
        if request.target is None or not request.target.on_host:
            raise MemoryLimitError(
                "a plan for a GPU cannot be computed in tiles",
                origin=roots[0].origin,
                hint='evaluate it with device="cpu", or read its arrays into memory first',
            )
        return replace(request, tiled=True, plan=None)

    def keep(self, roots: tuple[Node, ...], plan: CachedPlan) -> None:
        """Cache the request at its first root, for the next evaluation of the same roots.

        It holds neither the roots nor the nodes below them, so that no circle keeps them alive.

        Parameters
        ----------
        roots : tuple of Node
            The results of this request.
        plan : CachedPlan
            The plan that it ran.
        """
        if any(root in self.bindings.leaves for root in roots):
            return
        cached = replace(
            self,
            bindings=self.bindings.without_nodes(),
            repeated=_NO_NODES,
            asked_again=True,
            others=tuple([weakref.ref(root) for root in roots[1:]]),
            plan=plan,
            generation=PLANS.generation,
        )
        set_memo(roots[0], cached)

    def with_nodes(self, roots: tuple[Node, ...]) -> Request:
        """Return a request whose bindings have the nodes, which compiling takes.

        Its form may be another one, if values were stored since; there is no plan for it yet.
        """
        if self.bindings.order:
            return self
        signature, bindings = bind(roots, windows=self.windows)
        return replace(self, signature=signature, bindings=bindings, plan=None)


_Choice = tuple["Calibration", tuple[tuple[int, int], ...]]


def _place(
    bindings: Bindings, settings: Config, threads: int
) -> tuple[str, Target | None, _Choice | None]:
    """Return the device of an expression and its target; "auto" and the choice that is left."""
    device = placed(bindings.leaves, settings)
    target = target_named(device)
    if settings.device == AUTO and target.on_host:
        choice = _choice(bindings, settings, threads)
        if choice is not None:
            return AUTO, None, choice
    return device, target, None


def _choice(bindings: Bindings, settings: Config, threads: int) -> _Choice | None:
    """Return the calibration that places an expression, and its loops' lengths; None: nothing does.

    Parameters
    ----------
    bindings : Bindings
        Its nodes, none of whose leaves is on a GPU.
    settings : Config
        Those in force.
    threads : int
        Of the evaluation.
    """
    if not known_gpu():
        return None
    # Imported here: most machines have one device.
    from lazyarr.placement import calibration

    calibrated = calibration.load(settings.cache_dir, threads)
    if calibrated is None or settings.max_memory:
        return None
    for value in bindings.order:
        if value.op is WRITE:
            return None  # the memory that is written to is the host's
        if value.op.loop is not None:
            return calibrated, _counts(bindings)
    return calibrated, ()


def _counts(bindings: Bindings) -> tuple[tuple[int, int], ...]:
    """Return the integers among the scalars with their numbers: how often loops may run."""
    return tuple(
        (number, int.from_bytes(scalar.attr, "little", signed=True))
        for number, scalar in enumerate(bindings.scalars)
        if kind_of(scalar.dtype) == "i" and isinstance(scalar.attr, bytes)
    )
