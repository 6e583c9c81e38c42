"""Hits as events and ranks as times: S(t), its variance, and where the i-th hit of a new sample may be."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from edgeworth.common.arrays import Floats
from edgeworth.errors import OptionError
from edgeworth.rankings.intervals.bands import hit_curve, local_precision
from edgeworth.rankings.ranking import Ranking

MAX_TARGETS = 4000
"""The most targets for which the matrix H is made: it has a number for each pair of them."""

FIRST_AND_LAST = (
    "Resampled hits are never earlier than the first observed one and never later than the last, so H "
    "does not describe the first and the last hit of a new sample."
)


@dataclass(frozen=True, eq=False)
class HitSurvival:
    """The share S(t) of hits below rank t, its variance, and the transition probabilities H_ij."""

    ranks: NDArray[np.int64]
    """The ranks t_1 < … < t_m of the hits."""
    depth: Floats
    survival: Floats
    """S(t) = 1 − r(t) at each depth."""
    variance: Floats
    """Var S(t) over new samples with as many targets and as many others."""
    caveat: str = FIRST_AND_LAST

    @property
    def targets(self) -> int:
        """The number of hits, m."""
        return len(self.ranks)

    @cached_property
    def transition(self) -> Floats:
        """H: row i, column j hold the probability that the i-th hit is at the observed rank t_j."""
        m = self.targets
        i, j = np.arange(1, m + 1)[:, None], np.arange(m + 1) / m
        # P(Bin(m, p) ≥ i) is the regularised incomplete beta function.
        at_least = scipy.special.betainc(i, m - i + 1, j)
        return np.diff(at_least, axis=1)

    def still_to_come(self, depth: float) -> Floats:
        """π_i(t): the probability that the i-th hit is below rank t, for each i."""
        return np.asarray(self.transition[:, self.ranks > depth].sum(axis=1))


def hit_survival(ranking: Ranking, *, depths: ArrayLike | None = None) -> HitSurvival:
    """Compute Su & Zhang's survival function of the hits, its variance and H_ij in the general case.

    Parameters
    ----------
    ranking : Ranking
        Whole cases without ties between targets and others, at least one target.
    depths : array_like, optional
        Depths t between 0 and the number of items; left out, every rank of a hit.

    Returns
    -------
    HitSurvival
        ``ranks`` of the hits, ``survival`` S(t) with its ``variance`` at each ``depth``, and ``transition``,
        the matrix H.

    Notes
    -----
    Resampling the m hits, the i-th of them in order is the observed hit j with probability
    ``P(Bin(m, j/m) ≥ i) − P(Bin(m, (j−1)/m) ≥ i)``. The columns and rows of H add up to 1, so the mean of
    ``π_i(t) = Σ_{t_j > t} H_ij`` is S(t).

    The variance comes from the influence of each case on S(t), as ``Influence()`` has it for average
    precision: ``((1 − p)² m r(1 − r) + p² (n − m) f(1 − f))/m²`` with recall r, fallout f and the precision p
    around the cut. The slides' ``Σ π_i(1 − π_i)/m²`` takes hits in order as independent. They are not, and it
    is too small.

    H is not valid for the first and the last hit: resampled hits are never outside the observed ones.

    Examples
    --------
    >>> result = hit_survival(Ranking.from_hits([1, 1, 0, 1, 0, 0, 0, 0]))
    >>> result.ranks.tolist(), result.survival.round(4).tolist()
    ([1, 2, 4], [0.6667, 0.3333, 0.0])
    >>> (result.transition * 27).round(9).tolist()
    [[19.0, 7.0, 1.0], [7.0, 13.0, 7.0], [1.0, 7.0, 19.0]]
    """
    if not isinstance(ranking, Ranking):
        raise OptionError(f"hit_survival needs a Ranking; saw {type(ranking).__name__}")
    if not ranking.is_counted or not ranking.target_total:
        raise OptionError("hit_survival needs whole cases and at least one target")
    targets, items = int(ranking.target_total), float(ranking.total)
    if targets > MAX_TARGETS:
        raise OptionError(f"H is available for up to {MAX_TARGETS:,} targets; saw {targets:,}")
    groups = ranking.tie_groups
    ranks = _hit_ranks(ranking)
    depth = ranks.astype(np.float64) if depths is None else np.asarray(depths, dtype=np.float64)
    if depth.ndim != 1 or not np.all((depth >= 0) & (depth <= items)):
        raise OptionError(f"depths must lie between 0 and {items:,.0f}")
    inside = np.maximum(depth, 1.0)
    hits = np.where(depth < 1, 0.0, hit_curve(groups, inside))
    recall, background = hits / targets, items - targets
    fallout = (depth - hits) / background if background else np.zeros(len(depth))
    local = local_precision(groups, inside, items)
    spread = (1 - local) ** 2 * targets * recall * (1 - recall) + local**2 * background * fallout * (
        1 - fallout
    )
    return HitSurvival(ranks, depth, 1 - recall, np.asarray(spread / targets**2))


def _hit_ranks(ranking: Ranking) -> NDArray[np.int64]:
    """Find the rank of each hit, or raise an error if ties leave it open."""
    groups = ranking.tie_groups
    if (groups.hits != groups.size).any():
        raise OptionError("some targets tie with other items, so their ranks are not known: break the ties")
    starts, sizes = groups.seen_above.astype(np.int64), groups.size.astype(np.int64)
    if sizes.sum() < ranking.target_total:
        raise OptionError("some targets have no score, so their ranks are not known")
    offsets = np.concatenate([np.arange(1, size + 1) for size in sizes])
    return np.asarray(np.repeat(starts, sizes) + offsets)
