"""Names and docstrings: the field's nouns, and parameters that are documented."""

from __future__ import annotations

import ast
import functools
import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "lazyarr"
TREES = ("lazyarr", "tests", "benchmarks", "examples", "docs", "tools")

#: Participles that stand for a thing that has a name: a plan, a match, a shape, an operand.
PARTICIPLES = {"found", "made", "held", "given", "wanted"}
#: A summary that begins so describes a thing by a clause where it has a name.
CLAUSE = re.compile(
    r"(Return|Say|Tell|Give|Yield)s? (who|which|whether what|how|where)\b|\w+ (for |of )?what\b"
)
#: As the one above, where summaries name modules, classes and attributes.
QUESTION = re.compile(r"(What|Who|Which|How|Where|When)\b")
#: The trees whose summaries are held to both; a test's summary may state the rule that it tests.
NAMED_TREES = ("lazyarr", "benchmarks", "examples", "tools")
#: Words of no meaning of their own here: iteration, report, runtime check, pool and pass have one.
VAGUE = re.compile(
    r"\b(told|tells|notices|crew|beds?|dear(er|est)?|reckon\w*|sweeps?"
    r"|(each|every|per|several|many|more|of|a|an|one) turns?)\b",
    re.IGNORECASE,
)
#: A turn is a unit of angle there.
ANGLES = {"builder.py", "random.py", "piecewise.py"}
#: Comments of other languages, and what is a name there: parts of LLVM's are apart by points.
_IN_C = re.compile(r'//.*|/\*.*?\*/|"(\\.|[^"\\\n])*"', re.DOTALL)
COMMENT = {".cuh": re.compile(r"//.*"), ".ll": re.compile(r";.*"), ".c": _IN_C, ".h": _IN_C}
NAME = re.compile(r"[A-Za-z_][\w.]*")
#: Names that users read: fields of records that `lazyarr.cache.info` returns.
PUBLIC_FIELDS = {("PoolInfo", "held"), ("DevicePoolInfo", "held")}

#: What a function calls those of its parameters that it passes on as they are.
_HANDED_ON = {"args", "arguments"}

Function = ast.FunctionDef | ast.AsyncFunctionDef


@functools.cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


#: Nodes that a check asks for: a quarter of all.
_ASKED_FOR = (
    ast.Module,
    ast.ClassDef,
    ast.FunctionDef,
    ast.AsyncFunctionDef,
    ast.Name,
    ast.Attribute,
    ast.alias,
    ast.arg,
)


@functools.cache
def nodes(path: Path) -> list[ast.AST]:
    """Return the nodes of a file that checks ask for."""
    return [node for node in ast.walk(tree(path)) if isinstance(node, _ASKED_FOR)]


@pytest.fixture(scope="module", autouse=True)
def forgotten() -> Iterator[None]:
    """Forget the trees in the end: the garbage collector would go through millions of nodes."""
    yield
    tree.cache_clear()
    nodes.cache_clear()


@functools.cache
def uses() -> dict[str, set[Path]]:
    """Return the modules that name each name."""
    users: dict[str, set[Path]] = defaultdict(set)
    for path in PACKAGE.rglob("*.py"):
        for node in nodes(path):
            if isinstance(node, ast.Name):
                users[node.id].add(path)
            elif isinstance(node, ast.Attribute):
                users[node.attr].add(path)
            elif isinstance(node, ast.alias):
                users[node.name.rpartition(".")[2]].add(path)
    return users


@functools.cache
def documented_methods() -> set[tuple[str, str]]:
    """Return the class and the name of each method that documents its parameters."""
    return {
        (node.name, method.name)
        for path in PACKAGE.rglob("*.py")
        for node in nodes(path)
        if isinstance(node, ast.ClassDef)
        for method in node.body
        if isinstance(method, Function) and documents(method)
    }


