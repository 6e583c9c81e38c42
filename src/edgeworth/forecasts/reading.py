"""How probabilities are read into a tally, from arrays or from the columns of a source.

Columns of a source are read batch by batch, after a pass over the truth alone: which column is of which
class, and what the class shares are, is known only when all of the truth has been seen. Arrays are in memory
already; ``time``, and a bookmaker who has odds for every case, need all rows of a source at once, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Self

import numpy as np
from numpy.typing import NDArray

from edgeworth.bet.bookmakers import Bookmaker
from edgeworth.bet.odds import check_commission
from edgeworth.bet.overround import remove_overround
from edgeworth.bet.validation import check_odds
from edgeworth.common.arrays import Floats
from edgeworth.common.choices import OverroundMethod, PredictionsMade, WeightKind
from edgeworth.common.threads import row_blocks
from edgeworth.core.labels import list_labels, parse_labels
from edgeworth.core.options import Options, select_options
from edgeworth.core.row_reading import Counted, read_whole
from edgeworth.errors import InputError, OptionError
from edgeworth.forecasts.betting.market import (
    NO_SCHEDULE,
    OVERROUND_NEEDS_ODDS,
    MarketOdds,
    Schedule,
    are_odds,
    warn_of_odds_as_forecasts,
    without_overround,
)
from edgeworth.forecasts.betting.season import play_season
from edgeworth.forecasts.betting.wealth import PathOptions, as_races
from edgeworth.forecasts.class_columns import CodedTruth, ReadingOptions, order_of_columns, order_of_rival
from edgeworth.forecasts.complete_rows import (
    DROP_IN_ORDER,
    WEIGHT_IN_ORDER,
    CompleteRows,
    rows_of_arrays,
    take_rows,
)
from edgeworth.forecasts.forecasts import Forecasts, forecasts_of_columns
from edgeworth.forecasts.tally import NOT_ORDINAL, ForecastTally, Opponent
from edgeworth.forecasts.truth_counts import TruthCounts, count_batch, count_truth
from edgeworth.sources.batches import (
    Batch,
    CountingSource,
    FoldingSource,
    Reducer,
    Source,
    check_columns,
    has_varying_columns,
    known_columns,
)
from edgeworth.sources.column_roles import find_source, sum_weights
from edgeworth.sources.columns import DROP_MISSING, Coded, Column, Label, as_column, encode, encode_all
from edgeworth.sources.numbers import as_weights, stack_columns
from edgeworth.sources.times import read_times


@dataclass(frozen=True)
class ForecastTerms:
    """The options for reading probabilities: their classes, how they bet, and what the report needs.

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
    commission: float = 0.0
    overround: OverroundMethod | None = None
    """How odds become probabilities; None means the default, which is multiplicative."""
    date_format: str | None = None
    first: int = 0
    drops_missing: bool = False
    weight_kind: WeightKind | None = None

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

RIVAL = "the rival's probabilities"

PRICE_NAMES = {"odds": "odds", "lay": "lay odds", "closing_odds": "closing odds"}


@dataclass(frozen=True)
class ForecastColumns:
    """Names of columns: the truth's, and those of probabilities, of the rival's, or of odds."""

    truth: str
    probabilities: tuple[str, ...]
    against: tuple[str, ...] = ()
    odds: tuple[str, ...] = ()
    lay: tuple[str, ...] = ()
    closing_odds: tuple[str, ...] = ()
    cluster: str | None = None
    weight: str | None = None

    @classmethod
    def of(
        cls,
        truth: object,
        probabilities: object,
        against: object = None,
        odds: object = None,
        lay: object = None,
        closing_odds: object = None,
    ) -> Self:
        """Make the columns from one name or a list of names per role.

        >>> ForecastColumns.of("y", "p", against=["q"]).numbers
        ('p', 'q')
        """
        roles = {"probabilities": probabilities, "against": against, "odds": odds, "lay": lay}
        roles["closing_odds"] = closing_odds
        columns_by_role = {
            role: () if names is None else tuple(columns_of(names, role)) for role, names in roles.items()
        }
        return cls(
            columns_of(truth, "truth")[0],
            columns_by_role["probabilities"],
            columns_by_role["against"],
            columns_by_role["odds"],
            columns_by_role["lay"],
            columns_by_role["closing_odds"],
        )

    @property
    def numbers(self) -> tuple[str, ...]:
        """Return the columns that hold numbers, each once."""
        every = (*self.probabilities, *self.against, *self.odds, *self.lay, *self.closing_odds)
        return tuple(dict.fromkeys(every))

    @property
    def texts(self) -> tuple[str, ...]:
        """Return the columns that hold labels."""
        return (self.truth,) if self.cluster is None else (self.truth, self.cluster)

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
    entries = list(value) if isinstance(value, Iterable) and not isinstance(value, str) else [value]
    names = [name for name in entries if isinstance(name, str)]
    if not names or len(names) < len(entries):
        raise OptionError(
            f"with data, {role} is the name of a column, or a list of names; saw {list_labels(entries)}"
        )
    return names


