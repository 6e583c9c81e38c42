"""Slope, intercept, calibration errors and z against statsmodels, fractions and closed forms."""

from __future__ import annotations

import itertools
import math
import re
from fractions import Fraction

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats
from scipy.special import expit, logit

import edgeworth as ew
from edgeworth.errors import OptionError
from edgeworth.forecasts.calibration import Calibration, Reliability
from edgeworth.forecasts.calibration_error import AbsoluteGapLaw, BinnedGaps
from edgeworth.forecasts.calibration_test import CalibrationTest, spiegelhalter_z
from edgeworth.forecasts.corp_reliability import reliability_bands
from edgeworth.forecasts.recalibration import Recalibration
from edgeworth.forecasts.verdict import overconfidence_example
from edgeworth.methods import AcrossCases, GivenForecasts

Floats = NDArray[np.float64]


def overconfident(seed: int, cases: int = 300, times: float = 1.5) -> tuple[NDArray[np.int64], Floats]:
    rng = np.random.default_rng(seed)
    odds = rng.normal(0.3, 1.2, cases)
    return (rng.random(cases) < expit(odds)).astype(np.int64), expit(times * odds)


def logistic_fit(y: NDArray[np.int64], p: Floats) -> sm.GLM:
    design = sm.add_constant(logit(p))
    return sm.GLM(y, design, family=sm.families.Binomial()).fit(tol=1e-14)


def likelihood(y: NDArray[np.int64], p: Floats, intercept: float, slope: float) -> float:
    return float(stats.bernoulli.logpmf(y, expit(intercept + slope * logit(p))).sum())


# -- slope and intercept -----------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_slope_and_intercept_are_those_of_a_logistic_regression(seed: int) -> None:
    y, p = overconfident(seed)
    counted, fitted = Calibration.from_probabilities(y, p), logistic_fit(y, p)
    assert ew.measure(counted, "calibration_slope") == pytest.approx(fitted.params[1], rel=1e-8)
    assert ew.measure(counted, "calibration_intercept(slope=fitted)") == pytest.approx(
        fitted.params[0], abs=1e-8
    )
    offset = sm.GLM(y, np.ones(len(y)), family=sm.families.Binomial(), offset=logit(p)).fit(tol=1e-14)
    assert ew.measure(counted, "calibration_intercept") == pytest.approx(offset.params[0], abs=1e-8)
    for name, error in (
        ("calibration_slope", fitted.bse[1]),
        ("calibration_intercept(slope=fitted)", fitted.bse[0]),
        ("calibration_intercept", offset.bse[0]),
    ):
        assert ew.estimate(counted, name).standard_error == pytest.approx(error, rel=1e-5)


def test_the_interval_is_where_the_likelihood_ratio_rejects() -> None:
    """The null model, fitted by statsmodels with the slope held at the bound, is rejected at exactly 5%."""
    y, p = overconfident(4, 80)
    estimate, fitted = (
        ew.estimate(Calibration.from_probabilities(y, p), "calibration_slope"),
        logistic_fit(y, p),
    )
    highest = likelihood(y, p, *fitted.params)
    for bound in estimate.interval(0.95):
        held = sm.GLM(y, np.ones(len(y)), family=sm.families.Binomial(), offset=bound * logit(p)).fit(
            tol=1e-14
        )
        ratio = 2 * (highest - likelihood(y, p, held.params[0], bound))
        assert stats.chi2.sf(ratio, 1) == pytest.approx(0.05, rel=1e-5)
        assert estimate.p_value(bound) == pytest.approx(0.05, rel=1e-4)
    held = sm.GLM(y, np.ones(len(y)), family=sm.families.Binomial(), offset=logit(p)).fit(tol=1e-14)
    ratio = 2 * (highest - likelihood(y, p, held.params[0], 1.0))
    assert estimate.p_value() == pytest.approx(stats.chi2.sf(ratio, 1), rel=1e-6)


