"""Compilation targets: the CPU and CUDA as values of one protocol.

This module alone imports lowering, printing and execution of a particular device. Everything else
asks the target of its settings.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from lazyarr.codegen.templates import TemplateLimits, template_of
from lazyarr.compiler.target import Target
from lazyarr.compiler.tuning import GPUS, PROCESSORS
from lazyarr.core import config, tuning
from lazyarr.core.config import Config
from lazyarr.core.dtypes import kind_of
from lazyarr.core.frozen import dataclass, replace
from lazyarr.graph.node import Kind, Node, walk
from lazyarr.schedule.machine import FusionCosts

if TYPE_CHECKING:
    from lazyarr.autotuning.tunable_kernel import TunableKernel
    from lazyarr.codegen.candidate import Candidate
    from lazyarr.codegen.group_terms import PlannedGroup
    from lazyarr.codegen.launch import Lowered
    from lazyarr.codegen.tiling import Tiling
    from lazyarr.core.shapes import Shape
    from lazyarr.execution.executor import Executor
    from lazyarr.execution.plan import LoweredPlan
    from lazyarr.loop_ir.source import Source
    from lazyarr.schedule.groups import Group, Layout
    from lazyarr.schedule.memory import Buffer, Plan

__all__ = [
    "CPU",
    "CUDA",
    "TARGETS",
    "CpuTarget",
    "CudaTarget",
    "target_named",
    "target_of",
    "tuning_rows",
]


@dataclass(frozen=True, slots=True)
class CpuTarget(Target):
    """The processor: kernels through LLVM or Numba, run by threads.

    What compiles is imported when it is first used: a process whose plans are on disk needs the
    attributes alone.

    Attributes
    ----------
    costs : FusionCosts
        The cost constants of fusion.
    limits : TemplateLimits
        How long the rows are that one thread reduces.
    approximate : bool
        Whether kernels may compute what is not as exact as NumPy.
    streams : bool
        Whether arrays may be read piece by piece.
    overlaps_exchanges : bool
        False: a worker that waits for others does nothing else.
    tunes : bool
        True: hot kernels are cut as was measured to be fastest.
    on_host : bool
        True: kernels read and write the program's own arrays.
    reuses_forms : bool
        True: lengths and addresses are arguments of the machine code.
    name : str
        The device, as the settings name it.
    """

    costs: FusionCosts
    limits: TemplateLimits
    approximate: bool = False
    streams: bool = False
    overlaps_exchanges: bool = False
    tunes: bool = True
    on_host: bool = True
    reuses_forms: bool = True
    name: str = config.CPU

    def legalize(self, roots: tuple[Node, ...], final: dict[Node, Node]) -> tuple[Node, ...]:
        """Return the roots in operations that kernels and libraries of the CPU have."""
        # Imported here, and below: most expressions have neither.
        values = list(walk(roots))
        kinds = {value.op.kind for value in values}
        if Kind.CONCATENATE in kinds and not self.streams:
            from lazyarr.compiler.rolled_arrays import read_from_halos
            from lazyarr.passes.joined_operands import compute_in_parts
            from lazyarr.passes.stacked_reductions import reduce_between_parts

            roots = reduce_between_parts(roots, final, in_order=True)
            roots = read_from_halos(roots, final)
            roots = compute_in_parts(roots, final, tuning.row().joined_elements)
        if Kind.REDUCE in kinds and any(map(_reduces_several_axes, values)):
            from lazyarr.codegen.cpu.tuning import row
            from lazyarr.passes.memory_order import reduce_in_memory_order

            roots = reduce_in_memory_order(roots, final, row().written_out_row)
        if Kind.LIBRARY not in kinds:
            return roots
        from lazyarr.compiler.cpu_steps import in_steps_of_cpu, threads_of_blas

        roots = _with_shared_loops(roots, values, final)
        if _has_factors(values):
            from lazyarr.passes.shared_factors import solve_with_factors

            roots = solve_with_factors(roots, final)
            if threads_of_blas() == 1:
                # On several threads LAPACK's one call has other bits than its two calls.
                roots = _with_shared_factors(roots, final)
        from lazyarr.codegen.cpu.tuning import row

        return in_steps_of_cpu(roots, final, self._product_pays, row(), streams=self.streams)

    def _product_pays(self, value: Node) -> bool:
        """Whether a kernel computes a product, of whole arrays faster than the library."""
        from lazyarr.codegen.cpu.contraction_analysis import has_kernel, product_pays
        from lazyarr.runtime.cpu.blas_threads import vector_bytes

        return has_kernel(value) if self.streams else product_pays(value, vector_bytes)

    def covers(self, value: Node) -> bool:
        """Return the coverage; approximate complex operations count only where allowed."""
        if value.op.approximate and not self.approximate and kind_of(value.src[0].dtype) == "c":
            return False
        from lazyarr.codegen import scalar

        return scalar.covers(value)

    def choose_template(self, domain: Shape, reduced: Sequence[int]) -> str:
        """Return the loop template that the shape of a group asks for."""
        return template_of(domain, reduced, self.limits)

    def refine_template(self, group: Group, layouts: Mapping[Node, Layout]) -> str:
        """Return the template of a group: contractions and transposes have one of their own."""
        if self.streams:
            from lazyarr.passes.expand_matmul import is_summed_down

            if any(map(is_summed_down, group.members)):
                return group.template  # a contraction would read its operands more than once
        from lazyarr.codegen.cpu.templates import refine_template

        return refine_template(group, layouts)

    def order_of(self, value: Node) -> Hashable:
        """Return None: kernels add in the same order beside other reductions."""
        return None

    def candidates(self, planned: PlannedGroup, threads: int) -> Sequence[Candidate]:
        """Return the ways to cut a kernel, by the cost model."""
        from lazyarr.codegen.cpu.candidates import ranked
        from lazyarr.codegen.cpu.cost_model import HostRates
        from lazyarr.codegen.group_terms import GroupTerms

        analysis = GroupTerms(planned.group, planned.layouts)
        return ranked(planned.group.template, analysis, HostRates(threads))

    def lower(
        self,
        planned: PlannedGroup,
        tiling: Tiling | None = None,
    ) -> Lowered:
        """Return the kernels of a group with their launches."""
        from lazyarr.codegen.cpu.lower import lower

        return lower(planned, tiling)

    def looks_around(self, group: Group, layouts: Mapping[Node, Layout]) -> bool:
        """Return False: a kernel depends on its own operands and results alone."""
        return False

    def emit(self, kernel: Any, backend: str) -> Source:
        """Return the source of a kernel, as LLVM IR or for Numba."""
        from lazyarr.codegen.emit import cpu

        return cpu.emit(kernel, backend)

    def annotate(self, kernel: Any, source: Source) -> str:
        """Return a source with the kernel's comments above it."""
        from lazyarr.codegen.emit import cpu

        return cpu.commented(kernel, source)

    def load(self, lowered: LoweredPlan, threads: int, settings: Config) -> Executor:
        """Compile the sources of a plan and return its executor."""
        if lowered.tiled:
            # Imported here: most processes compute in memory.
            from lazyarr.execution.cpu.tiled_executor import TiledExecutor

            return TiledExecutor(lowered, threads, settings)
        from lazyarr.execution.cpu.executor import CpuExecutor

        return CpuExecutor.compiled(lowered, threads, settings)

    def watch(self, executor: Executor, kernels: Sequence[TunableKernel], settings: Config) -> None:
        """Count the time of the plan's runs."""
        if kernels:
            # Imported here: most plans are small.
            from lazyarr.autotuning.hot_plans import watch
            from lazyarr.execution.cpu.executor import CpuExecutor

            if isinstance(executor, CpuExecutor):
                watch(executor, kernels, settings)

    def approximating(self) -> Target:
        """Return the target whose kernels may compute operations less exactly than NumPy."""
        return replace(self, approximate=True)

    def streaming(self) -> Target:
        """Return the target whose arrays may be read piece by piece."""
        # Each part of a concatenation has a launch, which is cut into tiles by itself.
        return replace(self, streams=True, costs=replace(self.costs, near_bytes=0))

    def open(self, device: str) -> None:
        """Do nothing: a processor is open."""

    def library_of(self, value: Node) -> tuple[bool, str] | None:
        """Return None: NumPy computes every library step."""
        return None

    def library_scratch(self, value: Node) -> tuple[int, int]:
        """Return the bytes for sums of blocks, and those in which convolutions pack images."""
        if self.streams:
            return 0, 0
        from lazyarr.compiler.cpu_steps import scratch_bytes

        return scratch_bytes(value)

    def copied(self, plan: Plan, layouts: Mapping[Node, Layout], threads: int) -> Sequence[Buffer]:
        """Return the buffers that a step overwrites before NumPy may raise an error."""
        # Imported here: few plans have donated arguments.
        from lazyarr.execution.cpu.repeated_runs import copied

        return copied(plan, layouts, threads)

    def fused_products(self, lowered: Sequence[Lowered]) -> dict[str, Tiling]:
        """Return none: a product is in a kernel from the start, or a library's."""
        return {}


