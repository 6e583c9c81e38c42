"""Scores of each forecast: log, Brier, ranked probability and spherical."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from edgeworth.sources.probabilities import FEW_COLUMNS
from edgeworth.tallies.forecast_columns import Forecasts
from edgeworth.tallies.forecast_tiles import Tiles
from edgeworth.tallies.joint import Floats

FEW = 1e-3
"""What is left of a subtraction and below it is added up from the probabilities instead."""

SCORES = ("log", "brier", "ranked", "spherical")


def case_scores(forecasts: Forecasts, names: Sequence[str]) -> Floats:
    """The scores of each case, one row a score, lower being better.

    log: −ln p(y). brier: Σ_k (p_k − y_k)², for two classes (p − y)². ranked: Σ_k (P(Y ≤ k) − 1[y ≤ k])².
    spherical: 1 − p(y)/‖p‖. (Gneiting & Raftery 2007.)

    >>> case_scores(Forecasts.of([0, 1], np.array([[0.5, 0.5], [0.6, 0.4]])), ["brier"]).round(2).tolist()
    [[0.25, 0.36]]
    """
    scored = np.empty((len(names), len(forecasts)))
    spare = np.empty(len(forecasts))
    with np.errstate(divide="ignore"):
        fill(scored, Tiles.of(forecasts), names, forecasts.of_truth(forecasts.probabilities), spare)
    return scored


def fill(scored: Floats, tiles: Tiles, names: Sequence[str], happened: Floats, spare: Floats) -> None:
    """The same, written into ``scored``; ``happened`` is p(y), and ``spare`` is room for a number a case."""
    for row, name in zip(scored, names, strict=True):
        _SCORING[name](tiles, happened, row, spare)


def _log(_: Tiles, happened: Floats, row: Floats, __: Floats) -> None:
    np.log(happened, out=row)
    np.negative(row, out=row)


def _brier(tiles: Tiles, happened: Floats, row: Floats, spare: Floats) -> None:
    if tiles.classes == 2:
        np.subtract(1, happened, out=row)
        np.square(row, out=row)
        return
    # Σ p_k² − 2p(y) + 1, which loses its digits near 0: there what is left is added up by itself.
    _sum_squares(tiles, row, spare)
    row -= happened
    row -= happened
    row += 1
    few = _few(row)
    if few is not None:
        row[few] = (1 - happened[few]) ** 2 + _others(tiles, few)


def _ranked(tiles: Tiles, _: Floats, row: Floats, below: Floats) -> None:
    if tiles.classes > FEW_COLUMNS:
        steps = np.cumsum(tiles.table, axis=1)[:, :-1]
        steps -= tiles.codes[:, None] <= np.arange(tiles.classes - 1)
        np.einsum("ij,ij->i", steps, steps, out=row)
        return
    row[:], below[:] = 0, 0
    step, below_by_tile = np.empty_like(row), tiles.by_tile(below)
    for place in range(tiles.classes - 1):
        below_by_tile += tiles.values[:, place]
        np.subtract(below, tiles.codes <= place, out=step)
        row += np.square(step, out=step)


def _spherical(tiles: Tiles, happened: Floats, row: Floats, spare: Floats) -> None:
    _sum_squares(tiles, row, spare)
    came = np.square(happened, out=spare)
    # 1 − p(y)/‖p‖ is what is left besides p(y) over ‖p‖ (‖p‖ + p(y)), which keeps its digits near 0.
    row -= came
    few = _few(row)
    if few is not None:
        row[few] = _others(tiles, few)
    norm = np.sqrt(np.add(came, row, out=came), out=came)
    row /= norm * (norm + happened)


def _sum_squares(tiles: Tiles, row: Floats, spare: Floats) -> None:
    """Σ p_k² of each case; a few classes that are not in one piece are gone through one by one."""
    values, sums = tiles.values, tiles.by_tile(row)
    if tiles.classes > FEW_COLUMNS or values.flags.c_contiguous:
        np.einsum("tkr,tkr->tr", values, values, out=sums)
        return
    squares = tiles.by_tile(spare)
    np.square(values[:, 0], out=sums)
    for place in range(1, tiles.classes):
        sums += np.square(values[:, place], out=squares)


def _few(row: Floats) -> NDArray[np.intp] | None:
    """The cases with little left after a subtraction, if there are any."""
    return np.flatnonzero(row < FEW) if row.min(initial=1) < FEW else None


def _others(tiles: Tiles, cases: NDArray[np.intp]) -> Floats:
    """Σ p_k² over what did not happen, of some cases."""
    rest = tiles.rows(cases)
    rest[np.arange(len(cases)), tiles.codes[cases]] = 0
    return np.asarray(np.einsum("ij,ij->i", rest, rest))


_SCORING = {"log": _log, "brier": _brier, "ranked": _ranked, "spherical": _spherical}
