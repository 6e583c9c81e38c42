"""How often a margin is shown, and how many cases it takes, from the rate of disagreement or the variance."""

from __future__ import annotations

import math
from bisect import bisect_left
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
import scipy

from edgeworth.common.arrays import Floats
from edgeworth.comparisons.difference import Difference
from edgeworth.comparisons.labels.proportions import PairedProportions
from edgeworth.comparisons.planning import SampleSizePlan, units_needed
from edgeworth.comparisons.policy import MAX_CASES_WITH_EXACT_MARGIN
from edgeworth.core.sampling_distributions import normal_quantile, unmirror

MAX_DISAGREEMENTS_ENUMERATED = 1_500
"""With more expected disagreements, numbers of wins and losses are normal: 500 × 500 points replace them."""

DEVIATIONS_ENUMERATED = 6.5
"""Standard deviations beyond which numbers of wins and losses are not enumerated."""

NORMAL_POINTS = 500
SHARES_SEARCHED = 60
"""Rates of disagreement at which the exact test looks for its largest p-value."""


def tango_scores(wins: Floats, losses: Floats, cases: float, difference: float) -> Floats:
    """Compute Tango's score statistic of a difference for many numbers of wins and losses.

    >>> [round(float(z), 6) for z in tango_scores(np.array([9.0]), np.array([12.0]), 200, -0.05)]
    [1.454414]
    """
    gap = wins - losses - cases * difference
    linear = (2 * cases - wins + losses) * difference - wins - losses
    root = np.sqrt(np.maximum(0.0, linear**2 + 8 * cases * losses * difference * (1 - difference)))
    variance = cases * ((root - linear) / (2 * cases) + difference * (1 - difference))
    with np.errstate(divide="ignore", invalid="ignore"):
        scores = gap / np.sqrt(np.maximum(variance, 0.0))
    return np.asarray(np.where(gap == 0, 0.0, np.where(variance > 0, scores, np.copysign(np.inf, gap))))


def raw_counts(difference: Difference) -> PairedProportions | None:
    """Find the trials in which only one system succeeded, where the interval rests on them alone."""
    law, is_mirrored = unmirror(difference.law)
    if not isinstance(law, PairedProportions):
        return None
    return law.swap() if is_mirrored else law


def paired_counts(difference: Difference) -> PairedProportions | None:
    """Find wins, losses and trials of the first system, or None if the interval needs more than these.

    A win is a case on which the first system is better, also if lower values of the measure are better.
    """
    counts = raw_counts(difference)
    return counts if counts is None or difference.is_higher_better else counts.swap()


@lru_cache(32)
def exact_no_worse(cases: int, margin: float) -> Floats:
    """Compute the exact p-value of "worse by the margin" for each number of wins (row) and losses (column).

    It is the largest probability, over all rates of disagreement, of a score at least as high; nan if wins
    and losses are more than the cases.
    """
    wins, losses = np.mgrid[: cases + 1, : cases + 1].astype(np.float64)
    is_possible = wins + losses <= cases
    b, c = wins[is_possible], losses[is_possible]
    order = np.argsort(-tango_scores(b, c, cases, -margin), kind="stable")
    b, c = b[order], c[order]
    scores = np.round(tango_scores(b, c, cases, -margin), 9)
    xlogy, gammaln, rest = scipy.special.xlogy, scipy.special.gammaln, cases - b - c
    ways = gammaln(cases + 1) - gammaln(b + 1) - gammaln(c + 1) - gammaln(rest + 1)
    last = np.searchsorted(-scores, -scores, side="right") - 1
    largest = np.zeros(len(b))
    for share in np.linspace(margin, 1.0, SHARES_SEARCHED):
        logs = xlogy(b, (share - margin) / 2) + xlogy(c, (share + margin) / 2) + xlogy(rest, 1 - share)
        largest = np.maximum(largest, np.cumsum(np.exp(ways + logs))[last])
    p_values = np.full((cases + 1, cases + 1), np.nan)
    p_values[b.astype(np.intp), c.astype(np.intp)] = np.minimum(largest, 1.0)
    return p_values


