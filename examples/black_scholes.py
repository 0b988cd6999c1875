"""Black-Scholes prices of calls and puts, written with the error function.

Both prices come from one pass over the inputs: what they share is computed once.
Usage: python examples/black_scholes.py [options]
"""

import math
import sys

import numpy as np

import lazyarr as la
from lazyarr.special import erf

RATE, VOLATILITY = 0.02, 0.30


def normal_cdf(x):
    return 0.5 * (1.0 + erf(x / math.sqrt(2.0)))


def prices(spot, strike, years):
    spread = VOLATILITY * np.sqrt(years)
    d1 = (np.log(spot / strike) + (RATE + 0.5 * VOLATILITY**2) * years) / spread
    discounted = strike * np.exp(-RATE * years)
    call = spot * normal_cdf(d1) - discounted * normal_cdf(d1 - spread)
    return call, call - spot + discounted


def price_of_one_call(spot: float, strike: float, years: float) -> float:
    """Return the price by the standard library."""
    spread = VOLATILITY * math.sqrt(years)
    d1 = (math.log(spot / strike) + (RATE + 0.5 * VOLATILITY**2) * years) / spread
    first, second = (0.5 * (1.0 + math.erf(d / math.sqrt(2.0))) for d in (d1, d1 - spread))
    return spot * first - strike * math.exp(-RATE * years) * second


def main() -> None:
    count = int(sys.argv[1]) if sys.argv[1:] else 1_000_000
    random = np.random.default_rng(0)
    spot, strike = random.uniform(50, 150, count), random.uniform(50, 150, count)
    years = random.uniform(0.1, 3.0, count)

    call, put = prices(la.asarray(spot), la.asarray(strike), la.asarray(years))
    calls, puts = la.evaluate(call, put)

    few = slice(0, 2_000)
    expected = [*map(price_of_one_call, spot[few], strike[few], years[few])]
    np.testing.assert_allclose(calls[few], expected, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(puts, calls - spot + strike * np.exp(-RATE * years), atol=1e-12)
    assert len(la.explain(call, put).kernels) == 1
    print(
        f"{count:,} options: mean call {calls.mean():.4f}, mean put {puts.mean():.4f}, one kernel"
    )


if __name__ == "__main__":
    main()