def read_forecasts(source: Source | None, options: Options, terms: ForecastTerms) -> ForecastTally:
    """Tally forecasts and the bets with them, from the columns of a source or from arrays.

    In a source, a single column has the probabilities of the positive class; several have one class each.
    """
    truth, probabilities, against, odds = (
        options[role] for role in ("truth", "probabilities", "against", "odds")
    )
    time, closing, lay, named_round = (options[role] for role in ("time", "closing_odds", "lay", "round"))
    cluster, weight = options["cluster"], options["weight"]
    if source is not None:
        columns = replace(
            ForecastColumns.of(truth, probabilities, against, odds, lay, closing),
            cluster=None if cluster is None else columns_of(cluster, "cluster")[0],
            weight=None if weight is None else columns_of(weight, "weight")[0],
        )
        time_column, round_column = (
            None if column is None else columns_of(column, role)[0]
            for column, role in ((time, "time"), (named_round, "round"))
        )
        if not terms.drops_missing and columns.weight is None:
            return tally_forecasts(source, columns, terms, time=time_column, named_round=round_column)
        rows = CompleteRows(
            source, columns.texts, columns.numbers, columns.weight, terms.weight_kind, terms.drops_missing
        )
        tally = tally_forecasts(rows, columns, terms, time=time_column, named_round=round_column)
        return replace(tally, dropped=rows.dropped)
    dropped = 0
    if terms.drops_missing or weight is not None:
        tables = [table for table in (probabilities, against, odds, lay, closing) if table is not None]
        chosen, dropped = rows_of_arrays(
            truth, tables, cluster, weight, terms.weight_kind, drops=terms.drops_missing
        )
        truth, probabilities, against, odds, cluster = (
            take_rows(values, chosen) for values in (truth, probabilities, against, odds, cluster)
        )
        lay, closing, time, named_round = (
            take_rows(values, chosen) for values in (lay, closing, time, named_round)
        )
        weight = take_rows(weight, chosen)
    forecast = without_overround(probabilities, terms.overround, has_odds=odds is not None)
    model = Forecasts.of(truth, forecast, **terms.reading).clip(terms.clip)
    if weight is not None and terms.weight_kind == "sampling":
        model = model.weigh(as_weights(weight).astype(np.float64))
    rival = None
    if against is not None:
        prices = without_overround(against, terms.overround, has_odds=True)
        rival = Forecasts.beside(model, truth, prices, **terms.reading).clip(terms.clip)
    market = None
    if odds is not None:
        laid, closed = (None if table is None else as_races(table, model) for table in (lay, closing))
        market = MarketOdds(as_races(odds, model), laid, closed)
    shares = model.class_totals / model.class_totals.sum()
    times = None if time is None else read_times(time, date_format=terms.date_format)
    labels = None if named_round is None else encode_all(as_column(named_round, "round"), "round")
    clusters = None if cluster is None else encode_all(as_column(cluster, "clusters"), "cluster", 1)
    schedule = Schedule.of(times, labels)
    tally = _tally(model, terms, rival, market, tuple(shares.tolist()), schedule, clusters=clusters)
    return replace(tally, dropped=dropped)


