"""``python -m benchmarks.random_numbers``: nanoseconds a random number, side by side.

Every library draws anew in each run, into memory of its own choice. NumPy's generators run on one
thread whatever is asked for.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable, Sequence
from importlib import import_module, util
from pathlib import Path
from typing import Any

import numpy as np

Draw = Callable[[], Any]
CASES = (
    "random float64",
    "random float32",
    "normal float64",
    "normal float32",
    "integers",
    "exponential",
    "permutation",
    "share of pairs in a circle",
)


def _draws(rng: Any, n: int) -> list[Draw]:
    """Return the draws of `CASES` from a generator with NumPy's methods."""
    return [
        lambda: rng.random(n),
        lambda: rng.random(n, dtype=np.float32),
        lambda: rng.standard_normal(n),
        lambda: rng.standard_normal(n, dtype=np.float32),
        lambda: rng.integers(0, 1000, n),
        lambda: rng.standard_exponential(n),
        lambda: rng.permutation(n),
        lambda: (rng.random(n) ** 2 + rng.random(n) ** 2 < 1).mean(),
    ]


def _lazyarr(n: int) -> list[Draw]:
    import lazyarr as la

    draws = _draws(la.random.default_rng(0), n)
    return [lambda draw=draw: la.evaluate(draw()) for draw in draws]  # type: ignore[misc]


def _numpy(bits: Callable[[int], np.random.BitGenerator]) -> Callable[[int], list[Draw]]:
    return lambda n: _draws(np.random.Generator(bits(0)), n)


def _jax(n: int) -> list[Draw]:
    jax: Any = import_module("jax")
    jax.config.update("jax_enable_x64", True)
    random, single, double = jax.random, jax.numpy.float32, jax.numpy.float64

    def share(key: Any) -> Any:
        one, other = random.split(key)
        return (random.uniform(one, n) ** 2 + random.uniform(other, n) ** 2 < 1).mean()

    functions = [
        lambda key: random.uniform(key, n, double),
        lambda key: random.uniform(key, n, single),
        lambda key: random.normal(key, n, double),
        lambda key: random.normal(key, n, single),
        lambda key: random.randint(key, n, 0, 1000, jax.numpy.int64),
        lambda key: random.exponential(key, n, double),
        lambda key: random.permutation(key, n),
        share,
    ]
    compiled = [jax.jit(function) for function in functions]
    keys = iter(range(1 << 30))

    def run(function: Any) -> Draw:
        return lambda: function(random.key(next(keys))).block_until_ready()

    return [run(function) for function in compiled]


def _torch(n: int) -> list[Draw]:
    torch: Any = import_module("torch")
    torch.set_num_threads(int(os.environ["OMP_NUM_THREADS"]))
    double, single = torch.float64, torch.float32

    def share() -> Any:
        x, y = torch.rand(n, dtype=double), torch.rand(n, dtype=double)
        return (x**2 + y**2 < 1).to(double).mean()

    return [
        lambda: torch.rand(n, dtype=double),
        lambda: torch.rand(n, dtype=single),
        lambda: torch.randn(n, dtype=double),
        lambda: torch.randn(n, dtype=single),
        lambda: torch.randint(0, 1000, (n,)),
        lambda: torch.empty(n, dtype=double).exponential_(),
        lambda: torch.randperm(n),
        share,
    ]


PEERS: dict[str, Callable[[int], list[Draw]]] = {
    "lazyarr": _lazyarr,
    "numpy PCG64": _numpy(np.random.PCG64),
    "numpy Philox": _numpy(np.random.Philox),
    "jax": _jax,
    "torch": _torch,
}


def measure(size: int, repeats: int, peers: Sequence[str]) -> dict[str, list[float]]:
    """Return for each peer the least nanoseconds a number of each case, all taken in turn."""
    draws = {peer: PEERS[peer](size) for peer in peers}
    results = {peer: [float("inf")] * len(CASES) for peer in peers}
    for case in range(len(CASES)):
        for peer in peers:
            draws[peer][case]()
        for _ in range(repeats):
            for peer in peers:
                begun = time.perf_counter()
                draws[peer][case]()
                seconds = time.perf_counter() - begun
                results[peer][case] = min(results[peer][case], seconds / size * 1e9)
    return results


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print, as Markdown."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.random_numbers")
    parser.add_argument("--size", type=float, default=1e7, help="numbers (default: 1e7)")
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--peers", nargs="+", choices=list(PEERS), default=list(PEERS))
    parser.add_argument("--output", type=Path, help="a file for the table")
    options = parser.parse_args(arguments)
    for name in ("LAZYARR_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ[name] = str(options.threads)
    from lazyarr import set_config

    set_config(threads=options.threads)
    peers = [name for name in options.peers if util.find_spec(name.split()[0])]
    result = measure(int(options.size), options.repeats, peers)
    title = f"Nanoseconds a number of {int(options.size):,}; {options.threads} threads, NumPy one"
    lines = [
        f"{title}; least of {options.repeats} runs.",
        "",
        f"| | {' | '.join(peers)} |",
        f"|---|{'---:|' * len(peers)}",
        *(
            f"| {name} | {' | '.join(f'{result[peer][case]:.2f}' for peer in peers)} |"
            for case, name in enumerate(CASES)
        ),
    ]
    text = "\n".join(lines) + "\n"
    print(text)
    if options.output:
        options.output.write_text(text)


if __name__ == "__main__":
    main()
