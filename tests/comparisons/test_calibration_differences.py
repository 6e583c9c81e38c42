"""Who is better calibrated: paired errors against the jackknife, and every measure of probabilities."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import expit

import edgeworth as ew
from edgeworth.comparisons.forecasts.bets import CaseClusters
from edgeworth.comparisons.forecasts.calibration import SquareAndAddLaw, measure_difference
from edgeworth.core.sampling_distributions import NormalLaw, Scale
from edgeworth.errors import OptionError
from edgeworth.forecasts.calibration import Calibration
from edgeworth.forecasts.forecasts import Forecasts
from edgeworth.forecasts.scores import ForecastScores

Floats = NDArray[np.float64]
NAMES = ("A", "B")


def two_systems(seed: int, cases: int = 300) -> tuple[NDArray[np.int64], Floats, Floats]:
    """A knows more than B, and B is overconfident."""
    rng = np.random.default_rng(seed)
    known, other = rng.normal(0, 1, (2, cases))
    y = (rng.random(cases) < expit(known + other)).astype(np.int64)
    return y, expit(known + 0.8 * other), expit(1.7 * known + 0.1)


def value(measure: str, y: NDArray[np.int64], p: Floats) -> float:
    """The measure of one system, by its public tally."""
    if measure.startswith(("calibration", "spiegelhalter", "discrimination")):
        return ew.measure(Calibration.from_probabilities(y, p), measure)
    return ew.measure(ForecastScores.from_probabilities(y, p), measure)


@pytest.mark.parametrize(
    "measure",
    [
        "calibration_slope",
        "calibration_intercept",
        "calibration_intercept(slope=fitted)",
        "spiegelhalter_z",
        "brier_skill",
        "log_skill",
        "perplexity",
    ],
)
def test_paired_errors_are_those_of_the_jackknife(measure: str) -> None:
    y, a, b = two_systems(1)
    cases = len(y)
    left_out = []
    for index in range(cases):
        rest = np.arange(cases) != index
        left_out.append(value(measure, y[rest], a[rest]) - value(measure, y[rest], b[rest]))
    error = math.sqrt((cases - 1) * np.var(left_out))
    difference = measure_difference((Forecasts.of(y, a), Forecasts.of(y, b)), NAMES, measure)
    assert difference.difference == pytest.approx(value(measure, y, a) - value(measure, y, b), rel=1e-9)
    # z divides by a standard error that shrinks with the cases left; the others agree to first order.
    assert difference.standard_error == pytest.approx(
        error, rel=0.15 if measure == "spiegelhalter_z" else 0.05
    )


def test_growth_and_log_wealth_are_differences_of_log_scores() -> None:
    y, a, b = two_systems(2)
    both = Forecasts.of(y, a), Forecasts.of(y, b)
    comparison = ew.compare(truth=y, systems={"A": a, "B": b}, kind="probabilities", measures=["log"])
    log = comparison["A", "B"]["log"]
    growth, wealth = (measure_difference(both, NAMES, name) for name in ("growth", "log_wealth"))
    assert growth.difference == pytest.approx(-log.difference)
    assert wealth.difference == pytest.approx(-len(y) * log.difference)
    assert growth.p_value() == pytest.approx(log.p_value())
    assert growth.better == log.better == "A"


def test_cases_given_twice_as_clusters_tell_no_more() -> None:
    y, a, b = two_systems(3)
    once = measure_difference((Forecasts.of(y, a), Forecasts.of(y, b)), NAMES, "calibration_slope")
    twice = (Forecasts.of(np.repeat(y, 2), np.repeat(x, 2)) for x in (a, b))
    clusters = CaseClusters.of(np.repeat(np.arange(len(y)), 2), 2 * len(y))
    first, second = twice
    difference = measure_difference((first, second), NAMES, "calibration_slope", clusters)
    assert difference.standard_error == pytest.approx(once.standard_error, rel=0.01)
    naive = measure_difference((first, second), NAMES, "calibration_slope")
    assert naive.standard_error < 0.75 * once.standard_error


def test_square_and_add_of_normal_bounds_is_the_normal_bound() -> None:
    law = SquareAndAddLaw(0.5, 0.2, NormalLaw(0.5, 0.03, Scale()), NormalLaw(0.2, 0.04, Scale()))
    assert law.interval(0.95) == pytest.approx(NormalLaw(0.3, 0.05, Scale()).interval(0.95))
    assert law.p_value(0.2, "two-sided") == pytest.approx(
        NormalLaw(0.3, 0.05, Scale()).p_value(0.2, "two-sided"), rel=1e-6
    )


def test_every_measure_of_probabilities_is_compared_or_says_why_not() -> None:
    y, a, b = two_systems(4)
    for measure in ew.catalogue(kind="probabilities"):
        names = {"measures": [measure.name], "kind": "probabilities"}
        if measure.name in ("wealth", "log_maximum", "drawdown"):
            with pytest.raises(OptionError, match="compare growth or log_wealth"):
                ew.compare(truth=y, systems={"A": a, "B": b}, **names)
            continue
        difference = ew.compare(truth=y, systems={"A": a, "B": b}, **names)["A", "B"][measure.name]
        assert math.isfinite(difference.difference), measure.name
        assert (difference.law is None) == (difference.no_interval is not None), measure.name


def test_a_comparison_of_two_classes_shows_who_is_better_calibrated() -> None:
    rng = np.random.default_rng(5)
    odds = rng.normal(0, 1.5, 1500)
    y = (rng.random(1500) < expit(odds)).astype(np.int64)
    comparison = ew.compare(truth=y, systems={"A": expit(odds), "B": expit(2 * odds)}, kind="probabilities")
    squared_calibration_error = comparison["A", "B"]["squared_calibration_error"]
    assert squared_calibration_error.better == "A"
    assert squared_calibration_error.is_shown(0.95)
    assert squared_calibration_error.interval().high < 0
    (text,) = comparison.report.sections[0].text
    assert text == "A is better calibrated than B (squared calibration error)."
    one = ew.compare(
        truth=y, systems={"A": expit(odds), "C": expit(1.02 * odds)}, kind="probabilities", level=0.999
    )
    assert one.report.sections[0].text == (
        "Neither system is shown to be better calibrated (squared calibration error).",
    )
    few = ew.compare(
        truth=y[:60], systems={"A": expit(odds[:60]), "B": expit(2 * odds[:60])}, kind="probabilities"
    )
    assert "squared_calibration_error" not in few["A", "B"]
    assert few.report.sections[0].text == ()
    decided = ew.compare(
        truth=y,
        systems={"A": expit(odds), "B": expit(2 * odds)},
        kind="probabilities",
        measures=["squared_calibration_error"],
    )
    assert decided.report.sections[0].text == ()


def test_undefined_has_the_reason_and_overlapping_forecasts_name_no_winner() -> None:
    y, a, b = two_systems(6)
    sure = a.copy()
    sure[y == 1] = 0.0
    difference = measure_difference((Forecasts.of(y, sure), Forecasts.of(y, b)), NAMES, "calibration_slope")
    assert "log odds are infinite" in str(difference.undefined)
    options = {"kind": "probabilities", "measures": ["calibration_slope"], "horizon": 2}
    overlapping = ew.compare(truth=y, systems={"A": a, "B": b}, **options)["A", "B"]["calibration_slope"]
    assert "independent" in str(overlapping.no_winner)


def test_leave_one_out_forecasts_that_separate_outcomes_in_bins_name_no_winner() -> None:
    """A group's forecast is a little lower for its events, as if each was left out of its own group."""
    rng = np.random.default_rng(8)
    share = rng.choice([0.2, 0.4, 0.7], 400)
    y = (rng.random(400) < share).astype(np.int64)
    systems = {"A": share, "B": share - 0.005 * y}
    for measure in ("squared_calibration_error", "ece"):
        both = Forecasts.of(y, systems["A"]), Forecasts.of(y, systems["B"])
        difference = measure_difference(both, NAMES, measure)
        assert "leave-one-out" in str(difference.no_winner)
        assert not difference.is_shown(0.95)
    assert (
        "squared_calibration_error"
        not in ew.compare(truth=y, systems=systems, kind="probabilities")["A", "B"]
    )


