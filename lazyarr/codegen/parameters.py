"""The parameters of a kernel while it is written, with the argument that each is passed."""

from __future__ import annotations

from typing import Any

import numpy as np

from lazyarr.codegen.group_terms import GroupTerms
from lazyarr.codegen.launch import Address, Argument, Number, Scratch
from lazyarr.codegen.loop_nest import Access
from lazyarr.graph.node import Node
from lazyarr.loop_ir.kernel import Pointer, Value
from lazyarr.loop_ir.primitives import register_dtype
from lazyarr.schedule.index_terms import Term
from lazyarr.schedule.memory import Plan

__all__ = ["KernelParameters"]

DType = np.dtype[Any]


class KernelParameters:
    """Parameters in call order; one that is asked for by the same key again is the same.

    Parameters
    ----------
    group : GroupTerms
        What the kernel reads and writes.
    plan : Plan
        Which stored values share memory.

    Attributes
    ----------
    declared : list of Pointer or Value
        The parameters.
    arguments : list of Argument
        What each is passed.
    written : set
        The memory that the kernel writes.
    """

    def __init__(self, group: GroupTerms, plan: Plan) -> None:
        self.plan = plan
        self.written = {self.memory(place.owner) for _, place in group.stores}
        self.declared: list[Pointer | Value] = []
        self.arguments: list[Argument] = []
        self._by_key: dict[object, Pointer | Value] = {}

    def memory(self, owner: object) -> object:
        """Return the identity of the bytes behind a stored value."""
        if isinstance(owner, Node):
            return self.plan.home.get(owner, owner)
        return owner

    def add(self, key: object, parameter: Pointer | Value, argument: Argument) -> Pointer | Value:
        """Append a parameter and return it.

        Parameters
        ----------
        key : object
            By which it is found again.
        parameter : Pointer or Value
            Its name and dtype.
        argument : Argument
            What it is passed.
        """
        self._by_key[key] = parameter
        self.declared.append(parameter)
        self.arguments.append(argument)
        return parameter

    def number(self, key: object, value: int | float, prefix: str, dtype: DType) -> Value:
        """Return the parameter that passes a number.

        Parameters
        ----------
        key : object
            What it stands for.
        value : int or float
            The number.
        prefix : str
            Of the parameter's name.
        dtype : numpy.dtype
            Of the parameter.
        """
        return self._value(key, prefix, dtype, Number(value))

    def scalar(self, term: Term, argument: Argument) -> Value:
        """Return the parameter that passes a scalar of the expression.

        Parameters
        ----------
        term : Term
            The scalar, or a part of one.
        argument : Argument
            What is passed for it.
        """
        return self._value((term.node, term.part), "s", register_dtype(term.dtype), argument)

    def _value(self, key: object, prefix: str, dtype: DType, argument: Argument) -> Value:
        known = self._by_key.get(key)
        if known is None:
            known = self.add(key, Value(self._name(prefix), dtype), argument)
        assert isinstance(known, Value)
        return known

    def pointer(self, place: Access, dtype: DType) -> Pointer:
        """Return the parameter that passes the address of an access.

        Parameters
        ----------
        place : Access
            How memory is stepped through.
        dtype : numpy.dtype
            Of its elements.
        """
        owner = place.owner
        memory = self.memory(owner)
        offset = place.offset * dtype.itemsize
        key = ("pointer", memory, offset, dtype)
        known = self._by_key.get(key)
        if known is None:
            assert isinstance(owner, Node)
            written = memory in self.written
            name = self._name("out" if written else "in")
            known = self.add(key, Pointer(name, dtype, written), Address(owner, offset))
        assert isinstance(known, Pointer)
        return known

    def scratch(self, key: object, dtype: DType, where: Scratch, write: bool) -> Pointer:
        """Return the parameter that passes an address in scratch memory.

        Parameters
        ----------
        key : object
            What lies there.
        dtype : numpy.dtype
            Of its elements.
        where : Scratch
            The address.
        write : bool
            Whether the kernel writes there.
        """
        known = self._by_key.get(("scratch", key))
        if known is None:
            known = self.add(("scratch", key), Pointer(self._name("tmp"), dtype, write), where)
        assert isinstance(known, Pointer)
        return known

    def reported(self, name: str, dtype: DType, what: Argument) -> Pointer:
        """Return a new parameter that passes where the kernel reports to.

        Parameters
        ----------
        name : str
            Of the parameter.
        dtype : numpy.dtype
            Of the report.
        what : Argument
            Its address.
        """
        pointer = Pointer(name, dtype, True)
        self.add(what, pointer, what)
        return pointer

    def _name(self, prefix: str) -> str:
        return f"{prefix}{sum(p.name.startswith(prefix) for p in self.declared)}"
