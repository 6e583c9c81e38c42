"""From a source to a tally: which columns play which role, batch by batch."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from edgeworth.errors import InputError, OptionError
from edgeworth.measures import table_of
from edgeworth.sources import ArraySource, Batch, Coded, Column, Label, Source, fold, open_source
from edgeworth.sources.scores import as_scores
from edgeworth.sources.weights import as_weights
from edgeworth.tallies import ClusteredTable, ContingencyTable, RankedLists, Ranking
from edgeworth.tallies.cells import Cells, as_cells, check_unit_range
from edgeworth.tallies.labelled_scores import LabelledScores, MissingScore
from edgeworth.tallies.labels import parsed
from edgeworth.tallies.policies import Missing, WeightKind


def find_source(data: Any, needed: tuple[str, ...], **roles: Any) -> tuple[Source, dict[str, str]]:
    """The source, and the name of the column that plays each role."""
    given = {role: value for role, value in roles.items() if value is not None}
    for role in needed:
        if role not in given:
            raise OptionError(f"{role} is needed: the name of a column, or the column itself")
    if data is None:
        for role, value in given.items():
            if isinstance(value, str):
                raise OptionError(f"{role}={value!r} names a column, but there is no data to find it in")
        return ArraySource(given), {role: role for role in given}
    for role, value in given.items():
        if not isinstance(value, str):
            raise OptionError(f"with data, {role} is the name of a column; saw {type(value).__name__}")
    return open_source(data), given


def tally_decisions(
    source: Source,
    columns: dict[str, str],
    *,
    weight_kind: WeightKind | None = None,
    abstain: Label | None = None,
    missing: Missing = "error",
) -> ContingencyTable | ClusteredTable:
    """Fold a source into a tally of decisions. ``columns`` maps roles to names of columns."""
    # Text is told from numbers only when all labels are known, so until then abstention is text too.
    away = str(abstain) if source.is_text and abstain is not None else abstain
    options = {
        "weight_kind": _settled_kind(source, columns, weight_kind),
        "abstain": away,
        "missing": missing,
    }
    prepare = partial(_decisions, columns=columns, options=options, is_text=source.is_text)
    empty = ClusteredTable.empty() if "group" in columns else ContingencyTable.empty()
    tally = fold(source.batches(list(columns.values())), prepare, empty)
    table = table_of(tally)
    if not table.cells.any():
        raise _nothing_left(source, table.dropped)
    if source.is_text:
        tally = tally.renamed(parsed(table.labels))
    table_of(tally).check_kinds()
    return tally


def tally_ranking(
    source: Source,
    columns: dict[str, str],
    *,
    weight_kind: WeightKind | None = None,
    positive: Label | None = None,
    cells: Cells = None,
    missing: MissingScore = "error",
) -> Ranking:
    """Fold a source into a ranking."""
    options = {
        "weight_kind": _settled_kind(source, columns, weight_kind),
        "cells": as_cells(cells),
        "missing": missing,
    }
    prepare = partial(
        _labelled_scores, columns=columns, options=options, is_unit=isinstance(cells, (int, np.integer))
    )
    labelled = fold(source.batches(list(columns.values())), prepare, LabelledScores.empty())
    if not any(len(run.scores) for run in labelled.runs.values()):
        raise _nothing_left(source, labelled.dropped)
    if source.is_text:
        labels = list(labelled.runs)
        labelled = labelled.renamed(dict(zip(labels, parsed(labels), strict=True)))
    return Ranking.from_labelled(labelled, positive=positive)


def tally_lists(
    source: Source,
    columns: dict[str, str],
    *,
    positive: Label | None = None,
    relevant_from: int = 1,
) -> RankedLists:
    """Fold a source into ranked lists."""

    def prepare(batch: Batch) -> RankedLists:
        roles = {role: batch.columns[name] for role, name in columns.items()}
        return RankedLists.from_columns(
            roles["truth"],
            roles["score"],
            roles["group"],
            roles.get("id"),
            positive=positive,
            relevant_from=relevant_from,
            first_row=batch.first_row,
        )

    lists = fold(source.batches(list(columns.values())), prepare, RankedLists.empty())
    lists.check_positive(positive)
    return lists


def _settled_kind(
    source: Source, columns: dict[str, str], weight_kind: WeightKind | None
) -> WeightKind | None:
    """Counts when every weight of a text file is written as a whole number: a pass over that column alone.

    A batch cannot tell by itself: whole numbers in one and fractions in the next are all sampling weights.
    """
    if not source.is_text or "weight" not in columns or weight_kind is not None:
        return weight_kind
    column = columns["weight"]
    whole = all(
        as_weights(batch.columns[column], column).dtype.kind == "i" for batch in source.batches([column])
    )
    return "counts" if whole else "sampling"


def _decisions(
    batch: Batch, columns: dict[str, str], options: dict[str, Any], is_text: bool
) -> ContingencyTable | ClusteredTable:
    roles = {role: batch.columns[name] for role, name in columns.items()}
    if is_text and options["abstain"] is not None:
        roles["prediction"] = _spelt_alike(roles["prediction"], options["abstain"])
    weights = as_weights(roles.pop("weight"), columns["weight"]) if "weight" in roles else None
    options = options | {"weights": weights, "first_row": batch.first_row}
    if "group" in roles:
        return ClusteredTable.from_columns(roles["truth"], roles["prediction"], roles["group"], **options)
    return ContingencyTable.from_columns(roles["truth"], roles["prediction"], **options)


def _labelled_scores(
    batch: Batch, columns: dict[str, str], options: dict[str, Any], is_unit: bool
) -> LabelledScores:
    roles = {role: batch.columns[name] for role, name in columns.items()}
    scores = as_scores(roles["score"], columns["score"], batch.first_row)
    if is_unit:
        check_unit_range(scores)
    weights = as_weights(roles["weight"], columns["weight"]) if "weight" in roles else None
    return LabelledScores.from_columns(
        roles["truth"], scores, weights=weights, first_row=batch.first_row, **options
    )


def _spelt_alike(column: Column, wanted: str) -> Column:
    """In text -1 and -1.0 are two labels; as the prediction that means no decision they are one."""
    if not isinstance(column, Coded):
        return column
    value = parsed([wanted])
    return Coded(column.codes, tuple(wanted if parsed([x]) == value else x for x in column.labels))


def _nothing_left(source: Source, dropped: int) -> InputError:
    why = f"no rows are left after {dropped:,} were dropped for missing values"
    return InputError(f"{source.name}: {why if dropped else 'every weight is 0'}")
