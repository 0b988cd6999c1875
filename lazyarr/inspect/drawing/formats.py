"""Graphs as text for other programs: Graphviz, Mermaid, JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from lazyarr.inspect.drawing.graph import Cluster, Graph, Vertex
from lazyarr.inspect.drawing.style import KINDS
from lazyarr.inspect.labels import bytes_text, type_text

if TYPE_CHECKING:
    from lazyarr.schedule.memory import Plan

__all__ = [
    "dot_text",
    "graph_dictionary",
    "json_text",
    "memory_dictionary",
    "memory_mermaid_text",
    "mermaid_text",
]


def _members(graph: Graph) -> Iterable[tuple[Cluster | None, list[Vertex]]]:
    """Yield each cluster with its vertices, and last the vertices outside."""
    inside: dict[str | None, list[Vertex]] = {}
    for vertex in graph.vertices:
        inside.setdefault(vertex.cluster, []).append(vertex)
    for cluster in graph.clusters:
        yield cluster, inside.get(cluster.key, [])
    yield None, inside.get(None, [])


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def dot_text(graph: Graph) -> str:
    """Return the graph in Graphviz's language."""
    lines = [
        f"digraph {graph.stage} {{",
        f"  label={_quoted(graph.caption)}; labelloc=t; fontname=Helvetica;",
        "  node [shape=box, style=filled, fontname=Helvetica, fontsize=11];",
        '  edge [color="#9aa0a8", arrowsize=0.7];',
    ]
    for cluster, vertices in _members(graph):
        pad = "  "
        if cluster is not None:
            lines.append(f"  subgraph cluster_{cluster.key} {{")
            lines.append(f"    label={_quoted(cluster.title + chr(10) + cluster.subtitle)};")
            lines.append('    style="rounded"; color="#b9bec6"; fontsize=11;')
            pad = "    "
        for vertex in vertices:
            colours = KINDS[vertex.kind]
            facts = [
                f"label={_quoted(vertex.title + chr(10) + vertex.subtitle)}",
                f"tooltip={_quoted(vertex.hover)}",
                f'fillcolor="{colours.fill}"',
                f'color="{colours.stroke}"',
            ]
            if vertex.root:
                facts.append("penwidth=3")
            if vertex.derivative:
                facts.append('style="filled,dashed"')
            lines.append(f"{pad}{vertex.key} [{', '.join(facts)}];")
        if cluster is not None:
            lines.append("  }")
    for edge in graph.edges:
        facts = []
        if edge.nbytes:
            facts = [
                f"label={_quoted(bytes_text(edge.nbytes))}",
                f"tooltip={_quoted(edge.reason)}",
                'color="#c8502d"',
            ]
        lines.append(f"  {edge.source} -> {edge.target} [{', '.join(facts)}];")
    lines.append("}")
    return "\n".join(lines) + "\n"


def _mermaid_label(*texts: str) -> str:
    """Return a quoted label; Mermaid reads HTML entities and takes <br/> as a new line."""
    safe = (
        text.replace("&", "&amp;")
        .replace('"', "&quot;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("\n", "<br/>")
        for text in texts
    )
    return f'"{"<br/>".join(safe)}"'


def mermaid_text(graph: Graph) -> str:
    """Return the graph as a Mermaid flowchart."""
    lines = ["flowchart TD"]
    for cluster, vertices in _members(graph):
        pad = "  "
        if cluster is not None:
            title = _mermaid_label(cluster.title, cluster.subtitle)
            lines.append(f"  subgraph {cluster.key} [{title}]")
            pad = "    "
        for vertex in vertices:
            label = _mermaid_label(vertex.title, vertex.subtitle)
            shape = f"([{label}])" if vertex.kind in ("leaf", "parameter") else f"[{label}]"
            lines.append(f"{pad}{vertex.key}{shape}:::{vertex.kind}")
        if cluster is not None:
            lines.append("  end")
    for edge in graph.edges:
        label = f"|{_mermaid_label(bytes_text(edge.nbytes))}|" if edge.nbytes else ""
        lines.append(f"  {edge.source} -->{label} {edge.target}")
    used = {vertex.kind for vertex in graph.vertices}
    for kind, colours in KINDS.items():
        if kind in used:
            style = f"fill:{colours.fill},stroke:{colours.stroke},color:#1c1e21"
            lines.append(f"  classDef {kind} {style}")
    roots = [vertex.key for vertex in graph.vertices if vertex.root]
    lines += [f"  style {key} stroke-width:3px" for key in roots]
    derived = [vertex.key for vertex in graph.vertices if vertex.derivative]
    lines += [f"  style {key} stroke-dasharray:7 3" for key in derived]
    return "\n".join(lines) + "\n"


def memory_mermaid_text(plan: Plan) -> str:
    """Return the buffers as a Mermaid Gantt chart, one second a step."""
    lines = [
        "gantt",
        f"  title planned peak {bytes_text(plan.peak_bytes)}",
        "  dateFormat X",
        "  axisFormat %s",
    ]
    for kind in dict.fromkeys(buffer.kind for buffer in plan.buffers):
        lines.append(f"  section {KINDS[kind].label}")
        lines += [
            f"  {buffer.name} {bytes_text(buffer.nbytes)} :{buffer.first}, {buffer.last + 1}"
            for buffer in plan.buffers
            if buffer.kind == kind
        ]
    return "\n".join(lines) + "\n"


def graph_dictionary(graph: Graph) -> dict[str, Any]:
    """Return the graph as plain lists and dictionaries."""
    return {
        "stage": graph.stage,
        "caption": graph.caption,
        "nodes": graph.node_count,
        "vertices": [
            {
                "key": vertex.key,
                "kind": vertex.kind,
                "title": vertex.title,
                "subtitle": vertex.subtitle,
                "hover": vertex.hover,
                "cluster": vertex.cluster,
                "result": vertex.root,
                "derivative": vertex.derivative,
                "count": vertex.count,
            }
            for vertex in graph.vertices
        ],
        "edges": [
            {
                "source": edge.source,
                "target": edge.target,
                "operands": list(edge.operands),
                "bytes": edge.nbytes,
                "reason": edge.reason,
            }
            for edge in graph.edges
        ],
        "clusters": [
            {
                "key": cluster.key,
                "kind": cluster.kind,
                "title": cluster.title,
                "subtitle": cluster.subtitle,
            }
            for cluster in graph.clusters
        ],
    }


def memory_dictionary(plan: Plan) -> dict[str, Any]:
    """Return the memory plan as plain lists and dictionaries."""
    return {
        "stage": "memory",
        "peak_bytes": plan.peak_bytes,
        "arena_bytes": plan.arena_bytes,
        "scratch_bytes": plan.scratch_bytes,
        "steps": [step.group.name for step in plan.steps],
        "buffers": [
            {
                "name": buffer.name,
                "kind": buffer.kind,
                "bytes": buffer.nbytes,
                "first": buffer.first,
                "last": buffer.last,
                "values": [type_text(value) for value in buffer.values],
            }
            for buffer in plan.buffers
        ],
    }


def json_text(dictionary: dict[str, Any]) -> str:
    """Return a dictionary as JSON."""
    return json.dumps(dictionary, indent=1, ensure_ascii=False) + "\n"
