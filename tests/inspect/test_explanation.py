"""The numbers of ``explain``, worked out by hand."""

from __future__ import annotations

import json

import numpy as np
import pytest

import lazyarr as la
from lazyarr.errors import ArgumentError
from lazyarr.inspect import explain
from lazyarr.inspect.explaining import explain_program
from lazyarr.inspect.labels import bytes_text, count_text, seconds_text
from tests.support import inspect_programs as make


@pytest.fixture(name="report")
def _report():
    return explain_program(make.layer_program())


def test_kernels(report):
    first, second = report.kernels
    assert (first.name, first.bytes_read, first.bytes_written) == ("exp_0", 16000, 16000)
    assert first.flops == 20 * 2000
    assert first.origin == ("/home/ada/model.py", 10)
    # reads the product and the column, writes the matrix and its row sums
    assert second.bytes_read == 32000 + 800
    assert second.bytes_written == 32000 + 800
    assert second.flops == (1 + 20 + 1 + 1) * 4000
    assert [node.op.name for node in second.nodes] == ["subtract", "exp", "multiply", "sum"]
    assert [node.shape for node in second.outputs] == [(100, 40), (100,)]
    assert second.template == "rows"
    assert second.domain == (100, 40)
    assert second.source == "def activate_2(begin, end): ..."


def test_fallbacks(report):
    (step,) = report.fallbacks
    assert (step.name, step.op) == ("matmul_1", "matmul")
    assert (step.bytes_read, step.bytes_written) == (40000 + 16000, 32000)
    assert step.origin == ("/home/ada/model.py", 11)
    assert step.reason == "works on whole arrays"


@pytest.mark.parametrize(
    ("op", "reason"),
    [(make.SPECIAL, "has no kernel code"), (make.EXP, "has no kernel code for float64")],
)
def test_why_an_elementwise_operation_is_a_library_call(op, reason):
    value = make.apply(op, make.leaf(10))
    group = make.Group("k0", "library", (value,), value.src, make.outputs(value), (10,), "library")
    assert explain_program(make.program([value], [group])).fallbacks[0].reason == reason


def test_edges_not_fused_come_largest_first(report):
    assert [(e.source.op.name, e.consumer.op.name, e.bytes) for e in report.not_fused] == [
        ("matmul", "subtract", 32000),
        ("exp", "matmul", 16000),
    ]


def test_totals(report):
    assert report.bytes_moved == 32000 + 88000 + 65600
    # exp, matmul, subtract with a column, exp, multiply by a scalar, sum
    assert report.eager_bytes == 32000 + 88000 + 64800 + 64000 + 64000 + 32800
    assert report.eager.operations == 6
    assert report.eager.temporaries == 4
    assert report.eager_peak_bytes == 64000
    assert report.peak_bytes == 64800
    assert report.fraction == pytest.approx(185600 / 345600)


def test_the_report_answers_why_it_is_slow(report):
    text = str(report)
    assert repr(report) == text
    assert "2 results from 2 kernels and 1 library call" in text
    assert "Largest cost of not fusing: 32.0 kB between matmul and subtract (model.py:12)" in text
    assert "Library calls move 47% of the bytes." in text
    assert max(map(len, text.splitlines())) < 130


def test_tables_are_aligned(report):
    lines = str(report).splitlines()
    start = lines.index("kernels")
    header, first, second = lines[start + 1 : start + 4]
    for name in ("loops", "domain", "built at"):
        at = header.index(name)
        assert first[at - 1] == second[at - 1] == " "
        assert first[at] != " " and second[at] != " "


def test_everything_fused_says_so():
    value = make.apply(make.EXP, make.leaf(10))
    group = make.Group("k0", "kernel", (value,), value.src, make.outputs(value), (10,))
    report = explain_program(make.program([value], [group]))
    assert report.advice == ("Everything is fused: no value goes through memory between steps.",)


def test_to_dict_is_json(report):
    loaded = json.loads(json.dumps(report.to_dict()))
    assert loaded["bytes_moved"] == 185600
    assert loaded["kernels"][0]["origin"] == ["/home/ada/model.py", 10]
    assert loaded["not_fused"][0]["bytes"] == 32000
    assert loaded["fallbacks"][0]["op"] == "matmul"
    assert loaded["eager"]["operations"] == 6


def test_hundreds_of_kernels_print_briefly():
    text = str(explain_program(make.many_program(200)))
    assert len(text.splitlines()) < 150
    assert "… 161 more" in text


def test_only_lazy_arrays_can_be_explained():
    with pytest.raises(ArgumentError, match="expected lazy arrays, got list"):
        explain([1, 2])


@pytest.mark.parametrize(
    ("count", "text"),
    [(0, "0 B"), (999, "999 B"), (1000, "1.00 kB"), (99_950, "100 kB"), (999_999, "1.00 MB")],
)
def test_bytes(count, text):
    assert bytes_text(count) == text


@pytest.mark.parametrize(("count", "text"), [(5, "5"), (1500, "1.50 k"), (2e12, "2.00 T")])
def test_counts(count, text):
    assert count_text(count) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "0 µs"), (4.2e-6, "4.2 µs"), (250e-6, "250 µs"), (0.5, "500 ms"), (2.5, "2.50 s")],
)
def test_seconds(seconds, text):
    assert seconds_text(seconds) == text


@pytest.mark.parametrize("device", ["cpu", "cuda"])
def test_why_a_gather_from_a_constant_is_a_library_call(device):
    import lazyarr as la

    with la.config(device=device):
        report = la.explain(la.full((3,), 2.0)[la.asarray([0, 2])])
    (step,) = report.fallbacks
    assert step.reason.startswith("all that it reads is one constant, which lies in no memory")


def test_every_kernel_names_its_line_whatever_was_rewritten() -> None:
    x = la.asarray(np.random.default_rng(0).random((40, 3)))
    for _ in range(3):
        apart = x[None] - x[:, None]
        x = x + (apart * (apart**2).sum(-1)[..., None]).sum(1)
    layer = np.tanh(la.ones((200, 300)) * 2 @ la.ones((300, 200)) + 0.5)
    kernels = la.explain(x, layer / layer.sum(axis=1, keepdims=True)).kernels
    assert len(kernels) > 5
    assert all(kernel.origin and kernel.origin[0] == __file__ for kernel in kernels)


@pytest.mark.parametrize(
    ("build", "names"),
    [
        (lambda x: np.linalg.svd(x)[0] + 1, ["svd", "svd[0]"]),
        (lambda x: np.linalg.eigh(x)[1] * 2, ["eigh", "eigh[1]"]),
        (lambda x: sum(part.sum() for part in np.linalg.qr(x)), ["qr", "qr[0]", "qr[1]"]),
        (lambda x: np.linalg.slogdet(x)[1] + 1, ["slogdet", "slogdet[1]"]),
        (lambda x: np.add.reduceat(x, [0, 3]) + 1, ["add.reduceat"]),
        (lambda x: np.sort(x) + 1, ["sort"]),
    ],
)
def test_library_calls_have_the_names_that_users_know(build, names) -> None:
    with la.config(immediate=0):
        report = la.explain(build(la.asarray(np.eye(8))))
    assert sorted(call.op for call in report.fallbacks) == names
    text = str(report)
    assert "unpack" not in text.split("library calls")[1].replace("_unpack", "")
