"""Identifiers of documents as bytes, and where their pairs with a query stand."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from edgeworth.errors import InputError

Identifiers: TypeAlias = NDArray[np.bytes_]
"""UTF-8, padded with zeros to one width; ordered as strcmp orders them."""

GOLDEN = 0x9E3779B97F4A7C15
"""An odd number from the golden ratio, which stirs the bits of what it multiplies."""

LARGEST_TABLE = 1 << 33
"""Bytes of fixed-width identifiers beyond which one very long identifier was hardly meant."""


def as_identifiers(texts: list[bytes]) -> Identifiers:
    """Identifiers from a list of bytes."""
    longest = max(map(len, texts), default=1)
    if len(texts) * longest > LARGEST_TABLE:
        raise InputError(
            f"an identifier is {longest:,} bytes long; among {len(texts):,} of them that is hardly meant"
        )
    return np.array(texts, dtype=np.bytes_)


def texts_of(ids: Identifiers) -> list[str]:
    """Identifiers as text; bytes that are no UTF-8 come back through ``surrogateescape``."""
    return [text.decode("utf-8", "surrogateescape") for text in ids.tolist()]


def number_pairs(query: NDArray[np.intp], ids: Identifiers, queries: int) -> NDArray[Any]:
    """One number for each pair of query and identifier; equal pairs have equal numbers, others do not.

    Sorting a million texts takes seconds, sorting their hashes a tenth of one.
    """
    numbers = query.astype(np.uint64)
    width = -(-ids.dtype.itemsize // 8)
    for word in ids.astype(f"S{8 * width}").view(np.uint64).reshape(len(ids), width).T:
        numbers = (numbers ^ word) * np.uint64(GOLDEN)
        numbers ^= numbers >> np.uint64(32)
    order = np.argsort(numbers)
    alike = np.flatnonzero(numbers[order[1:]] == numbers[order[:-1]])
    left, right = order[alike], order[alike + 1]
    if np.all((query[left] == query[right]) & (ids[left] == ids[right])):
        return numbers
    # Two pairs have the same hash, which happens once in a great many files.
    return np.unique(ids, return_inverse=True)[1] * queries + query


def first_repeat(query: NDArray[np.intp], ids: Identifiers, queries: int) -> tuple[int, int] | None:
    """The rows of the first pair of query and identifier that occurs twice; None when all differ.

    >>> first_repeat(np.array([0, 1, 0]), as_identifiers([b"a", b"a", b"a"]), 2)
    (0, 2)
    """
    pairs = number_pairs(query, ids, queries)
    order = np.argsort(pairs, kind="stable")
    repeats = order[1:][pairs[order[1:]] == pairs[order[:-1]]]
    if not len(repeats):
        return None
    second = int(repeats.min())
    return int(np.argmax(pairs == pairs[second])), second


def look_up(
    query: NDArray[np.intp],
    ids: Identifiers,
    within_query: NDArray[np.intp],
    within_ids: Identifiers,
    queries: int,
) -> NDArray[np.intp]:
    """Where each pair of query and identifier stands among others, all different; -1 where it does not.

    >>> there = as_identifiers([b"a", b"b"])
    >>> look_up(np.array([0, 0]), as_identifiers([b"b", b"c"]), np.array([0, 0]), there, 1).tolist()
    [1, -1]
    """
    if not len(within_ids):
        return np.full(len(ids), -1, dtype=np.intp)
    pairs = number_pairs(np.append(within_query, query), np.append(within_ids, ids), queries)
    there, wanted = np.split(pairs, [len(within_ids)])
    order = np.argsort(there)
    place = order[np.minimum(np.searchsorted(there, wanted, sorter=order), len(there) - 1)]
    return np.where(there[place] == wanted, place, -1)
