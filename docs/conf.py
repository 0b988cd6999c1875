"""Settings of the documentation: ``sphinx-build -W -b html docs docs/_build``."""

import importlib.metadata
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import dumps

project = "lazyarr"
author = "The lazyarr developers"
copyright = author
release = importlib.metadata.version("lazyarr")

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
exclude_patterns = ["_build", "_generated"]
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3
html_theme = "furo"
html_title = "lazyarr"

autodoc_member_order = "bysource"
autodoc_typehints = "none"  # the numpydoc sections say it
napoleon_use_rtype = False

# What the pages show of a compiled expression is made by the compiler while they are built.
dumps.write(Path(__file__).parent / "_generated")
