"""Identifiers of documents as bytes, and the search for pairs of a query and a document."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from edgeworth.errors import InputError

Identifiers: TypeAlias = NDArray[np.bytes_]
"""UTF-8, padded with zeros to one width; ordered as strcmp orders them."""

MAX_IDENTIFIER_BYTES = 1 << 33
"""The most bytes of fixed-width identifiers: more mean that one of them is long by mistake."""


def as_identifiers(texts: list[bytes]) -> Identifiers:
    """Make identifiers from a list of bytes."""
    check_width(len(texts), max(map(len, texts), default=1))
    return np.array(texts, dtype=np.bytes_)


def check_width(number: int, longest: int) -> None:
    """Refuse identifiers of which one is so long that the table of all would be too large."""
    if number * longest > MAX_IDENTIFIER_BYTES:
        raise InputError(
            f"an identifier is {longest:,} bytes long, too long for {number:,} of them; check the column"
        )


def join_identifiers(lengths: NDArray[np.int32], data: NDArray[np.uint8]) -> Identifiers:
    """Make identifiers of consecutive bytes.

    >>> join_identifiers(np.array([1, 2], np.int32), np.frombuffer(b"abb", np.uint8)).tolist()
    [b'a', b'bb']
    """
    longest = max(int(lengths.max(initial=1)), 1)
    check_width(len(lengths), longest)
    table = np.zeros((len(lengths), longest), np.uint8)
    # Row by row, so the bytes fill the places that exist in the order they have.
    table[np.arange(longest) < lengths[:, None]] = data
    return np.asarray(table.view(f"S{longest}")[:, 0])


def texts_of(ids: Identifiers) -> list[str]:
    """Decode identifiers as text; bytes that are no UTF-8 come back through ``surrogateescape``."""
    return [text.decode("utf-8", "surrogateescape") for text in ids.tolist()]


def first_repeat(query: NDArray[np.intp], ids: Identifiers) -> tuple[int, int] | None:
    """Find the rows of the first pair of query and identifier that occurs twice; None when all differ.

    >>> first_repeat(np.array([0, 1, 0]), as_identifiers([b"a", b"a", b"a"]))
    (0, 2)
    """
    hashes = np.sort(_hash_pairs(query, ids, ids.dtype.itemsize))
    if not (hashes[1:] == hashes[:-1]).any():
        return None
    first: dict[tuple[int, bytes], int] = {}
    pairs = enumerate(_pairs(query, ids))
    repeats = ((first[pair], row) for row, pair in pairs if first.setdefault(pair, row) < row)
    return next(repeats, None)


def look_up(
    query: NDArray[np.intp], ids: Identifiers, within_query: NDArray[np.intp], within_ids: Identifiers
) -> NDArray[np.intp]:
    """Find the index of each pair of query and identifier among distinct pairs; -1 if it is not there.

    >>> there = as_identifiers([b"a", b"b"])
    >>> look_up(np.array([0, 0]), as_identifiers([b"b", b"c"]), np.array([0, 0]), there).tolist()
    [1, -1]
    """
    if not len(within_ids) or not len(ids):
        return np.full(len(ids), -1, dtype=np.intp)
    width = max(ids.dtype.itemsize, within_ids.dtype.itemsize)
    hashes = _hash_pairs(within_query, within_ids, width)
    order = np.argsort(hashes)
    hashes = hashes[order]
    if (hashes[1:] == hashes[:-1]).any():
        row_of_pair = {pair: row for row, pair in enumerate(_pairs(within_query, within_ids))}
        return np.array([row_of_pair.get(pair, -1) for pair in _pairs(query, ids)], dtype=np.intp)
    nearest = np.minimum(np.searchsorted(hashes, _hash_pairs(query, ids, width)), len(hashes) - 1)
    rows = order[nearest]
    return np.where((within_query[rows] == query) & (within_ids[rows] == ids), rows, -1)


_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
_SHIFT = np.uint64(29)


def _hash_pairs(query: NDArray[np.intp], ids: Identifiers, width: int) -> NDArray[np.uint64]:
    """Hash each pair of query and identifier; unequal pairs may have one hash, though hardly ever.

    Eight bytes at a time are multiplied by an odd constant and mixed, as multiplicative hashing does.
    """
    words = -(-width // 8)
    columns = ids.astype(f"S{8 * words}").view(np.uint64).reshape(len(ids), words)
    hashes = query.astype(np.uint64) * _MULTIPLIER
    for word in range(words):
        hashes = (hashes ^ (hashes >> _SHIFT) ^ columns[:, word]) * _MULTIPLIER
    return hashes ^ (hashes >> _SHIFT)


def _pairs(query: NDArray[np.intp], ids: Identifiers) -> Iterator[tuple[int, bytes]]:
    return zip(query.tolist(), ids.tolist(), strict=True)
