"""Checks of books and forecasts, before anything is computed from them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from edgeworth.common.arrays import PROBABILITY_SUM_TOLERANCE, Floats
from edgeworth.errors import InputError, OptionError

LEAST_AMERICAN_ODDS = 100
"""American odds are at least this far from 0."""

BOOK_TOLERANCE = 1e-9
"""How far the implied prices of a book may be from 1 and still count as balanced."""


class BookError(InputError):
    """An error for prices at which no best bet exists: an arbitrage, or stakes without limit.

    Examples
    --------
    >>> from edgeworth.bet import kelly
    >>> try:
    ...     kelly([0.5, 0.5], [2.2, 2.2], lay=[2.3, 2.3])
    ... except BookError as error:
    ...     print(str(error)[:20])
    backing every outcom
    """


@dataclass(frozen=True)
class Races:
    """Checked forecasts and odds, one race a row; ``lay`` is None when nothing may be laid."""

    probabilities: Floats
    odds: Floats
    lay: Floats | None
    single: bool

    def shaped(self, values: Floats) -> Floats:
        """Return one race in the shape it came in."""
        return values[0] if self.single else values


def as_floats(values: ArrayLike, name: str) -> Floats:
    """Convert numbers to floats, or refuse them by ``name``."""
    try:
        array = np.asarray(values)
        if array.dtype.kind in "cMmSU":
            raise TypeError
        return array.astype(np.float64)
    except (TypeError, ValueError):
        raise InputError(
            f"{name} must be numbers, the same number in each row; saw {_short(values)}"
        ) from None


def is_plain(value: object) -> bool:
    """Return whether a value is one number, not an array and not text."""
    try:
        return not isinstance(value, (str, bytes)) and np.ndim(value) == 0  # type: ignore[arg-type]  # any object
    except ValueError:  # rows of different lengths
        return False


def freeze(values: Floats) -> Floats:
    """Make an array read-only."""
    values.flags.writeable = False
    return values


def check_odds(
    odds: Floats,
    name: str = "odds",
    *,
    infinite: bool = False,
    outcomes: Sequence[object] | None = None,
    first_row: int = 1,
) -> None:
    """Refuse odds that return no more than the stake, and odds that are no number.

    ``outcomes`` are the names of the columns, where these are known.
    """
    good = odds > 1
    if not infinite:
        good &= odds < np.inf
    if not good.all():
        needed = "above 1 (infinite if nothing can be laid)" if infinite else "finite and above 1"
        # Odds with named columns come from a file, where an empty field can be dropped.
        advice = _advise_on_odds(float(odds[~good][0]), is_from_file=outcomes is not None)
        example = describe_first(odds, ~good, outcomes, first_row)
        raise InputError(f"{name} must be decimal odds, {needed}; saw {example}{advice}")


def _advise_on_odds(value: float, *, is_from_file: bool) -> str:
    """Advise what to do about a number that is no decimal odds."""
    if np.isnan(value):
        return ". Pass --missing drop to drop rows with empty odds" if is_from_file else ""
    if value <= -LEAST_AMERICAN_ODDS:
        return ", which looks like American odds (ew.bet.decimal_odds converts them)"
    if 0 < value < 1:
        return ", which looks like a probability or fractional odds (ew.bet.decimal_odds converts them)"
    return ""


def as_odds(values: ArrayLike, name: str = "odds", *, infinite: bool = False) -> Floats:
    """Convert decimal odds to floats, and check them."""
    odds = as_floats(values, name)
    check_odds(odds, name, infinite=infinite)
    return odds


def as_shares(values: ArrayLike, name: str = "probabilities") -> Floats:
    """Convert probabilities to floats, and check them."""
    shares = as_floats(values, name)
    check_shares(shares, name)
    return shares


def check_shares(shares: Floats, name: str, *, outcomes: Sequence[object] | None = None) -> None:
    """Refuse numbers outside 0 to 1; ``outcomes`` are the names of the columns, where these are known."""
    good = (shares >= 0) & (shares <= 1)
    if not good.all():
        raise InputError(f"{name} lie between 0 and 1; saw {describe_first(shares, ~good, outcomes)}")


def as_outcomes(values: ArrayLike, name: str) -> NDArray[np.bool_]:
    """Convert what came true to booleans, and refuse anything else."""
    happened = np.asarray(values)
    if happened.dtype.kind not in "biu" or not np.isin(happened, (0, 1)).all():
        raise InputError(f"{name} must be True or False (1 or 0) for each bet")
    return happened.astype(bool)


def check_fraction(fraction: float) -> None:
    """Refuse a fraction of the Kelly stake outside 0 to 1."""
    number = isinstance(fraction, (int, float, np.integer, np.floating)) and not isinstance(fraction, bool)
    if not (number and 0 <= fraction <= 1):
        raise OptionError(f"the fraction of the Kelly stakes lies between 0 and 1; saw {fraction!r}")


def add_to_one(probabilities: Floats, *, normalise: bool) -> Floats:
    """Divide rows by their sums, or raise an error if a sum differs from 1 by more than 1e-6.

    The best stakes depend on the ratios of the probabilities alone, so dividing away a rounding error
    changes nothing. A larger gap is an error in the data, which ``normalise`` allows.
    """
    sums = probabilities.sum(axis=-1)
    if normalise:
        bad = ~(sums > 0)
        needed = "have something to normalise"
    else:
        bad = ~(np.abs(sums - 1) <= PROBABILITY_SUM_TOLERANCE)
        needed = (
            f"add up to 1 (within {PROBABILITY_SUM_TOLERANCE:g}; normalise divides by the sum: --normalise)"
        )
    if bad.any():
        row = int(np.argmax(bad))
        sums_text = f"row {row + 1:,} adds" if sums.ndim and len(sums) > 1 else "they add"
        raise InputError(
            f"the probabilities of a race must {needed}; {sums_text} up to {sums.ravel()[row]:.9g}"
        )
    return np.asarray(probabilities / sums[..., None])


def as_races(
    probabilities: ArrayLike, odds: ArrayLike, lay: ArrayLike | None, *, normalise: bool = False
) -> Races:
    """Check races: a K-vector is one, (n, K) are many; a K-vector beside (n, K) holds for every race."""
    forecast, book = as_shares(probabilities), as_odds(odds)
    laid = None if lay is None else as_odds(lay, "lay odds", infinite=True)
    tables = [part for part in (forecast, book, laid) if part is not None]
    outcomes = {part.shape[-1] if part.ndim else 0 for part in tables}
    rows = {part.shape[0] for part in tables if part.ndim == 2}
    if max(part.ndim for part in tables) > 2 or len(outcomes) > 1 or 0 in outcomes or len(rows) > 1:
        shapes = ", ".join(str(part.shape) for part in tables)
        raise InputError(
            "a race has K probabilities and K odds, many races have n rows of them; saw the shapes " + shapes
        )
    if outcomes == {1}:
        raise InputError(
            "a race has at least two outcomes; pass one game as plain numbers, or use kelly_game"
        )
    forecast = add_to_one(np.atleast_2d(forecast), normalise=normalise)
    shape = (rows.pop() if rows else 1, outcomes.pop())
    spread = [np.broadcast_to(part, shape) for part in (forecast, book, book if laid is None else laid)]
    single = all(part.ndim == 1 for part in tables)
    return Races(spread[0], spread[1], None if laid is None else spread[2], single)


def describe_first(
    values: Floats, bad: NDArray[np.bool_], columns: Sequence[object] | None = None, first_row: int = 1
) -> str:
    """Describe the first offending value and its place; rows, columns and positions count from 1.

    >>> describe_first(np.array([[2.0, 3.0], [2.0, 0.5]]), np.array([[False, False], [False, True]]))
    '0.5 in row 2, column 2'
    """
    bad_index = np.unravel_index(int(np.argmax(bad)), values.shape) if values.ndim else ()
    position = describe_place(tuple(int(index) for index in bad_index), columns, first_row)
    return f"{values[bad_index]:.9g}{position}"


def describe_place(
    index: tuple[int, ...], columns: Sequence[object] | None = None, first_row: int = 1
) -> str:
    """Write where a value is: " in row 2, column 3", or " in row 2, column name" if columns have names."""
    names = ("row", "column") if len(index) == 2 else ("position",) if len(index) == 1 else ()
    firsts = (first_row, 1)
    parts = [f"{name} {at + first:,}" for name, at, first in zip(names, index, firsts, strict=False)]
    if columns is not None and len(index) == 2:
        parts[1] = f"column {columns[index[1]]}"
    return " in " + ", ".join(parts) if parts else ""


def _short(values: object) -> str:
    shown = repr(values)
    return shown if len(shown) <= 60 else shown[:57] + "..."
