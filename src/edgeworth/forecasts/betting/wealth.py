"""Wealth: a forecaster bets on every case, and what becomes of a stake of 1."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import ClassVar, Literal, Self, TypeAlias, TypedDict, Unpack, get_args

import numpy as np
from numpy.typing import NDArray

from edgeworth.bet.bookmakers import NO_WINNINGS, Bookmaker, Commission, Market, Quote
from edgeworth.bet.exchange import clipped_prices
from edgeworth.bet.fractional import fractional_logs, log_average, running_sum, whole_sum
from edgeworth.bet.kelly import factors_by_outcome
from edgeworth.bet.overround import remove_overround
from edgeworth.bet.validation import check_fraction, check_odds
from edgeworth.common.arrays import Floats, Integers
from edgeworth.common.choices import PredictionsMade
from edgeworth.common.json_types import JsonObject
from edgeworth.core.labels import list_labels, usual_positive
from edgeworth.core.serialization import FLAG, FLOAT, LABELS, TEXT, Serializable, object_of, one_of, optional
from edgeworth.errors import InputError, MergeError, OptionError
from edgeworth.forecasts.betting.path import LOGS, SUMS, Blocks, Games, build_blocks
from edgeworth.forecasts.class_columns import ReadingOptions, labels_of_columns, list_columns, without_column
from edgeworth.forecasts.forecasts import Forecasts, RowSelection
from edgeworth.forecasts.kind import WEALTH
from edgeworth.sources.alignment import aligned
from edgeworth.sources.columns import Label
from edgeworth.sources.numbers import as_probabilities, names_of_columns
from edgeworth.sources.times import as_times

Book: TypeAlias = Literal["fair", "exchange", "backing", "constant"]
"""Fair prices backed and laid alike; other prices to lay at than to back at; odds that can only be backed;
class shares counted on these cases."""


class BetOptions(TypedDict, total=False):
    """How a forecaster bets, and against whom."""

    fraction: float
    ordered: bool
    times: Integers | None
    predictions_made: PredictionsMade
    against: str
    book: Book


class PathOptions(BetOptions, total=False):
    """How a forecaster bets, and where its path begins: position in the path, and row for errors."""

    first: int
    first_row: int


RIVAL = "the rival"
"""What a sentence calls a system whose probabilities are the prices."""

CLASS_SHARES = "constant class shares"
"""What a sentence calls the opponent of a model that has none."""


@dataclass(frozen=True, eq=False)
class Wealth(Serializable):
    """The wealth of a bettor against a bookmaker, case by case, in natural logarithms.

    Against fair prices, a case multiplies wealth by p(y)/q(y), so log wealth is the difference of the log
    scores. Probability 0 for what happened is ruin, which is final. If only the bookmaker gave probability 0,
    wealth is infinite.

    Attributes
    ----------
    labels : tuple
        The classes.
    blocks : Blocks
        The sums of the path, by block of cases.
    against : str
        What the bets are against.
    book : str
        The kind of prices: fair, or with a margin.
    fraction : float
        The part of Kelly's stake that is bet.
    ordered : bool
        Whether the cases are in the order in which the outcomes were known.
    predictions_made : {"before", "cross-validated", "in-sample"}
        Whether the predictions were made before the outcomes were known.
    games : Games, optional
        The distinct games, for the distribution of luck.

    Examples
    --------
    >>> wealth = Wealth.from_probabilities([1, 0, 1], [0.6, 0.3, 0.8], against=[0.5, 0.5, 0.5], ordered=True)
    >>> wealth.cases, round(wealth.wealth, 4), round(wealth.log_wealth, 4), round(wealth.e_value, 4)
    (3, 2.688, 0.9888, 2.688)
    >>> wealth.path.round(3).tolist(), wealth.positions.tolist(), wealth.returns.round(2).tolist()
    ([0.182, 0.519, 0.989], [1, 2, 3], [1.2, 1.4, 1.6])
    >>> round(wealth.log_maximum, 3), wealth.log_minimum, abs(wealth.drawdown)
    (0.989, 0.0, 0.0)
    >>> wealth.martingale.round(3).tolist(), wealth.mixture_path.round(3).tolist()
    ([0.143, 0.331, 0.494], [0.095, 0.283, 0.567])
    """

    kind: ClassVar = WEALTH
    name_in_files: ClassVar = WEALTH.name
    FIELDS: ClassVar = {
        "against": TEXT,
        "book": one_of(*get_args(Book)),
        "fraction": FLOAT,
        "ordered": FLAG,
        "predictions_made": TEXT,
        "labels": LABELS,
        "blocks": object_of(Blocks),
        "games": optional(object_of(Games)),
    }

    labels: tuple[Label, ...]
    blocks: Blocks
    against: str = RIVAL
    book: Book = "fair"
    fraction: float = 1.0
    ordered: bool = False
    predictions_made: PredictionsMade = "before"
    games: Games | None = field(default=None, repr=False)

    @classmethod
    def empty(cls) -> Self:
        """Make the wealth of no cases.

        :meta private:
        """
        return cls((), Blocks.empty())

    @classmethod
    @aligned
    def from_probabilities(
        cls,
        truth: object,
        probabilities: object,
        *,
        against: object = None,
        odds: object = None,
        bookmaker: Bookmaker | None = None,
        labels: Sequence[Label] | None = None,
        positive: Label | None = None,
        fraction: float = 1.0,
        ordered: bool = False,
        times: object = None,
        predictions_made: PredictionsMade = "before",
        normalise: bool = False,
        first: int = 0,
    ) -> Self:
        """Bet Kelly's stakes on every case, against a rival's probabilities, market odds or a bookmaker.

        Parameters
        ----------
        truth : array-like, (n,)
            The class that came true in each case.
        probabilities : array-like, (n,) or (n, K)
            The model's probabilities of the positive class, or of each class.
        against : array-like, optional
            A rival's probabilities, which are the prices. Give one of ``against``, ``odds``, ``bookmaker``.
        odds : array-like, optional
            Decimal odds of each class and case, which are backed. One column is of the positive class.
        bookmaker : Bookmaker, optional
            Who quotes the odds.
        labels : sequence, optional
            The class of each column.
        positive : label, optional
            The class of a single column.
        fraction : float
            The part of Kelly's stake that is bet.
        ordered : bool
            Whether rows are in the order in which the outcomes were known.
        times : array-like, optional
            When each outcome became known. Evidence is updated once per time.
        predictions_made : {"before", "cross-validated", "in-sample"}
            Whether predictions were made before the outcomes were known.
        normalise : bool
            Whether each row is divided by its sum.
        first : int
            The position of the first row, for shards of a path.

        Returns
        -------
        Wealth

        Notes
        -----
        Against fair prices q a case multiplies wealth by 1 − c + c·p(y)/q(y), c the fraction (Kelly 1956).

        Examples
        --------
        >>> wealth = Wealth.from_probabilities([1, 0, 1], [0.6, 0.3, 0.8], against=[0.5, 0.5, 0.5])
        >>> round(wealth.wealth, 6)
        2.688
        """
        if sum(opponent is not None for opponent in (against, odds, bookmaker)) != 1:
            raise OptionError("pass one of against= (probabilities), odds= and bookmaker=")
        reading: ReadingOptions = {"labels": labels, "positive": positive, "normalise": normalise}
        forecasts = Forecasts.of(truth, probabilities, **reading)
        options: PathOptions = {
            "fraction": fraction,
            "ordered": ordered,
            "times": None if times is None else as_times(times),
            "predictions_made": predictions_made,
            "first": first,
        }
        if against is not None:
            rival = Forecasts.beside(forecasts, truth, against, **reading)
            return cls.from_forecasts(forecasts, rival, **options)
        if odds is not None:
            races = as_races(odds, forecasts)
            bookmaker = Market(one_sided(races) if races.ndim == 1 else races)
        assert bookmaker is not None
        return cls.from_bookmaker(forecasts, bookmaker, **options)

    @classmethod
    def from_forecasts(
        cls,
        forecasts: Forecasts,
        rival: Forecasts,
        *,
        first: int = 0,
        first_row: int = 1,
        **options: Unpack[BetOptions],
    ) -> Self:
        """Bet against the fair prices of a rival, whose columns are found by their classes.

        ``first`` is the position of the first case in its path, and ``first_row`` its name in errors.

        :meta private:
        """
        rival = rival.in_order_of(forecasts)
        p, q = forecasts.probabilities, rival.probabilities
        if p.shape != q.shape:
            raise InputError(f"the model forecasts {len(p):,} cases, the rival {len(q):,}")

        def logs_of(rows: RowSelection) -> Floats:
            # Of a piece at a time: of all cases at once they would take more room than the forecasts.
            with np.errstate(divide="ignore", invalid="ignore"):
                return np.asarray(np.log(p[rows]) - np.log(q[rows]))

        with np.errstate(divide="ignore", invalid="ignore"):
            realised = np.log(forecasts.happened) - np.log(rival.happened)
        _check_payable(realised, first_row)
        return cls._of(forecasts, q, logs_of, realised, rival, first, **options)

    @classmethod
    def from_bookmaker(
        cls,
        forecasts: Forecasts,
        bookmaker: Bookmaker,
        *,
        first: int = 0,
        first_row: int = 1,
        **options: Unpack[BetOptions],
    ) -> Self:
        """Bet against quoted odds, backing only if nothing can be laid.

        :meta private:
        """
        if game_prices(bookmaker, forecasts, first) is not None:
            rival = bookmaker_forecasts(forecasts, bookmaker, first=first)
            options["against"] = bookmaker.description
            return cls.from_forecasts(forecasts, rival, first=first, first_row=first_row, **options)
        quote = quote_cases(bookmaker, forecasts, first)
        prices = 1 / quote.back
        p = forecasts.probabilities
        full = factors_by_outcome(p, quote.back, lay=quote.lay)
        with np.errstate(divide="ignore"):
            logs = np.log(full)
        over = prices.sum(axis=1)
        if quote.lay is None and (over < 1 - 1e-9).any():
            row = int(np.argmax(over < 1 - 1e-9))
            raise InputError(
                f"row {first_row + row:,}: the odds {', '.join(f'{x:.6g}' for x in quote.back[row])} imply "
                f"probabilities that add up to {over[row]:.3g}, below 1. Backing all of them is a sure "
                "profit (an arbitrage), which proves nothing about forecasts: check that they are decimal"
            )
        one_price = quote.lay is not None and bool((quote.lay == quote.back).all())
        book: Book = "backing" if quote.lay is None else "fair" if one_price else "exchange"
        settled = quote_forecasts(forecasts, quote).probabilities
        rival = bookmaker_forecasts(forecasts, bookmaker, first=first)
        realised = forecasts.of_truth(logs)
        _check_payable(realised, first_row)
        options["book"] = book
        options["against"] = bookmaker.description
        return cls._of(forecasts, settled, lambda rows: logs[rows], realised, rival, first, **options)

    @classmethod
    def _of(
        cls,
        forecasts: Forecasts,
        prices: Floats,
        logs_of: Callable[[RowSelection], Floats],
        realised: Floats,
        rival: Forecasts,
        first: int,
        *,
        fraction: float = 1.0,
        ordered: bool = False,
        times: Integers | None = None,
        predictions_made: PredictionsMade = "before",
        against: str = RIVAL,
        book: Book = "fair",
    ) -> Self:
        check_fraction(fraction)
        if predictions_made not in get_args(PredictionsMade):
            raise OptionError(f"predictions_made is one of {', '.join(get_args(PredictionsMade))}")
        order: NDArray[np.intp] | None = None
        if times is not None:
            if len(times) != len(realised):
                raise InputError(
                    f"there are {len(times):,} times for {len(realised):,} cases: every case has one"
                )
            # Only now: errors before name rows as they were given. Those of one time stay as they were.
            order = np.argsort(times, kind="stable")
            forecasts, rival, ordered = forecasts[order], rival[order], True
            prices, realised, times = prices[order], realised[order], times[order]

        def staked(rows: slice[int, int, None]) -> Floats:
            logs = logs_of(rows if order is None else order[rows])
            # What both rule out, and did not happen, moves nothing.
            logs = np.where(np.isnan(logs), 0.0, logs)
            return logs if fraction == 1 else fractional_logs(logs, [fraction])[..., 0]

        blocks = build_blocks(forecasts, rival, prices, staked, realised, first, times)
        games = Games.of_pieces(forecasts.probabilities, prices, staked)
        return cls(forecasts.labels, blocks, against, book, fraction, ordered, predictions_made, games)

    # -- what it holds ---------------------------------------------------------------------------------

    @property
    def cases(self) -> int:
        """The number of settled bets."""
        return int((self.blocks.ends - self.blocks.starts).sum())

    @property
    def log_wealth(self) -> float:
        """The logarithm of what a stake of 1 has become; −inf is ruin."""
        return float(whole_sum(self.blocks.logs[:, 0])) if self.blocks.number else 0.0

    @property
    def wealth(self) -> float:
        """What a stake of 1 has become; inf beyond 1e308."""
        return math.exp(self.log_wealth) if self.log_wealth < 709.78 else math.inf

    @property
    def e_value(self) -> float:
        """The final wealth as evidence against the prices; ``ew.forecasts.examine_bets`` names the null."""
        return self.wealth

    @property
    def path(self) -> Floats:
        """Log wealth after each block: each case, or each time, up to 4,096 of them."""
        return running_sum(self.blocks.logs[:, 0])

    @property
    def reverse_path(self) -> Floats:
        """Log wealth of the opposite bets: minus the path, except for ruin.

        :meta private:
        """
        # If both were ruined within a block, its sum does not show who was first; both have nothing then.
        both_zero = np.isnan(self.sums("log"))
        return running_sum(np.where(both_zero, -np.inf, -self.blocks.logs[:, 0]))

    def path_at(self, cases: Integers) -> Floats:
        """Return log wealth after some numbers of cases: after the last block settled by then.

        :meta private:
        """
        return np.append(0.0, self.path)[np.searchsorted(self.positions, cases, side="right")]

    @property
    def positions(self) -> Integers:
        """The number of cases settled at each point of the path."""
        return np.cumsum(self.blocks.ends - self.blocks.starts)

    @property
    def log_maximum(self) -> float:
        """The highest log wealth so far, including the start. It is exact for any blocks."""
        # Sums in another order round otherwise, and the end is on the way too.
        return max(float(self._whole.top[0]), self.log_wealth) if self.blocks.number else 0.0

    @property
    def log_minimum(self) -> float:
        """The lowest log wealth so far, including the start."""
        return min(float(self._whole.bottom[0]), self.log_wealth) if self.blocks.number else 0.0

    @property
    def drawdown(self) -> float:
        """The largest fall of log wealth from an earlier maximum."""
        return float(self._whole.drawdown[0]) if self.blocks.number else 0.0

    @cached_property
    def _whole(self) -> Blocks:
        return self.blocks._join_evenly(self.blocks.number)

    @property
    def martingale(self) -> Floats:
        """Log wealth minus its expected growth. If the model is right, its exponential is 1 on average."""
        with np.errstate(invalid="ignore"):  # wealth without bound less growth without bound
            return self.path - np.cumsum(self.sums("model_log_growth"))

    @property
    def returns(self) -> Floats:
        """The factor by which each block multiplied wealth."""
        return np.exp(self.blocks.logs[:, 0])

    @property
    def mixture_path(self) -> Floats:
        """Log wealth of capital divided equally over the stake fractions 0, 1/20, …, 1, after each block."""
        return log_average(running_sum(self.blocks.fractions)) if self.blocks.number else np.zeros(0)

    def sums(self, name: str) -> Floats:
        """Return one of the sums of each block.

        :meta private:
        """
        return np.asarray(self.blocks.sums[:, SUMS.index(name)])

    def bet_path(self, name: str) -> Floats:
        """Return log wealth of another bet after each block: "henzi_brier" or "henzi_log".

        :meta private:
        """
        return running_sum(self.blocks.logs[:, LOGS.index(name)])

    def __add__(self, other: Self) -> Self:
        """Join both paths, in the order of their positions."""
        if not isinstance(other, Wealth):
            return NotImplemented
        if not self.blocks.number or not other.blocks.number:
            return self if self.blocks.number else other
        own_terms, other_terms = self._terms, other._terms
        if own_terms != other_terms:
            wrong = next(name for name in own_terms if own_terms[name] != other_terms[name])
            raise MergeError(
                f"two paths differ in their {wrong}: {own_terms[wrong]!r} and {other_terms[wrong]!r}"
            )
        games = None if self.games is None or other.games is None else self.games + other.games
        return replace(self, blocks=self.blocks + other.blocks, games=games)

    def shift(self, cases: int) -> Self:
        """Move the same bets later in the path, as when a day is added to the past.

        :meta private:
        """
        blocks = replace(self.blocks, starts=self.blocks.starts + cases, ends=self.blocks.ends + cases)
        return replace(self, blocks=blocks.coarsen())

    def shuffle(self, rng: int | Sequence[int] | np.random.Generator | None = 0) -> Self:
        """Put the same bets in a random order, block by block.

        :meta private:
        """
        lengths, generator = self.blocks.ends - self.blocks.starts, np.random.default_rng(rng)
        permutation = generator.permutation(self.blocks.number)
        ends = np.cumsum(lengths[permutation])
        blocks = replace(self.blocks._at(permutation), starts=ends - lengths[permutation], ends=ends)
        return replace(self, blocks=blocks)

    rule: ClassVar = "games have one column per class"

    def _fits_together(self) -> bool:
        """Check the rule."""
        check_fraction(self.fraction)
        return self.games is None or self.games.prices.shape[1] == len(self.labels)

    @property
    def _terms(self) -> dict[str, object]:
        names = ("labels", "against", "book", "fraction", "ordered", "predictions_made")
        return {name: getattr(self, name) for name in names}

    def __repr__(self) -> str:
        return f"<Wealth: {self.cases:,} bets against {self.against}, log wealth {self.log_wealth:.4g}>"

    def facts(self) -> JsonObject:
        """List what was counted.

        :meta private:
        """
        facts = {"bets": self.cases, "against": self.against, "log wealth": self.log_wealth}
        extremes = {"highest": self.log_maximum, "lowest": self.log_minimum}
        return facts | (extremes if self.ordered else {})


def _check_payable(realised: Floats, first_row: int) -> None:
    if np.isnan(realised).any():
        row = first_row + int(np.argmax(np.isnan(realised)))
        raise InputError(f"row {row:,}: both gave probability 0 to the actual class; pass --clip")


# -- the probabilities behind a bookmaker's prices, and odds as a column for each class ---------------------


def bookmaker_forecasts(forecasts: Forecasts, bookmaker: Bookmaker, *, first: int = 0) -> Forecasts:
    """Compute the probabilities behind the prices of these cases; ``first`` is the position of the first one.

    They are those of the odds that are offered: a commission is no part of what a market thinks.

    >>> from edgeworth.bet import Market
    >>> forecasts = Forecasts.of([0, 1], np.array([[0.5, 0.5], [0.6, 0.4]]))
    >>> bookmaker_forecasts(forecasts, Market([[1.6, 1.6], [1.2, 3.6]])).probabilities.tolist()
    [[0.5, 0.5], [0.75, 0.25]]
    """
    bookmaker = bookmaker.bookmaker if isinstance(bookmaker, Commission) else bookmaker
    prices = game_prices(bookmaker, forecasts, first)
    if prices is not None:
        return replace(forecasts, probabilities=np.stack([1 - prices, prices], axis=1))
    if isinstance(bookmaker, Market) and bookmaker.overround != "multiplicative" and bookmaker.lay is None:
        quote = quote_cases(bookmaker, forecasts, first)
        return replace(forecasts, probabilities=remove_overround(quote.back, bookmaker.overround))
    return quote_forecasts(forecasts, quote_cases(bookmaker, forecasts, first))


def game_prices(bookmaker: Bookmaker, forecasts: Forecasts, first: int = 0) -> Floats | None:
    """Return the price of the second class of games that are backed and laid alike; else None."""
    if not is_game(bookmaker, forecasts):
        return None
    return bookmaker.starting_at(first).game_prices(len(forecasts))


def is_game(bookmaker: Bookmaker, forecasts: Forecasts) -> bool:
    """Return whether a bookmaker quotes one price per case, that of the second of two classes."""
    return forecasts.size == 2 and bookmaker.is_game(len(forecasts))


def quote_forecasts(forecasts: Forecasts, quote: Quote) -> Forecasts:
    """Make forecasts of prices: prices that can only be backed are divided by their sum.

    With back and lay prices, they are the prices within the spread that are nearest to the model's forecasts.
    No other prices within it are as favourable to the bookmaker.
    """
    if quote.lay is None:
        prices = 1 / quote.back
        if forecasts.size == 2 and bool((quote.back[:, 0] <= NO_WINNINGS).all()):
            # Odds on the second class alone: nothing is known of the margin.
            return replace(forecasts, probabilities=np.stack([1 - prices[:, 1], prices[:, 1]], axis=1))
        return replace(forecasts, probabilities=prices / prices.sum(axis=1, keepdims=True))
    return replace(forecasts, probabilities=clipped_prices(forecasts.probabilities, quote.back, quote.lay))


def quote_cases(bookmaker: Bookmaker, forecasts: Forecasts, first: int) -> Quote:
    """Quote the odds of these cases; prices drawn at random are those of their positions in the path."""
    shape, bookmaker = forecasts.probabilities.shape, bookmaker.starting_at(first)
    return bookmaker.quote(shape[:1]).two_way() if is_game(bookmaker, forecasts) else bookmaker.quote(shape)


def as_races(
    odds: object,
    forecasts: Forecasts,
    *,
    columns: Sequence[Label] | None = None,
    first_row: int = 1,
    name: str = "odds",
) -> Floats:
    """Arrange odds, one row per case and one column per class; a single column is of the positive class.

    ``columns`` are the names of columns in the order of the classes, for errors. The columns of a dataframe
    may have the names of the classes, in any order.
    """
    values, names = as_probabilities(odds, name), names_of_columns(odds)
    cases, size = forecasts.probabilities.shape
    if values.shape == (cases,) and size == 2 and _is_of_last(forecasts):
        check_odds(values[:, None], name, outcomes=columns or [forecasts.labels[1]], first_row=first_row)
        return values
    if values.shape == (size,) and cases != size:
        values = np.broadcast_to(values, (cases, size))
    if values.shape != (cases, size):
        number = "one" if values.ndim == 1 else str(values.shape[1])
        columns_text = f"{number}, {list_columns(columns)}" if columns else number
        rows = "" if len(values) == cases else f" of {len(values):,} rows where there are {cases:,} cases"
        raise InputError(
            f"{name} need a column for each of {list_labels(forecasts.labels)}; saw {columns_text}{rows}"
        )
    if names is not None and columns is None:
        values, columns = _by_name(values, names, forecasts)
    check_odds(values, name, outcomes=columns or forecasts.labels, first_row=first_row)
    return values


def one_sided(odds: Floats) -> Floats:
    """Turn odds on the second of two classes into odds on both: the first cannot be backed."""
    return np.stack([np.full_like(odds, NO_WINNINGS), odds], axis=1)


def _is_of_last(forecasts: Forecasts) -> bool:
    """Return whether odds for one class can only belong to the last class."""
    return forecasts.label_source == "positive" or usual_positive(forecasts.labels) == forecasts.labels[1]


def _by_name(
    values: Floats, names: Sequence[Label], forecasts: Forecasts
) -> tuple[Floats, Sequence[Label] | None]:
    """Return a dataframe's columns in the order of the classes, and their names."""
    named_labels = labels_of_columns(names, forecasts.labels)
    if named_labels is not None:
        order = [named_labels.index(label) for label in forecasts.labels]
        return values[:, order], [names[index] for index in order]
    missing = without_column(names, forecasts.labels)
    if len(missing) < forecasts.size:
        raise InputError(
            f"the columns of odds, {list_columns(names)}, are not named after the classes "
            f"{list_labels(forecasts.labels)}: there is none for {list_labels(missing)}"
        )
    return values, None
