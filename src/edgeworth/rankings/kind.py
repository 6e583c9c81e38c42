"""The kinds of rankings: one ranking, one ranked list per query, and scores whose target is not known yet."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import TYPE_CHECKING

from edgeworth.core.kinds import Kind

if TYPE_CHECKING:
    from edgeworth.common.json_types import Terms
    from edgeworth.comparisons.findings import ComparisonFindings
    from edgeworth.core.estimates import Estimate, Method
    from edgeworth.core.kinds import ReportInput, SystemTallies
    from edgeworth.core.measures import Measure
    from edgeworth.core.options import Options
    from edgeworth.core.row_reading import Counted
    from edgeworth.core.slice_gaps import Gap, Units
    from edgeworth.core.tallies import Tally
    from edgeworth.rankings.lists import RankedLists
    from edgeworth.rankings.ranking import Ranking
    from edgeworth.rankings.scores.by_class import ScoresByClass
    from edgeworth.report.report import About, Report
    from edgeworth.sources.batches import Source
    from edgeworth.sources.columns import Label


class RankingKind(Kind["Ranking"]):
    """Items ranked by score, with one target class."""

    name = "ranking"
    title = "a ranking"
    predictions = "scores"
    usual = ("average_precision", "roc_auc")
    measures_within_slices = True

    def from_dict(self, payload: dict[str, object]) -> Ranking:
        from edgeworth.rankings.ranking import Ranking

        return Ranking.from_dict(payload)

    def measures(self) -> tuple[Measure, ...]:
        from edgeworth.rankings.measures import MEASURES

        return MEASURES

    def measure(self, tally: Ranking, spelling: str | Measure) -> float:
        from edgeworth.rankings.measure_lookup import measure_ranking

        return measure_ranking(tally, spelling)

    def estimate(
        self,
        tally: Ranking,
        measure: str | Measure,
        *,
        method: Method | None = None,
        seed: int = 0,
        guess_rate: float | None = None,
    ) -> Estimate:
        from edgeworth.rankings.estimates import estimate_ranking

        del guess_rate
        return estimate_ranking(tally, measure, method=method, seed=seed)

    def report(self, tallied: ReportInput[Ranking], options: Options, about: About) -> Report:
        from edgeworth.rankings.report import report_ranking

        return report_ranking(tallied, options, about)

    def slice_options(self, whole: Ranking, options: Options) -> Options:
        return {**options, "positive": whole.labels[-1]}

    def slice_measures(self, whole: Ranking) -> tuple[str, ...]:
        del whole
        return ("roc_auc",)

    def independent_units(self, tally: Ranking) -> Units:
        from edgeworth.rankings.slice_gaps import ranking_units

        return ranking_units(tally)

    def base_rates(self, tally: Ranking) -> Mapping[str, float]:
        from edgeworth.rankings.slice_gaps import ranking_base_rates

        return ranking_base_rates(tally)

    def moves_with_prevalence(self, tally: Ranking, measure: str) -> bool:
        from edgeworth.rankings.slice_gaps import moves_with_prevalence

        del tally
        return moves_with_prevalence(measure)

    def weight_in_rest(self, tally: Ranking) -> float:
        from edgeworth.rankings.slice_gaps import harmonic_cases

        return harmonic_cases(tally)

    def cluster_effects(self, tally: Ranking, measure: str) -> Mapping[Hashable, float]:
        from edgeworth.rankings.slice_gaps import cluster_effects

        return cluster_effects(tally, measure)

    def gap_caveat(self, part: Ranking) -> str | None:
        from edgeworth.rankings.slice_gaps import describe_few_cases

        return describe_few_cases(part)


class ListsKind(Kind["RankedLists"]):
    """One ranked list per query."""

    name = "ranked_lists"
    title = "queries"
    predictions = "queries"
    ranks_folds = True
    unit = "query"
    roles = ("truth", "score", "query")
    terms = ("missing", "positive", "relevant_from")
    usual = ("average_precision", "ndcg@10", "precision@10", "recall@10", "reciprocal_rank")
    difference_options = ("queries",)
    draws_orders = True

    def check(self, options: Options) -> None:
        from edgeworth.rankings.reading import check_queries

        check_queries(options)

    def read(self, source: Source | None, options: Options, *, is_final: bool) -> Counted[Tally]:
        from edgeworth.rankings.reading import count_queries

        return count_queries(source, options, is_final=is_final)

    def finalise(self, tally: RankedLists, terms: Terms, *, is_text: bool) -> RankedLists:
        from edgeworth.rankings.reading import finalise_lists

        return finalise_lists(tally, terms, is_text=is_text)

    def from_dict(self, payload: dict[str, object]) -> RankedLists:
        from edgeworth.rankings.lists import RankedLists

        return RankedLists.from_dict(payload)

    def measures(self) -> tuple[Measure, ...]:
        from edgeworth.rankings.measures import MEASURES

        return MEASURES

    def measure(self, tally: RankedLists, spelling: str | Measure) -> float:
        from edgeworth.rankings.measure_lookup import measure_lists

        return measure_lists(tally, spelling)

    def estimate(
        self,
        tally: RankedLists,
        measure: str | Measure,
        *,
        method: Method | None = None,
        seed: int = 0,
        guess_rate: float | None = None,
    ) -> Estimate:
        from edgeworth.rankings.estimates import estimate_lists

        del guess_rate
        return estimate_lists(tally, measure, method=method, seed=seed)

    def items(self, tally: RankedLists, measure: str) -> Mapping[Label, float]:
        from edgeworth.rankings.measure_lookup import measure_counted

        return measure_counted(tally, measure)

    def unit_names(self, tally: RankedLists) -> Sequence[Label]:
        return tally.queries

    def report(self, tallied: ReportInput[RankedLists], options: Options, about: About) -> Report:
        from edgeworth.rankings.report import report_lists

        return report_lists(tallied, options, about)

    def independent_units(self, tally: RankedLists) -> Units:
        from edgeworth.core.slice_gaps import Units

        return Units(float(tally.number))

    def gap(self, part: RankedLists, rest: RankedLists, measure: str, *, seed: int = 0) -> Gap:
        from edgeworth.rankings.slice_gaps import gap_of_lists

        return gap_of_lists(part, rest, measure, seed=seed)

    def read_systems(
        self, source: Source | None, truth: object, systems: Mapping[str, object], options: Options
    ) -> SystemTallies:
        from edgeworth.comparisons.reading import read_lists

        return read_lists(source, truth, systems, options)

    def compare(
        self, systems: RankedLists | Mapping[str, RankedLists], options: Options, *, clusters: object = None
    ) -> ComparisonFindings:
        from edgeworth.comparisons.paired_values.differences import compare_queries

        del clusters
        assert isinstance(systems, Mapping)
        return compare_queries(
            systems,
            measures=options["measures"],
            level=options["level"],
            adjust=options["adjust"] or "holm",
            power=options["power"],
            seed=options["seed"],
            queries=options["queries"],
        )


class ScoresByClassKind(Kind["ScoresByClass"]):
    """Scores by class, before it is decided which class is the target."""

    name = "labelled_scores"
    title = "scores"
    predictions = "scores"
    ranks_folds = True
    roles = ("truth", "score")
    terms = ("missing", "positive", "weight_kind", "bins")
    redeclared = ("positive",)

    def check(self, options: Options) -> None:
        from edgeworth.rankings.reading import check_scores

        check_scores(options)

    def read(self, source: Source | None, options: Options, *, is_final: bool) -> Counted[Tally]:
        from edgeworth.rankings.reading import count_scores

        return count_scores(source, options, is_final=is_final)

    def finalise(self, tally: ScoresByClass, terms: Terms, *, is_text: bool) -> Ranking:
        from edgeworth.rankings.reading import finalise_scores

        return finalise_scores(tally, terms, is_text=is_text)

    def from_dict(self, payload: dict[str, object]) -> ScoresByClass:
        from edgeworth.rankings.scores.by_class import ScoresByClass

        return ScoresByClass.from_dict(payload)

    def read_systems(
        self, source: Source | None, truth: object, systems: Mapping[str, object], options: Options
    ) -> SystemTallies:
        from edgeworth.comparisons.reading import read_scores

        return read_scores(source, truth, systems, options)


RANKING = RankingKind()
LISTS = ListsKind()
SCORES_BY_CLASS = ScoresByClassKind()
