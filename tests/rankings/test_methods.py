"""Methods for rankings against computations that share nothing with them: deleting cases, enumerating."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from concurrent import futures
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

import edgeworth as ew
from edgeworth.errors import OptionError
from edgeworth.methods import (
    AcrossLists,
    BetaPosterior,
    Bootstrap,
    Boyd,
    Delta,
    Dirichlet,
    Influence,
    Survival,
    Wilson,
)
from edgeworth.rankings.intervals import resampling as ranking_resampling
from edgeworth.rankings.measure_lookup import resolve_ranking

Case = tuple[int, float]
LEVELS = (0.5, 0.8, 0.95, 0.999)

strict_lists = st.lists(st.integers(0, 1), min_size=2, max_size=14)
cases_with_ties = st.lists(st.tuples(st.integers(0, 1), st.integers(0, 4)), min_size=4, max_size=14)


def ranking_of(cases: list[Case], unranked: int = 0) -> ew.Ranking:
    truth, scores = zip(*cases, strict=True)
    return ew.Ranking.from_scores(truth, [float(score) for score in scores], positive=1, unranked=unranked)


def random_cases(seed: int, size: int, levels: int | None = None, share: float = 0.3) -> list[Case]:
    """Scores with or without ties, targets a little higher."""
    rng = np.random.default_rng(seed)
    truth = (rng.random(size) < share).astype(int)
    truth[:3], truth[3:6] = 1, 0
    scores = rng.normal(size=size) + truth
    if levels is not None:
        scores = np.digitize(scores, np.linspace(-1.5, 2, levels - 1)).astype(float)
    return list(zip(truth.tolist(), scores.tolist(), strict=True))


# -- the survival view and Boyd's interval -------------------------------------------------------------


def double_sum(hits: list[int], unranked: int) -> Fraction:
    """``(1/m) Σ_i Σ_j min(i,j)/m (1 − max(i,j)/m)/(t_i t_j)`` as written."""
    ranks = [rank for rank, hit in enumerate(hits, 1) if hit]
    many = len(ranks) + unranked
    total = Fraction(0)
    for (i, t_i), (j, t_j) in itertools.product(enumerate(ranks, 1), repeat=2):
        total += Fraction(min(i, j), many) * (1 - Fraction(max(i, j), many)) / (t_i * t_j)
    return total / many


@given(strict_lists, st.integers(0, 3))
def test_survival_variance_is_the_double_sum(hits: list[int], unranked: int) -> None:
    assume(sum(hits) + unranked >= 2 and sum(hits))
    ranking = ew.Ranking.from_hits(hits, unranked=unranked)
    error = ew.estimate(ranking, "average_precision", method=Survival()).standard_error
    assert error**2 == pytest.approx(float(double_sum(hits, unranked)), rel=1e-12, abs=1e-15)


def test_survival_is_four_times_too_wide_for_a_strong_ranker() -> None:
    # 3000 items, 245 targets, average precision near 0.89: Su & Zhang's error beside the jackknife's.
    rng = np.random.default_rng(1)
    truth = np.repeat([1, 0], [245, 2755])
    ranking = ew.Ranking.from_scores(truth, rng.normal(size=3000) + 2.9 * truth)
    survival, population = (
        ew.estimate(ranking, "average_precision", method=method) for method in (Survival(), Influence())
    )
    assert 0.86 < survival.value < 0.92
    assert 3 < survival.standard_error / population.standard_error < 5


def one_half(targets: int) -> ew.Ranking:
    """Targets at the even ranks: the i-th stands at 2i, so average precision is 1/2."""
    return ew.Ranking.from_hits([0, 1] * targets)


def test_survival_stays_between_0_and_1_and_says_that_it_was_cut() -> None:
    few = ew.estimate(ew.Ranking.from_hits([1, 0, 1, 1, 0, 0]), "average_precision", method=Survival())
    low, high = few.interval(0.95)
    assert low == pytest.approx(few.value - stats.norm.ppf(0.975) * few.standard_error)
    assert high == 1.0
    assert few.caveat is not None
    strong = ew.Ranking.from_hits([1, 0] * 100 + [0] * 300)
    assert ew.estimate(strong, "average_precision", method=Survival()).caveat is None


@pytest.mark.parametrize("level", [0.5, 0.95, 0.999])
@pytest.mark.parametrize("seed", range(3))
def test_intervals_over_lists_stay_in_the_range_at_the_depth(seed: int, level: float) -> None:
    rng = np.random.default_rng(seed)
    query = np.repeat(np.arange(6), rng.integers(3, 40, 6))
    truth = rng.random(len(query)) < rng.choice([0.1, 0.5, 0.9], 6)[query]
    lists = ew.RankedLists.from_scores(
        truth, rng.normal(size=len(query)) + 2 * truth, groups=query, ids=np.arange(len(query))
    )
    depths = {"none": ("",), "optional": ("", "@4"), "required": ("@1", "@10")}
    spellings = [f"{m.name}{at}" for m in ew.catalogue(kind="rankings") for at in depths[m.depth]]
    for spelling in [*spellings, "value@10(gain=-2, cost=0.5)", "enrichment_factor(fraction=0.3)"]:
        result, (lowest, highest) = ew.estimate(lists, spelling), resolve_ranking(lists, spelling).range
        results = [value for value in ew.measure_each(lists, spelling).values() if not math.isnan(value)]
        ends = [*results, *(result.interval(level) if result.law is not None else ())]
        assert lowest - 1e-9 <= min(ends) <= max(ends) <= highest + 1e-9, spelling


def test_ten_items_hold_at_most_ten_hits() -> None:
    many, one = [*[1] * 10, *[0] * 10], [1, *[0] * 19]
    lists = ew.RankedLists.from_scores(
        [*many, *many, *one], -np.arange(60.0), groups=np.repeat(["many", "more", "one"], 20)
    )
    assert ew.estimate(lists, "hits@10").value == 7
    assert ew.estimate(lists, "hits@10").interval(0.95).high <= 10


def test_boyd_as_published() -> None:
    estimate = ew.estimate(one_half(20), "average_precision", method=Boyd())
    assert estimate.value == pytest.approx(0.5, abs=1e-15)
    assert [round(bound, 5) for bound in estimate.interval(0.95)] == [0.29390, 0.70610]


@given(strict_lists, st.integers(0, 2), st.sampled_from(LEVELS))
def test_boyd_by_its_formula(hits: list[int], unranked: int, level: float) -> None:
    ranking = ew.Ranking.from_hits(hits, unranked=unranked)
    value = ew.measure(ranking, "average_precision")
    assume(0 < value < 1 - 1e-9)
    targets = sum(hits) + unranked
    reach = stats.norm.isf((1 - level) / 2) / math.sqrt(targets * value * (1 - value))
    middle = math.log(value / (1 - value))
    bounds = ew.estimate(ranking, "average_precision", method=Boyd()).interval(level)
    expected = [1 / (1 + math.exp(-(middle + side * reach))) for side in (-1, 1)]
    assert list(bounds) == pytest.approx(expected, rel=1e-12)


# -- influence of average precision: delete each case and measure again --------------------------------


def jackknife_error(rankings: list[tuple[ew.Ranking, int]], spelling: str) -> float:
    """Tukey's √((n − 1)/n Σ (θ₍ᵢ₎ − mean)²) from the rankings that lack a case, and how often each occurs."""
    values = np.array([ew.measure(ranking, spelling) for ranking, _ in rankings])
    counts = np.array([count for _, count in rankings], dtype=float)
    size = counts.sum()
    mean = (counts * values).sum() / size
    return math.sqrt((size - 1) / size * (counts * (values - mean) ** 2).sum())


