"""Laws of the difference between two predictors' measures on the same cases."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from edgeworth.common.arrays import Floats, Numbers
from edgeworth.comparisons.difference import Effect, standardised_effect
from edgeworth.comparisons.labels.joint_cells import JointCells
from edgeworth.comparisons.labels.proportions import (
    PairedProportions,
    as_if_independent,
    paired_combination,
    paired_proportions,
)
from edgeworth.comparisons.labels.resampling import affordable_draws, bootstrap, posterior
from edgeworth.comparisons.policy import MIN_CASES_BEHIND_DIFFERENCE
from edgeworth.core.estimates import check_method
from edgeworth.core.sampling_distributions import (
    BootstrapLaw,
    NormalLaw,
    PosteriorLaw,
    SamplingLaw,
    Scale,
    natural_scale,
)
from edgeworth.decisions.estimates import Bootstrap, Delta, Dirichlet
from edgeworth.decisions.posteriors import probability_of_winning
from edgeworth.decisions.resampling import MIN_VARIANCE, defined_draws
from edgeworth.decisions.views import Resolved
from edgeworth.errors import OptionError
from edgeworth.report.wording import describe_measure

PRIOR_CASES = 2.0
"""Cases that the prior of the joint cells weighs; see ``resampling.posterior``."""

ALIKE = "the two systems never differ here, so their variability cannot be estimated"
NO_SPREAD = "no {unit} in the sample changes the difference, so its variability cannot be estimated"


class NothingVariesError(OptionError):
    """The difference does not vary in the sample, so its standard error cannot be estimated."""


@dataclass(frozen=True)
class Tango:
    """Tango's score interval for the difference of two proportions of the same cases.

    It suits accuracy, recall and fallout. For measures that combine one proportion per real class, such as
    informedness of two classes or of one label and balanced accuracy, the distances are squared and added.

    Examples
    --------
    >>> import edgeworth as ew
    >>> truth = [1, 0] * 60
    >>> systems = {"a": [1, 0] * 50 + [0, 1] * 10, "b": [1, 0] * 40 + [0, 1] * 20}
    >>> method = ew.methods.Tango()
    >>> comparison = ew.compare(truth=truth, systems=systems, measures=["accuracy"], method=method)
    >>> [round(bound, 3) for bound in comparison["a", "b"]["accuracy"].interval()]
    [0.111, 0.243]
    """

    def __str__(self) -> str:
        return "Tango's score interval"


def default_method(resolved: Resolved) -> Bootstrap | Delta:
    """Choose the delta method, or the bootstrap of what has no derivative."""
    return Bootstrap() if resolved.measure.scope == "cells" and not resolved.measure.gradient else Delta()


def difference_law(cells: JointCells, resolved: Resolved, method: object = None) -> SamplingLaw:
    """Find the sampling law of the difference: Tango's of the measure or of its parts, or by a method.

    Predictors that never differ have Tango's law, or none: what they would do elsewhere is not known.
    """
    if method is not None and not isinstance(method, (Delta, Tango, Bootstrap, Dirichlet)):
        check_method(method)
        raise OptionError(
            f"a difference is estimated with Delta(), Tango(), Bootstrap() or Dirichlet(); saw {method!r}"
        )
    if method is None or isinstance(method, Tango):
        proportions = paired_proportions(cells, resolved, clustered=True)
        score_law = proportions or paired_combination(cells, resolved)
        if score_law is not None:
            return score_law
        if method is not None:
            raise OptionError(
                f"Tango() is for proportions of the same cases, which {resolved.spelling} is not here: use "
                "Delta()"
            )
    if cells.is_identical:
        raise NothingVariesError(ALIKE)
    chosen = method or default_method(resolved)
    if isinstance(chosen, Delta):
        law = delta_law(cells, resolved)
        if law.standard_error**2 > MIN_VARIANCE:
            return law
        other = as_if_independent(cells, resolved) if method is None else None
        if other is None:
            raise NothingVariesError(NO_SPREAD.format(unit=cells.unit))
        return other
    first, second = cells.values(resolved)
    if isinstance(chosen, Dirichlet):
        prior = PRIOR_CASES if chosen.prior is None else chosen.prior
        draws = posterior(cells, resolved, prior, chosen.draws, chosen.seed)
        return PosteriorLaw(first - second, *defined_draws(draws, resolved.spelling))
    assert isinstance(chosen, Bootstrap)
    draws = bootstrap(cells, resolved, chosen.draws, chosen.seed)
    return BootstrapLaw(first - second, *defined_draws(draws, resolved.spelling))


def delta_law(cells: JointCells, resolved: Resolved, *, natural: bool = True) -> NormalLaw:
    """Build Student's t with the delta method's variance and its degrees of freedom.

    A case by itself is a cluster of one: with many cases this is the normal law. The natural scale is the
    inverse hyperbolic tangent over the range that a difference has.
    """
    first, second = cells.values(resolved)
    if not cells.units > 1:
        raise OptionError(f"there is only one {cells.unit}, so the variability cannot be estimated")
    spread = cells.spread(resolved)
    if math.isnan(spread.variance):
        raise OptionError(
            "all cases of a class are in one cluster, so the variability between clusters cannot be estimated"
        )
    error = math.sqrt(max(0.0, spread.variance))
    low, high = resolved.measure.range
    reach = high - low
    scale = natural_scale(-reach, reach, first - second) if natural else Scale()
    return NormalLaw(first - second, error, scale, max(spread.freedom, 1.0))


def plain_law(cells: JointCells, resolved: Resolved) -> NormalLaw | None:
    """Build the delta method's law of the plain difference; None if it has none, or sees no error."""
    try:
        law = delta_law(cells, resolved, natural=False)
    except OptionError:
        return None
    return law if law.standard_error**2 > MIN_VARIANCE or cells.is_identical else None


