"""From forecasts and prices to blocks of a path: the log factors and the sums of every case."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, ClassVar, Self

import numpy as np

from edgeworth.arrays import Floats, Integers
from edgeworth.bet.bookmakers import Bookmaker, Quote
from edgeworth.bet.checking import check_odds
from edgeworth.bet.exchange import clipped_prices
from edgeworth.bet.fractional import fractional_logs, run_fraction_sums, score_log_factors
from edgeworth.core.labels import list_labels, usual_positive
from edgeworth.core.plain import COUNTS, FLOATS, FLOATS_OR_NAN, Plain
from edgeworth.core.threads import map_blocks, row_blocks
from edgeworth.errors import InputError
from edgeworth.forecasts.betting.path import Blocks, grid_of, is_tied, timed_blocks
from edgeworth.forecasts.class_columns import labels_of_columns, list_columns, without_column
from edgeworth.forecasts.forecasts import Forecasts
from edgeworth.forecasts.scoring_rules import case_scores
from edgeworth.sources.columns import Label
from edgeworth.sources.numbers import as_probabilities, names_of_columns

PIECE = 1 << 14
"""Cases whose sums are worked out at once: within 3% of the fastest of 2^13 to 2^17 measured, and smaller."""


def build_blocks(
    forecasts: Forecasts,
    rival: Forecasts,
    prices: Floats,
    staked: Callable[[slice], Floats],
    realised: Floats,
    first: int,
    times: Integers | None = None,
) -> Blocks:
    """The path in blocks, a piece at a time: what is kept of a case is wide, and few are kept singly.

    With ``times``, in ascending order, no block ends between two cases of one time.
    """
    end = first + len(realised)
    grid = grid_of(end)

    def cases_of(rows: slice) -> tuple[Floats, Floats]:
        mine, its, factors = forecasts[rows], rival[rows], staked(rows)
        logs = np.stack([mine.of_truth(factors), *_henzi(mine, its)])
        return logs, _sums(mine, its, prices[rows], factors)

    if times is not None and is_tied(times):
        return timed_blocks(cases_of, realised, times, first)

    def run_of(rows: slice) -> Blocks:
        logs, sums = cases_of(rows)
        # A run is whole cells of the grid, or a piece of one.
        length = min(grid, rows.stop - rows.start)
        fractions = run_fraction_sums(realised[rows].reshape(-1, length))
        return Blocks.of_runs(logs.T, fractions, sums.T, first + rows.start, length)

    return Blocks.end_to_end(map_blocks(run_of, _even_runs(first, end, grid))).coarsen(end)


def _even_runs(first: int, end: int, grid: int) -> list[slice]:
    """Rows from position ``first`` to ``end`` in pieces, cells that are cut short by themselves.

    >>> _even_runs(3, 20, 8)
    [slice(0, 5, None), slice(5, 13, None), slice(13, 17, None)]
    """
    whole, last = min(end, -(-first // grid) * grid), max(first, end // grid * grid)
    edges = {first, whole, max(whole, last), end}
    # Pieces start at multiples of their length, and so at a cell or within one.
    edges.update(range(-(-first // PIECE) * PIECE, end, PIECE))
    return [slice(start - first, stop - first) for start, stop in pairwise(sorted(edges))]


def at_fraction(logs: Floats, fraction: float) -> Floats:
    """Log factors when only a fraction of Kelly's stake is bet."""
    shape = logs.shape
    return fractional_logs(logs.ravel(), [fraction])[:, 0].reshape(shape)


def _henzi(forecasts: Forecasts, rival: Forecasts) -> list[Floats]:
    """Bets on the score itself, of two classes; with more classes there is none, and the bet is idle."""
    if forecasts.size != 2:
        return [np.zeros(len(forecasts.codes))] * 2
    p, q = forecasts.probabilities[:, 1], rival.probabilities[:, 1]
    return [score_log_factors(forecasts.codes, p, q, score=score) for score in ("brier", "log")]


def _sums(forecasts: Forecasts, rival: Forecasts, prices: Floats, logs: Floats) -> Floats:
    """The sums of each case, a row for each of ``SUMS``."""
    mine, its = (case_scores(each, ("brier", "log")) for each in (forecasts, rival))
    with np.errstate(invalid="ignore"):
        brier, log = its - mine
    p, q, by_class = (np.ascontiguousarray(table.T) for table in (forecasts.probabilities, prices, logs))
    moments = [*_moments(p, by_class), *_moments(q, by_class), _log_mean_factor(p, by_class)]
    moments.append(_log_mean_factor(q, by_class / 2))
    return np.stack([*moments, brier, brier**2, log, log**2])