def test_many_outcomes_have_the_normal_interval_which_is_the_same() -> None:
    y, p = overconfident(5, 12_000)
    counted, fitted = Calibration.from_probabilities(y, p), logistic_fit(y, p)
    low, high = ew.estimate(counted, "calibration_slope").interval(0.95)
    assert (low, high) == pytest.approx(tuple(fitted.conf_int()[1]), rel=1e-6)
    curve = counted.curve(1)
    fit = Recalibration.fit(curve)
    few = Reliability(curve.values[:300], curve.cases[:300], curve.hits[:300])
    assert fit.slope == pytest.approx(fitted.params[1], rel=1e-8)
    assert type(Recalibration.fit(few).law("slope")) is not type(fit.law("slope"))


def test_forecasts_of_0_and_1_that_were_right_add_nothing() -> None:
    y, p = overconfident(6, 100)
    more = Calibration.from_probabilities(np.append(y, [0, 0, 1]), np.append(p, [0.0, 0.0, 1.0]))
    counted = Calibration.from_probabilities(y, p)
    for name in ("calibration_slope", "calibration_intercept"):
        assert ew.measure(more, name) == ew.measure(counted, name)
        assert ew.estimate(more, name).interval(0.9) == ew.estimate(counted, name).interval(0.9)


@pytest.mark.parametrize(
    ("y", "p", "measure", "reason"),
    [
        ([1, 0, 1], [0.0, 0.3, 0.8], "calibration_slope", "a forecast of 0 came true"),
        ([0, 0, 1], [0.2, 0.3, 0.8], "calibration_slope", "separates the outcomes"),
        ([1, 0, 0], [0.2, 0.3, 0.8], "calibration_slope", "separates the outcomes"),
        ([0, 0, 0], [0.2, 0.3, 0.8], "calibration_intercept", "in every case or in none"),
        ([0, 1, 0], [0.4, 0.4, 0.4], "calibration_slope", "all forecasts are equal"),
        ([0, 1, 0], [0.4, 0.4, 0.4], "ece", "fewer than 2 cases per bin"),
        ([0, 1, 0], [0.5, 0.5, 1.0], "spiegelhalter_z", "0, ½ or 1"),
    ],
)
def test_undefined_has_a_reason(y: list[int], p: list[float], measure: str, reason: str) -> None:
    estimate = ew.estimate(
        Calibration.from_probabilities(y, p, labels=[0, 1] if p is None else None), measure
    )
    assert math.isnan(estimate.value)
    assert estimate.undefined is not None
    assert reason in estimate.undefined


# -- calibration errors ------------------------------------------------------------------------------------

CASES = st.lists(st.tuples(st.integers(0, 20), st.booleans()), min_size=10, max_size=40)


def bins_by_hand(cases: list[tuple[int, bool]], bins: int, binning: str) -> list[list[tuple[Fraction, int]]]:
    """The (forecast, outcome) pairs of each bin: equal forecasts go where their middle case goes."""
    pairs = sorted((Fraction(step, 20), int(y)) for step, y in cases)
    groups: dict[int, list[tuple[Fraction, int]]] = {}
    for value, same in itertools.groupby(enumerate(pairs), key=lambda item: item[1][0]):
        members = list(same)
        middle = Fraction(members[0][0] + members[-1][0] + 1, 2)
        index = int(middle * bins / len(pairs)) if binning == "mass" else min(int(value * bins), bins - 1)
        groups.setdefault(index, []).extend(pair for _, pair in members)
    return list(groups.values())


