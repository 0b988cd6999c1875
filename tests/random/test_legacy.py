"""The older names of numpy.random: NumPy's numbers where there is a seed."""

from __future__ import annotations

import pickle
import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import lazyarr as la

#: Each distribution with parameters.
DRAWS: dict[str, tuple[Any, ...]] = {
    "beta": (2.0, 3.0),
    "binomial": (20, 0.3),
    "bytes": (7,),
    "chisquare": (3.5,),
    "choice": (10, 4, False, np.full(10, 0.1)),
    "dirichlet": ([1.0, 2.0], 3),
    "exponential": (2.0,),
    "f": (5.0, 9.0),
    "gamma": ([2.5, 1.0], 3.0),
    "geometric": (0.4,),
    "gumbel": (1.0, 2.0),
    "hypergeometric": (10, 15, 8),
    "laplace": (1.0, 2.0),
    "logistic": (1.0, 2.0),
    "lognormal": (1.0, 0.5),
    "logseries": (0.5,),
    "multinomial": (20, [0.2, 0.8], 3),
    "multivariate_normal": ([0.0, 1.0], [[2.0, 0.5], [0.5, 1.0]], 3),
    "negative_binomial": (4, 0.5),
    "noncentral_chisquare": (3.0, 2.0),
    "noncentral_f": (3.0, 9.0, 2.0),
    "normal": ([0.0, 10.0], 1.0, (3, 2)),
    "pareto": (3.0,),
    "permutation": (10,),
    "poisson": (3.5, 4),
    "power": (3.0,),
    "rand": (2, 3),
    "randint": (0, 100, 5),
    "randn": (2, 3),
    "random": (3,),
    "random_sample": (3,),
    "rayleigh": (2.0,),
    "standard_cauchy": (3,),
    "standard_exponential": (3,),
    "standard_gamma": (2.5,),
    "standard_normal": (3,),
    "standard_t": (4.0,),
    "triangular": (0.0, 0.3, 1.0),
    "uniform": (-1.0, 4.0, 3),
    "vonmises": (0.5, 2.0),
    "wald": (2.0, 3.0),
    "weibull": (2.0,),
    "zipf": (4.0,),
}


@pytest.fixture(autouse=True)
def _state_of_the_process() -> Iterator[None]:
    state = np.random.get_state()
    yield
    np.random.set_state(state)
    la.random.set_bit_generator(np.random.MT19937())


def test_every_distribution_has_numpys_numbers() -> None:
    others = {"get_state", "seed", "set_state", "shuffle", "tomaxint", "random_integers"}
    assert DRAWS.keys() == {x for x in dir(np.random.RandomState) if x[0] != "_"} - others
    for own, numpys in (
        (la.random, np.random),
        (la.random.RandomState(5), np.random.RandomState(5)),
        (
            la.random.RandomState(np.random.PCG64(3)),
            np.random.RandomState(np.random.PCG64(3)),
        ),
    ):
        if own is la.random:
            la.random.seed([7, 8])
            np.random.seed([7, 8])
        for name, parameters in DRAWS.items():
            for _ in range(2):
                expected = getattr(numpys, name)(*parameters)
                drawn = getattr(own, name)(*parameters)
                assert name == "bytes" or type(drawn) is la.LazyArray
                np.testing.assert_array_equal(drawn, expected, strict=name != "bytes")


def test_lazy_parameters_and_outputs() -> None:
    mean = np.linspace(0, 50, 5000).reshape(2, 2500)
    rng = la.random.RandomState(4)
    drawn = rng.normal(la.asarray(mean) + 1, 2.0)
    np.testing.assert_array_equal(drawn, np.random.RandomState(4).normal(mean + 1, 2.0))
    x = la.arange(6000)
    part = x[:10]
    rng.shuffle(part)
    expected = np.random.RandomState(4)
    expected.normal(mean, 2.0)
    shuffled = np.arange(10)
    expected.shuffle(shuffled)
    np.testing.assert_array_equal(x[:12], [*shuffled, 10, 11])
    ours = la.random.Generator(np.random.PCG64(2))
    numpys = np.random.default_rng(2)
    out = la.zeros(4)
    assert ours.random(out=out) is out
    np.testing.assert_array_equal(out, numpys.random(4))
    array = np.zeros(4)
    assert ours.standard_normal(out=array) is array
    np.testing.assert_array_equal(array, numpys.standard_normal(4))


