"""The kernel of a group as lowered and printed: in the target's own way, or one measured faster."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from math import prod
from typing import TYPE_CHECKING

from lazyarr.autotuning import records
from lazyarr.codegen.group_terms import PlannedGroup
from lazyarr.codegen.launch import Lowered, Renaming
from lazyarr.core.config import Config
from lazyarr.core.dtypes import name_of
from lazyarr.core.frozen import dataclass, replace
from lazyarr.errors import ContractError
from lazyarr.loop_ir.kernel import Kernel
from lazyarr.loop_ir.source import Source
from lazyarr.runtime.cpu_count import default_threads
from lazyarr.schedule.fusion import Fusion, Group
from lazyarr.schedule.memory import Plan

if TYPE_CHECKING:
    from lazyarr.autotuning.records import Record
    from lazyarr.autotuning.tunable_kernel import TunableKernel
    from lazyarr.codegen.candidate import Candidate
    from lazyarr.codegen.tiling import Tiling
    from lazyarr.compiler.target import Target
    from lazyarr.core.shapes import Shape
    from lazyarr.schedule.group_form import GroupForm

__all__ = ["KernelCode", "KernelWriter"]


@dataclass(frozen=True, eq=False, slots=True)
class KernelCode:
    """The code of one group: its loop IR and its source, a kernel or a kernel and its combiner.

    With how the work of the first is cut, if its template chooses that, and the key of what tuning
    has measured of it.
    """

    group: Group
    kernels: tuple[Kernel, ...]
    sources: tuple[Source, ...]
    source: str
    tiling: Tiling | None = None
    key: str = ""


class KernelWriter:
    """Lowers and prints the kernels of a plan; groups of one form share theirs.

    Parameters
    ----------
    target : Target
        What they are for.
    plan : Plan
        Which stored values share memory.
    fusion : Fusion
        Where stored values lie.
    settings : Config
        Those in force.
    tunes : bool
        Whether what tuning has measured is used, and more is measured.
    checks : bool
        Whether groups that share their kernels are lowered for themselves, too, and compared.
    """

    def __init__(
        self,
        target: Target,
        plan: Plan,
        fusion: Fusion,
        settings: Config,
        *,
        tunes: bool,
        checks: bool,
    ) -> None:
        self.target, self.plan, self.settings = target, plan, settings
        self.layouts = fusion.layouts
        self.threads = settings.threads or default_threads()
        # Otherwise operations may be contracted, here and not there.
        is_strict = settings.numerics == "strict"
        self._tunes = tunes and is_strict and target.tunes
        self._checks = checks
        self._repeats = sum(step.group.kind == "kernel" for step in plan.steps) > 1
        #: The kernels of the first group of each form.
        self._patterns: dict[Hashable, tuple[GroupForm, Lowered, KernelCode]] = {}
        #: Sources by themselves: equal ones of several forms are one.
        self._sources: dict[Source, Source] = {}
        #: The ways to cut kernels, by the sources that groups of one form share.
        self._ways: dict[int, tuple[tuple[Source, ...], Sequence[Candidate]]] = {}
        #: What tuning has measured, by the sources that groups of one form share, and their domain.
        self._records: dict[tuple[int, Shape], tuple[tuple[Source, ...], str, Record | None]] = {}

    def write(self, group: Group) -> tuple[Lowered, KernelCode]:
        """Return the kernels of a group, cut as tuning has measured to be fastest, if it has."""
        lowered, code = self._shared(group) if self._repeats else self.cut(group, None)
        if not self._tunes:
            return lowered, code
        key, record = self._record(code.sources, group.domain)
        if record is not None and record.choice:
            for candidate in self.candidates(group):
                if candidate.name == record.choice:
                    lowered, code = self.cut(group, candidate.tiling)
                    break
        return lowered, KernelCode(group, code.kernels, code.sources, code.source, code.tiling, key)

    def _record(self, sources: tuple[Source, ...], domain: Shape) -> tuple[str, Record | None]:
        """Return the key of what tuning has measured of a kernel, and that, if there is any.

        Parameters
        ----------
        sources : tuple of Source
            Of the kernel as the target cuts it.
        domain : tuple of int
            Its iteration space.
        """
        place = id(sources), domain
        known = self._records.get(place)
        if known is None:
            key = records.record_key([source.text for source in sources], domain, self.threads)
            record = records.load(self.settings.cache_dir, key)
            known = self._records[place] = sources, key, record
        return known[1:]

    def _shared(self, group: Group) -> tuple[Lowered, KernelCode]:
        """Return the kernels of a group: those of another of its form if there was one."""
        if self.target.looks_around(group, self.layouts):
            return self.cut(group, None)
        from lazyarr.schedule.group_form import form_of  # many plans have one kernel

        form = form_of(group, self.layouts, self.plan.home)
        pattern = self._patterns.get(form.key)
        if pattern is None:
            lowered, code = self.cut(group, None)
            self._patterns[form.key] = form, lowered, code
            return lowered, code
        old, lowered, code = pattern
        further = [new - start for new, start in zip(form.starts, old.starts, strict=True)]
        others = zip(form.nodes, further, strict=True)
        nodes = dict(zip(old.nodes, others, strict=True))
        comments = tuple(_comments(group))
        lowered = lowered.renamed(Renaming(nodes, code.group, group, comments))
        kernels = tuple(launch.kernel for launch in lowered.launches)
        text = self._text(kernels, code.sources)
        code = replace(code, group=group, kernels=kernels, source=text)
        if self._checks:
            self.check_shared(lowered, code)
        return lowered, code

    def check_shared(self, lowered: Lowered, code: KernelCode) -> None:
        """Raise ContractError if a group that has the kernels of another would have its own.

        Parameters
        ----------
        lowered, code
            As the group was given them.
        """
        own, text = self.cut(code.group, None)
        pairs = list(zip(lowered.launches, own.launches, strict=True))
        if text.source != code.source or any(a.passed != b.passed for a, b in pairs):
            raise ContractError(f"{code.group.name} received the kernels of another group")

    def _text(self, kernels: Sequence[Kernel], sources: Sequence[Source]) -> str:
        pairs = zip(kernels, sources, strict=True)
        return "\n\n".join(self.target.annotate(kernel, source) for kernel, source in pairs)

    def cut(self, group: Group, tiling: Tiling | None) -> tuple[Lowered, KernelCode]:
        """Return the kernels of a group.

        Parameters
        ----------
        group : Group
            What to compute.
        tiling : Tiling, optional
            How its work is cut; default: as the target chooses.
        """
        target = self.target
        lowered = target.lower(self._planned(group), tiling)
        kernels = tuple(launch.kernel for launch in lowered.launches)
        emitted = [target.emit(kernel, self.settings.backend) for kernel in kernels]
        sources = tuple([self._sources.setdefault(source, source) for source in emitted])
        text = self._text(kernels, sources)
        return lowered, KernelCode(group, kernels, sources, text, lowered.launches[0].tiling)

    def _planned(self, group: Group) -> PlannedGroup:
        return PlannedGroup(group, self.plan, self.layouts, _comments(group))

    def candidates(self, group: Group) -> Sequence[Candidate]:
        """Return the ways to cut a group's kernel, the target's choice first."""
        return self.target.candidates(self._planned(group), self.threads)

    def ways_of(self, code: KernelCode) -> Sequence[Candidate]:
        """Return the ways to cut a kernel, those of another one with the same sources if known.

        Parameters
        ----------
        code : KernelCode
            The kernel, as :meth:`write` returned it.
        """
        known = self._ways.get(id(code.sources))
        if known is None:
            known = self._ways[id(code.sources)] = code.sources, self.candidates(code.group)
        return known[1]

    def tunable(self, codes: Sequence[KernelCode]) -> list[TunableKernel]:
        """Return those of a plan's kernels of which nothing was measured; none of a small plan."""
        if not self._tunes:
            return []
        from lazyarr.autotuning import tuning  # nothing else needs it

        steps = {step.group: index for index, step in enumerate(self.plan.steps)}
        cache_dir = self.settings.cache_dir
        new = [code for code in codes if records.load(cache_dir, code.key) is None]
        elements = max((prod(code.group.domain) for code in new), default=0)
        if elements < tuning.current().least_elements:
            return []
        return [self._tunable(code, steps[code.group]) for code in new]

    def _tunable(self, code: KernelCode, step: int) -> TunableKernel:
        # Imported here: most plans are small.
        from lazyarr.autotuning.tunable_kernel import TunableKernel

        def build(tiling: Tiling) -> tuple[Lowered, tuple[Source, ...]]:
            lowered, other = self.cut(code.group, tiling)
            return lowered, other.sources

        group = code.group
        return TunableKernel(step, code.key, lambda: self.candidates(group), build)


def _comments(group: Group) -> list[str]:
    """Return comment lines of a kernel: its outputs, and the lines of the user that built them."""
    lines = []
    for output in group.outputs:
        value = output.node
        shape = "x".join(map(repr, value.shape)) or "scalar"
        line = f"{value.op.name}: {name_of(value.dtype)} {shape}"
        if value.origin is not None:
            line += f"    {value.origin[0]}:{value.origin[1]}"
        lines.append(line)
    return lines
