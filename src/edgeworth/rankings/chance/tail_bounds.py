"""A proven bracket of a tail of average precision, from its tilted characteristic function.

P(W ≥ w) = E[exp(θW)] exp(−θw) · E_θ[g(W − w)] with g(x) = exp(−θx) for x ≥ 0 and 0 below. Graham and Vaaler
(1981, Trans. AMS 265, 283–302) found the functions just above and just below g whose Fourier transforms
vanish outside [−Δ, Δ]; they differ by the Fejér kernel (sin πΔx / πΔx)². Repeated with a period L they are
trigonometric polynomials, so their expectations need E_θ[exp(2πi jW/L)] for j < ΔL only, each one pass over
the list. The chain of conditional characteristic functions only shrinks on its way, so most frequencies are
dropped after a few dozen ranks, with what they could still amount to added to the bracket's width.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from edgeworth.common.arrays import Floats
from edgeworth.common.progress import track_rounds
from edgeworth.rankings.chance.tilting import Band, Saddle, TiltedChain

Complexes = NDArray[np.complex128]

RELATIVE_WIDTH_IF_SMOOTH = 0.014
"""θ/Δ: the bracket's relative width, where the law is smooth."""

RELATIVE_WIDTH_TO_REFINE = 0.025
"""A bracket wider than this gets a second look with more frequencies."""

MAX_RELATIVE_WIDTH = 0.1
"""A bracket wider than this is not better than draws."""

MAX_FREQUENCIES = 60_000
MAX_CELLS = 120_000_000
"""The most cells to enumerate, some 30 ns each."""

HITS_UNTIL_FREQUENCIES_DROP = 20
"""Hits after which most frequencies have been dropped, as a rule."""

RELATIVE_ROUNDING_ALLOWANCE = 1e-6
"""Relative allowance for rounding, far above what it comes to: positive terms, some 1e-10 in ten million."""

ABSOLUTE_ROUNDING_ALLOWANCE = 1e-10
"""Absolute allowance for rounding, in a mean of values between 0 and 1."""

TOLERANCE = 1e-6
"""What may lie outside one period, relative to the scale of the tail."""

FREQUENCIES_AT_ONCE = 256
"""Frequencies that are computed side by side."""


@dataclass(frozen=True)
class Bracket:
    """log of the lower and the upper end, and how many frequencies it took."""

    log_low: float
    log_high: float
    frequencies: int

    @property
    def relative_width(self) -> float:
        """(high − low)/low."""
        return math.expm1(min(self.log_high - self.log_low, 700.0))


def majorant_coefficients(ratio: float, frequencies: Floats) -> tuple[Complexes, Complexes]:
    """Fourier transforms of Graham and Vaaler's majorant and minorant of exp(−ratio·x) on x ≥ 0, for Δ = 1.

    >>> above, below = majorant_coefficients(1.0, np.array([0.0]))
    >>> bool(np.isclose(above[0], 1 / (1 - np.exp(-1)))), bool(np.isclose(below[0], 1 / (np.e - 1)))
    (True, True)
    """
    series = 1 / -np.expm1(-ratio - 2j * np.pi * frequencies)
    slopes = ratio * (1 / np.expm1(ratio) + 1 - series)
    above = (1 - frequencies) * series - 0.5j / np.pi * np.where(frequencies > 0, slopes, 0)
    return above, above - (1 - frequencies)