@pytest.mark.parametrize(
    "bits", [np.random.MT19937, np.random.PCG64, np.random.Philox, np.random.SFC64]
)
def test_generators_of_numpys_bits_have_numpys_numbers(bits: Callable[[int], Any]) -> None:
    ours, numpys = la.random.Generator(bits(9)), np.random.Generator(bits(9))
    assert str(ours) == str(numpys)
    assert isinstance(ours, la.random.Generator)
    assert type(ours.bit_generator) is bits
    for call in (
        lambda rng: rng.integers(0, 2**40, (3, 2)),
        lambda rng: rng.permuted(np.arange(9)),
        lambda rng: rng.choice(5, 3, replace=False),
        lambda rng: rng.multivariate_hypergeometric([3, 4], 5),
        lambda rng: rng.spawn(2)[1].normal(size=3),
    ):
        np.testing.assert_array_equal(call(ours), call(numpys))
    again = pickle.loads(pickle.dumps(ours))
    np.testing.assert_array_equal(again.random(3), ours.random(3))
    assert la.random.default_rng(ours) is ours
    numpys.random(3)
    np.testing.assert_array_equal(la.random.default_rng(numpys).random(2), ours.random(2))


def test_states_are_numpys() -> None:
    unseeded = la.random.RandomState()
    state = unseeded.get_state()
    assert state[0] == "MT19937"
    drawn = unseeded.randn(3)
    numpys = np.random.RandomState()
    numpys.set_state(state)
    np.testing.assert_array_equal(numpys.randn(3), drawn)
    unseeded.set_state(state)
    np.testing.assert_array_equal(unseeded.randn(3), drawn)
    np.testing.assert_array_equal(
        pickle.loads(pickle.dumps(unseeded)).gamma(2.0, size=3), unseeded.gamma(2.0, size=3)
    )
    with pytest.raises(ValueError, match="MT19937"):
        unseeded.set_state(("Unknown", *state[1:]))
    la.random.set_state(state)
    np.testing.assert_array_equal(la.random.randn(3), drawn)
    bits = np.random.PCG64(1)
    la.random.set_bit_generator(bits)
    assert la.random.get_bit_generator() is bits
    la.random.seed(6)
    np.testing.assert_array_equal(
        la.random.rand(3), np.random.RandomState(np.random.PCG64(6)).rand(3)
    )


@pytest.mark.parametrize("kind", ["module", "state", "generator"])
def test_jitted_functions_draw_anew_and_repeat_with_the_state(kind: str) -> None:
    source: Any = {
        "module": la.random,
        "state": la.random.RandomState(3),
        "generator": la.random.Generator(np.random.MT19937(3)),
    }[kind]
    la.random.seed(3)

    @la.jit
    def noisy(x: Any) -> Any:
        return x + source.standard_normal(5)

    def state() -> Any:
        return source.bit_generator.state if kind == "generator" else source.get_state()

    start = state()
    first, second = noisy(np.zeros(5)), noisy(np.zeros(5))
    assert (first != second).all()
    if kind == "generator":
        source.bit_generator.state = start
    else:
        source.set_state(start)
    np.testing.assert_array_equal(noisy(np.zeros(5)), first)


def test_methods_of_numpys_draws_are_attributes_of_classes() -> None:
    class User:
        draw = la.random.RandomState(5).normal

    assert User.draw.__name__ == "normal"
    np.testing.assert_array_equal(User().draw(size=2), np.random.RandomState(5).normal(size=2))


def test_a_generator_of_numpys_is_an_argument_of_a_jitted_function() -> None:
    rng = la.random.Generator(np.random.PCG64(3))
    noisy = la.jit(lambda x, rng: x + rng.random(5))
    assert (noisy(np.zeros(5), rng) != noisy(np.zeros(5), rng)).all()


