"""Reading decisions: batches of labels are counted into a table."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

from edgeworth.core.labels import parse_labels
from edgeworth.core.policies import Missing
from edgeworth.decisions.clusters import Clusters
from edgeworth.decisions.table import ContingencyTable
from edgeworth.sources.batches import Batch, Reducer, Source
from edgeworth.sources.columns import Coded, Column, Label
from edgeworth.sources.numbers import WeightKind, as_weights
from edgeworth.sources.roles import nothing_left_error, resolve_weight_kind


def tally_decisions(
    source: Source,
    columns: dict[str, str],
    *,
    weight_kind: WeightKind | None = None,
    abstain: Label | None = None,
    missing: Missing = "error",
) -> ContingencyTable:
    """Count the labels of a source; ``columns`` maps roles to names of columns."""
    kind = resolve_weight_kind(source, columns, weight_kind)
    options: dict[str, Any] = {"weight_kind": kind, "abstain": abstain, "missing": missing}
    tally = decisions_reducer(columns, is_text=source.is_text, **options).fold(source)
    if not tally.cells.any():
        raise nothing_left_error(source.name, tally.dropped, columns)
    return finalise_decisions(tally, is_text=source.is_text)


def decisions_reducer(
    columns: dict[str, str],
    *,
    is_text: bool,
    weight_kind: WeightKind | None = None,
    abstain: Label | None = None,
    missing: Missing = "error",
) -> Reducer[ContingencyTable]:
    """Make the reducer that counts batches, by cluster where there are groups."""
    # Whether text stands for numbers is known only when all labels are, so until then abstention is text.
    away = str(abstain) if is_text and abstain is not None else abstain
    options = {"weight_kind": weight_kind, "abstain": away, "missing": missing}
    prepare = partial(_count_batch, columns=columns, options=options, is_text=is_text)
    empty = replace(ContingencyTable.empty(), clusters=Clusters.empty() if "group" in columns else None)
    return Reducer(tuple(columns.values()), prepare, empty, counts_suffice="weight" not in columns)


def finalise_decisions(tally: ContingencyTable, *, is_text: bool) -> ContingencyTable:
    """Turn labels of text into numbers if every one of them is a number, now that all are known."""
    if is_text:
        tally = tally.rename_labels(parse_labels(tally.labels))
        if tally.clusters is not None:
            tally = replace(tally, clusters=tally.clusters.rename(parse_labels))
    tally.check_kinds()
    return tally


def _count_batch(
    batch: Batch, columns: dict[str, str], options: dict[str, Any], is_text: bool
) -> ContingencyTable:
    roles = {role: batch.columns[name] for role, name in columns.items()}
    if is_text and options["abstain"] is not None:
        roles["prediction"] = _unify_spellings(roles["prediction"], options["abstain"])
    weights = as_weights(roles.pop("weight"), columns["weight"]) if "weight" in roles else None
    options = options | {"weights": weights, "first_row": batch.first_row, "repeats": batch.repeats}
    clusters = roles.get("group")
    return ContingencyTable.from_columns(roles["truth"], roles["prediction"], clusters=clusters, **options)


def _unify_spellings(column: Column, wanted: str) -> Column:
    """Spell every label that equals ``wanted`` the same way: -1 and -1.0 are two labels of text."""
    if not isinstance(column, Coded):
        return column
    value = parse_labels([wanted])
    return Coded(column.codes, tuple(wanted if parse_labels([x]) == value else x for x in column.labels))
