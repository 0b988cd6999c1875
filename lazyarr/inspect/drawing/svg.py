"""Graphs as SVG."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from lazyarr.inspect.drawing.graph import Cluster, Edge, Graph, Vertex
from lazyarr.inspect.drawing.layout import HEADER, Box, Layout, Point, lay_out
from lazyarr.inspect.drawing.style import KINDS, STYLE, clipped, text_width
from lazyarr.inspect.labels import bytes_text

__all__ = ["document", "graph_svg", "lay_out_graph", "legend"]

MARGIN = 24.0
_HEIGHT = 42.0
_LONGEST = 44
#: The texts of the legend for passes of derivatives.
_PASSES = {"backward": "backward", "tangent": "tangent", "again": "computed again"}


def lay_out_graph(graph: Graph) -> Layout:
    """Lay out a graph whose vertices are as large as their texts."""
    sizes = {vertex.key: (_vertex_width(vertex), _HEIGHT) for vertex in graph.vertices}
    frames = {cluster.key: _heading_width(cluster) for cluster in graph.clusters}
    return lay_out(graph, sizes, frames)


def _vertex_width(vertex: Vertex) -> float:
    title = text_width(clipped(vertex.title, _LONGEST), 13, bold=True)
    return max(title, text_width(clipped(vertex.subtitle, _LONGEST), 11), 50.0) + 24


def _heading_width(cluster: Cluster) -> float:
    title = text_width(cluster.title, 13, bold=True)
    return max(title, text_width(cluster.subtitle, 11)) + 28


def document(
    body: Sequence[str], width: float, height: float, label: str, standalone: bool = True
) -> str:
    """Return an SVG document.

    Parameters
    ----------
    body : sequence of str
        Its elements.
    width, height : float
        Of the drawing, in pixels.
    label : str
        Its description for readers of the screen.
    standalone : bool
        Whether it has a namespace and the style; a page that it goes into has them already.
    """
    namespace = ' xmlns="http://www.w3.org/2000/svg"' if standalone else ""
    lines = [
        f'<svg{namespace} class="lazyarr" role="img"',
        f'  width="{width:.0f}" height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}"',
        f'  aria-label="{escape(label)}">',
        *([f"<style>\n{STYLE}\n</style>"] if standalone else []),
        f'<rect class="la-ground" width="{width:.0f}" height="{height:.0f}"/>',
        *body,
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def text_at(x: float, y: float, text: str, classes: str, anchor: str = "start") -> str:
    """Return a line of text.

    Parameters
    ----------
    x, y : float
        Its place on the base line, in pixels.
    text : str
        Not escaped yet.
    classes : str
        Classes of the style, blanks between them.
    anchor : {"start", "middle", "end"}
        Which part of the text is at `x`.
    """
    place = "" if anchor == "start" else f' text-anchor="{anchor}"'
    return f'<text class="{classes}" x="{x:.1f}" y="{y:.1f}"{place}>{escape(text)}</text>'


def rectangle(box: Box, classes: str, radius: float = 0.0) -> str:
    """Return a rectangle.

    Parameters
    ----------
    box : Box
        Its place and size, in pixels.
    classes : str
        Classes of the style, blanks between them.
    radius : float
        Of the corners, in pixels.
    """
    return (
        f'<rect class="{classes}" x="{box.x:.1f}" y="{box.y:.1f}" '
        f'width="{box.width:.1f}" height="{box.height:.1f}" rx="{radius:.0f}"/>'
    )


def legend(kinds: Sequence[str], x: float, y: float) -> tuple[list[str], float]:
    """Return a row of colour keys, and the x where it ends.

    Parameters
    ----------
    kinds : sequence of str
        Kinds of vertices, keys of ``KINDS``.
    x, y : float
        Where the row begins, in pixels.
    """
    lines = []
    for kind in kinds:
        label = KINDS[kind].label
        lines.append(rectangle(Box(x, y - 10, 14, 12), f"la-{kind}", 3))
        lines.append(text_at(x + 20, y, label, "la-small la-soft"))
        x += 20 + text_width(label, 11) + 16
    return lines, x


def graph_svg(graph: Graph, standalone: bool = True) -> str:
    """Return the picture of a graph: inputs at the top, results at the bottom.

    Parameters
    ----------
    graph : Graph
        Vertices, edges and clusters.
    standalone : bool
        Whether the SVG has a namespace and a style of its own; within a page it needs neither.
    """
    layout = lay_out_graph(graph)
    seen = {KINDS[vertex.kind].label: vertex.kind for vertex in graph.vertices}
    kinds = [kind for kind in KINDS if kind in seen.values()]
    keys, keys_end = legend(kinds, MARGIN, 0)
    has_memory = any(edge.nbytes for edge in graph.edges)
    top = MARGIN + 34
    body = [
        text_at(MARGIN, MARGIN + 2, graph.caption, "la-title"),
        f'<g transform="translate(0 {MARGIN + 22:.0f})">',
        *keys,
    ]
    if has_memory:
        body.append(f'<path class="la-edge la-memory" d="M{keys_end:.0f} -4h22"/>')
        note = "stored between kernels"
        body.append(text_at(keys_end + 28, 0, note, "la-small la-soft"))
        keys_end += 44 + text_width(note, 11)
    for note in dict.fromkeys(vertex.derivative for vertex in graph.vertices):
        if note:
            body.append(rectangle(Box(keys_end, -10, 14, 12), "la-constant la-derivative", 3))
            body.append(text_at(keys_end + 20, 0, _PASSES[note], "la-small la-soft"))
            keys_end += 36 + text_width(_PASSES[note], 11)
    body += ["</g>", f'<g transform="translate({MARGIN:.0f} {top:.0f})">']
    for cluster in graph.clusters:
        frame = layout.frames[cluster.key]
        body.append(rectangle(frame, f"la-frame la-frame-{cluster.kind}", 8))
    titles = {vertex.key: vertex.title for vertex in graph.vertices}
    for edge, route in zip(graph.edges, layout.routes, strict=True):
        body.append(_edge(edge, route, titles))
    for cluster in graph.clusters:
        body += _heading(cluster, layout.frames[cluster.key])
    for vertex in graph.vertices:
        body.append(_vertex(vertex, layout.boxes[vertex.key]))
    body += _tags(graph, layout)
    body.append("</g>")
    caption = MARGIN + text_width(graph.caption, 13, bold=True)
    width = max(layout.width + 2 * MARGIN, keys_end + MARGIN, caption + MARGIN)
    height = layout.height + top + MARGIN
    return document(body, width, height, f"{graph.stage} graph", standalone)


def _vertex(vertex: Vertex, box: Box) -> str:
    classes = f"la-{vertex.kind}" + (" la-root" if vertex.root else "")
    classes += " la-derivative" if vertex.derivative else ""
    radius = box.height / 2 if vertex.kind in ("leaf", "parameter", "constant") else 6
    middle = box.x + box.width / 2
    hover = vertex.hover + ("\nresult" if vertex.root else "")
    return (
        f'<g class="la-vertex" data-key="{vertex.key}"><title>{escape(hover)}</title>'
        + rectangle(box, classes, radius)
        + text_at(middle, box.y + 18, clipped(vertex.title, _LONGEST), "la-title", "middle")
        + text_at(
            middle, box.y + 33, clipped(vertex.subtitle, _LONGEST), "la-small la-soft", "middle"
        )
        + "</g>"
    )


def _heading(cluster: Cluster, frame: Box) -> list[str]:
    x, y, width, height = frame.x + 0.6, frame.y + 0.6, frame.width - 1.2, HEADER - 7
    heading = f"M{x:.1f} {y + height:.1f}v{8 - height:g}q0 -8 8 -8h{width - 16:.1f}q8 0 8 8"
    heading += f"v{height - 8:g}z"
    return [
        # Opaque, and over the edges: a value passes behind the heading, never through its text.
        f'<g class="la-cluster" data-key="{cluster.key}"><title>{escape(cluster.hover)}</title>',
        f'<path class="la-heading" d="{heading}"/>',
        text_at(x + 12, y + 17, cluster.title, "la-title"),
        text_at(x + 12, y + 32, cluster.subtitle, "la-small la-soft"),
        "</g>",
    ]


def path_text(route: Sequence[Point]) -> str:
    """Return the path data of a route: straight where it is vertical, else S-shaped."""
    (x, y), *rest = route
    parts = [f"M{x:g} {y:g}"]
    for next_x, next_y in rest:
        if next_x == x:
            parts.append(f"V{next_y:g}")
        else:
            middle = round((y + next_y) / 2, 1)
            parts.append(f"C{x:g} {middle:g} {next_x:g} {middle:g} {next_x:g} {next_y:g}")
        x, y = next_x, next_y
    return "".join(parts)


def _edge(edge: Edge, route: Sequence[Point], titles: dict[str, str]) -> str:
    hover = f"{titles[edge.source]} → {titles[edge.target]}"
    if edge.operands:
        listed = " and ".join(str(operand + 1) for operand in edge.operands)
        hover += f"\noperand {listed}"
    if edge.nbytes:
        hover += f"\nthrough memory: {bytes_text(edge.nbytes)}"
    if edge.reason:
        hover += f"\n{edge.reason}"
    memory = bool(edge.nbytes)
    x, y = route[-1]
    # An arrow head of our own: markers do not take the colour of a style sheet everywhere.
    head = f"M{x:g} {y - 1:g}l-4 -8h8z"
    return (
        f'<g class="la-way" data-source="{edge.source}" data-target="{edge.target}">'
        f"<title>{escape(hover)}</title>"
        f'<path class="la-edge{" la-memory" if memory else ""}" d="{path_text(route)}"/>'
        f'<path class="la-arrow{"-memory" if memory else ""}" d="{head}"/></g>'
    )


def _tags(graph: Graph, layout: Layout) -> list[str]:
    """Return one label of bytes for each value that goes through memory, below its frame."""
    clusters = {vertex.key: vertex.cluster for vertex in graph.vertices}
    lines = []
    done: set[str] = set()
    for edge, route in zip(graph.edges, layout.routes, strict=True):
        cluster = clusters[edge.source]
        if not edge.nbytes or edge.source in done:
            continue
        done.add(edge.source)
        frame = layout.boxes[edge.source] if cluster is None else layout.frames[cluster]
        bottom = frame.y + frame.height
        x = next((x for x, y in route if y >= bottom - 0.5), route[0][0])
        text = bytes_text(edge.nbytes)
        width = text_width(text, 11) + 12
        y = bottom if cluster is not None else bottom + 11
        lines.append(rectangle(Box(x - width / 2, y - 9, width, 18), "la-tag", 9))
        lines.append(text_at(x, y + 4, text, "la-small la-alarm", "middle"))
    return lines
