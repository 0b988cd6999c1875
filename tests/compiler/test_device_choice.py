"""Where expressions run under ``device="auto"``, by a calibration that a test has made up."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.compiler.device_choice import Placement, fused
from lazyarr.compiler.parts import split
from lazyarr.compiler.request import Request
from lazyarr.core.config import MIXED, get_config
from lazyarr.graph.node import Kind, walk
from lazyarr.passes.canonicalize import bind, canonicalize
from tests.support.calibrations import calibrated, machine


@pytest.fixture(autouse=True)
def measured(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with calibrated(machine(), monkeypatch):
        yield


def _request(*expressions: Any) -> Request:
    roots = tuple([x._node for x in expressions])
    return Request.unmarked(roots, get_config()).decided(roots)


def _placement(*expressions: Any) -> Placement:
    placement = _request(*expressions).placement
    assert placement is not None
    return placement


def _iterated(x: Any, count: int = 1000) -> Any:
    return la.fori_loop(count, lambda _, s: s * s - 0.25, x)


def _array(*shape: int) -> Any:
    return la.asarray(np.random.default_rng(0).random(shape))


def test_small_expressions_stay_and_heavy_ones_go() -> None:
    assert _request(_array(10) + 1).placement is None
    assert _placement(_array(5000) * 2 + 1).device == "cpu"
    heavy = _placement(_iterated(_array(100_000)))
    assert heavy.device == "cuda" and heavy.seconds == heavy.gpu < heavy.processor
    copies = {copy.to_gpu: copy.nbytes for copy in heavy.copies}
    assert copies == {True: 800_000, False: 800_000} and len(heavy.copies) == 2


def test_without_a_calibration_nothing_is_placed(monkeypatch: pytest.MonkeyPatch) -> None:
    with calibrated(None, monkeypatch):
        request = _request(_iterated(_array(100_000)))
        assert (request.device, request.placement) == ("cpu", None)


@pytest.mark.parametrize("device", ["cpu", "cuda"])
def test_a_named_device_is_taken(device: str) -> None:
    with la.config(device=device):
        request = _request(_iterated(_array(100_000)))
        assert (request.device, request.placement) == (device, None)


def test_a_slow_bus_keeps_what_it_would_carry(monkeypatch: pytest.MonkeyPatch) -> None:
    x = _array(100_000)
    with calibrated(machine(bus=25.0, addition=1e-9), monkeypatch):
        assert _placement(_iterated(x, 10)).device == "cuda"
    with calibrated(machine(bus=0.25, addition=1e-9), monkeypatch):
        assert _placement(_iterated(x, 10)).device == "cpu"
        assert _placement(_iterated(x, 10_000)).device == "cuda"


def test_iterations_count_though_they_are_no_part_of_the_form() -> None:
    x = _array(300)
    devices = [_request(_iterated(x, count)).device for count in (1, 30_000, 1)]
    assert devices == ["cpu", "cuda", "cpu"]


def test_a_loop_that_nobody_can_count_runs_where_its_arrays_are() -> None:
    x = _array(100_000)
    loop = la.while_loop(lambda s: s < 1e6, lambda s: s * 1.001, x)
    assert _request(loop).placement is None


def test_the_crossover_is_where_the_times_cross() -> None:
    sizes = [2**k for k in range(4, 11)]
    placements = {n: _request(_array(n, n) @ _array(n, n)).placement for n in sizes}
    chosen = {n: "cpu" if p is None else p.device for n, p in placements.items()}
    assert chosen[16] == "cpu" and chosen[1024] == "cuda"
    for n, placement in placements.items():
        if placement is not None:
            faster = "cuda" if placement.gpu < placement.processor else "cpu"
            assert chosen[n] == faster
            assert placement.seconds == min(placement.gpu, placement.processor)


def _mixed() -> tuple[Any, Any]:
    a, b, x = _array(40, 40), _array(40), _array(3000, 40)
    solution = la.linalg.solve(a + 40 * la.eye(40), b)
    return _iterated(x * solution), solution


def test_a_small_solve_and_a_large_map_run_on_both() -> None:
    y, _ = _mixed()
    placement = _placement(y)
    assert placement.device == MIXED
    assert placement.seconds < min(placement.processor, placement.gpu)
    on_gpu = {name: group.on_gpu for group in placement.groups for name in [group.name]}
    assert [name.split("_", 1)[1] for name, there in on_gpu.items() if there] == ["fori_loop"]


def test_what_a_gpu_has_no_time_for_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    x = _array(50_000)
    groups = {g.name.split("_", 1)[1]: g for g in _placement(_iterated(la.sort(x))).groups}
    assert groups["sort"].gpu is None and not groups["sort"].on_gpu
    assert groups["fori_loop"].on_gpu


def test_what_does_not_fit_the_gpu_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    from lazyarr.core.frozen import replace

    small = replace(machine(), gpu_bytes=1_000_000)
    with calibrated(small, monkeypatch):
        assert _placement(_iterated(_array(100_000))).device == "cpu"
        assert _placement(_iterated(_array(10_000))).device == "cuda"


def test_a_bound_on_memory_keeps_an_expression() -> None:
    with la.config(max_memory="1GB"):
        assert _request(_iterated(_array(100_000))).placement is None


def test_placements_are_decided_once(monkeypatch: pytest.MonkeyPatch) -> None:
    x = _array(100_000)
    assert _placement(_iterated(x)) is _placement(_iterated(_array(100_000)))


def test_parts_read_what_others_leave() -> None:
    y, solution = _mixed()
    roots = (y._node, solution._node)
    bindings = bind(roots)[1]
    fusion = fused(canonicalize(bindings))
    on_gpu = [group.name.endswith("fori_loop") for group in fusion.groups]
    first, second = split(fusion, on_gpu, len(bindings.leaves))
    assert (first.on_gpu, second.on_gpu) == (False, True)
    assert (first.results, second.results) == ((1,), (0,))
    assert first.left == (3,) and 3 in second.reads and not first.reads & {3}
    kinds = {value.op.kind for value in walk(second.roots)}
    assert Kind.LIBRARY not in kinds


def test_explain_says_where_and_why() -> None:
    y, _ = _mixed()
    report = la.explain(y)
    text = str(report)
    assert "where it runs" in text and "It runs on both devices" in text
    assert "to the GPU" in text and "with the CPU alone" in text
    fields = report.to_dict()["placement"]
    assert fields["device"] == MIXED
    assert [group["on_gpu"] for group in fields["groups"]] == [False, False, True]
    alone = la.explain(_iterated(_array(100_000)))
    assert "It runs on the GPU" in str(alone) and "__global__" in alone.kernels[0].source
    assert "It runs on the CPU" in str(la.explain(_array(5000) * 2 + 1))
    assert la.explain(_array(10) + 1).placement is None
    assert "where it runs" in la.explain(y)._repr_html_()
