"""``visualize`` and ``to_networkx``: expressions as pictures and graphs."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lazyarr.core.source_location import origin
from lazyarr.errors import ArgumentError
from lazyarr.graph.node import Node, walk
from lazyarr.inspect.drawing.formats import (
    dot_text,
    graph_dictionary,
    json_text,
    memory_dictionary,
    memory_mermaid_text,
    mermaid_text,
)
from lazyarr.inspect.drawing.graph import Graph, fused_graph, node_graph
from lazyarr.inspect.drawing.html import page_text
from lazyarr.inspect.drawing.memory_timeline import memory_svg
from lazyarr.inspect.drawing.svg import graph_svg
from lazyarr.inspect.explaining import explain_program
from lazyarr.inspect.labels import title_text
from lazyarr.inspect.program import analyse, roots_of

if TYPE_CHECKING:
    import networkx as nx

    from lazyarr.compiler.program import Program

__all__ = ["STAGES", "Picture", "to_networkx", "visualize"]

STAGES = ("raw", "simplified", "fused", "memory")
_LONGEST_SIDE = 32_000  # pixels; cairo takes 32,767
_MOST_PIXELS = 40_000_000  # about three seconds of drawing
_SUFFIXES = (".html", ".svg", ".png", ".dot", ".mmd", ".json")


class Picture:
    """A picture of expressions at one stage; notebooks show it.

    Parameters
    ----------
    roots : tuple of Node
        The expressions.
    stage : {"raw", "simplified", "fused", "memory"}
        What to show.
    program : Program, optional
        The compiled expressions; found when it is first needed.
    """

    def __init__(
        self, roots: tuple[Node, ...], stage: str = "raw", program: Program | None = None
    ) -> None:
        if stage not in STAGES:
            raise ArgumentError(f"stage must be one of {STAGES}, got {stage!r}", origin=origin())
        self.roots = roots
        self.stage = stage
        self._program = program

    @property
    def program(self) -> Program:
        """The expressions after every stage of the compiler."""
        if self._program is None:
            self._program = analyse(self.roots)
        return self._program

    def graph(self, stage: str | None = None) -> Graph:
        """Return the graph that is drawn at a stage other than "memory"."""
        match stage or self.stage:
            case "raw":
                return node_graph(self.roots, "raw")
            case "simplified":
                return node_graph(self.program.simplified, "simplified")
            case "fused":
                return fused_graph(self.program)
            case other:
                raise ArgumentError(f"the {other} stage is a chart, not a graph")

    def svg(self) -> str:
        """Return the picture as an SVG document."""
        return self._svg(self.stage, standalone=True)

    def _svg(self, stage: str, standalone: bool) -> str:
        if stage == "memory":
            return memory_svg(self.program.plan, standalone)
        return graph_svg(self.graph(stage), standalone)

    def html(self) -> str:
        """Return one page with all stages in tabs; it loads nothing from anywhere."""
        pictures = [(stage, self._svg(stage, standalone=False)) for stage in STAGES]
        return page_text(pictures, self.stage, explain_program(self.program))

    def dot(self) -> str:
        """Return the graph in Graphviz's language.

        Raises
        ------
        ArgumentError
            For the memory chart.
        """
        return dot_text(self.graph())

    def mermaid(self) -> str:
        """Return the picture in Mermaid's language: a flowchart, or a Gantt chart of memory."""
        if self.stage == "memory":
            return memory_mermaid_text(self.program.plan)
        return mermaid_text(self.graph())

    def to_dict(self) -> dict[str, Any]:
        """Return the drawing as plain lists and dictionaries."""
        if self.stage == "memory":
            return memory_dictionary(self.program.plan)
        return graph_dictionary(self.graph())

    def png(self, scale: float = 2.0) -> bytes:
        """Return the picture as a PNG file, `scale` pixels to one of the SVG's; fewer if need be.

        Raises
        ------
        ArgumentError
            If CairoSVG is not installed.
        """
        try:
            import cairosvg
        except (ImportError, OSError) as error:  # OSError: the cairo library itself is missing
            raise ArgumentError(
                f"a .png needs CairoSVG, which cannot be loaded: {error}",
                origin=origin(),
                hint="pip install 'lazyarr[viz]', or write .svg or .html",
            ) from None
        text = self.svg()
        sides = re.search(r'viewBox="0 0 (\d+) (\d+)"', text)
        if sides is not None:
            width, height = map(int, sides.groups())
            scale = min(scale, _LONGEST_SIDE / max(width, height))
            scale = min(scale, (_MOST_PIXELS / (width * height)) ** 0.5)
        data: bytes = cairosvg.svg2png(bytestring=text.encode(), scale=scale)
        return data

    def save(self, filename: str | os.PathLike[str]) -> None:
        """Write the picture in the format that the suffix names.

        Raises
        ------
        ArgumentError
            If the suffix is not known.
        """
        path = Path(filename)
        match path.suffix.lower():
            case ".html":
                data = self.html().encode()
            case ".svg":
                data = self.svg().encode()
            case ".png":
                data = self.png()
            case ".dot":
                data = self.dot().encode()
            case ".mmd":
                data = self.mermaid().encode()
            case ".json":
                data = json_text(self.to_dict()).encode()
            case suffix:
                raise ArgumentError(
                    f"cannot write {suffix or 'a file without a suffix'}",
                    origin=origin(),
                    hint=f"use one of {', '.join(_SUFFIXES)}",
                )
        path.write_bytes(data)

    def _repr_html_(self) -> str:
        return f'<div style="overflow:auto">{self.svg()}</div>'

    def _repr_svg_(self) -> str:
        return self.svg()

    def __repr__(self) -> str:
        count = len(self.roots)
        return f"<Picture of {count} expression{'s' if count != 1 else ''}, {self.stage}>"