def _tally(
    model: Forecasts,
    terms: ForecastTerms,
    rival: Forecasts | None,
    market: MarketOdds | None,
    shares: tuple[float, ...],
    schedule: Schedule = NO_SCHEDULE,
    slips: tuple[str, ...] = (),
    first_row: int = 1,
    clusters: Coded | None = None,
) -> ForecastTally:
    """Bet the model against a rival, at odds, against a bookmaker, or else against the class shares.

    Odds can only be backed, unless there are odds to lay at.
    """
    # Games of one round at odds are settled together, so their order does not matter.
    shared = () if market is not None else _describe_shared_times(schedule)
    notes = (*terms.notes, *shared, *slips)
    season = None
    if rival is not None:
        opponent = Opponent(rival)
    elif market is not None:
        balanced, remarks = market.without_arbitrage()
        bookmaker, notes = balanced.bookmaker(terms.commission, terms.overround), (*notes, *remarks)
        opponent = Opponent(bookmaker=bookmaker)
        if (
            market.closing is not None
            and market.closing.ndim > 1
            and _are_prices_of(model, market.closing, terms.overround)
        ):
            notes = (*notes, CLOSING_FORECASTS)
        if schedule.is_known or market.closing is not None:
            season = play_season(
                model,
                bookmaker,
                offered=market.bookmaker(0.0, terms.overround),
                times=schedule.times,
                rounds=schedule.rounds,
                round_names=schedule.names,
                closing_odds=market.closing,
                overround=terms.overround or "multiplicative",
            )
    elif terms.bookmaker is not None:
        opponent = Opponent(bookmaker=terms.bookmaker)
    else:
        opponent = Opponent.class_shares(model, shares)
    betting = terms.betting
    betting["first"] = terms.first + first_row - 1
    betting["first_row"] = first_row
    betting["times"] = schedule.ranks
    tally = ForecastTally.of(
        model, opponent, ordinal=terms.ordinal, notes=notes, clusters=clusters, **betting
    )
    return replace(tally, season=season, dates=schedule.dates)


CLOSING_FORECASTS = (
    "The forecasts are made from the closing odds, so bets were chosen where the odds were better than the "
    "closing line. The closing-line value is positive by selection and proves nothing. Pass forecasts that "
    "were made before the close."
)


def _are_prices_of(model: Forecasts, odds: Floats, overround: OverroundMethod | None) -> bool:
    """Return whether forecasts are the probabilities behind odds."""
    prices = remove_overround(odds, overround or "multiplicative")
    return bool(np.allclose(model.probabilities, prices, rtol=0, atol=1e-9))


