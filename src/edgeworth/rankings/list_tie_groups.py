"""The tie groups of ranked lists under each policy for ties."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from edgeworth.common.arrays import Floats, Integers
from edgeworth.common.threads import row_blocks
from edgeworth.errors import OptionError
from edgeworth.rankings.lists import RankedLists
from edgeworth.rankings.tie_groups import STRICT_TIES, Grades, Judgements, TieGroups
from edgeworth.rankings.trec.identifiers import Identifiers
from edgeworth.rankings.trec.judgements import list_numbers

Places: TypeAlias = NDArray[np.intp]
Scores: TypeAlias = Floats | NDArray[np.float32]

ITEMS_SORTED_AT_ONCE = 1 << 15
"""Items of short lists that are sorted at once, which bounds the memory."""


def tie_groups_of_lists(lists: RankedLists, ties: str) -> TieGroups:
    """Make the tie groups of ranked lists.

    Most policies keep items of equal score together. ``trec`` reads scores as 32-bit floats
    and puts the higher id (by bytes) first among equals, as trec_eval does; ``input`` puts the earlier row
    first. In these two orders every group is one target.

    >>> lists = RankedLists.from_scores([0, 1, 1], [0.5, 0.5, 0.1], groups=[7, 7, 7])
    >>> tie_groups_of_lists(lists, "expected").size.tolist()
    [2.0, 1.0]
    >>> tie_groups_of_lists(lists, "input").seen_above.tolist()
    [1.0, 2.0]
    """
    if ties == "trec" and lists.ids is None:
        raise OptionError("ties=trec puts the higher id first, and these lists have no ids")
    scores = _as_trec_eval_reads(lists.scores) if ties == "trec" else lists.scores
    order, is_new = order_lists(scores, lists.starts)
    if ties in STRICT_TIES:
        order = _break_ties(order, is_new, lists.ids if ties == "trec" else None)
        is_new[:] = True
    return tie_groups_in_order(lists, lists.grades[order], is_new, ties)


def tied_lists(lists: RankedLists) -> tuple[int, int]:
    """Count lists in which scores tie for trec_eval, and those in which the order of tied items matters.

    >>> lists = RankedLists.from_scores([0, 1, 0, 0], [0.5, 0.5, 0.1, 0.1], groups=[7, 7, 8, 8])
    >>> tied_lists(lists)
    (2, 1)
    """
    order, is_new = order_lists(_as_trec_eval_reads(lists.scores), lists.starts)
    numbers, grades = list_numbers(lists.starts), np.maximum(lists.grades[order], 0)
    is_decisive = np.append(False, np.diff(grades) != 0) & ~is_new
    return len(np.unique(numbers[~is_new])), len(np.unique(numbers[is_decisive]))


def _as_trec_eval_reads(scores: Floats) -> NDArray[np.float32]:
    """Round scores to 32-bit floats; beyond their range scores are infinite."""
    with np.errstate(over="ignore"):
        return np.asarray(scores, dtype=np.float32)


def order_lists(scores: Scores, starts: Places) -> tuple[Places, NDArray[np.bool_]]:
    """Order the items of each list from the best to the worst, and mark the first item of each tie."""
    order, falling = np.empty(len(scores), dtype=np.intp), -scores
    sizes = np.diff(starts)
    by_size = np.argsort(sizes, kind="stable")
    # Lists of the same length are sorted together.
    for lists in np.split(by_size, np.flatnonzero(np.diff(sizes[by_size])) + 1):
        size = int(sizes[lists].max(initial=0))
        for part in row_blocks(len(lists), max(1, ITEMS_SORTED_AT_ONCE // max(size, 1))):
            first = starts[lists[part], None]
            rows = first + np.arange(size)
            order[rows] = first + falling[rows].argsort(axis=1)
    ordered, is_new = scores[order], np.zeros(len(scores), dtype=np.bool_)
    is_new[starts[:-1][np.diff(starts) > 0]] = True
    is_new[1:] |= ordered[1:] != ordered[:-1]
    return order, is_new


def _break_ties(order: Places, is_new: NDArray[np.bool_], ids: Identifiers | None) -> Places:
    """Break ties in an order by the higher id, or by the earlier row if there are no ids."""
    is_tied = ~is_new
    is_tied[:-1] |= is_tied[1:].copy()
    tied = np.flatnonzero(is_tied)
    rows = order[tied]
    # Bytes sort as strcmp does, and the higher id goes first.
    key = rows if ids is None else -np.unique(ids[rows], return_inverse=True)[1]
    order[tied] = rows[np.lexsort((key, np.cumsum(is_new)[tied]))]
    return order


def tie_groups_in_order(
    lists: RankedLists, grades: Integers, is_new: NDArray[np.bool_], ties: str
) -> TieGroups:
    """Build tie groups from the grades of all items in their order, and where each tie begins."""
    first, targets = np.flatnonzero(is_new), np.flatnonzero(grades >= lists.relevant_from)
    group = np.cumsum(is_new)[targets] - 1
    groups_with_hits, place_of, hits = np.unique(group, return_inverse=True, return_counts=True)
    start = first[groups_with_hits]
    list_of = np.searchsorted(lists.starts, start, side="right") - 1

    def above(places: Places) -> NDArray[np.float64]:
        before = np.searchsorted(places, lists.starts)[list_of]
        return (np.searchsorted(places, start) - before).astype(np.float64)

    judgements = None
    if ties in STRICT_TIES:
        rejected = np.flatnonzero((grades >= 0) & (grades < lists.relevant_from))
        judgements = Judgements(above(rejected), lists.rejected.astype(np.float64))
    lost_list, lost_grade = lists.lost
    sizes = lists.sizes.astype(np.float64)
    return TieGroups(
        list_of,
        above(targets),
        (start - lists.starts[list_of]).astype(np.float64),
        hits.astype(np.float64),
        (np.append(first, len(grades))[groups_with_hits + 1] - start).astype(np.float64),
        lists.targets.astype(np.float64),
        sizes,
        sizes if lists.is_whole else np.full(lists.number, np.nan),
        Grades(place_of, grades[targets].astype(np.float64), lost_list, lost_grade.astype(np.float64)),
        judgements,
        ties,
    )
