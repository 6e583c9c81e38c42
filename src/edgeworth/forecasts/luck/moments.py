"""What luck does when the distinct games are too many to keep: from sums of moments, with certified errors.

S is log wealth, a sum of independent steps. Bounds on P(S ≥ x) under the prices, each of them valid:

- **Normal**: Φ((mean − x)/sd) ± ε, ε = 0.56 Σ E|step − mean|³/sd³ (Berry and Esseen; the constant is
  Shevtsova's, 2010, Doklady Mathematics 82, 862–864).
- **Tilted**: at full stakes and prices backed and laid alike the factor of a step is p/q, so
  P(S ≥ x) = E[exp(−S); S ≥ x] under the model's own probabilities. With log wealth normal there, mean m and
  deviation s, that is exp(s²/2 − m) Φ((m − x)/s − s), and by partial integration at most 2ε exp(−x) off, ε
  that of the model's law: small where x is what the model expects, however small the probability.
- **Chernoff**: at most exp(log E√W − x/2), for what lies between what prices and model expect.
- **Markov**: at most exp(−x), since wealth grows by nothing on average if the prices are right.

All of it takes sums over cases only, so blocks of any number of cases merge into it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import scipy

from edgeworth.core.tails import SMALLEST, Tail
from edgeworth.forecasts.betting.wealth import Wealth
from edgeworth.forecasts.luck.law import BERRY_ESSEEN


@dataclass(frozen=True)
class Moments:
    """Mean and variance of log wealth, and the sum of the third absolute central moments of its steps."""

    mean: float
    variance: float
    third: float

    @classmethod
    def of(cls, wealth: Wealth, who: str) -> Moments:
        """If the "price" is right, or the "model"."""
        with np.errstate(invalid="ignore"):
            parts = (wealth.sums(f"{who}_{name}").sum() for name in ("mean", "variance", "third"))
        return cls(*map(float, parts))

    @property
    def is_normal(self) -> bool:
        """Whether there is a normal law to compare with: finite moments, some spread."""
        return math.isfinite(self.mean + self.variance + self.third) and self.variance > 0

    @property
    def error(self) -> float:
        """How far P(S ≤ x) may be from the normal law, at any x."""
        return min(1.0, BERRY_ESSEEN * self.third / self.variance**1.5) if self.is_normal else 1.0


def luck_of_moments(wealth: Wealth) -> Tail:
    """P(at least this wealth) if the prices are right: between the best of the bounds.

    >>> q = np.linspace(0.3, 0.6, 5000)
    >>> truth, p = (np.arange(5000) % 20 < 9).astype(int), q + 0.01
    >>> found = luck_of_moments(Wealth.from_probabilities(truth, p, against=q))
    >>> found.kind, round(found.low, 3), round(found.high, 3)
    ('bracket', 0.323, 0.34)
    """
    x = wealth.log_wealth
    if x == -math.inf:
        return Tail(1.0, 1.0, 1.0, "exact, any wealth reaches it", Fraction(1))
    if x == math.inf:
        return Tail(0.0, 0.0, 0.0, "exact, no finite wealth reaches it", Fraction(0))
    found = list(_bounds(wealth, x))
    low = max(bound.low for bound in found)
    best = min(found, key=lambda bound: bound.high)
    high = min(max(best.high, SMALLEST), 1.0)
    if low <= 0:
        return Tail(0.0, high, high, f"certified bound ({best.source})", kind="bound")
    return Tail(min(low, high), high, high, f"certified bracket ({best.source})", kind="bracket")


@dataclass(frozen=True)
class _Bound:
    low: float
    high: float
    source: str


def _bounds(wealth: Wealth, x: float) -> Iterator[_Bound]:
    price, model = Moments.of(wealth, "price"), Moments.of(wealth, "model")
    if price.is_normal:
        value = float(scipy.special.ndtr((price.mean - x) / math.sqrt(price.variance)))
        yield _Bound(value - price.error, value + price.error, "normal law, Berry and Esseen's error")
    if model.is_normal and wealth.fraction == 1 and wealth.book in ("fair", "exchange"):
        spread = math.sqrt(model.variance)
        log_share = float(scipy.special.log_ndtr((model.mean - x) / spread - spread))
        value = _exponential(model.variance / 2 - model.mean + log_share)
        off = 2 * model.error * _exponential(-x)
        yield _Bound(value - off, value + off, "normal law tilted to the model, Berry and Esseen's error")
    half = float(wealth.sums("price_log_half").sum())
    yield _Bound(0.0, _exponential(half - x / 2), "Chernoff's inequality")
    yield _Bound(0.0, _exponential(-x), "Markov's inequality")


def _exponential(logarithm: float) -> float:
    return math.exp(min(logarithm, 700.0))
