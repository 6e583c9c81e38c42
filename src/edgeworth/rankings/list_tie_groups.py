"""Where the targets of ranked lists stand, under each policy for ties.

Only targets need a rank. The scores of every list are sorted as bare numbers, and the targets are searched
in them: that is several times faster than putting the items in order. Items are put in order only in lists
where a target is tied and the policy says who comes first.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from edgeworth.errors import OptionError
from edgeworth.rankings.lists import RankedLists
from edgeworth.rankings.tie_groups import STRICT_TIES, Grades, Judgements, TieGroups
from edgeworth.rankings.trec.identifiers import Identifiers, words
from edgeworth.rankings.trec.judgements import list_numbers

ListTies: TypeAlias = Literal["expected", "threshold", "trec", "input"]
Places: TypeAlias = NDArray[np.intp]

LONG_TO_SEARCH = 128
"""Lists from this length on are searched one by one; shorter ones all at once."""

LONG = 1024
"""Lists from this length on are sorted one by one; shorter ones side by side, in rows of equal length."""

BLOCK_ITEMS = 1 << 19
"""Items sorted side by side at once: their copies stay small."""


def tie_groups_of_lists(lists: RankedLists, ties: str) -> TieGroups:
    """The view that measures take of lists.

    ``expected`` and ``threshold`` keep items of equal score together. ``trec`` reads scores as 32-bit floats
    and puts the higher id (by bytes) first among equals, as trec_eval does; ``input`` puts the earlier row
    first. In these two orders every group is one target.

    >>> lists = RankedLists.from_scores([0, 1, 1], [0.5, 0.5, 0.1], groups=[7, 7, 7])
    >>> tie_groups_of_lists(lists, "expected").size.tolist()
    [2.0, 1.0]
    >>> tie_groups_of_lists(lists, "input").seen_above.tolist()
    [1.0, 2.0]
    """
    if ties not in get_args(ListTies):
        raise OptionError(f"ties are {', '.join(get_args(ListTies))}; saw {ties!r}")
    if ties == "trec" and lists.ids is None:
        raise OptionError("ties=trec puts the higher id first, and these lists have no ids")
    scores = _single(lists.scores) if ties == "trec" else lists.scores
    rows = np.flatnonzero(lists.is_target)
    if ties in STRICT_TIES and lists.has_unjudged:
        # bpref asks where judged background stands, too; where all are judged, that is the rest.
        rows = np.flatnonzero(lists.grades >= 0)
    place, size = _places(scores, lists.starts, lists.list_of(rows), scores[rows])
    if ties in STRICT_TIES:
        place = _break_ties(lists, scores, rows, place, size, ties)
        size = np.ones(len(rows), dtype=np.intp)
    return _tie_groups(lists, rows, place, size, ties)


def _single(scores: NDArray[np.float64]) -> NDArray[np.float32]:
    """Scores as trec_eval holds them; beyond the range of a 32-bit float they are infinite."""
    with np.errstate(over="ignore"):
        return scores.astype(np.float32)


def _tie_groups(lists: RankedLists, rows: Places, place: Places, size: Places, ties: str) -> TieGroups:
    """Build tie groups from the place of each row, which counts the items of all lists before it."""
    is_target = lists.is_target[rows]
    rejected_places = np.sort(place[~is_target])
    rows, place, size = rows[is_target], place[is_target], size[is_target]
    order = np.argsort(place)
    rows, place = rows[order], place[order]
    is_new = np.concatenate(([True], place[1:] != place[:-1])) if len(place) else np.zeros(0, dtype=np.bool_)
    first = np.flatnonzero(is_new)
    list_of = lists.list_of(rows[first])
    start = np.append(first, 0)[np.searchsorted(list_of, np.arange(lists.number))]
    seen = place[first] - lists.starts[list_of]
    hits_above = first - start[list_of]
    lost_list, lost_grade = lists.lost
    sizes = lists.sizes.astype(np.float64)
    judgements = None
    if ties in STRICT_TIES:
        above = seen - hits_above
        if lists.has_unjudged:
            above = np.searchsorted(rejected_places, place[first])
            above -= np.searchsorted(rejected_places, lists.starts[list_of])
        judgements = Judgements(above.astype(np.float64), lists.rejected.astype(np.float64))
    return TieGroups(
        list_of,
        hits_above.astype(np.float64),
        seen.astype(np.float64),
        np.diff(first, append=len(rows)).astype(np.float64),
        size[order][first].astype(np.float64),
        lists.targets.astype(np.float64),
        sizes,
        sizes if lists.is_whole else np.full(lists.number, np.nan),
        Grades(
            np.cumsum(is_new) - 1,
            lists.grades[rows].astype(np.float64),
            lost_list,
            lost_grade.astype(np.float64),
        ),
        judgements,
        ties,
    )


# -- places of some items ------------------------------------------------------------------------------


def _places(
    scores: NDArray[Any], starts: Places, list_of: Places, wanted: NDArray[Any]
) -> tuple[Places, Places]:
    """Items above each wanted score (all items of lists before included), and items tied with it."""
    ordered = _sort_lists(scores, starts)
    start, size = starts[list_of], np.diff(starts)[list_of]
    below = _search(ordered, starts, list_of, wanted, "left")
    upto = below + 1  # the score itself is there
    tied = np.flatnonzero(upto < size)
    tied = tied[ordered[start[tied] + upto[tied]] == wanted[tied]]
    if len(tied):
        upto[tied] = _search(ordered, starts, list_of[tied], wanted[tied], "right")
    return start + size - upto, upto - below


def _search(
    ordered: NDArray[Any],
    starts: Places,
    list_of: Places,
    wanted: NDArray[Any],
    side: Literal["left", "right"],
) -> Places:
    """How many items of its own list come before each wanted score."""
    count = np.empty(len(wanted), dtype=np.intp)
    sizes = np.diff(starts)
    edges = np.searchsorted(list_of, np.arange(len(starts)))
    for number in np.flatnonzero((sizes >= LONG_TO_SEARCH) & (edges[1:] > edges[:-1])).tolist():
        mine = slice(edges[number], edges[number + 1])
        count[mine] = ordered[starts[number] : starts[number + 1]].searchsorted(wanted[mine], side)
    short = np.flatnonzero(sizes[list_of] < LONG_TO_SEARCH)
    if len(short):
        list_of = list_of[short]
        is_before = np.less if side == "left" else np.less_equal
        count[short] = _bisect(ordered, starts[list_of], sizes[list_of], wanted[short], is_before)
    return count


def _bisect(
    ordered: NDArray[Any], start: Places, size: Places, wanted: NDArray[Any], is_before: Any
) -> Places:
    """How many items of each slice come before the wanted score: steps of halved length, all at once."""
    count = np.zeros(len(wanted), dtype=np.intp)
    step = 1 << max(int(size.max(initial=0)).bit_length() - 1, 0)
    last = len(ordered) - 1
    while step:
        ahead = count + step
        fits = ahead <= size
        at = np.minimum(start + ahead - 1, last)
        count = np.where(fits & is_before(ordered[at], wanted), ahead, count)
        step >>= 1
    return count


def _sort_lists(scores: NDArray[Any], starts: Places) -> NDArray[Any]:
    """The scores of each list in ascending order."""
    ordered = scores.copy()
    for rows, width in _blocks(starts):
        if width is None:
            ordered[rows].sort()
        elif isinstance(rows, slice):
            ordered[rows].reshape(-1, width).sort(axis=1)
        else:
            # What is missing in a row sorts behind everything, and equal to an infinite score.
            along = np.arange(width)
            there = along < (starts[rows + 1] - starts[rows])[:, None]
            at = np.where(there, starts[rows][:, None] + along, 0)
            block = np.where(there, scores[at], np.inf).astype(scores.dtype, copy=False)
            block.sort(axis=1)
            ordered[at[there]] = block[there]
    return ordered


def _blocks(starts: Places) -> Iterator[tuple[Any, int | None]]:
    """Lists to sort together: a slice of items (one list, or rows of a width), or lists and a width."""
    sizes = np.diff(starts)
    if not len(sizes):
        return
    if sizes.max() < LONG and sizes.min() == sizes.max() > 0:
        yield slice(0, int(starts[-1])), int(sizes[0])
        return
    for number in np.flatnonzero(sizes >= LONG).tolist():
        yield slice(int(starts[number]), int(starts[number + 1])), None
    width = 2
    while width <= LONG:
        alike = np.flatnonzero((sizes > width // 2) & (sizes <= width) & (sizes < LONG) & (sizes > 1))
        together = BLOCK_ITEMS // width
        for first in range(0, len(alike), together):
            yield alike[first : first + together], width
        width *= 2


# -- strict orders -------------------------------------------------------------------------------------


def _break_ties(
    lists: RankedLists, scores: NDArray[Any], rows: Places, place: Places, size: Places, ties: str
) -> Places:
    """Places with ties broken: by id, the higher first, or by row, the earlier first."""
    tied = np.flatnonzero(size > 1)
    if not len(tied):
        return place
    members, group = _tie_members(lists, scores, rows[tied])
    if ties == "trec" and lists.ids is not None:
        order = _by_id(lists.ids[members], group)
    else:
        order = np.argsort(group * len(scores) + members)
    members, group = members[order], group[order]
    rank = np.zeros(len(scores), dtype=np.intp)
    rank[members] = np.arange(len(members)) - np.searchsorted(group, group)
    place = place.copy()
    place[tied] += rank[rows[tied]]
    return place


def _tie_members(lists: RankedLists, scores: NDArray[Any], rows: Places) -> tuple[Places, Places]:
    """All items that are tied with some of these rows, and a number for the tie of each."""
    starts, items = lists.items_of(np.unique(lists.list_of(rows)))
    items = items[np.lexsort((scores[items], list_numbers(starts)))]
    ordered = scores[items]
    is_new = np.concatenate(([True], ordered[1:] != ordered[:-1]))
    is_new[starts[:-1]] = True
    group = np.cumsum(is_new) - 1
    is_wanted = np.zeros(len(scores), dtype=np.bool_)
    is_wanted[rows] = True
    holds = np.zeros(group[-1] + 1, dtype=np.bool_)
    holds[group[is_wanted[items]]] = True
    kept = holds[group]
    return items[kept], group[kept]


def _by_id(ids: Identifiers, group: Places) -> Places:
    """The order by tie, then by the bytes of the id, the higher first."""
    # Big-endian words sort as their bytes do; words that are the same everywhere decide nothing.
    texts = words(ids)
    texts = ~(texts.byteswap() if sys.byteorder == "little" else texts)
    deciding = [word for word in texts.T if np.any(word != word[0])]
    return np.lexsort((*reversed(deciding), group))
