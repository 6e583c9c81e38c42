"""The drunken bookmaker: exact expectations, and a thousand of them at once."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import gamma, kstest, uniform

from edgeworth.bet import Commission, Drunken, Market, game_factors
from edgeworth.errors import InputError, OptionError
from edgeworth.forecasts.forecasts import Forecasts
from edgeworth.forecasts.tally import ForecastTally, Opponent


def cases(count: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    p = rng.uniform(0.05, 0.95, count)
    return (rng.random(count) < p).astype(int), p


def log_score(truth: np.ndarray, p: np.ndarray) -> float:
    return float(np.log(np.where(truth == 1, p, 1 - p)).sum())


def ends(bookmaker: Drunken, truth: np.ndarray, p: np.ndarray, bookmakers: int) -> np.ndarray:
    """Log wealth at full stakes against each of so many bookmakers, by the prices of what happened."""
    rows = np.arange(len(truth))
    both = p if p.ndim == 2 else np.stack([1 - p, p], axis=1)
    results = []
    for number in range(bookmakers):
        q = replace(bookmaker, number=number).prices(p.shape)
        q = q if p.ndim == 2 else np.stack([1 - q, q], axis=1)
        results.append(np.log(both[rows, truth] / q[rows, truth]).sum())
    return np.array(results)


def test_every_case_adds_one_nat_to_the_log_score() -> None:
    """C3: for (0, 1) the expected log wealth is the log score + 1 a case; exactly, and by simulation."""
    truth, p = cases(400)
    assert Drunken().expected_of_games(int(truth.sum()), 400) == pytest.approx(400, abs=1e-9)
    drawn = ends(Drunken(rng=3), truth, p, 4000)
    # −log q is exponential: variance 1 a case
    assert drawn.mean() == pytest.approx(log_score(truth, p) + 400, abs=4 * math.sqrt(400 / 4000))
    assert drawn.std() == pytest.approx(20, rel=0.06)


def test_final_log_wealth_follows_its_exact_law() -> None:
    """Against prices on (0, 1) log wealth less the log score is a gamma variable of n."""
    truth, p = cases(50)
    excess = ends(Drunken(rng=8), truth, p, 3000) - log_score(truth, p)
    assert kstest(excess, gamma(50).cdf).pvalue > 1e-3


@pytest.mark.parametrize(("low", "high"), [(0.0, 1.0), (0.15, 0.85), (0.0, 0.3), (0.25, 1 / 1.3), (0.6, 1.0)])
def test_any_interval_has_its_expectation_by_integration(low: float, high: float) -> None:
    truth, p = cases(300, seed=1)
    if_true = quad(lambda q: -math.log(q), low, high)[0] / (high - low)
    if_false = quad(lambda q: -math.log1p(-q), low, high)[0] / (high - low)
    wanted = log_score(truth, p) + truth.sum() * if_true + (300 - truth.sum()) * if_false
    bookmaker = Drunken(low, high, rng=2)
    expected = log_score(truth, p) + bookmaker.expected_of_games(int(truth.sum()), 300)
    assert expected == pytest.approx(wanted, abs=1e-6)
    drawn = ends(bookmaker, truth, p, 2000)
    assert drawn.mean() == pytest.approx(wanted, abs=5 * drawn.std() / math.sqrt(2000))


def test_odds_are_drawn_uniformly() -> None:
    """Kalia's odds from 1.3 to 4: uniform, and with their expectation by integration."""
    truth, p = cases(300, seed=1)
    bookmaker = Drunken(1.3, 4, rng=2)
    drawn = 1 / bookmaker.prices((5000,))
    assert kstest(drawn, uniform(1.3, 2.7).cdf).pvalue > 1e-3
    if_true = quad(math.log, 1.3, 4)[0] / 2.7
    if_false = quad(lambda odds: -math.log1p(-1 / odds), 1.3, 4)[0] / 2.7
    wanted = truth.sum() * if_true + (300 - truth.sum()) * if_false
    assert bookmaker.expected_of_games(int(truth.sum()), 300) == pytest.approx(wanted, abs=1e-6)
    excess = ends(bookmaker, truth, p, 2000) - log_score(truth, p)
    assert excess.mean() == pytest.approx(wanted, abs=5 * excess.std() / math.sqrt(2000))
    assert bookmaker.description == "a drunken bookmaker (odds 1.3 to 4)"
    with pytest.raises(OptionError, match="two classes"):
        bookmaker.prices((5, 3))


def test_many_at_once_are_one_by_one() -> None:
    """The same seed and number give the same prices."""
    truth, p = cases(70_001, seed=4)
    bookmaker = Drunken(0.15, 0.85, rng=5, bookmakers=3)
    tally = ForecastTally.of(Forecasts.of(truth, p), Opponent(bookmaker=bookmaker))
    together = [item.log_wealth for item in (tally.wealth, *tally.crowd)]
    for number in range(3):
        q = replace(bookmaker, number=number).prices((70_001,))
        assert q.min() >= 0.15
        assert q.max() <= 0.85
        alone = np.log(game_factors(p, 1 / q, outcome=truth)).sum()
        assert together[number] == pytest.approx(alone, rel=1e-11)
    assert together == pytest.approx(ends(bookmaker, truth, p, 3), rel=1e-11)
    assert len(set(together)) == 3


