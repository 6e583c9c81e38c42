"""The steps of a ranking: its targets searched into its background, which was sorted once."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from edgeworth.measures.steps import Grades, Steps
from edgeworth.measures.views import Values
from edgeworth.tallies.rankings import Ranking
from edgeworth.tallies.runs import Run


def steps_of_ranking(ranking: Ranking) -> Steps:
    """Where the targets stand, best first."""
    scores, hits = _distinct(ranking.targets)
    background = ranking.background
    below = background.below(scores)
    tied = _tied(background, scores, below)
    hits_above = np.concatenate([np.cumsum(hits[::-1])[::-1][1:], [0]]) if len(hits) else hits
    # Sums of weights round: nothing is above the best by less than nothing.
    seen_above = hits_above + np.maximum(background.total - below - tied, 0)
    one = (np.array([x], dtype=np.float64) for x in _totals(ranking))
    return Steps(
        np.zeros(len(hits), dtype=np.intp), *_best_first(hits_above, seen_above, hits, hits + tied), *one
    )


def step_scores(ranking: Ranking) -> Values:
    """The score of each step, best first."""
    return _distinct(ranking.targets)[0][::-1]


def all_tied(steps: Steps) -> Steps:
    """The same lists without any information: every item in one tie."""
    lists = np.flatnonzero((steps.targets > 0) & (steps.items > 0))
    place = np.full(steps.number, -1)
    place[lists] = np.arange(len(lists))
    grades = steps.grades
    if grades is not None:
        owner = np.concatenate([steps.list_of[grades.step], grades.lost_list])
        values = np.concatenate([grades.grade, grades.lost_grade])
        known = place[owner] >= 0
        grades = Grades(place[owner][known], values[known], grades.lost_list[:0], grades.lost_grade[:0])
    nothing = np.zeros(len(lists))
    return replace(
        steps,
        list_of=lists,
        hits_above=nothing,
        seen_above=nothing,
        hits=steps.targets[lists],
        size=steps.items[lists],
        ranked=steps.items,
        grades=grades,
        judgements=None,
    )


def _totals(ranking: Ranking) -> tuple[Any, Any, Any]:
    return ranking.target_total, ranking.ranked_total, ranking.total


def _best_first(*columns: NDArray[Any]) -> list[Values]:
    return [column[::-1].astype(np.float64) for column in columns]


def _distinct(run: Run) -> tuple[Values, NDArray[Any]]:
    """Each score once, lowest first, with its cases."""
    if run.weight is not None:
        return run.scores, run.weight
    ends = np.flatnonzero(np.concatenate([run.scores[1:] != run.scores[:-1], [True]])[: len(run.scores)])
    return run.scores[ends], np.diff(ends, prepend=-1)


def _tied(background: Run, scores: Values, below: NDArray[Any]) -> NDArray[Any]:
    """Background with exactly these scores: a second search, only where there is any."""
    tied = np.zeros_like(below)
    places = np.asarray(
        below if background.weight is None else np.searchsorted(background.scores, scores), dtype=np.intp
    )
    inside = places < len(background.scores)
    equal = np.flatnonzero(inside)[background.scores[places[inside]] == scores[inside]]
    if len(equal):
        tied[equal] = background.below(scores[equal], side="right") - below[equal]
    return tied