def lacking_each(cases: list[Case], unranked: int = 0) -> list[tuple[ew.Ranking, int]]:
    results = [(ranking_of(cases[:index] + cases[index + 1 :], unranked), 1) for index in range(len(cases))]
    return results + ([(ranking_of(cases, unranked - 1), unranked)] if unranked else [])


@pytest.mark.parametrize("ties", ["expected", "threshold"])
@pytest.mark.parametrize("levels", [None, 3, 6, 15], ids=lambda levels: f"{levels} levels")
@pytest.mark.parametrize("size", [9, 30, 120])
def test_influence_on_average_precision_is_the_jackknife(ties: str, levels: int | None, size: int) -> None:
    cases = random_cases(size, size, levels)
    spelling = f"average_precision(ties={ties})"
    error = ew.estimate(ranking_of(cases), spelling, method=Influence()).standard_error
    assert error == pytest.approx(jackknife_error(lacking_each(cases), spelling), rel=1e-9)


@given(cases_with_ties, st.sampled_from(["expected", "threshold"]))
def test_influence_is_the_jackknife_of_any_small_ranking(cases: list[Case], ties: str) -> None:
    targets = sum(truth for truth, _ in cases)
    assume(2 <= targets <= len(cases) - 1)
    spelling = f"average_precision(ties={ties})"
    expected = jackknife_error(lacking_each(cases), spelling)
    assume(expected > 1e-9)
    estimate = ew.estimate(ranking_of(cases), spelling, method=Influence())
    assert estimate.value == pytest.approx(ew.measure(ranking_of(cases), spelling), rel=1e-12)
    assert estimate.standard_error == pytest.approx(expected, rel=1e-7)


@pytest.mark.parametrize("spelling", ["average_precision", "average_precision(ties=threshold)", "roc_auc"])
def test_counts_are_repeated_rows(spelling: str) -> None:
    rng = np.random.default_rng(3)
    cases = random_cases(4, 40, 6)
    counts = rng.integers(1, 5, len(cases))
    truth, scores = zip(*cases, strict=True)
    counted = ew.Ranking.from_scores(truth, scores, weights=counts)
    repeated = ew.Ranking.from_scores(np.repeat(truth, counts), np.repeat(scores, counts))
    first, second = (ew.estimate(item, spelling, method=Influence()) for item in (counted, repeated))
    assert first.value == pytest.approx(second.value, rel=1e-14)
    assert first.standard_error == pytest.approx(second.standard_error, rel=1e-12)
    assert list(first.interval()) == pytest.approx(list(second.interval()), rel=1e-12)


@pytest.mark.parametrize("ties", ["expected", "threshold"])
@pytest.mark.parametrize("unranked", [1, 4])
def test_targets_never_ranked_are_cases_too(ties: str, unranked: int) -> None:
    cases = random_cases(7, 40, 12)
    spelling = f"average_precision(ties={ties})"
    estimate = ew.estimate(ranking_of(cases, unranked), spelling, method=Influence())
    expected = jackknife_error(lacking_each(cases, unranked), spelling)
    assert estimate.standard_error == pytest.approx(expected, rel=1e-9)


