"""Differences of mean scores beside SciPy and statsmodels."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest
from scipy import stats

from edgeworth.comparisons.difference import Difference
from edgeworth.comparisons.forecasts.bets import CaseClusters
from edgeworth.comparisons.forecasts.differences import compare_forecasts, mean_score_difference
from edgeworth.errors import InputError, OptionError
from edgeworth.forecasts.forecasts import Forecasts
from edgeworth.forecasts.scoring_rules import PROPER_SCORES, case_scores

CASES = 400


def three(classes: int, seed: int = 0, cases: int = CASES) -> dict[str, Forecasts]:
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, classes, cases)
    return {
        name: Forecasts.of(truth, rng.dirichlet(np.ones(classes) + 1, cases), labels=range(classes))
        for name in "ABC"
    }


def scores_of(forecasts: Forecasts, score: str) -> np.ndarray[Any, Any]:
    """By the book, class by class."""
    p, y = forecasts.probabilities, np.eye(forecasts.size)[forecasts.codes]
    happened = (p * y).sum(axis=1)
    below = (np.cumsum(p, axis=1) - np.cumsum(y, axis=1)) ** 2
    brier = ((p - y) ** 2).sum(axis=1)
    with np.errstate(divide="ignore"):
        log = -np.log(happened)
    results = {
        "log": log,
        "brier": brier / 2 if forecasts.size == 2 else brier,
        "ranked": below[:, :-1].sum(axis=1),
        "spherical": 1 - happened / np.sqrt((p**2).sum(axis=1)),
    }
    return np.asarray(results[score])


def forecast_difference(
    systems: dict[str, Forecasts], first: str, second: str, score: str, clusters: Any = None
) -> Difference:
    mine, its = (case_scores(systems[name], (score,))[0] for name in (first, second))
    coded = None if clusters is None else CaseClusters.of(clusters, len(mine))
    return mean_score_difference(mine, its, names=(first, second), score=score, clusters=coded)


def close(one: Difference, two: Difference, rel: float = 1e-9) -> None:
    assert one.values == pytest.approx(two.values, rel=1e-12)
    assert one.standard_error == pytest.approx(two.standard_error, rel=rel)
    assert one.p_value("t") == pytest.approx(two.p_value("t"), rel=rel)
    assert one.probability_better == pytest.approx(two.probability_better, rel=rel)


@pytest.mark.parametrize("classes", [2, 3, 5])
@pytest.mark.parametrize("score", PROPER_SCORES)
def test_means_intervals_and_tests_are_those_of_the_paired_t_test(classes: int, score: str) -> None:
    systems = three(classes)
    difference = forecast_difference(systems, "A", "C", score)
    one, two = scores_of(systems["A"], score), scores_of(systems["C"], score)
    peer = stats.ttest_rel(one, two)
    assert difference.values == pytest.approx((one.mean(), two.mean()), rel=1e-12)
    assert difference.p_value() == pytest.approx(peer.pvalue, rel=1e-8)
    for level in (0.9, 0.95, 0.99):
        low, high = peer.confidence_interval(level)
        interval = difference.interval(level)
        assert (interval.low, interval.high) == pytest.approx((low, high), rel=1e-8)
    ratio = (one - two).mean() / (one - two).std(ddof=1) * math.sqrt(CASES)
    assert difference.p_value("wald") == pytest.approx(2 * stats.norm.sf(abs(ratio)), rel=1e-8)
    assert difference.probability_better == pytest.approx(stats.t.cdf(-ratio, CASES - 1), rel=1e-8)
    assert "Student's t posterior" in difference.probability_method
    assert difference.effect is not None
    assert difference.effect.value == pytest.approx(ratio / math.sqrt(CASES), rel=1e-8)
    assert difference.cases == CASES
    assert not difference.is_higher_better
    assert difference.better == ("A" if one.mean() < two.mean() else "C")


def test_the_t_interval_of_the_effect_is_about_the_normal_one() -> None:
    """Noncentral t, inverted: the exact interval under normal differences."""
    systems = three(3)
    effect = forecast_difference(systems, "A", "B", "brier").effect
    assert effect is not None
    ratio = effect.value * math.sqrt(CASES)
    grid = np.linspace(effect.value - 0.2, effect.value + 0.2, 4001)
    inside = grid[np.abs(stats.nct.cdf(ratio, CASES - 1, grid * math.sqrt(CASES)) - 0.5) < 0.475]
    assert tuple(effect.interval()) == pytest.approx((inside.min(), inside.max()), abs=1e-3)


@pytest.mark.parametrize("score", PROPER_SCORES)
def test_diebold_and_mariano_one_ahead_is_the_t_test(score: str) -> None:
    systems = three(3)
    cases = forecast_difference(systems, "B", "C", score)
    assert list(cases.tests) == ["t", "wald", "diebold-mariano"]
    assert cases.p_value("diebold-mariano") == pytest.approx(cases.p_value("t"), rel=1e-9)
    close(cases.mirror(), forecast_difference(systems, "C", "B", score))


def test_clusters_of_one_case_are_cases() -> None:
    systems = three(3)
    clustered = forecast_difference(systems, "A", "B", "log", clusters=np.arange(CASES)[::-1])
    close(clustered, forecast_difference(systems, "A", "B", "log"))


def test_the_clustered_variance_is_cr2_by_its_matrices() -> None:
    """Bell & McCaffrey 2002: residuals of a cluster times (I − H)^(−1/2), H = 11'/n; Satterthwaite's df."""
    systems, rng = three(2), np.random.default_rng(4)
    clusters = np.minimum(rng.geometric(0.1, CASES), 37)
    difference = forecast_difference(systems, "A", "B", "brier", clusters=[f"patient {g}" for g in clusters])
    differences = scores_of(systems["A"], "brier") - scores_of(systems["B"], "brier")
    rest, columns = np.eye(CASES) - 1 / CASES, []
    for cluster in np.unique(clusters):
        here = clusters == cluster
        values, vectors = np.linalg.eigh(rest[np.ix_(here, here)])
        half = vectors @ np.diag(values**-0.5) @ vectors.T
        columns.append(rest[:, here] @ half.sum(axis=1) / CASES)
    influence = np.array(columns)
    variance, spread = float(((influence @ differences) ** 2).sum()), influence @ influence.T
    freedom = float(np.trace(spread) ** 2 / (spread**2).sum())
    assert difference.standard_error == pytest.approx(math.sqrt(variance), rel=1e-9)
    assert difference.p_value() == pytest.approx(
        2 * stats.t.sf(abs(difference.difference) / math.sqrt(variance), freedom), rel=1e-9
    )
    assert difference.cases == len(columns)


def test_one_large_cluster_leaves_too_few_degrees_of_freedom_to_name_a_winner() -> None:
    systems = three(2, cases=230)
    clusters = np.append(np.arange(90) // 3, np.full(140, 30))
    difference = forecast_difference(systems, "A", "B", "brier", clusters=clusters)
    assert "degrees of freedom" in (difference.no_winner or "")
    assert not difference.is_shown(0.95)


def test_copies_of_cases_in_clusters_add_nothing() -> None:
    systems = three(3, cases=60)
    one, two = (scores_of(systems[name], "log") for name in "AB")
    plain = mean_score_difference(one, two, names=("A", "B"), score="log")
    copied = mean_score_difference(
        np.repeat(one, 5),
        np.repeat(two, 5),
        names=("A", "B"),
        score="log",
        clusters=CaseClusters.of(np.repeat(np.arange(60), 5), 300),
    )
    close(plain, copied)
    assert copied.cases == plain.cases == 60


@pytest.mark.parametrize("score", PROPER_SCORES)
def test_identical_systems_do_not_differ(score: str) -> None:
    systems = three(3)
    systems["B"] = systems["A"]
    cases = forecast_difference(systems, "A", "B", score)
    clustered = forecast_difference(systems, "A", "B", score, clusters=np.arange(CASES) % 9)
    for result in (cases, clustered):
        assert (result.difference, result.p_value(), result.p_value("wald")) == (0.0, 1.0, 1.0)
        assert (result.probability_better, result.better) == (0.5, None)
        assert result.law is None
        assert result.mirror().p_value() == 1.0


def test_probability_zero_leaves_the_log_score_undefined_and_the_others_not() -> None:
    systems = three(3, cases=50)
    ruined = systems["A"].probabilities.copy()
    wrong = np.flatnonzero(systems["A"].codes == 2)[:3]
    ruined[wrong] = [0.5, 0.5, 0.0]
    systems["A"] = Forecasts(systems["A"].codes, ruined, systems["A"].labels)
    difference = forecast_difference(systems, "A", "B", "log")
    assert "A gave probability 0 to an outcome that occurred in 3 cases, so" in (difference.undefined or "")
    assert math.isnan(difference.p_value())
    assert math.isnan(difference.interval(0.95).low)
    assert difference.better == "B"
    shown = json.loads(json.dumps(difference.to_dict(), allow_nan=False))
    assert shown["difference"] is None
    assert shown["p_value"] is None
    brier = forecast_difference(systems, "A", "B", "brier")
    assert brier.undefined is None
    mine, its = (scores_of(systems[name], "brier") for name in "AB")
    assert brier.p_value() == pytest.approx(stats.ttest_rel(mine, its).pvalue, rel=1e-9)
    both = {"A": systems["A"], "B": systems["A"]}
    difference = forecast_difference(both, "A", "B", "log")
    assert difference.undefined is not None
    assert all(f"{name} gave probability 0" in difference.undefined for name in "AB")
    assert difference.better is None


def test_what_has_no_spread_has_no_interval() -> None:
    single = {name: Forecasts.of([1], [p], positive=1) for name, p in (("A", 0.5), ("B", 0.25))}
    for result in (
        forecast_difference(single, "A", "B", "brier"),
        forecast_difference(single, "A", "B", "brier", clusters=["x"]),
    ):
        assert result.law is None
        assert result.no_interval is not None
        assert math.isnan(result.p_value())
        assert result.difference == 0.25 - 0.5625
    alike = mean_score_difference(np.full(9, 0.5), np.full(9, 0.25), names=("A", "B"), score="brier")
    assert "the same in every unit" in (alike.no_interval or "")
    paired = mean_score_difference(
        np.full(8, 0.5),
        np.full(8, 0.25),
        names=("A", "B"),
        score="brier",
        clusters=CaseClusters.of(np.arange(8) // 2, 8),
    )
    assert "the same in every unit" in (paired.no_interval or "")


def test_steps_ahead_are_judged_by_diebold_and_mariano() -> None:
    rng = np.random.default_rng(7)
    first, second = np.convolve(rng.random(302), np.ones(3) / 3, "valid"), np.full(300, 0.48)
    difference = mean_score_difference(first, second, names=("A", "B"), score="brier", horizon=3)
    plain = mean_score_difference(first, second, names=("A", "B"), score="brier")
    assert list(difference.tests) == ["diebold-mariano"]
    # Averages of three neighbours: the variance of their mean is three times what independence would make it.
    assert difference.standard_error / plain.standard_error == pytest.approx(math.sqrt(3), rel=0.15)
    interval = difference.interval(0.95)
    assert (interval.low > 0 or interval.high < 0) == (difference.p_value() < 0.05)


def test_few_cases_are_doubted() -> None:
    few = three(2, cases=20)
    assert "20 cases are few" in (forecast_difference(few, "A", "B", "log").caveat or "")
    assert forecast_difference(three(2, cases=30), "A", "B", "log").caveat is None
    clustered = forecast_difference(three(2), "A", "B", "log", clusters=np.arange(CASES) % 5)
    assert "5 clusters are few" in (clustered.caveat or "")


def test_case_scores_are_those_of_the_tally() -> None:
    systems = three(3)
    for score in PROPER_SCORES:
        np.testing.assert_allclose(
            case_scores(systems["A"], (score,))[0], scores_of(systems["A"], score), rtol=1e-12
        )


def test_bad_input_is_refused() -> None:
    systems = three(2)
    with pytest.raises(OptionError, match="there is no measure 'crps'"):
        compare_forecasts(systems, measures=["crps"])
    with pytest.raises(InputError, match="clusters has 3 rows"):
        compare_forecasts(systems, clusters=[1, 2, 3])
    with pytest.raises(InputError, match="missing in row 2"):
        CaseClusters.of(["x", None], 2)
    with pytest.raises(OptionError, match="one of the two"):
        compare_forecasts(systems, clusters=np.arange(CASES), horizon=2)
    for horizon in (0, -1, True, 1.5):
        with pytest.raises(OptionError, match="whole number"):
            compare_forecasts(systems, horizon=horizon)  # type: ignore[arg-type]  # refused on purpose
    other = {**systems, "B": systems["B"][:-1]}
    with pytest.raises(InputError, match="same cases"):
        compare_forecasts(other)
    nothing = mean_score_difference(np.zeros(0), np.zeros(0), names=("A", "B"), score="log")
    assert nothing.undefined == "there are no cases"
