"""How often a gate decides each way for right-or-wrong answers of two systems."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import scipy

from edgeworth.common.arrays import Floats
from edgeworth.comparisons.margin_planning import (
    MAX_DISAGREEMENTS_ENUMERATED,
    PairedOutcomes,
    are_no_worse,
    disagreement_rate,
    shares_at,
)
from edgeworth.core.sampling_distributions import alpha_of, normal_quantile, wilson_bounds
from edgeworth.gates.anytime import log_wealth
from edgeworth.gates.error_rates import MAX_POINTS_OF_A_BET, Levels, OutcomeModel
from edgeworth.gates.requirements import Region


@dataclass(frozen=True)
class PairedModel:
    """Right-or-wrong answers of two systems: wins and losses, given how often they disagree."""

    trials: float
    share: float
    ends: tuple[float, float] = (math.nan, math.nan)
    """The interval of the rate of disagreement."""
    is_anytime: bool = False

    @classmethod
    def of(cls, disagreements: float, trials: float, *, is_anytime: bool = False) -> PairedModel:
        """Estimate the rate of disagreement, with Wilson's interval."""
        low, high = wilson_bounds(np.array([disagreements]), np.array([trials]), normal_quantile(0.95))
        share = disagreement_rate(disagreements, trials)
        return cls(trials, share, (float(low[0]), float(high[0])), is_anytime)

    def chances(self, truth: float, region: Region, levels: Levels) -> tuple[float, float]:
        """Sum the probabilities of the wins and losses that pass, and of those that fail."""
        points = PairedOutcomes.of(self.trials, *shares_at(self.share, truth))
        if self.is_anytime:
            points = _thin(points)
            return points.chance_of(
                self._bets(points, region, levels.passing, is_passing=True)
            ), points.chance_of(self._bets(points, region, levels.failing, is_passing=False))
        passing, failing = normal_quantile(levels.passing), normal_quantile(levels.failing)
        is_passed, is_failed = np.ones(len(points.wins), bool), np.zeros(len(points.wins), bool)
        if math.isfinite(region.low):
            scores = points.scores(region.low)
            is_passed &= scores > passing
            is_failed |= scores < -failing
            if region.low < 0:
                is_passed &= are_no_worse(
                    points.wins, points.losses, points.cases, -region.low, levels.passing
                )
        if math.isfinite(region.high):
            scores = points.scores(region.high)
            is_passed &= scores < -passing
            is_failed |= scores > failing
            if region.high > 0:
                is_passed &= are_no_worse(
                    points.losses, points.wins, points.cases, region.high, levels.passing
                )
        if region.ends_at_zero:
            p_values = mcnemar_p_values(points.wins, points.losses)
            is_passed &= p_values < alpha_of(levels.passing)
            is_failed &= p_values < alpha_of(levels.failing)
        return points.chance_of(is_passed), points.chance_of(is_failed)

    def _bets(self, points: PairedOutcomes, region: Region, level: float, *, is_passing: bool) -> Floats:
        """Find the points at which bets have refuted every value outside the region, or inside it."""
        enough, decided = -math.log(1 - level), np.full(len(points.wins), is_passing)
        for bound, sign in ((region.low, 1), (region.high, -1)):
            if math.isfinite(bound):
                is_refuted = log_wealth(points.wins, points.losses, points.cases, bound) >= enough
                is_inside = sign * ((points.wins - points.losses) / points.cases - bound) > 0
                decided = (
                    decided & is_refuted & is_inside if is_passing else decided | (is_refuted & ~is_inside)
                )
        return decided

    def variants(self) -> Sequence[OutcomeModel]:
        """Take the ends of the interval of the rate of disagreement."""
        return [replace(self, share=share) for share in self.ends if math.isfinite(share)]

    def spread(self, truth: float) -> float:
        """Compute √((disagreement − difference²)/n)."""
        share = max(self.share, abs(truth))
        return math.sqrt(max(share - truth**2, 0.0) / self.trials)


def _thin(points: PairedOutcomes) -> PairedOutcomes:
    """Keep the likeliest points, which hold nearly all of the probability."""
    kept = np.argsort(-points.probability)[:MAX_POINTS_OF_A_BET]
    probability = points.probability[kept] / points.probability[kept].sum()
    return PairedOutcomes(points.wins[kept], points.losses[kept], probability, points.cases)


def mcnemar_p_values(wins: Floats, losses: Floats) -> Floats:
    """Compute the two-sided exact McNemar p-values of many wins and losses.

    With many disagreements the normal law with a continuity correction takes the place of the exact one.
    """
    total = np.floor(wins + losses)
    p_values = 2 * scipy.special.ndtr((1 - abs(wins - losses)) / np.sqrt(np.maximum(total, 1.0)))
    is_exact = total <= MAX_DISAGREEMENTS_ENUMERATED
    fewer = np.floor(np.minimum(wins, losses)[is_exact])
    trials = np.maximum(total[is_exact], 1).astype(np.int64)
    p_values[is_exact] = 2 * scipy.special.bdtr(fewer, trials, 0.5)
    return np.asarray(np.minimum(1.0, p_values))
