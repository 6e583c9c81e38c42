"""Each compared system by itself: its chance level, and how often chance alone does as well.

Su and Zhang's first question about a ranking, asked before the second one, which of two is better.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass

from edgeworth.common.arrays import plain_values
from edgeworth.core.estimates import Estimate
from edgeworth.core.measures import Direction

GUESSING, RANDOM_SELECTION = "guessing", "random selection"
CLASS_SHARES = "constant class shares"


@dataclass(frozen=True)
class AgainstChance:
    """The value of a system, its chance level, and the one-sided p-value of doing as well by chance."""

    value: float
    chance: float = math.nan
    p_value: float = math.nan
    method: str = ""
    is_apart: bool = False
    """Whether the interval lies on the better side of the chance level."""
    undefined: str | None = None
    """Why there is no p-value."""

    def to_dict(self) -> dict[str, object]:
        """Return plain values."""
        return {name: plain_values(value) for name, value in asdict(self).items()}


def against_chance(
    estimate: Estimate, direction: Direction, *, level: float, is_quick: bool = False
) -> AgainstChance:
    """Test an estimate against its chance level: exactly, or quickly by the law of the interval.

    >>> from edgeworth import ContingencyTable
    >>> from edgeworth.core.estimates import estimate
    >>> table = ContingencyTable.from_matrix([[3, 1], [1, 3]], rows="predicted")
    >>> result = against_chance(estimate(table, "informedness"), "higher", level=0.95)
    >>> result.chance, round(result.p_value, 4)  # Fisher's tea lady: 17/70
    (0.0, 0.2429)
    """
    value, chance = estimate.value, estimate.chance
    if estimate.undefined is not None:
        return AgainstChance(value, undefined=estimate.undefined)
    if direction == "neither" or math.isnan(chance):
        return AgainstChance(value, undefined=f"{estimate.measure} has no chance level")
    low, high = estimate.interval(level)
    is_lower = direction == "lower"
    is_apart = high < chance if is_lower else low > chance
    is_slow = is_quick and estimate.no_chance_test is None
    tail = None if is_slow else estimate.test_against_chance("less" if is_lower else "greater")
    if tail is not None:
        # Without a sampling law the exact test is all there is; a score differs from the shares' in pairs.
        is_alone = estimate.law is None or estimate.no_chance_test is not None
        return AgainstChance(value, chance, tail.p_value, tail.method, is_apart or is_alone)
    if estimate.no_chance_test is not None:
        return AgainstChance(value, chance, undefined=estimate.no_chance_test)
    p_value = estimate.p_value(chance, "less" if is_lower else "greater")
    if math.isnan(p_value):
        return AgainstChance(
            value, chance, undefined=estimate.no_interval or "it has no sampling distribution"
        )
    return AgainstChance(value, chance, p_value, f"distribution of the interval, {estimate.method}", is_apart)
