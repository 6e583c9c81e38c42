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
from edgeworth.sources.batches import Batch, Reducer, Source, fold
from edgeworth.sources.roles import find_source


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
    reducer = partial(grades_reducer, missing=asked.missing, rules=rules_of(asked))
    # Names of items and clusters are text wherever they come from.
    return replace(count_source(source, roles, (form,), None, reducer, is_final=is_final), is_text=False)


def rules_of(asked: Any) -> dict[str, Any]:
    """Gather the range and the direction of grades."""
    bounds = UNBOUNDED if asked.grade_range is None else check_bounds(asked.grade_range)
    return {"bounds": bounds, "lower_is_better": asked.lower_is_better}


def grades_reducer(
    columns: dict[str, str], *, missing: Missing, rules: dict[str, Any], **_: Any
) -> Reducer[Grades]:
    """Make the reducer that adds batches up."""
    prepare = partial(_add_batch, columns=columns, missing=missing, rules=rules)
    return Reducer(tuple(columns.values()), prepare, Grades.empty(**rules), counts_suffice=True)


def finalise_grades(tally: Grades, terms: Mapping[str, Any], *, is_text: bool) -> Grades:  # noqa: ARG001  # one signature for all
    """Give the tally itself: nothing waits for the last row."""
    return tally


ROW = "row"
"""The role of the row number, which names items that nobody named."""


class GradesBySystem(dict[str, Grades]):
    """The grades of several systems, which add up one by one; items without a name are their rows."""

    needs_positions = True

    def __add__(self, other: GradesBySystem) -> GradesBySystem:
        return GradesBySystem({name: each + other[name] for name, each in self.items()})


def read_systems(
    source: Source | None, systems: Mapping[str, Any], asked: Any, form: str
) -> tuple[dict[str, Grades], str]:
    """Read the grades of every system on the same rows, and name the source."""
    roles = {f"{form} of {name}": column for name, column in systems.items()}
    check_grades(asked)
    found, columns = find_source(source, (), **roles, id=asked.id, cluster=asked.cluster)
    rules = rules_of(asked)
    prepare = partial(_add_systems, form=form, columns=columns, missing=asked.missing, rules=rules)
    empty = GradesBySystem({name: Grades.empty(**rules) for name in systems})
    read = fold(found, list(dict.fromkeys(columns.values())), prepare, empty)
    return dict(read), found.name


def _add_systems(
    batch: Batch, form: str, columns: dict[str, str], missing: Missing, rules: dict[str, Any]
) -> GradesBySystem:
    shared = {role: columns[role] for role in ("id", "cluster") if role in columns}
    if "id" not in shared:
        rows = np.arange(batch.first_row, batch.first_row + len(batch))
        batch, shared = replace(batch, columns={**batch.columns, ROW: rows}), shared | {"id": ROW}
    named = {role.removeprefix(f"{form} of "): name for role, name in columns.items() if " of " in role}
    return GradesBySystem(
        {name: _add_batch(batch, shared | {form: column}, missing, rules) for name, column in named.items()}
    )


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
