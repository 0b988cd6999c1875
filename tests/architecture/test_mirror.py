"""Each long module has a test file: of its own name, or the one that the table names for its part.

A module ``package/name.py`` of over 100 lines is tested by ``tests/package/test_name.py``. What is
tested through a larger part has a line in `THROUGH`: of the module, or of its package.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

import lazyarr

ROOT = Path(lazyarr.__file__).parent
TESTS = ROOT.parent / "tests"
LONG = 100

#: By module or package: a test file that runs it, and what there does.
THROUGH = {
    "__init__.py": ("numpy_api/test_names.py", "la."),
    "__main__.py": ("integration/test_cli.py", "info"),
    "arrays": ("arrays/test_lazy_array.py", "la.asarray"),
    "arrays/masked_selection.py": ("inspect/test_early.py", "TestSelections"),
    "builders": ("numpy_api/test_resized_arrays.py", "reshape"),
    "codegen": ("codegen/test_golden.py", "golden"),
    "codegen/cpu": ("codegen/test_golden.py", "golden"),
    "codegen/cuda": ("codegen/cuda/test_emulated_templates.py", "test_agrees_with_numpy"),
    "codegen/emit": ("codegen/emit/test_llvm.py", "Builder"),
    "codegen/passes": ("codegen/test_passes.py", "PASSES"),
    "compiler": ("integration/test_way_of_a_value.py", "compiler"),
    "control_flow": ("control_flow/test_fori_loop.py", "fori_loop"),
    "core/device_group.py": ("parallel/test_data_parallel.py", "data_parallel"),
    "core/tuning.py": ("architecture/test_tuning.py", "host_tuning"),
    "core/text_files.py": ("architecture/test_generated_texts.py", "text_files"),
    "demo.py": ("integration/test_cli.py", "demo"),
    "differentiation": ("differentiation/test_random_dags.py", "la.grad"),
    "errors.py": ("numpy_api/test_bad_input.py", "errors"),
    "execution": ("integration/test_warnings.py", "errstate"),
    "execution/cpu": ("execution/cpu/test_kernel_sequence.py", "kernel_sequence"),
    "execution/cuda": ("execution/cuda/test_launches.py", "launches"),
    "execution/fp_errors": ("integration/test_warnings.py", "errstate"),
    "function_transforms": ("function_transforms/test_function.py", "la.jit"),
    "graph": ("graph/test_interning.py", "node"),
    "inspect": ("inspect/test_explanation.py", "explain"),
    "inspect/doctor": ("inspect/doctor/test_doctor.py", "doctor"),
    "inspect/drawing": ("inspect/test_picture.py", "visualize"),
    "interop/arrow.py": ("arrays/test_display.py", "arrow"),
    "interop": ("interop/test_gpu_arrays.py", "dlpack"),
    "linalg": ("numpy_api/test_contraction.py", "linalg"),
    "loop_ir": ("loop_ir/test_primitives.py", "Builder"),
    "loop_ir/reducer.py": ("codegen/test_reducers.py", "reducer"),
    "nn": ("nn/test_gradients.py", "nn"),
    "numpy_api": ("numpy_api/test_dispatch.py", "np."),
    "ops": ("ops/test_elementwise_rows.py", "op"),
    "ops/reduce.py": ("numpy_api/test_reductions.py", "sum"),
    "optim": ("optim/test_optimizers.py", "optim"),
    "parallel": ("parallel/test_several_gpus.py", "parallel"),
    "passes": ("passes/test_simplify.py", "simplify"),
    "random": ("random/test_random.py", "default_rng"),
    "runtime/cpu": ("runtime/cpu/test_compiler.py", "compiler"),
    "runtime/cpu/objects": ("runtime/cpu/objects/test_linker.py", "linker"),
    "runtime/cpu/threads": ("runtime/cpu/threads/test_native_pool.py", "native_pool"),
    "runtime/cuda": ("execution/cuda/test_launches.py", "launches"),
    "runtime/cuda/libraries": ("runtime/cuda/test_libraries.py", "libraries"),
    "runtime/cuda/libraries/kernels": ("runtime/cuda/libraries/test_kernels.py", "kernels"),
    "runtime/run_log.py": ("inspect/test_profiling.py", "run_log"),
    "schedule": ("schedule/test_plans.py", "compilation"),
    "special.py": ("ops/test_elementwise_rows.py", "test_special_functions"),
    "tracing": ("function_transforms/test_function.py", "TestTracing"),
}


@cache
def _long_modules() -> list[str]:
    paths = sorted(ROOT.rglob("*.py"))
    long = (path for path in paths if len(path.read_text(encoding="utf-8").splitlines()) > LONG)
    return [path.relative_to(ROOT).as_posix() for path in long]


def _of_its_name(module: str) -> str | None:
    """The test file that has a module's name, below ``tests``."""
    path = Path(module)
    stem = path.parent.name if path.stem == "__init__" else path.stem
    own = (path.parent, path.parent.parent, path.with_suffix(""))
    names = ((folder / f"test_{stem}.py").as_posix() for folder in own)
    return next((name for name in names if stem and (TESTS / name).is_file()), None)


def _part(module: str) -> str | None:
    """The line of the table that a module belongs to: its own, or that of the nearest package."""
    parts = [module, *(folder.as_posix() for folder in Path(module).parents)]
    return next((part for part in parts if part in THROUGH), None)


@pytest.mark.parametrize("module", _long_modules())
def test_a_long_module_has_a_test_file(module: str) -> None:
    assert _of_its_name(module) or _part(module), f"no tests/{module[:-3]}: see THROUGH"


@pytest.mark.parametrize("part", THROUGH)
def test_the_table_names_what_is_there(part: str) -> None:
    file, word = THROUGH[part]
    assert (ROOT / part).exists()
    text = (TESTS / file).read_text(encoding="utf-8")
    assert re.search(rf"(?<!\w){re.escape(word)}", text), f"{file} does not mention {word}"
    assert any(_part(module) == part for module in _long_modules() if not _of_its_name(module))
