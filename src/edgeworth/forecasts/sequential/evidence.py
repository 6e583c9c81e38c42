"""What a process of wealth proves: an e-value, a p-value good at any time, and the null in words.

An e-value is what a stake of 1 has become in a game that is fair or worse if the null is true, so its mean
is at most 1. Markov: at one time fixed beforehand it reaches 1/α with probability at most α. Ville: along
the way it *ever* reaches 1/α with probability at most α, so one may watch it, stop when one likes, and use
its maximum. Ville needs the cases in the order in which they were known, or in one fixed without seeing the
outcomes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from edgeworth.core.tails import SMALLEST
from edgeworth.errors import InputError, OptionError

Direction: TypeAlias = Literal["greater", "less"]

LOG_TWO = math.log(2)


def check_direction(direction: str) -> None:
    """Refuse what is neither side."""
    if direction not in ("greater", "less"):
        raise OptionError(f'a direction is "greater" or "less"; saw {direction!r}')


@dataclass(frozen=True)
class Evidence:
    """Evidence against a null hypothesis, in natural logarithms.

    ``log_maximum`` is the largest log wealth on the way (at least 0, the start), or None when the order of
    the cases is not one that Ville's inequality allows; then only the end counts.

    >>> found = Evidence.from_path([0.5, 3.2, 2.9], null="the rival's prices are the true probabilities")
    >>> round(found.e_value, 3), round(found.p_value, 4)
    (18.174, 0.0408)
    """

    log_e_value: float
    log_maximum: float | None
    direction: str
    null: str

    def __post_init__(self) -> None:
        """Wealth is a number, and its maximum is no smaller than its end."""
        if math.isnan(self.log_e_value):
            raise InputError("evidence needs a log wealth that is a number; saw nan")
        if self.log_maximum is not None and not self.log_maximum >= max(self.log_e_value, 0.0):
            raise InputError(
                f"the largest log wealth is at least 0 and at least the last, {self.log_e_value!r}; "
                f"saw {self.log_maximum!r}"
            )

    @classmethod
    def from_path(
        cls, path: ArrayLike, *, null: str, direction: str = "greater", ordered: bool = True
    ) -> Evidence:
        """Take log wealth after each case; without cases it is the start, log 1 = 0."""
        log_wealth = np.asarray(path, float)
        end = float(log_wealth[-1]) if log_wealth.size else 0.0
        largest = max(0.0, float(log_wealth.max())) if log_wealth.size else 0.0
        return cls(end, largest if ordered else None, direction, null)

    @property
    def ordered(self) -> bool:
        """Whether the maximum on the way may be used."""
        return self.log_maximum is not None

    @property
    def e_value(self) -> float:
        """Wealth at the end; inf beyond 1e308."""
        return _exponential(self.log_e_value)

    @property
    def maximum(self) -> float:
        """The largest wealth on the way; nan when the order does not allow it."""
        return math.nan if self.log_maximum is None else _exponential(self.log_maximum)

    @property
    def p_value(self) -> float:
        """min(1, 1/largest wealth) by Ville's inequality; without an order min(1, 1/last wealth) by Markov's.

        Never 0, unless something happened that is impossible under the null.
        """
        used = self.log_e_value if self.log_maximum is None else self.log_maximum
        if used == math.inf:
            return 0.0
        return 1.0 if used <= 0 else max(math.exp(-used), SMALLEST)

    def double(self) -> Evidence:
        """Halve the wealth, and so double the p-value: what looking in both directions costs."""
        largest = None if self.log_maximum is None else max(0.0, self.log_maximum - LOG_TWO)
        return replace(self, log_e_value=self.log_e_value - LOG_TWO, log_maximum=largest)


def better_of(first: Evidence, second: Evidence) -> Evidence:
    """Take the stronger of two directions, at the price of half the wealth and twice the p-value.

    Parameters
    ----------
    first, second : Evidence
        The evidence of each direction, both with their order or both without.

    Returns
    -------
    Evidence

    Notes
    -----
    These are two games with half of the stake in each: whichever null is true, the chance that its game ever
    reaches 2/α is at most α/2.

    Examples
    --------
    >>> up = Evidence.from_path([1.0, 4.0], null="A is no better", direction="greater")
    >>> down = Evidence.from_path([-1.0, -4.0], null="B is no better", direction="less")
    >>> better_of(up, down).direction, round(better_of(up, down).p_value / up.p_value, 12)
    ('greater', 2.0)
    """
    if first.ordered != second.ordered:
        raise InputError("the better of two directions needs both with their order, or both without")

    def strength(evidence: Evidence) -> tuple[float, float]:
        return (evidence.log_maximum or 0.0, evidence.log_e_value)

    return max(first, second, key=strength).double()


def _exponential(logarithm: float) -> float:
    return math.exp(logarithm) if logarithm < 709.78 else math.inf
