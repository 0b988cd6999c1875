"""Every operation of the tables has a name of its own; those of a program have none."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.graph.node import Op
from lazyarr.ops.elementwise import ELEMENTWISE
from lazyarr.ops.library import LIBRARY
from lazyarr.ops.reduce import REDUCE
from lazyarr.ops.scan import SCAN
from lazyarr.ops.static_ops import static_names

TABLES = [*ELEMENTWISE.values(), *REDUCE.values(), *SCAN.values(), LIBRARY["matmul"]]


@pytest.mark.parametrize("op", TABLES, ids=lambda op: op.name)
def test_rows_have_names(op: Op) -> None:
    assert static_names(scans=True)[op] == f"{op.kind.name} {op.name}"


def test_names_are_distinct() -> None:
    assert len({static_names(scans=True)[op] for op in TABLES}) == len(TABLES)


def test_an_operation_of_the_program_has_none() -> None:
    add: Any = la.vectorize(lambda x: x + 1)
    (root,) = (add(la.asarray(np.ones(9)))._node,)
    assert root.op not in static_names()
    assert Op("add", ELEMENTWISE["add"].kind, ELEMENTWISE["add"].evaluate) not in static_names()
