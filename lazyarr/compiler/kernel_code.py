"""The kernel of a group as lowered and printed: in the target's own way, or one measured faster."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import TYPE_CHECKING

from lazyarr.autotuning import records
from lazyarr.autotuning.hot import TunableKernel
from lazyarr.codegen.launch import Lowered
from lazyarr.compiler.targets import Target
from lazyarr.core.config import CPU, Config
from lazyarr.core.frozen import dataclass
from lazyarr.loop_ir.kernel import Kernel
from lazyarr.loop_ir.source import Source
from lazyarr.runtime.cpu_count import default_threads
from lazyarr.schedule.fusion import Fusion, Group
from lazyarr.schedule.memory import Plan

if TYPE_CHECKING:
    from lazyarr.codegen.candidate import Candidate
    from lazyarr.codegen.tiling import Tiling

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
    """Lowers and prints the kernels of a plan.

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
    """

    def __init__(
        self, target: Target, plan: Plan, fusion: Fusion, settings: Config, *, tunes: bool
    ) -> None:
        self.target, self.plan, self.settings = target, plan, settings
        self.layouts = fusion.layouts
        self.threads = settings.threads or default_threads()
        # Otherwise operations may be contracted, here and not there.
        is_strict = settings.numerics == "strict"
        self._tunes = tunes and is_strict and target.name == CPU

    def write(self, group: Group) -> tuple[Lowered, KernelCode]:
        """Return the kernels of a group, cut as tuning has measured to be fastest, if it has."""
        lowered, code = self.cut(group, None)
        if not self._tunes:
            return lowered, code
        texts = [source.text for source in code.sources]
        key = records.record_key(texts, group.domain, self.threads)
        record = records.load(self.settings.cache_dir, key)
        if record is not None and record.choice:
            for candidate in self.candidates(group):
                if candidate.name == record.choice:
                    lowered, code = self.cut(group, candidate.tiling)
                    break
        return lowered, KernelCode(group, code.kernels, code.sources, code.source, code.tiling, key)

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
        lowered = target.lower(group, self.plan, self.layouts, _comments(group), tiling)
        kernels = tuple(launch.kernel for launch in lowered.launches)
        sources = tuple(target.emit(kernel, self.settings.backend) for kernel in kernels)
        text = "\n\n".join(target.annotate(k, s) for k, s in zip(kernels, sources, strict=True))
        return lowered, KernelCode(group, kernels, sources, text, lowered.launches[0].tiling)

    def candidates(self, group: Group) -> Sequence[Candidate]:
        """Return the ways to cut a group's kernel, the target's choice first."""
        return self.target.candidates(group, self.plan, self.layouts, self.threads)

    def tunable(self, codes: Sequence[KernelCode]) -> list[TunableKernel]:
        """Return those of a plan's kernels of which nothing was measured."""
        if not self._tunes:
            return []
        steps = {step.group: index for index, step in enumerate(self.plan.steps)}
        cache_dir = self.settings.cache_dir
        new = [code for code in codes if records.load(cache_dir, code.key) is None]
        return [self._tunable(code, steps[code.group]) for code in new]

    def _tunable(self, code: KernelCode, step: int) -> TunableKernel:
        def build(tiling: Tiling) -> tuple[Lowered, tuple[Source, ...]]:
            lowered, other = self.cut(code.group, tiling)
            return lowered, other.sources

        group = code.group
        return TunableKernel(
            step, code.key, prod(group.domain), lambda: self.candidates(group), build
        )


def _comments(group: Group) -> list[str]:
    """Return lines for the reader of a kernel: what it computes and where that was written."""
    lines = []
    for output in group.outputs:
        value = output.node
        shape = "x".join(map(repr, value.shape)) or "scalar"
        line = f"{value.op.name}: {value.dtype.name} {shape}"
        if value.origin is not None:
            line += f"    {value.origin[0]}:{value.origin[1]}"
        lines.append(line)
    return lines