@functools.cache
def bases() -> dict[str, set[str]]:
    """Return the names of the bases of each class, by its name, and of theirs."""
    direct: dict[str, set[str]] = defaultdict(set)
    for path in PACKAGE.rglob("*.py"):
        for node in nodes(path):
            if isinstance(node, ast.ClassDef):
                texts = (ast.unparse(base).partition("[")[0] for base in node.bases)
                direct[node.name].update(text.rpartition(".")[2] for text in texts)
    every = {name: set(parents) for name, parents in direct.items()}
    for parents in every.values():
        while more := {b for parent in parents for b in direct.get(parent, ())} - parents:
            parents |= more
    return every


def documents(function: Function) -> bool:
    """Whether a docstring has a section of parameters."""
    return "Parameters\n" in (ast.get_docstring(function) or "")


def parameters(function: Function, *, method: bool) -> list[str]:
    arguments = function.args
    names = [a.arg for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]
    if arguments.vararg is not None and arguments.vararg.arg not in _HANDED_ON:
        names.append(arguments.vararg.arg)
    static = any(
        isinstance(d, ast.Name) and d.id == "staticmethod" for d in function.decorator_list
    )
    return names[1:] if method and not static else names


def is_overload(function: Function) -> bool:
    """Whether a definition is a signature alone."""
    return any(isinstance(d, ast.Name) and d.id == "overload" for d in function.decorator_list)


def undocumented(path: Path) -> list[str]:
    """Return the functions of a module that others call and that do not document parameters."""
    functions: list[tuple[Function, ast.ClassDef | None]] = []
    for node in tree(path).body:
        if isinstance(node, Function):
            functions.append((node, None))
        elif isinstance(node, ast.ClassDef):
            functions += [(part, node) for part in node.body if isinstance(part, Function)]
    missing = []
    for function, owner in functions:
        name = function.name
        several = len(parameters(function, method=owner is not None)) > 1
        if name.startswith("_") or not several or documents(function) or is_overload(function):
            continue
        above = () if owner is None else bases()[owner.name]
        inherited = any((base, name) in documented_methods() for base in above)
        if not inherited and uses()[name] - {path}:
            missing.append(name)
    return missing


def _documented_names(docstring: str) -> list[str]:
    """Return the names that a section of parameters has."""
    section = re.search(r"(?ms)^Parameters\n-+\n(.*?)(?=^\S[^\n]*\n---|\Z)", docstring)
    heads = re.findall(r"(?m)^[^\s:][^:\n]*", section[1]) if section else []
    return [name.strip(" *") for head in heads for name in head.split(",")]


def misdocumented(path: Path) -> list[str]:
    """Return the parameters that are not documented beside others, and names that are none's."""
    wrong = []
    for owner in nodes(path):
        if isinstance(owner, ast.ClassDef):
            makers = [m for m in owner.body if isinstance(m, Function) and m.name == "__init__"]
        else:
            makers = [owner] if isinstance(owner, Function) else []
        named = _documented_names(ast.get_docstring(owner) or "") if makers else []
        if named:
            (maker,) = makers
            arguments = maker.args
            starred = {a.arg for a in (arguments.vararg, arguments.kwarg) if a is not None}
            own = parameters(maker, method=False)
            own = [n for n in own if not n.startswith("_") and n not in {"self", "cls", *starred}]
            strangers = {*named} - {*own} - starred
            wrong += [f"{owner.name}({name})" for name in {*own} - {*named} | strangers]
    return wrong


def stored(path: Path) -> list[str]:
    """Return the participles that a module gives as names to variables and parameters."""
    names = []
    public = {
        part.target
        for node in nodes(path)
        if isinstance(node, ast.ClassDef)
        for part in node.body
        if isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name)
        if (node.name, part.target.id) in PUBLIC_FIELDS
    }
    for node in nodes(path):
        if node in public:
            continue
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.append(node.id)
        elif isinstance(node, ast.arg):
            names.append(node.arg)
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            names.append(node.attr)
    return [name for name in names if name.lstrip("_") in PARTICIPLES]


def stored_elsewhere(path: Path) -> list[str]:
    """Return the participles that a text in another language gives as names."""
    code = COMMENT[path.suffix].sub("", path.read_text(encoding="utf-8"))
    return [name for name in NAME.findall(code) if PARTICIPLES & set(name.split("."))]


