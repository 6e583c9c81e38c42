"""How often a gate decides each way: what it states on average against what it does."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from scipy import stats

import edgeworth as ew
from edgeworth.common.arrays import Floats
from edgeworth.comparisons.difference import Difference
from edgeworth.comparisons.labels.proportions import PairedCombination, PairedProportions
from edgeworth.comparisons.margin_planning import PairedOutcomes, shares_at
from edgeworth.comparisons.paired_values.differences import value_difference
from edgeworth.gates.anytime import log_wealth
from edgeworth.gates.differences import difference_evidence
from edgeworth.gates.error_rates import Levels
from edgeworth.gates.evidence import Evidence, level_evidence, pool_evidence
from edgeworth.gates.paired_rates import PairedModel
from edgeworth.gates.requirements import Region, parse_requirement

LEVELS = Levels.of(0.95)
POINTS = 0.03
"""Stated rates, averaged over data sets, may differ by so much from those that are met."""


@pytest.mark.parametrize(
    ("cases", "share", "region"),
    [
        (300, 0.10, Region(-0.03, math.inf)),
        (1000, 0.20, Region(-0.03, math.inf)),
        (40, 0.15, Region(-0.15, math.inf)),
        (60, 0.30, Region(-0.15, math.inf)),
        (1500, 0.10, Region(-0.03, 0.03)),
        (400, 0.15, Region(0.0, math.inf)),
    ],
)
def test_stated_rates_of_right_or_wrong_answers_are_met(cases: int, share: float, region: Region) -> None:
    """Exactly: over the binomial number of disagreements in the data set that the rates are stated from."""
    for truth in (0.0, region.low if region.low < 0 else -0.04):
        true_shares = shares_at(share, truth)
        seen = PairedOutcomes.of(cases, *true_shares)
        disagreements, probability = np.unique(seen.wins + seen.losses, return_inverse=True)
        weights = np.bincount(probability, seen.probability)
        # Thirty numbers of disagreements at equal steps of their law.
        steps = np.searchsorted(weights.cumsum(), (np.arange(30) + 0.5) / 30)
        models = [PairedModel.of(number, cases) for number in disagreements[steps]]
        stated = np.mean([model.chances(truth, region, LEVELS) for model in models], axis=0)
        met = PairedModel(cases, sum(true_shares)).chances(truth, region, LEVELS)
        assert stated == pytest.approx(met, abs=POINTS)


def met_and_stated(
    draw: Callable[[np.random.Generator], Evidence], truth: float, draws: int, seed: int
) -> tuple[np.ndarray, np.ndarray]:
    """Draw data sets; count how often they pass and fail, and average what the gate states."""
    rng = np.random.default_rng(seed)
    met, stated = np.zeros(2), np.zeros(2)
    for _ in range(draws):
        evidence = draw(rng)
        met += np.array([evidence.passes(0.95), evidence.fails(0.95)])
        assert evidence.model is not None
        stated += np.array(evidence.model.chances(truth, evidence.region, LEVELS))
    return met / draws, stated / draws


def paired_points(rng: np.random.Generator, size: int, shift: float) -> Evidence:
    """Points of two systems with skewed errors of their own; unchanged ones differ symmetrically."""
    base = rng.normal(3, 1, size)
    one, other = (base + rng.gamma(2, 0.2, size) for _ in range(2))
    difference = value_difference(one + shift, other, measure="mean")
    return difference_evidence(parse_requirement("mean no worse than baseline by 0.2"), difference)


def paired_queries(rng: np.random.Generator, size: int, shift: float) -> Evidence:
    """Average precision per query of two systems, in bounds."""
    hard = rng.beta(2, 2, size)
    one, other = (np.clip(hard + rng.normal(0, 0.1, size), 0, 1) for _ in range(2))
    difference = value_difference(one + shift, other, measure="average_precision")
    return difference_evidence(
        parse_requirement("average_precision no worse than baseline by 0.04"), difference
    )


def paired_labels(rng: np.random.Generator, size: int, shift: float) -> Evidence:
    """Informedness of two classes: recall and fallout of the same cases, each shifted by a half."""
    parts = []
    for sign, number in ((1.0, size // 3), (-1.0, size - size // 3)):
        win, loss = shares_at(0.12, sign * shift / 2)
        wins, losses, _ = rng.multinomial(number, [win, loss, 1 - win - loss])
        parts.append((sign, PairedProportions(int(wins), int(losses), number)))
    law = PairedCombination(tuple(parts))
    values = (0.6 + law.value, 0.6)
    difference = Difference("informedness", "new", "old", values, law=law, cases=float(size))
    return difference_evidence(parse_requirement("informedness no worse than baseline by 0.08"), difference)


def pooled_tasks(rng: np.random.Generator, size: int, shift: float) -> Evidence:
    """Right-or-wrong answers in three tasks of other sizes than their weights."""
    rule, parts = parse_requirement("accuracy no worse than baseline by 0.04"), []
    for weight, share in ((0.5, 0.55), (0.3, 0.35), (0.2, 0.1)):
        number, (win, loss) = round(share * size), shares_at(0.12, shift)
        wins, losses, _ = rng.multinomial(number, [win, loss, 1 - win - loss])
        law = PairedProportions(int(wins), int(losses), number)
        difference = Difference("accuracy", "new", "old", (0.8 + law.value, 0.8), law=law, cases=number)
        parts.append((weight, difference_evidence(rule, difference)))
    return pool_evidence(parts)


def paired_clusters(rng: np.random.Generator, size: int, shift: float) -> Evidence:
    """Right-or-wrong answers in clusters of five, which favour one system or the other by 12 points."""
    cluster = np.arange(size) // 5
    gain = 0.12 * rng.choice([-1, 1], size // 5)[cluster] + shift
    uniform = rng.random(size)
    ahead = (uniform < (0.3 + gain) / 2).astype(float) - (uniform > 1 - (0.3 - gain) / 2)
    plain = PairedProportions(int((ahead > 0).sum()), int((ahead < 0).sum()), size)
    law = plain.over_clusters(cluster, ahead, np.ones(size))
    values = (0.7 + plain.value, 0.7)
    difference = Difference("accuracy", "new", "old", values, law=law, cases=size / 5)
    return difference_evidence(parse_requirement("accuracy no worse than baseline by 0.05"), difference)


@pytest.mark.slow
@pytest.mark.parametrize(
    "draw", [paired_points, paired_queries, paired_labels, pooled_tasks, paired_clusters]
)
def test_stated_rates_of_other_measures_are_met(
    draw: Callable[[np.random.Generator, int, float], Evidence],
) -> None:
    size, margin = {
        paired_points: (40, 0.2),
        paired_queries: (60, 0.04),
        paired_labels: (400, 0.08),
        pooled_tasks: (560, 0.04),
        paired_clusters: (300, 0.05),
    }[draw]
    for shift in (0.0, -margin):
        met, stated = met_and_stated(lambda rng, shift=shift: draw(rng, size, shift), shift, 2500, 5)
        # 2,500 draws: standard error at most one point.
        assert stated == pytest.approx(met, abs=POINTS)


def lognormal(rng: np.random.Generator, size: int) -> Floats:
    return rng.lognormal(0, 0.6, size) - math.exp(0.18)


def rare(share: float) -> Callable[[np.random.Generator, int], Floats]:
    """Draw differences of 1 in a small share of items, and small ones elsewhere."""
    return lambda rng, size: (rng.random(size) < share) - share + rng.normal(0, 0.1, size)


SKEWED: dict[str, tuple[int, int, Callable[[np.random.Generator, int], Floats]]] = {
    "exponential losses, 40 items": (40, -1, lambda rng, size: rng.exponential(1, size) - 1),
    "exponential gains, 40 items": (40, 1, lambda rng, size: rng.exponential(1, size) - 1),
    "exponential losses, 100 items": (100, -1, lambda rng, size: rng.exponential(1, size) - 1),
    "lognormal losses, 60 items": (60, -1, lognormal),
    "lognormal gains, 60 items": (60, 1, lognormal),
    "5% rare losses, 100 items": (100, -1, rare(0.05)),
    "10% rare losses, 60 items": (60, -1, rare(0.1)),
    "10% rare gains, 60 items": (60, 1, rare(0.1)),
    "skewed within a range, 40 items": (40, 1, lambda rng, size: rng.beta(0.5, 2, size) - 0.2),
    "heavy tails, 40 items": (40, 1, lambda rng, size: rng.standard_t(5, size)),
}
"""Items, the sign of the long tail, and a law of differences with mean 0."""


@pytest.mark.slow
@pytest.mark.parametrize("setting", SKEWED)
def test_stated_rates_of_skewed_means_are_met(setting: str) -> None:
    """Compare with 20,000 samples and Student's interval, written out here."""
    items, sign, draw = SKEWED[setting]
    rng = np.random.default_rng(7)
    margin = round(2.5 * float(draw(rng, 200_000).std()) / math.sqrt(items), 4)
    rule = parse_requirement(f"mean no worse than baseline by {margin}")
    samples = sign * draw(rng, 20_000 * items).reshape(20_000, items)
    means = samples.mean(axis=1)
    reach = stats.t.ppf(0.975, items - 1) * samples.std(axis=1, ddof=1) / math.sqrt(items)
    data = [
        difference_evidence(rule, value_difference(sample, np.zeros(items), measure="mean"))
        for sample in samples[:200]
    ]
    for truth in (0.0, -margin):
        met = np.mean([means + truth - reach > -margin, means + truth + reach < -margin], axis=1)
        stated = np.mean([x.model.chances(truth, x.region, LEVELS) for x in data if x.model], axis=0)
        assert stated == pytest.approx(met, abs=POINTS), truth


