"""The law of log wealth against all outcomes as fractions, SciPy's binomial law, and mathematics."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from edgeworth.errors import InputError, OptionError
from edgeworth.forecasts.betting.law import LogWealthLaw, Moments, wealth_law
from edgeworth.forecasts.betting.log_returns import MergedOutcomes
from edgeworth.forecasts.betting.wealth import Wealth
from edgeworth.papers import kalia

FORECASTS = np.array([0.6, 0.3, 0.8])


def two_way(p: np.ndarray, q: np.ndarray | float) -> np.ndarray:
    with np.errstate(divide="ignore"):
        return np.log(np.stack([p, 1 - p], axis=1)) - np.log(np.stack([q + 0 * p, 1 - q + 0 * p], axis=1))


def shares(p: np.ndarray) -> np.ndarray:
    return np.stack([p, 1 - p], axis=1)


def random_steps(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Two or three outcomes, some impossible, some ruin, some boundless, some steps alike."""
    rng = np.random.default_rng(seed)
    outcomes, rows = int(rng.integers(2, 4)), int(rng.integers(1, 5))
    weights = rng.integers(0, 5, (rows, outcomes)).astype(float)
    weights[weights.sum(axis=1) == 0, 0] = 1.0
    logs = np.log(rng.integers(1, 4, (rows, outcomes)) / rng.integers(1, 4, (rows, outcomes)))
    logs[rng.random(logs.shape) < 0.08] = -np.inf
    logs[rng.random(logs.shape) < 0.08] = np.inf
    return logs, weights / weights.sum(axis=1, keepdims=True), rng.integers(0, 3, rows)


def every_outcome(
    logs: np.ndarray, probabilities: np.ndarray, counts: np.ndarray
) -> list[tuple[float, Fraction]]:
    """Log wealth and probability of each sequence of outcomes, with the floats as fractions."""
    exact = [[Fraction(share) for share in row] for row in probabilities.tolist()]
    rows = [i for i, count in enumerate(counts.tolist()) for _ in range(count)]
    results = []
    for chosen in itertools.product(range(logs.shape[1]), repeat=len(rows)):
        probability = math.prod(
            (exact[i][k] / sum(exact[i]) for i, k in zip(rows, chosen, strict=True)), start=Fraction(1)
        )
        if probability:
            parts = [float(logs[i, k]) for i, k in zip(rows, chosen, strict=True)]
            results.append((-math.inf if -math.inf in parts else math.fsum(parts), probability))
    return results


def reached(answer: list[tuple[float, Fraction]], x: float) -> Fraction:
    return sum((probability for value, probability in answer if value >= x - 1e-11), Fraction(0))


@pytest.mark.parametrize(
    ("truth", "mean", "variance", "mean_wealth"),
    [
        (FORECASTS, 0.2951631491, 0.4977082673, 1.640704),
        (np.full(3, 0.5), -0.3307312421, 0.7010319184, 1.0),
    ],
)
def test_moments_of_three_games(truth: np.ndarray, mean: float, variance: float, mean_wealth: float) -> None:
    law = LogWealthLaw.of(two_way(FORECASTS, 0.5), shares(truth))
    assert law.mean == pytest.approx(mean, abs=1e-10)
    assert law.variance == pytest.approx(variance, abs=1e-10)
    assert law.standard_deviation == pytest.approx(math.sqrt(variance), abs=1e-10)
    assert law.mean_wealth == pytest.approx(mean_wealth, rel=1e-9)
    assert law.log_mean_wealth == pytest.approx(math.log(mean_wealth), abs=1e-9)


@pytest.mark.parametrize("seed", range(40))
def test_exact_tails_are_those_of_all_outcomes(seed: int) -> None:
    steps = random_steps(seed)
    law, result = LogWealthLaw.of(*steps), every_outcome(*steps)
    for x in {value for value, _ in result} | {0.0, 0.3, -1.0, 9.0, math.inf}:
        tail, truth = law.tail(x), reached(result, x)
        assert tail.p_value == pytest.approx(float(truth), rel=1e-12, abs=1e-300)
        assert tail.kind == "exact"
    assert law.tail(-math.inf).exact == 1