@given(CASES, st.sampled_from([1, 2, 3, 5]), st.sampled_from(["mass", "width"]))
def test_calibration_errors_in_fractions(cases: list[tuple[int, bool]], bins: int, binning: str) -> None:
    # Twentieths times the number of bins must not fall on an edge by rounding.
    if binning == "width" and bins == 3:
        bins = 4
    absolute = squared = Fraction(0)
    for members in bins_by_hand(cases, bins, binning):
        size = len(members)
        forecast, share = (Fraction(sum(x[k] for x in members), size) for k in (0, 1))
        variance = share * (1 - share) / (size - 1) if size > 1 else members[0][0] * (1 - members[0][0])
        absolute += Fraction(size, len(cases)) * abs(share - forecast)
        squared += Fraction(size, len(cases)) * ((share - forecast) ** 2 - variance)
    curve = Reliability.of(np.array([step / 20 for step, _ in cases]), np.array([y for _, y in cases]))
    counted = Calibration((1,), (curve,))
    options = f"bins={bins}, binning={binning}"
    assert ew.measure(counted, f"ece({options}, debias=no)") == pytest.approx(float(absolute), abs=1e-12)
    assert ew.measure(counted, f"squared_calibration_error({options})") == pytest.approx(
        float(squared), abs=1e-12
    )
    assert 0 <= ew.measure(counted, f"ece({options})") <= float(absolute) + 1e-12


def test_the_debiased_error_subtracts_the_folded_normal_excess() -> None:
    y, p = overconfident(7, 200)
    curve = Calibration.from_probabilities(y, p).curve(1)
    gaps = BinnedGaps.of(curve, 10, "mass")
    spread = np.sqrt(gaps.variances)
    folded = stats.foldnorm.mean(np.abs(gaps.gaps) / spread, scale=spread)
    expected = gaps.absolute - float(gaps.weights @ (folded - np.abs(gaps.gaps)))
    assert gaps.debiased == pytest.approx(expected, rel=1e-10)


def test_the_lower_bound_of_an_error_is_a_quantile_of_half_normal_sums() -> None:
    spreads = np.array([0.02, 0.01, 0.03, 0.015, 0.02, 0.01])
    law = AbsoluteGapLaw(0.2, 0.2, spreads)
    drawn = np.abs(np.random.default_rng(8).normal(size=(400_000, 6))) @ spreads
    low, high = law.interval(0.95)
    assert 0.2 - low == pytest.approx(np.quantile(drawn, 0.975), rel=0.01)
    assert high - 0.2 == pytest.approx(1.959964 * math.sqrt(float(spreads @ spreads)), rel=1e-6)
    assert law.p_value(low, "two-sided") == pytest.approx(0.05, rel=1e-3)


# -- Spiegelhalter's z and the combined test ----------------------------------------------------------------


def test_spiegelhalters_z_is_the_excess_of_the_brier_score() -> None:
    y, p = overconfident(9, 150)
    excess = float(((y - p) ** 2).sum() - (p * (1 - p)).sum())
    z = excess / math.sqrt(float((p * (1 - p) * (1 - 2 * p) ** 2).sum()))
    estimate = ew.estimate(Calibration.from_probabilities(y, p), "spiegelhalter_z")
    assert estimate.value == pytest.approx(z, rel=1e-12)
    assert estimate.p_value(alternative="greater") < estimate.p_value() < 0.05


def test_spiegelhalters_p_value_against_all_outcomes() -> None:
    values, cases, hits = np.array([0.1, 0.3, 0.8]), np.array([4, 3, 5]), np.array([2, 1, 3])
    curve = Reliability(values, cases, hits)
    observed, exact = spiegelhalter_z(curve), 0.0
    for outcome in itertools.product(*(range(n + 1) for n in cases)):
        if abs(spiegelhalter_z(Reliability(values, cases, np.array(outcome)))) >= abs(observed) - 1e-9:
            exact += math.prod(stats.binom.pmf(outcome, cases, values))
    p_value = ew.estimate(Calibration((1,), (curve,)), "spiegelhalter_z").p_value()
    assert p_value == pytest.approx(exact, abs=4 * math.sqrt(exact * (1 - exact) / 10_000))