def ranking_with_effects(seed: int, size: int) -> tuple[ew.Ranking, np.ndarray, np.ndarray]:
    """A ranking without ties, its hits and the infinitesimal jackknife's D_k (MATH B4), in rank order."""
    rng = np.random.default_rng(seed)
    truth = (rng.random(size) < 0.2).astype(int)
    scores = rng.normal(size=size) + 1.5 * truth
    hit = truth[np.argsort(-scores)]
    seen = np.arange(1.0, size + 1)
    result = np.cumsum(hit)
    many, value = hit.sum(), (hit * result / seen).sum() / hit.sum()
    later = np.cumsum((hit * (seen - result) / seen**2)[::-1])[::-1]
    below = np.cumsum((hit * result / seen**2)[::-1])[::-1]
    effects = np.where(hit == 1, result / seen - value + later, -below) / many
    return ew.Ranking.from_scores(truth, scores), hit, effects


def test_infinitesimal_and_finite_jackknife_agree_on_large_samples() -> None:
    ranking, _, effects = ranking_with_effects(5, 20_000)
    assert effects.sum() == pytest.approx(0, abs=1e-9)
    error = ew.estimate(ranking, "average_precision").standard_error
    assert error == pytest.approx(math.sqrt((effects**2).sum()), rel=0.005)


# -- influence on the ROC area: DeLong's structural components -----------------------------------------


def delong_error(cases: list[Case], unranked: int = 0) -> float:
    """√(S₁₀/m + S₀₁/b) from every pair of a target and a background case."""
    scores = [score for truth, score in cases if truth] + [-math.inf] * unranked
    others = [score for truth, score in cases if not truth]
    wins = np.array([[(above > below) + 0.5 * (above == below) for below in others] for above in scores])
    return math.sqrt(
        wins.mean(axis=1).var(ddof=1) / len(scores) + wins.mean(axis=0).var(ddof=1) / len(others)
    )


@pytest.mark.parametrize("levels", [None, 3, 8], ids=lambda levels: f"{levels} levels")
@pytest.mark.parametrize("size", [12, 60, 200])
@pytest.mark.parametrize("unranked", [0, 3])
def test_influence_on_the_roc_area_is_delong(levels: int | None, size: int, unranked: int) -> None:
    cases = random_cases(size + 1, size, levels)
    estimate = ew.estimate(ranking_of(cases, unranked), "roc_auc", method=Influence())
    assert estimate.standard_error == pytest.approx(delong_error(cases, unranked), rel=1e-10)


@given(cases_with_ties)
def test_delong_of_any_small_ranking(cases: list[Case]) -> None:
    targets = sum(truth for truth, _ in cases)
    assume(2 <= targets <= len(cases) - 2)
    expected = delong_error(cases)
    assume(expected > 1e-9)
    value = ew.measure(ranking_of(cases), "roc_auc")
    assume(0 < value < 1)
    assert ew.estimate(ranking_of(cases), "roc_auc").standard_error == pytest.approx(expected, rel=1e-9)


# -- sampling weights ----------------------------------------------------------------------------------


@pytest.mark.parametrize("spelling", ["average_precision(ties=threshold)", "roc_auc"])
@pytest.mark.parametrize("weight", [2.0, 0.25])
def test_equal_weights_change_nothing(spelling: str, weight: float) -> None:
    truth, scores = zip(*random_cases(11, 300, None, 0.2), strict=True)
    plain = ew.estimate(ew.Ranking.from_scores(truth, scores), spelling)
    weighted = ew.estimate(
        ew.Ranking.from_scores(truth, scores, weights=np.full(len(truth), weight)), spelling
    )
    assert weighted.value == pytest.approx(plain.value, rel=1e-12)
    assert weighted.standard_error == pytest.approx(plain.standard_error, rel=1e-10)
    assert list(weighted.interval()) == pytest.approx(list(plain.interval()), rel=1e-9)
    assert weighted.caveat == plain.caveat


@pytest.mark.parametrize("spelling", ["average_precision(ties=threshold)", "roc_auc"])
def test_equal_weights_of_few_targets_are_doubted_as_much(spelling: str) -> None:
    truth, scores = zip(*random_cases(12, 150, None, 0.25), strict=True)
    doubts = [
        ew.estimate(ew.Ranking.from_scores(truth, scores, weights=weights), spelling).caveat
        for weights in (None, np.full(len(truth), 4.0))
    ]
    assert "targets" in str(doubts[0])
    assert doubts[1] == doubts[0]


@pytest.mark.slow
@pytest.mark.parametrize("spelling", ["average_precision(ties=threshold)", "roc_auc"])
def test_weighted_error_is_the_linearised_one(spelling: str) -> None:
    # Σ w² D², D the derivative of the measure by a case's weight, taken numerically.
    rng = np.random.default_rng(13)
    truth, scores = zip(*random_cases(14, 400, None, 0.4), strict=True)
    weights = rng.uniform(0.5, 2.0, len(truth))

    def value(moved: np.ndarray) -> float:
        return ew.measure(ew.Ranking.from_scores(truth, scores, weights=moved), spelling)

    slopes = []
    for index in range(len(truth)):
        step = np.zeros(len(truth))
        step[index] = 1e-5
        slopes.append((value(weights + step) - value(weights - step)) / 2e-5)
    linearised = math.sqrt((weights**2 * np.square(slopes)).sum())
    ranking = ew.Ranking.from_scores(truth, scores, weights=weights)
    # The jackknife takes whole cases away, so the two differ by some cases in 400.
    assert ew.estimate(ranking, spelling).standard_error == pytest.approx(linearised, rel=0.03)


