"""All that is counted of probability forecasts and of bets with them: one tally for the whole report.

Paths in time are merged here, too: which follows which, and which positions are missing between them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import astuple, dataclass, replace
from typing import ClassVar, Self, TypeVar, Unpack, get_args

import numpy as np
from numpy.typing import NDArray

from edgeworth.bet.bookmakers import Bookmaker, Drunken, Market
from edgeworth.bet.flat import SMALLEST_PRICE, best_bets
from edgeworth.common.arrays import Floats, Numbers
from edgeworth.common.json_types import JsonObject
from edgeworth.core.kinds import TallyPart
from edgeworth.core.labels import find_label, label_facts, list_labels
from edgeworth.core.serialization import (
    AMOUNTS,
    COUNT,
    FLOAT,
    FLOATS,
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
from edgeworth.forecasts.betting.season import Season
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
from edgeworth.forecasts.clusters import ForecastClusters, add_clusters
from edgeworth.forecasts.forecasts import RESCALED, Forecasts, argmax_table, cumulative_games
from edgeworth.forecasts.kind import FORECASTS
from edgeworth.forecasts.pairs import ForecastPairs, ForecastPoints
from edgeworth.forecasts.policy import (
    MAX_CLASSES_FOR_VARIANCE_SEEN,
    MAX_GAPS_LISTED,
    MIN_EXPECTED_CLASS_CHANGES,
)
from edgeworth.forecasts.possible_differences import PossibleDifferences, add_possible
from edgeworth.forecasts.scores import ForecastScores
from edgeworth.rankings.ranking import Ranking
from edgeworth.rankings.scores.sorted_scores import SortedScores
from edgeworth.report.wording import MIN_CASES_TO_SUSPECT, describe_constant
from edgeworth.sources.columns import Coded, Label

MODEL = "model"
AGAINST = "against"
"""The two systems of a report: the model, and what it bets against."""

POSSIBLE_SCORES = ("brier", "log")
"""The scores whose differences a report shows."""

FAIRLY = {"backing": ", with the overround removed,", "exchange": ", inside the spread,"}
"""At which prices the cumulative games are played, where a book has more than one."""

SORTED = (
    "The rows are sorted by outcome, so no result that depends on their order has a meaning. Use --ordered "
    "only if the rows are in the order in which the outcomes became known."
)
VARIANCE_UNKNOWN = (
    "This tally was counted by an older version, so it is not known whether enough happened in the cases in "
    "which the forecasts differ most. Count the rows again before you call a forecaster better."
)
NOT_ORDINAL = "--ordinal (ordinal=) needs three or more classes; with two, leave it out"


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
        """Make the opponent of a model without a rival: the same class shares in every case."""
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

    kind: ClassVar = FORECASTS
    name_in_files: ClassVar = FORECASTS.name
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
        "clusters": replace(optional(object_of(ForecastClusters)), is_brief=True, default=None),
        "dropped": replace(optional(COUNT), is_brief=True, default=None).of("dropped_or_none"),
        "decision_squares": replace(optional(AMOUNTS), is_brief=True, default=None),
        "points": replace(optional(object_of(ForecastPoints)), is_brief=True, default=None),
        "possible": replace(optional(object_of(PossibleDifferences)), is_brief=True, default=None),
    }
    needs_positions: ClassVar[bool] = True
    """A path has an order, so each part must know the position of its first case in the whole."""

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
    clusters: ForecastClusters | None = None
    """The same cases by cluster, when rows come in clusters."""
    dropped: int = 0
    """The number of rows that were left out for a missing value."""
    decision_squares: Floats | None = None
    """With sampling weights: the sums of squared weights in the tables of decisions."""
    points: ForecastPoints | None = None
    """Probabilities of both forecasters case by case, while there are few; None against constant shares."""
    possible: PossibleDifferences | None = None
    """What outcomes could add to differences of Brier and log scores, opponent − model; None if there are
    many classes, or in files of development versions."""
    season: Season | None = None
    """At quoted odds with known rounds or closing odds: the bets. They need all rows at once, so sums of
    tallies and tally files have none."""
    dates: NDArray[np.datetime64] | None = None
    """The date of each case in time order, if ``time`` gives dates; sums of tallies and files have none."""

    @classmethod
    def empty(cls) -> Self:
        """Return the tally of no cases."""
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
        clusters: Coded | None = None,
        **betting: Unpack[PathOptions],
    ) -> Self:
        """Bet by the model and score both. ``betting`` holds options of ``Wealth.from_forecasts``.

        >>> model = Forecasts.of([1, 0, 1], [0.6, 0.3, 0.8])
        >>> result = ForecastTally.of(model, Opponent.class_shares(model, (0.5, 0.5)))
        >>> round(result.wealth.wealth, 6), result.cases
        (2.688, 3)
        """
        bookmaker, rival = opponent.bookmaker, opponent.forecasts
        if ordinal and forecasts.size == 2:
            raise OptionError(NOT_ORDINAL)
        drawn, crowd = None, tuple[Wealth, ...]()
        if isinstance(bookmaker, Drunken):
            drawn = (bookmaker.low, bookmaker.high)
            bookmakers = (replace(bookmaker, number=number) for number in range(1, bookmaker.bookmakers))
            crowd = tuple(Wealth.from_bookmaker(forecasts, other, **betting) for other in bookmakers)
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
        systems = {MODEL: forecasts, AGAINST: rival.weigh(forecasts.weights)}
        scores = ForecastScores.from_forecasts(systems)
        decisions = np.stack([argmax_table(system) for system in systems.values()])
        decision_squares, is_constant = None, opponent.book == "constant"
        if forecasts.weights is not None:
            squared = forecasts.weights**2
            squares = [argmax_table(system.weigh(squared)) for system in systems.values()]
            decision_squares = np.stack(squares).astype(np.float64, copy=False)
        pairs = ForecastPairs.empty()
        if forecasts.size == 2:
            pairs = ForecastPairs.from_forecasts(forecasts, rival)
        if forecasts.are_rescaled or (rival is not None and rival.are_rescaled):
            notes = (*notes, RESCALED)
        if opponent.book != "constant" or betting.get("ordered"):  # otherwise no result depends on the order
            notes = (*notes, *describe_sorting(forecasts))
        possible = None
        if forecasts.size <= MAX_CLASSES_FOR_VARIANCE_SEEN:
            possible = PossibleDifferences.of(systems[AGAINST], forecasts, POSSIBLE_SCORES)
        # Last, since the calibration is the largest of all.
        curves = tuple(
            BoundedReliability.of(
                forecasts.probabilities[:, index], forecasts.codes == index, weights=forecasts.weights
            )
            for index in _places(forecasts.size)
        )
        parts = (wealth, scores, decisions, curves, pairs, cumulative)
        by_cluster = None if clusters is None else ForecastClusters.of(clusters, systems)
        return cls(
            *parts,
            label_source=forecasts.label_source,
            shares=opponent.shares,
            drawn=drawn,
            notes=notes,
            flat=flat,
            crowd=crowd,
            clusters=by_cluster,
            decision_squares=decision_squares,
            points=None if is_constant else ForecastPoints.from_forecasts(forecasts, rival),
            possible=possible,
        )

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
    def dropped_or_none(self) -> int | None:
        """Return the number of dropped rows, or None if there are none, so that files leave it out."""
        return self.dropped or None

    @property
    def against(self) -> str:
        """Whom the model bet against, as in a sentence."""
        return self.wealth.against

    @property
    def tables(self) -> dict[str, ContingencyTable]:
        """The likeliest class of each case against the truth, by model and by opponent."""
        tables = {
            name: ContingencyTable.from_matrix(counts, rows="predicted", labels=self.labels)
            for name, counts in zip(self.scores.systems, self.decisions, strict=True)
        }
        if self.decision_squares is not None:
            abstained = np.zeros(len(self.labels))
            weighted = zip(self.scores.systems, self.decisions, self.decision_squares, strict=True)
            tables = {
                name: ContingencyTable(
                    self.labels, np.vstack([weights, abstained]) * 1.0, np.vstack([squares, abstained])
                )
                for name, weights, squares in weighted
            }
        if self.clusters is not None:
            tables[MODEL] = self.clusters.with_clusters(tables[MODEL])
        return tables

    @property
    def is_weighted(self) -> bool:
        """Return whether rows have sampling weights."""
        return self.scores.weighting is not None

    @property
    def reliability(self) -> dict[Label, BoundedReliability]:
        """The outcomes at each forecast value, by class; for two classes, of the second only."""
        indices = _places(len(self.labels))
        return {self.labels[index]: curve for index, curve in zip(indices, self.curves, strict=True)}

    def ranking(self, positive: Label | None = None) -> Ranking | None:
        """Rank the cases by the probability of the positive class, or of the second of two."""
        if positive is None and len(self.labels) != 2:
            return None
        index = 1 if positive is None else find_label(positive, self.labels)
        if self.clusters is not None and len(self.labels) == 2:
            return self.clusters.ranking(self.labels, index)
        # Of two classes only the second is counted.
        is_other = len(self.labels) == 2 and index == 0
        curve = self.reliability[self.labels[1 if is_other else index]]
        curve = curve.mirror() if is_other else curve
        moments = curve.moments
        targets, background = (
            _sorted_scores(curve.values, counts, None if moments is None else moments[row::2])
            for row, counts in enumerate((curve.hits, curve.cases - curve.hits))
        )
        negative = self.labels[1 - index] if len(self.labels) == 2 else f"not {self.labels[index]}"
        return Ranking(targets, background, labels=(negative, self.labels[index]))

    @property
    def cumulative_games(self) -> dict[Label, Wealth]:
        """The games of ordered classes, by the class that the outcome is at most."""
        return dict(zip(self.labels[:-1], self.cumulative, strict=True)) if self.cumulative else {}

    @property
    def expected_log_wealth(self) -> float | None:
        """The mean log wealth over all prices that a drunkard draws; None if it is not known."""
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
        if self.possible is None and 0 < len(self.labels) <= MAX_CLASSES_FOR_VARIANCE_SEEN:
            warnings.append(VARIANCE_UNKNOWN)
        rounded = tuple(label for label, curve in self.reliability.items() if curve.is_rounded)
        if rounded:
            warnings.append(
                ROUNDED.format(
                    most=MAX_DISTINCT_FORECASTS, classes=list_labels(rounded), cells=CELLS_PER_DOUBLING
                )
            )
        return tuple(warnings)

    def shift(self, cases: int) -> Self:
        """Shift the tally to later cases, as when a day is added to the past."""
        return replace(
            self,
            wealth=self.wealth.shift(cases),
            cumulative=tuple(wealth.shift(cases) for wealth in self.cumulative),
            crowd=tuple(wealth.shift(cases) for wealth in self.crowd),
        )

    def __add__(self, other: Self) -> Self:
        """Add the cases of both, in order of their positions."""
        if not isinstance(other, ForecastTally):
            return NotImplemented
        if not self.labels or not other.labels:
            nonempty = self if self.labels else other
            return replace(nonempty, dropped=self.dropped + other.dropped)
        self._check_addable(other)
        return type(self)(
            self.wealth + other.wealth,
            self.scores + other.scores,
            self.decisions + other.decisions,
            tuple(own + theirs for own, theirs in zip(self.curves, other.curves, strict=True)),
            self.pairs + other.pairs,
            tuple(own + theirs for own, theirs in zip(self.cumulative, other.cumulative, strict=True)),
            self.label_source if self.label_source == other.label_source else "labels",
            self.shares,
            self.drawn,
            tuple(dict.fromkeys(self.notes + other.notes)),
            None if self.flat is None or other.flat is None else self.flat + other.flat,
            tuple(own + theirs for own, theirs in zip(self.crowd, other.crowd, strict=True)),
            add_clusters(self.clusters, other.clusters),
            self.dropped + other.dropped,
            _add_squares(self.decision_squares, other.decision_squares),
            ForecastPoints.add(self.points, other.points),
            add_possible(self.possible, other.possible),
        )

    def _check_addable(self, other: Self) -> None:
        if self.labels != other.labels:
            raise MergeError(
                f"forecasts of {list_labels(self.labels)} cannot be added to those of "
                f"{list_labels(other.labels)}: pass all classes (labels=, --labels) if a part of the cases "
                "lacks some"
            )
        if self.shares != other.shares:
            raise MergeError(
                "without a rival the model is compared with the class shares of all cases, but each part "
                "used its own shares: pass a rival (against=, --against), odds or a bookmaker, or count "
                "all cases at once"
            )
        if (self.clusters is None) != (other.clusters is None):
            raise MergeError("one part of the forecasts has clusters, the other has none")
        own_terms, other_terms = (
            (len(tally.cumulative), tally.drawn, len(tally.crowd)) for tally in (self, other)
        )
        if own_terms != other_terms:
            raise MergeError(
                "two parts have different options: ordinal, or a drunken bookmaker's prices and number"
            )

    @classmethod
    def _of_fields(cls, fields: JsonObject) -> Self:
        size = len(fields["scores"].labels)
        fields["dropped"] = fields.pop("dropped_or_none") or 0
        shaped = {"decisions": reshape_array(fields["decisions"], 2, size, size)}
        if fields["decision_squares"] is not None:
            shaped["decision_squares"] = reshape_array(fields["decision_squares"], 2, size, size)
            shaped["decisions"] = shaped["decisions"].astype(np.float64)
        return cls(**fields | shaped)

    def _fits_together(self) -> bool:
        """Return whether the parts can belong to the same cases."""
        size, cases = len(self.labels), self.cases
        if self.drawn is not None:
            low, high = self.drawn
            Drunken(low, high)
        if not size:
            extras = self.curves or self.cumulative or self.crowd
            return not (extras or self.wealth.labels or self.pairs.labels)
        counted = [float(curve.cases.sum()) for curve in self.curves]
        weighted = [curve.squares is not None for curve in self.curves]
        weighted.append(self.decision_squares is not None)
        cumulative_fit = len(self.cumulative) in (0, size - 1) and all(
            wealth.cases == cases for wealth in (*self.cumulative, *self.crowd)
        )
        return (
            (self.possible is None or self.possible.names == POSSIBLE_SCORES)
            and self.wealth.labels == self.labels
            and self.wealth.cases == cases
            and self.scores.systems == (MODEL, AGAINST)
            and np.allclose(self.decisions.sum(axis=1), self.scores.classes, rtol=1e-9)
            and len(counted) == len(_places(size))
            and np.allclose(counted, self.scores.total, rtol=1e-9 if self.is_weighted else 0, atol=0)
            and set(weighted) == {self.is_weighted}
            and (self.points is None or len(self.points) == cases)
            and cumulative_fit
            and (self.clusters is None or self._clusters_fit(self.clusters))
            and self.pairs.labels == (self.labels if size == 2 else ())
            and self.pairs.counts.sum() == (cases if size == 2 else 0)
            and (self.flat is None or len(self.flat) == 3)
            and (self.shares is None or len(self.shares) == size)
            and (self.shares is None) == (self.wealth.book != "constant")
        )

    def _clusters_fit(self, clusters: ForecastClusters) -> bool:
        """Check that clusters hold the cases of the tally."""
        counted = clusters.classes.sum(axis=0)
        if not self.is_weighted:
            return np.array_equal(counted, self.scores.classes)
        return len(counted) == len(self.labels) and np.allclose(counted, self.scores.classes, rtol=1e-9)

    def __repr__(self) -> str:
        return f"<ForecastTally: {self.cases:,} cases, against {self.against}>"

    def facts(self) -> JsonObject:
        """Describe in a few lines what was counted."""
        return self.wealth.facts() | label_facts(self.labels)


def _add_squares(first: Floats | None, second: Floats | None) -> Floats | None:
    return None if first is None or second is None else first + second


def _sorted_scores(values: Floats, counts: Numbers, moments: Floats | None) -> SortedScores:
    """Sort forecasts with their numbers of cases, or with their sums of weights, Σw² and Σw⁴."""
    if moments is None:
        return SortedScores.of(values, counts)
    squares, fourths = moments
    has_weight = squares > 0
    return SortedScores(
        values[has_weight], counts[has_weight], squares[has_weight], fourths[has_weight]
    ).merge_equal()


def describe_sorting(forecasts: Forecasts) -> tuple[str, ...]:
    """Warn if the rows are sorted by outcome: the class changes far less often than by chance.

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
    """Return the indices of the classes whose calibration is counted."""
    return range(1, 2) if size == 2 else range(size)


MISSING = "Rows are missing on the path in time: position"
"""The beginning of the sentence about gaps; each merged tally writes a new one, as gaps may be filled."""

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
                    f"the prices of a drunken bookmaker depend on the position of a row: count {part.name} "
                    f"with --rows-before {ended} (rows_before=)"
                )
            tally, end = tally.shift(ended), ended + end
        ended, is_any_known = max(ended, end), is_any_known or is_known
        tallies.append(tally)
    return tallies, is_any_known


def note_gaps(notices: Iterable[str], tally: ForecastTally | Wealth) -> tuple[str, ...]:
    """Keep each notice once, and add a sentence about the gaps of the path if it has some."""
    other_notices = dict.fromkeys(notice for notice in notices if not notice.startswith(MISSING))
    gaps = describe_gaps(tally)
    return tuple(other_notices) if gaps is None else (*other_notices, gaps)


def describe_gaps(tally: ForecastTally | Wealth) -> str | None:
    """Describe the gaps of a path, positions counted from 1; None if it has none.

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
