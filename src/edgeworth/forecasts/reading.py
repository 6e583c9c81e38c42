"""How probabilities are read into a tally, from arrays or from the columns of a source.

Columns of a source are read batch by batch, after a pass over the truth alone: which column is of which
class, and what the class shares are, is known only when all of the truth has been seen. Arrays are in memory
already; ``time``, and a bookmaker who has odds for every case, need all rows of a source at once, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Self

import numpy as np
from numpy.typing import NDArray

from edgeworth.bet.bookmakers import Bookmaker, Market
from edgeworth.bet.checking import check_odds
from edgeworth.common.arrays import Floats, Integers
from edgeworth.common.choices import PredictionsMade
from edgeworth.common.threads import row_blocks
from edgeworth.core.labels import list_labels, parse_labels
from edgeworth.core.options import Options
from edgeworth.core.row_reading import Counted, read_whole
from edgeworth.errors import InputError, OptionError
from edgeworth.forecasts.betting.wealth import PathOptions, as_races
from edgeworth.forecasts.class_columns import CodedTruth, ReadingOptions, order_of_columns, order_of_rival
from edgeworth.forecasts.forecasts import Forecasts, forecasts_of_columns
from edgeworth.forecasts.tally import NOT_ORDINAL, ForecastTally, Opponent
from edgeworth.sources.batches import Batch, CountingSource, FoldingSource, Reducer, Source, check_columns
from edgeworth.sources.columns import Coded, Column, Label, encode, encode_all
from edgeworth.sources.numbers import as_times, stack_columns


@dataclass(frozen=True)
class ForecastTerms:
    """What the caller says about probabilities: whose they are, how they bet, and what is to be shown.

    ``first`` is the position of the first row in the whole path.
    """

    labels: Sequence[Label] | None = None
    positive: Label | None = None
    normalise: bool = False
    clip: float | None = None
    ordered: bool = False
    predictions_made: PredictionsMade = "before"
    fraction: float = 1.0
    ordinal: bool = False
    bookmaker: Bookmaker | None = None
    date_format: str | None = None
    first: int = 0

    @property
    def reading(self) -> ReadingOptions:
        """Return how probabilities are read."""
        return {"labels": self.labels, "positive": self.positive, "normalise": self.normalise}

    @property
    def notes(self) -> tuple[str, ...]:
        """List what was done to the probabilities."""
        return () if self.clip is None else (CLIPPED.format(clip=self.clip),)

    @property
    def betting(self) -> PathOptions:
        """Return how the model bets."""
        return {
            "fraction": self.fraction,
            "ordered": self.ordered,
            "predictions_made": self.predictions_made,
        }


ROWS_AT_ONCE = 1 << 18
"""Rows of a batch worked on at once, however long the batch is."""

CLIPPED = (
    "Probabilities below {clip:g} were raised to it (clip, --clip), and their rows divided by their sums."
)

ONE_PRICE = (
    "One column of odds is a price at which the positive class is backed and laid alike; where it can "
    "only be backed, give the odds of both classes."
)

RIVAL = "the rival's probabilities"


@dataclass(frozen=True)
class ForecastColumns:
    """Names of columns: the truth's, and those of probabilities, of the rival's, or of odds."""

    truth: str
    probabilities: tuple[str, ...]
    against: tuple[str, ...] = ()
    odds: tuple[str, ...] = ()

    @classmethod
    def of(cls, truth: object, probabilities: object, against: object = None, odds: object = None) -> Self:
        """Make the columns from one name or a list of names per role.

        >>> ForecastColumns.of("y", "p", against=["q"]).numbers
        ('p', 'q')
        """
        roles = {"probabilities": probabilities, "against": against, "odds": odds}
        given = {role: tuple(columns_of(names, role)) for role, names in roles.items() if names is not None}
        return cls(columns_of(truth, "truth")[0], **given)

    @property
    def numbers(self) -> tuple[str, ...]:
        """Return the columns that hold numbers, each once."""
        return tuple(dict.fromkeys([*self.probabilities, *self.against, *self.odds]))

    @property
    def slips(self) -> tuple[str, ...]:
        """List warnings about columns that were probably chosen by mistake."""
        warnings = []
        if self.truth in self.probabilities:
            warnings.append(f"Truth and probability are the same column, {self.truth!r}.")
        if self.against == self.probabilities:
            warnings.append(f"Model and rival are the same: {', '.join(map(repr, self.probabilities))}.")
        return tuple(warnings)


def columns_of(value: object, role: str) -> list[str]:
    """Return the names of columns: one, or several."""
    given = list(value) if isinstance(value, Iterable) and not isinstance(value, str) else [value]
    names = [name for name in given if isinstance(name, str)]
    if not names or len(names) < len(given):
        raise OptionError(
            f"with data, {role} is the name of a column, or a list of names; saw {list_labels(given)}"
        )
    return names


def read_forecasts(
    source: Source | None,
    truth: object,
    probabilities: object,
    against: object,
    odds: object,
    time: object,
    terms: ForecastTerms,
) -> ForecastTally:
    """Tally forecasts and the bets with them: names of columns of a source, or arrays where there is none.

    Of a source, one column stands for the positive class, several for a class each.
    """
    if source is not None:
        columns = ForecastColumns.of(truth, probabilities, against, odds)
        time_column = None if time is None else columns_of(time, "time")[0]
        return tally_forecasts(source, columns, terms, time=time_column)
    model = Forecasts.of(truth, probabilities, **terms.reading).clip(terms.clip)
    rival = None
    if against is not None:
        rival = Forecasts.beside(model, truth, against, **terms.reading).clip(terms.clip)
    races = None if odds is None else as_races(odds, model)
    shares = np.bincount(model.codes, minlength=model.size) / len(model)
    times = None if time is None else as_times(time, date_format=terms.date_format)
    return _tally(model, terms, rival, races, tuple(shares.tolist()), times)


def _tally(
    model: Forecasts,
    terms: ForecastTerms,
    rival: Forecasts | None,
    races: Floats | None,
    shares: tuple[float, ...],
    times: Integers | None,
    slips: tuple[str, ...] = (),
    first_row: int = 1,
) -> ForecastTally:
    """Let the model bet against a rival, at odds, against a bookmaker, or else against the class shares.

    Odds of each class are only backed; those of one class alone are a price on both sides.
    """
    notes = (*terms.notes, *_describe_shared_times(times), *slips)
    if rival is not None:
        opponent = Opponent(rival)
    elif races is not None and races.ndim == 1:
        price, notes = 1 / races, (*notes, ONE_PRICE)
        fair = replace(model, probabilities=np.stack([1 - price, price], axis=1))
        opponent = Opponent(fair, against=Market.description)
    elif races is not None:
        opponent = Opponent(bookmaker=Market(races))
    elif terms.bookmaker is not None:
        opponent = Opponent(bookmaker=terms.bookmaker)
    else:
        opponent = Opponent.class_shares(model, shares)
    betting = terms.betting
    betting["first"] = terms.first + first_row - 1
    betting["first_row"] = first_row
    betting["times"] = times
    return ForecastTally.of(model, opponent, ordinal=terms.ordinal, notes=notes, **betting)


def _describe_shared_times(times: Integers | None) -> tuple[str, ...]:
    """Say how many rows have no order among them."""
    counts = np.bincount(times) if times is not None else np.zeros(0, np.int64)
    shared = int(counts[counts > 1].sum())
    if times is None or not shared:
        return ()
    return (
        f"{shared:,} of {len(times):,} rows share their time with others, so their order is not known: "
        "wealth is looked at between times only.",
    )


# -- a source, batch by batch ------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Plan:
    """All that a batch has to know: which column is of which class, who bets and how. It can be pickled."""

    columns: ForecastColumns
    terms: ForecastTerms
    came: CodedTruth
    """The class of each label, in the order of ``class_index``."""
    class_index: dict[Label, int]
    orders: dict[str, list[int]]
    shares: tuple[float, ...]

    def codes(self, column: Column, first_row: int) -> NDArray[np.intp]:
        """Return the class that came true in each row."""
        coded = encode(column, self.columns.truth)
        table = [self.class_index.get(label, -1) for label in coded.labels]
        codes = np.array([*table, -1], dtype=np.intp)[coded.codes]
        if (codes < 0).any():
            row = first_row + int(np.argmax(codes < 0))
            raise InputError(f"truth in row {row:,} is not what it was a moment ago: the data changed")
        return codes


def tally_forecasts(
    source: Source, columns: ForecastColumns, terms: ForecastTerms, *, time: str | None = None
) -> ForecastTally:
    """Fold a source into the evidence of its forecasts, in memory that does not grow with the rows.

    Only ``time``, and a ``bookmaker`` who holds prices for every case (``Bookmaker.is_random`` says who does
    not), take all rows at once.
    """
    if time is not None or not (terms.bookmaker is None or terms.bookmaker.is_random):
        named = dict.fromkeys([columns.truth, *([] if time is None else [time])])
        read = read_whole(source, list(named), columns.numbers)
        times = None if time is None else as_times(read.labels[time], time, 1, terms.date_format)
        batch = Batch({**read.numbers, columns.truth: read.labels[columns.truth]})
        plan = _plan(_count_batch(batch, columns.truth), False, columns, terms)
        return _of_rows(batch.columns, 1, plan, times)
    wanted = [columns.truth, *columns.numbers]
    names = getattr(source, "names", None)
    if names is not None and not getattr(source, "varies", False):
        # Before names are matched with classes: a misspelt one would be taken for another class.
        check_columns(wanted, names, source.name)
    seen = count_truth(source, columns.truth)
    try:
        plan = _plan(seen, source.is_text, columns, terms)
    except InputError:
        if not isinstance(source, (CountingSource, FoldingSource)):
            raise
        # Neither counts nor partitions know in which row a label comes first: the rows themselves say it.
        seen = count_truth(source, columns.truth, needs_rows=True)
        plan = _plan(seen, source.is_text, columns, terms)
    return Reducer(wanted, partial(_evidence, plan=plan), ForecastTally.empty()).fold(source)


def _plan(seen: TruthCounts, is_text: bool, columns: ForecastColumns, terms: ForecastTerms) -> _Plan:
    if not seen.by_label:
        raise InputError("there are no rows")
    written, reading = seen.labels, terms.reading
    labels = tuple(parse_labels(written)) if is_text else written
    number = len(columns.probabilities)
    came = CodedTruth.of(
        Coded(np.arange(len(labels)), labels),
        np.zeros(len(labels) if number == 1 else (len(labels), number)),
        labels=terms.labels,
        positive=terms.positive,
        named=columns.probabilities,
        must_tell=True,
        first_row=seen.rows,
    )
    size = len(came.labels)
    if terms.ordinal and size == 2:
        raise OptionError(NOT_ORDINAL)
    orders = {"probabilities": [1] if number == 1 else list(range(number))}
    if columns.against:
        orders["against"] = order_of_rival(columns.against, came, reading, RIVAL)
    if len(columns.odds) == size:
        orders["odds"] = order_of_columns(columns.odds, came, reading, "odds")
    counts = np.zeros(size, dtype=np.int64)
    np.add.at(counts, came.codes, seen.cases)
    shares = tuple((counts / counts.sum()).tolist())
    class_index = dict(zip(written, came.codes.tolist(), strict=True))
    return _Plan(columns, terms, came, class_index, orders, shares)


def _evidence(batch: Batch, plan: _Plan) -> ForecastTally:
    total = ForecastTally.empty()
    if len(batch):
        for rows in row_blocks(len(batch), ROWS_AT_ONCE):
            held = {name: column[rows] for name, column in batch.columns.items()}
            total = total + _of_rows(held, batch.first_row + rows.start, plan)
    return total


def _of_rows(
    held: Mapping[str, Column], first_row: int, plan: _Plan, times: Integers | None = None
) -> ForecastTally:
    columns, terms, came = plan.columns, plan.terms, plan.came
    are_prices = columns.probabilities == columns.odds  # odds that stand alone are the market's forecasts

    def table(names: Sequence[str]) -> Floats:
        return stack_columns([held[name] for name in names], list(names), first_row)

    def forecasts(role: str, names: Sequence[str], called: str) -> Forecasts:
        read = table(names)
        if are_prices:
            check_odds(read, outcomes=names, first_row=first_row)
            read = 1 / read
        normalise = terms.normalise or are_prices
        checked = forecasts_of_columns(
            codes, came, read, plan.orders[role], name=called, first_row=first_row, normalise=normalise
        )
        return checked.clip(terms.clip)

    codes = plan.codes(held[columns.truth], first_row)
    model = forecasts("probabilities", columns.probabilities, "probabilities")
    rival = forecasts("against", columns.against, RIVAL) if columns.against else None
    races = None
    if columns.odds and not are_prices:
        named = [columns.odds[index] for index in plan.orders.get("odds", range(len(columns.odds)))]
        values = table(named)
        values = values[:, 0] if len(named) == 1 else values
        races = as_races(values, model, columns=named, first_row=first_row)
    return _tally(model, terms, rival, races, plan.shares, times, columns.slips, first_row)


# -- the truth, seen first -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class TruthCounts:
    """The first row and the number of rows of each label, as it is written in the data."""

    by_label: Mapping[Label, tuple[int, int]] = field(default_factory=dict)
    needs_positions: bool = False
    """Whether rows are counted through all partitions of a source, which may cost a pass more."""

    def __add__(self, other: Self) -> Self:
        """Add the counts of both."""
        both = dict(self.by_label)
        for label, (row, cases) in other.by_label.items():
            before, counted = both.get(label, (row, 0))
            both[label] = (min(before, row), counted + cases)
        return type(self)(both, self.needs_positions)

    @property
    def labels(self) -> tuple[Label, ...]:
        """Return the labels in the order of their first rows."""
        return tuple(sorted(self.by_label, key=lambda label: self.by_label[label][0]))

    @property
    def rows(self) -> NDArray[np.int64]:
        """Return the first row of each label."""
        return np.array([self.by_label[label][0] for label in self.labels], dtype=np.int64)

    @property
    def cases(self) -> NDArray[np.int64]:
        """Return the number of rows of each label."""
        return np.array([self.by_label[label][1] for label in self.labels], dtype=np.int64)


def count_truth(source: Source, column: str, *, needs_rows: bool = False) -> TruthCounts:
    """Count the labels of the truth in one pass; ``needs_rows`` keeps the engine from counting by itself."""
    empty = TruthCounts(needs_positions=needs_rows)
    return Reducer([column], partial(_count_batch, name=column), empty, not needs_rows).fold(source)


def _count_batch(batch: Batch, name: str) -> TruthCounts:
    coded = encode_all(batch.columns[name], name, batch.first_row)
    number = len(coded.labels)
    cases = np.bincount(coded.codes, minlength=number)
    if batch.repeats is not None:
        cases = np.zeros(number, dtype=np.int64)
        np.add.at(cases, coded.codes, batch.repeats)
    first = np.zeros(number, dtype=np.int64)
    # Backwards, so that of several rows the first one stays.
    first[coded.codes[::-1]] = np.arange(len(coded) - 1, -1, -1)
    rows = (batch.first_row + first).tolist()
    # A batch may share its labels with others and have none of some.
    kept = (entry for entry in zip(coded.labels, rows, cases.tolist(), strict=True) if entry[2])
    return TruthCounts({label: (row, count) for label, row, count in kept})


def check_forecasts(options: Options) -> None:
    """Refuse two opponents at once, and missing values."""
    if options["missing"] != "error":
        raise OptionError("missing values among probabilities are errors: drop such rows beforehand")
    opponents = (options["against"], options["odds"], options["bookmaker"])
    if sum(opponent is not None for opponent in opponents) > 1:
        raise OptionError("bet against one of them: against (probabilities), odds or bookmaker")
    before = options["rows_before"]
    is_whole = isinstance(before, (int, np.integer)) and not isinstance(before, bool)
    if before is not None and not (is_whole and 0 <= before <= 2**52):
        raise OptionError(f"rows_before is a whole number from 0 to 2^52; saw {before!r}")


def count_forecasts(source: Source | None, options: Options, *, is_final: bool) -> Counted:
    """Let the model bet and score it and its opponent, batch by batch."""
    time = options["time"]
    if not is_final and time is not None:
        raise OptionError(
            "time puts all rows in order at once: count files that are in time order, with ordered "
            "(--ordered)"
        )
    if time is None and options["date_format"] is not None:
        raise OptionError("date_format has no meaning without the column of dates (time=, --time COLUMN)")
    if source is None and isinstance(time, str):
        raise OptionError(f"time={time!r} names a column, but there is no data to find it in")
    bookmaker = options["bookmaker"]
    assert bookmaker is None or isinstance(bookmaker, Bookmaker)
    terms = ForecastTerms(
        labels=options["labels"],
        positive=options["positive"],
        normalise=options["normalise"],
        clip=options["clip"],
        ordinal=options["ordinal"],
        bookmaker=bookmaker,
        date_format=options["date_format"],
        ordered=options["ordered"] or time is not None,
        predictions_made=options["predictions_made"] or "before",
        fraction=1.0 if options["fraction"] is None else options["fraction"],
        first=int(options["rows_before"] or 0),
    )
    given = (options["truth"], options["probabilities"], options["against"], options["odds"])
    tally = read_forecasts(source, *given, time, terms)
    if source is None:
        columns = {} if time is None else {"time": "an array"}
    else:
        roles = {"time": time, "truth": options["truth"], "probabilities": options["probabilities"]}
        roles |= {"against": options["against"], "odds": options["odds"]}
        columns = {role: ", ".join(columns_of(x, role)) for role, x in roles.items() if x is not None}
    name = "arrays" if source is None else source.name
    return Counted(tally, name, columns, None if is_final else tally.cases)
