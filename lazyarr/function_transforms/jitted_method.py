"""Jitted functions as methods of instances."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lazyarr.arrays.lazy_array import LazyArray
from lazyarr.function_transforms.bound_call import Bound

if TYPE_CHECKING:
    from lazyarr.inspect import Explanation

__all__ = ["JittedMethod"]


class JittedMethod:
    """A jitted function as a method of an instance.

    Parameters
    ----------
    function : Jitted
        The function, whose first argument is the instance.
    instance : object
        The instance.
    """

    def __init__(self, function: Any, instance: object) -> None:
        self.__func__ = function
        self.__self__ = instance

    def __call__(self, /, *args: Any, **keywords: Any) -> Any:
        """Return the results of a call, computed."""
        return self.__func__(self.__self__, *args, **keywords)

    def explain(self, /, *args: Any, **keywords: Any) -> Explanation:
        """Return the explanation of a call."""
        explanation: Explanation = self.__func__.explain(self.__self__, *args, **keywords)
        return explanation

    def persist(self, /, *args: Any, **keywords: Any) -> Any:
        """Return the results of a call, left where they were computed."""
        return self.__func__.persist(self.__self__, *args, **keywords)

    def bind(self, /, *args: Any, **keywords: Any) -> Bound:
        """Return a call that can be done again."""
        bound: Bound = self.__func__.bind(self.__self__, *args, **keywords)
        return bound

    def lower(self, /, *args: Any, **keywords: Any) -> tuple[LazyArray, ...]:
        """Return the results of a call, not computed."""
        results: tuple[LazyArray, ...] = self.__func__.lower(self.__self__, *args, **keywords)
        return results

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__func__, name)