def _log_mean_factor(chances: Floats, logs: Floats) -> Floats:
    """log Σ_k chance_k · factor_k of each case; what cannot happen does not count."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        terms = np.exp(logs)
        terms *= chances
        if not np.isfinite(terms).all():
            terms = np.where(chances > 0, terms, 0.0)
        return np.asarray(np.log(terms.sum(axis=0)))


def _moments(chances: Floats, logs: Floats) -> tuple[Floats, Floats, Floats]:
    """Mean, variance and third absolute central moment of the log factor of each case; 0 times −inf is 0.

    A row is a class, a column a case: whole rows are added at once.
    """
    with np.errstate(invalid="ignore"):
        terms = chances * logs
        mean, square = terms.sum(axis=0), np.multiply(terms, logs, out=terms).sum(axis=0)
        if np.isfinite(square).all():
            return mean, np.maximum(0.0, square - mean**2), _third(chances, logs, mean)
        mean = np.where(chances > 0, chances * logs, 0.0).sum(axis=0)
        square = np.where(chances > 0, chances * logs**2, 0.0).sum(axis=0)
        # Where ruin (or boundless wealth) can happen, the logarithm has no variance to speak of.
        mean = np.where(np.isnan(mean), -np.inf, mean)
        finite = np.isfinite(mean)
        third = _third(chances, np.where(chances > 0, logs, 0.0), np.where(finite, mean, 0.0))
        variance = np.where(finite, np.maximum(0.0, square - mean**2), np.inf)
        return mean, variance, np.where(finite, third, np.inf)


def _third(chances: Floats, logs: Floats, mean: Floats) -> Floats:
    """E|log factor − mean|³ of each case."""
    off = np.abs(logs - mean)
    cubes = off * off
    cubes *= off
    cubes *= chances
    return np.asarray(cubes.sum(axis=0))


MOST_STEPS = 4096
"""Distinct games kept for the exact law; with more of them the law is approximated."""


@dataclass(frozen=True, eq=False)
class Games(Plain):
    """The distinct games that were played, and how often: probabilities, prices and log factors (n, K)."""

    FIELDS: ClassVar = {
        "probabilities": FLOATS,
        "prices": FLOATS,
        "log_factors": FLOATS_OR_NAN,
        "counts": COUNTS,
    }

    probabilities: Floats
    prices: Floats
    log_factors: Floats
    counts: Integers

    def __add__(self, other: Self) -> Self | None:
        """Both; None when there are too many to keep."""
        return type(self).of(
            np.concatenate([self.probabilities, other.probabilities]),
            np.concatenate([self.prices, other.prices]),
            np.concatenate([self.log_factors, other.log_factors]),
            np.concatenate([self.counts, other.counts]),
        )

    @classmethod
    def of_pieces(
        cls, probabilities: Floats, prices: Floats, logs_of: Callable[[slice], Floats]
    ) -> Self | None:
        """Equal games counted together, a piece of the path at a time; None when there are too many."""
        total: Self | None = None
        for rows in row_blocks(len(probabilities), 2 * MOST_STEPS):
            counts = np.ones(len(probabilities[rows]), dtype=np.int64)
            part = cls.of(probabilities[rows], prices[rows], logs_of(rows), counts)
            total = part if total is None or part is None else total + part
            if total is None:
                return None
        return total

    @classmethod
    def of(cls, probabilities: Floats, prices: Floats, log_factors: Floats, counts: Integers) -> Self | None:
        """Equal games counted together; None when there are too many to keep."""
        size, tables = probabilities.shape[1], (probabilities, prices, log_factors)
        if len(counts) > 2 * MOST_STEPS:
            # A long path shows by its beginning that its games are too many, before all of them are copied.
            few = np.concatenate([table[: 2 * MOST_STEPS] for table in tables], axis=1)
            if len(np.unique(few, axis=0)) > MOST_STEPS:
                return None
        rows = np.concatenate(tables, axis=1)
        distinct, where = np.unique(rows, axis=0, return_inverse=True)
        if len(distinct) > MOST_STEPS:
            return None
        total = np.zeros(len(distinct), dtype=np.int64)
        np.add.at(total, where.ravel(), counts)
        return cls(distinct[:, :size], distinct[:, size : 2 * size], distinct[:, 2 * size :], total)

    rule: ClassVar = "each game has a row, and each class a column"

    def _fits_together(self) -> bool:
        """Check the rule."""
        shape = (*self.counts.shape, self.probabilities.shape[-1])
        return self.probabilities.shape == self.prices.shape == self.log_factors.shape == shape


def bookmaker_forecasts(forecasts: Forecasts, bookmaker: Bookmaker, *, first: int = 0) -> Forecasts:
    """The probabilities behind the prices of these cases; ``first`` is the position of the first one.

    >>> from edgeworth.bet import Market
    >>> forecasts = Forecasts.of([0, 1], np.array([[0.5, 0.5], [0.6, 0.4]]))
    >>> bookmaker_forecasts(forecasts, Market([[1.6, 1.6], [1.2, 3.6]])).probabilities.tolist()
    [[0.5, 0.5], [0.75, 0.25]]
    """
    prices = game_prices(bookmaker, forecasts, first)
    if prices is not None:
        return replace(forecasts, probabilities=np.stack([1 - prices, prices], axis=1))
    return quote_forecasts(forecasts, quote_cases(bookmaker, forecasts, first))


def game_prices(bookmaker: Bookmaker, forecasts: Forecasts, first: int = 0) -> Floats | None:
    """Of games that are backed and laid alike, the price of the second of two classes; else None."""
    if not _is_game(bookmaker, forecasts):
        return None
    return bookmaker.starting_at(first).game_prices(len(forecasts))


def _is_game(bookmaker: Bookmaker, forecasts: Forecasts) -> bool:
    return forecasts.size == 2 and bookmaker.is_game(len(forecasts))


def quote_forecasts(forecasts: Forecasts, quote: Quote) -> Forecasts:
    """Prices that can only be backed are divided by their sum, which takes the margin off evenly.

    Of two prices, those inside the spread at which the model bets: no others speak better for the bookmaker.
    """
    if quote.lay is None:
        prices = 1 / quote.back
        return replace(forecasts, probabilities=prices / prices.sum(axis=1, keepdims=True))
    return replace(forecasts, probabilities=clipped_prices(forecasts.probabilities, quote.back, quote.lay))


def quote_cases(bookmaker: Bookmaker, forecasts: Forecasts, first: int) -> Quote:
    """The odds of these cases; prices that are drawn at random are those of their positions in the path."""
    shape, bookmaker = forecasts.probabilities.shape, bookmaker.starting_at(first)
    return bookmaker.quote(shape[:1]).two_way() if _is_game(bookmaker, forecasts) else bookmaker.quote(shape)


def as_races(
    odds: Any, forecasts: Forecasts, *, columns: Sequence[Label] | None = None, first_row: int = 1
) -> Floats:
    """Odds as a column for each class and a row for each case; one column of two classes is of the positive.

    ``columns`` are the names of columns that stand in the order of the classes, for errors. A dataframe's own
    columns may be called as the classes, in any order.
    """
    values, names = as_probabilities(odds, "odds"), names_of_columns(odds)
    cases, size = forecasts.probabilities.shape
    if values.shape == (cases,) and size == 2 and _is_of_last(forecasts):
        check_odds(values[:, None], outcomes=columns or [forecasts.labels[1]], first_row=first_row)
        return values
    if values.shape == (size,) and cases != size:
        values = np.broadcast_to(values, (cases, size))
    if values.shape != (cases, size):
        seen = "one" if values.ndim == 1 else str(values.shape[1])
        what = f"{seen}, {list_columns(columns)}" if columns else seen
        rows = "" if len(values) == cases else f" of {len(values):,} rows where there are {cases:,} cases"
        raise InputError(f"odds need a column for each of {list_labels(forecasts.labels)}; saw {what}{rows}")
    if names is not None and columns is None:
        values, columns = _by_name(values, names, forecasts)
    check_odds(values, outcomes=columns or forecasts.labels, first_row=first_row)
    return values


def _is_of_last(forecasts: Forecasts) -> bool:
    """Whether odds of one class can only be of the last."""
    return forecasts.label_source == "positive" or usual_positive(forecasts.labels) == forecasts.labels[1]


def _by_name(
    values: Floats, names: Sequence[Label], forecasts: Forecasts
) -> tuple[Floats, Sequence[Label] | None]:
    """A dataframe's columns in the order of the classes, and their names."""
    found = labels_of_columns(names, forecasts.labels)
    if found is not None:
        order = [found.index(label) for label in forecasts.labels]
        return values[:, order], [names[place] for place in order]
    missing = without_column(names, forecasts.labels)
    if len(missing) < forecasts.size:
        raise InputError(
            f"the columns of odds, {list_columns(names)}, are not named after the classes "
            f"{list_labels(forecasts.labels)}: there is none for {list_labels(missing)}"
        )
    return values, None
