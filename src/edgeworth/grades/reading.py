"""Reading grades: batches of right or wrong, or of points, are added up item by item."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from edgeworth.choices import Missing
from edgeworth.core.counting import Counted, count_source
from edgeworth.errors import InputError, OptionError
from edgeworth.grades.grades import UNBOUNDED, Grades, as_points, as_right, check_bounds
from edgeworth.sources.batches import Batch, Reducer, Source


def check_grades(asked: Any) -> None:
    """Refuse options of grades that do not go together."""
    if asked.missing == "abstain":
        raise OptionError('an answer without a grade is left out and counted, missing="drop", or an error')
    if asked.grade_range is not None and asked.get("correct") is not None:
        raise OptionError("grade_range has no meaning with correct, which is 0 or 1")


def count_grades(source: Source | None, asked: Any, *, is_final: bool) -> Counted:
    """Fold the columns of grades, ids and clusters into a tally."""
    form = "grade" if asked.correct is None else "correct"
    roles = {role: asked.given[role] for role in (form, "id", "cluster")}
    rules = {
        "bounds": UNBOUNDED if asked.grade_range is None else check_bounds(asked.grade_range),
        "lower_is_better": asked.lower_is_better,
    }
    reducer = partial(grades_reducer, missing=asked.missing, rules=rules)
    # Names of items and clusters are text wherever they come from.
    return replace(count_source(source, roles, (form,), None, reducer, is_final=is_final), is_text=False)


def grades_reducer(
    columns: dict[str, str], *, missing: Missing, rules: dict[str, Any], **_: Any
) -> Reducer[Grades]:
    """Make the reducer that adds batches up."""
    prepare = partial(_add_batch, columns=columns, missing=missing, rules=rules)
    return Reducer(tuple(columns.values()), prepare, Grades.empty(**rules), counts_suffice=True)


def finalise_grades(tally: Grades, terms: Mapping[str, Any], *, is_text: bool) -> Grades:  # noqa: ARG001  # one signature for all
    """Give the tally itself: nothing waits for the last row."""
    return tally


def _add_batch(batch: Batch, columns: dict[str, str], missing: Missing, rules: dict[str, Any]) -> Grades:
    found = {role: batch.columns[name] for role, name in columns.items()}
    form, read = ("correct", as_right) if "correct" in found else ("grade", as_points)
    values = read(found[form], columns[form], batch.first_row)
    absent = np.isnan(values)
    if missing == "error" and absent.any():
        row = batch.first_row + int(np.argmax(absent))
        raise InputError(
            f'{columns[form]} is missing in row {row:,}: missing="drop" (--missing drop) leaves such '
            "answers out and counts them as unscored"
        )
    return Grades.from_columns(
        values,
        found.get("id"),
        found.get("cluster"),
        rows=batch.repeats,
        first_row=batch.first_row,
        **rules,
    )
