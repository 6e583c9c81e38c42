"""Reading grades: batches of right or wrong, or of points, are added up item by item."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TypedDict

import numpy as np

from edgeworth.common.choices import Missing, WeightKind
from edgeworth.common.json_types import Terms
from edgeworth.core.options import Options, select_options
from edgeworth.core.row_reading import Counted, count_source
from edgeworth.errors import OptionError
from edgeworth.grades.grades import UNBOUNDED, Grades, as_points, as_right, check_bounds
from edgeworth.sources.batches import Batch, FoldingSource, Reducer, Source
from edgeworth.sources.columns import check_not_missing


class GradeRules(TypedDict):
    """What grades must have in common to be added: their range and their direction."""

    bounds: tuple[float, float]
    lower_is_better: bool


def check_grades(options: Options) -> None:
    """Raise an error for options of grades that contradict each other."""
    if options["missing"] == "abstain":
        raise OptionError(
            'missing must be "drop" (exclude answers without a grade and count them) or "error"'
        )
    if options["grade_range"] is not None and options["correct"] is not None:
        raise OptionError("grade_range is not supported with correct, which is 0 or 1")
    if options["ordered"] or options["horizon"] > 1:
        _check_order(options)


def _check_order(options: Options) -> None:
    """Raise an error for options that contradict rows in time order."""
    reasons = {
        "id": "rows are compared in their order, which ids would change",
        "cluster": "clusters are taken as independent, but rows in time order are not",
    }
    for name, value in select_options(options, reasons).items():
        if value is not None:
            raise OptionError(f"--{name} is not supported with --ordered: {reasons[name]}")
    if options["adjust"] == "tukey":
        raise OptionError("--adjust tukey is not supported with --ordered: use holm")


def count_grades(
    source: Source | None, options: Options, *, is_final: bool, by_row: bool = False
) -> Counted[Grades]:
    """Fold the columns of grades, ids and clusters into a tally; ``by_row`` numbers items by their rows."""
    form = "grade" if options["correct"] is None else "correct"
    if by_row and options["id"] is None and isinstance(source, FoldingSource):
        raise OptionError(f"{source.name}: Spark does not number rows: pass the column of items (id=, --id)")
    roles = select_options(options, (form, "id", "cluster"))
    reducer = partial(grades_reducer, missing=options["missing"], rules=rules_of(options), by_row=by_row)
    # Names of items and clusters are text wherever they come from.
    return replace(count_source(source, roles, (form,), None, reducer, is_final=is_final), is_text=False)


def rules_of(options: Options) -> GradeRules:
    """Gather the range and the direction of grades."""
    bounds = UNBOUNDED if options["grade_range"] is None else check_bounds(options["grade_range"])
    return {"bounds": bounds, "lower_is_better": options["lower_is_better"]}


def grades_reducer(
    columns: dict[str, str],
    *,
    missing: Missing,
    rules: GradeRules,
    by_row: bool,
    is_text: bool = False,  # noqa: ARG001  # one signature for all reducers
    weight_kind: WeightKind | None = None,  # noqa: ARG001  # grades have no weights
) -> Reducer[Grades]:
    """Make the reducer that adds batches up."""
    prepare = partial(_add_batch, columns=columns, missing=missing, rules=rules, by_row=by_row)
    return Reducer(tuple(columns.values()), prepare, Grades.empty(**rules), counts_suffice=not by_row)


def finalise_grades(tally: Grades, terms: Terms, *, is_text: bool) -> Grades:  # noqa: ARG001  # one signature for all
    """Return the tally unchanged: nothing depends on the last row."""
    return tally


def _add_batch(
    batch: Batch, columns: dict[str, str], missing: Missing, rules: GradeRules, by_row: bool
) -> Grades:
    by_role = {role: batch.columns[name] for role, name in columns.items()}
    form, parse = ("correct", as_right) if "correct" in by_role else ("grade", as_points)
    values = parse(by_role[form], columns[form], batch.first_row)
    if missing == "error":
        advice = 'missing="drop" (--missing drop) excludes such answers and counts them as unscored'
        check_not_missing(np.isnan(values), columns[form], batch.first_row, advice)
    row_numbers = np.arange(batch.first_row, batch.first_row + len(batch)) if by_row else None
    return Grades.from_columns(
        values,
        by_role.get("id", row_numbers),
        by_role.get("cluster"),
        rows=batch.repeats,
        first_row=batch.first_row,
        are_named="id" in by_role,
        **rules,
    )