def test_races_are_uniform_on_the_simplex() -> None:
    """Each price is Beta(1, K−1), so −log q(y) has the mean 1 + 1/2 + … + 1/(K−1)."""
    rng = np.random.default_rng(6)
    p, truth = rng.dirichlet(np.ones(4), 500), rng.integers(0, 4, 500)
    score = float(np.log(p[np.arange(500), truth]).sum())
    bookmaker = Drunken(rng=7)
    assert bookmaker.expected_of_races(500, 4) == pytest.approx(500 * (1 + 1 / 2 + 1 / 3), abs=1e-9)
    drawn = ends(bookmaker, truth, p, 600)
    assert drawn.mean() == pytest.approx(score + 500 * 11 / 6, abs=5 * drawn.std() / math.sqrt(600))
    q = bookmaker.prices((500, 4))
    np.testing.assert_allclose(q.sum(axis=1), 1, atol=1e-12)
    assert drawn[0] == pytest.approx(score - np.log(q[np.arange(500), truth]).sum(), rel=1e-11)
    assert kstest(q[:, 0], lambda x: 1 - (1 - x) ** 3).pvalue > 1e-3


def test_races_on_an_interval() -> None:
    q = Drunken(0.15, 0.85, rng=1).prices((2000, 2))
    assert kstest(q[:, 0], lambda x: np.clip((x - 0.15) / 0.7, 0, 1)).pvalue > 1e-3
    q = Drunken(0.1, 0.6, rng=1).prices((2000, 3))
    assert q.min() >= 0.1
    assert q.max() <= 0.6
    with pytest.raises(OptionError, match=r"4 prices that add up to 1 cannot all lie between 0\.3 and 1"):
        Drunken(0.3, 1.0).prices((5, 4))
    with pytest.raises(OptionError, match="too rare to draw"):
        Drunken(0.0, 0.101).prices((5, 10))
    with pytest.raises(OptionError, match=r"all of \(0, 1\) only"):
        Drunken(0.1, 0.6).expected_of_races(1, 2)


@pytest.mark.parametrize(
    ("ends", "shape", "first"),
    [
        ((0.0, 1.0), (), 65_530),
        ((0.15, 0.85), (), 131_070),
        ((0.0, 1.0), (3,), 65_530),
        ((0.1, 0.6), (3,), 1_020),
        ((0.1, 0.6), (3,), 2_048),
    ],
)
def test_prices_depend_on_the_position(ends: tuple[float, float], shape: Any, first: int) -> None:
    """Wherever a path is cut, and however long it is: prices that did not suit and were drawn again, too."""
    low, high = ends
    whole = Drunken(low, high, rng=7, number=2).prices((first + 20, *shape))
    for start, stop in ((first, first + 1), (first + 3, first + 20), (5, 9)):
        part = Drunken(low, high, rng=7, first=start, number=2).prices((stop - start, *shape))
        np.testing.assert_array_equal(part, whole[start:stop])
        taken = Commission(0.1, Drunken(low, high, rng=7))
        np.testing.assert_array_equal(
            taken.starting_at(start).quote((stop - start, *shape)).back,
            taken.quote((stop, *shape)).back[start:],
        )
    assert taken.is_random
    assert not Market([2.0, 2.0]).is_random
    assert Market([2.0, 2.0]).starting_at(3).quote((1, 2)).back.tolist() == [[2.0, 2.0]]


def test_blocks_of_cases_are_drawn_apart() -> None:
    drawn = Drunken(rng=1).prices((3 * 65_536,)).reshape(3, -1)
    assert np.abs(np.asarray(np.corrcoef(drawn))[np.triu_indices(3, 1)]).max() < 5 / math.sqrt(65_536)


def test_no_cases_no_prices() -> None:
    assert Drunken().prices((0,)).shape == (0,)
    assert Drunken().prices((0, 3)).shape == (0, 3)


def test_refusals() -> None:
    for low, high in (
        (0.5, 0.5),
        (0.6, 0.4),
        (-0.1, 0.5),
        (0.5, 1.1),
        (1.5, math.inf),
        (math.nan, 1.0),
        ("a", 1),
    ):
        with pytest.raises(OptionError, match="0 <= low < high <= 1"):
            Drunken(low, high)
    with pytest.raises(OptionError, match="seed"):
        Drunken(rng=-1)
    with pytest.raises(OptionError, match="position of the first case"):
        Drunken(first=-1)
    with pytest.raises(OptionError, match="bookmakers is a whole number"):
        Drunken(bookmakers=0)
    with pytest.raises(InputError, match="prices are for n games"):
        Drunken().prices(())
