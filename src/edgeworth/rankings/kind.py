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
    report="edgeworth.evaluation:report_ranking",
)
LISTS = Kind(
    name="ranked_lists",
    title="ranked lists",
    tally="edgeworth.rankings.lists:RankedLists",
    measures=MEASURES,
    measure="edgeworth.rankings.resolving:measure_lists",
    estimate="edgeworth.rankings.estimates:estimate_lists",
    report="edgeworth.evaluation:report_lists",
)
SCORES_BY_CLASS = Kind(
    name="labelled_scores", title="scores", tally="edgeworth.rankings.scores.by_class:ScoresByClass"
)