def test_without_a_seed_draws_stay_expressions() -> None:
    drawn = la.random.RandomState().rand(100_000)
    assert drawn._node.src
    la.random.set_state(la.random.get_state())
    threads = [threading.Thread(target=la.random.rand, args=(10,)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


@pytest.mark.parametrize("seed", [-1, 2**32, [], [[1, 2], [3, 4]], [-1], [1, 2**33]])
def test_seeds_that_numpys_older_interface_refuses(seed: Any) -> None:
    for module in (np, la):
        with pytest.raises(ValueError, match=r"[Ss]eed"):
            module.random.RandomState(seed)


@pytest.mark.parametrize(
    ("call", "error", "match"),
    [
        (lambda r: r.choice([[1, 2], [3, 4]], 3), ValueError, "must be 1-dimensional"),
        (lambda r: r.multinomial(10, [[0, 1]]), ValueError, "1|axis"),
        (lambda r: r.logseries(r.mtype([1.5, 0.5])), ValueError, "p"),
        (lambda r: r.dirichlet(r.mtype([0.5, -1e-16])), ValueError, "alpha"),
        (lambda r: r.multinomial(1, r.mtype([1.2, 0.1])), ValueError, "pvals"),
        (lambda r: r.uniform(-1e308, 1e308), OverflowError, "Range exceeds"),
        (lambda r: r.no_such_name, AttributeError, "no_such_name"),
    ],
)
def test_refusals(call: Callable[[Any], Any], error: type[Exception], match: str) -> None:
    class Drawer:
        def __init__(self, module: Any) -> None:
            self.mtype = module.array
            self.state = module.random.RandomState()

        def __getattr__(self, name: str) -> Any:
            return getattr(self.state, name)

    for module in (np, la):
        with pytest.raises(error, match=match):
            call(Drawer(module))


def test_arrays_that_lazyarr_has_not_are_shuffled_in_place() -> None:
    for array in (
        np.ma.masked_equal(np.arange(10), 3),
        np.array([None, "a", 3], dtype=object),
        np.array([(1, 2.0), (3, 4.0)], dtype="i4,f8"),
        np.arange(12).reshape(4, 3).view(np.recarray),
    ):
        before = array.tolist()
        la.random.RandomState().shuffle(array)
        assert sorted(map(str, array.tolist())) == sorted(map(str, before))


def test_random_integers_is_deprecated() -> None:
    for module in (np, la):
        for rng in (module.random.RandomState(), module.random.RandomState(3)):
            with pytest.warns(DeprecationWarning, match=r"randint\(1, 3 \+ 1\)"):
                assert int(rng.random_integers(3, size=100).max()) <= 3


def test_hypergeometric_draws_have_no_bound() -> None:
    for arguments in ((10**10, 5, 3), (5, 10**9, 3), ([5, 10**9 + 5], 3, [1, 4])):
        good, _, sample = arguments
        drawn = la.evaluate(la.random.RandomState().hypergeometric(*arguments))
        assert drawn.shape == np.shape(np.random.RandomState(1).hypergeometric(*arguments))
        assert (drawn >= 0).all() and (drawn <= np.minimum(good, sample)).all()
    ours = la.random.RandomState(5).hypergeometric(10**10, 10**10, 20, size=9)
    theirs = np.random.RandomState(5).hypergeometric(10**10, 10**10, 20, size=9)
    np.testing.assert_array_equal(ours, theirs)
    drawn = la.evaluate(la.random.RandomState().hypergeometric(10**10, 10**10, 20, size=4000))
    assert abs(drawn.mean() - 10) < 0.3
    with pytest.raises(ValueError, match=r"ngood \+ nbad < nsample"):
        la.random.RandomState().hypergeometric(3, 4, 9)
    with pytest.raises(ValueError, match="less than 1000000000"):
        la.random.default_rng().hypergeometric(10**10, 5, 3)


def test_methods_of_a_seeded_state_are_those_of_its_last_source() -> None:
    ours, theirs = la.random.RandomState(3), np.random.RandomState(3)
    assert ours.gamma(2.0) == theirs.gamma(2.0)
    assert ours.gamma is ours.gamma
    ours.set_state(np.random.RandomState(8).get_state())
    assert ours.gamma(2.0) == np.random.RandomState(8).gamma(2.0)
    ours.__init__(4)  # type: ignore[misc]
    assert ours.gamma(2.0) == np.random.RandomState(4).gamma(2.0)
    with pytest.raises(AttributeError, match="gammas"):
        _ = ours.gammas


def test_the_module_of_the_older_interface_has_its_names() -> None:
    assert la.random.mtrand.RandomState is la.random.RandomState
    for name in la.random.mtrand.__all__:
        assert getattr(la.random.mtrand, name) is getattr(la.random, name)
    assert isinstance(la.random.mtrand.RandomState(3).rand(2), la.LazyArray)
