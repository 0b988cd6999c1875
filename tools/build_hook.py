"""Hatchling's hook: a wheel has the extension modules, where they can be built."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CustomBuildHook(BuildHookInterface):  # type: ignore[type-arg]
    """Builds the extension modules; without a C compiler the wheel is one of Python alone."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        script = Path(self.root) / "tools" / "build_compiled.py"
        built, message = runpy.run_path(str(script))["build"]()
        if not built:
            self.app.display_warning(message)
            return
        self.app.display_info(message)
        build_data["artifacts"] += [path.relative_to(self.root).as_posix() for path in built]
        build_data["pure_python"] = False
        build_data["infer_tag"] = True