def visualize(
    *expressions: object, filename: str | os.PathLike[str] | None = None, stage: str = "raw"
) -> Picture:
    """Draw expressions.

    Parameters
    ----------
    *expressions : LazyArray
        Drawn as one graph. A file name may follow them: ``visualize(y, "dag.html")``.
    filename : str or path, optional
        Where to write; the suffix names the format: ``.html`` (all stages in tabs, in one file
        that loads nothing), ``.svg``, ``.png`` (needs the extra ``viz``), ``.dot``, ``.mmd``
        (Mermaid) or ``.json``.
    stage : {"raw", "simplified", "fused", "memory"}
        The DAG as written; after simplification; in kernels; or the lifetimes of buffers.

    Returns
    -------
    Picture
        Notebooks show it; it has ``.svg()``, ``.html()``, ``.png()``, ``.save(filename)``.

    Raises
    ------
    ArgumentError
        If anything but lazy arrays is given, or the stage or the suffix is not known.

    Notes
    -----
    Above 300 nodes, chains of elementwise operations are drawn as one box.
    """
    if filename is None and expressions and isinstance(expressions[-1], str | os.PathLike):
        *rest, filename = expressions  # type: ignore[assignment]
        expressions = tuple(rest)
    picture = Picture(roots_of(expressions), stage)
    if filename is not None:
        picture.save(filename)
    return picture


def to_networkx(*expressions: object) -> nx.MultiDiGraph[int]:
    """Return the DAG of expressions, as written, as a networkx graph.

    Parameters
    ----------
    *expressions : LazyArray
        Put into one graph.

    Returns
    -------
    networkx.MultiDiGraph
        Nodes are numbered in topological order, with ``op``, ``kind``, ``dtype``, ``shape``,
        ``nbytes``, ``label``, ``origin`` and ``result``; edges lead from a value to its user and
        have ``operand``, its position there.

    Raises
    ------
    ArgumentError
        If anything but lazy arrays is given.
    """
    import networkx as nx

    roots = roots_of(expressions)
    results = {id(root) for root in roots}
    graph: nx.MultiDiGraph[int] = nx.MultiDiGraph()
    number: dict[int, int] = {}
    for at, node in enumerate(walk(roots)):
        number[id(node)] = at
        graph.add_node(
            at,
            op=node.op.name,
            kind=node.op.kind.value,
            dtype=node.dtype.name,
            shape=node.shape,
            nbytes=node.nbytes,
            label=title_text(node),
            origin=node.origin,
            result=id(node) in results,
        )
        for operand, source in enumerate(node.src):
            graph.add_edge(number[id(source)], at, operand=operand)
    return graph