def clauses(path: Path) -> list[str]:
    """Return the summaries of a module that are clauses instead of nouns."""
    is_named = not path.is_relative_to(ROOT) or path.relative_to(ROOT).parts[0] in NAMED_TREES
    summaries = []
    for node in nodes(path):
        if isinstance(node, Function | ast.ClassDef | ast.Module):
            summary = (ast.get_docstring(node) or "").partition("\n")[0]
            if CLAUSE.match(summary) or (is_named and QUESTION.match(summary)):
                summaries.append(summary)
    return summaries


def vague(path: Path) -> list[str]:
    """Return the words of a text that stand for a term of the glossary."""
    turned = {"turn", "turns"} if path.suffix == ".py" and path.name not in ANGLES else set()
    names = [node.id for node in nodes(path) if isinstance(node, ast.Name)] if turned else []
    words = [match[0] for match in VAGUE.finditer(path.read_text(encoding="utf-8"))]
    if path.name in ANGLES:
        words = [word for word in words if "turn" not in word]
    return words + [name for name in names if name in turned]


def modules() -> list[Path]:
    return sorted(PACKAGE.rglob("*.py"))


def programs() -> list[Path]:
    """Return all Python files: the package, its tests, benchmarks, examples and tools."""
    files = [ROOT / "conftest.py", *(path for top in TREES for path in (ROOT / top).rglob("*.py"))]
    return sorted(path for path in files if "golden" not in path.parts and path != Path(__file__))


def other_programs() -> list[Path]:
    """Return the package's files in other languages."""
    return sorted(path for ending in COMMENT for path in PACKAGE.rglob(f"*{ending}"))


def texts() -> list[Path]:
    """Return all files that people read: programs, texts in other languages, pages."""
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")]
    return [*programs(), *other_programs(), *sorted(pages)]


@pytest.mark.parametrize(
    ("check", "files"),
    [
        (undocumented, modules),
        (misdocumented, modules),
        (stored, programs),
        (stored_elsewhere, other_programs),
        (clauses, programs),
        (vague, texts),
    ],
    ids=lambda f: f.__name__,
)
def test_every_file(check: Callable[[Path], list[str]], files: Callable[[], list[Path]]) -> None:
    faults = {str(path.relative_to(ROOT)): check(path) for path in files()}
    assert {name: fault for name, fault in faults.items() if fault} == {}


def test_the_checks_find_what_they_look_for(tmp_path: Path) -> None:
    path = tmp_path / "module.py"
    path.write_text('def f(made):\n    """Return what is told."""\n    turn = made\n', "utf-8")
    assert stored(path) == ["made"]
    assert clauses(path) == ["Return what is told."]
    assert vague(path) == ["told", "turn"]


def test_parameters_are_documented_by_their_names(tmp_path: Path) -> None:
    path = tmp_path / "module.py"
    section = "Parameters\n    ---\n    a, c : int\n        Numbers.\n    *more\n        Others.\n"
    path.write_text(f'def add(a, b, *more):\n    """Add.\n\n    {section}    """', "utf-8")
    assert sorted(misdocumented(path)) == ["add(b)", "add(c)"]


def test_names_of_other_languages_are_looked_at(tmp_path: Path) -> None:
    for ending, text in (
        (".cuh", "int held = 1;  // found\n"),
        (".ll", "%k.held = add i64 1, 2\n"),
        (".h", '/* found\n   made */ int held = f("given"); // wanted\n'),
    ):
        path = tmp_path / f"text{ending}"
        path.write_text(text, "utf-8")
        assert [name.rpartition(".")[2] for name in stored_elsewhere(path)] == ["held"]


def test_questions_are_no_names(tmp_path: Path) -> None:
    path = tmp_path / "module.py"
    path.write_text('"""How it goes."""\nclass A:\n    """Write what it is."""\n', "utf-8")
    assert clauses(path) == ["How it goes.", "Write what it is."]