def test_the_combined_p_value_against_all_outcomes() -> None:
    """The smallest of three exact p-values, held against its own distribution over every outcome."""
    values, cases, hits = np.array([0.2, 0.5, 0.7]), np.array([6, 5, 6]), np.array([4, 3, 2])
    outcomes = list(itertools.product(*(range(n + 1) for n in cases)))
    chances = np.array([math.prod(stats.binom.pmf(outcome, cases, values)) for outcome in outcomes])
    columns = []
    for outcome in outcomes:
        curve = Reliability(values, cases, np.array(outcome))
        rest = curve.hits - cases * values
        bands = reliability_bands(curve, draws=1)
        columns.append((bands.miscalibration, abs(rest @ (1 - 2 * values)), abs(rest.sum())))
    table = np.array(columns)
    p_values = np.stack(
        [[chances[column >= value - 1e-9].sum() for value in column] for column in table.T]
    ).min(axis=0)
    index = outcomes.index(tuple(hits.tolist()))
    exact = chances[p_values <= p_values[index] + 1e-9].sum()
    test = reliability_bands(Reliability(values, cases, hits), draws=20_000).test
    # Drawn ranks stand for exact p-values, which adds a little to the error of the draws.
    assert test.p_value == pytest.approx(exact, abs=6 * math.sqrt(exact * (1 - exact) / 20_000))
    assert test.p_values["in_the_large"] == pytest.approx(
        chances[table[:, 2] >= table[index, 2] - 1e-9].sum(), abs=0.015
    )


def test_an_outcome_that_was_ruled_out_is_rejected() -> None:
    curve = Reliability(np.array([0.0, 0.4]), np.array([20, 20]), np.array([1, 8]))
    assert reliability_bands(curve, draws=99).test.p_value == 0.01
    assert ew.estimate(Calibration((1,), (curve,)), "spiegelhalter_z").p_value() == pytest.approx(1 / 10_001)


def test_what_is_detected_with_a_probability_is_detected_that_often() -> None:
    """Draw outcomes of forecasts as overconfident as the test says it would find with probability 0.8."""
    rng = np.random.default_rng(10)
    p = np.sort(expit(rng.normal(0, 1.5, 250)))
    null = reliability_bands(Reliability.of(p, rng.random(250) < p), draws=400).test
    times = null.detectable_overconfidence(0.05)
    assert times is not None
    assert 1.2 < times < 3
    true = expit(logit(p) / times)
    tests = [
        reliability_bands(Reliability.of(p, rng.random(250) < true), draws=199, rng=seed).test.p_value <= 0.05
        for seed in range(200)
    ]
    # The power of two of the three tests is a lower bound, to four standard errors.
    assert np.mean(tests) > 0.8 - 4 * 0.4 / math.sqrt(200)
    assert np.mean(tests) < 0.95


@pytest.mark.parametrize("cases", [50, 200, 1000])
def test_overconfidence_of_very_rare_events_is_detected_as_often_as_stated(cases: int) -> None:
    """With one forecast, the number of events is binomial: the power can be summed."""
    forecast = 1e-4
    curve = Reliability(np.array([forecast]), np.array([cases]), np.array([0]))
    times = reliability_bands(curve).test.detectable_overconfidence(0.05)
    assert times is not None
    events = np.arange(4)
    bands = [
        reliability_bands(Reliability(curve.values, curve.cases, np.array([count]))).test.p_value
        for count in events
    ]
    is_rejected = np.append(np.array(bands) <= 0.05, True)
    chances = stats.binom.pmf(events, cases, expit(logit(forecast) / times))
    power = float(np.append(chances, 1 - chances.sum()) @ is_rejected)
    # The 300 draws know a power of 0.8 to ±0.023.
    assert power == pytest.approx(0.8, abs=0.1)


def test_nothing_is_detectable_if_forecasts_are_few_or_equal() -> None:
    few = reliability_bands(Reliability(np.array([0.3, 0.7]), np.array([3, 3]), np.array([1, 2])), draws=200)
    assert few.test.detectable_overconfidence(0.05) is None
    half = reliability_bands(Reliability(np.array([0.5]), np.array([500]), np.array([250])), draws=200)
    assert half.test.detectable_overconfidence(0.05) is None
    assert isinstance(half.test, CalibrationTest)


# -- one way for all ---------------------------------------------------------------------------------------


