"""Who scores better on average, at any time: the empirical Bernstein confidence sequence for bounded scores.

Differences δ_i of two scores lie in [−c/2, c/2] (Brier of two classes: c = 2; of more, summed: c = 4). With
the mean Δ_t and V_t = Σ (δ_i − Δ_{i−1})², Δ_0 = 0, the interval is Δ_t ± u(max(1, V_t))/t, m(u(v), v) = 2/α
and m the gamma-exponential mixture (Choe & Ramdas 2024, Theorem 2), as far as it lies within [−c/2, c/2].
Nothing is assumed of the dependence between cases: the estimand is the average of the first t conditional
mean differences, each given what came before.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from edgeworth.arrays import Floats
from edgeworth.core.laws import check_level
from edgeworth.errors import InputError, OptionError
from edgeworth.forecasts.sequential.evidence import Direction, Evidence, check_direction
from edgeworth.forecasts.sequential.gamma_mixture import GammaMixture
from edgeworth.forecasts.sequential.sequences import BlockSums, ConfidenceSequence, finite_differences

NULLS = {
    "greater": "at no time is the average of the expected score differences above 0",
    "less": "at no time is the average of the expected score differences below 0",
}


@dataclass(frozen=True, eq=False)
class BernsteinSequence(ConfidenceSequence):
    """An empirical Bernstein confidence sequence with the mixture it is made of, and so its e-processes.

    >>> empirical_bernstein([0.3, -0.1]).says_nothing
    True
    """

    mixture: GammaMixture

    @property
    def says_nothing(self) -> bool:
        """Whether the last interval is all that is possible, [−c/2, c/2]."""
        reach = self.mixture.c / 2
        return bool(len(self) and (self.last.low, self.last.high) == (-reach, reach))

    def log_e_values(self, direction: Direction) -> Floats:
        """log m(±tΔ_t, V_t): "greater" grows when the mean is above 0, "less" when it is below.

        m rises with its first argument, so as long as Σ conditional means ≤ 0 it is at most the mixture of
        the centred sum, which is a supermartingale: at any stopping time its mean is at most 1.
        """
        check_direction(direction)
        total = self.cases * self.mean
        return self.mixture.log_value(total if direction == "greater" else -total, self.V)

    def evidence(self, direction: Direction, *, null: str | None = None, ordered: bool = True) -> Evidence:
        """Against "on average no better than the other, at any time", one-sided; ``better_of`` for both."""
        path = self.log_e_values(direction)
        return Evidence.from_path(path, null=null or NULLS[direction], direction=direction, ordered=ordered)


def empirical_bernstein(
    differences: ArrayLike,
    *,
    c: float = 2.0,
    level: float = 0.95,
    v_opt: float = 10.0,
    means: ArrayLike | None = None,
) -> BernsteinSequence:
    """Bound the mean of bounded differences after every case.

    Parameters
    ----------
    differences : array-like, (n,)
        A difference of scores in [−c/2, c/2] for each case.
    c : float
        The length of the range of the differences.
    level : float
        The probability that all bounds hold at once.
    v_opt : float
        The V at which the bounds are nearly tightest, chosen before the data are seen.
    means : array-like, optional
        What the differences are centred on, each known before its case and in [−c/2, c/2]; by default the
        mean of the cases before.

    Returns
    -------
    BernsteinSequence

    Notes
    -----
    The bounds are Δ_t ± u(max(1, V_t))/t with m(u(v), v) = 2/α, m the gamma-exponential mixture (Choe &
    Ramdas 2024, Operations Research 72, 1368–1387, Theorem 2).

    Examples
    --------
    >>> sequence = empirical_bernstein(np.tile([0.3, 0.1], 200))
    >>> point = sequence.at(400)
    >>> round(point.mean, 3), round(point.low, 3), round(point.high, 3), round(point.V, 3)
    (0.2, 0.167, 0.233, 4.165)
    >>> sequence.evidence("greater").p_value <= 1e-6
    True
    """
    values = _within(finite_differences(differences), c, "difference")
    cases = np.arange(1, len(values) + 1)
    mean = np.cumsum(values) / cases
    if means is None:
        centres = np.append(0.0, mean[:-1])[: len(values)]
    else:
        centres = _within(finite_differences(means), c, "centre")
        if len(centres) != len(values):
            raise InputError(f"means are one a case; saw {len(centres)} for {len(values)} cases")
    variation = np.cumsum((values - centres) ** 2)
    return _sequence(cases, mean, variation, c=c, level=level, v_opt=v_opt, said="case by case")


def block_empirical_bernstein(
    blocks: BlockSums, *, c: float = 2.0, level: float = 0.95, v_opt: float = 10.0
) -> BernsteinSequence:
    """Bound the mean of bounded differences after every block, from the sums of the blocks alone.

    Parameters
    ----------
    blocks : BlockSums
        Counts, sums and sums of squares of the differences.
    c, level, v_opt
        As in ``empirical_bernstein``.

    Returns
    -------
    BernsteinSequence

    Notes
    -----
    V is centred block by block on the mean g of all cases before the block (0 for the first), which is known
    before the cases it centres, so the sequence is as valid as case by case. V of a block is
    Σd² − 2gΣd + n g².

    Examples
    --------
    >>> values = np.tile([0.3, 0.1], 200)
    >>> point = block_empirical_bernstein(BlockSums.of(values, size=100)).last
    >>> round(point.mean, 3), round(point.low, 3), round(point.V, 3)
    (0.2, 0.16, 8.0)
    """
    largest = blocks.counts * (c / 2) * (1 + 1e-9)
    if (np.abs(blocks.sums) > largest).any() or (blocks.squares > largest * (c / 2)).any():
        raise InputError(
            f"differences lie between {-c / 2:g} and {c / 2:g} at c = {c:g}; these sums are larger"
        )
    cases = np.cumsum(blocks.counts)
    mean = np.cumsum(blocks.sums) / cases
    centres = np.append(0.0, mean[:-1])[: len(cases)]
    parts = blocks.squares - 2 * centres * blocks.sums + blocks.counts * centres**2
    # A sum of squares below 0 is rounding.
    variation = np.cumsum(np.maximum(parts, 0.0))
    return _sequence(cases, mean, variation, c=c, level=level, v_opt=v_opt, said="block by block")


def _sequence(
    cases: NDArray[np.int64],
    mean: Floats,
    variation: Floats,
    *,
    c: float,
    level: float,
    v_opt: float,
    said: str,
) -> BernsteinSequence:
    check_level(level)
    alpha = 1 - level
    mixture = GammaMixture.tuned(v_opt=v_opt, alpha=alpha, c=c)
    reach = mixture.boundary(np.maximum(1.0, variation), 2 / alpha) / cases
    # An average of differences within ±c/2 lies there too, whatever came out.
    low, high = np.maximum(mean - reach, -c / 2), np.minimum(mean + reach, c / 2)
    method = f"empirical Bernstein confidence sequence, V centred {said}, c = {c:g}, tuned for V = {v_opt:g}"
    return BernsteinSequence(cases, mean, low, high, variation, level, method, mixture)


def _within(values: Floats, c: float, what: str) -> Floats:
    if not (math.isfinite(c) and c > 0):
        raise OptionError(f"c is the length of the range of differences, above 0; saw {c!r}")
    outside = np.abs(values) > (c / 2) * (1 + 1e-12)
    if outside.any():
        place = int(outside.argmax())
        raise InputError(
            f"the {what} of case {place + 1:,} is {float(values[place])!r}, outside [{-c / 2:g}, {c / 2:g}]: "
            "give the length of the range as c, or use the asymptotic sequence for unbounded scores"
        )
    return values