@pytest.mark.parametrize("seed", range(40))
def test_logarithms_of_probabilities_agree_with_fractions(seed: int) -> None:
    logs, probabilities, counts = random_steps(seed)
    logs[~np.isfinite(logs)] = 0.5
    law, result = LogWealthLaw.of(logs, probabilities, counts), every_outcome(logs, probabilities, counts)
    merged = MergedOutcomes.of(law.steps)
    assert merged is not None
    for x in {value for value, _ in result}:
        log = merged.log_probability(x - 1e-11)
        assert log == pytest.approx(math.log(reached(result, x)), abs=1e-12)


@pytest.mark.parametrize("seed", range(40))
def test_moments_are_those_of_all_outcomes(seed: int) -> None:
    steps = random_steps(seed)
    law, result = LogWealthLaw.of(*steps), every_outcome(*steps)
    ruin = float(sum(p for value, p in result if value == -math.inf))
    boundless = float(sum(p for value, p in result if value == math.inf))
    assert law.ruin == pytest.approx(ruin, abs=1e-12)
    assert law.boundless == pytest.approx(boundless, abs=1e-12)
    if ruin:
        assert law.mean == -math.inf
        assert math.isnan(law.variance)
    elif boundless:
        assert law.mean == math.inf
    else:
        mean = sum(value * float(p) for value, p in result)
        assert law.mean == pytest.approx(mean, abs=1e-12)
        assert law.variance == pytest.approx(sum((v - mean) ** 2 * float(p) for v, p in result), abs=1e-12)
    if ruin < 1 and not boundless:
        wealth = sum(math.exp(value) * float(p) for value, p in result)
        assert law.mean_wealth == pytest.approx(wealth, rel=1e-12)


@pytest.mark.parametrize("seed", range(40))
def test_quantiles_are_those_of_all_outcomes(seed: int) -> None:
    steps = random_steps(seed)
    law, result = LogWealthLaw.of(*steps), sorted(every_outcome(*steps))
    for p in (0.01, 0.25, 0.5, 0.777, 0.99):
        running, wanted = 0.0, result[-1][0]
        for value, probability in result:
            running += float(probability)
            if running >= p - 1e-12:
                wanted = value
                break
        assert law.quantile(p) == pytest.approx(wanted, abs=1e-12)


