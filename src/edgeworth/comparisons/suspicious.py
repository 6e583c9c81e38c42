"""Systems that look like a mistake: the same answers under two names, or one answer for every case."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from edgeworth.common.arrays import Numbers
from edgeworth.comparisons.paired import Paired
from edgeworth.comparisons.paired_scores import PairedScores
from edgeworth.core.formatting import format_number
from edgeworth.core.labels import describe_look_alikes, find_look_alikes
from edgeworth.forecasts.forecasts import Forecasts
from edgeworth.grades.grades import Grades
from edgeworth.rankings.lists import RankedLists
from edgeworth.report.wording import MIN_CASES_TO_SUSPECT, describe_constant


class Answers(NamedTuple):
    """What a system answered: arrays that are equal for equal answers, and the answer if it is one only."""

    arrays: tuple[Numbers, ...]
    constant: str | None


def suspicious_systems(tally: object) -> tuple[str, ...]:
    """Name systems that are identical in every case, or constant, and labels that look the same."""
    answers = _answers(tally)
    alike: dict[tuple[bytes, ...], list[str]] = {}
    for name, answer in answers.items():
        alike.setdefault(tuple(array.tobytes() for array in answer.arrays), []).append(name)
    notes = [
        f"{', '.join(names[:-1])} and {names[-1]} are identical in every case. "
        "Did you pass the same column or file twice?"
        for names in alike.values()
        if len(names) > 1
    ]
    constants = {name: answer.constant for name, answer in answers.items() if answer.constant is not None}
    if isinstance(tally, Paired) and (groups := find_look_alikes(tally.labels)):
        notes.append(describe_look_alikes(groups))
    return (*notes, *(describe_constant(name, value) for name, value in constants.items()))


def _answers(tally: object) -> dict[str, Answers]:
    """Read the answers of each system from a tally; none from too few cases, or from tables of counts."""
    if isinstance(tally, Paired):
        return _of_labels(tally)
    if isinstance(tally, PairedScores):
        named = zip(tally.names, tally.scores, strict=True)
        answers = {name: Answers((scores,), _one_number(scores)) for name, scores in named}
        return answers if len(tally.targets) >= MIN_CASES_TO_SUSPECT else {}
    systems = tally.items() if isinstance(tally, Mapping) else ()
    read = ((name, _of_one(system)) for name, system in systems)
    return {name: answers for name, answers in read if answers is not None}


def _of_one(system: object) -> Answers | None:
    """Read the answers of one system from its own tally."""
    if isinstance(system, Forecasts) and len(system.codes) >= MIN_CASES_TO_SUSPECT:
        rows = system.probabilities
        return Answers((rows,), "the same" if (rows == rows[0]).all() else None)
    if isinstance(system, RankedLists) and len(system.scores) >= MIN_CASES_TO_SUSPECT:
        return Answers((system.starts, system.scores, system.grades), _one_number(system.scores))
    if isinstance(system, Grades) and system.items.sum() >= MIN_CASES_TO_SUSPECT:
        constant = _one_number(system.means)
        if system.zero_one and constant is not None:
            return None  # right in every case is a result, which several systems may have
        return Answers((system.items, system.repeats, system.sums, system.squares), constant)
    return None


def _of_labels(paired: Paired) -> dict[str, Answers]:
    if paired.joint.rows.sum() < MIN_CASES_TO_SUSPECT:
        return {}
    answers = {}
    for column, name in enumerate(paired.names, start=1):
        codes = paired.joint.keys[:, column]
        if np.array_equal(codes, paired.joint.keys[:, 0]):
            continue  # right in every case, as other systems may be
        seen = np.unique(codes)
        constant = str(paired.labels[seen[0] - 1]) if len(seen) == 1 and seen[0] > 0 else None
        answers[name] = Answers((codes,), constant)
    return answers


def _one_number(values: Numbers) -> str | None:
    """Write the number if all values are the same, or return None."""
    return format_number(float(values[0])) if values.min() == values.max() else None
