"""Settings of the documentation: ``sphinx-build -W -b html docs docs/_build``."""

import importlib
import sys
import tomllib
from pathlib import Path

HERE = Path(__file__).parent

project = "lazyarr"
author = "The lazyarr developers"
copyright = author
release = tomllib.loads((HERE.parent / "pyproject.toml").read_text())["project"]["version"]

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
exclude_patterns = ["_build", "_generated"]
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3
html_theme = "furo"
html_title = "lazyarr"

autodoc_member_order = "bysource"
autodoc_typehints = "none"  # the numpydoc sections say it
napoleon_use_rtype = False


def setup(app):
    """Let the compiler write what the pages show of it, while they are built."""
    sys.path.insert(0, str(HERE))
    dumps = importlib.import_module("dumps")
    app.connect("builder-inited", lambda _: dumps.write(HERE / "_generated"))
