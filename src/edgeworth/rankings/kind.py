"""The kinds of rankings: one ranking, one ranked list a query, and scores whose target is not known yet."""

from __future__ import annotations

from edgeworth.core.kinds import Kind

MEASURES = "edgeworth.rankings.measures:MEASURES"

RANKING = Kind(
    name="ranking",
    title="a ranking",
    tally="edgeworth.rankings.ranking:Ranking",
    measures=MEASURES,
    measure="edgeworth.rankings.resolving:measure_ranking",
    estimate="edgeworth.rankings.estimates:estimate_ranking",
    report="edgeworth.rankings.report:report_ranking",
    usual=("average_precision", "roc_auc"),
    predictions="scores",
)
LISTS = Kind(
    name="ranked_lists",
    title="queries",
    tally="edgeworth.rankings.lists:RankedLists",
    measures=MEASURES,
    measure="edgeworth.rankings.resolving:measure_lists",
    estimate="edgeworth.rankings.estimates:estimate_lists",
    report="edgeworth.rankings.report:report_lists",
    draws_orders=True,
    usual=("average_precision", "ndcg@10", "precision@10", "recall@10", "reciprocal_rank"),
    items="edgeworth.rankings.resolving:measure_each",
    predictions="queries",
    roles=("truth", "score", "query"),
    terms=("missing", "positive", "relevant_from"),
    check="edgeworth.rankings.reading:check_queries",
    count="edgeworth.rankings.reading:count_queries",
    finalise="edgeworth.rankings.reading:finalise_lists",
)
SCORES_BY_CLASS = Kind(
    name="labelled_scores",
    title="scores",
    tally="edgeworth.rankings.scores.by_class:ScoresByClass",
    predictions="scores",
    roles=("truth", "score"),
    terms=("missing", "positive", "weight_kind", "bins"),
    redeclared=("positive",),
    check="edgeworth.rankings.reading:check_scores",
    count="edgeworth.rankings.reading:count_scores",
    finalise="edgeworth.rankings.reading:finalise_scores",
)
