"""Groups of cases that are not independent of each other: patients, documents, queries."""

from __future__ import annotations

from typing import Any

import numpy as np

from edgeworth.errors import InputError
from edgeworth.sources.columns import MISSING, Coded, as_column, encode
from edgeworth.tallies.labels import canonical, canonical_order, positions
from edgeworth.tallies.matrices import same_array
from edgeworth.tallies.serial import labels_from_json, labels_to_json, numbers_from_json, payload_field


def coded_groups(groups: Any) -> Coded:
    """Groups as codes, their names in canonical order."""
    column = as_column(groups, "groups")
    coded = encode(column, "groups")
    if isinstance(column, np.ndarray) and column.dtype.kind in "iu":
        return coded  # in order by now
    return used_groups(Coded(coded.codes, tuple(canonical(label) for label in coded.labels)))


def used_groups(groups: Coded) -> Coded:
    """Only the groups that have a row, in canonical order; missing ones stay missing."""
    seen = np.unique(groups.codes[groups.codes != MISSING])
    labels = [groups.labels[code] for code in seen]
    order = canonical_order(labels)
    place = np.full(len(groups.labels) + 1, MISSING, dtype=np.intp)
    place[seen] = positions(labels, order)
    return Coded(place[groups.codes], order)


def merged_groups(left: Coded | None, right: Coded | None) -> Coded | None:
    """The groups of the rows of both; a group that is in both is one."""
    if left is None or right is None:
        return None
    shifted = np.concatenate([left.codes, right.codes + len(left.labels)])
    return used_groups(Coded(shifted, left.labels + right.labels))


def groups_to_json(groups: Coded | None) -> dict[str, Any] | None:
    """Plain values for JSON."""
    return (
        None if groups is None else {"labels": labels_to_json(groups.labels), "codes": groups.codes.tolist()}
    )


def groups_from_json(payload: Any, number: int) -> Coded | None:
    """The groups of so many cases, checked."""
    if payload is None:
        return None
    if not isinstance(payload, dict):
        raise InputError("the groups of a tally are an object with labels and codes")
    labels = labels_from_json(payload_field(payload, "labels", list))
    codes = numbers_from_json(payload_field(payload, "codes", list), "codes")
    fits = codes.shape == (number,) and codes.dtype.kind == "i" and len(set(labels)) == len(labels)
    if not fits or not np.array_equal(np.unique(codes), np.arange(len(labels))):
        raise InputError("the groups of a tally have different names, and each has a case")
    return Coded(codes.astype(np.intp), labels)


def same_groups(left: Coded | None, right: Coded | None) -> bool:
    """Whether both are none, or the same groups of the same cases."""
    if left is None or right is None:
        return left is right
    return left.labels == right.labels and same_array(left.codes, right.codes)