def are_no_worse(wins: Floats, losses: Floats, cases: float, margin: float, level: float) -> Floats:
    """Return for many numbers of wins and losses whether "no worse by the margin" is shown.

    Tango's interval lies above the margin, and with few cases the exact test shows it too.
    """
    shown = tango_scores(wins, losses, cases, -margin) > normal_quantile(level)
    if cases <= MAX_CASES_WITH_EXACT_MARGIN and margin < 1:
        exact = exact_no_worse(round(cases), margin)
        shown = shown & (exact[wins.astype(np.intp), losses.astype(np.intp)] <= (1 - level) / 2 + 1e-12)
    return np.asarray(shown)


@dataclass(frozen=True, eq=False)
class PairedOutcomes:
    """Numbers of wins and losses with their probabilities, for given shares of both among some cases."""

    wins: Floats
    losses: Floats
    probability: Floats
    cases: float

    @classmethod
    def of(cls, cases: float, win_share: float, loss_share: float) -> PairedOutcomes:
        """Enumerate a trinomial law, or put points on the normal law if disagreements are many."""
        cases, share = max(math.floor(cases), 1), win_share + loss_share
        if cases * share > MAX_DISAGREEMENTS_ENUMERATED:
            return cls._normal(cases, win_share, loss_share)
        spread = math.sqrt(cases * share * (1 - share)) + 1
        low = max(0, math.floor(cases * share - DEVIATIONS_ENUMERATED * spread))
        disagreements = np.arange(
            low, min(cases, math.ceil(cases * share + DEVIATIONS_ENUMERATED * spread)) + 1
        )
        majority = win_share / share if share > 0 else 0.5
        middle, reach = (
            disagreements * majority,
            DEVIATIONS_ENUMERATED * np.sqrt(disagreements * majority * (1 - majority)) + 2,
        )
        least = np.maximum(0, np.floor(middle - reach)).astype(np.int64)
        most = np.minimum(disagreements, np.ceil(middle + reach)).astype(np.int64)
        counts = most - least + 1
        total = np.repeat(disagreements, counts).astype(np.float64)
        wins = (np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts - least, counts)).astype(float)
        losses = total - wins
        rest = cases - total
        xlogy, gammaln = scipy.special.xlogy, scipy.special.gammaln
        logs = xlogy(wins, win_share) + xlogy(losses, loss_share) + xlogy(rest, max(0.0, 1 - share))
        logs += gammaln(cases + 1) - gammaln(wins + 1) - gammaln(losses + 1) - gammaln(rest + 1)
        probability = np.exp(logs)
        return cls(wins, losses, probability / probability.sum(), float(cases))

    @classmethod
    def _normal(cls, cases: float, win_share: float, loss_share: float) -> PairedOutcomes:
        share, lead = win_share + loss_share, win_share - loss_share
        z = np.linspace(-DEVIATIONS_ENUMERATED, DEVIATIONS_ENUMERATED, NORMAL_POINTS)
        weight = np.exp(-(z**2) / 2)
        # The lead wins − losses, and disagreements given the lead.
        lead_spread = math.sqrt(cases * (share - lead**2))
        slope = lead * (1 - share) / (share - lead**2)
        rest_spread = math.sqrt(max(cases * share * (1 - share) - (slope * lead_spread) ** 2, 0.0))
        leads = cases * lead + lead_spread * z[:, None]
        disagreements = cases * share + slope * lead_spread * z[:, None] + rest_spread * z[None, :]
        disagreements = np.maximum(disagreements, abs(leads))
        joint = (weight[:, None] * weight[None, :]).ravel()
        wins, losses = (disagreements + leads) / 2, (disagreements - leads) / 2
        return cls(wins.ravel(), losses.ravel(), joint / joint.sum(), float(cases))

    def scores(self, difference: float) -> Floats:
        """Compute Tango's score of a difference at each point."""
        return tango_scores(self.wins, self.losses, self.cases, difference)

    def chance_of(self, is_so: object) -> float:
        """Compute the probability of the points at which a condition holds."""
        return float(self.probability @ np.asarray(is_so, dtype=np.float64))


