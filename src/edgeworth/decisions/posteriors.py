"""Exact Beta posteriors of precision, recall and F1 (Goutte & Gaussier 2005), and which of two is larger."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import scipy

from edgeworth.common.arrays import Values
from edgeworth.core.sampling_distributions import Alternative, SamplingLaw, choose_tail
from edgeworth.decisions.table import ContingencyTable
from edgeworth.decisions.views import Resolved, TableView
from edgeworth.errors import OptionError

QUANTILES_FOR_STANDARD_ERROR = 4096
"""The number of quantiles of F1 whose standard deviation is taken."""


@dataclass(frozen=True)
class BetaLaw:
    """The posterior of a proportion, or of F1 = 2X/(1 + X) of a proportion X."""

    value: float
    first: float
    second: float
    is_f1: bool = False

    @property
    def standard_error(self) -> float:
        """The posterior standard deviation."""
        if self.is_f1:
            return float(
                np.std(
                    self.quantile(
                        (np.arange(QUANTILES_FOR_STANDARD_ERROR) + 0.5) / QUANTILES_FOR_STANDARD_ERROR
                    )
                )
            )
        total = self.first + self.second
        return math.sqrt(self.first * self.second / (total**2 * (total + 1)))

    def quantile(self, probability: Values) -> Values:
        """Find the value with this much probability below it."""
        share = scipy.special.betaincinv(self.first, self.second, probability)
        return 2 * share / (1 + share) if self.is_f1 else share

    def below(self, value: Values) -> Values:
        """Compute P(the measure is below a value)."""
        share = np.clip(value, 0.0, 1.0)
        if self.is_f1:
            share = share / (2 - share)
        return scipy.special.betainc(self.first, self.second, share)

    def interval(self, level: float) -> tuple[float, float]:
        """Compute the central credible interval."""
        low, high = self.quantile(np.array([0.5 - level / 2, 0.5 + level / 2]))
        return float(low), float(high)

    def p_value(self, null: float, alternative: Alternative) -> float:
        """Compute the posterior probability of the other side of ``null``, doubled when two-sided."""
        below = float(self.below(null))
        return choose_tail(1 - below, below, alternative)


@dataclass(frozen=True)
class BetaPosterior:
    """The exact posterior of precision, recall or F1 of one label (Goutte & Gaussier 2005).

    Parameters
    ----------
    prior : float
        The weight λ added to each of hits, false alarms and misses: ½ is Jeffreys', 1 is flat.

    Examples
    --------
    >>> import edgeworth as ew
    >>> table = ew.ContingencyTable.from_matrix([[45, 15], [5, 35]], rows="predicted", labels=["spam", "ham"])
    >>> print(ew.estimate(table, "f[spam]", method=ew.methods.BetaPosterior()))
    f[spam] 0.82 (95% CI 0.72 to 0.88, Beta posterior); chance level 0.545, p < 1e-6
    """

    prior: float = 0.5

    def __post_init__(self) -> None:
        if not (math.isfinite(self.prior) and self.prior > 0):
            raise OptionError(f"the prior must be a weight above 0; saw {self.prior!r}")

    def law(self, tally: ContingencyTable, resolved: Resolved) -> SamplingLaw:
        """Return the Beta distribution of the measure.

        :meta private:
        """
        if not tally.is_plain:
            raise OptionError(f"{self} assumes independent cases of equal weight: use Delta() instead")
        cells = tally.cells
        return beta_law(resolved.view(cells), resolved, float(resolved.values(cells)), self.prior)

    def __str__(self) -> str:
        return "Beta posterior"


def beta_law(view: TableView, resolved: Resolved, value: float, prior: float) -> BetaLaw:
    """Make the Beta law of precision, recall or F1.

    Precision ~ Beta(TP + λ, FP + λ), recall ~ Beta(TP + λ, FN + λ), F1 = 2X/(1 + X) with
    X ~ Beta(TP + λ, FP + FN + 2λ).
    """
    beta_counts = resolved.measure.beta_counts
    counts = None if beta_counts is None else beta_counts(view, **resolved.arguments)
    if counts is None:
        raise OptionError(f"BetaPosterior() is only for precision, recall and f; saw {resolved.spelling}")
    first = counts.successes + prior
    second = counts.failures + counts.failure_cells * prior
    return BetaLaw(value, first, second, is_f1=counts.is_f1)


def probability_larger(first: BetaLaw, second: BetaLaw) -> float:
    """Compute P(a draw of the first law > a draw of the second) for independent test sets, by one integral.

    >>> bob = BetaLaw(math.nan, 3.5, 6.0, is_f1=True)
    >>> alice = BetaLaw(math.nan, 10.5, 16.0, is_f1=True)
    >>> round(probability_larger(bob, alice), 4)
    0.4263
    """
    from scipy.integrate import quad

    # E[P(second < X)] over the quantiles of the first: smooth on (0, 1), no draws.
    points = [0.0, 1e-6, 1e-3, 0.5, 1 - 1e-3, 1 - 1e-6, 1.0]
    total = 0.0
    for low, high in pairwise(points):
        part, _ = quad(
            lambda p: float(second.below(first.quantile(p))), low, high, epsabs=1e-13, epsrel=1e-12
        )
        total += part
    return total


def probability_of_winning(wins: float, losses: float) -> float:
    """Compute P(π₁ > π₂) from wins and losses, as P(Beta(wins + ½, losses + ½) > ½); draws do not matter.

    >>> round(probability_of_winning(8, 5), 10)
    0.7966793709
    """
    return float(scipy.special.betaincc(wins + 0.5, losses + 0.5, 0.5))
