"""Plans that are run once more where NumPy meets what it would warn of.

To have NumPy raise takes less time than to have it keep account of what it meets. A run that has
raised is repeated, and finds what donated arguments were: a step that overwrites one before the
last library call has it copied.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lazyarr.execution import tuning
from lazyarr.execution.cpu.library_call import STRICT, is_repeatable
from lazyarr.execution.cpu.library_launches import is_launched
from lazyarr.graph.node import Node
from lazyarr.schedule.groups import Layout
from lazyarr.schedule.memory import Buffer, Plan

__all__ = ["copied", "exposed", "is_brief"]


def is_brief(buffers: Sequence[Buffer], calls: Sequence[Node]) -> bool:
    """Return whether a plan is so small, and its library calls such, that it may run twice.

    Parameters
    ----------
    buffers : sequence of Buffer
        Of the plan.
    calls : sequence of Node
        What libraries compute.
    """
    nbytes = sum(buffer.nbytes for buffer in buffers)
    is_small = nbytes < tuning.row().repeatable_bytes and STRICT is not None
    return is_small and all(map(is_repeatable, calls))


def exposed(buffers: Sequence[Buffer], last: int) -> list[Buffer]:
    """Return the buffers in donated memory that a run overwrites before the last library call.

    Parameters
    ----------
    buffers : sequence of Buffer
        Of the plan.
    last : int
        The step of that call; -1: there is none.
    """
    return [b for b in buffers if b.donated is not None and b.first <= last]


def copied(plan: Plan, layouts: Mapping[Node, Layout], threads: int) -> list[Buffer]:
    """Return the buffers whose donated memory a run copies, as it may be repeated.

    Parameters
    ----------
    plan : Plan
        The steps and their buffers.
    layouts : mapping of Node to Layout
        Where stored values lie.
    threads : int
        Threads of one evaluation.
    """
    calls = {
        step.index: step.group.members[0]
        for step in plan.steps
        if step.group.kind == "library" and not is_launched(step.group, layouts, threads)
    }
    buffers = exposed(plan.buffers, max(calls, default=-1))
    if sum(b.nbytes for b in buffers) > tuning.row().copied_bytes:
        return []
    return buffers if is_brief(plan.buffers, list(calls.values())) else []
