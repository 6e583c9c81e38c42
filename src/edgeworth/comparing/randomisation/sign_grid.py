"""The sum of amounts whose coins show heads, on a grid: its tail, or certified ends of it.

When the amounts are whole numbers of a few cells, the characteristic function on the grid is a product over
amounts, and one Fourier transform gives the law. Otherwise amounts are put together exactly in blocks, the
sums of each block are rounded once to the grid, and the sum of all is off by at most half a cell a block.

Fourier transforms are accurate relative to the largest probability only. So the coins are loaded first, in
such a way that the sum asked about becomes the mean, and the loading is undone afterwards: a tail of 1e-100
comes out as accurately as one of 0.1.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from edgeworth.arrays import Floats
from edgeworth.comparing.randomisation.meeting import Ways, joined


@dataclass(frozen=True)
class Grid:
    """How fine the grid is, and how much is put together before it is rounded to it."""

    cells: int
    most_work: int
    """Cells times different amounts when the law is found from the characteristic function."""
    most_sums: int
    """Different sums of one block, and a third of the steps that may be spent on it."""


FINE = Grid(1 << 21, 1 << 24, 60_000)
"""About a second or two."""

COARSE = Grid(1 << 18, 1 << 20, 4_000)
"""Some hundredths of a second: for one pair among many."""

MOST_BLOCKS = 20

WIDEST = 0.01
"""Relative distance of the ends beyond which draws say as much."""

NOISE = 1e-10
"""Relative error of a tail that went through the transforms."""

HALF_A_CELL = Fraction(500_001, 1_000_000)
"""Rounding to the nearest cell, with room for the rounding of the floats it is done in."""


def grid_tail(
    amounts: Sequence[int], counts: Sequence[int], least: int, grid: Grid = FINE
) -> tuple[float, float] | None:
    """The logarithms of the ends of P(sum of heads ≥ least); equal when whole numbers are the grid.

    >>> [round(math.exp(end), 9) for end in grid_tail([1, 3], [2, 1], 5) or ()]
    [0.125, 0.125]
    """
    kinds = list(zip(amounts, counts, strict=True))
    largest = sum(amount * count for amount, count in kinds)
    if largest < grid.cells and largest * len(kinds) <= grid.most_work:
        found = _log_tail_of_whole_numbers(kinds, largest, least)
        return found, found
    blocks = _blocks(kinds, grid.most_sums)
    if len(blocks) > MOST_BLOCKS:
        return None
    cells = grid.cells - len(blocks) - 1
    error = len(blocks) * HALF_A_CELL
    if _foreseen_width(kinds, largest, least, float(error) / cells) > WIDEST:
        return None
    loading = _loading(kinds, largest, least, cells)
    transform, log_scale = np.ones(grid.cells // 2 + 1, dtype=np.complex128), 0.0
    for block in blocks:
        places = np.rint(np.array([total / largest for total in block]) * cells).astype(np.int64)
        heaviness = np.array([math.log(way) for way in block.values()]) + loading * places
        log_scale += float(heaviness.max())
        weights = np.exp(heaviness - heaviness.max())
        transform *= np.fft.rfft(np.bincount(places, weights=weights, minlength=grid.cells))
    log_scale -= sum(counts) * math.log(2)
    law = np.fft.irfft(transform, grid.cells)
    place = Fraction(least * cells, largest)
    low, high = (
        _log_untilted(law, log_scale, loading, max(math.ceil(place + sign * error), 0)) for sign in (+1, -1)
    )
    return low - NOISE, high + NOISE


def _log_tail_of_whole_numbers(kinds: list[tuple[int, int]], largest: int, least: int) -> float:
    cells = 1 << (largest + 1).bit_length()
    loading = _loading(kinds, largest, least, largest)
    transform, log_scale = np.ones(cells // 2 + 1, dtype=np.complex128), 0.0
    steps = np.arange(cells // 2 + 1, dtype=np.int64)
    for amount, count in kinds:
        # Heads weigh e^(loading · amount) against 1, and a fair coin has two sides.
        heads = 1 / (1 + math.exp(-loading * amount))
        log_scale += count * (float(np.logaddexp(0.0, loading * amount)) - math.log(2))
        turn = np.exp((-2j * math.pi / cells) * (steps * amount % cells))
        transform *= (1 - heads + heads * turn) ** count
    return _log_untilted(np.fft.irfft(transform, cells), log_scale, loading, least)


def _log_untilted(law: Floats, log_scale: float, loading: float, least: int) -> float:
    """log Σ over cells from the least on, the loading undone."""
    beyond = np.maximum(law[least:], 0.0)
    total = float((beyond * np.exp(-loading * np.arange(len(beyond)))).sum())
    return math.log(total) + log_scale - loading * least if total else -math.inf


def _loading(kinds: list[tuple[int, int]], largest: int, least: int, cells: int) -> float:
    """The loading a cell that makes the mean sum of heads the least one asked about."""
    shares = np.array([amount / largest for amount, _ in kinds])
    counts = np.array([count for _, count in kinds], dtype=np.float64)
    # Past the upper end next to all coins show heads, and products with cells begin to lose digits.
    low, high = 0.0, min(40 / float(shares.min()), 1e5)
    for _ in range(60):
        middle = (low + high) / 2
        mean = float((counts * shares / (1 + np.exp(-middle * shares))).sum())
        low, high = (middle, high) if mean < least / largest else (low, middle)
    return low / cells


def _blocks(kinds: list[tuple[int, int]], most_sums: int) -> list[Ways]:
    """Neighbouring amounts put together as long as their sums are few."""
    blocks: list[Ways] = []
    spent = 0
    for amount, count in kinds:
        steps = (len(blocks[-1]) if blocks else 1) * (count + 1)
        spent += steps
        if not blocks or steps > most_sums or spent > 3 * most_sums:
            blocks.append({0: 1})
            spent = count + 1
        blocks[-1] = joined(blocks[-1], amount, count)
        if len(blocks) > MOST_BLOCKS:
            break
    return blocks


def _foreseen_width(kinds: Sequence[tuple[int, int]], largest: int, least: int, error: float) -> float:
    """How far apart the ends will be, relative to the probability: the normal law is good enough for that."""
    spread = math.sqrt(sum(count * (amount / largest) ** 2 for amount, count in kinds)) / 2
    away = max((least / largest - 0.5) / spread, 0.0)
    return 2 * error / spread * (away + 1)
