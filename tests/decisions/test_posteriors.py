"""Beta posteriors: the published numbers, and integrals done another way."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, stats

import edgeworth as ew
from edgeworth.decisions.posteriors import BetaLaw, probability_larger, probability_of_winning
from edgeworth.errors import OptionError
from edgeworth.methods import BetaPosterior

counts = st.integers(0, 30)


def table(hits: int, alarms: int, misses: int, rest: int = 20) -> ew.ContingencyTable:
    return ew.ContingencyTable.from_matrix(
        [[hits, alarms], [misses, rest]], rows="predicted", labels=["yes", "no"]
    )


def law(hits: int, alarms: int, misses: int, name: str, prior: float = 0.5) -> Any:
    return ew.estimate(table(hits, alarms, misses), f"{name}[yes]", method=BetaPosterior(prior)).law


@pytest.mark.parametrize(
    ("name", "published"), [("f", 0.4263074017), ("precision", 0.6522223722), ("recall", 0.2371815636)]
)
def test_the_second_is_larger_as_published(name: str, published: float) -> None:
    first, second = law(10, 10, 5, name), law(3, 2, 3, name)
    assert round(probability_larger(second, first), 10) == published
    assert round(probability_larger(first, second), 10) == round(1 - published, 10)


def test_the_interval_of_f1_as_published() -> None:
    estimate = ew.estimate(table(10, 10, 5), "f[yes]", method=BetaPosterior())
    assert [round(bound, 6) for bound in estimate.interval(0.95)] == [0.364026, 0.737997]
    assert estimate.value == pytest.approx(20 / 35)


def test_wins_losses_and_draws_as_published() -> None:
    assert round(probability_of_winning(8, 5), 10) == 0.7966793709
    # Of a Dirichlet with draws in it, wins against losses are a Beta law whatever the draws.
    rng = np.random.default_rng(1)
    drawn = rng.dirichlet([8.5, 5.5, 37.5], size=200_000)
    share = (drawn[:, 0] > drawn[:, 1]).mean()
    assert probability_of_winning(8, 5) == pytest.approx(share, abs=4 * math.sqrt(0.16 / 200_000))


@given(counts, counts, counts, st.sampled_from([0.5, 1.0, 2.0]))
def test_precision_and_recall_are_beta(hits: int, alarms: int, misses: int, prior: float) -> None:
    for name, others in (("precision", alarms), ("recall", misses)):
        if hits + others == 0:
            continue
        result, beta = law(hits, alarms, misses, name, prior), stats.beta(hits + prior, others + prior)
        assert result.interval(0.9) == pytest.approx(beta.interval(0.9), rel=1e-9, abs=1e-12)
        assert result.standard_error == pytest.approx(beta.std())
        assert result.p_value(0.3, "greater") == pytest.approx(beta.cdf(0.3), abs=1e-12)
        assert result.p_value(0.3, "less") == pytest.approx(beta.sf(0.3), abs=1e-12)


def f1_density(value: float, first: float, second: float) -> float:
    """F1 = 2X/(1 + X): the density of X at value/(2 − value), times 2/(2 − value)²."""
    return float(stats.beta.pdf(value / (2 - value), first, second) * 2 / (2 - value) ** 2)


@pytest.mark.slow
@given(st.integers(1, 30), counts, counts)
def test_f1_by_integrating_its_density(hits: int, alarms: int, misses: int) -> None:
    result = law(hits, alarms, misses, "f")
    first, second = hits + 0.5, alarms + misses + 1.0

    def moment(power: int, end: float = 1.0) -> float:
        return integrate.quad(lambda v: v**power * f1_density(v, first, second), 0, end, limit=200)[0]

    low, high = result.interval(0.8)
    assert moment(0, low) == pytest.approx(0.1, abs=1e-6)
    assert moment(0, high) == pytest.approx(0.9, abs=1e-6)
    assert result.standard_error == pytest.approx(math.sqrt(moment(2) - moment(1) ** 2), rel=2e-3)


@pytest.mark.slow
@given(st.tuples(counts, counts, counts), st.tuples(counts, counts, counts))
def test_which_is_larger_by_another_integral(one: tuple[int, ...], two: tuple[int, ...]) -> None:
    first = BetaLaw(math.nan, one[0] + 0.5, one[1] + one[2] + 1.0, is_f1=True)
    second = BetaLaw(math.nan, two[0] + 0.5, two[1] + two[2] + 1.0, is_f1=True)
    # F1 rises with X, so the question is the same for the proportions: E[P(second < X)] over X's density,
    # with x = sin² a, which takes the poles of the density at the ends away.
    a, b = stats.beta(first.first, first.second), stats.beta(second.first, second.second)
    expected = integrate.quad(
        lambda angle: a.pdf(math.sin(angle) ** 2) * b.cdf(math.sin(angle) ** 2) * math.sin(2 * angle),
        0,
        math.pi / 2,
        limit=400,
        points=[math.asin(math.sqrt(a.mean())), math.asin(math.sqrt(b.mean()))],
    )[0]
    assert probability_larger(first, second) == pytest.approx(expected, abs=1e-7)
    assert probability_larger(first, second) + probability_larger(second, first) == pytest.approx(1, abs=1e-9)


def test_a_law_against_itself_is_even() -> None:
    for item in (law(10, 10, 5, "f"), law(0, 4, 3, "recall"), law(3000, 2, 1, "precision")):
        assert probability_larger(item, item) == pytest.approx(0.5, abs=1e-9)


def test_draws_agree() -> None:
    rng = np.random.default_rng(2)
    size = 400_000
    # Independent gammas, as Goutte & Gaussier draw them: F1 = 2u/(2u + v).
    u, v = rng.gamma(10.5, size=size), rng.gamma(16.0, size=size)
    drawn = 2 * u / (2 * u + v)
    result = law(10, 10, 5, "f")
    assert drawn.std() == pytest.approx(result.standard_error, rel=0.005)
    assert np.quantile(drawn, [0.025, 0.975]).tolist() == pytest.approx(list(result.interval(0.95)), abs=1e-3)


@pytest.mark.parametrize("name", ["precision", "recall", "f"])
def test_nothing_found_is_still_a_law(name: str) -> None:
    estimate = ew.estimate(table(0, 3, 4), f"{name}[yes]", method=BetaPosterior())
    low, high = estimate.interval()
    assert 0 <= low < high < 0.8
    assert 0 < estimate.standard_error < 0.5


def test_posteriors_refuse_what_they_cannot_do() -> None:
    for spelling in ("informedness", "accuracy", "f[yes](alpha=0.3)", "inverse_recall[yes]"):
        with pytest.raises(OptionError, match="precision, recall and f"):
            ew.estimate(table(3, 2, 1), spelling, method=BetaPosterior())
    weighted = ew.ContingencyTable.from_labels([0, 1, 1, 0], [0, 1, 0, 0], weights=[0.5, 1.0, 2.0, 1.0])
    clustered = ew.ContingencyTable.from_labels([0, 1, 1, 0], [0, 1, 0, 0], clusters=[1, 1, 2, 2])
    for tally in (weighted, clustered):
        with pytest.raises(OptionError, match="Delta"):
            ew.estimate(tally, "recall[1]", method=BetaPosterior())
    for prior in (0.0, -1.0, math.inf, math.nan):
        with pytest.raises(OptionError, match="prior"):
            BetaPosterior(prior)


def test_a_cut_of_a_ranking_has_posteriors() -> None:
    ranking = ew.Ranking.from_hits([1, 1, 0, 1, 0, 0, 1, 0, 0, 0])
    result = ew.estimate(ranking, "precision@4", method=BetaPosterior())
    assert list(result.interval(0.9)) == pytest.approx(stats.beta(3.5, 1.5).interval(0.9))
    result = ew.estimate(ranking, "recall@4", method=BetaPosterior())
    assert list(result.interval(0.9)) == pytest.approx(stats.beta(3.5, 1.5).interval(0.9))
