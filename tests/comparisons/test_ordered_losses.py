"""Losses in time order: Diebold and Mariano's test as in statsmodels, and the confidence sequence's laws."""

from __future__ import annotations

import math

import numpy as np
import pytest
import statsmodels.api as sm  # type: ignore[import-untyped]  # it has no stubs
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from edgeworth.common.arrays import Floats
from edgeworth.comparison import compare
from edgeworth.comparisons.comparison import Comparison
from edgeworth.comparisons.ordered_losses import describe_autocorrelation, loss_sequence
from edgeworth.errors import OptionError


def overlapping(rows: int, order: int, seed: int = 5) -> dict[str, Floats]:
    """Draw losses of two forecasters whose differences are a moving average."""
    rng = np.random.default_rng(seed)
    noise = rng.normal(size=rows + order)
    moved = np.convolve(noise, np.ones(order + 1), "valid")
    base = rng.exponential(size=rows)
    return {"old": base + 0.3 * moved + 3.2, "new": base + 3.0}


def compare_in_order(systems: dict[str, Floats], **options: object) -> Comparison:
    return compare(  # type: ignore[arg-type]  # options by name
        systems=systems, kind="grades", lower_is_better=True, ordered=True, **options
    )


@pytest.mark.parametrize("horizon", [1, 2, 3, 4])
def test_the_test_agrees_with_statsmodels(horizon: int) -> None:
    systems, rows = overlapping(200, horizon - 1), 200
    mean = compare_in_order(systems, horizon=horizon)["old", "new"]["mean"]
    words = {"maxlags": horizon - 1, "kernel": "uniform", "use_correction": False}
    peer = sm.OLS(systems["old"] - systems["new"], np.ones(rows)).fit(cov_type="HAC", cov_kwds=words)
    # Harvey, Leybourne & Newbold 1997, equation 8, with n − 1 degrees of freedom.
    factor = math.sqrt((rows + 1 - 2 * horizon + horizon * (horizon - 1) / rows) / rows)
    statistic = float(peer.params[0] / peer.bse[0]) * factor
    assert list(mean.tests) == ["diebold-mariano"]
    assert mean.p_value() == pytest.approx(2 * stats.t.sf(abs(statistic), rows - 1), rel=1e-9)
    half = stats.t.ppf(0.975, rows - 1) * peer.bse[0] / factor
    assert mean.interval() == pytest.approx((peer.params[0] - half, peer.params[0] + half), rel=1e-9)


def test_the_direction_is_the_grades_own() -> None:
    systems = overlapping(200, 0)
    lower = compare_in_order(systems)["old", "new"]["mean"]
    higher = compare(systems=systems, kind="grades", ordered=True)["old", "new"]["mean"]
    assert (lower.better, higher.better) == ("new", "old")
    assert lower.probability_better == pytest.approx(1 - higher.probability_better)


def test_rows_stay_in_their_order_beyond_the_tenth() -> None:
    # Sorted as text, row 10 would come before row 2.
    systems = overlapping(40, 2)
    arrays = systems["old"] - systems["new"]
    rest = arrays - arrays.mean()
    mean = compare_in_order(systems, horizon=3, grade_range=(-9.0, 9.0))["old", "new"]["mean"]
    variance = sum((1 if lag == 0 else 2) * (rest[lag:] * rest[: 40 - lag]).sum() for lag in range(3)) / 40
    assert mean.standard_error**2 == pytest.approx(variance / 40 / (37 * 38 / 1600))


@settings(max_examples=20, deadline=None)
@given(scale=st.sampled_from([0.01, 1.0, 250.0]), seed=st.integers(0, 50))
def test_a_sequence_moves_with_the_unit(scale: float, seed: int) -> None:
    values = np.random.default_rng(seed).random((60, 2))
    plain, scaled = loss_sequence(values, 1.0, 0.95), loss_sequence(values * scale, scale, 0.95)
    assert np.allclose(np.array(scaled.last), np.array(plain.last) * scale)


def test_a_stated_range_adds_a_sequence_that_is_wider_than_the_interval() -> None:
    rng = np.random.default_rng(8)
    systems = {"old": rng.uniform(0.2, 1, 400), "new": rng.uniform(0, 0.8, 400)}
    comparison = compare_in_order(systems, grade_range=(0.0, 1.0))
    [sequence] = comparison.to_dict()["comparison"]["loss_sequences"]
    low, high = comparison["old", "new"]["mean"].interval()
    assert sequence["low"] < low < high < sequence["high"]
    assert sequence["low"] > 0
    assert "If you look repeatedly" in {section.title for section in comparison.report.sections}
    for options in ({}, {"grade_range": (0.0, 1.0), "horizon": 2}):
        assert "loss_sequences" not in compare_in_order(systems, **options).to_dict()["comparison"]


def test_correlated_neighbours_are_reported_until_the_horizon_counts_them() -> None:
    systems = overlapping(300, 2)
    differences = systems["old"] - systems["new"]
    assert "neighbouring rows" in str(describe_autocorrelation(differences, 1))
    assert describe_autocorrelation(differences, 3) is None
    report = compare_in_order(systems).report
    assert "longer --horizon" in " ".join((report.verdict, *report.warnings))


def test_few_rows_without_a_range_name_no_winner() -> None:
    findings = compare_in_order(overlapping(100, 0))
    assert findings["old", "new"]["mean"].no_winner is not None
    assert not findings.findings.is_conclusive("old", "new")


@pytest.mark.parametrize("options", [{"id": list("abcd")}, {"cluster": list("aabb")}, {"adjust": "tukey"}])
def test_options_that_contradict_an_order_are_refused(options: dict[str, object]) -> None:
    with pytest.raises(OptionError, match="ordered"):
        compare_in_order({"old": np.arange(4.0), "new": np.ones(4)}, **options)


@pytest.mark.parametrize("law", ["uniform", "rare", "drifting"])
def test_a_sequence_holds_at_all_rows_together(law: str) -> None:
    """Stop as soon as the sequence excludes the mean so far: that happens in at most 5% of series."""
    rng = np.random.default_rng(17)
    series, rows, range_of_losses = 1500, 400, 2.0
    stopped = 0
    for _ in range(series):
        if law == "rare":
            losses = range_of_losses * (rng.random((rows, 2)) < 0.03)
        else:
            losses = rng.uniform(0, range_of_losses, (rows, 2))
        drift = 0.4 * np.sin(np.arange(rows) / 40) if law == "drifting" else np.zeros(rows)
        losses[:, 0] = losses[:, 0] * (1 - abs(drift)) + range_of_losses * np.maximum(drift, 0)
        expected = -abs(drift) * range_of_losses / 2 + range_of_losses * np.maximum(drift, 0)
        so_far = expected.cumsum() / np.arange(1, rows + 1)
        sequence = loss_sequence(losses, range_of_losses, 0.95)
        stopped += bool(((sequence.low > so_far) | (sequence.high < so_far)).any())
    assert stopped / series <= 0.05 + 2 * math.sqrt(0.05 * 0.95 / series)
