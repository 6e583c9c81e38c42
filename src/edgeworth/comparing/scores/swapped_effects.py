"""What each case adds to a measure in many rankings at once: those that swapping two systems' ranks gives.

The same effects as of one ranking (``case_effects``), a row a ranking. All of them are rankings of whole
cases on the same levels, so that tie groups need a table of harmonic numbers and nothing is sorted again.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import scipy

from edgeworth.arrays import Values
from edgeworth.comparing.scores.score_laws import FARTHEST
from edgeworth.rankings.along import ResolvedRanking
from edgeworth.rankings.intervals.influence import NO_VARIANCE

HALVINGS = 24
"""Of a distance of at most FARTHEST: what is left is far below what swaps differ by."""


@dataclass(frozen=True)
class Lists:
    """Rankings of the same cases, one a row: how many cases stand in each place (``CaseStanding``)."""

    counts: Values
    steps: int

    @property
    def hits(self) -> Values:
        """Targets of each step."""
        return self.counts[:, : self.steps]

    @property
    def tied(self) -> Values:
        """Background of each step."""
        return self.counts[:, self.steps : 2 * self.steps]

    @property
    def gap(self) -> Values:
        """Background before each step, and after the last."""
        return self.counts[:, 2 * self.steps :]

    @property
    def above(self) -> tuple[Values, Values]:
        """Targets above each step, and all cases above it."""
        hits = np.cumsum(self.hits, axis=1) - self.hits
        return hits, hits + np.cumsum(self.gap[:, :-1] + self.tied, axis=1) - self.tied


def list_effects(lists: Lists, resolved: ResolvedRanking) -> tuple[Values, Values]:
    """Each ranking's value, and the effect of a case in each of its places; two targets at least."""
    if resolved.measure.name == "roc_auc":
        return _of_areas(lists)
    return _of_precisions(lists, is_expected=resolved.ties != "threshold")


def _of_areas(lists: Lists) -> tuple[Values, Values]:
    """Placements, as in ``roc_area_effects``."""
    hits_above, seen_above = lists.above
    targets = float(lists.hits[0].sum())
    background = float(lists.counts[0].sum()) - targets
    beaten = (background - (seen_above - hits_above) - lists.tied / 2) / background
    values = (lists.hits * beaten).sum(axis=1) / targets
    of_targets, of_background = (math.sqrt(number * (number - 1)) for number in (targets, background))
    found = np.concatenate(
        [hits_above + lists.hits / 2, hits_above, np.full((len(values), 1), targets)], axis=1
    )
    effects = np.concatenate(
        [
            (beaten - values[:, None]) / of_targets,
            (found / targets - values[:, None]) / of_background,
        ],
        axis=1,
    )
    return values, effects


def _of_precisions(lists: Lists, *, is_expected: bool) -> tuple[Values, Values]:
    """Average precision with a case less that without it, as in ``average_precision_effects``."""
    hits, tied = lists.hits, lists.tied
    hits_above, seen_above = lists.above
    targets, cases = float(hits[0].sum()), float(lists.counts[0].sum())
    harmonic = np.concatenate([[0.0], np.cumsum(1 / np.arange(1, cases + 1))])

    def precision(found: Values, size: Values, above: Values, seen: Values) -> Values:
        """Each group's sum of precision over its targets."""
        if not is_expected:
            return np.asarray(found * (above + found) / np.maximum(seen + size, 1.0))
        slope = (found - 1) / np.maximum(size - 1, 1.0)
        start = seen.astype(np.intp)
        reciprocals = harmonic[start + size.astype(np.intp)] - harmonic[start]
        inside = slope * size + (above + 1 - slope * (1 + seen)) * reciprocals
        return np.asarray(found / np.maximum(size, 1.0) * inside)

    size = hits + tied
    own, own_tied = np.minimum(hits, 1.0), np.minimum(tied, 1.0)
    whole = precision(hits, size, hits_above, seen_above)
    values = whole.sum(axis=1) / targets
    # Less one case of the step itself, less a target above it, less background above it.
    target = whole - precision(hits - own, size - own, hits_above, seen_above)
    beside = whole - precision(hits, size - own_tied, hits_above, seen_above)
    fewer_hits = np.maximum(hits_above - 1, 0.0)
    below = whole - precision(hits, size, fewer_hits, np.maximum(seen_above - 1, fewer_hits))
    after = whole - precision(hits, size, hits_above, np.maximum(seen_above - 1, hits_above))
    below, after = (np.cumsum(part[:, ::-1], axis=1)[:, ::-1] for part in (below, after))
    nothing = np.zeros((len(values), 1))
    effects = np.concatenate(
        [
            (target + np.concatenate([below[:, 1:], nothing], axis=1) - values[:, None]) / (targets - 1),
            (beside + np.concatenate([after[:, 1:], nothing], axis=1)) / targets,
            np.concatenate([after, nothing], axis=1) / targets,
        ],
        axis=1,
    )
    effects -= (lists.counts * effects).sum(axis=1, keepdims=True) / cases
    effects *= math.sqrt(1 - 1 / cases)
    return values, effects


def distances(values: tuple[Values, Values], variances: tuple[Values, Values, Values], bent: bool) -> Values:
    """How many standard errors "no difference" lies from each difference, as ``ScoreDifferenceLaw`` has it.

    ``variances`` are those of the first, of the second and of the difference; ``bent`` intervals are those of
    both values on the logit scale, put together. 0 for no difference, however little is known; at most
    ``FARTHEST``.
    """
    first, second = values
    gap = np.abs(first - second)
    errors = [np.sqrt(np.where(variance > NO_VARIANCE, variance, 0.0)) for variance in variances]
    if not bent:
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(gap > 0, np.minimum(gap / errors[2], FARTHEST), 0.0)
    product = errors[0] * errors[1]
    shared = (variances[0] + variances[1] - variances[2]) / np.maximum(2 * product, NO_VARIANCE)
    correlation = np.where(product > 0, np.clip(shared, -1.0, 1.0), 0.0)
    # The bound that faces 0: of the higher value the lower one, and of the lower value the upper one.
    higher, lower = np.maximum(first, second), np.minimum(first, second)
    is_first = first >= second
    of_higher, of_lower = np.where(is_first, errors[:2], errors[1::-1])
    near, far = np.zeros(len(gap)), np.full(len(gap), FARTHEST)
    for _ in range(HALVINGS):
        middle = (near + far) / 2
        down, up = _reach(higher, -middle * of_higher), _reach(lower, middle * of_lower)
        reached = down * down + up * up - 2 * correlation * down * up >= gap * gap
        near, far = np.where(reached, near, middle), np.where(reached, middle, far)
    return np.where(gap > 0, far, 0.0)


def _reach(value: Values, errors: Values) -> Values:
    """How far so many errors, signed, lead from a value on the logit scale; nowhere from 0 and 1."""
    inside = (value > 0) & (value < 1)
    safe = np.where(inside, value, 0.5)
    moved = scipy.special.expit(scipy.special.logit(safe) + errors / (safe * (1 - safe)))
    return np.where(inside, np.abs(moved - safe), 0.0)