def bracket(chain: TiltedChain, threshold: float, point: Saddle) -> Bracket | None:
    """log P(W ≥ threshold) between two ends for a positive tilt, log P(W ≤ threshold) for a negative one.

    The same ends hold for the strict inequalities: the majorant is 1 and the minorant 0 at the threshold.
    None if it would take more than some seconds.
    """
    size = abs(point.tilt)
    period, scale = _window(chain, threshold, point)
    band = chain.band(frozenset(checkpoints(chain.order.depth)))
    # What a frequency costs: the states enumerated until there are hits enough for the law to be smooth.
    cells = int((band.highs - band.lows + 1)[band.centres < HITS_UNTIL_FREQUENCIES_DROP].sum())
    most = min(MAX_FREQUENCIES, MAX_CELLS // max(cells, 1))
    count = max(2, min(math.ceil(size / RELATIVE_WIDTH_IF_SMOOTH * period), most))
    if size * period > MAX_RELATIVE_WIDTH * count:
        return None
    result = _ends(chain, band, threshold, point, period, scale, count)
    if result.relative_width > RELATIVE_WIDTH_TO_REFINE and count < most:
        # The law is denser at the threshold than a tail of this tilt would be: look closer.
        finer = count * min(max(result.relative_width / RELATIVE_WIDTH_IF_SMOOTH, 2.0), 12.0)
        result = _ends(chain, band, threshold, point, period, scale, min(math.ceil(finer), most))
    return result


def _window(chain: TiltedChain, threshold: float, point: Saddle) -> tuple[float, float]:
    """Return a scale, and the period outside which the tilted law and g are below TOLERANCE times it."""
    size, sign = abs(point.tilt), math.copysign(1.0, point.tilt)
    scale = 1 / (1 + 2.5 * size * point.spread)
    tolerance = math.log(TOLERANCE * scale)
    room = chain.order.most_hits - threshold
    before = min(point.reach(-sign, tolerance, threshold), threshold if sign > 0 else room)
    after = min(point.reach(sign, tolerance, threshold), room if sign > 0 else threshold)
    return max(after, max(before, 0.0) - tolerance / size), scale


def _ends(
    chain: TiltedChain, band: Band, threshold: float, point: Saddle, period: float, scale: float, count: int
) -> Bracket:
    size, j = abs(point.tilt), np.arange(count, dtype=np.float64)
    ratio = size * period / count
    angles = 2 * np.pi * j / period
    # Coefficients fall like 1/j, so what is dropped adds up to some hundredths of the bracket's own width.
    enough = 0.02 * ratio * scale * np.sqrt((j + 1) / count)
    values, bounds = characteristic_function(chain, band, angles, enough)
    above, below = majorant_coefficients(ratio, j / count)
    weights = np.where(j > 0, 2.0, 1.0) / count
    turned = values * np.exp(-1j * angles * threshold)
    if point.tilt < 0:
        turned = turned.conj()
    dropped = float((weights * np.maximum(np.abs(above), np.abs(below)) * bounds).sum())
    high = float((weights * (above * turned).real).sum()) + dropped
    low = float((weights * (below * turned).real).sum()) - dropped
    # Repetition only adds to the majorant; the minorant must give back what falls outside one period.
    low = low * -math.expm1(-size * period) - 3 * TOLERANCE * scale - ABSOLUTE_ROUNDING_ALLOWANCE
    high = min(max(high, 0.0), 1.0) * (1 + RELATIVE_ROUNDING_ALLOWANCE) + ABSOLUTE_ROUNDING_ALLOWANCE
    base = point.log_bound(threshold)
    log_low = base + math.log(low * (1 - RELATIVE_ROUNDING_ALLOWANCE)) if low > 0 else -math.inf
    return Bracket(log_low, min(base + math.log(high), 0.0), count)


def characteristic_function(
    chain: TiltedChain, band: Band, angles: Floats, enough: Floats
) -> tuple[Complexes, Floats]:
    """E_θ[exp(i·angle·W)], and by how much each may be off: those sure to be below ``enough`` are dropped."""
    values, bounds = np.zeros(len(angles), dtype=np.complex128), np.zeros(len(angles))
    for start in track_rounds(len(angles), FREQUENCIES_AT_ONCE, "frequencies"):
        part = slice(start, start + FREQUENCIES_AT_ONCE)
        values[part], bounds[part] = _pass_ranks(chain, band, angles[part], enough[part])
    return values, bounds + band.lost


def checkpoints(depth: int) -> list[int]:
    """Ranks at which frequencies may be dropped: a third further each time."""
    ranks, k = [], 4
    while k < depth:
        ranks.append(k)
        k += max(2, k // 3)
    return ranks


def _pass_ranks(chain: TiltedChain, band: Band, angles: Floats, enough: Floats) -> tuple[Complexes, Floats]:
    """Pass from the first rank to the last for some frequencies; rows are states, columns frequencies."""
    values, bounds = np.zeros(len(angles), dtype=np.complex128), np.zeros(len(angles))
    alive = np.arange(len(angles))
    state = np.ones((1, len(angles)), dtype=np.complex128)
    low = 0
    for k in range(1, chain.order.depth + 1):
        new_low, new_high = int(band.lows[k]), int(band.highs[k])
        hit = chain.hit[k, new_low : new_high + 1, None]
        state = _one_rank(state, low, new_low, new_high, hit, angles[alive] / k)
        low = new_low
        if k in band.laws:
            bound = band.laws[k] @ np.abs(state)
            keep = bound > enough[alive]
            if not keep.all():
                bounds[alive[~keep]] = bound[~keep]
                alive, state = alive[keep], np.ascontiguousarray(state[:, keep])
                if not len(alive):
                    return values, bounds
    values[alive] = chain.last[low : low + len(state)] @ state
    return values, bounds


def _one_rank(
    state: Complexes, low: int, new_low: int, new_high: int, hit: Floats, angle: Floats
) -> Complexes:
    """Compute c(k, i) = P exp(i·angle·i/k) c(k−1, i−1) + (1 − P) c(k−1, i), with 0 outside the band."""
    # Row r of what was before is i = new_low − 1 + r.
    before = np.zeros((new_high - new_low + 2, len(angle)), dtype=np.complex128)
    first, last = max(low, new_low - 1), min(low + len(state), new_high + 1)
    before[first - new_low + 1 : last - new_low + 1] = state[first - low : last - low]
    turns = _powers(angle, new_low, new_high - new_low + 1)
    return np.asarray(hit * turns * before[:-1] + (1 - hit) * before[1:])


def _powers(angle: Floats, first: int, rows: int) -> Complexes:
    """Return exp(i·angle·(first + r)) for each row r, doubling the rows with every multiplication."""
    turns = np.empty((rows, len(angle)), dtype=np.complex128)
    turns[0] = np.exp(1j * angle * first)
    step = np.exp(1j * angle)
    done = 1
    while done < rows:
        more = min(done, rows - done)
        np.multiply(turns[:more], step, out=turns[done : done + more])
        step = step * step
        done *= 2
    return turns