@dataclass(frozen=True, slots=True)
class CudaTarget(Target):
    """A CUDA device: kernels through NVRTC, queued in streams.

    What it is made of is imported when first asked for: most processes never see a GPU.

    Attributes
    ----------
    costs : FusionCosts
        The cost constants of fusion.
    limits : TemplateLimits
        How long the rows are that one block reduces.
    overlaps_exchanges : bool
        True: exchanges have a stream of their own.
    tunes : bool
        False: kernels are cut by predicted times.
    on_host : bool
        False: kernels read and write the GPU's memory.
    reuses_forms : bool
        False: plans are captured as graphs, with their lengths.
    name : str
        The first GPU, as the settings name it.
    """

    costs: FusionCosts
    limits: TemplateLimits
    overlaps_exchanges: bool = True
    tunes: bool = False
    on_host: bool = False
    reuses_forms: bool = False
    name: str = config.CUDA

    def legalize(self, roots: tuple[Node, ...], final: dict[Node, Node]) -> tuple[Node, ...]:
        """Return the roots in steps that the GPU's kernels and libraries have."""
        from lazyarr.codegen.cuda import small_products
        from lazyarr.compiler.gpu_steps import compose, in_steps_of_gpu

        roots = compose(roots, self._is_library_step, final)
        values = list(walk(roots))
        kinds = [value.op.kind for value in values]
        roots = _with_shared_loops(roots, values, final)
        if _has_factors(values):
            roots = _with_shared_factors(roots, final)
        if Kind.CONCATENATE in kinds:
            from lazyarr.compiler.rolled_arrays import wrap_around
            from lazyarr.passes.joined_operands import compute_in_parts
            from lazyarr.passes.stacked_reductions import reduce_between_parts

            roots = wrap_around(roots, final)
            least = tuning.row().joined_elements_on_gpu
            roots = compute_in_parts(reduce_between_parts(roots, final), final, least)
        if Kind.RESHAPE in kinds:
            from lazyarr.passes.repetitions import compute_before_merging

            roots = compute_before_merging(roots, final)
        if Kind.REDUCE in kinds:
            from lazyarr.passes.memory_order import reduce_in_memory_order

            sequential = tuning.row().sequential_rows
            roots = reduce_in_memory_order(roots, final, sequential, rows_as_columns=False)
        # A reduction over several axes.
        if any(x.op.kind is Kind.REDUCE and len(x.shape) + 1 < len(x.src[0].shape) for x in values):
            from lazyarr.passes.divided_reductions import divide_reductions

            roots = divide_reductions(roots, final, tuning.row())
        if kinds.count(Kind.REDUCE) > 1:
            roots = self._with_short_sums_written_out(roots, final)
        return in_steps_of_gpu(roots, final, *small_products.DECISIONS, self._is_library_step)

    @staticmethod
    def _with_short_sums_written_out(
        roots: tuple[Node, ...], final: dict[Node, Node]
    ) -> tuple[Node, ...]:
        from lazyarr.codegen.cuda import tuning
        from lazyarr.codegen.cuda.short_sums import order_of_short_sum
        from lazyarr.passes.short_sums import write_out_short_sums

        row = tuning.row()
        most, share = row.short_sum_operations, row.short_sum_share
        return write_out_short_sums(roots, order_of_short_sum, most, share, final)

    @staticmethod
    def _is_library_step(value: Node) -> bool:
        from lazyarr.execution.cuda.library_calls import device_call

        return device_call(value).implementation is not None

    def covers(self, value: Node) -> bool:
        """Return whether kernels compute a node; functions compiled for processors they don't."""
        from lazyarr.codegen.cuda.lower import covers

        return covers(value)

    def choose_template(self, domain: Shape, reduced: Sequence[int]) -> str:
        """Return the loop template that the shape of a group asks for."""
        return template_of(domain, reduced, self.limits)

    def refine_template(self, group: Group, layouts: Mapping[Node, Layout]) -> str:
        """Return the template of the group's shape."""
        return group.template

    def order_of(self, value: Node) -> Hashable:
        """Return the name of the dtype in which a reduction adds; the granule depends on it."""
        from lazyarr.codegen.cuda.summation import dtype_of_order

        dtype = dtype_of_order(value)
        return None if dtype is None else dtype.name

    def candidates(self, planned: PlannedGroup, threads: int) -> Sequence[Candidate]:
        """Return the ways to cut an elementwise kernel, by the cost model."""
        from lazyarr.codegen.cuda.lower import candidates

        return candidates(planned)

    def lower(
        self,
        planned: PlannedGroup,
        tiling: Tiling | None = None,
    ) -> Lowered:
        """Return the kernels of a group with their launches."""
        from lazyarr.codegen.cuda.lower import lower_cuda

        lowered: Any = lower_cuda(planned, tiling)
        return lowered  # type: ignore[no-any-return]

    def looks_around(self, group: Group, layouts: Mapping[Node, Layout]) -> bool:
        """Return whether a group may be one launch with the product before it."""
        from lazyarr.codegen.cuda.matmul_epilogue import reads_product

        return reads_product(group, layouts)

    def emit(self, kernel: Any, backend: str) -> Source:
        """Return the source of a kernel in CUDA C++."""
        from lazyarr.codegen.emit.cuda import emit_cuda

        return emit_cuda(kernel)

    def annotate(self, kernel: Any, source: Source) -> str:
        """Return a source with the kernel's comments above it."""
        from lazyarr.codegen.emit.cuda import commented

        return commented(kernel, source)

    def load(self, lowered: LoweredPlan, threads: int, settings: Config) -> Executor:
        """Compile the sources of a plan and return its executor."""
        from lazyarr.execution.cuda.executor import CudaExecutor

        return CudaExecutor(lowered, threads, settings)

    def watch(self, executor: Executor, kernels: Sequence[TunableKernel], settings: Config) -> None:
        """Do nothing: kernels of a GPU are cut by predicted times."""

    def approximating(self) -> Target:
        """Return this target: its kernels compute everything that they can."""
        return self

    def streaming(self) -> Target:
        """Return this target: its arrays lie in memory."""
        return self

    def open(self, device: str) -> None:
        """Begin to open a GPU in threads of their own."""
        from lazyarr.runtime.cuda import driver

        driver.begin_opening(name=device)

    def library_of(self, value: Node) -> tuple[bool, str] | None:
        """Return whether a library of the GPU computes a step, and which or why none does."""
        from lazyarr.execution.cuda.library_calls import device_call

        call = device_call(value)
        return call.implementation is not None, call.reason

    def library_scratch(self, value: Node) -> tuple[int, int]:
        """Return nothing: libraries of the GPU have memory of their own."""
        return 0, 0

    def copied(self, plan: Plan, layouts: Mapping[Node, Layout], threads: int) -> Sequence[Buffer]:
        """Return none: no run is begun again."""
        return ()

    def fused_products(self, lowered: Sequence[Lowered]) -> dict[str, Tiling]:
        """Return the tilings of products that may run as one kernel with their epilogue."""
        of_device: Sequence[Any] = lowered
        fused = (kernels.fused for kernels in of_device)
        return {one.product.name: one.tiling for one in fused if one is not None}


