"""The kinds of what is compared: several systems on the same cases."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from edgeworth.core.kinds import Kind

if TYPE_CHECKING:
    from edgeworth.comparisons.findings import ComparisonFindings
    from edgeworth.comparisons.paired import Paired
    from edgeworth.comparisons.paired_scores import PairedScores
    from edgeworth.comparisons.report import FinalPaired
    from edgeworth.core.options import Options
    from edgeworth.core.row_reading import Counted
    from edgeworth.core.tallies import Tally
    from edgeworth.report.report import About, Report
    from edgeworth.sources.batches import Source


class PairedKind(Kind["Paired"]):
    """Labels of several systems on the same cases."""

    name = "paired"
    title = "labels of several systems"
    predictions = "several"
    roles = ("truth",)
    terms = ("missing", "positive", "abstain", "weight_kind")
    redeclared = ("positive",)
    difference_options = ("abstentions", "method")
    holds_systems = True

    def read(self, source: Source | None, options: Options, *, is_final: bool) -> Counted[Tally]:
        from edgeworth.comparisons.reading import count_several

        return count_several(source, options, is_final=is_final)

    def finalise(self, tally: Paired, terms: Mapping[str, object], *, is_text: bool) -> Paired:
        from edgeworth.comparisons.reading import finalise_pairs

        return finalise_pairs(tally, terms, is_text=is_text)

    def from_dict(self, payload: dict[str, object]) -> Paired:
        from edgeworth.comparisons.paired import Paired

        return Paired.from_dict(payload)

    def report(self, tallied: FinalPaired, options: Options, about: About) -> Report:
        from edgeworth.comparisons.report import report_paired

        return report_paired(tallied, options, about)

    def compare(
        self, systems: Paired | Mapping[str, object], options: Options, *, clusters: object = None
    ) -> ComparisonFindings:
        from edgeworth.comparisons.labels.differences import compare_labels

        del clusters
        assert not isinstance(systems, Mapping)
        return compare_labels(
            systems,
            measures=options["measures"],
            level=options["level"],
            adjust=options["adjust"] or "holm",
            power=options["power"],
            seed=options["seed"],
            abstentions=options["abstentions"] or "count",
            method=options["method"],
        )


class PairedScoresKind(Kind["PairedScores"]):
    """Scores of several systems on the same cases."""

    name = "paired_scores"
    title = "scores of several systems"
    difference_options = ("method",)
    holds_systems = True

    def from_dict(self, payload: dict[str, object]) -> PairedScores:
        from edgeworth.comparisons.paired_scores import PairedScores

        return PairedScores.from_dict(payload)

    def compare(
        self, systems: PairedScores | Mapping[str, object], options: Options, *, clusters: object = None
    ) -> ComparisonFindings:
        from edgeworth.comparisons.scores.differences import compare_scores

        del clusters
        assert not isinstance(systems, Mapping)
        return compare_scores(
            systems,
            measures=options["measures"],
            level=options["level"],
            adjust=options["adjust"] or "holm",
            power=options["power"],
            seed=options["seed"],
            method=options["method"],
            in_folds=options["fold"] is not None,
        )


PAIRED = PairedKind()
PAIRED_SCORES = PairedScoresKind()
