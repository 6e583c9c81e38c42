"""The measures of probabilities: against plain loops, scikit-learn, and the words of the catalogue."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import edgeworth as ew
from edgeworth.errors import InputError, OptionError
from edgeworth.forecasts.measures import climatology

CATALOGUE = ew.catalogue(kind="probabilities")
NAMES = ("log", "brier", "ranked", "spherical")

TRUTH = [2, 0, 1, 1, 0, 2, 1]
MODEL = [
    [0.1, 0.3, 0.6],
    [0.5, 0.25, 0.25],
    [0.2, 0.7, 0.1],
    [0.4, 0.3, 0.3],
    [0.8, 0.1, 0.1],
    [0.3, 0.4, 0.3],
    [0.05, 0.9, 0.05],
]
RIVAL = [[0.3, 0.3, 0.4]] * 7


def by_hand(name: str, truth: list[int], rows: Any) -> float:
    """Each score written out, with a sum over cases and classes."""
    total = 0.0
    for y, p in zip(truth, rows, strict=True):
        if name == "log":
            total += -math.log(p[y])
        elif name == "brier":
            total += sum((p[k] - (k == y)) ** 2 for k in range(len(p))) / (2 if len(p) == 2 else 1)
        elif name == "ranked":
            total += sum((sum(p[: k + 1]) - (y <= k)) ** 2 for k in range(len(p) - 1))
        else:
            total += 1 - p[y] / math.sqrt(sum(x * x for x in p))
    return total / len(truth)


def both() -> ew.ForecastScores:
    return ew.ForecastScores.from_probabilities(TRUTH, {"model": MODEL, "against": RIVAL})


# -- the catalogue -----------------------------------------------------------------------------------------


def test_the_catalogue_lists_scores_skills_parts_and_wealth() -> None:
    names = [measure.name for measure in CATALOGUE]
    assert set(names) >= {*NAMES, *(f"{name}_skill" for name in NAMES)}
    assert set(names) >= {"miscalibration", "discrimination", "uncertainty"}
    assert set(names) >= {"wealth", "log_wealth", "growth"}
    assert len(set(names)) == len(names)
    assert all(measure in ew.catalogue() for measure in CATALOGUE)
    assert not set(names) & {measure.name for measure in ew.catalogue(kind="decisions")}
    assert not set(names) & {measure.name for measure in ew.catalogue(kind="rankings")}


@pytest.mark.parametrize("measure", CATALOGUE, ids=lambda measure: measure.name)
def test_metadata_is_complete(measure: ew.Measure) -> None:
    assert measure.kind == "probabilities"
    for text in (measure.formula, measure.chance, measure.source):
        assert text == text.strip()
        assert text
    assert measure.low < measure.high
    assert measure.needs, "every measure is undefined somewhere, and says why"
    assert measure in ew.catalogue(words=measure.name)
    for synonym in measure.synonyms:
        others = [item.name for item in ew.catalogue() if synonym in item.synonyms or synonym == item.name]
        assert others == [measure.name]


def test_directions() -> None:
    texts = {measure.name: measure.direction for measure in CATALOGUE}
    assert {texts[name] for name in NAMES} == {"lower"}
    assert {texts[f"{name}_skill"] for name in NAMES} == {"higher"}
    assert (texts["miscalibration"], texts["discrimination"], texts["uncertainty"]) == (
        "lower",
        "higher",
        "neither",
    )


# -- values ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_scores_are_means_over_cases(name: str) -> None:
    scores = both()
    for system, rows in (("model", MODEL), ("against", RIVAL)):
        assert ew.measure(scores, f"{name}[{system}]") == pytest.approx(by_hand(name, TRUTH, rows), rel=1e-12)
    one = ew.ForecastScores.from_probabilities([1, 0, 1], [0.8, 0.3, 0.5])
    two = [[0.2, 0.8], [0.7, 0.3], [0.5, 0.5]]
    assert ew.measure(one, name) == pytest.approx(by_hand(name, [1, 0, 1], two), rel=1e-12)


@pytest.mark.parametrize("name", NAMES)
def test_skill_is_against_one_who_says_the_class_shares(name: str) -> None:
    shares = [[TRUTH.count(k) / 7 for k in range(3)]] * 7
    base = by_hand(name, TRUTH, shares)
    scores = both()
    assert climatology(scores, name) == pytest.approx(base, rel=1e-12)
    expected = 1 - by_hand(name, TRUTH, MODEL) / base
    assert ew.measure(scores, f"{name}_skill[model]") == pytest.approx(expected, rel=1e-12)
    text = ew.ForecastScores.from_probabilities(TRUTH, shares)
    assert ew.measure(text, f"{name}_skill") == pytest.approx(0, abs=1e-12)


@given(st.lists(st.tuples(st.integers(0, 1), st.sampled_from([0.1, 0.25, 0.5, 0.8, 0.95])), min_size=1))
def test_brier_skill_is_what_the_decomposition_says(cases: list[tuple[int, float]]) -> None:
    """(discrimination − miscalibration)/uncertainty, since both take the shares of these cases."""
    truth, p = [case[0] for case in cases], [case[1] for case in cases]
    scores = ew.ForecastScores.from_probabilities(truth, p, labels=[0, 1])
    counted = ew.Calibration.from_probabilities(truth, p, labels=[0, 1])
    for score in ("brier", "log"):
        computed = {
            name: ew.measure(counted, f"{name}(score={score})")
            for name in ("miscalibration", "discrimination", "uncertainty")
        }
        mean = ew.measure(scores, score)
        total = computed["miscalibration"] - computed["discrimination"] + computed["uncertainty"]
        assert total == pytest.approx(mean, abs=1e-12)
        skill = ew.measure(scores, f"{score}_skill")
        if len(set(truth)) == 1:
            assert math.isnan(skill)
        else:
            expected = (computed["discrimination"] - computed["miscalibration"]) / computed["uncertainty"]
            assert skill == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("number", [1, 2, 5, 8])
def test_shares_of_these_cases_flatter_the_base_by_one_case_in_n(number: int) -> None:
    """Their Brier score is 1 − 1/n of the true shares' on average, over all outcomes, in fractions."""
    share = Fraction(3, 10)
    mean = Fraction(0)
    for truth in itertools.product((0, 1), repeat=number):
        hits = sum(truth)
        chance = share**hits * (1 - share) ** (number - hits)
        mean += chance * Fraction(hits, number) * (1 - Fraction(hits, number))
        scores = ew.ForecastScores.from_probabilities(list(truth), [0.5] * number, labels=[0, 1])
        assert climatology(scores, "brier") == pytest.approx(hits / number * (1 - hits / number), abs=1e-15)
    assert mean == share * (1 - share) * (1 - Fraction(1, number))


