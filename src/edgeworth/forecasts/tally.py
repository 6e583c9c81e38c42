"""All that is counted of probability forecasts and of bets with them: one tally for the whole report.

Paths in time are merged here, too: which follows which, and which positions are missing between them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import astuple, dataclass, replace
from typing import ClassVar, Self, TypeVar, Unpack, get_args

import numpy as np

from edgeworth.bet.bookmakers import Bookmaker, Drunken, Market
from edgeworth.bet.flat import SMALLEST_PRICE, best_bets
from edgeworth.common.arrays import Floats, freeze
from edgeworth.common.json_types import JsonObject
from edgeworth.core.joint_counts import Numbers
from edgeworth.core.kinds import TallyPart
from edgeworth.core.labels import find_label, label_facts, list_labels
from edgeworth.core.serialization import (
    COUNTS,
    FLOAT,
    FLOATS,
    LABELS,
    NUMBERS,
    TEXT,
    Serializable,
    object_of,
    one_of,
    optional,
    reshape_array,
    tuple_of,
)
from edgeworth.decisions.table import ContingencyTable
from edgeworth.errors import MergeError, OptionError
from edgeworth.forecasts.betting.path import Blocks
from edgeworth.forecasts.betting.wealth import (
    CLASS_SHARES,
    RIVAL,
    Book,
    PathOptions,
    Wealth,
    bookmaker_forecasts,
    quote_cases,
)
from edgeworth.forecasts.calibration import (
    CELLS_PER_DOUBLING,
    MAX_DISTINCT_FORECASTS,
    ROUNDED,
    BoundedReliability,
)
from edgeworth.forecasts.class_columns import LabelSource
from edgeworth.forecasts.forecasts import RESCALED, Forecasts, argmax_table, cumulative_games
from edgeworth.forecasts.policy import MAX_GAPS_LISTED, MIN_EXPECTED_CLASS_CHANGES
from edgeworth.forecasts.scores import ForecastScores
from edgeworth.rankings.ranking import Ranking
from edgeworth.rankings.scores.sorted_scores import SortedScores
from edgeworth.report.wording import MIN_CASES_TO_SUSPECT, describe_constant
from edgeworth.sources.columns import Label

MODEL = "model"
AGAINST = "against"
"""The two systems of a report: the model, and what it bets against."""

CELLS = 40
"""Cells from 0 to 1 on either side; the last holds 1 as well."""


@dataclass(frozen=True, eq=False)
class ForecastPairs(Serializable):
    """Pairs of probabilities that two forecasters gave the second of two classes.

    In ``counts[i, j]`` cases the first was in cell i and the other in cell j; in ``hits[i, j]`` of them the
    class came true.
    """

    kind: ClassVar = "forecast_pairs"
    FIELDS: ClassVar = {"labels": LABELS, "counts": COUNTS, "hits": COUNTS}

    labels: tuple[Label, ...]
    counts: Numbers
    hits: Numbers

    def __post_init__(self) -> None:
        freeze(self.counts, self.hits)

    @classmethod
    def empty(cls) -> Self:
        """No cases."""
        return cls((), np.zeros((CELLS, CELLS), np.int64), np.zeros((CELLS, CELLS), np.int64))

    @classmethod
    def from_forecasts(cls, forecasts: Forecasts, rival: Forecasts) -> Self:
        """Count pairs of checked forecasts.

        >>> one = Forecasts.of([1, 0], np.array([[0.2, 0.8], [0.9, 0.1]]))
        >>> found = ForecastPairs.from_forecasts(one, one)
        >>> found.counts[32, 32], found.hits[32, 32], found.counts[4, 4], found.hits[4, 4]
        (np.int64(1), np.int64(1), np.int64(1), np.int64(0))
        """
        model_cells, rival_cells = (
            np.minimum((system.probabilities[:, 1] * CELLS).astype(np.int64), CELLS - 1)
            for system in (forecasts, rival)
        )
        cells = model_cells * CELLS + rival_cells
        counts, hits = (
            np.bincount(selected, minlength=CELLS**2).reshape(CELLS, CELLS)
            for selected in (cells, cells[forecasts.codes == 1])
        )
        return cls(forecasts.labels, counts, hits)

    def __add__(self, other: Self) -> Self:
        """All cases of both."""
        if not isinstance(other, ForecastPairs):
            return NotImplemented
        if not self.labels or not other.labels:
            return self if self.labels else other
        return replace(self, counts=self.counts + other.counts, hits=self.hits + other.hits)

    rule: ClassVar = "a grid of 40 by 40 has two classes, and no more hits than cases"

    def _fits_together(self) -> bool:
        """Check the rule."""
        return (
            self.counts.shape == self.hits.shape == (CELLS, CELLS)
            and bool(np.all(self.hits <= self.counts))
            and len(set(self.labels)) == len(self.labels)
            and len(self.labels) in (0, 2)
        )


FAIRLY = {"backing": ", divided by their sum,", "exchange": ", inside the spread,"}
"""At which prices the cumulative games are played, where a book has more than one."""

SORTED = (
    "The rows are sorted by outcome, or nearly, which is no order in time: no path of wealth, maximum or "
    "drawdown means anything in it. Say ordered only of rows in the order in which outcomes were known."
)
NOT_ORDINAL = "ordinal has no meaning with two classes: the one game says it all"


@dataclass(frozen=True)
class Opponent:
    """Whom the model bets against on some cases: someone's forecasts at fair prices, or a bookmaker."""

    forecasts: Forecasts | None = None
    bookmaker: Bookmaker | None = None
    against: str = RIVAL
    book: Book = "fair"
    shares: tuple[float, ...] | None = None
    """Class shares, where these are what it bets against."""

    @classmethod
    def class_shares(cls, forecasts: Forecasts, shares: tuple[float, ...]) -> Self:
        """Without a rival, shares of the classes that are the same in every case."""
        rows = np.broadcast_to(np.array(shares), forecasts.probabilities.shape)
        constant = replace(forecasts, probabilities=rows)
        return cls(constant, against=CLASS_SHARES, book="constant", shares=shares)


