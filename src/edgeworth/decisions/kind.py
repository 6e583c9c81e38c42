"""The kind of decisions: labels counted in a contingency table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from edgeworth.core.kinds import Kind

if TYPE_CHECKING:
    from edgeworth.common.json_types import JsonObject, Terms
    from edgeworth.comparisons.findings import ComparisonFindings
    from edgeworth.core.estimates import Estimate, Method
    from edgeworth.core.kinds import ReportInput, SystemTallies
    from edgeworth.core.measures import Measure
    from edgeworth.core.options import Options
    from edgeworth.core.row_reading import Counted
    from edgeworth.core.slice_gaps import Gap, Units
    from edgeworth.core.tallies import Tally
    from edgeworth.decisions.table import ContingencyTable
    from edgeworth.report.report import About, Report
    from edgeworth.sources.batches import Source


class TableKind(Kind["ContingencyTable"]):
    """Labels of one system, counted in a contingency table."""

    name = "contingency_table"
    other_names = ("clustered_table",)
    title = "labels"
    predictions = "labels"
    predicts_classes = True
    predictions_of_systems = "several"
    systems_title = "tables of different cases"
    has_different_cases = True
    roles = ("truth", "prediction")
    terms = ("missing", "positive", "labels", "abstain", "weight_kind")
    redeclared = ("labels", "positive")
    usual = (
        *("informedness", "markedness", "mcc", "kappa", "accuracy", "balanced_accuracy", "macro_f"),
        *("recall[]", "precision[]", "f[]", "informedness[]"),
    )

    def read(self, source: Source | None, options: Options, *, is_final: bool) -> Counted[Tally]:
        from edgeworth.decisions.reading import count_labels

        return count_labels(source, options, is_final=is_final)

    def finalise(self, tally: ContingencyTable, terms: Terms, *, is_text: bool) -> ContingencyTable:
        from edgeworth.decisions.reading import finalise_table

        return finalise_table(tally, terms, is_text=is_text)

    def from_dict(self, payload: JsonObject) -> ContingencyTable:
        from edgeworth.decisions.table import ContingencyTable

        return ContingencyTable.from_dict(payload)

    def measures(self) -> tuple[Measure, ...]:
        from edgeworth.decisions.measures import MEASURES

        return MEASURES

    def measure(self, tally: ContingencyTable, spelling: str | Measure) -> float:
        from edgeworth.decisions.views import measure_table

        return measure_table(tally, spelling)

    def estimate(
        self,
        tally: ContingencyTable,
        measure: str | Measure,
        *,
        method: Method | None = None,
        seed: int = 0,
        guess_rate: float | None = None,
    ) -> Estimate:
        from edgeworth.decisions.estimates import estimate_table

        del guess_rate
        return estimate_table(tally, measure, method=method, seed=seed)

    def wrong_cases(self, tally: ContingencyTable) -> tuple[float, float]:
        right, number = float(tally.counts.trace()), float(tally.counts.sum() + tally.abstained.sum())
        return number, number - right

    def report(self, tallied: ReportInput[ContingencyTable], options: Options, about: About) -> Report:
        from edgeworth.decisions.report import report_table

        return report_table(tallied, options, about)

    def slice_measures(self, whole: ContingencyTable) -> tuple[str, ...]:
        from edgeworth.decisions.slice_gaps import default_gap_measure

        return (default_gap_measure(whole),)

    def independent_units(self, tally: ContingencyTable) -> Units:
        from edgeworth.decisions.slice_gaps import independent_units

        return independent_units(tally)

    def base_rates(self, tally: ContingencyTable) -> Mapping[str, float]:
        from edgeworth.decisions.slice_gaps import base_rates

        return base_rates(tally)

    def moves_with_prevalence(self, tally: ContingencyTable, measure: str) -> bool:
        from edgeworth.decisions.slice_gaps import moves_with_prevalence

        return moves_with_prevalence(tally, measure)

    def gap(self, part: ContingencyTable, rest: ContingencyTable, measure: str, *, seed: int = 0) -> Gap:
        from edgeworth.decisions.slice_gaps import gap_of_tables

        return gap_of_tables(part, rest, measure, seed=seed)

    def read_systems(
        self, source: Source | None, truth: object, systems: Mapping[str, object], options: Options
    ) -> SystemTallies:
        from edgeworth.comparisons.reading import read_labels

        return read_labels(source, truth, systems, options)

    def compare(
        self,
        systems: ContingencyTable | Mapping[str, ContingencyTable],
        options: Options,
        *,
        clusters: object = None,
    ) -> ComparisonFindings:
        from edgeworth.comparisons.labels.independent import compare_independent

        del clusters
        assert isinstance(systems, Mapping)
        return compare_independent(
            systems,
            measures=options["measures"],
            level=options["level"],
            adjust=options["adjust"] or "holm",
            power=options["power"],
            seed=options["seed"],
        )


TABLE = TableKind()
