"""Scores with queries, batch by batch, into ranked lists."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from edgeworth.core.labels import parsed
from edgeworth.rankings.lists import RankedLists
from edgeworth.sources.batches import Batch, Source
from edgeworth.sources.columns import Label
from edgeworth.sources.reducing import Reducer


def tally_lists(
    source: Source,
    columns: dict[str, str],
    *,
    positive: Label | None = None,
    relevant_from: int = 1,
) -> RankedLists:
    """Fold a source into ranked lists."""
    lists = lists_reducer(columns, positive=positive, relevant_from=relevant_from).over(source)
    lists.check_positive(positive)
    return settled_lists(lists, is_text=source.is_text)


def settled_lists(lists: RankedLists, *, is_text: bool) -> RankedLists:
    """All queries are known now: those of text become numbers where every one of them is written so."""
    queries = tuple(parsed(lists.queries)) if is_text else lists.queries
    if queries == lists.queries or len(set(queries)) < len(queries):
        return lists
    return replace(lists, queries=queries).select(queries)


def lists_reducer(
    columns: dict[str, str], *, positive: Label | None = None, relevant_from: int = 1
) -> Reducer[RankedLists]:
    """How a batch becomes ranked lists; a batch may be without a target."""
    prepare = partial(_lists, columns=columns, positive=positive, relevant_from=relevant_from)
    return Reducer(tuple(columns.values()), prepare, RankedLists.empty())


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