@dataclass(frozen=True, eq=False)
class ForecastTally(Serializable):
    """Wealth, scores, decisions, calibration and pairs of forecasts, of the same cases.

    ``decisions`` are the tables of the likeliest class against the truth, of the model and of its opponent;
    ``curves`` the calibration of each class (of two, the second); ``cumulative`` the wealth in each game "at
    most this class" of ordered classes. Shards add where they agree on classes, terms and opponent.
    """

    kind: ClassVar = "forecasts"
    FIELDS: ClassVar = {
        "label_source": one_of(*get_args(LabelSource)),
        "shares": optional(tuple_of(FLOAT)),
        "drawn": optional(tuple_of(FLOAT)),
        "notes": tuple_of(TEXT),
        "wealth": object_of(Wealth),
        "scores": object_of(ForecastScores),
        "decisions": NUMBERS,
        "curves": tuple_of(object_of(BoundedReliability)),
        "pairs": object_of(ForecastPairs),
        "cumulative_games": tuple_of(object_of(Wealth)).of("cumulative"),
        "flat": replace(optional(FLOATS), default=None, is_brief=True),
        "crowd": replace(tuple_of(object_of(Wealth)), default=(), is_brief=True),
    }
    needs_positions: ClassVar[bool] = True
    """A path has an order: a case must know where it stands in the whole."""

    wealth: Wealth
    scores: ForecastScores
    decisions: Numbers
    curves: tuple[BoundedReliability, ...]
    pairs: ForecastPairs
    cumulative: tuple[Wealth, ...] = ()
    label_source: LabelSource = "places"
    shares: tuple[float, ...] | None = None
    drawn: tuple[float, float] | None = None
    """Between which ends a drunken bookmaker drew its prices."""
    notes: tuple[str, ...] = ()
    """What the reader must know about how the cases were read."""
    flat: Floats | None = None
    """At quoted odds: how many unit stakes were worth it, the sums of their net returns and of their odds."""
    crowd: tuple[Wealth, ...] = ()
    """The wealth against more drunken bookmakers of the kind."""

    @classmethod
    def empty(cls) -> Self:
        """No cases."""
        nothing = np.zeros((2, 0, 0), dtype=np.int64)
        return cls(Wealth.empty(), ForecastScores.empty(), nothing, (), ForecastPairs.empty())

    @classmethod
    def of(
        cls,
        forecasts: Forecasts,
        opponent: Opponent,
        *,
        ordinal: bool = False,
        notes: tuple[str, ...] = (),
        **betting: Unpack[PathOptions],
    ) -> Self:
        """Let the model bet and score both. ``betting`` says how, as ``Wealth.from_forecasts`` does.

        >>> model = Forecasts.of([1, 0, 1], [0.6, 0.3, 0.8])
        >>> found = ForecastTally.of(model, Opponent.class_shares(model, (0.5, 0.5)))
        >>> round(found.wealth.wealth, 6), found.cases
        (2.688, 3)
        """
        bookmaker, rival = opponent.bookmaker, opponent.forecasts
        if ordinal and forecasts.size == 2:
            raise OptionError(NOT_ORDINAL)
        drawn, crowd = None, tuple[Wealth, ...]()
        if isinstance(bookmaker, Drunken):
            drawn = (bookmaker.low, bookmaker.high)
            others = (replace(bookmaker, number=number) for number in range(1, bookmaker.bookmakers))
            crowd = tuple(Wealth.from_bookmaker(forecasts, other, **betting) for other in others)
        if bookmaker is not None:
            wealth = Wealth.from_bookmaker(forecasts, bookmaker, **betting)
            rival = bookmaker_forecasts(forecasts, bookmaker, first=betting.get("first", 0))
        else:
            assert rival is not None
            betting["against"] = opponent.against
            betting["book"] = opponent.book
            wealth = Wealth.from_forecasts(forecasts, rival, **betting)
        flat = None
        if wealth.against.startswith(Market.description):
            odds = 1 / np.maximum(rival.probabilities, SMALLEST_PRICE)
            if bookmaker is not None:
                odds = quote_cases(bookmaker, forecasts, betting.get("first", 0)).back
            flat = np.array(astuple(best_bets(forecasts.probabilities, odds, forecasts.codes)), float)
        cumulative: tuple[Wealth, ...] = ()
        if ordinal:
            betting["against"] = wealth.against + FAIRLY.get(wealth.book, "")
            model_games, rival_games = cumulative_games(forecasts), cumulative_games(rival)
            cumulative = tuple(
                Wealth.from_forecasts(model_games[label], rival_games[label], **betting)
                for label in model_games
            )
        systems = {MODEL: forecasts, AGAINST: rival}
        scores = ForecastScores.from_forecasts(systems)
        decisions = np.stack([argmax_table(other) for other in systems.values()])
        pairs = ForecastPairs.empty()
        if forecasts.size == 2:
            pairs = ForecastPairs.from_forecasts(forecasts, rival)
        if forecasts.are_rescaled or (rival is not None and rival.are_rescaled):
            notes = (*notes, RESCALED)
        notes = (*notes, *describe_sorting(forecasts))
        # Last, since the calibration is the largest of all.
        curves = tuple(
            BoundedReliability.of(forecasts.probabilities[:, index], forecasts.codes == index)
            for index in _places(forecasts.size)
        )
        parts = (wealth, scores, decisions, curves, pairs, cumulative)
        return cls(*parts, forecasts.label_source, opponent.shares, drawn, notes, flat, crowd)

    # -- what it holds ---------------------------------------------------------------------------------

    @property
    def labels(self) -> tuple[Label, ...]:
        """The classes, in the order of their columns."""
        return self.scores.labels

    @property
    def cases(self) -> int:
        """How many cases there are."""
        return self.scores.cases

    @property
    def against(self) -> str:
        """Whom the model bet against, as in a sentence."""
        return self.wealth.against

    @property
    def tables(self) -> dict[str, ContingencyTable]:
        """The likeliest class of each case against the truth, by model and by opponent."""
        return {
            name: ContingencyTable.from_matrix(counts, rows="predicted", labels=self.labels)
            for name, counts in zip(self.scores.systems, self.decisions, strict=True)
        }

    @property
    def reliability(self) -> dict[Label, BoundedReliability]:
        """What happened at each forecast value, class by class; of two classes the second says it all."""
        indices = _places(len(self.labels))
        return {self.labels[index]: curve for index, curve in zip(indices, self.curves, strict=True)}

    def ranking(self, positive: Label | None = None) -> Ranking | None:
        """The probabilities of the positive class, or of the second of two, as scores."""
        if positive is None and len(self.labels) != 2:
            return None
        index = 1 if positive is None else find_label(positive, self.labels)
        # Of two classes only the second is counted.
        is_other = len(self.labels) == 2 and index == 0
        curve = self.reliability[self.labels[1 if is_other else index]]
        counts = [curve.hits, curve.cases - curve.hits][:: -1 if is_other else 1]
        targets, others = (SortedScores.of(1 - curve.values if is_other else curve.values, x) for x in counts)
        rest = self.labels[1 - index] if len(self.labels) == 2 else f"not {self.labels[index]}"
        return Ranking(targets, others, labels=(rest, self.labels[index]))

    @property
    def cumulative_games(self) -> dict[Label, Wealth]:
        """The games of ordered classes, by the class that the outcome is at most."""
        return dict(zip(self.labels[:-1], self.cumulative, strict=True)) if self.cumulative else {}

    @property
    def expected_log_wealth(self) -> float | None:
        """The mean log wealth over all prices that a drunkard draws; None where it is not known."""
        if self.drawn is None or (len(self.labels) > 2 and self.drawn != (0, 1)):
            return None
        likelihood = -float(self.scores.sums[self.scores.names.index("log"), 0])
        drunken = Drunken(*self.drawn)
        if len(self.labels) > 2:
            return likelihood + drunken.expected_of_races(self.cases, len(self.labels))
        return likelihood + drunken.expected_of_games(int(self.scores.classes[1]), self.cases)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What the reader must know: how cases were read, and where forecasts are equal or were rounded."""
        warnings = list(self.notes)
        if self.cases >= MIN_CASES_TO_SUSPECT and all(len(curve.values) == 1 for curve in self.curves):
            warnings.append(describe_constant("The probability", "the same"))
        rounded = tuple(label for label, curve in self.reliability.items() if curve.is_rounded)
        if rounded:
            warnings.append(
                ROUNDED.format(
                    most=MAX_DISTINCT_FORECASTS, classes=list_labels(rounded), cells=CELLS_PER_DOUBLING
                )
            )
        return tuple(warnings)

    def shift(self, cases: int) -> Self:
        """The same so many cases later, as when a day is added to the past."""
        return replace(
            self,
            wealth=self.wealth.shift(cases),
            cumulative=tuple(wealth.shift(cases) for wealth in self.cumulative),
            crowd=tuple(wealth.shift(cases) for wealth in self.crowd),
        )

    def __add__(self, other: Self) -> Self:
        """All cases of both, in order of their positions."""
        if not isinstance(other, ForecastTally):
            return NotImplemented
        if not self.labels or not other.labels:
            return self if self.labels else other
        self._check_addable(other)
        return type(self)(
            self.wealth + other.wealth,
            self.scores + other.scores,
            self.decisions + other.decisions,
            tuple(own + others for own, others in zip(self.curves, other.curves, strict=True)),
            self.pairs + other.pairs,
            tuple(own + others for own, others in zip(self.cumulative, other.cumulative, strict=True)),
            self.label_source if self.label_source == other.label_source else "labels",
            self.shares,
            self.drawn,
            tuple(dict.fromkeys(self.notes + other.notes)),
            None if self.flat is None or other.flat is None else self.flat + other.flat,
            tuple(own + others for own, others in zip(self.crowd, other.crowd, strict=True)),
        )

    def _check_addable(self, other: Self) -> None:
        if self.labels != other.labels:
            raise MergeError(
                f"forecasts of {list_labels(self.labels)} do not add to those of "
                f"{list_labels(other.labels)}: say the "
                "classes (labels=, --labels) where a part of the cases does not have all of them"
            )
        if self.shares != other.shares:
            raise MergeError(
                "without a rival the model bets against the class shares of all cases, and these parts took "
                "their own: give a rival (against=, --against), odds or a bookmaker, or count all of them at "
                "once"
            )
        own_terms, other_terms = (
            (len(tally.cumulative), tally.drawn, len(tally.crowd)) for tally in (self, other)
        )
        if own_terms != other_terms:
            raise MergeError("two parts differ in their terms: ordinal, or a drunkard's prices and number")

    @classmethod
    def _of_fields(cls, fields: JsonObject) -> Self:
        size = len(fields["scores"].labels)
        return cls(**fields | {"decisions": reshape_array(fields["decisions"], 2, size, size)})

    def _fits_together(self) -> bool:
        """Whether the parts can be of the same cases."""
        size, cases = len(self.labels), self.cases
        if self.drawn is not None:
            low, high = self.drawn
            Drunken(low, high)
        if not size:
            some = self.curves or self.cumulative or self.crowd
            return not (some or self.wealth.labels or self.pairs.labels)
        counted = [int(curve.cases.sum()) for curve in self.curves]
        cumulative_fit = len(self.cumulative) in (0, size - 1) and all(
            wealth.cases == cases for wealth in (*self.cumulative, *self.crowd)
        )
        return (
            self.wealth.labels == self.labels
            and self.wealth.cases == cases
            and self.scores.systems == (MODEL, AGAINST)
            and np.allclose(self.decisions.sum(axis=1), self.scores.classes, rtol=1e-9)
            and counted == [cases] * len(_places(size))
            and cumulative_fit
            and self.pairs.labels == (self.labels if size == 2 else ())
            and self.pairs.counts.sum() == (cases if size == 2 else 0)
            and (self.flat is None or len(self.flat) == 3)
            and (self.shares is None or len(self.shares) == size)
            and (self.shares is None) == (self.wealth.book != "constant")
        )

    def __repr__(self) -> str:
        return f"<ForecastTally: {self.cases:,} cases, against {self.against}>"

    def facts(self) -> JsonObject:
        """Say in a few lines what was counted."""
        return self.wealth.facts() | label_facts(self.labels)


def describe_sorting(forecasts: Forecasts) -> tuple[str, ...]:
    """Warn of rows that stand sorted by outcome: the class changes far less often than by chance.

    >>> len(describe_sorting(Forecasts.of([0] * 60 + [1] * 60, [0.5] * 120)))
    1
    """
    number = len(forecasts)
    shares = np.bincount(forecasts.codes, minlength=forecasts.size) / max(number, 1)
    expected = (number - 1) * (1 - float((shares**2).sum()))
    changes = np.count_nonzero(np.diff(forecasts.codes))
    is_sorted = expected >= MIN_EXPECTED_CLASS_CHANGES and changes < expected / 10
    return (SORTED,) if is_sorted else ()


def _places(size: int) -> range:
    """The classes whose calibration is counted."""
    return range(1, 2) if size == 2 else range(size)


MISSING = "Rows are missing on the path in time: position"
"""How the sentence about gaps begins; each merged tally says it anew, for gaps may have been filled."""

PathT = TypeVar("PathT", "ForecastTally", "Wealth")


def chain_paths(parts: Sequence[TallyPart[PathT]]) -> tuple[list[PathT], bool]:
    """Place each path after the end of all before it, unless its start row is known; and whether one is.

    They are what ``ew.tally`` made. A path that does not begin at 0 was put there.
    """
    tallies: list[PathT] = []
    ended, is_any_known = 0, False
    for part in parts:
        tally = part.tally
        blocks = _path_blocks(tally)
        start, end = (0, 0) if blocks is None else (int(blocks.starts[0]), int(blocks.ends[-1]))
        is_known = part.has_start_row or start > 0
        if end and ended and not is_known:
            if isinstance(tally, ForecastTally) and tally.drawn is not None:
                raise MergeError(
                    "the prices of a drunken bookmaker depend on the place of a row: count "
                    f"{part.name} with the rows before it, {ended:,} (--rows-before, rows_before=)"
                )
            tally, end = tally.shift(ended), ended + end
        ended, is_any_known = max(ended, end), is_any_known or is_known
        tallies.append(tally)
    return tallies, is_any_known


def note_gaps(notices: Iterable[str], tally: ForecastTally | Wealth) -> tuple[str, ...]:
    """Keep each notice once, and add a sentence about the gaps of the path if it has some."""
    kept = dict.fromkeys(notice for notice in notices if not notice.startswith(MISSING))
    gaps = describe_gaps(tally)
    return tuple(kept) if gaps is None else (*kept, gaps)


def describe_gaps(tally: ForecastTally | Wealth) -> str | None:
    """Describe the gaps of a path, positions counted from 1; None where it has none.

    >>> first, second = (Wealth.from_probabilities([1, 0], [0.6, 0.4], against=[0.5, 0.5]) for _ in range(2))
    >>> describe_gaps(first + second.shift(5))
    'Rows are missing on the path in time: positions 3 to 5.'
    """
    blocks = _path_blocks(tally)
    if blocks is None:
        return None
    gaps = [
        (int(end) + 1, int(start))
        for end, start in zip(blocks.ends[:-1], blocks.starts[1:], strict=True)
        if start > end
    ]
    if not gaps:
        return None
    shown = [
        f"{first:,}" if first == last else f"{first:,} to {last:,}" for first, last in gaps[:MAX_GAPS_LISTED]
    ]
    more = len(gaps) - MAX_GAPS_LISTED
    shown += [f"{more:,} more such gap{'s' if more > 1 else ''}"] if more > 0 else []
    plural = "s" if len(gaps) > 1 or gaps[0][0] != gaps[0][1] else ""
    listed = shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"
    return f"{MISSING}{plural} {listed}."


def _path_blocks(tally: ForecastTally | Wealth) -> Blocks | None:
    wealth = tally.wealth if isinstance(tally, ForecastTally) else tally
    return wealth.blocks if wealth.blocks.number else None