@pytest.mark.parametrize("spelling", ["average_precision(ties=threshold)", "roc_auc"])
@pytest.mark.parametrize("weights", [(1.0, 4.0), (3.0, 0.5)], ids=str)
def test_weights_that_differ_between_classes(spelling: str, weights: tuple[float, float]) -> None:
    # Background sampled more thinly than targets, as is usual: each case is deleted with its own weight.
    truth, scores = (np.array(column) for column in zip(*random_cases(16, 200, None, 0.3), strict=True))
    own = np.where(truth == 1, *weights)

    def without(*places: int) -> ew.Ranking:
        columns = (np.delete(column, places) for column in (truth, scores, own))
        kept, values, weight = columns
        return ew.Ranking.from_scores(kept, values, weights=weight)

    expected = jackknife_error([(without(index), 1) for index in range(len(truth))], spelling)
    # A weighted error is not unique by factors of (n − 1)/n: some cases in 60.
    assert ew.estimate(without(), spelling).standard_error == pytest.approx(expected, rel=0.03)


def test_methods_of_whole_cases_refuse_weights() -> None:
    truth, scores = zip(*random_cases(15, 30), strict=True)
    ranking = ew.Ranking.from_scores(truth, scores, weights=np.full(30, 1.5))
    for method in (Boyd(), Survival(), Bootstrap(draws=20)):
        with pytest.raises(OptionError, match="Influence"):
            ew.estimate(ranking, "average_precision", method=method)


# -- what any interval must be -------------------------------------------------------------------------


def check_intervals(estimate: ew.Estimate, *, is_bounded: bool = True) -> None:
    """Inside [0, 1], around the value, wider at a higher level; the p-value agrees with them."""
    bounds = [estimate.interval(level) for level in LEVELS]
    for interval, wider in itertools.pairwise(bounds):
        assert wider.low <= interval.low <= estimate.value + 1e-12
        assert wider.high >= interval.high >= estimate.value - 1e-12
    if is_bounded:
        assert bounds[-1].low >= 0
        assert bounds[-1].high <= 1
    for null in np.linspace(0.02, 0.98, 9):
        p_value = estimate.p_value(float(null))
        assert 0 <= p_value <= 1
        for level, interval in zip(LEVELS, bounds, strict=True):
            if min(abs(null - interval.low), abs(null - interval.high)) > 1e-9:
                assert (null in interval) == (p_value > 1 - level)


@given(cases_with_ties, st.integers(0, 2))
def test_every_interval_is_coherent_or_has_a_reason(cases: list[Case], unranked: int) -> None:
    ranking = ranking_of(cases, unranked) if any(truth for truth, _ in cases) else None
    assume(ranking is not None)
    for spelling in ("average_precision", "average_precision(ties=threshold)", "roc_auc"):
        estimate = ew.estimate(ranking, spelling)
        if estimate.undefined is not None:
            assert math.isnan(estimate.value)
            assert math.isnan(estimate.p_value(0.5))
        elif estimate.law is None:
            assert len(str(estimate.no_interval)) > 20
            assert all(math.isnan(bound) for bound in estimate.interval())
        else:
            check_intervals(estimate)


@pytest.mark.parametrize("method", [Influence(), Boyd()], ids=str)
@pytest.mark.parametrize("levels", [None, 5], ids=lambda levels: f"{levels} levels")
def test_duality_on_larger_rankings(method: Any, levels: int | None) -> None:
    ranking = ranking_of(random_cases(21, 150, levels))
    check_intervals(ew.estimate(ranking, "average_precision", method=method))


@pytest.mark.parametrize("alternative", ["greater", "less"])
def test_one_sided_tests_are_half_of_the_two_sided_one(alternative: Any) -> None:
    estimate = ew.estimate(ranking_of(random_cases(22, 80)), "average_precision")
    null = estimate.value + (-0.1 if alternative == "greater" else 0.1)
    assert estimate.p_value(null, alternative) == pytest.approx(estimate.p_value(null) / 2)


# -- the ends: separated, tied, one case, one class ----------------------------------------------------


@pytest.mark.parametrize("spelling", ["average_precision", "average_precision(ties=threshold)", "roc_auc"])
@pytest.mark.parametrize("background", [2, 3, 7, 40])
@pytest.mark.parametrize("targets", [2, 3, 5, 6, 10, 49])
def test_perfect_separation_is_not_certain(spelling: str, targets: int, background: int) -> None:
    ranking = ew.Ranking.from_hits([1] * targets + [0] * background)
    estimate = ew.estimate(ranking, spelling)
    assert estimate.value == pytest.approx(1, abs=1e-12)
    assert estimate.no_interval is None
    assert "separated" in str(estimate.caveat)
    assert 0 < estimate.interval().low < 0.95
    assert estimate.interval().high == 1
    check_intervals(estimate)