@pytest.mark.slow
def test_stated_rates_of_a_level_are_met() -> None:
    requirement = parse_requirement("accuracy >= 0.9")

    def draw(rng: np.random.Generator, truth: float) -> Evidence:
        right = rng.binomial(200, truth)
        grades = ew.Grades.from_grades([1] * right + [0] * (200 - right))
        return level_evidence(requirement, ew.estimate(grades, "accuracy"))

    reach = 2.8016 * math.sqrt(0.09 / 200)
    for truth in (0.9, 0.9 + reach, 0.9 - reach):
        met, stated = met_and_stated(lambda rng, truth=truth: draw(rng, truth), truth, 2500, 6)
        assert stated == pytest.approx(met, abs=POINTS)


def test_an_unchanged_system_fails_in_at_most_5_per_cent_also_after_30_nights() -> None:
    """A night adds 40 items. Every look uses all items so far, as a log that grows."""
    rng = np.random.default_rng(12)
    nights, items, draws = 30, 40, 1500
    wins, losses = (rng.binomial(items, 0.06, (draws, nights)).cumsum(axis=1) for _ in range(2))
    for bound in (0.0, -0.01, 0.01):
        has_failed, has_passed = np.zeros(draws, bool), np.zeros(draws, bool)
        for night in range(nights):
            cases = items * (night + 1)
            b, c = wins[:, night].astype(float), losses[:, night].astype(float)
            is_refuted = log_wealth(b, c, cases, bound) >= math.log(20)
            has_failed |= is_refuted & ((b - c) / cases < bound)
            has_passed |= is_refuted & ((b - c) / cases > bound)
        # True difference 0: of "> baseline" both are errors, of a margin only failing is, and of a bound
        # that is not met only passing.
        assert has_failed.mean() <= (0.05 if bound <= 0 else 1)
        assert has_passed.mean() <= (0.05 if bound >= 0 else 1)


def test_looking_every_night_with_an_ordinary_interval_fails_more_often() -> None:
    """What --anytime is for: 30 looks at McNemar's score test reject far more than 5%."""
    rng = np.random.default_rng(12)
    wins, losses = (rng.binomial(40, 0.06, (4000, 30)).cumsum(axis=1) for _ in range(2))
    scores = (wins - losses) / np.sqrt(np.maximum(wins + losses, 1))
    assert (abs(scores) > 1.96).any(axis=1).mean() > 0.2


def test_an_unchanged_system_rarely_fails_one_look() -> None:
    for cases, share in ((50, 0.3), (200, 0.1), (1000, 0.2)):
        for low in (-0.02, 0.0):
            assert PairedModel(cases, share).chances(0.0, Region(low, math.inf), LEVELS)[1] <= 0.05
