"""Style of drawings: colours, font sizes and text widths."""

from __future__ import annotations

from lazyarr.core.frozen import dataclass

__all__ = ["KINDS", "STYLE", "Colours", "clipped", "text_width"]

SANS = "system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif"


@dataclass(frozen=True, slots=True)
class Colours:
    """One kind of vertex or bar: its name in the legend, and fill and stroke by day and night."""

    label: str
    fill: str
    stroke: str
    dark_fill: str
    dark_stroke: str


# Hues after Okabe and Ito (2008), which stay apart for every kind of colour vision.
KINDS = {
    "leaf": Colours("input", "#dcebf8", "#3a7fb8", "#17324a", "#62a8df"),
    "parameter": Colours("parameter", "#dcebf8", "#3a7fb8", "#17324a", "#62a8df"),
    "constant": Colours("constant", "#eeeeee", "#8a8a8a", "#303236", "#9a9da3"),
    "generate": Colours("generated", "#d9f2ef", "#1f8f83", "#123a37", "#4fc4b7"),
    "elementwise": Colours("elementwise", "#e2f3e4", "#2f8f5b", "#173a27", "#57c088"),
    "reduce": Colours("reduction", "#fdeacb", "#cf8500", "#47320d", "#f0b04a"),
    "scan": Colours("scan", "#fbe3d0", "#b5651d", "#432a12", "#e09a55"),
    "gather": Colours("gather", "#f0e6f6", "#8d5aa8", "#36254a", "#bd8fd8"),
    "view": Colours("view", "#f0e6f6", "#8d5aa8", "#36254a", "#bd8fd8"),
    "reshape": Colours("reshape", "#f0e6f6", "#8d5aa8", "#36254a", "#bd8fd8"),
    "concatenate": Colours("concatenate", "#f6e3ee", "#b34f86", "#45203a", "#de86b6"),
    "write": Colours("write in place", "#f6e3ee", "#b34f86", "#45203a", "#de86b6"),
    "marker": Colours("marker for derivatives", "#eeeeee", "#8a8a8a", "#303236", "#9a9da3"),
    "library": Colours("library call", "#fbe0d8", "#c8502d", "#4a2015", "#f08a6b"),
    "collapsed": Colours("collapsed", "#f4f4f2", "#77777a", "#27292d", "#a6a8ad"),
    "arena": Colours("intermediate", "#e2f3e4", "#2f8f5b", "#173a27", "#57c088"),
    "output": Colours("result", "#fdeacb", "#cf8500", "#47320d", "#f0b04a"),
    "adopted": Colours("made by a library call", "#fbe0d8", "#c8502d", "#4a2015", "#f08a6b"),
    "scratch": Colours("scratch", "#eeeeee", "#8a8a8a", "#303236", "#9a9da3"),
}


def _rules() -> str:
    light = [
        f"svg.lazyarr text{{font-family:{SANS};fill:#1c1e21}}",
        ".la-ground{fill:#ffffff}",
        "svg.lazyarr .la-soft{fill:#5d6167}",
        ".la-title{font-size:13px;font-weight:600}",
        ".la-small{font-size:11px}",
        ".la-edge{fill:none;stroke:#9aa0a8;stroke-width:1.3}",
        ".la-memory{stroke:#c8502d;stroke-width:2.2}",
        ".la-arrow{fill:#9aa0a8}",
        ".la-arrow-memory{fill:#c8502d}",
        ".la-frame{fill:#f7f8fa;stroke:#b9bec6;stroke-width:1.2}",
        ".la-heading{fill:#e9ecf1}",
        ".la-frame-library,.la-frame-copy{stroke:#c8502d;stroke-dasharray:5 3}",
        ".la-tag{fill:#ffffff;stroke:#c8502d;stroke-width:1}",
        ".la-grid{stroke:#e3e5e9;stroke-width:1}",
        ".la-axis{stroke:#9aa0a8;stroke-width:1}",
        ".la-live{fill:#3a7fb8;fill-opacity:.22;stroke:#3a7fb8;stroke-width:1.6}",
        ".la-peak{stroke:#c8502d;stroke-width:1.6;stroke-dasharray:5 3}",
        "svg.lazyarr .la-alarm{fill:#b23c1a;font-weight:600}",
        ".la-root{stroke-width:3}",
        ".la-collapsed{stroke-dasharray:4 3}",
        ".la-derivative{stroke-dasharray:7 3}",
    ]
    dark = [
        "svg.lazyarr text{fill:#e8eaed}",
        ".la-ground{fill:#16181c}",
        "svg.lazyarr .la-soft{fill:#a4a9b1}",
        ".la-edge{stroke:#6d737c}",
        ".la-memory{stroke:#f08a6b}",
        ".la-arrow{fill:#6d737c}",
        ".la-arrow-memory{fill:#f08a6b}",
        ".la-frame{fill:#1c1f24;stroke:#4a4f58}",
        ".la-heading{fill:#282c33}",
        ".la-frame-library,.la-frame-copy{stroke:#f08a6b}",
        ".la-tag{fill:#16181c;stroke:#f08a6b}",
        ".la-grid{stroke:#2b2f36}",
        ".la-axis{stroke:#6d737c}",
        ".la-live{fill:#62a8df;stroke:#62a8df}",
        ".la-peak{stroke:#f08a6b}",
        "svg.lazyarr .la-alarm{fill:#f08a6b}",
    ]
    for kind, colours in KINDS.items():
        light.append(f".la-{kind}{{fill:{colours.fill};stroke:{colours.stroke}}}")
        dark.append(f".la-{kind}{{fill:{colours.dark_fill};stroke:{colours.dark_stroke}}}")
    rules = "\n".join(light)
    return f"{rules}\n@media (prefers-color-scheme: dark){{\n" + "\n".join(dark) + "\n}"


STYLE = _rules()

_NARROW = frozenset("iIjl.,:;'|!()[] ft")
_WIDE = frozenset("mwMW@—…%")


def text_width(text: str, size: float, bold: bool = False) -> float:
    """Return a bound of the width of a text, in pixels, so that nothing is cut off.

    Parameters
    ----------
    text : str
        One line.
    size : float
        Of the letters, in pixels.
    bold : bool
        Whether it is set bold.
    """
    units = 0.0
    for letter in text:
        if letter in _NARROW:
            units += 0.41
        elif letter in _WIDE:
            units += 0.98
        elif letter.isupper():
            units += 0.73
        else:
            units += 0.64
    return units * size * (1.09 if bold else 1.0)


def clipped(text: str, length: int) -> str:
    """Return a text shortened in the middle.

    Parameters
    ----------
    text : str
        Any text.
    length : int
        The most characters that are left.
    """
    if len(text) <= length:
        return text
    head = (length - 1) * 2 // 3
    return f"{text[:head]}…{text[len(text) - (length - 1 - head) :]}"