@pytest.mark.slow
@pytest.mark.parametrize("spelling", ["average_precision", "average_precision(ties=threshold)"])
def test_separation_is_seen_whatever_the_rounding(spelling: str) -> None:
    # Sums of 1/k round: a value of 1 − 1e-16 is still 1.
    for targets, background in itertools.product(range(2, 80), (1, 2, 7, 30)):
        truth = [1] * targets + [0] * background
        for scores in (range(len(truth), 0, -1), [2 + (i % 3) for i in range(targets)] + [1] * background):
            estimate = ew.estimate(ew.Ranking.from_scores(truth, [float(x) for x in scores]), spelling)
            assert estimate.no_interval is None, (targets, background)
            assert estimate.interval().high == 1


@pytest.mark.parametrize("spelling", ["roc_auc", "average_precision"])
def test_nulls_at_the_ends_of_a_separated_ranking(spelling: str) -> None:
    estimate = ew.estimate(ew.Ranking.from_hits([1] * 5 + [0] * 10), spelling)
    assert estimate.p_value(1.0) == 1
    assert 0 <= estimate.p_value(0.0) < 1e-9
    assert 0 <= estimate.p_value(0.0, "greater") < 1e-9
    assert estimate.p_value(0.0, "less") == 1


def test_perfectly_wrong_is_not_certain_either() -> None:
    ranking = ew.Ranking.from_hits([0] * 30 + [1] * 8)
    right = ew.estimate(ew.Ranking.from_hits([1] * 8 + [0] * 30), "roc_auc").interval()
    wrong = ew.estimate(ranking, "roc_auc").interval()
    assert list(wrong) == pytest.approx([1 - right.high, 1 - right.low])
    check_intervals(ew.estimate(ranking, "roc_auc"))
    check_intervals(ew.estimate(ranking, "average_precision"))


def test_separated_roc_area_has_clopper_and_pearson_s_bound() -> None:
    ranking = ew.Ranking.from_hits([1] * 7 + [0] * 30)
    low = ew.estimate(ranking, "roc_auc").interval(0.95).low
    assert low == pytest.approx(stats.binomtest(7, 7).proportion_ci(0.95, "exact").low)


def test_no_information_gives_a_reason_or_a_wide_interval() -> None:
    tied = ew.Ranking.from_scores([1, 0, 1, 0, 0, 0], [0.5] * 6)
    area = ew.estimate(tied, "roc_auc")
    assert area.value == 0.5
    assert "no case changes the value" in str(area.no_interval)
    assert math.isnan(area.p_value(0.7))
    # With the sizes of the classes drawn too, average precision of one tie does vary.
    check_intervals(ew.estimate(tied, "average_precision"))


@pytest.mark.parametrize(
    ("hits", "unranked", "spelling", "reason"),
    [
        ([0, 1, 0, 0], 0, "average_precision", "two targets"),
        ([0, 1, 0, 0], 0, "roc_auc", "two cases of each kind"),
        ([1, 1, 0, 1], 0, "roc_auc", "two cases of each kind"),
        ([1, 1, 1], 0, "average_precision", "no case changes the value"),
        ([0, 0, 0], 2, "average_precision", "no case changes the value"),
    ],
)
def test_what_has_no_interval_says_why(hits: list[int], unranked: int, spelling: str, reason: str) -> None:
    ranking = ew.Ranking.from_hits(hits, unranked=unranked)
    estimate = ew.estimate(ranking, spelling)
    assert not math.isnan(estimate.value)
    assert reason in str(estimate.no_interval)
    with pytest.raises(OptionError, match=reason):
        ew.estimate(ranking, spelling, method=Influence())


@pytest.mark.parametrize("spelling", ["average_precision", "roc_auc"])
@pytest.mark.parametrize(("hits", "reason"), [([0, 0, 0], "no targets"), ([1, 1], "every ranked item")])
def test_one_class_is_undefined_with_a_reason(hits: list[int], reason: str, spelling: str) -> None:
    estimate = ew.estimate(ew.Ranking.from_hits(hits), spelling)
    if spelling == "roc_auc" or not any(hits):
        assert reason in str(estimate.undefined)
        assert math.isnan(estimate.value)
    else:
        assert estimate.value == 1


def test_one_hit_tells_survival_nothing() -> None:
    # One event has no variance in the survival view, which proves nothing: no interval of width 0.
    ranking = ew.Ranking.from_hits([0, 1, 0, 0])
    with pytest.raises(OptionError, match="target"):
        ew.estimate(ranking, "average_precision", method=Survival())


