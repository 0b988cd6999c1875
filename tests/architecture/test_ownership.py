"""An executor has the objects that run its plan, and none of them has the executor."""

from __future__ import annotations

import ast
import gc
import re
import shutil
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.autotuning import tuning
from lazyarr.compiler.plan_cache import PLANS, forget_plans
from lazyarr.core.frozen import replace
from lazyarr.runtime.cuda import driver
from tests.support.cuda_emulator import EmulatedDevice
from tests.support.syntax_trees import nodes_of, tree_of

ROOT = Path(la.__file__).parent
PACKAGES = ("autotuning", "execution", "runtime")
FILES = sorted(path for name in PACKAGES for path in (ROOT / name).rglob("*.py"))
#: An executor, or a compiled plan with its executor.
OWNER = re.compile(r"\b(\w*(?<!Pool)Executor|CachedPlan)\b")
#: What a function takes and returns is not part of it.
FUNCTION = re.compile(r"Callable\[\[[^\]]*\], [\w.]+(\[[^\]]*\])?\]")


def _is_owner(kind: ast.expr | None) -> bool:
    return kind is not None and OWNER.search(FUNCTION.sub("", ast.unparse(kind))) is not None


def _attributes_of_owners(tree: ast.AST) -> list[str]:
    """Return the attributes of classes that are annotated or assigned as the owner of a plan."""
    results = []
    for owner in nodes_of(tree):
        if not isinstance(owner, ast.ClassDef):
            continue
        results += [
            f"{owner.name}.{ast.unparse(line.target)}"
            for line in ast.walk(owner)
            if isinstance(line, ast.AnnAssign)
            and (line in owner.body or isinstance(line.target, ast.Attribute))
            and _is_owner(line.annotation)
        ]
        for method in owner.body:
            if not isinstance(method, ast.FunctionDef):
                continue
            arguments = (*method.args.posonlyargs, *method.args.args, *method.args.kwonlyargs)
            owners = {a.arg for a in arguments if _is_owner(a.annotation)}
            results += [
                f"{owner.name}.{ast.unparse(target)}"
                for line in ast.walk(method)
                if isinstance(line, ast.Assign) and ast.unparse(line.value) in owners
                for target in line.targets
                if isinstance(target, ast.Attribute)
            ]
    return results


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_no_object_of_a_run_has_an_executor(path: Path) -> None:
    assert not _attributes_of_owners(tree_of(path))


def test_attributes_are_recognised_by_their_annotations() -> None:
    text = "class A:\n    x: CpuExecutor | None\n    y: Callable[[int], CpuExecutor]\n    z: Pool\n"
    assert _attributes_of_owners(ast.parse(text)) == ["A.x"]
    text = "class A:\n    def __init__(self, plan: CachedPlan) -> None:\n        self.p = plan\n"
    assert _attributes_of_owners(ast.parse(text)) == ["A.self.p"]


EXPRESSIONS: dict[str, Callable[[Any], Any]] = {
    "kernels": lambda x: (la.sin(x) ** 2).sum(axis=0) - 1,
    "library calls": lambda x: la.sort(x + 1, axis=0) * 2,
    "products": lambda x: la.tanh(x @ x),
    "loops": lambda x: la.fori_loop(0, 3, lambda k, y: y * x + k, x),
    "tiles": lambda x: x.sum(),
}


@pytest.fixture
def every_plan_is_watched() -> Iterator[None]:
    """Let plans of any size be ones that autotuning counts the time of."""
    with la.config(tune=True), tuning.using(replace(tuning.current(), least_elements=1)):
        yield


@pytest.mark.usefixtures("every_plan_is_watched")
@pytest.mark.parametrize("name", EXPRESSIONS)
@pytest.mark.parametrize("device", ["cpu", "cuda"])
def test_an_executor_goes_with_the_last_reference_to_it(
    name: str, device: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if device == "cuda":
        if shutil.which("g++") is None or name == "tiles":
            pytest.skip("needs g++ for the emulator, which has no tiles")
        monkeypatch.setattr(driver, "_devices", [EmulatedDevice(None)])
    bound = 1 << 14 if name == "tiles" else 0
    forget_plans()
    gc.collect()
    gc.disable()
    try:
        with la.config(device=device, max_memory=bound, immediate=0):
            x = la.asarray(np.random.default_rng(0).random((80, 80)), device=device)
            ask = la.evaluate if device == "cpu" else la.persist
            # On the CPU a form that comes twice is known to others, too; on CUDA graphs follow.
            for _ in range(1 if device == "cpu" else 8):
                ask(EXPRESSIONS[name](x))
        executors = [weakref.ref(plan.executor) for plan in PLANS.table.values()]
        assert executors
        forget_plans()
        assert [executor for executor in executors if executor() is not None] == []
    finally:
        gc.enable()
