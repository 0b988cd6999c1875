"""A pytest plugin: CuPy's test modules import lazyarr under CuPy's name.

``LAZYARR_CUPY`` names the folder of CuPy's sources. With ``LAZYARR_CONFORMANCE=numpy`` NumPy stands
in CuPy's place.
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

import lazyarr as la
from tests.conformance.cupy.names import put_in


def pytest_configure() -> None:
    of_numpy = os.environ.get("LAZYARR_CONFORMANCE") == "numpy"
    put_in(Path(os.environ["LAZYARR_CUPY"]), np if of_numpy else la)
