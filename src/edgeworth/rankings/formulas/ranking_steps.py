"""The steps of one ranking, and of the same lists without any information."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from edgeworth.rankings.formulas.steps import Grades, Steps
from edgeworth.rankings.ranking import Ranking


def steps_of_ranking(ranking: Ranking) -> Steps:
    """Where the targets stand, best first."""
    found = ranking.standing
    return Steps(
        list_of=np.zeros(len(found.hits), dtype=np.intp),
        hits_above=found.hits_above,
        seen_above=found.seen_above,
        hits=found.hits,
        size=found.size,
        targets=np.array([float(ranking.target_total)]),
        ranked=np.array([float(ranking.ranked_total)]),
        items=np.array([float(ranking.total)]),
    )


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