def _describe_shared_times(schedule: Schedule) -> tuple[str, ...]:
    """Count the rows that share their time with others."""
    times = None if schedule.times is None else schedule.times.ranks
    counts = np.bincount(times) if times is not None else np.zeros(0, np.int64)
    shared = int(counts[counts > 1].sum())
    if times is None or not shared:
        return ()
    return (
        f"{shared:,} of {len(times):,} rows share their time with others, so their order is unknown. The "
        "evidence is updated once per time, after all of its rows.",
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
            raise InputError(f"truth in row {row:,} changed while the data were read: read a copy")
        return codes


def tally_forecasts(
    source: Source,
    columns: ForecastColumns,
    terms: ForecastTerms,
    *,
    time: str | None = None,
    named_round: str | None = None,
) -> ForecastTally:
    """Fold a source into the evidence of its forecasts, in memory that does not grow with the rows.

    Only ``time``, rounds, closing odds, sampling weights, and a ``bookmaker`` with prices for every case (see
    ``Bookmaker.is_random``) need all rows at once.
    """
    holds_prices = terms.bookmaker is not None and not terms.bookmaker.is_random
    has_rounds = time is not None or named_round is not None or bool(columns.closing_odds)
    is_weighted = columns.weight is not None and terms.weight_kind == "sampling"
    if has_rounds or holds_prices or is_weighted:
        texts = (*columns.texts, time, named_round)
        named = dict.fromkeys(name for name in texts if name is not None)
        numbers = [*columns.numbers, *([columns.weight] if is_weighted and columns.weight else [])]
        read = read_whole(source, list(named), numbers, advice=DROP_MISSING)
        times = None if time is None else read_times(read.labels[time], time, 1, terms.date_format)
        schedule = Schedule.of(times, None if named_round is None else read.labels[named_round])
        batch = Batch({**read.numbers, **{name: read.labels[name] for name in columns.texts}})
        plan = _plan(count_batch(batch, columns.truth), False, columns, terms)
        return _of_rows(batch.columns, 1, plan, schedule)
    needed = [*columns.texts, *columns.numbers]
    names = known_columns(source)
    if names is not None and not has_varying_columns(source):
        # Before names are matched with classes: a misspelt one would be taken for another class.
        check_columns(needed, names, source.name)
    truth_counts = count_truth(source, columns.truth)
    try:
        plan = _plan(truth_counts, source.is_text, columns, terms)
    except InputError:
        if not isinstance(source, (CountingSource, FoldingSource)):
            raise
        # Counts and partitions do not show in which row a label comes first, so the rows are read.
        truth_counts = count_truth(source, columns.truth, needs_rows=True)
        plan = _plan(truth_counts, source.is_text, columns, terms)
    return Reducer(needed, partial(_evidence, plan=plan), ForecastTally.empty()).fold(source)


def _plan(truth_counts: TruthCounts, is_text: bool, columns: ForecastColumns, terms: ForecastTerms) -> _Plan:
    if not truth_counts.by_label:
        raise InputError("there are no rows")
    written, reading = truth_counts.labels, terms.reading
    labels = tuple(parse_labels(written)) if is_text else written
    number = len(columns.probabilities)
    came = CodedTruth.of(
        Coded(np.arange(len(labels)), labels),
        np.zeros(len(labels) if number == 1 else (len(labels), number)),
        labels=terms.labels,
        positive=terms.positive,
        named=columns.probabilities,
        must_tell=True,
        first_row=truth_counts.rows,
    )
    size = len(came.labels)
    if terms.ordinal and size == 2:
        raise OptionError(NOT_ORDINAL)
    orders = {"probabilities": [1] if number == 1 else list(range(number))}
    if columns.against:
        orders["against"] = order_of_rival(columns.against, came, reading, RIVAL)
    priced = {"odds": columns.odds, "lay": columns.lay, "closing_odds": columns.closing_odds}
    for role, names in priced.items():
        if len(names) == size:
            orders[role] = order_of_columns(names, came, reading, PRICE_NAMES[role])
    counts = np.zeros(size, dtype=np.int64)
    np.add.at(counts, came.codes, truth_counts.cases)
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
    held: Mapping[str, Column], first_row: int, plan: _Plan, schedule: Schedule = NO_SCHEDULE
) -> ForecastTally:
    columns, terms, came = plan.columns, plan.terms, plan.came
    slips = [*columns.slips]
    are_prices = columns.probabilities == columns.odds  # odds that stand alone are the market's forecasts

    def table(names: Sequence[str]) -> Floats:
        return stack_columns([held[name] for name in names], list(names), first_row)

    def forecasts(role: str, names: Sequence[str], called: str) -> Forecasts:
        read = table(names)
        have_overround = are_prices or (terms.overround is not None and are_odds(read))
        is_useless = role == "probabilities" and not columns.odds
        if terms.overround is not None and not have_overround and is_useless:
            raise OptionError(OVERROUND_NEEDS_ODDS)
        if have_overround:
            check_odds(read, outcomes=names, first_row=first_row)
            slips.extend(warn_of_odds_as_forecasts(read, names))
            read = remove_overround(read, terms.overround or "multiplicative")
        normalise = terms.normalise or have_overround
        checked = forecasts_of_columns(
            codes, came, read, plan.orders[role], name=called, first_row=first_row, normalise=normalise
        )
        return checked.clip(terms.clip)

    def prices(role: str, names: Sequence[str]) -> Floats | None:
        if not names:
            return None
        named = [names[index] for index in plan.orders.get(role, range(len(names)))]
        values = table(named)
        values = values[:, 0] if len(named) == 1 else values
        return as_races(values, model, columns=named, first_row=first_row, name=PRICE_NAMES[role])

    codes = plan.codes(held[columns.truth], first_row)
    model = forecasts("probabilities", columns.probabilities, "probabilities")
    rival = forecasts("against", columns.against, RIVAL) if columns.against else None
    odds = None if are_prices else prices("odds", columns.odds)
    market = None
    if odds is not None:
        market = MarketOdds(odds, prices("lay", columns.lay), prices("closing_odds", columns.closing_odds))
    clusters = None
    if columns.cluster is not None:
        clusters = encode_all(held[columns.cluster], columns.cluster, first_row)
    shares = plan.shares
    if columns.weight is not None and terms.weight_kind == "sampling":
        model = model.weigh(as_weights(held[columns.weight], columns.weight, first_row).astype(np.float64))
        shares = tuple((model.class_totals / model.class_totals.sum()).tolist())
    return _tally(model, terms, rival, market, shares, schedule, tuple(slips), first_row, clusters)