def test_shards_add_to_the_same_estimates() -> None:
    y, p = overconfident(11)
    parts = [Calibration.from_probabilities(y[part], p[part]) for part in (slice(0, 120), slice(120, None))]
    whole = Calibration.from_probabilities(y, p)
    for name in ("calibration_slope", "calibration_intercept", "ece", "spiegelhalter_z"):
        merged = ew.estimate(parts[0] + parts[1], name)
        assert merged.interval(0.9) == ew.estimate(whole, name).interval(0.9)


def test_the_first_of_two_classes_mirrors_the_second() -> None:
    y, p = overconfident(12)
    tally = ew.tally(truth=y, probabilities=p, labels=[0, 1]).tally
    slope = ew.estimate(tally, "calibration_slope[0]")
    assert slope.value == pytest.approx(ew.estimate(tally, "calibration_slope").value, rel=1e-9)
    first, second = (ew.estimate(tally, f"calibration_intercept[{label}]").value for label in (0, 1))
    assert first == pytest.approx(-second, abs=1e-9)
    assert ew.estimate(tally, "ece[0](debias=no)").value == pytest.approx(
        ew.estimate(tally, "ece(debias=no)").value, abs=0.01
    )


def test_three_classes_are_measured_one_against_the_rest() -> None:
    rng = np.random.default_rng(13)
    p = rng.dirichlet([2, 2, 2], 400)
    y = np.array([rng.choice(3, p=row) for row in p])
    tally = ew.tally(truth=y, probabilities=p).tally
    for label in range(3):
        fitted = logistic_fit((y == label).astype(np.int64), p[:, label])
        estimate = ew.estimate(tally, f"calibration_slope[{label}]")
        assert estimate.value == pytest.approx(fitted.params[1], rel=1e-7)
    with pytest.raises(OptionError, match="calibration_slope needs one class"):
        ew.estimate(tally, "calibration_slope")


def test_methods_and_options_are_checked() -> None:
    y, p = overconfident(14)
    counted = Calibration.from_probabilities(y, p)
    estimate = ew.estimate(counted, "calibration_slope")
    assert str(estimate.method) == "profile likelihood, given the forecasts"
    assert ew.estimate(counted, "calibration_slope", method=estimate.method).interval() == estimate.interval()
    with pytest.raises(OptionError, match="means over cases"):
        ew.estimate(counted, "calibration_slope", method=AcrossCases())
    with pytest.raises(OptionError, match="calibration errors"):
        ew.estimate(ew.ForecastScores.from_probabilities(y, p), "brier", method=GivenForecasts())
    with pytest.raises(OptionError, match="whole number"):
        ew.measure(counted, "ece(bins=2.5)")
    with pytest.raises(OptionError, match="mass, width"):
        ew.measure(counted, "ece(binning=quantile)")
    assert {measure.name for measure in ew.catalogue(words="calibration error")} >= {
        "ece",
        "squared_calibration_error",
    }


def test_the_report_shows_them_with_the_area_and_its_interval() -> None:
    y, p = overconfident(15)
    report = ew.evaluate(truth=y, probabilities=p)
    numbers = report.to_dict()
    tally = ew.tally(truth=y, probabilities=p).tally
    estimate = ew.estimate(tally, "calibration_slope")
    assert numbers["calibration"]["1"]["calibration_slope"]["low"] == estimate.interval().low
    area = ew.estimate(tally, "roc_area")
    assert numbers["roc_area_interval"]["1"] == pytest.approx(list(area.interval()))
    assert f"ROC area of the model is {area.value:.3f} (95% CI {area.interval().low:.3f}" in report.verdict
    section = next(section for section in report.sections if section.title == "Calibration")
    assert section.grids[0].rows[0][1] == "slope of log odds (1 if calibrated)"


def test_calibrated_forecasts_say_what_would_have_been_detected() -> None:
    rng = np.random.default_rng(16)
    p = expit(rng.normal(0, 1.5, 300))
    y = (rng.random(300) < p).astype(np.int64)
    report = ew.evaluate(truth=y, probabilities=p)
    times = report.to_dict()["reliability"]["1"]["detectable_overconfidence"]
    # A forecast whose log odds are that many times too extreme says 90% of what occurs this often.
    actual = expit(logit(0.9) / times)
    example = f"80% power if events forecast at 90% occur in {100 * actual:.0f}% of cases"
    assert example in report.verdict


