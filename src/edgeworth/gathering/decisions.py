"""Labels, batch by batch, into a table of decisions."""

from __future__ import annotations

from functools import partial
from typing import Any

from edgeworth.gathering.finding import nothing_left, settled_kind
from edgeworth.gathering.reducing import Reducer
from edgeworth.sources import Batch, Coded, Column, Label, Source
from edgeworth.sources.weights import as_weights
from edgeworth.tallies import ClusteredTable, ContingencyTable, table_of
from edgeworth.tallies.labels import parsed
from edgeworth.tallies.policies import Missing, WeightKind


def tally_decisions(
    source: Source,
    columns: dict[str, str],
    *,
    weight_kind: WeightKind | None = None,
    abstain: Label | None = None,
    missing: Missing = "error",
) -> ContingencyTable | ClusteredTable:
    """Fold a source into a tally of decisions. ``columns`` maps roles to names of columns."""
    kind = settled_kind(source, columns, weight_kind)
    options: dict[str, Any] = {"weight_kind": kind, "abstain": abstain, "missing": missing}
    tally = decisions_reducer(columns, is_text=source.is_text, **options).over(source)
    if not table_of(tally).cells.any():
        raise nothing_left(source.name, table_of(tally).dropped, columns)
    return settled_decisions(tally, is_text=source.is_text)


def decisions_reducer(
    columns: dict[str, str],
    *,
    is_text: bool,
    weight_kind: WeightKind | None = None,
    abstain: Label | None = None,
    missing: Missing = "error",
) -> Reducer[ContingencyTable | ClusteredTable]:
    """How a batch becomes a table, of clusters where there are groups."""
    # Text is told from numbers only when all labels are known, so until then abstention is text too.
    away = str(abstain) if is_text and abstain is not None else abstain
    options = {"weight_kind": weight_kind, "abstain": away, "missing": missing}
    prepare = partial(_decisions, columns=columns, options=options, is_text=is_text)
    empty = ClusteredTable.empty() if "group" in columns else ContingencyTable.empty()
    return Reducer(tuple(columns.values()), prepare, empty, counts_suffice="weight" not in columns)


def settled_decisions(
    tally: ContingencyTable | ClusteredTable, *, is_text: bool
) -> ContingencyTable | ClusteredTable:
    """All labels are known now: those of text become numbers where every one of them is written so."""
    if is_text:
        tally = tally.renamed(parsed(table_of(tally).labels))
        if isinstance(tally, ClusteredTable):
            tally = tally.clusters_renamed(parsed)
    table_of(tally).check_kinds()
    return tally


def _decisions(
    batch: Batch, columns: dict[str, str], options: dict[str, Any], is_text: bool
) -> ContingencyTable | ClusteredTable:
    roles = {role: batch.columns[name] for role, name in columns.items()}
    if is_text and options["abstain"] is not None:
        roles["prediction"] = _spelt_alike(roles["prediction"], options["abstain"])
    weights = as_weights(roles.pop("weight"), columns["weight"]) if "weight" in roles else None
    options = options | {"weights": weights, "first_row": batch.first_row, "repeats": batch.repeats}
    if "group" in roles:
        return ClusteredTable.from_columns(roles["truth"], roles["prediction"], roles["group"], **options)
    return ContingencyTable.from_columns(roles["truth"], roles["prediction"], **options)


def _spelt_alike(column: Column, wanted: str) -> Column:
    """In text -1 and -1.0 are two labels; as the prediction that means no decision they are one."""
    if not isinstance(column, Coded):
        return column
    value = parsed([wanted])
    return Coded(column.codes, tuple(wanted if parsed([x]) == value else x for x in column.labels))
