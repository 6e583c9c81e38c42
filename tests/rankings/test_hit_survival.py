"""H_ij against every resample, S(t) and its variance against new samples."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest

import edgeworth as ew
from edgeworth.errors import OptionError


@pytest.mark.parametrize("hits", [[1], [0, 1, 1], [1, 1, 0, 1], [0, 1, 0, 1, 0, 0, 1, 1], [1, 1, 1, 1, 1]])
def test_transitions_are_those_of_every_resample(hits: list[int]) -> None:
    """Draw the m hits with replacement in all m^m ways, and put each draw in order."""
    ranks = [rank for rank, hit in enumerate(hits, start=1) if hit]
    m = len(ranks)
    counts = [[Fraction(0)] * m for _ in ranks]
    for draw in itertools.product(range(m), repeat=m):
        for i, j in enumerate(sorted(draw)):
            counts[i][j] += Fraction(1, m**m)
    result = ew.rankings.hit_survival(ew.Ranking.from_hits(hits))
    assert result.ranks.tolist() == ranks
    np.testing.assert_allclose(result.transition, np.array(counts, dtype=float), atol=1e-13)
    np.testing.assert_allclose(result.transition.sum(axis=0), 1, atol=1e-12)
    np.testing.assert_allclose(result.transition.sum(axis=1), 1, atol=1e-12)
    for depth in range(len(hits) + 1):
        after = result.still_to_come(depth)
        survival = ew.rankings.hit_survival(ew.Ranking.from_hits(hits), depths=[depth]).survival[0]
        assert after.mean() == pytest.approx(sum(rank > depth for rank in ranks) / m, abs=1e-12)
        assert survival == pytest.approx(after.mean(), abs=1e-12)


@pytest.mark.parametrize(
    ("items", "targets", "strength", "depth"), [(100, 30, 1.0, 20), (1000, 30, 2.0, 50), (500, 60, 0.0, 100)]
)
def test_the_variance_is_that_of_new_samples(items: int, targets: int, strength: float, depth: int) -> None:
    """And the slides' sum over hits in order is less than half of it."""
    rng = np.random.default_rng(items)
    truth = np.arange(items) < targets
    survivals, ours, slides = [], [], []
    for draw in range(4000):
        order = np.argsort(-(rng.normal(size=items) + strength * truth))
        hits = truth[order].astype(int)
        survivals.append(1 - hits[:depth].sum() / targets)
        if draw < 100:
            result = ew.rankings.hit_survival(ew.Ranking.from_hits(hits), depths=[depth])
            after = result.still_to_come(depth)
            ours.append(result.variance[0])
            slides.append((after * (1 - after)).sum() / targets**2)
    # A variance of 4,000 draws has a standard error of 2.2%.
    assert np.mean(ours) == pytest.approx(np.var(survivals), rel=0.1)
    assert np.mean(slides) < 0.5 * np.var(survivals)


def test_under_random_selection_the_variance_is_hypergeometric_on_average() -> None:
    law = ew.chance.hits(300, 40, 90)
    rng = np.random.default_rng(1)
    hits = (np.arange(300) < 40).astype(int)
    results = [
        ew.rankings.hit_survival(ew.Ranking.from_hits(rng.permutation(hits)), depths=[90]).variance[0]
        for _ in range(300)
    ]
    assert np.mean(results) == pytest.approx(law.variance / 40**2, rel=0.05)


def test_what_has_no_ranks_is_refused() -> None:
    with pytest.raises(OptionError, match="tie"):
        ew.rankings.hit_survival(ew.Ranking.from_scores([1, 0, 1], [0.5, 0.5, 0.9]))
    with pytest.raises(OptionError, match="at least one target"):
        ew.rankings.hit_survival(ew.Ranking.from_hits([0, 0]))
    with pytest.raises(OptionError, match="depths must lie between"):
        ew.rankings.hit_survival(ew.Ranking.from_hits([1, 0]), depths=[3])
    with pytest.raises(OptionError, match="needs a Ranking"):
        ew.rankings.hit_survival([1, 0])  # type: ignore[arg-type]  # no ranking
    tied_targets = ew.Ranking.from_scores([1, 1, 0], [0.9, 0.9, 0.1])
    assert ew.rankings.hit_survival(tied_targets).ranks.tolist() == [1, 2]