def test_the_calibration_error_names_the_test_that_its_bounds_are() -> None:
    rng = np.random.default_rng(3)
    a, b = rng.uniform(0.05, 0.95, (2, 400))
    y = (rng.random(400) < a).astype(np.int64)
    comparison = ew.compare(truth=y, systems={"A": a, "B": b}, kind="probabilities", measures=["ece"])
    ece = comparison["A", "B"]["ece"]
    assert list(ece.tests) == ["bounds"]
    assert ece.effect is None
    assert "square-and-add p" in str(comparison.verdict)
    assert "paired t" not in str(comparison.verdict)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(
    ("measure", "change"),
    [
        ("calibration_slope", lambda odds: odds - 0.8),
        ("calibration_intercept(slope=fitted)", lambda odds: 1.5 * odds),
    ],
)
def test_rounding_of_a_fit_is_no_difference(
    seed: int, measure: str, change: Callable[[Floats], Floats]
) -> None:
    """The log odds of B are those of A plus a constant or times a factor, so the coefficient is the same."""
    rng = np.random.default_rng(seed)
    odds = rng.normal(0.4, 1.2, 300)
    y = (rng.random(300) < expit(odds)).astype(np.int64)
    both = Forecasts.of(y, expit(odds)), Forecasts.of(y, expit(change(odds)))
    difference = measure_difference(both, NAMES, measure)
    assert difference.difference == 0
    assert not difference.is_shown(0.95)
