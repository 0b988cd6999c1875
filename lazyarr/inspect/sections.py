"""Reports as sections with tables, printed as text and as HTML for notebooks and pages."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from lazyarr.core.frozen import dataclass
from lazyarr.inspect.labels import table

__all__ = ["Section", "html_of", "lines_of"]

_CELL = "padding:2px 10px 2px 0;text-align:{};white-space:pre-wrap;vertical-align:top"


@dataclass(frozen=True, slots=True)
class Section:
    """One part of a report: a title, and a table or paragraphs below it.

    Attributes
    ----------
    title : str
        Empty for a part that goes on with the one before.
    header : tuple of str
        Names of the columns; empty for paragraphs.
    rows : sequence of tuple of str
        One text a column; of paragraphs one text each.
    right : str
        One letter a column: "r" aligns it to the right.
    """

    title: str
    header: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    right: str = ""


def lines_of(sections: Sequence[Section]) -> list[str]:
    """Return the lines of a report as text, a blank one between sections."""
    lines: list[str] = []
    for section in sections:
        lines += [""] if lines else []
        lines += [section.title] if section.title else []
        if section.header:
            lines += table(section.header, section.rows, section.right)
        else:
            lines += [text for (text,) in section.rows]
    return lines


def html_of(sections: Sequence[Section]) -> str:
    """Return a report as HTML; all its texts are escaped."""
    parts = ["<div>"]
    for section in sections:
        if section.title:
            parts.append(f"<h4>{escape(section.title)}</h4>")
        if section.header:
            parts.append(_table(section))
        else:
            parts += [f"<p>{escape(text)}</p>" for (text,) in section.rows]
    return "\n".join([*parts, "</div>"]) + "\n"


def _table(section: Section) -> str:
    lines = ["<table>"]
    for number, row in enumerate((section.header, *section.rows)):
        tag = "td" if number else "th"
        cells = []
        for at, text in enumerate(row):
            style = _CELL.format("right" if section.right[at : at + 1] == "r" else "left")
            cells.append(f'<{tag} style="{style}">{escape(text)}</{tag}>')
        lines.append(f"<tr>{''.join(cells)}</tr>")
    return "\n".join([*lines, "</table>"])
