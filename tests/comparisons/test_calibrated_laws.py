"""Laws set right by swaps: effects of many rankings against those of each, and shares of swaps counted."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import edgeworth as ew
from edgeworth.comparisons.paired_scores import PairedScores
from edgeworth.comparisons.scores.differences import score_difference
from edgeworth.comparisons.scores.influence import resolve_measure, tie_groups_of_system
from edgeworth.comparisons.scores.resampling import SwappedRanks
from edgeworth.comparisons.scores.sampling_distributions import CalibratedLaw, ScoreDifferenceLaw, Side
from edgeworth.rankings.intervals.methods import (
    Places,
    average_precision_influence,
    influence_of,
    roc_area_influence,
)

SPELLINGS = ("roc_auc", "average_precision", "average_precision(ties=threshold)")


def sample(size: int, seed: int, *, levels: float = 1e6, **more: Any) -> PairedScores:
    rng = np.random.default_rng(seed)
    truth = rng.random(size) < 0.3
    noise = rng.normal(size=size)
    scores = {name: np.round(levels * (noise + rng.normal(size=size) + truth)) for name in "ab"}
    return PairedScores.from_scores(truth, scores, **more)


# -- effects and distances ---------------------------------------------------------------------------------

ROWS = st.lists(st.tuples(st.booleans(), st.integers(0, 5)), min_size=5, max_size=16).filter(
    lambda rows: 2 <= sum(row[0] for row in rows) <= len(rows) - 2
)


@pytest.mark.parametrize("spelling", SPELLINGS)
@settings(max_examples=40)
@given(rows=ROWS)
def test_effects_of_many_rankings_are_those_of_each(spelling: str, rows: list[Any]) -> None:
    truth, scores = (np.array(column) for column in zip(*rows, strict=True))
    paired = PairedScores.from_scores(truth, {"a": scores, "b": -scores})
    resolved = resolve_measure(paired, spelling)[0]
    # Rankings on levels that not all of them use: as they are, and turned round.
    ranks, turned = (paired.case_ranks(name) for name in "ab")
    counts = np.stack([np.bincount(item.place, minlength=item.places) for item in (ranks, turned)])
    result = influence_of(Places.of_counts(counts.astype(np.float64), ranks.steps), resolved)
    values, effects = result.value, result.concatenate()
    for row, name in enumerate("ab"):
        places = Places.of(tie_groups_of_system(paired, name))
        one = (
            roc_area_influence(places)
            if spelling == "roc_auc"
            else average_precision_influence(places, "threshold" if "threshold" in spelling else "expected")
        )
        assert values[row] == pytest.approx(one.value, abs=1e-13)
        occupied = np.flatnonzero(counts[row])
        assert effects[row][occupied] == pytest.approx(one.concatenate()[occupied], abs=1e-12)


@pytest.mark.parametrize("spelling", SPELLINGS)
@pytest.mark.parametrize("levels", [1.0, 1e6])
@pytest.mark.parametrize("clustered", [False, True])
def test_without_a_swap_the_distance_is_that_of_the_law(
    spelling: str, levels: float, clustered: bool
) -> None:
    clusters = np.arange(90) % 31 if clustered else None
    paired = sample(90, seed=5, levels=levels, clusters=clusters)
    swapped = SwappedRanks.of(paired, "a", "b", resolve_measure(paired, spelling)[0], 5, seed=1)
    law = score_difference(paired, "a", "b", spelling, permutations=0).law
    assert isinstance(law, ScoreDifferenceLaw)
    assert swapped.observed == pytest.approx(law.value, abs=1e-13)
    assert swapped.distance == pytest.approx(law.distance(0.0), abs=5e-6)


def test_distances_after_swaps_are_those_of_the_swapped_ranks() -> None:
    """Every swap made by hand, as scores of two other systems, and compared by the ordinary way."""
    paired = sample(40, seed=2)
    ranks = [stats.rankdata(paired.row(name)) for name in "ab"]
    swaps = np.random.default_rng(3).integers(0, 2, size=(6, 40), dtype=np.uint8).astype(bool)
    for spelling in SPELLINGS:
        swapped_ranks = SwappedRanks.of(paired, "a", "b", resolve_measure(paired, spelling)[0], 6, seed=3)
        assert swapped_ranks.distances is not None
        for swap, distance in zip(swaps, swapped_ranks.distances, strict=True):
            scores = {"a": np.where(swap, ranks[1], ranks[0]), "b": np.where(swap, ranks[0], ranks[1])}
            other = PairedScores.from_scores(paired.targets, scores)
            law = score_difference(other, "a", "b", spelling, permutations=0).law
            assert isinstance(law, ScoreDifferenceLaw)
            assert distance == pytest.approx(law.distance(0.0), abs=5e-6)


# -- the law -----------------------------------------------------------------------------------------------


def made(
    difference: float, draws: int, *, stretch: float = 1.0, is_area: bool = True, targets: float = 80.0
) -> CalibratedLaw:
    """Swaps whose distances are as normal ones would be, stretched."""
    sides = [Side(0.6 + sign * difference / 2, 0.03, targets, 300.0, is_area) for sign in (1, -1)]
    inner = ScoreDifferenceLaw(sides[0], sides[1], 0.5, 0.03, 60.0)
    places = (np.arange(draws) + 0.5) / draws
    return CalibratedLaw(inner, np.sort(stretch * stats.norm.isf((1 - places) / 2)))


@pytest.mark.parametrize("stretch", [0.7, 1.3])
@pytest.mark.parametrize("is_area", [True, False])
@pytest.mark.parametrize("difference", [0.04, -0.04])
def test_zero_is_inside_where_its_p_value_says_so(stretch: float, is_area: bool, difference: float) -> None:
    law = made(difference, 199, stretch=stretch, is_area=is_area)
    p_value = law.p_value(0.0, "two-sided")
    count = int((law.distances >= law.inner.distance(0.0)).sum())
    assert count > 5
    assert count / 200 <= p_value <= (1 + count) / 200
    for level in np.linspace(0.6, 0.99, 40):
        low, high = law.interval(float(level))
        assert low < difference < high
        assert (low <= 0 <= high) == (p_value > 1 - level)


@pytest.mark.slow
@pytest.mark.parametrize("draws", [99, 199, 999])
def test_beyond_the_swaps_the_tail_goes_on_without_a_jump(draws: int) -> None:
    law = made(0.3, draws, stretch=0.8)
    shares = np.array([law.beyond(float(distance)) for distance in np.linspace(0, 12, 4000)])
    assert np.all(np.diff(shares) <= 1e-15)
    assert shares[-1] > 0
    # Steps of 0.003 standard errors; from 1 on the density is at most 2φ(1/.8)/.8 = 0.46.
    assert (-np.diff(shares[334:])).max() < 0.002
    assert law.p_value(0.0, "two-sided") == pytest.approx(law.beyond(law.inner.distance(0.0)))
    for level in (0.9, 0.99, 0.995, 0.9999):
        assert law.beyond(law.quantile(level)) == pytest.approx(1 - level, rel=1e-9)


def drawn_laws(number: int, draws: int, stretch: float) -> list[CalibratedLaw]:
    """The same pair with other swaps each time, whose distances are normal ones, stretched."""
    rng, law = np.random.default_rng(draws), made(0.1, draws)
    return [
        replace(law, distances=np.sort(stretch * np.abs(rng.standard_normal(draws)))) for _ in range(number)
    ]


@pytest.mark.slow
@pytest.mark.parametrize("draws", [99, 199, 999])
@pytest.mark.parametrize("stretch", [0.6, 1.4])
def test_what_lies_beyond_a_distance_is_on_average_what_the_level_says(draws: int, stretch: float) -> None:
    """Of an observed distance that is drawn as the swaps are, 2Φ(−quantile/stretch) lies beyond."""
    laws = drawn_laws(300, draws, stretch)

    def share(level: float) -> tuple[float, float]:
        computed = 2 * stats.norm.sf(np.array([law.quantile(level) for law in laws]) / stretch)
        return float(computed.mean()), float(computed.std() / math.sqrt(len(laws)))

    for level in (0.8, 0.9, 0.95):  # counted
        mean, error = share(level)
        assert abs(mean - (1 - level)) < 4 * error
    for level in (0.99, 0.995, 0.999, 0.9999):  # the tail: at most, and not for want of trying
        mean, error = share(level)
        assert (1 - level) / 20 < mean < (1 - level) + 2 * error


def test_p_values_of_one_pair_do_not_hang_on_the_seed() -> None:
    # The tail of one order statistic varied 80-fold at three standard errors and 780-fold at four.
    for distance, most in ((3.0, 25.0), (4.0, 50.0)):
        results = [law.beyond(distance) for law in drawn_laws(1000, 99, 1.0)]
        low, high = np.quantile(results, [0.025, 0.975])
        assert high / low < most
        assert min(results) > 2 * stats.norm.sf(distance) / 20


def test_no_single_swap_decides_about_the_tail() -> None:
    law = made(0.1, 99)
    for largest in (law.distances[-2], 40.0):
        other = replace(law, distances=np.append(law.distances[:-1], largest))
        assert other.beyond(5.0) == pytest.approx(law.beyond(5.0), rel=0.25)
    # Nor do swaps that all give no difference: Student's own tail is left.
    nothing = replace(law, distances=np.zeros(99))
    assert 0 < nothing.beyond(3.0) <= 0.03
    assert nothing.beyond(3.0) > 0.03 * 2 * stats.norm.sf(3.0)


def test_of_few_targets_the_bound_on_the_far_side_is_never_nearer_than_students() -> None:
    for difference in (0.06, -0.06):
        narrow, wide = (made(difference, 199, stretch=stretch, targets=20.0) for stretch in (0.6, 1.6))
        student = narrow.inner.interval(0.95)
        far, near = (1, 0) if difference > 0 else (0, 1)
        assert narrow.interval(0.95)[far] == pytest.approx(student[far])
        assert abs(narrow.interval(0.95)[near] - difference) < abs(student[near] - difference)
        assert abs(wide.interval(0.95)[far] - difference) > abs(student[far] - difference)
        assert narrow.p_value(student[far], "two-sided") == pytest.approx(0.05)
        many = made(difference, 199, stretch=0.6)
        assert sum(many.interval(0.95)) == pytest.approx(2 * difference)
        assert many.p_value(2 * difference, "two-sided") == pytest.approx(many.p_value(0.0, "two-sided"))


@settings(max_examples=30)
@given(difference=st.floats(-0.2, 0.2), null=st.floats(-0.3, 0.3), stretch=st.floats(0.5, 1.5))
def test_one_sided_p_values_belong_together(difference: float, null: float, stretch: float) -> None:
    law = made(difference, 99, stretch=stretch)
    greater, less = law.p_value(null, "greater"), law.p_value(null, "less")
    assert greater + less == pytest.approx(1)
    assert law.p_value(null, "two-sided") == pytest.approx(min(1.0, 2 * min(greater, less)))
    assert law.p_value(law.value, "two-sided") == 1


# -- in a comparison ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_test_and_interval_never_disagree(spelling: str) -> None:
    for seed in range(12):
        difference = score_difference(sample(60, seed=seed), "a", "b", spelling, permutations=99)
        assert isinstance(difference.law, CalibratedLaw)
        assert difference.tests["influence"].p_value == difference.law.p_value(0.0, "two-sided")
        side = 1 if difference.difference > 0 else -1
        assert 0.5 + side * (0.5 - difference.p_value() / 2) == pytest.approx(
            difference.probability_better, abs=1e-15
        )
        assert "1 − p/2" in difference.probability_method
        assert not any(difference.disagrees(level) for level in (0.5, 0.8, 0.9, 0.95, 0.99))
        mirrored = score_difference(sample(60, seed=seed), "b", "a", spelling, permutations=99)
        assert mirrored.p_value() == pytest.approx(difference.p_value(), abs=0.2)


def test_where_targets_are_many_or_the_scores_weighted_it_is_students() -> None:
    short, weighted = sample(100, seed=1), sample(100, seed=1, weights=np.full(100, 0.5))
    many = sample(4000, seed=1)
    assert isinstance(score_difference(short, "a", "b", "roc_auc").law, CalibratedLaw)
    assert "calibrated by swaps" in score_difference(short, "a", "b", "roc_auc").interval_method
    assert isinstance(score_difference(weighted, "a", "b", "roc_auc").law, ScoreDifferenceLaw)
    assert many.targets.sum() > 1000
    assert isinstance(score_difference(many, "a", "b", "roc_auc", permutations=99).law, ScoreDifferenceLaw)
    again = score_difference(short, "a", "b", "average_precision")
    assert again.to_dict() == score_difference(short, "a", "b", "average_precision").to_dict()
    assert math.isclose(
        again.standard_error,
        score_difference(short, "a", "b", "average_precision", permutations=0).standard_error,
    )


def test_several_systems_have_swaps_too() -> None:
    paired = sample(60, seed=4)
    rng = np.random.default_rng(1)
    scores = {"a": paired.row("a"), "b": paired.row("b"), "c": rng.normal(size=60) + paired.targets}
    comparison = ew.compare(truth=paired.targets, systems=scores, kind="scores")
    assert "999" in comparison["a", "c"]["average_precision"].tests["influence"].method