def test_parts_of_a_class() -> None:
    counted = ew.Calibration.from_probabilities(["a", "b", "b", "c"], [[0.5, 0.3, 0.2]] * 4)
    assert ew.measure(counted, "uncertainty[b]") == pytest.approx(0.25)
    assert ew.measure(counted, "miscalibration[b]") == pytest.approx(0.2**2)
    assert ew.measure(counted, "discrimination[b]") == 0
    with pytest.raises(OptionError, match=r"write uncertainty\[a\], uncertainty\[b\]"):
        ew.measure(counted, "uncertainty")
    with pytest.raises(OptionError, match="brier, log"):
        ew.measure(counted, "uncertainty[b](score=spherical)")


def test_wealth() -> None:
    won = ew.Wealth.from_probabilities([1, 0, 1], [0.6, 0.3, 0.8], against=[0.5, 0.5, 0.5], ordered=True)
    assert ew.measure(won, "wealth") == pytest.approx(2.688, rel=1e-12)
    assert ew.measure(won, "log_wealth") == pytest.approx(math.log(2.688), rel=1e-12)
    assert ew.measure(won, "growth") == pytest.approx(math.log(2.688) / 3, rel=1e-12)
    assert ew.measure(won, "drawdown") == 0
    ruined = ew.Wealth.from_probabilities([1, 1], [0.9, 0.0], against=[0.5, 0.5], ordered=True)
    assert ew.measure(ruined, "log_wealth") == ew.measure(ruined, "growth") == -math.inf
    assert ew.measure(ruined, "wealth") == 0
    assert ew.measure(ruined, "log_maximum") == pytest.approx(math.log(1.8), rel=1e-12)
    unordered = ew.Wealth.from_probabilities([1, 1], [0.9, 0.2], against=[0.5, 0.5])
    for name in ("log_maximum", "drawdown"):
        assert math.isnan(ew.measure(unordered, name))
        assert "order" in (ew.estimate(unordered, name).undefined or "")


