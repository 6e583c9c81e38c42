"""The posterior probability that one of two predictors is the better one."""

from __future__ import annotations

import math

import numpy as np

from edgeworth.arrays import Floats
from edgeworth.comparing.labels.joint_cells import JointCells
from edgeworth.comparing.labels.label_methods import PRIOR, delta_law
from edgeworth.comparing.labels.paired_proportions import paired_proportions
from edgeworth.comparing.labels.replicates import affordable, posterior
from edgeworth.decisions.computing import Resolved
from edgeworth.decisions.methods import NO_ERROR
from edgeworth.decisions.posteriors import probability_of_winning
from edgeworth.errors import OptionError

DRAWS = 10_000
QUICK_DRAWS = 2_000
"""Of one pair among many."""


def probability_first_better(
    cells: JointCells, resolved: Resolved, seed: int = 0, *, quick: bool = False
) -> tuple[float, str]:
    """P(the first is better) and how it was found; nan for a measure that is neither good nor bad.

    Exactly for proportions of the same cases: P(Beta(wins + ½, losses + ½) > ½) (Goutte & Gaussier 2005).
    For other measures of whole cases by draws from the Dirichlet posterior of the joint cells, with
    weights or groups by the delta method's law with a flat prior. A tie is half a win.
    """
    if resolved.measure.direction == "neither":
        return math.nan, ""
    found = paired_proportions(cells, resolved)
    if found is not None:
        larger = probability_of_winning(found.only_first, found.only_second)
        method = "exact, Beta posterior of wins and losses (Goutte & Gaussier), prior ½"
    elif cells.is_identical:
        larger, method = 0.5, "the two never differ"
    elif cells.is_plain:
        draws = affordable(QUICK_DRAWS if quick else DRAWS, 2 * len(cells.weight))
        larger = share_above(posterior(cells, resolved, PRIOR, draws, seed))
        method = f"Dirichlet posterior of the joint counts, {draws:,} draws, seed {seed}"
    else:
        try:
            law = delta_law(cells, resolved, natural=False)
        except OptionError:
            return math.nan, ""
        if not law.standard_error**2 > NO_ERROR:
            return math.nan, ""
        larger = law.p_value(0.0, "less")
        method = "delta method's law, flat prior"
    return (larger if resolved.measure.direction == "higher" else 1 - larger), method


def share_above(draws: Floats) -> float:
    """The share of draws above 0, ties half; nan when too many have no value."""
    defined = draws[~np.isnan(draws)]
    if len(defined) < 0.95 * len(draws):
        return math.nan
    return float((defined > 0).mean() + (defined == 0).mean() / 2)
