"""Groups of cases that are not independent of each other: patients, documents, queries."""

from __future__ import annotations

from typing import Any

import numpy as np

from edgeworth.arrays import same_array
from edgeworth.core.labels import canonical, canonical_order, positions
from edgeworth.core.plain import COUNTS, LABELS, Field, dump_fields, load_fields
from edgeworth.sources.columns import MISSING, Coded, as_column, encode


def encode_groups(groups: Any) -> Coded:
    """Encode groups, their names in canonical order."""
    column = as_column(groups, "groups")
    coded = encode(column, "groups")
    if isinstance(column, np.ndarray) and column.dtype.kind in "iu":
        return coded  # in order by now
    return drop_unused_groups(Coded(coded.codes, tuple(canonical(label) for label in coded.labels)))


def drop_unused_groups(groups: Coded) -> Coded:
    """Keep the groups that have a row, in canonical order; missing ones stay missing."""
    seen = np.unique(groups.codes[groups.codes != MISSING])
    labels = [groups.labels[code] for code in seen]
    order = canonical_order(labels)
    place = np.full(len(groups.labels) + 1, MISSING, dtype=np.intp)
    place[seen] = positions(labels, order)
    return Coded(place[groups.codes], order)


def merge_groups(left: Coded | None, right: Coded | None) -> Coded | None:
    """Merge the groups of the rows of both; a group that is in both is one."""
    if left is None or right is None:
        return None
    shifted = np.concatenate([left.codes, right.codes + len(left.labels)])
    return drop_unused_groups(Coded(shifted, left.labels + right.labels))


_FIELDS = {"codes": COUNTS, "labels": LABELS}

GROUPS = Field(
    "an object (codes, labels)",
    lambda groups: Coded(**load_fields(_FIELDS, groups, "the groups of a tally")),
    lambda groups: dump_fields(_FIELDS, groups),
)
"""The field of a tally that holds the groups of its cases."""


def are_groups(groups: Coded | None, number: int) -> bool:
    """Check that groups are of so many cases, have different names, and have a case each."""
    if groups is None:
        return True
    used, size = np.unique(groups.codes), len(groups.labels)
    return (
        groups.codes.shape == (number,)
        and len(set(groups.labels)) == size
        and np.array_equal(used, np.arange(size))
    )


def same_groups(left: Coded | None, right: Coded | None) -> bool:
    """Tell whether both are none, or the same groups of the same cases."""
    if left is None or right is None:
        return left is right
    return left.labels == right.labels and same_array(left.codes, right.codes)