# -- undefined, infinite and refused -----------------------------------------------------------------------


def test_undefined_is_nan_with_a_reason() -> None:
    one_class = ew.ForecastScores.from_probabilities([1, 1], [0.8, 0.3], labels=[0, 1])
    assert math.isnan(ew.measure(one_class, "brier_skill"))
    assert "one class" in (ew.estimate(one_class, "brier_skill").undefined or "")
    some = ew.ForecastScores.from_probabilities([1, 0], [0.8, 0.3], scores=["brier"])
    assert math.isnan(ew.measure(some, "log"))
    assert "was not computed" in (ew.estimate(some, "log").undefined or "")
    assert math.isnan(ew.measure(ew.Wealth.empty(), "growth"))
    assert "no cases" in (ew.estimate(ew.Wealth.empty(), "growth").undefined or "")


def test_probability_0_that_came_true_is_infinite_not_undefined() -> None:
    scores = ew.ForecastScores.from_probabilities([1, 0], [0.0, 0.3])
    assert ew.measure(scores, "log") == math.inf
    assert ew.measure(scores, "log_skill") == -math.inf
    assert ew.measure(scores, "brier") == pytest.approx((1 + 0.09) / 2)


@pytest.mark.parametrize(
    ("spelling", "message"),
    [
        ("brier", r"write brier\[model\], brier\[against\]"),
        ("brier[other]", "there is no label 'other'"),
        ("growth", "growth is a measure of Wealth; this is ForecastScores"),
        ("informedness", "informedness is a measure of decisions"),
        ("breir", "did you mean brier"),
        ("brier[model]@3", "depth"),
        ("brier[model](ties=best)", "has no option 'ties'"),
        (3, "written as text"),
    ],
)
def test_refused(spelling: Any, message: str) -> None:
    with pytest.raises((OptionError, InputError), match=message):
        ew.measure(both(), spelling)


def test_other_tallies_refuse_scores_in_words() -> None:
    table = ew.ContingencyTable.from_matrix([[1, 2], [3, 4]], rows="predicted")
    with pytest.raises(OptionError, match="brier is a measure of probabilities"):
        ew.measure(table, "brier")
    wealth = ew.Wealth.from_probabilities([1], [0.6], against=[0.5])
    with pytest.raises(OptionError, match="no system name"):
        ew.measure(wealth, "growth[model]")
    with pytest.raises(OptionError, match="empty"):
        ew.measure(ew.ForecastScores.empty(), "brier")


def test_a_measure_as_an_object() -> None:
    brier = next(measure for measure in CATALOGUE if measure.name == "brier")
    scores = ew.ForecastScores.from_probabilities([1, 0], [0.8, 0.3])
    assert ew.measure(scores, brier) == ew.measure(scores, "brier")


def test_the_range_of_the_ranked_score_is_said_by_its_classes() -> None:
    """It was listed as reaching to infinity."""
    ranked = next(measure for measure in ew.catalogue(kind="probabilities") if measure.name == "ranked")
    assert ranked.limit == "K − 1"
    worst = ew.ForecastScores.from_probabilities([0], [[0.0, 0.0, 0.0, 1.0]], labels=range(4))
    assert ew.measure(worst, "ranked") == 3.0


def test_perplexity_is_the_exponential_of_the_log_score() -> None:
    """The geometric mean of 1/p(y), which is 2 for a fair coin, with the interval of the log score nearly."""
    rng = np.random.default_rng(0)
    p = rng.uniform(0.1, 0.9, 300)
    truth = (rng.random(300) < p).astype(int)
    scores = ew.ForecastScores.from_probabilities(truth, p)
    estimate = ew.estimate(scores, "perplexity")
    assert estimate.value == pytest.approx(np.prod(1 / np.where(truth == 1, p, 1 - p)) ** (1 / 300))
    low, high = (math.exp(end) for end in tuple(ew.estimate(scores, "log").interval(0.95))[:2])
    assert tuple(estimate.interval(0.95))[:2] == pytest.approx((low, high), rel=0.003)
    coin = ew.ForecastScores.from_probabilities([0, 1, 1, 0], [0.5] * 4)
    assert ew.measure(coin, "perplexity") == pytest.approx(2)
    assert ew.estimate(coin, "perplexity").chance == pytest.approx(2)
