"""The layers of the package, as the import contract in pyproject.toml states them.

The table and the picture of ``docs/architecture.md`` are made from it, so neither can go stale.
"""

import ast
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]


def layers() -> list[list[str]]:
    """Return the packages of each layer, the highest layer first."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    for contract in settings["tool"]["importlinter"]["contracts"]:
        if contract.get("exhaustive") and contract["containers"] == ["lazyarr"]:
            return [[name.strip() for name in layer.split("|")] for layer in contract["layers"]]
    raise LookupError("pyproject.toml: no contract of layers that covers lazyarr exhaustively")


def summary(package: str) -> str:
    """Return the first line of the docstring of a package or module of lazyarr."""
    folder = ROOT / "lazyarr" / package
    path = folder / "__init__.py" if folder.is_dir() else folder.with_suffix(".py")
    text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    return text.partition("\n")[0].rstrip(".")


def table() -> str:
    """Return the table of layers in Markdown."""
    rows = ["| Layer | Package | What it is |", "|---|---|---|"]
    floors = layers()
    for number, floor in enumerate(floors):
        for package in floor:
            text = summary(package).replace("|", "\\|")
            rows.append(f"| {len(floors) - 1 - number} | `{package}` | {text} |")
    return "\n".join(rows) + "\n"


_WIDTH, _HEIGHT, _GAP = 760, 30, 8


def picture() -> str:
    """Return the layers as an SVG picture: each box may import those below it."""
    floors = layers()
    height = len(floors) * (_HEIGHT + _GAP) + _GAP
    font = 'font-family="monospace" font-size="13"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" {font}>',
        f'<rect width="{_WIDTH}" height="{height}" fill="#ffffff"/>',
    ]
    for number, floor in enumerate(floors):
        y = _GAP + number * (_HEIGHT + _GAP)
        width = (_WIDTH - _GAP * (len(floor) + 1)) / len(floor)
        for place, package in enumerate(floor):
            x = _GAP + place * (width + _GAP)
            parts.append(
                f'<rect x="{x:g}" y="{y}" width="{width:g}" height="{_HEIGHT}" rx="4" '
                'fill="#e8eef7" stroke="#5b7aa8"/>'
                f'<text x="{x + width / 2:g}" y="{y + 20}" text-anchor="middle">{package}</text>'
            )
    return "\n".join([*parts, "</svg>", ""])