def shares_at(share: float, gain: float) -> tuple[float, float]:
    """Find the shares of wins and losses at a gain, given the rate of disagreement that was seen.

    Systems that are this far apart disagree at least that often.
    """
    share = min(max(share, abs(gain)), 1.0)
    return (share + gain) / 2, (share - gain) / 2


def disagreement_rate(disagreements: float, cases: float) -> float:
    """Estimate how often two systems disagree; never 0, because so few cases do not show that."""
    return (disagreements + 0.5) / (cases + 1)


def no_worse_power(
    cases: float, share: float, margin: float, gain: float = 0.0, *, level: float = 0.95
) -> float:
    """Compute how often "no worse by the margin" is shown for right-or-wrong answers.

    Parameters
    ----------
    cases : float
        The number of cases that both systems answer.
    share : float
        The share of cases on which only one of them is right.
    margin : float
        The margin, as a share: 0.01 is one point.
    gain : float
        The true difference, positive if the tested system is better.
    level : float
        The level of the two-sided interval.

    Examples
    --------
    >>> round(no_worse_power(1000, 0.1, 0.03), 2)
    0.84
    """
    outcomes = PairedOutcomes.of(cases, *shares_at(share, gain))
    shown = are_no_worse(outcomes.wins, outcomes.losses, outcomes.cases, margin, level)
    return outcomes.chance_of(shown)


def no_worse_cases(
    share: float, margin: float, gain: float = 0.0, *, level: float = 0.95, power: float = 0.8
) -> float:
    """Compute how many cases show "no worse by the margin" with a power; infinite if the gain is not above.

    Examples
    --------
    >>> no_worse_cases(0.1, 0.03)
    901.0
    """
    if not gain > -margin:
        return math.inf
    win, loss = shares_at(share, gain)
    share = win + loss
    # The score's variance under the margin, and the true one.
    linear = (2 - gain) * -margin - share
    root = math.sqrt(max(0.0, linear**2 - 8 * loss * margin * (1 + margin)))
    under_margin = (root - linear) / 2 - margin * (1 + margin)
    reach = normal_quantile(level) * math.sqrt(max(under_margin, 0.0))
    reach += float(scipy.special.ndtri(power)) * math.sqrt(max(share - gain**2, 0.0))
    normal = max(1, math.ceil((reach / (margin + gain)) ** 2))
    if normal * share > MAX_DISAGREEMENTS_ENUMERATED:
        return float(normal)
    fewer, enough = 0, normal
    while no_worse_power(enough, share, margin, gain, level=level) < power:
        fewer, enough = enough, math.ceil(1.25 * enough) + 1
    numbers = range(fewer + 1, enough + 1)
    index = bisect_left(
        numbers, True, key=lambda cases: no_worse_power(cases, share, margin, gain, level=level) >= power
    )
    return float(numbers[index])


def margin_plan(
    difference: Difference, margin: float, gain: float = 0.0, *, level: float = 0.95, power: float = 0.8
) -> SampleSizePlan:
    """Plan how many units show that the first system is no worse by a margin, if it is better by ``gain``.

    ``detectable`` is the smallest margin that the units at hand show with that power.
    """
    if difference.undefined is not None or difference.law is None or not difference.cases > 0:
        return SampleSizePlan(difference.cases, math.nan, power, level, math.nan)
    counts = paired_counts(difference)
    if counts is None:
        # The plan for telling a difference of margin + gain from 0: its error does not depend on the value.
        distance = margin + gain
        shifted = replace(difference, values=(distance, 0.0), discordant=None, amounts=None)
        plan = units_needed(shifted, level=level, power=power)
        return plan if distance > 0 else replace(plan, needed=math.inf)
    share = disagreement_rate(counts.only_first + counts.only_second, counts.trials)
    # The trials of recall are the cases of one class, and clusters count as fewer trials.
    needed = no_worse_cases(share, margin, gain, level=level, power=power) * difference.cases / counts.trials
    needed = math.ceil(needed) if math.isfinite(needed) else needed
    reach = normal_quantile(level) + float(scipy.special.ndtri(power))
    detectable = reach * math.sqrt(share / counts.trials) - gain
    return SampleSizePlan(difference.cases, needed, power, level, detectable)
