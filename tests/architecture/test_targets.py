"""A device is a target: :mod:`lazyarr.compiler.targets` alone decides by its name or parts."""

import ast
from pathlib import Path

import pytest

import lazyarr
from lazyarr.compiler import targets
from lazyarr.core import config
from tests.support.syntax_trees import nodes_of, tree_of

ROOT = Path(lazyarr.__file__).parent
FILES = sorted(ROOT.rglob("*.py"))
#: Where a device's name is written.
NAMED = {"core/config.py", "compiler/targets.py"}
#: Where "cpu" is the name of a controller.
CONTROL_GROUPS = "runtime/cpu_count.py"
#: What the target alone imports, and the packages that it is made of.
OF_DEVICES = ("lazyarr.codegen.cpu", "lazyarr.codegen.cuda", "lazyarr.execution.cuda")

#: Devices' names, and sets of them, as attributes of the settings.
OF_SETTINGS = ("config.CPU", "config.CUDA", "config.DEVICES", "config.MIXED")


def _name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def _device_literals(tree: ast.AST) -> list[int]:
    """Return the lines of device names, but for languages of sources, which have the same ones."""
    languages = {
        id(call.args[0])
        for call in nodes_of(tree)
        if isinstance(call, ast.Call) and call.args
        if isinstance(call.func, ast.Name) and call.func.id == "Source"
    }
    return [
        node.lineno
        for node in nodes_of(tree)
        if isinstance(node, ast.Constant)
        and node.value in config.DEVICES
        and id(node) not in languages
    ]


def test_device_names_are_literals_of_the_settings_and_the_targets_alone() -> None:
    others = [path for path in FILES if _name(path) not in {*NAMED, CONTROL_GROUPS}]
    results = {
        f"{_name(path)}:{line}" for path in others for line in _device_literals(tree_of(path))
    }
    assert not results
    assert _device_literals(ast.parse('x.device == "cuda"')) == [1]
    assert _device_literals(ast.parse('Source("cuda", text)')) == []


def _imported(tree: ast.AST) -> set[str]:
    """Return the names of devices that a module takes from the settings or the targets."""
    return {
        alias.asname or alias.name
        for statement in nodes_of(tree)
        if isinstance(statement, ast.ImportFrom)
        and statement.module in (config.__name__, targets.__name__)
        for alias in statement.names
        if alias.name in ("CPU", "CUDA", "DEVICES", "MIXED", "TARGETS")
    }


def _alternatives(operand: ast.expr) -> list[ast.expr]:
    """Return the values that are compared: those of a container or of a text one by one."""
    if isinstance(operand, ast.Tuple | ast.List | ast.Set):
        return operand.elts
    if isinstance(operand, ast.JoinedStr):
        return [v.value if isinstance(v, ast.FormattedValue) else v for v in operand.values]
    return [operand]


def _compared_devices(tree: ast.AST) -> list[int]:
    """Return the lines that compare something with the name of a device, or with a target."""
    names = _imported(tree)
    compared: list[ast.expr] = []
    for node in nodes_of(tree):
        if isinstance(node, ast.Compare):
            compared += [node.left, *node.comparators]
        elif isinstance(node, ast.MatchValue):
            compared.append(node.value)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr in ("startswith", "endswith", "find", "index", "count"):
                compared += node.args
    return [
        part.lineno
        for operand in compared
        for part in _alternatives(operand)
        if (isinstance(part, ast.Constant) and part.value in (*config.DEVICES, config.MIXED))
        or (isinstance(part, ast.Name) and part.id in names)
        or (isinstance(part, ast.Attribute) and ast.unparse(part) in OF_SETTINGS)
    ]


def test_the_name_of_a_device_is_compared_by_the_settings_and_the_targets_alone() -> None:
    results = {
        f"{_name(path)}:{line}"
        for path in FILES
        if _name(path) not in {*NAMED, CONTROL_GROUPS}
        for line in _compared_devices(tree_of(path))
    }
    assert not results
    head = "from lazyarr.core.config import CPU, CUDA as GPU\n"
    for text in (
        "x.device == CPU",
        "x.startswith(GPU)",
        "x in ('cpu', y)",
        "x == f'{CPU}:0'",
        "x is not config.CUDA",
        "match x:\n    case 'cuda': pass",
    ):
        assert _compared_devices(ast.parse(head + text)), text
    for text in ("x = CUDA if y else CPU", "f(x, CPU) == 1", "x == dlpack.CPU"):
        assert not _compared_devices(ast.parse(head + text)), text


def _imports(tree: ast.AST) -> list[str]:
    results = []
    for statement in nodes_of(tree):
        if isinstance(statement, ast.ImportFrom):
            results += [f"{statement.module}.{alias.name}" for alias in statement.names]
        elif isinstance(statement, ast.Import):
            results += [alias.name for alias in statement.names]
    return results


def test_the_targets_alone_import_what_is_of_a_device() -> None:
    results = [
        f"{_name(path)}: {name}"
        for path in FILES
        if not _name(path).startswith(("codegen/", "execution/cuda/"))
        and _name(path) != "compiler/targets.py"
        for name in _imports(tree_of(path))
        if any(f"{name}.".startswith(f"{device}.") for device in OF_DEVICES)
    ]
    assert not results


def test_nothing_asks_for_the_class_of_an_executor() -> None:
    for path in FILES:
        for node in nodes_of(tree_of(path)):
            if isinstance(node, ast.Compare):
                assert "Executor" not in ast.unparse(node), f"{_name(path)}:{node.lineno}"


@pytest.mark.parametrize("path", sorted(ROOT.glob("schedule/*.py")), ids=_name)
def test_schedules_have_no_constant_of_a_machine(path: Path) -> None:
    for statement in tree_of(path).body:
        if isinstance(statement, ast.Assign | ast.AnnAssign) and statement.value is not None:
            numbers = [
                node.value
                for node in ast.walk(statement.value)
                if isinstance(node, ast.Constant) and isinstance(node.value, int | float)
            ]
            assert not numbers, f"{_name(path)}:{statement.lineno}"


def test_each_device_has_one_target() -> None:
    assert set(targets.TARGETS) == set(config.DEVICES)
    assert all(target.name == name for name, target in targets.TARGETS.items())
    assert targets.target_named(f"{config.CUDA}:1") is targets.TARGETS[config.CUDA]
