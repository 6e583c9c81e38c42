"""Scores with queries, batch by batch, into ranked lists."""

from __future__ import annotations

from functools import partial

from edgeworth.sources import Batch, Label, Source, fold
from edgeworth.tallies import RankedLists


def tally_lists(
    source: Source,
    columns: dict[str, str],
    *,
    positive: Label | None = None,
    relevant_from: int = 1,
) -> RankedLists:
    """Fold a source into ranked lists."""
    prepare = partial(_lists, columns=columns, positive=positive, relevant_from=relevant_from)
    lists = fold(source, list(columns.values()), prepare, RankedLists.empty())
    lists.check_positive(positive)
    return lists


def _lists(batch: Batch, columns: dict[str, str], positive: Label | None, relevant_from: int) -> RankedLists:
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