def test_methods_refuse_what_they_cannot_do() -> None:
    ranking = ranking_of(random_cases(23, 40))
    lists = ew.RankedLists.from_scores([1, 0, 0, 1], [0.9, 0.1, 0.8, 0.2], groups=["a", "a", "b", "b"])
    for method in (Boyd(), Survival(), Influence()):
        with pytest.raises(OptionError, match="average_precision"):
            ew.estimate(ranking, "ndcg", method=method)
        with pytest.raises(OptionError, match="average_precision"):
            ew.estimate(ranking, "average_precision@10", method=method)
        with pytest.raises(OptionError, match="AcrossLists"):
            ew.estimate(lists, "average_precision", method=method)
    for method in (Boyd(), Survival()):
        with pytest.raises(OptionError, match="not roc_auc"):
            ew.estimate(ranking, "roc_auc", method=method)
    with pytest.raises(OptionError, match="several lists"):
        ew.estimate(ranking, "average_precision", method=AcrossLists())
    for method in (
        Delta(),
        Wilson(),
        Dirichlet(),
        BetaPosterior(),
    ):
        with pytest.raises(OptionError, match="for decisions"):
            ew.estimate(ranking, "average_precision", method=method)
    with pytest.raises(OptionError, match="undefined for an average precision of 1"):
        ew.estimate(ew.Ranking.from_hits([1, 1, 0]), "average_precision", method=Boyd())


def test_defaults_suit_the_measure() -> None:
    ranking = ranking_of(random_cases(24, 60))
    chosen = {
        name: str(ew.estimate(ranking, name).method)
        for name in ("average_precision", "roc_auc", "ndcg", "average_precision@10", "precision@10")
    }
    assert chosen == {
        "average_precision": "influence of each case",
        "roc_auc": "influence of each case",
        "ndcg": "bootstrap, 2,000 draws",
        "average_precision@10": "bootstrap, 2,000 draws",
        "precision@10": "Wilson",
    }


# -- the bootstrap: every resample of a tiny ranking ---------------------------------------------------


def enumerated(cases: list[Case], unranked: int, spelling: str) -> dict[float, Fraction]:
    """The law of the replicates: targets and background drawn with replacement, each class by itself."""
    targets: list[float | None] = [*(score for truth, score in cases if truth), *[None] * unranked]
    background = [score for truth, score in cases if not truth]
    fraction = Fraction(1, len(targets) ** len(targets) * len(background) ** len(background))
    law: Counter[float] = Counter()
    for chosen in itertools.product(targets, repeat=len(targets)):
        kept = [score for score in chosen if score is not None]
        for others in itertools.product(background, repeat=len(background)):
            drawn = [(1, score) for score in kept] + [(0, score) for score in others]
            # Where only targets without a score were drawn, nothing is found.
            value = ew.measure(ranking_of(drawn, len(chosen) - len(kept)), spelling) if kept else 0.0
            law[round(value, 9)] += fraction
    return dict(law)


TINY = {
    "two against two": ([(1, 3.0), (0, 2.0), (1, 1.0), (0, 0.0)], 0),
    "two against three": ([(0, 4.0), (1, 3.0), (0, 2.0), (1, 1.0), (0, 0.0)], 0),
    "ties": ([(1, 2.0), (0, 2.0), (1, 1.0), (0, 1.0), (0, 0.0)], 0),
    "a target never ranked": ([(1, 2.0), (0, 1.5), (1, 1.0), (0, 0.0)], 1),
}


@pytest.mark.parametrize("spelling", ["average_precision", "average_precision(ties=threshold)", "roc_auc"])
@pytest.mark.parametrize("name", TINY)
def test_the_bootstrap_draws_from_all_resamples(name: str, spelling: str) -> None:
    cases, unranked = TINY[name]
    law = enumerated(cases, unranked, spelling)
    assert sum(law.values()) == 1
    draws = 20_000
    result = ew.estimate(
        ranking_of(cases, unranked), spelling, method=Bootstrap(draws=draws, rng=5)
    ).law.draws
    counted = Counter(np.round(result, 9).tolist())
    assert set(counted) <= set(law)
    # Chi-square over the values; those expected less than ten times are put together.
    common = {value: share for value, share in law.items() if share * draws >= 10}
    observed = [counted[value] for value in common]
    expected = [float(share * draws) for share in common.values()]
    rest = draws - sum(observed)
    if draws - sum(expected) > 1e-6:
        observed.append(rest)
        expected.append(draws - sum(expected))
    # One of the twelve cells in ten thousand would fail by chance; the seed is fixed.
    assert stats.chisquare(observed, expected).pvalue > 1e-4
    mean = float(sum(Fraction(value) * share for value, share in law.items()))
    variance = float(sum((value - mean) ** 2 * float(share) for value, share in law.items()))
    assert result.mean() == pytest.approx(mean, abs=4 * math.sqrt(variance / draws))
    assert result.std() == pytest.approx(math.sqrt(variance), rel=0.05)


@pytest.mark.slow
def test_the_bootstrap_agrees_with_a_bootstrap_of_rows() -> None:
    cases = random_cases(31, 120, 10)
    truth, scores = (np.array(column) for column in zip(*cases, strict=True))
    targets, background = scores[truth == 1], scores[truth == 0]
    rng = np.random.default_rng(32)
    rows = []
    for _ in range(3000):
        drawn = [rng.choice(item, len(item)) for item in (targets, background)]
        flags = np.repeat([1, 0], [len(targets), len(background)])
        rows.append(ew.measure(ew.Ranking.from_scores(flags, np.concatenate(drawn)), "ndcg"))
    law = ew.estimate(ranking_of(cases), "ndcg", method=Bootstrap(draws=20_000, rng=33)).law
    # 3,000 draws know a deviation to 1.3% and a mean to a fiftieth of one.
    assert law.standard_error == pytest.approx(np.std(rows), rel=0.05)
    assert law.draws.mean() == pytest.approx(np.mean(rows), abs=0.08 * law.standard_error)


