"""How many cases would settle it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist

from edgeworth.core.estimates import Estimate
from edgeworth.core.laws import check_level, normal_quantile
from edgeworth.decisions.table import ContingencyTable
from edgeworth.errors import OptionError


@dataclass(frozen=True)
class Plan:
    """Cases needed to tell a measure from a null, if its true value is the one seen.

    ``needed`` is the size of a sample that would show it with the given power; ``more`` is what the cases at
    hand lack of it. Infinite when the value is the null itself.
    """

    cases: float
    needed: float
    power: float
    level: float

    @property
    def more(self) -> float:
        """Further cases."""
        return max(0.0, self.needed - self.cases)


def cases_needed(
    estimate: Estimate, *, null: float | None = None, level: float = 0.95, power: float = 0.8
) -> Plan:
    """How many cases like these would tell the measure from ``null`` (guessing, if left out).

    ``n · ((z_level + z_power) · standard error / distance)²``: the error shrinks with √n.
    """
    check_level(level)
    if not 0 < power < 1:
        raise OptionError(f"power lies between 0 and 1; saw {power!r}")
    size = _size(estimate)
    if estimate.law is None:
        return Plan(size, math.nan, power, level)
    distance = abs(estimate.value - (estimate.chance if null is None else null))
    low, high = estimate.interval(level)
    # At the end of a range the standard error is 0 and the interval is not.
    error = max(estimate.standard_error, (high - low) / (2 * normal_quantile(level)))
    if distance < 1e-12:
        return Plan(size, math.inf, power, level)
    reach = normal_quantile(level) + NormalDist().inv_cdf(power)
    return Plan(size, math.ceil(size * (reach * error / distance) ** 2), power, level)


def _size(estimate: Estimate) -> float:
    """Cases, or lists; with sampling weights as many as would tell as much if they all weighed the same."""
    tally = estimate.tally
    if isinstance(tally, ContingencyTable):
        total = float(tally.cells.sum())
        return total if tally.squared is None else total**2 / float(tally.squared.sum())
    from edgeworth.rankings.lists import RankedLists
    from edgeworth.rankings.ranking import Ranking

    if isinstance(tally, RankedLists):
        return float(tally.number)
    return float(tally.total if isinstance(tally, Ranking) else tally.cases)
