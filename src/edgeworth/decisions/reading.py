"""Reading decisions: batches of labels are counted into a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from edgeworth.common.choices import Missing, WeightKind
from edgeworth.common.json_types import Terms
from edgeworth.core.labels import as_labels, parse_labels
from edgeworth.core.options import Options, select_options
from edgeworth.core.row_policies import refuse_regression
from edgeworth.core.row_reading import Counted, count_source
from edgeworth.decisions.clusters import Clusters
from edgeworth.decisions.kind import TABLE
from edgeworth.decisions.table import ContingencyTable
from edgeworth.errors import OptionError
from edgeworth.sources.batches import Batch, Reducer, Source
from edgeworth.sources.columns import Coded, Column, Label
from edgeworth.sources.numbers import as_weights


def count_labels(source: Source | None, options: Options, *, is_final: bool) -> Counted[ContingencyTable]:
    """Fold the columns of truth, prediction, cluster and weight into a table."""
    if not is_final and options["odds"] is not None:
        raise OptionError(
            "--odds needs the single cases, which a tally does not keep: pass the data to evaluate"
        )
    roles = select_options(options, ("truth", "prediction", "cluster", "weight"))
    reducer = partial(table_reducer, abstain=as_labels(options["abstain"]), missing=options["missing"])
    return count_source(source, roles, TABLE.roles, options["weight_kind"], reducer, is_final=is_final)


def table_reducer(
    columns: dict[str, str],
    *,
    is_text: bool,
    weight_kind: WeightKind | None = None,
    abstain: Sequence[Label] = (),
    missing: Missing = "error",
) -> Reducer[ContingencyTable]:
    """Make the reducer that counts batches, by cluster if a column of clusters is given."""
    # Whether text stands for numbers is known only when all labels are, so until then abstention is text.
    abstaining = tuple(str(label) for label in abstain) if is_text else tuple(abstain)
    prepare = partial(
        _count_batch,
        columns=columns,
        weight_kind=weight_kind,
        abstain=abstaining,
        missing=missing,
        is_text=is_text,
    )
    empty = replace(ContingencyTable.empty(), clusters=Clusters.empty() if "cluster" in columns else None)
    return Reducer(tuple(columns.values()), prepare, empty, counts_suffice="weight" not in columns)


def finalise_table(tally: ContingencyTable, terms: Terms, *, is_text: bool) -> ContingencyTable:
    """Turn text labels into numbers if all of them are written as numbers, and declare labels.

    Only the complete set of labels shows this, so it happens after the last row.
    """
    if is_text:
        tally = tally.rename_labels(parse_labels(tally.labels))
        if tally.clusters is not None:
            tally = replace(tally, clusters=tally.clusters.rename(parse_labels))
    if terms.get("labels") is None:
        refuse_regression([label for label, total in zip(tally.labels, tally.actual, strict=True) if total])
    tally.check_kinds()
    return tally.declare(labels=terms.get("labels"), positive=terms.get("positive"))


def _count_batch(
    batch: Batch,
    columns: dict[str, str],
    *,
    weight_kind: WeightKind | None,
    abstain: tuple[Label, ...],
    missing: Missing,
    is_text: bool,
) -> ContingencyTable:
    by_role = {role: batch.columns[name] for role, name in columns.items()}
    prediction = by_role["prediction"]
    if is_text:
        for label in abstain:
            prediction = _unify_spellings(prediction, str(label))
    weights = None
    if "weight" in by_role:
        weights = as_weights(by_role["weight"], columns["weight"], batch.first_row)
    return ContingencyTable.from_columns(
        by_role["truth"],
        prediction,
        clusters=by_role.get("cluster"),
        weights=weights,
        weight_kind=weight_kind,
        abstain=abstain,
        missing=missing,
        first_row=batch.first_row,
        repeats=batch.repeats,
    )


def _unify_spellings(column: Column, wanted: str) -> Column:
    """Spell every label that equals ``wanted`` the same way: -1 and -1.0 are two labels of text."""
    if not isinstance(column, Coded):
        return column
    value = parse_labels([wanted])
    labels = tuple(wanted if parse_labels([label]) == value else label for label in column.labels)
    return Coded(column.codes, labels)
