"""Differences between NumPy's releases: those that hold of the installed one.

Releases are compared here alone, so that raising the oldest supported one is one look at a table.
"""

from __future__ import annotations

import numpy as np

__all__ = [
    "CASTS_TAKEN_OUTPUTS",
    "CROSSES_PLANE_VECTORS",
    "DEPRECATES_EXTREMA_OF_THREE",
    "DEPRECATES_FIX",
    "DLPACK_HAS_VERSIONS",
    "DLPACK_REFUSES_STREAMS",
    "ENDS_EMPTY_MEANS_WITH_A_DOT",
    "FIRST_OF_NOTHING_IS_WEAK",
    "FLAT_ITERATORS_INDEX_AS_ARRAYS",
    "KEEPS_LONE_ROWS",
    "LISTS_GRIDS",
    "WRAPS_CHOSEN_INTEGERS",
]

#: Of the installed release, whose previews are as it will be.
_INSTALLED = tuple(map(int, np.__version__.split(".")[:2]))

#: ``__dlpack__`` takes ``max_version=``.
DLPACK_HAS_VERSIONS = _INSTALLED >= (2, 1)

#: `cov` takes a single row for the observations of one variable, whatever ``rowvar=`` says.
KEEPS_LONE_ROWS = _INSTALLED < (2, 2)

#: The warning of `mean` of nothing ends with a dot.
ENDS_EMPTY_MEANS_WITH_A_DOT = _INSTALLED < (2, 4)

#: Flat iterators take and refuse indices much as vectors do.
FLAT_ITERATORS_INDEX_AS_ARRAYS = _INSTALLED >= (2, 4)

#: A third positional argument of `maximum` and `minimum`, their output, is deprecated.
DEPRECATES_EXTREMA_OF_THREE = _INSTALLED >= (2, 4)

#: `cross` takes vectors of the plane, with a warning.
CROSSES_PLANE_VECTORS = _INSTALLED < (2, 5)

#: `meshgrid` gives sparse grids as a list.
LISTS_GRIDS = _INSTALLED < (2, 5)

#: `take` and its kin refuse outputs that cannot be cast safely *to* what is taken; later ones warn
#: of those that it cannot be cast to as "same_kind" says.
CASTS_TAKEN_OUTPUTS = _INSTALLED < (2, 5)

#: `where` casts a Python integer that its dtype does not hold; later ones refuse it.
WRAPS_CHOSEN_INTEGERS = _INSTALLED < (2, 5)

#: `fix` is deprecated.
DEPRECATES_FIX = _INSTALLED >= (2, 5)

#: A ValueError says that ``__dlpack__`` of a processor's array takes no stream.
DLPACK_REFUSES_STREAMS = _INSTALLED >= (2, 5)

#: The first operand of `dot`, `inner` and `vdot` that is a list of no numbers has the dtype of the
#: second; of earlier ones a second operand alone has that of the first.
FIRST_OF_NOTHING_IS_WEAK = _INSTALLED >= (2, 5)
