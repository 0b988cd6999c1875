"""Inspection of the plans that the compiler really makes."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

import lazyarr as la
from lazyarr.inspect.drawing.graph import fused_graph
from lazyarr.inspect.labels import operation_text
from lazyarr.inspect.program import analyse


def _line():
    frame = inspect.currentframe()
    assert frame is not None and frame.f_back is not None
    return frame.f_back.f_lineno


@pytest.fixture(name="x")
def _x():
    return la.asarray(np.linspace(0.0, 1.0, 100_000))


def test_a_fused_expression_moves_its_input_and_its_output(x):
    y = 2 * x + 3.7 * np.sin(x) * x
    report = la.explain(y)
    (kernel,) = report.kernels
    assert (kernel.bytes_read, kernel.bytes_written) == (800_000, 800_000)
    assert report.bytes_moved == 1_600_000
    assert report.peak_bytes == 800_000
    assert report.not_fused == report.fallbacks == ()
    # 2*x, sin, 3.7*, *x, +: two scalar products, a sine, and two operations of two operands
    assert report.eager_bytes == 3 * 1_600_000 + 2 * 2_400_000
    assert kernel.source


def test_the_users_own_nodes_numbers_and_lines_are_shown(x):
    for _ in range(2):  # the second time the compiler works on placeholders it has seen
        y = np.exp(x * 3.7) + 0.25
        line = _line() - 1
        report = la.explain(y)
        assert report.kernels[0].outputs[0] is y._node
        assert report.kernels[0].origin == (__file__, line)
    z = np.exp(x * 4.5) + 0.75  # the same structure on another line
    graph = fused_graph(analyse((z._node,)))
    titles = {vertex.title for vertex in graph.vertices}
    assert titles == {"input", "multiply(·, 4.5)", "exp", "add(·, 0.75)"}
    assert la.explain(z).kernels[0].origin == (__file__, _line() - 4)
    assert not any(vertex.kind == "parameter" for vertex in graph.vertices)


def test_a_rewritten_result_keeps_its_line(x):
    y = x**2
    line = _line() - 1
    assert la.explain(y).kernels[0].origin == (__file__, line)


def test_library_calls_are_listed(x):
    y = np.sort(np.exp(x)) * 2
    report = la.explain(y)
    assert [step.op for step in report.fallbacks] == ["sort"]
    assert len(report.kernels) == 2
    assert [operation_text(edge.source) for edge in report.not_fused] == ["exp", "sort"]
    assert "Largest cost of not fusing" in str(report)


def test_a_profile_measures_the_planned_peak(x):
    with la.profile() as timings:
        la.evaluate(np.cos(x).cumsum() + x.mean())
    (run,) = timings.runs
    assert run.measured_peak == run.planned_peak > 0
    assert all(step.seconds > 0 for step in run.steps)
    assert "peak memory" in str(timings)


def test_every_format_of_a_real_expression(x, tmp_path):
    y = (x - x.mean()) / x.std()
    for suffix in (".html", ".svg", ".dot", ".mmd", ".json"):
        path = tmp_path / f"dag{suffix}"
        la.visualize(y, path)
        assert path.stat().st_size > 300
    assert "built at" in (tmp_path / "dag.svg").read_text()
    for stage in ("simplified", "fused", "memory"):
        assert "<svg" in la.visualize(y, stage=stage)._repr_html_()


def test_inspection_changes_nothing(x):
    y = np.exp(x * 1.5)

    def counters() -> object:
        # The cache folder is shared with the tests that run beside this one.
        info = la.cache.info()
        return info.kernels, info.plans

    before = counters()
    la.explain(y)
    la.visualize(y, stage="fused").svg()
    assert counters() == before
    np.testing.assert_allclose(la.evaluate(y), np.exp(np.linspace(0.0, 1.0, 100_000) * 1.5))


def test_a_profile_and_an_explanation_count_the_same_bytes():
    grid = la.asarray(np.zeros((100, 100)))
    y = np.concatenate([np.exp(grid[:10, :10]), grid[:1, :10]])
    with la.profile() as timings:
        la.evaluate(y)
    moved = [(step.bytes_read, step.bytes_written) for step in timings.runs[0].steps]
    assert moved == [(800, 800), (80, 80)]
    assert moved == [(kernel.bytes_read, kernel.bytes_written) for kernel in la.explain(y).kernels]


def test_equal_parts_of_a_concatenation_are_each_written(x):
    padded = np.pad(np.exp(x), 2)
    graph = fused_graph(analyse((padded._node,)))
    whole = next(vertex for vertex in graph.vertices if vertex.kind == "concatenate")
    sources = {edge.source for edge in graph.edges if edge.target == whole.key}
    clusters = {vertex.cluster for vertex in graph.vertices if vertex.key in sources}
    assert clusters == {cluster.key for cluster in graph.clusters}