def _has_factors(values: Sequence[Node]) -> bool:
    """Whether some value spares other calls the factors of a matrix."""
    return any(value.op.spares is not None for value in values)


def _with_shared_factors(roots: tuple[Node, ...], final: dict[Node, Node]) -> tuple[Node, ...]:
    """Return the roots with one factorisation of a matrix whose factors a derivative takes."""
    from lazyarr.passes.shared_factors import share_factors

    return share_factors(roots, final)


def _with_shared_loops(
    roots: tuple[Node, ...], values: Sequence[Node], final: dict[Node, Node]
) -> tuple[Node, ...]:
    """Return the roots with one loop where values of its iterations are read, too."""
    if all(value.op.loop is None for value in values):
        return roots
    from lazyarr.passes.shared_loops import share_loops

    return share_loops(roots, final)


def _reduces_several_axes(value: Node) -> bool:
    """Whether a node is a reduction of an array whose axes may lie in any order."""
    return value.op.kind is Kind.REDUCE and len(value.src[0].shape) > 1


_PROCESSOR, _GPU = PROCESSORS.row(), GPUS.row()

CPU = CpuTarget(_PROCESSOR.costs, _PROCESSOR.limits)
CUDA = CudaTarget(_GPU.costs, _GPU.limits)


#: The targets by the kinds of their devices.
TARGETS: dict[str, Target] = {CPU.name: CPU, CUDA.name: CUDA}


@cache
def target_named(device: str) -> Target:
    """Return the target of a device, by its name: all GPUs have one; "auto" is the processor."""
    return TARGETS.get(config.device_kind(device), CPU)


def target_of(settings: Config) -> Target:
    """Return the target that the settings name; where no device was chosen, the processor."""
    target = target_named(settings.device)
    return target.approximating() if settings.numerics == "fast" else target


def tuning_rows() -> Sequence[tuple[str, str, str]]:
    """Return, for processor and GPU, the name, the machine's family and the name of its row."""
    import lazyarr.codegen.cpu.tuning
    import lazyarr.codegen.cuda.tuning
    from lazyarr.core.gpu_family import gpu_family

    of_cpu, of_cuda = lazyarr.codegen.cpu.tuning, lazyarr.codegen.cuda.tuning
    processor, gpu = of_cpu.processor_family(), gpu_family()
    return (
        ("processor", processor, of_cpu.TABLE.row_of(processor).name),
        ("GPU", gpu, of_cuda.TABLE.row_of(gpu).name),
    )
