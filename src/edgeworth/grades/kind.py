"""The kind of grades: right or wrong, or points, for each item."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
    from edgeworth.grades.grades import Grades
    from edgeworth.report.report import About, Report
    from edgeworth.sources.batches import Source
    from edgeworth.sources.columns import Label


class GradesKind(Kind["Grades"]):
    """Items that were graded, one or several times each."""

    name = "grades"
    title = "grades"
    predictions = "grades"
    unit = "item"
    has_truth = False
    joins_repeats = True
    terms = ("missing",)
    usual = ("accuracy", "mean")
    difference_options = ("guess_rate",)

    def check(self, options: Options) -> None:
        from edgeworth.grades.reading import check_grades

        check_grades(options)

    def read(self, source: Source | None, options: Options, *, is_final: bool) -> Counted[Tally]:
        from edgeworth.grades.reading import count_grades

        return count_grades(source, options, is_final=is_final)

    def finalise(self, tally: Grades, terms: Terms, *, is_text: bool) -> Grades:
        from edgeworth.grades.reading import finalise_grades

        return finalise_grades(tally, terms, is_text=is_text)

    def from_dict(self, payload: JsonObject) -> Grades:
        from edgeworth.grades.grades import Grades

        return Grades.from_dict(payload)

    def measures(self) -> tuple[Measure, ...]:
        from edgeworth.grades.measures import MEASURES

        return MEASURES

    def measure(self, tally: Grades, spelling: str | Measure) -> float:
        from edgeworth.grades.measures import measure_grades

        return measure_grades(tally, spelling)

    def estimate(
        self,
        tally: Grades,
        measure: str | Measure,
        *,
        method: Method | None = None,
        seed: int = 0,
        guess_rate: float | None = None,
    ) -> Estimate:
        from edgeworth.grades.estimates import estimate_grades

        return estimate_grades(tally, measure, method=method, seed=seed, guess_rate=guess_rate)

    def items(self, tally: Grades, measure: str) -> Mapping[Label, float]:
        from edgeworth.grades.measures import measure_items

        return measure_items(tally, measure)

    def unit_names(self, tally: Grades) -> Sequence[Label] | None:
        return tally.ids

    def wrong_cases(self, tally: Grades) -> tuple[float, float] | None:
        return (tally.number, float(tally.items[tally.means < 1].sum())) if tally.is_binary else None

    def unseen_shifts(self, tally: Grades, measure: str) -> tuple[float, float]:
        from edgeworth.grades.slice_gaps import unseen_shifts

        return unseen_shifts(tally) if measure == "mean" else (0.0, 0.0)

    def report(self, tallied: ReportInput[Grades], options: Options, about: About) -> Report:
        from edgeworth.grades.report import report_grades

        return report_grades(tallied, options, about)

    def slice_measures(self, whole: Grades) -> tuple[str, ...]:
        return ("accuracy",) if whole.is_binary else ("mean",)

    def independent_units(self, tally: Grades) -> Units:
        from edgeworth.grades.slice_gaps import independent_units

        return independent_units(tally)

    def gap(self, part: Grades, rest: Grades, measure: str, *, seed: int = 0) -> Gap:
        from edgeworth.grades.slice_gaps import gap_of_grades

        del seed
        return gap_of_grades(part, rest, measure)

    def read_systems(
        self, source: Source | None, truth: object, systems: Mapping[str, object], options: Options
    ) -> SystemTallies:
        from edgeworth.comparisons.reading import read_grades

        return read_grades(source, truth, systems, options)

    def compare(
        self, systems: Grades | Mapping[str, Grades], options: Options, *, clusters: object = None
    ) -> ComparisonFindings:
        from edgeworth.comparisons.grades import compare_grades

        del clusters
        assert isinstance(systems, Mapping)
        return compare_grades(
            systems,
            measures=options["measures"],
            guess_rate=options["guess_rate"],
            level=options["level"],
            adjust=options["adjust"] or "holm",
            power=options["power"],
            seed=options["seed"],
            ordered=options["ordered"],
            horizon=options["horizon"],
        )


GRADES = GradesKind()