def interval_caveat(
    cells: JointCells, resolved: Resolved, law: SamplingLaw | None, level: float = 0.95
) -> str | None:
    """Explain why the interval may cover less than its level, or return None."""
    if cells.is_identical:
        most = -math.expm1(math.log1p(-level) / max(cells.units, 1.0))
        measure, new = describe_measure(resolved.spelling), f"up to {most:.2%} of new {cells.unit}s may"
        return f"no {cells.unit} distinguishes the two by {measure}; {new} ({100 * level:g}% upper bound)"
    if not isinstance(law, NormalLaw):
        return None
    few = cases_behind(cells, cells.influences(resolved))
    if few < MIN_CASES_BEHIND_DIFFERENCE:
        behind = f"about {max(few, 1):.0f} of {cells.units:,.0f} {cells.unit}s"
        return f"the difference rests on {behind}, so its interval is approximate"
    return None


def cases_behind(cells: JointCells, influences: Floats) -> float:
    """Compute the effective number of cases behind a difference: (Σ influence²)²/Σ influence⁴."""
    weight: Numbers | float = cells.weight
    if cells.clusters is not None:
        _, cluster = np.unique(cells.clusters, return_inverse=True)
        influences = np.bincount(cluster, weights=cells.weight * influences).astype(np.float64)
        weight = 1.0
    fourth = float((weight * influences**4).sum())
    return float((weight * influences**2).sum()) ** 2 / fourth if fourth > 0 else 0.0


def effect_of(cells: JointCells, counts: PairedProportions | None, plain: NormalLaw | None) -> Effect | None:
    """Compute the effect size: the log odds of discordant cases if only these matter.

    Otherwise it is the difference over the standard deviation of what one unit adds to it.
    """
    if counts is not None:
        return counts.effect()
    return (
        None if plain is None or cells.is_identical else standardised_effect(plain.value, plain, cells.units)
    )


DRAWS = 10_000
QUICK_DRAWS = 2_000
"""Draws of a bootstrap or a posterior: for one pair, and for one of many pairs."""


def probability_first_better(
    cells: JointCells,
    resolved: Resolved,
    counts: PairedProportions | None,
    plain: NormalLaw | None,
    seed: int,
    *,
    quick: bool,
) -> tuple[float, str]:
    """Compute P(the first is better) and name the method; nan for a measure without a direction.

    Exactly for proportions of the same cases: P(Beta(wins + ½, losses + ½) > ½) (Goutte & Gaussier 2005).
    For other measures of whole cases by draws from the Dirichlet posterior of the joint cells, with
    weights or clusters by the delta method's law with a flat prior. A tie is half a win.
    """
    if resolved.measure.direction == "neither":
        return math.nan, ""
    if counts is not None:
        larger = probability_of_winning(counts.only_first, counts.only_second)
        method = "exact, Beta posterior of wins and losses (Goutte & Gaussier), prior ½"
    elif cells.is_identical:
        larger, method = 0.5, "the two never differ"
    elif cells.is_plain:
        draws = affordable_draws(QUICK_DRAWS if quick else DRAWS, 2 * len(cells.weight))
        larger = share_above(posterior(cells, resolved, PRIOR_CASES, draws, seed))
        method = f"Dirichlet posterior of the joint counts, {draws:,} draws, seed {seed}"
    elif plain is not None:
        larger, method = plain.p_value(0.0, "less"), "delta method, flat prior"
    else:
        return math.nan, ""
    return (larger if resolved.measure.direction == "higher" else 1 - larger), method


def share_above(draws: Floats) -> float:
    """Compute the share of draws above 0, ties half; nan when too many have no value."""
    defined = draws[~np.isnan(draws)]
    if len(defined) < 0.95 * len(draws):
        return math.nan
    return float((defined > 0).mean() + (defined == 0).mean() / 2)
