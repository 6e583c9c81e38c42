"""Kinds: what Edgeworth does with each type of tally, one class per type with one method per stage."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, TypeAlias, TypeVar

from edgeworth.core.tallies import Tally
from edgeworth.errors import OptionError

if TYPE_CHECKING:
    from edgeworth.common.json_types import JsonObject, Terms
    from edgeworth.comparisons.findings import ComparisonFindings
    from edgeworth.core.estimates import Estimate, Method
    from edgeworth.core.measures import Measure
    from edgeworth.core.options import Options
    from edgeworth.core.row_reading import Counted
    from edgeworth.core.slice_gaps import Gap, Units
    from edgeworth.report.report import About, Report
    from edgeworth.sources.batches import Source
    from edgeworth.sources.columns import Label

TallyT = TypeVar("TallyT", bound=Tally)
PartT = TypeVar("PartT", covariant=True)


class TallyPart(Protocol[PartT]):
    """A part of the data that was tallied, and whether the place of its first row is known."""

    @property
    def name(self) -> str: ...
    @property
    def tally(self) -> PartT: ...
    @property
    def has_start_row(self) -> bool: ...


class ReportInput(Protocol[PartT]):
    """A tally that is ready for a report, and the options that it was counted with."""

    @property
    def final(self) -> PartT: ...
    @property
    def terms(self) -> Terms: ...


class Kind(Generic[TallyT]):
    """The stages of one type of tally, in the order of the data.

    A subclass overrides the stages that it supports; every other stage raises an ``OptionError``. Methods
    import what they need inside their body, so that a kind is cheap to load and an editor still finds
    every function.
    """

    name: ClassVar[str]
    """What files call such a tally."""
    title: ClassVar[str]
    """What a sentence calls such a tally."""
    other_names: ClassVar[tuple[str, ...]] = ()
    """Other names that files have for it."""
    predictions: ClassVar[str] = ""
    """What a column of such predictions holds, if rows are read into this kind: labels, scores, …"""
    predictions_of_systems: ClassVar[str] = ""
    """What predictions of several systems are called by options, if not ``predictions``."""
    systems_title: ClassVar[str] = ""
    """What a sentence calls one tally per system, if not ``title``."""
    unit: ClassVar[str] = "case"
    """What a sentence calls one of what is counted."""
    roles: ClassVar[tuple[str, ...]] = ()
    """Columns that must be given."""
    options: ClassVar[tuple[str, ...]] = ()
    """Options that a kind of your own takes, beyond its roles and those that all kinds take."""
    predicts_classes: ClassVar[bool] = False
    """Whether a prediction is the name of a class, and not a number."""
    ranks_folds: ClassVar[bool] = False
    """Whether each fold of cross-validation is a ranked list of its own; otherwise folds are slices."""
    joins_repeats: ClassVar[bool] = False
    """Whether rows with the same id in joined tables are repeats of one item; otherwise that is an error."""
    has_truth: ClassVar[bool] = True
    """Whether the rows of several systems have a column of actual classes."""
    terms: ClassVar[tuple[str, ...]] = ()
    """Options that must agree between tallies that are merged."""
    redeclared: ClassVar[tuple[str, ...]] = ()
    """Options that may be given again for a report, because they act in ``finalise`` and not before."""
    usual: ClassVar[tuple[str, ...]] = ()
    """The usual measures; the first defined one leads. ``recall[]`` means the recall of each label."""
    difference_options: ClassVar[tuple[str, ...]] = ()
    """Options of a comparison that this kind takes, beyond those that all kinds take."""
    holds_systems: ClassVar[bool] = False
    """Whether one tally holds several systems; otherwise a comparison takes one tally per system."""
    has_different_cases: ClassVar[bool] = False
    """Whether one tally per system means different cases; otherwise items or queries pair them."""
    measures_within_slices: ClassVar[bool] = False
    """Whether the rest of a slice is the mean over the other slices, each measured by itself.

    A ranking of several slices together would also measure how well the scores separate the slices."""
    draws_orders: ClassVar[bool] = False
    """Whether the test against chance draws random orders, which takes seconds per measure."""

    # -- from rows to a tally ---------------------------------------------------------------------------

    def check(self, options: Options) -> None:
        """Refuse options that do not go together."""

    def read(self, source: Source | None, options: Options, *, is_final: bool) -> Counted[Tally]:
        """Fold rows into a tally. A tally that is not final can be merged with others."""
        raise self._lacks("reader", source, options, is_final)

    def finalise(self, tally: TallyT, terms: Terms, *, is_text: bool) -> Tally:
        """Decide what needs all rows: whether text labels are numbers, the target, the declared labels."""
        del terms, is_text
        return tally

    def from_dict(self, payload: JsonObject) -> TallyT:
        """Make the tally that ``to_dict`` described, and check it."""
        raise self._lacks("file format", payload)

    def chain(self, parts: Sequence[TallyPart[TallyT]]) -> tuple[list[TallyT], bool]:
        """Put parts that follow each other in time one after the other, before they are added.

        Also return whether the start row of any part is known.
        """
        return [part.tally for part in parts], any(part.has_start_row for part in parts)

    def merge_notices(self, notices: Iterable[str], tally: TallyT) -> tuple[str, ...]:
        """Keep what readers should know of the parts of a merged tally, and add what the whole shows."""
        del tally
        return tuple(dict.fromkeys(notices))

    def describe_gaps(self, tally: TallyT) -> str | None:
        """Describe the rows that are missing on a path in time; None for tallies without such a path."""
        del tally
        return None

    # -- from a tally to numbers ------------------------------------------------------------------------

    def measures(self) -> tuple[Measure, ...]:
        """List the catalogue of measures."""
        return ()

    def measure(self, tally: TallyT, spelling: str | Measure) -> float:
        """Compute one measure."""
        raise self._lacks("measure", tally, spelling)

    def estimate(
        self,
        tally: TallyT,
        measure: str | Measure,
        *,
        method: Method | None = None,
        seed: int = 0,
        guess_rate: float | None = None,
    ) -> Estimate:
        """Estimate one measure, with the sampling distribution behind its interval and test.

        ``guess_rate`` is the chance level of right-or-wrong grades; other kinds know theirs.
        """
        raise self._lacks("estimate", tally, measure, method, seed, guess_rate)

    def items(self, tally: TallyT, measure: str) -> Mapping[Label, float]:
        """Compute a measure for each item or query."""
        raise self._lacks("value per item", tally, measure)

    def wrong_cases(self, tally: TallyT) -> tuple[float, float] | None:
        """Count the cases, and those that are wrong; None if predictions are not right or wrong."""
        del tally
        return None

    def unit_names(self, tally: TallyT) -> Sequence[Hashable] | None:
        """List the items or queries by which two systems are paired; None if they have no names."""
        del tally
        return None

    def unseen_shifts(self, tally: TallyT, measure: str) -> tuple[float, float]:
        """Compute how far a few unseen units at the worst end could lower and raise a measure."""
        del tally, measure
        return 0.0, 0.0

    # -- from a tally to a report -----------------------------------------------------------------------

    def report(self, tallied: ReportInput[TallyT], options: Options, about: About) -> Report:
        """Report on a tally."""
        raise self._lacks("report", tallied, options, about)

    def slice_options(self, whole: TallyT, options: Options) -> Options:
        """Fix for the slices what the whole decided by its labels, which a slice may lack."""
        del whole
        return options

    def slice_measures(self, whole: TallyT) -> tuple[str, ...]:
        """List the measures by which slices are compared: none that moves with the shares of the classes."""
        del whole
        names = [name for name in self.usual if "[]" not in name]
        return tuple(names or [measure.name for measure in self.measures()])[:1]

    def slice_part(self, tally: TallyT, measure: str) -> tuple[Tally, str]:
        """Return the part of a tally that a measure is computed from, which adds up, and its spelling."""
        return tally, measure

    def independent_units(self, tally: TallyT) -> Units:
        """Count independent cases, or the clusters that they are in."""
        from edgeworth.core.slice_gaps import Units

        return Units(float(getattr(tally, "cases", 0.0)))

    def weight_in_rest(self, tally: TallyT) -> float:
        """Compute the weight of a slice in the mean over several, for a kind that measures within slices."""
        return self.independent_units(tally).number

    def cluster_effects(self, tally: TallyT, measure: str) -> Mapping[Hashable, float]:
        """Sum what the cases of each cluster add to a measure, for a kind that measures within slices."""
        del tally, measure
        return {}

    def base_rates(self, tally: TallyT) -> Mapping[str, float]:
        """Compute the share of each class; empty for a kind without classes."""
        del tally
        return {}

    def moves_with_prevalence(self, tally: TallyT, measure: str) -> bool:
        """Return whether a measure changes with the shares of the classes."""
        del tally, measure
        return False

    def gap_caveat(self, part: TallyT) -> str | None:
        """Explain why too little is known about a part to claim a gap, beyond its size, or return None."""
        del part
        return None

    def gap(self, part: TallyT, rest: TallyT, measure: str, *, seed: int = 0) -> Gap:
        """Compare a measure of a part of the cases with that of the rest."""
        from edgeworth.core.slice_gaps import gap_between

        return gap_between(self.estimate(part, measure, seed=seed), self.estimate(rest, measure, seed=seed))

    def report_folds(self, report: Report, folds: Sequence[TallyT]) -> Report:
        """Add what holds within folds only, given the tally of each fold."""
        del folds
        return report

    # -- several systems --------------------------------------------------------------------------------

    def read_systems(
        self, source: Source | None, truth: object, systems: Mapping[str, object], options: Options
    ) -> SystemTallies:
        """Read what several systems predicted for the same cases."""
        raise self._lacks("reader of several systems", source, truth, systems, options)

    def compare(  # type: ignore[explicit-any]  # forecasts are compared themselves, not their tallies
        self,
        systems: TallyT | Mapping[str, Any],
        options: Options,
        *,
        clusters: object = None,
    ) -> ComparisonFindings:
        """Compare systems pair by pair. ``clusters`` names the cluster of each case, if rows have one."""
        raise self._lacks("comparison", systems, options, clusters)

    # -- which stages there are -------------------------------------------------------------------------

    @property
    def is_readable(self) -> bool:
        """Whether rows can be read into this kind."""
        return type(self).read is not Kind.read

    @property
    def is_finalised(self) -> bool:
        """Whether something is decided after the last row."""
        return type(self).finalise is not Kind.finalise

    @property
    def is_comparable(self) -> bool:
        """Whether systems can be compared by tallies of this kind."""
        return type(self).compare is not Kind.compare

    @property
    def has_estimates(self) -> bool:
        """Whether measures of this kind can be estimated."""
        return type(self).estimate is not Kind.estimate

    def _lacks(self, stage: str, *_: object) -> OptionError:
        return OptionError(f"there is no {stage} for {self.title}")


AnyKind: TypeAlias = Kind[Any]  # type: ignore[explicit-any]  # "of this very tally" cannot be written
"""A kind that was looked up for a tally: it takes that tally, and what it returns is typed."""


@dataclass(frozen=True)
class SystemTallies:
    """Several systems as they were read: one tally of all of them, or one per system."""

    kind: AnyKind
    """What compares them."""
    tallies: object
    """One tally, or a mapping of names to what ``kind`` compares."""
    source: str
    clusters: object = None
    """The cluster of each case, for kinds whose tallies do not hold it."""
    dropped: int = 0
    """The rows left out for missing values, for kinds whose tallies do not hold it."""


def every_kind() -> Iterator[AnyKind]:
    """Yield every kind that the package defines. Each is imported only when the iteration reaches it."""
    from edgeworth.decisions.kind import TABLE

    yield TABLE
    from edgeworth.rankings.kind import LISTS, RANKING, SCORES_BY_CLASS

    yield from (SCORES_BY_CLASS, RANKING, LISTS)
    from edgeworth.forecasts.kind import CALIBRATION, FORECASTS, SCORES, WEALTH

    yield from (FORECASTS, SCORES, CALIBRATION, WEALTH)
    from edgeworth.grades.kind import GRADES

    yield GRADES
    from edgeworth.comparisons.kind import PAIRED, PAIRED_SCORES

    yield from (PAIRED, PAIRED_SCORES)


def find_kind(name: object) -> AnyKind | None:
    """Find the kind that has this name in files, or None."""
    return next((kind for kind in every_kind() if name == kind.name or name in kind.other_names), None)


def kind_if_tally(value: object) -> AnyKind | None:
    """Return the kind that the class of a tally has; None for anything else."""
    own = getattr(type(value), "kind", None)
    return own if isinstance(own, Kind) else None


def kind_of(tally: object) -> AnyKind:
    """Find the kind of a tally.

    >>> from edgeworth.decisions.table import ContingencyTable
    >>> kind_of(ContingencyTable.empty()).title
    'labels'
    """
    kind = kind_if_tally(tally)
    if kind is None:
        name = type(tally).__name__
        hint = ": pass its .final" if kind_if_tally(getattr(tally, "final", None)) is not None else ""
        raise OptionError(f"a tally is a table, a ranking, lists, wealth, …; saw {name}{hint}")
    return kind


def find_predictions(predictions: str) -> AnyKind:
    """Find the kind of tally that such predictions are read into."""
    return next(kind for kind in every_kind() if kind.predictions == predictions and kind.is_readable)
