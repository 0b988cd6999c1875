"""Tuning constants of C sources stand in tables beside them, as those of Python do."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import lazyarr

ROOT = Path(lazyarr.__file__).parent
C_SOURCES = sorted(path for end in ("c", "h", "cuh") for path in ROOT.rglob(f"*.{end}"))

#: Numbers that C sources outside of their tables define, and why they are no choice.
IN_C = {
    "arrays/c_source/array.h": {"MOST_AXES", "MOST_LIBRARIES"},  # room of structures and loops
    "arrays/c_source/blocks.h": {"BLOCK_ALIGNMENT", "IN_C", "IN_FORTRAN"},  # a cache line; flags
    "arrays/c_source/calls.h": {"MOST_ARGUMENTS", "VIEWS_TIMES"},  # room; no bound at all
    "arrays/c_source/draws.h": {"MOST_PARAMETERS"},  # of NumPy's distributions
    "arrays/c_source/numpy_draws.h": {"MOST_ELEMENTS_OF_LIST"},  # longer ones are Python's
    "arrays/c_source/general.h": {  # flags of a call, room, and NumPy's number of samples
        "AS_IS",
        "DEFAULT_SAMPLES",
        "CREATES",
        "WRITES",
        "WARNS",
        "CHEAP",
        "FILLS",
        "COPIES",
        "BY_LIBRARY",
        "AT_ANY_SIZE",
        "LOOKS_UP",
        "SLOWLY_BUILT",
        "GIVES_VIEWS",
        "EXTENDS",
        "MOVES",
        "OWNS",
        "COPIES_MASK",
        "COUNTS_TRUTHS",
        "IS_SEVERAL",
        "QUIET",
        "MOST_OPERANDS",
    },
    "arrays/c_source/masks.h": {"MASKED"},  # truth values in a word
    "arrays/c_source/nested_lists.h": {"MOST_LEVELS"},  # room
    "arrays/c_source/host_draws.h": {  # Philox is defined by them
        "LONG_PHILOX_FIRST",
        "LONG_PHILOX_SECOND",
        "LONG_PHILOX_FIRST_STEP",
        "LONG_PHILOX_SECOND_STEP",
        "WORDS_OF_BLOCK",
    },
    "arrays/c_source/outputs.h": {"UNNAMED"},  # a number of no name
    "arrays/c_source/plain_operands.h": {  # numbers of no name; room
        "OF_STACK",
        "OF_UFUNC",
        "OF_FUNCTION",
        "MOST_NESTED_OPERANDS",
    },
    "arrays/c_source/philox.h": {  # Philox is defined by them; lanes of AVX-512; bits of floats
        "PHILOX_ROUNDS",
        "PHILOX_FIRST",
        "PHILOX_SECOND",
        "PHILOX_FIRST_STEP",
        "PHILOX_SECOND_STEP",
        "BLOCKS_AT_ONCE",
        "LOW_HALF",
        "TWO_TO_52",
        "TWO_TO_84",
    },
    "arrays/c_source/positions.h": {"SKIPPED"},  # truth values in four words
    "arrays/c_source/reductions.h": {"MOST_STEPS"},  # room
    "arrays/c_source/short_reductions.h": {"PAIRWISE_BLOCK"},  # NumPy's order of additions
    "arrays/c_source/ufunc_loops.h": {"MOST_CAST", "MOST_LOOPED"},  # NumPy's buffer; room
    "arrays/c_source/values.h": {"MOST_SOURCES"},  # room
    "execution/cpu/c_source/expression_walk.h": {  # as in known_plans.py
        "MOST_NODES",
        "MOST_KEY",
        "MOST_LEAVES",
        "MOST_BASES",
        "MOST_WORDS",
        "OPERATIONS",
    },
    "execution/cpu/c_source/kernel_calls.h": {  # as in small_calls.py and calling_convention.py
        "MOST_RESULTS",
        "MOST_AXES",
        "MOST_STATUS",
        "ALIGNMENT",
        "FAILED",
    },
    "execution/cpu/c_source/small_call.h": {  # as in small_calls.py
        "MOST_ARGUMENTS",
        "MOST_BASES",
        "MOST_WORDS",
        "MOST_STEP_RESULTS",
        "MOST_STEP_STATUS",
        "MOST_VALUES",
        "MOST_LIBRARIES",
    },
    "graph/c_source/nodes.c": {"MOST_FREED"},  # bounds memory: nodes of a few expressions
    "runtime/cpu/c_source/line_sorts.h": {"FAILED"},  # as in calling_convention.py
    "runtime/cpu/c_source/loop_calls.h": {  # room
        "MOST_OPERANDS",
        "MOST_EXTENTS",
        "MOST_STEPS",
        "MOST_COPIED_AXES",
        "MOST_ROUTINE_ARGUMENTS",
    },
    "runtime/cpu/c_source/lines.h": {  # room; bits of a result
        "MOST_OUTER",
        "DIVIDE",
        "OVER",
        "UNDER",
        "INVALID",
        "RAISED",
    },
}


def _name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


#: A definition of C, its value and a comment.
_DEFINITION = re.compile(r"#define (\w+) +([^/\n]+?) *(/\*.*)?")
#: An expression of numbers alone.
_OF_NUMBERS = re.compile(r"(?:\((?:size_t|npy_uint64)\)|0x[0-9a-f]+|\d+|[uUlL()<>|*+ -])+")


def _definitions(text: str) -> Iterator[tuple[str, bool]]:
    """Yield the numbers that a text in C defines, and whether a comment is at or above each."""
    said = False
    for line in text.splitlines():
        if match := _DEFINITION.fullmatch(line):
            if _OF_NUMBERS.fullmatch(match[2]):
                yield match[1], said or match[3] is not None
        else:
            said = line.endswith("*/")


C_TABLES = [path for path in C_SOURCES if path.name == "tuning.h"]


@pytest.mark.parametrize("path", C_SOURCES, ids=_name)
def test_numbers_of_c_stand_in_tables(path: Path) -> None:
    names = {name for name, _ in _definitions(path.read_text(encoding="utf-8"))}
    if path not in C_TABLES:
        assert names == IN_C.get(_name(path), set())


@pytest.mark.parametrize("path", C_TABLES, ids=_name)
def test_tables_of_c_say_what_was_measured(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert all(said for _, said in _definitions(text))
    # A section is headed by what it bounds, or its comments have figures.
    for section in re.split(r"\n\n(?=/\* [^\n]*[.:;])", text):
        if any(_definitions(section)):
            assert re.search(r"not measured|microseconds|docs/notes_on_speed", section), section
    assert len(C_TABLES) == 2


def _read_with(path: Path) -> set[Path]:
    """Return a file and those beside it that it includes."""
    files, waiting = set(), [path]
    while waiting:
        file = waiting.pop()
        if file not in files and file.exists():
            files.add(file)
            names = re.findall(r'^ *# *include +"([^"]+)"', file.read_text("utf-8"), re.MULTILINE)
            waiting += [file.parent / name for name in names]
    return files


@pytest.mark.parametrize("path", [path for path in C_SOURCES if path.suffix == ".c"], ids=_name)
def test_no_name_is_defined_by_two_files(path: Path) -> None:
    """The second definition would count from there on."""
    files: dict[str, set[str]] = {}
    for file in _read_with(path):
        for name in re.findall(r"^ *# *define +(\w+)", file.read_text("utf-8"), re.MULTILINE):
            files.setdefault(name, set()).add(file.name)
    assert files
    assert not {name: where for name, where in files.items() if len(where) > 1}
