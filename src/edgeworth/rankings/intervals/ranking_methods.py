"""Methods of estimation for rankings and for many lists."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from edgeworth.core.laws import NormalLaw, SamplingLaw
from edgeworth.core.scales import Scale, natural_scale
from edgeworth.decisions.methods import Bootstrap, Method
from edgeworth.errors import OptionError
from edgeworth.rankings.along import ResolvedRanking, steps_of
from edgeworth.rankings.formulas.steps import Steps
from edgeworth.rankings.intervals.population import influence_law
from edgeworth.rankings.intervals.resampling import ListValues
from edgeworth.rankings.ranking import Ranking

BOOTSTRAP_STEPS = 20_000_000
"""Steps that a bootstrap draws within a few seconds."""


@dataclass(frozen=True)
class Influence:
    """A new sample from the same population: how much each case moves average precision or ROC area.

    The jackknife of average precision, and DeLong's variance of the ROC area, on the logit scale with
    Student's t. Sampling weights are taken into account.
    """

    def law(self, tally: Any, resolved: ResolvedRanking) -> SamplingLaw:
        """The law on the logit scale."""
        return influence_law(_one_ranking(tally, self), resolved)

    def __str__(self) -> str:
        return "influence of each case"


@dataclass(frozen=True)
class Boyd:
    """Boyd, Eng & Page's interval for average precision: ``logit θ ± z/√(m θ(1 − θ))``.

    Only the number of targets enters, so it is wide for weak rankings and says nothing about the background.
    """

    def law(self, tally: Any, resolved: ResolvedRanking) -> SamplingLaw:
        """Normal on the logit scale."""
        ranking = _one_ranking(tally, self)
        value = _average_precision(ranking, resolved, self)
        if not 0 < value < 1:
            raise OptionError(f"Boyd's interval has no logit for an average precision of {value:g}")
        error = math.sqrt(value * (1 - value) / float(ranking.target_total))
        return NormalLaw(value, error, Scale("logit", 0.0, 1.0))

    def __str__(self) -> str:
        return "Boyd, Eng & Page"


@dataclass(frozen=True)
class Survival:
    """Su & Zhang's survival view of average precision: hits are events, their ranks the times.

    It takes the ranks of the hits as fixed and lets only which of them was found vary, so it is no valid
    error for every ranking: it can be several times too large for a strong one and too small for few targets
    in a random one. ``Influence()`` is the default.
    """

    def law(self, tally: Any, resolved: ResolvedRanking) -> SamplingLaw:
        """Normal on the plain scale, as the source has it."""
        ranking = _one_ranking(tally, self)
        value = _average_precision(ranking, resolved, self)
        variance = survival_variance(steps_of(ranking, resolved))
        if not variance > 0:
            raise OptionError("the survival view needs two targets, one of them found, to vary at all")
        return NormalLaw(value, math.sqrt(variance), Scale("identity"))

    def __str__(self) -> str:
        return "survival view (Su & Zhang)"


@dataclass(frozen=True)
class AcrossLists:
    """Lists are the sample: mean and standard error over queries, with Student's t."""

    def law(self, tally: Any, resolved: ResolvedRanking) -> SamplingLaw:
        """Student's t with lists − 1 degrees of freedom, on a scale that keeps the bounds in range."""
        if not isinstance(tally, ListValues):
            raise OptionError("AcrossLists() is for many lists; a single ranking has Influence()")
        values = tally.checked()
        error = float(values.std(ddof=1) / math.sqrt(len(values)))
        if not error > 0:
            raise OptionError("every list has the same value, so nothing tells how much they vary")
        mean = float(values.mean())
        return NormalLaw(mean, error, natural_scale(*resolved.measure.range, mean), len(values) - 1.0)

    def __str__(self) -> str:
        return "Student's t over lists"


def default_ranking_method(ranking: Ranking, resolved: ResolvedRanking, seed: int) -> Method:
    """Influence where there is one, a bootstrap elsewhere."""
    smooth = resolved.measure.name == "average_precision" and resolved.ties in ("expected", "threshold")
    if (smooth and resolved.depth is None) or resolved.measure.name == "roc_auc":
        return Influence()
    # Fewer draws of a long list tell as much: its replicates differ less.
    draws = int(np.clip(BOOTSTRAP_STEPS // max(1, len(ranking.targets.scores)), 200, 2000))
    return Bootstrap(draws=draws, seed=seed)


def survival_variance(steps: Steps) -> float:
    """``(1/m) Σ_i Σ_j min(i,j)/m (1 − max(i,j)/m)/(t_i t_j)``, with cumulative sums in O(m)."""
    targets = float(steps.targets[0])
    counts = steps.hits.astype(np.intp)
    place = np.arange(1, counts.sum() + 1) - np.repeat(steps.hits_above, counts)
    # The j-th of a hits in a tie of s stands, on average, at place j (s + 1)/(a + 1) of it.
    spread = np.repeat((steps.size + 1) / (steps.hits + 1), counts)
    ranks = np.repeat(steps.seen_above, counts) + place * spread
    index = np.arange(1.0, len(ranks) + 1)
    before = np.concatenate([[0.0], np.cumsum(index / ranks)[:-1]])
    left = (targets - index) / ranks
    return float((left * index / ranks + 2 * left * before).sum() / targets**3)


def _one_ranking(tally: Any, method: object) -> Ranking:
    if not isinstance(tally, Ranking):
        raise OptionError(f"{method} is for one ranking; many lists have AcrossLists() and Bootstrap()")
    return tally


def _average_precision(ranking: Ranking, resolved: ResolvedRanking, method: object) -> float:
    if resolved.measure.name != "average_precision" or resolved.depth is not None:
        raise OptionError(f"{method} is for average_precision, which {resolved.spelling} is not")
    if not ranking.is_counted:
        raise OptionError(f"{method} needs whole cases; with sampling weights use Influence()")
    return float(resolved.values(steps_of(ranking, resolved))[0])