def test_the_bootstrap_s_error_is_the_jackknife_s_with_the_sizes_of_the_classes_fixed() -> None:
    ranking, hit, effects = ranking_with_effects(34, 4000)
    for kind in (0, 1):
        effects[hit == kind] -= effects[hit == kind].mean()
    expected = {"average_precision": math.sqrt((effects**2).sum())}
    expected["roc_auc"] = ew.estimate(ranking, "roc_auc").standard_error
    for spelling, error in expected.items():
        drawn = ew.estimate(ranking, spelling, method=Bootstrap(draws=4000, rng=1)).standard_error
        assert drawn == pytest.approx(error, rel=0.05)  # 4,000 draws know it to 1.1%


def test_the_bootstrap_depends_on_its_seed_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    ranking = ranking_of(random_cases(35, 200, 20), 3)

    def draws(seed: int) -> np.ndarray:
        method = Bootstrap(draws=501, rng=seed)
        return ew.estimate(ranking, "average_precision", method=method).law.draws

    first, again, other = draws(1), draws(1), draws(2)
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)
    assert len(first) == 501
    monkeypatch.setattr(
        ranking_resampling, "ThreadPoolExecutor", lambda _: futures.ThreadPoolExecutor(max_workers=1)
    )
    assert np.array_equal(draws(1), first)


def test_the_bootstrap_keeps_the_sizes_of_the_classes() -> None:
    # The whole list down to its end holds every target, in every replicate.
    ranking = ranking_of(random_cases(36, 50, 8))
    with pytest.raises(OptionError, match="every replicate"):
        ew.estimate(ranking, "hits@50", method=Bootstrap(draws=200))
    targets = int(ranking.target_total)
    with_lost = ranking_of(random_cases(36, 50, 8), 4)
    draws = ew.estimate(with_lost, "hits@50", method=Bootstrap(draws=4000, rng=1)).law.draws
    expected = stats.binom(targets + 4, targets / (targets + 4))
    assert draws.mean() == pytest.approx(expected.mean(), abs=4 * expected.std() / math.sqrt(4000))
    assert draws.std() == pytest.approx(expected.std(), rel=0.06)


def test_the_bootstrap_of_targets_alone_varies_by_those_never_ranked() -> None:
    ranking = ew.Ranking.from_scores([1, 1, 1], [3.0, 2.0, 1.0], positive=1, unranked=2)
    draws = ew.estimate(ranking, "hits@7", method=Bootstrap(draws=4000, rng=3)).law.draws
    expected = stats.binom(5, 3 / 5)
    assert draws.mean() == pytest.approx(expected.mean(), abs=4 * expected.std() / math.sqrt(4000))
    assert draws.std() == pytest.approx(expected.std(), rel=0.06)


@pytest.mark.parametrize(
    "ranking",
    [
        ew.Ranking.from_hits([1] * 3 + [0] * 5),
        ew.Ranking.from_hits([0] * 10 + [1] * 5),
        ew.Ranking.from_scores([1, 0, 1, 0, 0], [1.0] * 5),
    ],
    ids=["perfect", "perfectly wrong", "all tied"],
)
def test_a_bootstrap_that_never_varies_says_so(ranking: ew.Ranking) -> None:
    with pytest.raises(OptionError, match="every replicate has the same value"):
        ew.estimate(ranking, "average_precision", method=Bootstrap(draws=100))


# -- tests against random selection --------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("spelling", ["pr_auc", "best_informedness", "ndcg", "rbp", "roc_auc"])
def test_two_sides_see_a_ranking_that_is_far_too_bad(spelling: str) -> None:
    ranking = ew.Ranking.from_hits([0] * 40 + [1] * 20)
    # The best informedness is 0 in 1 of 41 orders: the draws of this seed say so.
    estimate = ew.estimate(ranking, spelling, rng=2)
    assert estimate.p_value(alternative="less") < 0.025
    assert estimate.p_value(alternative="two-sided") < 0.05


@pytest.mark.slow
def test_the_test_of_random_selection_enumerates_small_rankings() -> None:
    hits = [1, 0, 1, 1, 0, 0, 0, 0]
    observed = ew.measure(ew.Ranking.from_hits(hits), "ndcg")
    values = []
    for places in itertools.combinations(range(8), 3):
        values.append(ew.measure(ew.Ranking.from_hits([int(i in places) for i in range(8)]), "ndcg"))
    exact = np.mean(np.array(values) >= observed - 1e-12)
    tail = ew.estimate(ew.Ranking.from_hits(hits), "ndcg").test_against_chance("greater")
    assert tail.low <= exact <= tail.high
    assert tail.p_value == pytest.approx(exact, abs=0.01)
    law = ew.estimate(ew.Ranking.from_hits(hits), "average_precision").test_against_chance("greater")
    again = [
        ew.measure(ew.Ranking.from_hits([int(i in places) for i in range(8)]), "average_precision")
        for places in itertools.combinations(range(8), 3)
    ]
    value = ew.measure(ew.Ranking.from_hits(hits), "average_precision")
    assert law.p_value == pytest.approx(np.mean(np.array(again) >= value - 1e-12), abs=1e-12)


# -- many lists ----------------------------------------------------------------------------------------


