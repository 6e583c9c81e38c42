"""The mixture against series of positive terms, numerical integration, brentq and confseq's test values."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import brentq
from scipy.special import gammainc, gammaln

from edgeworth.errors import OptionError
from edgeworth.forecasts.gamma_mixture import GammaMixture, log_scaled_integral


def integral_by_series(shape: float, rate: float) -> float:
    """log(exp(b) ∫₀¹ x^(a−1) exp(−bx) dx) from series without a subtraction."""
    terms = []
    if rate >= 0:  # Σ b^n / (a (a+1) … (a+n))
        term, step = 1 / shape, 0
        while term > 1e-20 / shape:
            terms.append(term)
            step += 1
            term *= rate / (shape + step)
        return math.log(math.fsum(terms))
    # The mean of 1/(a+N), N from Poisson's law of mean −b.
    mean = -rate
    for count in range(int(mean + 20 * math.sqrt(mean) + 60)):
        log_weight = count * math.log(mean) - mean - math.lgamma(count + 1)
        terms.append(math.exp(log_weight) / (shape + count))
    return math.log(math.fsum(terms))


SHAPES = [0.003, 0.05, 0.3, 1.0, 2.5, 9.0, 40.0, 300.0, 1e4, 1e6]
STEPS = [-30.0, -8.0, -3.0, -2.0001, -1.9999, -1.0, -0.3, -0.01, 0.0, 0.01, 1.0, 4.0, 9.0]


@pytest.mark.parametrize("shape", SHAPES)
def test_the_integral_equals_its_series(shape: float) -> None:
    for step in STEPS:
        excess = step * math.sqrt(shape)
        ours = float(log_scaled_integral(np.array(shape), np.array(excess)))
        # Poisson's weights of large means lose some digits in the test, not in the code.
        assert ours == pytest.approx(integral_by_series(shape, shape + excess), rel=1e-11, abs=1e-11), step


@pytest.mark.parametrize("rate", [-0.2, -3.0, -25.0, -60.0, -400.0, -3000.0])
@pytest.mark.parametrize("shape", [0.003, 0.3, 7.0, 500.0])
def test_far_on_the_losing_side(shape: float, rate: float) -> None:
    ours = float(log_scaled_integral(np.array(shape), np.array(rate - shape)))
    assert ours == pytest.approx(integral_by_series(shape, rate), rel=1e-10)


def test_the_integral_is_exact_where_it_is_elementary() -> None:
    rates = np.array([-700.0, -1.0, -1e-8, 0.0, 1e-8, 0.4, 0.6, 3.0, 700.0])
    safe = np.where(rates == 0, 1.0, rates)
    expected = np.where(rates == 0, 0.0, np.log(np.expm1(safe) / safe))
    np.testing.assert_allclose(log_scaled_integral(np.ones(9), rates - 1), expected, rtol=1e-13, atol=1e-15)


def mixed_numerically(s: float, v: float, c: float, rho: float) -> float:
    """log ∫ exp(λs − vψ(λ)) f(λ) dλ, f the law of λ = (1−x)/c with x from the cut gamma law; y = log x."""
    r = rho / c**2

    def log_integrand(y: float) -> float:
        x = math.exp(y)
        stake = (1 - x) / c
        cumulant = (-y - (1 - x)) / c**2  # 1 − cλ is x
        log_density = r * math.log(r) + (r - 1) * y - r * x - gammaln(r) - math.log(gammainc(r, r))
        return stake * s - v * cumulant + log_density + y

    start = -60 / (r + v / c**2) - 6
    grid = np.linspace(start, 0.0, 4001)
    values = [log_integrand(y) for y in grid]
    top, mode = max(values), grid[int(np.argmax(values))]
    width = 3 / math.sqrt(1 + v / c**2)
    cuts = sorted({start, 0.0, *(min(0.0, max(start, mode + k * width)) for k in range(-6, 7))})
    pieces = [
        quad(lambda y: math.exp(log_integrand(y) - top), low, high, epsabs=1e-13, epsrel=1e-11)[0]
        for low, high in pairwise(cuts)
    ]
    return top + math.log(math.fsum(pieces))


@pytest.mark.parametrize("c", [0.5, 2.0, 4.0])
@pytest.mark.parametrize("v", [0.0, 0.7, 10.0, 400.0])
def test_the_mixture_is_the_mixture(c: float, v: float) -> None:
    mixture = GammaMixture.tuned(v_opt=10.0, alpha=0.05, c=c)
    for step in (-9.0, -2.0, -0.5, 0.0, 0.5, 3.0, 6.0):
        s = step * math.sqrt(v + 1)
        ours = float(mixture.log_value(s, v))
        assert ours == pytest.approx(mixed_numerically(s, v, c, mixture.rho), abs=1e-9), step


def test_values_of_the_authors_own_program() -> None:
    # confseq (Howard, Waudby-Smith & Ramdas), its unit tests: v_opt = 100, c = 2, alpha = 0.05 on one side,
    # which in our ρ is .1 on both.
    assert GammaMixture.tuned(v_opt=100.0, alpha=0.05, c=1.0).rho == pytest.approx(12.60056, abs=1e-5)
    mixture = GammaMixture.tuned(v_opt=100.0, alpha=0.1, c=2.0)
    assert float(mixture.log_value(10.0, 100.0)) == pytest.approx(-0.2490165, abs=1e-6)
    assert float(mixture.boundary(100.0, 1 / 0.05)) == pytest.approx(33.02017, abs=1e-5)


def published_boundary(v: float, c: float, rho: float, threshold: float) -> float:
    """The formula as printed, solved by brentq."""
    r, a = rho / c**2, (v + rho) / c**2

    def above(s: float) -> float:
        b = (c * s + v + rho) / c**2
        log_m = r * math.log(r) - gammaln(r) - math.log(gammainc(r, r)) + gammaln(a)
        return log_m + math.log(gammainc(a, b)) - a * math.log(b) + (c * s + v) / c**2 - math.log(threshold)

    return float(brentq(above, 0.0, 100 * (c + math.sqrt(v + 1)), xtol=1e-13, rtol=1e-14))


@pytest.mark.parametrize(("c", "v_opt", "alpha"), [(2.0, 10.0, 0.05), (4.0, 10.0, 0.01), (0.5, 100.0, 0.3)])
def test_the_boundary_is_the_published_one(c: float, v_opt: float, alpha: float) -> None:
    mixture = GammaMixture.tuned(v_opt=v_opt, alpha=alpha, c=c)
    variations = np.geomspace(1e-3, 3e4, 120)
    expected = [published_boundary(v, c, mixture.rho, 2 / alpha) for v in variations]
    np.testing.assert_allclose(mixture.boundary(variations, 2 / alpha), expected, rtol=1e-10)


@pytest.mark.parametrize("last", [1.0, 50.0, 25_000.0, 1e9])
def test_long_arrays_are_solved_as_short_ones(last: float) -> None:
    mixture = GammaMixture.tuned(v_opt=10.0, alpha=0.05, c=2.0)
    variations = np.linspace(0.0, last, 25_000)
    long = mixture.boundary(variations, 40.0)
    np.testing.assert_allclose(long[::97], mixture.boundary(variations[::97], 40.0), rtol=1e-11)
    residual = mixture.log_value(long, variations) - math.log(40.0)
    assert np.abs(residual).max() < 1e-9
    assert (np.diff(long) > 0).all()


def test_v_so_large_that_the_formula_as_printed_drowns() -> None:
    mixture = GammaMixture(c=2.0, rho=1e6)
    v = 1e13
    u = float(mixture.boundary(v, 40.0))
    # In the limit it is the mixture over half of a normal law: twice that of the whole one.
    expected = math.sqrt((v + 1e6) * 2 * (math.log(40.0 / 2) + 0.5 * math.log((v + 1e6) / 1e6)))
    assert u == pytest.approx(expected, rel=1e-3)


@pytest.mark.parametrize("threshold", [1.0 + 1e-9, 1.1, 40.0, 1e300])
def test_every_threshold_has_its_boundary(threshold: float) -> None:
    mixture = GammaMixture(c=2.0, rho=0.01)
    variations = np.array([0.0, 1e-6, 1.0, 1e5])
    result = mixture.log_value(mixture.boundary(variations, threshold), variations)
    np.testing.assert_allclose(result, math.log(threshold), rtol=1e-11, atol=1e-12)


def test_it_starts_at_one_and_rises_with_s() -> None:
    mixture = GammaMixture.tuned(v_opt=10.0, alpha=0.05, c=2.0)
    assert abs(float(mixture.log_value(0.0, 0.0))) < 1e-14
    logs = mixture.log_value(np.linspace(-200, 200, 4001)[None, :], np.array([[0.0], [3.0], [500.0]]))
    assert (np.diff(logs, axis=1) > 0).all()
    assert (np.diff(logs, 2, axis=1) > -1e-11).all()


def test_what_makes_no_mixture_is_refused() -> None:
    with pytest.raises(OptionError, match="above 0; saw 0"):
        GammaMixture(c=0.0, rho=1.0)
    with pytest.raises(OptionError, match="rho of a gamma-exponential mixture is a number above 0"):
        GammaMixture.tuned(v_opt=-1.0, alpha=0.05, c=1.0)
    with pytest.raises(OptionError, match="alpha"):
        GammaMixture.tuned(v_opt=1.0, alpha=5.0, c=1.0)
    mixture = GammaMixture(c=2.0, rho=1.0)
    with pytest.raises(OptionError, match="threshold above 1"):
        mixture.boundary(1.0, 0.5)
    with pytest.raises(OptionError, match="v must be finite"):
        mixture.boundary([1.0, math.nan], 40.0)
