"""Pictures in every format."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from html.parser import HTMLParser

import pytest

import lazyarr.inspect.picture as picture_module
from lazyarr.errors import ArgumentError
from lazyarr.inspect import to_networkx, visualize
from lazyarr.inspect.drawing.graph import fused_graph, node_graph
from lazyarr.inspect.drawing.memory_timeline import live_bytes, memory_svg
from lazyarr.inspect.picture import STAGES, Picture
from tests.support import inspect_programs as make

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(name="layer")
def _layer():
    return make.layer_program()


@pytest.fixture(autouse=True)
def _hand_made(monkeypatch, layer):
    monkeypatch.setattr(picture_module, "analyse", lambda roots: layer)


def _parsed(text):
    return ET.fromstring(text)


@pytest.mark.parametrize("stage", STAGES)
def test_every_stage_is_well_formed_svg(layer, stage):
    root = _parsed(Picture(layer.raw, stage, layer).svg())
    assert root.tag == f"{SVG}svg"
    assert float(root.get("width")) > 100
    assert root.findall(f".//{SVG}title")


def test_every_vertex_edge_and_cluster_is_drawn(layer):
    graph = fused_graph(layer)
    root = _parsed(Picture(layer.raw, "fused", layer).svg())
    keys = [g.get("data-key") for g in root.iter(f"{SVG}g") if g.get("data-key")]
    assert sorted(keys) == sorted([v.key for v in graph.vertices] + [c.key for c in graph.clusters])
    ways = [(g.get("data-source"), g.get("data-target")) for g in root.iter(f"{SVG}g")]
    assert sorted(filter(all, ways)) == sorted((e.source, e.target) for e in graph.edges)


def test_texts_fit_into_their_boxes(layer):
    from lazyarr.inspect.drawing.svg import lay_out_graph

    graph = fused_graph(layer)
    layout = lay_out_graph(graph)
    for vertex in graph.vertices:
        # DejaVu Sans Bold, the widest font of the list, takes about 0.69 em a letter.
        assert layout.boxes[vertex.key].width > len(vertex.title) * 13 * 0.55


def test_the_fused_stage_has_one_cluster_a_step_with_the_users_line(layer):
    graph = fused_graph(layer)
    assert [cluster.title for cluster in graph.clusters] == [
        "exp_0 · map",
        "matmul_1 · library",
        "activate_2 · rows",
    ]
    subtitle = graph.clusters[2].subtitle
    assert "float64 100 × 40" in subtitle
    assert "reads 32.8 kB, writes 32.8 kB" in subtitle
    assert "model.py:13" in subtitle
    members = [v.title for v in graph.vertices if v.cluster == graph.clusters[2].key]
    assert members == ["subtract", "exp", "multiply(·, 2.0)", "sum axis 1"]
    outside = [v.kind for v in graph.vertices if v.cluster is None]
    assert outside == ["leaf"] * 3


def test_edges_through_memory_say_how_much_and_why(layer):
    stored = [edge for edge in fused_graph(layer).edges if edge.nbytes]
    assert [(edge.nbytes, edge.reason) for edge in stored] == [
        (16000, "matmul is a library call"),
        (32000, "matmul is a library call"),
    ]


def test_a_value_computed_twice_is_drawn_in_each_kernel():
    shared = make.apply(make.EXP, make.leaf(10))
    one, two = make.apply(make.ADD, shared, shared), make.total(shared, 0)
    groups = [
        make.Group("k0", "kernel", (shared, one), shared.src, make.outputs(one), (10,)),
        make.Group("k1", "kernel", (shared, two), shared.src, make.outputs(two), (10,)),
    ]
    graph = fused_graph(make.program([one, two], groups))
    assert [v.cluster for v in graph.vertices if v.title == "exp"] == ["c0", "c1"]
    assert not any(edge.nbytes for edge in graph.edges)


def test_parts_of_a_concatenation_are_written_in_place_and_copies_are_shown():
    graph = fused_graph(make.parts_program())
    by_title = {vertex.title: vertex for vertex in reversed(graph.vertices)}
    assert by_title["copy"].cluster == "c1"
    whole = by_title["concatenate axis 0"]
    assert whole.cluster is None
    sources = {edge.source for edge in graph.edges if edge.target == whole.key}
    assert sources == {by_title["exp"].key, by_title["copy"].key}
    assert not any(edge.nbytes for edge in graph.edges if edge.target == whole.key)
    assert any(edge.nbytes for edge in graph.edges if edge.source == whole.key)


def test_constants_are_written_into_their_users():
    result = make.apply(make.MULTIPLY, make.leaf(3), make.constant(2.5))
    graph = node_graph([result], "raw")
    assert [vertex.title for vertex in graph.vertices] == ["input", "multiply(·, 2.5)"]
    assert [v.title for v in node_graph([make.constant(4.0)], "raw").vertices] == ["4.0"]


def test_an_operand_used_twice_is_one_edge_with_both_positions():
    a = make.leaf(3)
    graph = node_graph([make.apply(make.MULTIPLY, a, a)], "raw")
    assert [edge.operands for edge in graph.edges] == [(0, 1)]


class _Checker(HTMLParser):
    """Notes the resources that a page would load, and that its tags are closed."""

    def __init__(self):
        super().__init__()
        self.loads = []
        self.open = []
        self.tabs = []

    def handle_starttag(self, tag, attributes):
        facts = dict(attributes)
        self.loads += [facts[name] for name in ("src", "href") if name in facts]
        if facts.get("type") == "radio":
            self.tabs.append((facts["id"], "checked" in facts))
        if tag not in ("meta", "input"):
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        pass

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_the_page_holds_all_stages_and_loads_nothing(layer):
    page = Picture(layer.raw, "memory", layer).html()
    checker = _Checker()
    checker.feed(page)
    assert checker.loads == []
    assert checker.open == []
    tabs = [*STAGES, "report"]
    assert checker.tabs == [(tab, tab == "memory") for tab in tabs]
    assert not re.search(r"https?:|@import|url\(", page)
    assert page.count("<svg") == 4
    assert "def exp_0(begin, end)" in page


def test_texts_are_escaped():
    awkward = make._op('a<b>&"c"', make.EXP.kind)
    result = make.apply(awkward, make.leaf(3))
    picture = Picture((result,))
    assert "a<b>" not in picture.svg()
    _parsed(picture.svg())
    assert "&lt;b&gt;" in picture.mermaid()
    assert '\\"c\\"' in picture.dot()


def test_dot_names_every_vertex_edge_and_cluster(layer):
    graph = fused_graph(layer)
    text = Picture(layer.raw, "fused", layer).dot()
    assert text.startswith("digraph fused {")
    assert text.count("{") == text.count("}") == 1 + len(graph.clusters)
    assert set(re.findall(r"^ +(n\d+) \[label", text, re.MULTILINE)) == {
        v.key for v in graph.vertices
    }
    arrows = re.findall(r"(n\d+) -> (n\d+)", text)
    assert sorted(arrows) == sorted((e.source, e.target) for e in graph.edges)


def test_mermaid_names_every_vertex_edge_and_cluster(layer):
    graph = fused_graph(layer)
    text = Picture(layer.raw, "fused", layer).mermaid()
    assert text.startswith("flowchart TD\n")
    assert text.count("subgraph") == text.count("\n  end\n") == len(graph.clusters)
    arrows = re.findall(r"(n\d+) -->(?:\|\"[^\"]*\"\|)? (n\d+)", text)
    assert sorted(arrows) == sorted((e.source, e.target) for e in graph.edges)
    assert Picture(layer.raw, "memory", layer).mermaid().startswith("gantt\n")


def test_json_holds_the_graph(layer, tmp_path):
    path = tmp_path / "graph.json"
    picture = visualize(*layer.raw, filename=path, stage="fused")
    loaded = json.loads(path.read_text())
    assert loaded == json.loads(json.dumps(picture.to_dict()))
    assert len(loaded["vertices"]) == 9
    assert {vertex["cluster"] for vertex in loaded["vertices"]} == {None, "c0", "c1", "c2"}
    assert [edge["bytes"] for edge in loaded["edges"] if edge["bytes"]] == [16000, 32000]
    memory = Picture(layer.raw, "memory", layer).to_dict()
    assert [buffer["bytes"] for buffer in memory["buffers"]] == [16000, 32000, 32000, 800]


@pytest.mark.parametrize("suffix", [".html", ".svg", ".dot", ".mmd", ".json"])
def test_the_suffix_names_the_format(layer, tmp_path, suffix):
    path = tmp_path / f"dag{suffix}"
    visualize(*layer.raw, str(path))
    assert path.read_text() == {
        ".html": Picture.html,
        ".svg": Picture.svg,
        ".dot": Picture.dot,
        ".mmd": Picture.mermaid,
        ".json": lambda p: json.dumps(p.to_dict(), indent=1, ensure_ascii=False) + "\n",
    }[suffix](Picture(layer.raw))


def test_png(layer, tmp_path):
    pytest.importorskip("cairosvg", exc_type=ImportError)
    path = tmp_path / "dag.png"
    visualize(*layer.raw, filename=path, stage="memory")
    assert path.read_bytes().startswith(b"\x89PNG")


def test_a_very_tall_png_is_made_smaller():
    cairosvg = pytest.importorskip("cairosvg", exc_type=ImportError)
    assert cairosvg is not None
    result = Picture((make.chain(290),)).png(scale=20.0)
    height = int.from_bytes(result[20:24], "big")
    assert 16_000 < height <= 32_000


def test_png_without_cairosvg_says_what_to_install(layer, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "cairosvg", None)
    with pytest.raises(ArgumentError, match=r"lazyarr\[viz\]"):
        Picture(layer.raw).png()


def test_notebooks_get_a_picture(layer):
    picture = visualize(*layer.raw)
    assert picture._repr_svg_().startswith("<svg")
    assert "<svg" in picture._repr_html_()
    assert repr(picture) == "<Picture of 2 expressions, raw>"


def test_bad_arguments(layer, tmp_path):
    with pytest.raises(ArgumentError, match="stage must be one of"):
        visualize(*layer.raw, stage="cooked")
    with pytest.raises(ArgumentError, match=r"cannot write \.gif"):
        visualize(*layer.raw, filename=tmp_path / "dag.gif")
    with pytest.raises(ArgumentError, match="got ndarray"):
        visualize(__import__("numpy").zeros(3))
    with pytest.raises(ArgumentError, match="got none"):
        visualize()
    with pytest.raises(ArgumentError, match="a chart, not a graph"):
        Picture(layer.raw, "memory", layer).dot()


def test_a_chain_of_100_000_nodes_gives_a_small_page(tmp_path):
    root = make.chain(100_000)
    group = make.Group("k0", "kernel", (root,), (), make.outputs(root), (8,))
    page = Picture((root,), "fused", make.program([root], [group])).html()
    assert len(page) < 60_000
    assert "… 99,998 more …" in page


def test_live_bytes_and_the_peak(layer):
    assert live_bytes(layer.plan) == [16000, 48000, 64800]
    text = memory_svg(layer.plan)
    assert "peak 64.8 kB" in text
    assert "in step 2" in text
    bars = [r for r in _parsed(text).iter(f"{SVG}rect") if r.get("class") == "la-adopted"]
    arena = [r for r in _parsed(text).iter(f"{SVG}rect") if r.get("class") == "la-arena"]
    # The last of each is the bar, after the legend's key: the one starts a step after the other.
    assert float(bars[-1].get("x")) > float(arena[-1].get("x"))


def test_thousands_of_buffers_give_a_small_chart():
    program = make.many_program(1000)
    text = memory_svg(program.plan)
    assert len(text) < 300_000
    assert "smaller buffers" in text
    assert float(_parsed(text).get("width")) < 2000


def test_to_networkx(layer):
    import networkx as nx

    graph = to_networkx(*layer.raw)
    assert nx.is_directed_acyclic_graph(graph)
    assert list(graph) == list(range(10))  # the constant is a node here
    assert all(source < target for source, target in graph.edges())
    facts = next(data for _, data in graph.nodes(data=True) if data["op"] == "matmul")
    assert facts["shape"] == (100, 40)
    assert facts["dtype"] == "float64"
    assert facts["origin"] == ("/home/ada/model.py", 11)
    assert sum(data["result"] for _, data in graph.nodes(data=True)) == 2
    square = make.apply(make.MULTIPLY, make.leaf(3), make.leaf(3))
    assert sorted(d["operand"] for *_, d in to_networkx(square).edges(data=True)) == [0, 1]