def random_lists(seed: int, lists: int = 25, items: int = 20) -> ew.RankedLists:
    rng = np.random.default_rng(seed)
    truth = rng.random(lists * items) < 0.3
    truth[::items] = True
    return ew.RankedLists.from_scores(
        truth, rng.normal(size=len(truth)) + truth, groups=np.repeat(np.arange(lists), items)
    )


def test_across_lists_is_student_s_interval_on_the_logit_scale() -> None:
    lists = random_lists(41)
    values = np.array(list(ew.measure_each(lists, "average_precision").values()))
    mean, error = values.mean(), values.std(ddof=1) / math.sqrt(len(values))
    estimate = ew.estimate(lists, "average_precision")
    assert str(estimate.method) == str(AcrossLists())
    assert estimate.value == pytest.approx(mean)
    assert estimate.standard_error == pytest.approx(error)
    reach = stats.t.ppf(0.95, len(values) - 1) * error / (mean * (1 - mean))
    expected = 1 / (1 + np.exp(-(np.log(mean / (1 - mean)) + np.array([-reach, reach]))))
    assert list(estimate.interval(0.90)) == pytest.approx(expected.tolist())
    check_intervals(estimate)


def test_bootstrap_over_lists_resamples_lists() -> None:
    lists = random_lists(42)
    values = np.array(list(ew.measure_each(lists, "ndcg").values()))
    law = ew.estimate(lists, "ndcg", method=Bootstrap(draws=20_000, rng=2)).law
    assert law.standard_error == pytest.approx(values.std() / math.sqrt(len(values)), rel=0.03)
    again = ew.estimate(lists, "ndcg", method=Bootstrap(draws=20_000, rng=2)).law
    assert np.array_equal(law.draws, again.draws)


def test_lists_that_tell_nothing_say_so() -> None:
    one = ew.RankedLists.from_scores([1, 0], [0.9, 0.1], groups=["a", "a"])
    assert "only one list" in str(ew.estimate(one, "average_precision").no_interval)
    two = ew.RankedLists.from_scores([1, 0, 0, 1], [0.9, 0.5, 0.8, 0.9], groups=["a", "a", "b", "b"])
    for method in (ew.methods.AcrossLists(), ew.methods.Bootstrap(draws=99)):
        with pytest.raises(OptionError, match="2 lists are too few for an interval"):
            ew.estimate(two, "average_precision", method=method)
    assert ew.estimate(two, "average_precision").no_interval == "2 lists are too few for an interval"
    alike = ew.RankedLists.from_scores([1, 0] * 3, [0.9, 0.1] * 3, groups=list("aabbcc"))
    assert "same value" in str(ew.estimate(alike, "average_precision").no_interval)
    with pytest.raises(OptionError, match="same value"):
        ew.estimate(alike, "average_precision", method=Bootstrap(draws=50))
    empty = ew.RankedLists.from_scores([0, 0], [0.9, 0.1], groups=["a", "a"])
    assert "no targets" in str(ew.estimate(empty, "average_precision").undefined)


def test_the_chance_test_of_lists_against_all_orders() -> None:
    # Two lists of 5 and 4 items with 2 and 1 targets: 10 · 4 equally likely pairs of orders.
    first, second = [1, 0, 1, 0, 0], [0, 1, 0, 0]
    lists = ew.RankedLists.from_scores(
        [*first, *second], [5.0, 4, 3, 2, 1, 4, 3, 2, 1], groups=["a"] * 5 + ["b"] * 4
    )

    def values(items: int, targets: int) -> list[float]:
        return [
            ew.measure(ew.Ranking.from_hits([int(i in places) for i in range(items)]), "average_precision")
            for places in itertools.combinations(range(items), targets)
        ]

    means = np.array([(a + b) / 2 for a, b in itertools.product(values(5, 2), values(4, 1))])
    estimate = ew.estimate(lists, "average_precision")
    assert estimate.chance == pytest.approx(means.mean())
    exact = np.mean(means >= estimate.value - 1e-12)
    tail = estimate.test_against_chance("greater")
    assert tail.low <= exact <= tail.high


@pytest.mark.parametrize("measure", ["average_precision", "ndcg", "average_precision(ties=input)", "ndcg@3"])
def test_the_chance_test_of_tied_and_graded_lists_against_all_orders(measure: str) -> None:
    # Lists of 5, 2 and 4 items: grades change places, tied scores stay, and the second has no target.
    grades, sizes = ([2, 0, 1, 0, 0], [0, 0], [0, 1, 0, 0]), (5, 2, 4)
    scores, groups = [5.0, 4, 4, 2, 1, 3, 3, 4, 4, 2, 1], np.repeat(["a", "b", "c"], sizes)

    def lists(orders: tuple[tuple[int, ...], ...]) -> ew.RankedLists:
        return ew.RankedLists.from_scores(list(itertools.chain(*orders)), scores, groups=groups)

    every = (sorted(set(itertools.permutations(grade))) for grade in grades)
    values = np.array([ew.measure(lists(orders), measure) for orders in itertools.product(*every)])
    estimate = ew.estimate(lists(tuple(map(tuple, grades))), measure)
    for alternative, beyond in (
        ("greater", values >= estimate.value - 1e-12),
        ("less", values <= estimate.value + 1e-12),
    ):
        tail = estimate.test_against_chance(alternative)
        assert tail.low <= beyond.mean() <= tail.high