def quantiles_on_a_grid(logs: np.ndarray, chances: np.ndarray, wanted: list[float]) -> list[float]:
    """Convolve all steps on a grid, each value split between the two points around it."""
    size, step = 1 << 18, 5e-4
    spectrum = np.ones(size // 2 + 1, dtype=complex)
    for values, weights in zip(logs, chances, strict=True):
        masses = np.zeros(size)
        places = np.floor(values / step).astype(int)
        np.add.at(masses, places % size, weights * (1 - (values / step - places)))
        np.add.at(masses, (places + 1) % size, weights * (values / step - places))
        spectrum *= np.fft.rfft(masses)
    below = np.cumsum(np.roll(np.fft.irfft(spectrum, size), size // 2))
    # The mass of a point is that of the interval around it.
    points = (np.arange(size) - size // 2 + 0.5) * step
    return [float(np.interp(share, below, points)) for share in wanted]


@pytest.mark.parametrize("number", [40, 120])
def test_quantiles_of_many_games_are_those_of_a_convolution(number: int) -> None:
    """The median of log wealth is not its mean: it differs by a constant, however many games there are."""
    rng = np.random.default_rng(number)
    p, q = rng.uniform(0.05, 0.6, number), rng.uniform(0.1, 0.5, number)
    logs, chances, wanted = two_way(p, q), shares(p), [0.01, 0.5, 0.9]
    law = LogWealthLaw.of(logs, chances)
    assert law._sums is None
    assert [law.quantile(share) for share in wanted] == pytest.approx(
        quantiles_on_a_grid(logs, chances, wanted), abs=2e-4
    )
    assert abs(law.quantile(0.5) - law.mean) > 0.02


def test_median_wealth_of_the_births() -> None:
    """$54,509 by a convolution on a grid; exp(mean) is $49,291."""
    low = kalia.mothers()["low"].astype(int)
    small, large = (kalia.birth_forecasts(name, left_out=True) for name in ("small glm", "stepAIC"))
    (median,) = quantiles_on_a_grid(two_way(large, small), shares(large), [0.5])
    assert math.exp(median) == pytest.approx(54509, abs=1)
    wealth = Wealth.from_probabilities(low, large, against=small)
    assert wealth_law(wealth, truth="model").quantile(0.5) == pytest.approx(median, abs=2e-5)


def test_quantiles_beyond_reach_of_frequencies_are_corrected_for_skewness() -> None:
    """Cornish and Fisher's expansion of a long sum, against the sum itself."""
    rng = np.random.default_rng(3)
    p, q = rng.uniform(0.02, 0.3, 3000), rng.uniform(0.02, 0.3, 3000)
    law = LogWealthLaw.of(two_way(p, q), shares(p))
    for share in (0.05, 0.5, 0.95):
        assert law._cornish_fisher(share) == pytest.approx(
            law.quantile(share), abs=0.002 * law.standard_deviation
        )


@pytest.mark.parametrize(("n", "p", "truth"), [(10, 0.6, 0.5), (500, 0.55, 0.5), (4096, 0.51, 0.3)])
def test_alike_steps_are_binomial(n: int, p: float, truth: float) -> None:
    logs = two_way(np.array([p]), 0.5)
    law = LogWealthLaw.of(logs, shares(np.array([truth])), np.array([n]))
    for won in (0, n // 3, n // 2, (3 * n) // 4, n):
        x = won * logs[0, 0] + (n - won) * logs[0, 1]
        tail = law.tail(x)
        log = float(stats.binom.logsf(won - 1, n, truth))
        assert tail.method.startswith("exact")
        if log > -700:
            assert tail.p_value == pytest.approx(math.exp(log), rel=1e-8)
        else:
            assert tail.high <= 1e-300


def test_steps_that_mirror_each_other_are_merged() -> None:
    p = np.tile([0.6, 0.4], 1000)
    law = LogWealthLaw.of(two_way(p, 0.5), np.full((2000, 2), 0.5))
    x = 1100 * math.log(1.2) + 900 * math.log(0.8)
    tail = law.tail(x)
    assert tail.method == "exact, 2,001 outcomes"
    assert tail.p_value == pytest.approx(float(stats.binom.sf(1099, 2000, 0.5)), rel=1e-9)


def random_games(seed: int, n: int, outcomes: int = 2) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    p, q = rng.dirichlet(np.full(outcomes, 2.0), n), rng.dirichlet(np.full(outcomes, 2.0), n)
    mixed = 0.7 * q + 0.3 * p
    return np.log(mixed / q), q


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("outcomes", [2, 3])
def test_brackets_contain_the_exact_tail(seed: int, outcomes: int) -> None:
    logs, q = random_games(seed, 12 if outcomes == 2 else 8, outcomes)
    if seed % 3 == 2:
        logs[0, 0], logs[1, 1] = -np.inf, np.inf
    law = LogWealthLaw.of(logs, q)
    centre, deviation = (law.mean, law.standard_deviation) if seed % 3 < 2 else (0.0, 1.0)
    low, high = law.steps.extremes
    for x in (*(centre + z * deviation for z in (-2, 0, 0.3, 1, 3.5)), low, high, high - 1e-3):
        exact, enclosed = law.tail(x), law.tail(x, method="bracket")
        assert exact.kind == "exact"
        assert enclosed.low * (1 - 1e-12) <= exact.p_value <= enclosed.high * (1 + 1e-12)


@pytest.mark.slow
def test_brackets_are_narrow_monotone_and_symmetric() -> None:
    logs, q = random_games(1, 500)
    law, mirrored = LogWealthLaw.of(logs, q), LogWealthLaw.of(-logs, q)
    before = 1.0
    for z in (-4, -0.5, 0.0, 2, 9):
        x = law.mean + z * law.standard_deviation
        tail, below = law.tail(x), mirrored.tail(-x)
        assert tail.kind == "bracket"
        assert tail.high - tail.low <= 0.01 * tail.low
        assert tail.low <= before
        assert tail.low <= 1 - below.low + 1e-12
        assert tail.high >= 1 - below.high - 1e-12
        before = tail.high


@pytest.mark.slow
def test_far_tails_of_many_games_are_bracketed_in_relative_terms() -> None:
    """Identical steps, given one by one with tiny differences: the binomial law is next to it."""
    n, won = 600, 480
    p = 0.6 + 1e-13 * np.arange(n)
    law = LogWealthLaw.of(two_way(p, 0.5), np.full((n, 2), 0.5))
    x = (won - 0.5) * math.log(1.2) + (n - won + 0.5) * math.log(0.8)
    tail = law.tail(x, method="bracket")
    truth = math.exp(float(stats.binom.logsf(won - 1, n, 0.5)))
    assert 0 < tail.low <= truth <= tail.high
    assert tail.high <= 1.5 * tail.low


def test_below_the_smallest_float_is_not_zero() -> None:
    law = LogWealthLaw.of(two_way(np.array([0.6]), 0.5), [[0.5, 0.5]], [4000])
    tail = law.tail(4000 * math.log(1.2))
    assert (tail.low, tail.p_value) == (0.0, 5e-324)
    assert "below" in tail.method
    assert law.tail(4001 * math.log(1.2)).p_value == 0.0


def test_the_normal_law_is_an_approximation_with_its_error() -> None:
    law = LogWealthLaw.of(*random_games(3, 400))
    for z in (-1.5, 0.0, 1.5):
        x = law.mean + z * law.standard_deviation
        normal, enclosed = law.tail(x, method="normal"), law.tail(x)
        assert normal.kind == "approximation"
        assert normal.p_value == pytest.approx(stats.norm.sf(z), abs=1e-9)
        assert normal.low <= enclosed.low <= enclosed.high <= normal.high
    for probability in (0.05, 0.5, 0.95):
        above = law.tail(law.quantile(probability))
        assert above.low - 1e-4 <= 1 - probability <= above.high + 1e-4


def test_too_many_games_are_normal_or_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    law = LogWealthLaw.of(*random_games(3, 400))
    monkeypatch.setattr("edgeworth.forecasts.betting.law.MAX_CELLS_FOR_BRACKET", 100)
    near, far = (law.mean + z * law.standard_deviation for z in (1.0, 6.0))
    assert law.tail(near).kind == "approximation"
    assert law.tail(far).kind == "bound"
    assert law.tail(far, method="bracket").high <= law.tail(far).p_value


@pytest.mark.slow
def test_hair_breadths_from_the_ends_are_bracketed() -> None:
    law = LogWealthLaw.of(*random_games(4, 12))
    low, high = law.steps.extremes
    for x in (low + 1e-6, high - 1e-9):
        exact, enclosed = law.tail(x), law.tail(x, method="bracket")
        assert enclosed.low * (1 - 1e-12) <= exact.p_value <= enclosed.high * (1 + 1e-12)


def test_ruin_on_the_way() -> None:
    logs, q = np.array([[0.2, -0.3], [0.5, -np.inf], [0.1, -0.1]]), np.full((3, 2), 0.5)
    law = LogWealthLaw.of(logs, q)
    assert law.mean == -math.inf
    assert math.isnan(law.variance)
    assert law.quantile(0.4) == -math.inf


def test_no_steps_and_no_bets_leave_wealth_as_it_is() -> None:
    for law in (
        LogWealthLaw.of(np.zeros((0, 2)), np.zeros((0, 2))),
        LogWealthLaw.of([[0.0, 0.0]], [[0.3, 0.7]]),
    ):
        assert (law.mean, law.variance, law.tail(0.0).p_value, law.tail(0.1).p_value) == (0, 0, 1, 0)
        assert law.tail(0.0, method="bracket").p_value == law.tail(0.0, method="normal").p_value == 1
        assert law.quantile(0.5) == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([[0.0, 1.0]], [[0.5, 0.5, 0.0]]), "two tables of the same shape"),
        (([[0.0, 1.0]], [[0.5, 0.6]]), "add up to 1"),
        (([[0.0, 1.0]], [[-0.5, 1.5]]), "lie between 0 and 1"),
        (([[0.0, np.nan]], [[0.5, 0.5]]), "both forecasts"),
        (([[0.0, 1.0]], [[0.5, 0.5]], [1.5]), "whole numbers"),
    ],
)
def test_what_is_no_law_is_refused(arguments: tuple[list[object], ...], message: str) -> None:
    with pytest.raises(InputError, match=message):
        LogWealthLaw.of(*arguments)


def test_options_that_do_not_apply_are_refused() -> None:
    law = LogWealthLaw.of(*random_games(0, 200))
    with pytest.raises(OptionError, match="cannot compute this tail"):
        law.tail(0.0, method="exact")
    with pytest.raises(OptionError, match="between 0 and 1"):
        law.quantile(1.0)
    with pytest.raises(InputError, match="nan"):
        law.tail(math.nan)


def test_laws_under_any_truth_by_going_through_all_outcomes() -> None:
    p, q = np.array([0.6, 0.3, 0.8, 0.6]), np.array([0.5, 0.4, 0.7, 0.5])
    wealth = Wealth.from_probabilities([1, 0, 1, 1], p, against=q, fraction=0.7)
    assert wealth.games is not None
    truths = {"prices": q, "model": p, "same": np.full(4, 0.55)}
    for name, true in truths.items():
        mean = square = reached = 0.0
        for outcome in itertools.product((0, 1), repeat=4):
            y = np.array(outcome)
            chance = float(np.where(y, true, 1 - true).prod())
            log = float(np.log(0.3 + 0.7 * np.where(y, p / q, (1 - p) / (1 - q))).sum())
            mean, square = mean + chance * log, square + chance * log**2
            reached += chance * (log >= wealth.log_wealth - 1e-12)
        law = wealth_law(wealth, truth=[0.45, 0.55] if name == "same" else name)
        assert law.mean == pytest.approx(mean, abs=1e-12)
        assert law.variance == pytest.approx(square - mean**2, abs=1e-12)
        assert law.tail(wealth.log_wealth).p_value == pytest.approx(reached, rel=1e-12)
    rows = wealth_law(wealth, truth=(wealth.games.prices + wealth.games.probabilities) / 2)
    between = (wealth_law(wealth).mean + wealth_law(wealth, truth="model").mean) / 2
    assert rows.mean == pytest.approx(between, abs=1e-12)


def test_truths_that_are_none() -> None:
    wealth = Wealth.from_probabilities([1, 0, 1], [0.6, 0.3, 0.8], against=[0.5] * 3)
    with pytest.raises(OptionError, match="saw 'rival'"):
        wealth_law(wealth, truth="rival")
    with pytest.raises(InputError, match="3 distinct games; saw the shape"):
        wealth_law(wealth, truth=[0.2, 0.3, 0.5])
    with pytest.raises(InputError, match="add up to 1"):
        wealth_law(wealth, truth=[0.5, 0.6])
    many = np.linspace(0.2, 0.8, 5000)
    with pytest.raises(OptionError, match="to LogWealthLaw"):
        wealth_law(Wealth.from_probabilities([1] * 5000, many, against=many[::-1], labels=[0, 1]))


@pytest.mark.parametrize("variance", [0.0, 5e-324, 1e-230, math.inf, math.nan])
def test_a_spread_that_cannot_be_cubed_has_no_normal_law(variance: float) -> None:
    assert Moments(0.0, variance, 1.0).error == 1
