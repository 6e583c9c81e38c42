"""Randomisation of whole groups, counted exactly where it can be."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from edgeworth.comparing.labels.joint_cells import JointCells
from edgeworth.comparing.labels.swapping import swap_test
from edgeworth.comparing.randomisation.groups import GroupCounts, group_tables_test, groups_test
from edgeworth.core.tails import Tail
from edgeworth.decisions.computing import Resolved

MOST_CELLS = 1 << 23
"""Cells of all groups' tables together; with more, swaps are drawn."""


def swap_groups(cells: JointCells, resolved: Resolved, measure: str, seed: int) -> Tail:
    """P(a difference at least as large) when the two systems' outputs are swapped group by group.

    ``measure`` has the same differences as the resolved one, up to a factor, and its law can be counted.
    """
    assert cells.groups is not None
    shape = cells.tables[0].cells.shape
    names, group = np.unique(cells.groups, return_inverse=True)
    size = shape[0] * shape[1]
    if len(names) * size > MOST_CELLS:
        return swap_test(cells, resolved, seed=seed)
    tables = []
    for place in cells.places:
        counts = np.zeros(len(names) * size, dtype=np.int64)
        np.add.at(counts, group * size + place, cells.weight)
        tables.append(counts.reshape(len(names), *shape))
    if resolved.position is None:
        return group_tables_test(tables[0], tables[1], measure, seed=seed)
    first, second = (_counts(table, resolved.position) for table in tables)
    background = tables[0].sum(axis=(1, 2)) - tables[0][:, :, resolved.position].sum(axis=1)
    alpha = float(resolved.arguments.get("alpha", 0.5))
    return groups_test(first, second, measure, background=background, alpha=alpha, seed=seed)


def _counts(table: NDArray[np.int64], position: int) -> GroupCounts:
    """Hits, false alarms and misses of one label in each group."""
    hits = table[:, position, position]
    alarms, misses = table[:, position].sum(axis=1) - hits, table[:, :, position].sum(axis=1) - hits
    return GroupCounts.of(hits, alarms, misses)