def check_forecasts(options: Options) -> None:
    """Refuse two opponents at once, and what is not supported with clusters, weights or dropped rows."""
    if options["missing"] == "abstain":
        raise OptionError('with probabilities, --missing (missing=) is "error" or "drop", not "abstain"')
    in_order = options["ordered"] or options["time"] is not None
    unsupported = {
        "time" if options["time"] is not None else "ordered": in_order,
        "odds": options["odds"] is not None and options["odds"] is not options["probabilities"],
        "bookmaker": options["bookmaker"] is not None,
        "ordinal": options["ordinal"],
    }
    if options["cluster"] is not None:
        refused = [name for name, is_given in unsupported.items() if is_given]
        if refused:
            raise OptionError(
                "rows in clusters (--cluster, or --id with ids that repeat) are not supported with "
                f"--{refused[0]}: leave one of them out"
            )
    if in_order and options["weight"] is not None:
        raise OptionError(WEIGHT_IN_ORDER)
    opponents = (options["against"], options["odds"], options["bookmaker"])
    if sum(opponent is not None for opponent in opponents) > 1:
        raise OptionError("pass only one of --against (probabilities), --odds and --bookmaker")
    has_bets = options["odds"] is not None and options["odds"] is not options["probabilities"]
    for role in ("lay", "closing_odds", "round", "commission"):
        if options[role] is not None and not has_bets:
            flag = role.replace("_", "-")
            raise OptionError(f"--{flag} ({role}=) needs odds to bet at: add --odds a,b,c")
    if options["commission"] is not None:
        check_commission(options["commission"])
    before = options["rows_before"]
    is_whole = isinstance(before, (int, np.integer)) and not isinstance(before, bool)
    if before is not None and not (is_whole and 0 <= before <= 2**52):
        raise OptionError(f"rows_before is a whole number from 0 to 2^52; saw {before!r}")


def _kind_of_weights(source: Source | None, options: Options) -> WeightKind | None:
    """Return whether weights count cases: as declared, or if all are whole. Refuse what has no weights."""
    if options["weight"] is None:
        return None
    kind: WeightKind | None = options["weight_kind"]
    if kind is None:
        opened, columns = find_source(source, (), weight=options["weight"])
        kind = "counts" if sum_weights(opened, columns["weight"])[0] else "sampling"
    if kind == "counts":
        return kind
    is_used = {
        # Odds that stand alone are forecasts.
        "odds": options["odds"] is not None and options["odds"] is not options["probabilities"],
        "bookmaker": options["bookmaker"] is not None,
        "ordinal": options["ordinal"],
        "bets": options["bets"],
        "orders": options["orders"] is not None,
        "goal": options["goal"] is not None,
    }
    refused = [role for role, is_given in is_used.items() if is_given]
    if refused:
        flag = refused[0].replace("_", "-")
        raise OptionError(
            f"--weight (weight=) is not supported with --{flag} ({refused[0]}=) if weights are sampling "
            "weights: leave one of them out"
        )
    return kind


def count_forecasts(source: Source | None, options: Options, *, is_final: bool) -> Counted[ForecastTally]:
    """Bet by the model, and score it and its opponent, batch by batch."""
    time = options["time"]
    if not is_final and time is not None:
        raise OptionError(
            "--time (time=) needs all rows at once: use evaluate, or sort the files and pass --ordered"
        )
    if not is_final and options["ordered"] and options["missing"] == "drop":
        raise OptionError(DROP_IN_ORDER)
    for role in ("round", "closing_odds"):
        if not is_final and options[role] is not None:
            raise OptionError(
                f"--{role.replace('_', '-')} ({role}=) needs all rows at once: use evaluate, not tally"
            )
    if time is None and options["date_format"] is not None:
        raise OptionError(
            "--date-format (date_format=) needs the column of dates: pass --time COLUMN (time=)"
        )
    if source is None and isinstance(time, str):
        raise OptionError(f"time={time!r} names a column, but there is no data to find it in")
    bookmaker = options["bookmaker"]
    assert bookmaker is None or isinstance(bookmaker, Bookmaker)
    weight_kind = _kind_of_weights(source, options)
    terms = ForecastTerms(
        labels=options["labels"],
        positive=options["positive"],
        normalise=options["normalise"],
        clip=options["clip"],
        ordinal=options["ordinal"],
        bookmaker=bookmaker,
        commission=options["commission"] or 0.0,
        overround=options["remove_overround"],
        date_format=options["date_format"],
        ordered=options["ordered"] or time is not None or options["round"] is not None,
        predictions_made=options["predictions_made"] or "before",
        fraction=1.0 if options["fraction"] is None else options["fraction"],
        first=int(options["rows_before"] or 0),
        drops_missing=options["missing"] == "drop",
        weight_kind=weight_kind,
    )
    tally = read_forecasts(source, options, terms)
    if source is None:
        columns = {} if time is None else {"time": "an array"}
    else:
        roles = ("time", "round", "truth", "probabilities", "against", "odds", "lay", "closing_odds")
        columns = {
            role: ", ".join(columns_of(column, role))
            for role, column in select_options(options, (*roles, "cluster", "weight")).items()
            if column is not None
        }
    name = "arrays" if source is None else source.name
    return Counted(tally, name, columns, None if is_final else tally.cases)
