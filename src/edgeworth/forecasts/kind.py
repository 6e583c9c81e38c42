"""The kinds of forecasts: everything a report needs of probabilities, and its parts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar

from edgeworth.core.kinds import Kind, TallyPart, kind_of
from edgeworth.errors import OptionError

if TYPE_CHECKING:
    from edgeworth.common.json_types import JsonObject
    from edgeworth.comparisons.findings import ComparisonFindings
    from edgeworth.core.estimates import Estimate, Method
    from edgeworth.core.kinds import ReportInput, SystemTallies
    from edgeworth.core.measures import Measure
    from edgeworth.core.options import Options
    from edgeworth.core.row_reading import Counted
    from edgeworth.core.slice_gaps import Gap, Units
    from edgeworth.core.tallies import Tally
    from edgeworth.forecasts.betting.wealth import Wealth
    from edgeworth.forecasts.calibration import Calibration
    from edgeworth.forecasts.forecasts import Forecasts
    from edgeworth.forecasts.measures import Forecast
    from edgeworth.forecasts.scores import ForecastScores
    from edgeworth.forecasts.tally import ForecastTally
    from edgeworth.report.report import About, Report
    from edgeworth.sources.batches import Source


class ForecastsKind(Kind["ForecastTally"]):
    """Probabilities of each class, with all that a report needs."""

    name = "forecasts"
    title = "probabilities"
    predictions = "probabilities"
    terms = (
        "labels",
        "positive",
        "normalise",
        "clip",
        "ordinal",
        "ordered",
        "fraction",
        "predictions_made",
        "bookmaker",
        "commission",
        "remove_overround",
    )
    usual = ("brier", "log", "ranked", "spherical", "accuracy")

    def check(self, options: Options) -> None:
        from edgeworth.forecasts.reading import check_forecasts

        check_forecasts(options)

    def read(self, source: Source | None, options: Options, *, is_final: bool) -> Counted[Tally]:
        from edgeworth.forecasts.reading import count_forecasts

        return count_forecasts(source, options, is_final=is_final)

    def chain(self, parts: Sequence[TallyPart[ForecastTally]]) -> tuple[list[ForecastTally], bool]:
        from edgeworth.forecasts.tally import chain_paths

        return chain_paths(parts)

    def merge_notices(self, notices: Iterable[str], tally: ForecastTally) -> tuple[str, ...]:
        from edgeworth.forecasts.tally import note_gaps

        return note_gaps(notices, tally)

    def describe_gaps(self, tally: ForecastTally) -> str | None:
        from edgeworth.forecasts.tally import describe_gaps

        return describe_gaps(tally)

    def from_dict(self, payload: JsonObject) -> ForecastTally:
        from edgeworth.forecasts.tally import ForecastTally

        return ForecastTally.from_dict(payload)

    def estimate(
        self,
        tally: ForecastTally,
        measure: str | Measure,
        *,
        method: Method | None = None,
        seed: int = 0,
        guess_rate: float | None = None,
    ) -> Estimate:
        from edgeworth.forecasts.parts import estimate_tally

        del guess_rate
        return estimate_tally(tally, measure, method=method, seed=seed)

    def report(self, tallied: ReportInput[ForecastTally], options: Options, about: About) -> Report:
        from edgeworth.forecasts.report import report_forecasts

        return report_forecasts(tallied, options, about)

    def slice_options(self, whole: ForecastTally, options: Options) -> Options:
        if options["labels"] is not None or options["positive"] is not None:
            return options
        return {**options, "labels": list(whole.labels)}

    def slice_measures(self, whole: ForecastTally) -> tuple[str, ...]:
        from edgeworth.forecasts.slice_gaps import default_gap_measures

        return default_gap_measures(whole)

    def slice_part(self, tally: ForecastTally, measure: str) -> tuple[Tally, str]:
        from edgeworth.forecasts.parts import part_of_tally

        part, written = part_of_tally(tally, measure)
        is_robust = tally.clusters is not None or tally.is_weighted
        if is_robust and kind_of(part).name == "wealth":
            rows = "weights" if tally.clusters is None else "clusters"
            raise OptionError(f"slices by {written} are not supported with {rows}: use roc_auc or brier")
        return part, str(written)

    def base_rates(self, tally: ForecastTally) -> Mapping[str, float]:
        from edgeworth.forecasts.slice_gaps import base_rates

        return base_rates(tally)

    def moves_with_prevalence(self, tally: ForecastTally, measure: str) -> bool:
        from edgeworth.decisions.table import ContingencyTable

        part, spelling = self.slice_part(tally, measure)
        if isinstance(part, ContingencyTable):
            # The likeliest label of a calibrated forecast moves with the shares, and so does its recall.
            return True
        return kind_of(part).moves_with_prevalence(part, spelling)

    def report_folds(self, report: Report, folds: Sequence[ForecastTally]) -> Report:
        from edgeworth.forecasts.report import with_areas_within

        return with_areas_within(report, folds)

    def read_systems(
        self, source: Source | None, truth: object, systems: Mapping[str, object], options: Options
    ) -> SystemTallies:
        from edgeworth.comparisons.reading import read_forecasts

        return read_forecasts(source, truth, systems, options)

    def compare(
        self, systems: ForecastTally | Mapping[str, Forecasts], options: Options, *, clusters: object = None
    ) -> ComparisonFindings:
        from edgeworth.comparisons.forecasts.differences import compare_forecasts

        assert isinstance(systems, Mapping)
        return compare_forecasts(
            systems,
            measures=options["measures"],
            level=options["level"],
            adjust=options["adjust"] or "holm",
            power=options["power"],
            seed=options["seed"],
            clusters=clusters,
            horizon=options["horizon"],
            ordered=options["ordered"],
            clip=options["clip"],
            predictions_made=options["predictions_made"] or "before",
        )


ForecastT = TypeVar("ForecastT", bound="Forecast")


class ForecastPartKind(Kind[ForecastT]):
    """One part of what is known of forecasts, which has the measures of all of them."""

    def measures(self) -> tuple[Measure, ...]:
        from edgeworth.forecasts.measures import MEASURES

        return MEASURES

    def measure(self, tally: ForecastT, spelling: str | Measure) -> float:
        from edgeworth.forecasts.measures import measure_forecasts

        return measure_forecasts(tally, spelling)

    def estimate(
        self,
        tally: ForecastT,
        measure: str | Measure,
        *,
        method: Method | None = None,
        seed: int = 0,
        guess_rate: float | None = None,
    ) -> Estimate:
        from edgeworth.forecasts.estimates import estimate_forecasts

        del guess_rate
        return estimate_forecasts(tally, measure, method=method, seed=seed)

    def independent_units(self, tally: ForecastT) -> Units:
        from edgeworth.forecasts.slice_gaps import independent_units

        return independent_units(tally)

    def moves_with_prevalence(self, tally: ForecastT, measure: str) -> bool:
        from edgeworth.forecasts.measures import resolve_forecast

        return resolve_forecast(tally, measure).measure.ignores_prevalence != "always"

    def gap(self, part: ForecastT, rest: ForecastT, measure: str, *, seed: int = 0) -> Gap:
        from edgeworth.forecasts.slice_gaps import gap_of_forecasts

        del seed
        return gap_of_forecasts(part, rest, measure)


class ForecastScoresKind(ForecastPartKind["ForecastScores"]):
    """Proper scores of one or several systems."""

    name = "forecast_scores"
    title = "scores of forecasts"

    def from_dict(self, payload: JsonObject) -> ForecastScores:
        from edgeworth.forecasts.scores import ForecastScores

        return ForecastScores.from_dict(payload)


class CalibrationKind(ForecastPartKind["Calibration"]):
    """Forecasts against outcomes."""

    name = "calibration"
    title = "a calibration"

    def from_dict(self, payload: JsonObject) -> Calibration:
        from edgeworth.forecasts.calibration import Calibration

        return Calibration.from_dict(payload)


class WealthKind(ForecastPartKind["Wealth"]):
    """The path of wealth of a bettor."""

    name = "wealth"
    title = "wealth"

    def chain(self, parts: Sequence[TallyPart[Wealth]]) -> tuple[list[Wealth], bool]:
        from edgeworth.forecasts.tally import chain_paths

        return chain_paths(parts)

    def merge_notices(self, notices: Iterable[str], tally: Wealth) -> tuple[str, ...]:
        from edgeworth.forecasts.tally import note_gaps

        return note_gaps(notices, tally)

    def describe_gaps(self, tally: Wealth) -> str | None:
        from edgeworth.forecasts.tally import describe_gaps

        return describe_gaps(tally)

    def from_dict(self, payload: JsonObject) -> Wealth:
        from edgeworth.forecasts.betting.wealth import Wealth

        return Wealth.from_dict(payload)


FORECASTS = ForecastsKind()
SCORES = ForecastScoresKind()
CALIBRATION = CalibrationKind()
WEALTH = WealthKind()