@pytest.mark.parametrize(
    ("shift", "factor", "ways"),
    [
        (0.8, 1.0, ["too high on average"]),
        (-0.8, 1.0, ["too low on average"]),
        (0.0, 2.0, ["too extreme"]),
        (0.0, 0.5, ["not extreme enough"]),
        (0.8, 2.0, ["too high on average", "too extreme"]),
    ],
)
def test_the_verdict_says_which_way_forecasts_are_miscalibrated(
    shift: float, factor: float, ways: list[str]
) -> None:
    rng = np.random.default_rng(17)
    log_odds = rng.normal(0, 1.5, 4_000)
    y = (rng.random(4_000) < expit(log_odds)).astype(np.int64)
    given = expit(factor * log_odds + shift)
    verdict = ew.evaluate(truth=y, probabilities=given).verdict
    every = ["too high on average", "too low on average", "too extreme", "not extreme enough"]
    assert [way for way in every if way in verdict] == ways
    assert (f"(mean {given.mean():.3f}, event rate {y.mean():.3f}; " in verdict) == bool(shift)
    assert ("slope 0." in verdict, "slope 1." in verdict or "slope 2." in verdict) == (
        "too extreme" in ways,
        "not extreme enough" in ways,
    )


@pytest.mark.parametrize(
    ("y", "p"),
    [
        ([0, 1] * 5, [0.2, 0.7] * 5),  # every outcome is the likelier one, so the observed terms hardly vary
        ([0] * 60 + [1], [0.02] * 60 + [0.1]),
        ([1] * 9 + [0], [0.9] * 10),
    ],
)
def test_the_interval_of_z_is_never_surer_than_calibrated_forecasts_are(y: list[int], p: list[float]) -> None:
    estimate = ew.estimate(Calibration.from_probabilities(y, p), "spiegelhalter_z")
    assert estimate.standard_error >= 1
    low, high = estimate.interval(0.95)
    assert high - low >= 2 * 1.959963
    assert (low <= 0 <= high) == (abs(estimate.value) <= 1.959964 * estimate.standard_error)


def test_the_calibration_table_says_why_a_cell_is_empty() -> None:
    y, p = np.array([0, 1, 1, 0] * 15), np.tile([0.2, 0.7, 0.6, 0.4], 15)
    report = ew.evaluate(truth=y, probabilities=p, cluster=np.arange(60) // 3)
    (section,) = (section for section in report.sections if section.title == "Calibration")
    rows = {str(row[1]): str(row[-1]) for row in section.grids[0].rows}
    assert "not supported with clusters" in rows["ECE, debiased, 10 bins of equal numbers"]
    assert "a threshold separates the outcomes" in rows["slope of log odds (1 if calibrated)"]


def test_forecasts_that_are_all_near_1_have_an_example_of_overconfidence() -> None:
    given = np.tile([1 - 1.2e-16, 1.0], 150)
    verdict = ew.evaluate(truth=[1] * 300, probabilities=given, labels=[0, 1]).verdict
    assert "probabilities" in verdict


def test_an_example_of_overconfidence_has_two_different_numbers() -> None:
    for times in (1.0004, 1.002, 1.02, 1.3, 3.0, 50.0):
        for mean in (0.0, 1e-9, 0.014, 0.3, 0.95, 1.0):
            stated, actual = re.findall(r"([0-9.]+)%", overconfidence_example(times, mean))
            assert float(stated) != float(actual)
            assert abs(float(actual) - 50) < abs(float(stated) - 50)


def test_forecasts_that_point_the_wrong_way_are_inverted_and_not_too_extreme() -> None:
    rng = np.random.default_rng(18)
    log_odds = rng.normal(0, 1.5, 2_000)
    y = (rng.random(2_000) < expit(log_odds)).astype(np.int64)
    verdict = ew.evaluate(truth=y, probabilities=expit(-log_odds)).verdict
    assert "inverted" in verdict
    assert "too extreme" not in verdict
